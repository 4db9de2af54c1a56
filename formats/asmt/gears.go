package asmt

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// Gears, and rack and pinion, with the markers I and J:
//
//	GearJoint        radiusI·φ(I) + radiusJ·φ(J) is constant; φ is the angle of a marker about its z axis, relative to the
//	                 line between the origins, or, with MarkerK, about z of K and relative to K
//	RackPinionJoint  x + pitchRadius·θ is constant; x is the position of J along x of I, θ the angle of J relative to I about z
//
// They become couplings of other joints, by which the two parts turn or slide relative to a third part.
const (
	gearJoint = "GearJoint"
	rackJoint = "RackPinionJoint"
)

// mesh is a gear joint or a rack and pinion.
type mesh struct {
	node *xmltree.Node
	name string
	i, j place
}

// term is a coordinate of a joint with a factor.
type term struct {
	joint, axis int
	factor      float64
}

// reach is a body, and the terms whose sum is the coordinate of a marker relative to it.
type reach struct {
	body  int32
	terms []term
}

// bodies has the parts that are fixed to each other as one body each, and the joints of each body.
type bodies struct {
	r *reader
	assembly.Wholes
	near   map[int32][]int // indices of the joints of each body
	looked int             // joints visited so far, in all searches
}

// mostLooks is the largest number of joints that all searches for gears may visit.
const mostLooks = 10_000_000

// mesh converts gears, and racks and pinions. It runs after all other joints, motions and limits have been read.
//
// Cost: O(joints), plus for each gear the joints of its two bodies, up to mostLooks in all.
func (r *reader) mesh() {
	if len(r.meshes) == 0 {
		return
	}
	b := &bodies{r: r, Wholes: r.a.Wholes(), near: map[int32][]int{}}
	for k := range r.a.Joints {
		j := &r.a.Joints[k]
		for _, l := range [2]int{j.Predecessor, j.Successor} {
			b.near[b.Of(l)] = append(b.near[b.Of(l)], k)
		}
	}
	zeroed := map[int]bool{}
	for i := range r.meshes {
		m := &r.meshes[i]
		terms, ok := b.terms(m)
		if !ok {
			continue
		}
		c := assembly.Coupling{At: m.node, Name: m.name}
		for _, t := range terms {
			if j := &r.a.Joints[t.joint]; !zeroed[t.joint] {
				zeroed[t.joint] = true
				j.Zero(r.world(place{j.Predecessor, j.P}).Inverse().Mul(r.world(place{j.Successor, j.S})))
			}
			a := &r.a.Joints[t.joint].Axes[t.axis]
			if a.Coordinate == 0 {
				a.Coordinate = r.a.NewCoordinate()
			}
			c.Terms = append(c.Terms, assembly.Term{Coordinate: a.Coordinate, Factor: t.factor})
		}
		r.a.Couplings = append(r.a.Couplings, c)
		r.report.Note(m.node, "joints that mesh", "are equations between coordinates of other joints, which count from the pose of the file")
	}
}

// terms returns the terms of the equation of m, or refuses m and returns false.
func (b *bodies) terms(m *mesh) ([]term, bool) {
	switch what := "joint " + fault.Name(m.name); {
	case b.Of(m.i.link) == b.Of(m.j.link):
		b.r.report.Refuse(m.node, what, "its markers are on parts that are fixed to each other")
		return nil, false
	case m.node.Name == gearJoint:
		return b.gear(m)
	}
	return b.rack(m)
}

// radius returns the number in a field of m, m, and true; it refuses m if the number is missing or zero.
func (b *bodies) radius(m *mesh, field string) (float64, bool) {
	x := b.r.number(m.node, field, 0)
	if x == 0 {
		b.r.report.Refuse(m.node, "joint "+fault.Name(m.name), field+" is missing or zero")
	}
	return x, x != 0
}

// gear returns the terms of a gear joint, or refuses it and returns false.
func (b *bodies) gear(m *mesh) ([]term, bool) {
	rI, okI := b.radius(m, "radiusI")
	rJ, okJ := b.radius(m, "radiusJ")
	carrier := m.node.Child("MarkerK")
	if !okI || !okJ {
		return nil, false
	}
	what := "joint " + fault.Name(m.name)
	at := [2]assembly.Pose{b.r.world(m.i), b.r.world(m.j)}
	z := [2]spatial.Vec3{at[0].Dir(unitZ), at[1].Dir(unitZ)}
	on := int32(-1)
	if carrier != nil {
		k, ok := b.r.marker(m.node, "MarkerK")
		if !ok {
			return nil, false
		}
		on = b.Of(k.link)
		about := b.r.world(k).Dir(unitZ)
		z = [2]spatial.Vec3{about, about}
	} else if apart := at[1].R.Sub(at[0].R).Cross(z[0]).Norm(); apart <= source.DefaultSnap {
		b.r.report.Refuse(m.node, what, "its gears have one axis and no line between them; a MarkerK would say against what they turn")
		return nil, false
	}
	if z[0].Cross(z[1]).Norm() > parallels {
		b.r.report.Refuse(m.node, what, "the axes of its gears are not parallel, which is not read")
		return nil, false
	}
	// First look for a carrier on which each gear turns by one joint, then for one on which a gear turns by several joints about one
	// line, as the sun of a planetary gear does.
	for _, deep := range [2]bool{false, true} {
		x, y := b.moves(m.i, assembly.Revolute, z[0], deep), b.moves(m.j, assembly.Revolute, z[1], deep)
		if terms, ok := meet(x, y, rI, rJ, func(body int32) bool { return on < 0 || on == body }); ok {
			return terms, true
		}
	}
	b.r.report.Refuse(m.node, what, b.missing("no part lets both gears turn, by joints about the z axis of their markers"))
	return nil, false
}

// rack returns the terms of a rack and its pinion, or refuses them and returns false.
func (b *bodies) rack(m *mesh) ([]term, bool) {
	radius, ok := b.radius(m, "pitchRadius")
	if !ok {
		return nil, false
	}
	at := b.r.world(m.i)
	for _, deep := range [2]bool{false, true} {
		x, y := b.moves(m.i, assembly.Prismatic, at.Dir(unitX), false), b.moves(m.j, assembly.Revolute, at.Dir(unitZ), deep)
		if terms, ok := meet(x, y, -1, radius, func(int32) bool { return true }); ok {
			return terms, true
		}
	}
	b.r.report.Refuse(m.node, "joint "+fault.Name(m.name),
		b.missing("no part lets MarkerI slide by a joint along its x axis and MarkerJ turn about the z axis of MarkerI"))
	return nil, false
}

// missing returns why, unless the search has been cut off at mostLooks: then it says that.
func (b *bodies) missing(why string) string {
	if b.looked > mostLooks {
		return "the parts of joints that mesh have too many joints"
	}
	return why
}

// meet finds the first body in x that is also in y and that on accepts. It returns the terms of both markers on that body, multiplied by
// fx for the marker of x and by fy for the marker of y; false if there is no such body.
func meet(x, y []reach, fx, fy float64, on func(body int32) bool) (list []term, ok bool) {
	at := make(map[int32]int, len(y))
	for k := range y {
		at[y[k].body] = k
	}
	for i := range x {
		k, common := at[x[i].body]
		if !common || !on(x[i].body) {
			continue
		}
		for _, t := range x[i].terms {
			list = append(list, term{t.joint, t.axis, t.factor * fx})
		}
		for _, t := range y[k].terms {
			list = append(list, term{t.joint, t.axis, t.factor * fy})
		}
		return list, true
	}
	return nil, false
}

const (
	// parallels is the largest angle between directions of a file that count as parallel, rad.
	parallels = 1e-6
	// deepest is the largest number of joints about one line between a gear and the carrier.
	deepest = 4
)

// moves lists the bodies relative to which a marker turns about an axis through its origin, or slides along the axis, by one joint or,
// if deep is set, by up to deepest joints. axis is in world axes; kind is Revolute or Prismatic.
func (b *bodies) moves(at place, kind assembly.Kind, axis spatial.Vec3, deep bool) []reach {
	list := []reach{{body: b.Of(at.link)}}
	seen := map[int32]bool{list[0].body: true}
	origin := b.r.world(at).R
	for i := 0; i < len(list); i++ {
		from := list[i]
		if b.looked += len(b.near[from.body]); b.looked > mostLooks || len(from.terms) == deepest {
			break
		}
		for _, k := range b.near[from.body] {
			if to, t, ok := b.step(k, from.body, origin, kind, axis); ok && !seen[to] {
				seen[to] = true
				list = append(list, reach{to, append(slices.Clone(from.terms), t)})
			}
		}
		if !deep {
			break
		}
	}
	return list[1:]
}

// step returns the body to on the other side of joint k, and the term by which body from moves relative to it. It returns false
// unless the joint turns about the axis, with or without a slide along it, or, for Prismatic, only slides along it.
func (b *bodies) step(k int, from int32, origin spatial.Vec3, kind assembly.Kind, axis spatial.Vec3) (to int32, t term, ok bool) {
	j := &b.r.a.Joints[k]
	pred, succ := b.Of(j.Predecessor), b.Of(j.Successor)
	n := slices.IndexFunc(j.Axes, func(a assembly.Axis) bool {
		return a.Kind == kind || kind == assembly.Revolute && a.Kind == assembly.Helical
	})
	if n < 0 || pred == succ || len(j.Axes) > 2 || kind == assembly.Prismatic && len(j.Axes) > 1 ||
		slices.ContainsFunc(j.Axes, func(a assembly.Axis) bool { return a.Axis != unitZ || a.Point != spatial.Vec3{} }) {
		return 0, t, false
	}
	P := b.r.world(place{j.Predecessor, j.P})
	along := P.Dir(unitZ)
	if along.Cross(axis).Norm() > parallels || kind == assembly.Revolute && origin.Sub(P.R).Cross(along).Norm() > source.DefaultSnap {
		return 0, t, false
	}
	t = term{k, n, math.Copysign(1, along.Dot(axis))}
	if pred == from {
		t.factor = -t.factor
		return succ, t, true
	}
	return pred, t, true
}
