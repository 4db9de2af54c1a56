package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// heavy is the smallest ratio of inertia to mass·size² that is too large. A rod has 1/12, a disc with a joint on its rim 1/2.
	heavy = 250
	// slim is the smallest ratio of the largest to the smallest moment of inertia of a long body.
	slim = 4
	// scales is the largest ratio of the largest to the median size, and of the median to the smallest, in a model of one scale.
	scales = 30
	// apart is the ratio of a length to the size of bodies from which the length seems to be in another unit.
	apart = 100
	// beyond is the ratio from which no change of units explains the length.
	beyond = 1e5
	// blur is the error of a distance between two positions, relative to the positions, that rounding may cause.
	blur = 1e-6
)

// span is the bounding box, in the frame of a body, of its joints and the points where forces act, m.
type span struct {
	lo, hi [3]float64
	some   bool // the box contains a point
}

// add extends the box by the ball of a radius about p.
func (s *span) add(p [3]float64, radius float64) {
	for i, x := range p {
		if !s.some {
			s.lo[i], s.hi[i] = x-radius, x+radius
		}
		s.lo[i], s.hi[i] = min(s.lo[i], x-radius), max(s.hi[i], x+radius)
	}
	s.some = true
}

// size is the length of the diagonal of the box; 0 if it is empty.
func (s *span) size() float64 {
	return norm([3]float64{s.hi[0] - s.lo[0], s.hi[1] - s.lo[1], s.hi[2] - s.lo[2]})
}

// outside is the distance of a point from the box; 0 inside.
func (s *span) outside(p [3]float64) float64 {
	var d [3]float64
	for i, x := range p {
		d[i] = x - min(max(x, s.lo[i]), s.hi[i])
	}
	return norm(d)
}

// measure computes the spans of the bodies and the median of their sizes.
func (a *asker) measure() {
	m := a.m
	a.bodies = tableOf(len(m.Bodies), func(i int) string { return m.Bodies[i].Name })
	a.spans = make([]span, len(m.Bodies))
	put := func(body string, p [3]float64, radius float64) {
		if i, ok := a.body(body); ok {
			a.spans[i].add(p, radius)
		}
	}
	for i := range m.Joints {
		j := &m.Joints[i]
		put(j.Predecessor, j.PredecessorFrame.Position, 0)
		put(j.Successor, j.SuccessorFrame.Position, 0)
	}
	for i := range m.Forces {
		switch e := &m.Forces[i]; e.Type {
		case ContactForce:
			put(e.A.Body, e.Contact.Shape.Center, e.Contact.Shape.Radius)
		case CableForce:
			for k := range e.Cable.Points {
				put(e.Cable.Points[k].Body, e.Cable.Points[k].Point, 0)
			}
		case SpringDamper, BushingForce, Wrench:
			put(e.A.Body, e.A.Point, 0)
			put(e.B.Body, e.B.Point, 0)
		}
	}
	var between, toCom []float64
	for i := range m.Bodies {
		s := a.spans[i]
		if size := s.size(); size > 0 {
			between = append(between, size)
		}
		if s.some {
			if s.add(m.Bodies[i].Com, 0); s.size() > 0 {
				toCom = append(toCom, s.size())
			}
		}
	}
	if a.alike = len(between) > 0; !a.alike {
		between = toCom
	}
	if n := len(between); n > 0 {
		slices.Sort(between)
		a.typical = between[n/2]
		a.alike = a.alike && between[0]*scales >= a.typical && between[n-1] <= scales*a.typical
	}
}

// body returns the index of the body with a name; false for the world and for unknown names.
func (a *asker) body(name string) (int, bool) {
	if name == World || name == "" {
		return 0, false
	}
	i, ok := a.bodies.findNear(name, a.near, len(a.m.Bodies))
	if ok {
		a.near = i
	}
	return i, ok
}

// inertias asks about inertias that do not fit the mass and the size of the body: one that is much too large, and, if more than half
// of the long bodies have them, inertias that are much too small.
func (a *asker) inertias() {
	if a.typical == 0 {
		return
	}
	long, small := 0, 0 // number of long bodies, and of long bodies whose inertia is too small
	var rod Remark
	for i := range a.m.Bodies {
		b, s := &a.m.Bodies[i], a.spans[i]
		if !s.some {
			continue
		}
		joined := s.size()
		s.add(b.Com, 0)
		size := max(s.size(), a.typical)
		most, least := b.Inertia.ends()
		const what = "%.2g times as much as %g kg within %.2g m mostly have; %s?"
		if most > heavy*b.Mass*size*size && !a.asked(askInertia) {
			a.ask(askInertia, elementPath(secBodies, i)+".inertia", document.Number(most), "mm",
				fmt.Sprintf(what, 4*most/(b.Mass*size*size), b.Mass, size, "kg mm², or a mass in t"))
		}
		if joined == 0 || most == 0 || most < slim*least {
			continue
		}
		long++
		part := 12 * most / (b.Mass * joined * joined) // relative to the inertia of a rod, mass·length²/12
		unit, cause := smaller(part)
		if unit == "" {
			continue
		}
		if small++; small == 1 {
			rod = Remark{elementPath(secBodies, i) + ".inertia", document.Number(most), unit, fmt.Sprintf(what, part, b.Mass, joined, cause), 0}
		}
	}
	if rod.More = small - 1; 2*small > long && !a.asked(askInertia) {
		a.list[askInertia] = rod
	}
}

// smaller returns the unit that explains why the inertia of a long body is only part times a rod's, and the cause as a text; both are
// empty if no unit does. A mass in g makes the factor 1/1000, lengths in mm 1/1000000. The ranges reach a factor of ten to both
// sides, but for g only to 1/300 on the side of 1, where slim bodies are.
func smaller(part float64) (unit, cause string) {
	switch {
	case part > 1e-4 && part < 1./300:
		return "g", "a mass in g"
	case part > 1e-7 && part < 1e-5:
		return "mm", "lengths in mm"
	}
	return "", ""
}

// ends returns the largest and the smallest entry of the diagonal.
func (I *Inertia) ends() (most, least float64) {
	return max(I.XX, I.YY, I.ZZ), min(I.XX, I.YY, I.ZZ)
}

// lengths asks about lengths and distances that are much larger than the bodies: of centres of mass from the joints, between the two
// ends of joints, and rest lengths.
func (a *asker) lengths() {
	if a.typical == 0 {
		return
	}
	for i := range a.m.Bodies {
		b, s := &a.m.Bodies[i], &a.spans[i]
		if a.alike && s.some {
			a.far(s.outside(b.Com), s.size(), 0, func() (path, value, text string) {
				return elementPath(secBodies, i) + ".com", document.Numbers(b.Com[:]), "is %.2g m from the joints"
			})
		}
	}
	for i := range a.m.Joints {
		j := &a.m.Joints[i]
		p, s := a.place(j.Predecessor, j.PredecessorFrame.Position), a.place(j.Successor, j.SuccessorFrame.Position)
		gap := distance(p, s)
		switch j.Type {
		case Fixed, Revolute, Spherical, Universal:
		case Distance:
			gap = math.Abs(gap - j.Length)
		default:
			continue
		}
		a.far(gap, 0, max(norm(p), norm(s)), func() (path, value, text string) {
			return elementPath(secJoints, i), document.Number(gap), "its ends are %.2g m off each other"
		})
	}
	for i := range a.m.Forces {
		e := &a.m.Forces[i]
		if e.Type != SpringDamper || e.Stiffness == 0 {
			continue
		}
		p, s := a.place(e.A.Body, e.A.Point), a.place(e.B.Body, e.B.Point)
		a.far(e.RestLength, distance(p, s), 0, func() (path, value, text string) {
			return elementPath(secForces, i) + ".rest_length", document.Number(e.RestLength), "is %.2g m"
		})
	}
}

// far asks about a length if it is from apart to beyond times the larger of typical and other, and too large for rounding of positions
// at a distance of origin from the world's origin. tell returns path, value and text of the remark; it is called only then.
func (a *asker) far(length, other, origin float64, tell func() (path, value, text string)) {
	size := max(a.typical, other)
	if !(length > apart*size && length < beyond*size && length > blur*origin) || a.asked(askLengths) {
		return
	}
	path, value, text := tell()
	a.ask(askLengths, path, value, "mm", fmt.Sprintf(text+", %.2g times the size of the bodies; mm?", length, length/size))
}

// place returns the position in the world of point p of a body, m.
func (a *asker) place(body string, p [3]float64) [3]float64 {
	i, ok := a.body(body)
	if !ok {
		return p
	}
	at := &a.m.Bodies[i].Pose
	if at.Orientation != [4]float64{} {
		p = spatial.Quat(at.Orientation).Rotate(p)
	}
	for k := range p {
		p[k] += at.Position[k]
	}
	return p
}

func norm(x [3]float64) float64 { return math.Hypot(math.Hypot(x[0], x[1]), x[2]) }

func distance(a, b [3]float64) float64 {
	return norm([3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]})
}
