package scene

import (
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// joint adds the shapes of joint j: its curves, a bar that slides in it, its mark and stops, and a block where it is fixed in the
// world. The mark is fixed in the successor, or in the predecessor if the successor is the world. If hidden, only curves and the
// rod of a distance joint are added.
func (b *builder) joint(j int, hidden bool) {
	m := b.Mechanism
	jt := &m.Joints[j]
	if jt.Kind == joints.Distance {
		b.Links = append(b.Links, Link{A: mechanism.Attachment{Body: jt.Pred, Point: jt.P.Origin}, B: mechanism.Attachment{Body: jt.Succ, Point: jt.S.Origin},
			Radius: b.held(jt).thin / 2, Color: jointColor(jt.Kind), Joint: int32(j), Force: -1})
		return
	}
	b.curve(j) // the shapes of bodies, and no marks

	if hidden || jt.Kind == joints.Free || jt.Ground != nil { // a wheel on terrain needs no mark
		return
	}
	body, frame := jt.Succ, jt.S
	if body == mechanism.World || jt.Kind.Type() == joints.Rolling { // the mark of a rolling joint is its plane
		body, frame = jt.Pred, jt.P
	}
	h := b.held(jt)
	if jt.Axes != nil {
		b.composite(j)
	}
	if jt.Kind == joints.Prismatic || jt.Kind == joints.Cylindrical || jt.Kind == joints.Helical { // the bar that slides in it
		b.Links = append(b.Links, Link{A: mechanism.Attachment{Body: jt.Pred, Point: jt.P.Origin}, B: mechanism.Attachment{Body: jt.Succ, Point: jt.S.Origin},
			Radius: 0.5 * h.thin, Color: rodColor, Joint: int32(j), Force: -1})
	}
	if jt.Axes == nil && jt.SuccessorCurve == nil && body != mechanism.World && jt.Bowl == 0 { // a bowl has no plane, and its middle is empty
		b.mark(j, jt.Kind, body, &frame)
		b.stops(j)
	}
	if (jt.Pred == mechanism.World || jt.Succ == mechanism.World) && jt.Curve == nil {
		at := jt.P
		if jt.Succ == mechanism.World {
			at = jt.S
		}
		at.Origin = at.Origin.Sub(at.E.Col(2).Scale(jt.Bowl)) // the bottom of a bowl, the top of a dome
		b.Shapes = append(b.Shapes, Shape{Kind: Box, Color: worldColor, Body: mechanism.World, Joint: int32(j), Size: spatial.Vec3{1.2 * h.thick, 1.2 * h.thick, 0.6 * h.thick}, At: at})
	}
}

// mark adds the mark of a joint type for joint j, fixed in a frame of a body.
func (b *builder) mark(j int, kind joints.Kind, body int32, frame *mechanism.Frame) {
	for _, s := range marks(kind, b.held(&b.Mechanism.Joints[j])) {
		s.Color, s.Body, s.Joint = jointColor(kind), body, int32(j)
		s.At = mechanism.Frame{E: frame.E.Mul(s.At.E), Origin: frame.Origin.Add(frame.E.MulVec(s.At.Origin))}
		b.Shapes = append(b.Shapes, s)
	}
}

// composite adds a mark for each axis of joint j. The first of several axes is fixed in the predecessor, all others in the
// successor.
func (b *builder) composite(j int) {
	jt := &b.Mechanism.Joints[j]
	for i := range jt.Axes.Len() {
		a := jt.Axes.At(i)
		body, frame := jt.Succ, jt.S
		if i == 0 && jt.Axes.Len() > 1 {
			body, frame = jt.Pred, jt.P
		}
		at := mechanism.Frame{E: frame.E.Mul(Along(a.Axis)), Origin: frame.Origin.Add(frame.E.MulVec(a.Point))}
		b.mark(j, a.Kind, body, &at)
	}
}

// bars are the radii of the thinner and the thicker of the rods that a joint holds, m. They set the size of its mark.
type bars struct{ thin, thick float64 }

// held returns the bars of joint jt. Bodies that are drawn as blocks count only where the joint holds no rod.
func (b *builder) held(jt *mechanism.Joint) bars {
	rods, all := bars{thin: math.Inf(1)}, bars{thin: math.Inf(1)}
	for _, body := range [2]int32{jt.Pred, jt.Succ} {
		if body == mechanism.World {
			continue
		}
		r := b.radius[body]
		all.thin, all.thick = min(all.thin, r), max(all.thick, r)
		if b.seen[body] || b.spread[body] {
			rods.thin, rods.thick = min(rods.thin, r), max(rods.thick, r)
		}
	}
	if rods.thick > 0 {
		return rods
	}
	return all
}

// couplings adds a thin line between the joints of each coupling, in the order of its terms.
func (b *builder) couplings() {
	m := b.Mechanism
	for i := range m.Couplings {
		legs := m.Couplings[i].Legs
		for k := range len(legs) - 1 {
			from, to := &m.Joints[legs[k].Joint], &m.Joints[legs[k+1].Joint]
			if legs[k].Joint == legs[k+1].Joint {
				continue // two freedoms of one joint
			}
			b.Links = append(b.Links, Link{A: mechanism.Attachment{Body: from.Succ, Point: from.S.Origin}, B: mechanism.Attachment{Body: to.Succ, Point: to.S.Origin},
				Radius: 0.004 * b.Unit, Color: couplingColor, Joint: -1, Force: -1, Coupling: int32(i + 1)})
		}
	}
}
