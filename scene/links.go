package scene

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Look is how a Link is drawn.
type Look uint8

const (
	Line     Look = iota // a thin cylinder
	Coil                 // a spring
	Dashpot              // a damper
	Strut                // a spring around a damper
	numLooks             // number of looks
)

// NumLooks is the number of looks.
const NumLooks = int(numLooks)

// String returns the name of the look.
func (l Look) String() string {
	if l >= numLooks {
		return "unknown"
	}
	return [numLooks]string{"line", "coil", "dashpot", "strut"}[l]
}

// Parts of a coil and of a dashpot. Positions along the link are from its middle, relative to half its length; radii are
// relative to the radius of the link.
const (
	coilTurns = 8
	coilEnd   = 0.82 // from here to the end a coil is a straight wire on the axis
	coilRamp  = 0.5  // turns in which the wire goes from the axis to the radius
	wire      = 0.16 // radius of the wire
	potFrom   = -0.6 // the cylinder of a dashpot, from here
	potTo     = 0.3  // to here
	potRadius = 0.5  // radius of that cylinder
	potRod    = 0.2  // radius of the rods to both sides of it
)

// forces adds a coil, a dashpot or both for each spring-damper, and
// lines for bushings and for the straight parts of cables.
func (b *builder) forces() {
	m := b.Mechanism
	line := func(from, to mechanism.Attachment, look Look, radius float64, c Color, i int) {
		b.Links = append(b.Links, Link{A: from, B: to, Look: look, Radius: radius, Color: c, Joint: -1, Force: int32(i)})
	}
	var initial *mechanism.State
	for i := range m.Forces {
		switch f := &m.Forces[i]; f.Kind {
		case model.SpringDamper:
			if initial == nil {
				initial = m.Initial()
			}
			look, radius := lookOf(m, i), 0.012*b.Unit
			if look != Line { // a short one is thinner, so that it stays slender
				length := max(f.RestLength, Point(initial, f.A).Sub(Point(initial, f.B)).Norm())
				radius = max(min(0.07*b.Unit, 0.12*length), 0.012*b.Unit)
			}
			line(f.A, f.B, look, radius, springColor, i)
		case model.BushingForce: // its ends are near each other, so the line is as thick as the mark of a joint
			line(f.A, f.B, Line, 0.035*b.Unit, bushingColor, i)
		}
	}
	for i := range m.NumCables() {
		_, element := m.Cable(i)
		points := m.CablePoints(i)
		for k := range len(points) - 1 {
			line(points[k], points[k+1], Line, 0.006*b.Unit, cableColor, element)
		}
	}
}

// lookOf returns the look of force element i: a spring, a damper, both, or a line for neither.
func lookOf(m *mechanism.Mechanism, i int) Look {
	spring, damper := m.Forces[i].Stiffness != 0, m.Forces[i].Damping != 0
	if l := m.SpringLaw(i); l != nil {
		spring, damper = spring || l.Spring != nil, damper || l.Damper != nil
	}
	switch {
	case spring && damper:
		return Strut
	case spring:
		return Coil
	case damper:
		return Dashpot
	}
	return Line
}

// Shape returns the cylinder around the link at st, in the world, whatever its look.
func (l *Link) Shape(st *mechanism.State) Shape {
	from, to := l.Ends(st)
	d := to.Sub(from)
	return Shape{Kind: Cylinder, Color: l.Color, Body: mechanism.World, Joint: l.Joint, Size: spatial.Vec3{l.Radius, l.Radius, d.Norm() / 2},
		At: mechanism.Frame{E: Along(d), Origin: from.Add(to).Scale(0.5)}}
}

// AppendShapes appends to list the convex solids of the link at st, in the world.
//
// Cost: a coil has some hundred solids.
func (l *Link) AppendShapes(list []Shape, st *mechanism.State) []Shape {
	whole := l.Shape(st)
	if l.Look == Line {
		return append(list, whole)
	}
	r, half := l.Radius, whole.Size[2]
	rod := func(from, to float64, radius float64, c Color) {
		s := whole
		s.Color, s.Size = c, spatial.Vec3{radius, radius, (to - from) / 2 * half}
		s.At.Origin = whole.At.Origin.Add(whole.At.E.Col(2).Scale((from + to) / 2 * half))
		list = append(list, s)
	}
	if l.Look != Coil {
		rod(potFrom, potTo, potRadius*r, DamperColor)
		rod(-1, potFrom, potRod*r, rodColor)
		rod(potTo, 1, potRod*r, rodColor)
	}
	if l.Look == Dashpot {
		return list
	}
	rod(-1, -coilEnd, wire*r, l.Color)
	rod(coilEnd, 1, wire*r, l.Color)
	const steps = 12 * coilTurns
	point := func(k int) spatial.Vec3 {
		radius, c, s, z := coilAt(float64(k) / steps)
		return whole.At.Origin.Add(whole.At.E.MulVec(spatial.Vec3{radius * r * c, radius * r * s, z * half}))
	}
	last := point(0)
	for k := range steps {
		p := point(k + 1)
		d := p.Sub(last)
		list = append(list, Shape{Kind: Capsule, Color: l.Color, Body: mechanism.World, Joint: l.Joint, Size: spatial.Vec3{wire * r, wire * r, d.Norm() / 2},
			At: mechanism.Frame{E: Along(d), Origin: p.Add(last).Scale(0.5)}})
		last = p
	}
	return list
}

// coilAt returns the centre of the wire at a part of its length, from 0 to 1: its distance from the axis relative to the radius
// of the coil, the cosine and sine of its angle, and its position along the axis relative to half the length.
func coilAt(part float64) (radius, cosine, sine, along float64) {
	s, c := math.Sincos(2 * math.Pi * coilTurns * part)
	return min(1, part*coilTurns/coilRamp, (1-part)*coilTurns/coilRamp), c, s, coilEnd * (2*part - 1)
}

// LinkMesh returns the mesh of a look with radius one. Like the mesh of a capsule it has Shifts, so that the radius and the
// thickness of the wire stay the same for any length. Triangles from second on have the colour of dampers.
//
// It panics if the look is unknown, or if there are negative or more than maxCorners corners.
func LinkMesh(look Look, corners int) (m *Mesh, second int) {
	mustCorner(corners)
	if look >= numLooks {
		panic("scene: unknown look")
	}
	if look == Line {
		m = NewMesh(Cylinder, corners)
		m.Shifts = make([]float64, len(m.Points))
		for i := range m.Points {
			m.Shifts[i], m.Points[i][2] = m.Points[i][2], 0
		}
		return m, len(m.Triangles)
	}
	m = &Mesh{Shifts: []float64{}}
	if look != Dashpot {
		m.coil(corners)
		m.rod(-1, -coilEnd, wire, 6)
		m.rod(coilEnd, 1, wire, 6)
	}
	second = len(m.Triangles)
	if look != Coil {
		m.rod(potFrom, potTo, potRadius, corners)
		m.rod(-1, potFrom, potRod, 6)
		m.rod(potTo, 1, potRod, 6)
	}
	return m, second
}

// rod adds a cylinder along z with its ends at the shifts from and to.
func (m *Mesh) rod(from, to, radius float64, corners int) {
	c, first := NewMesh(Cylinder, corners), int32(len(m.Points))
	for i, p := range c.Points {
		m.vertex(spatial.Vec3{radius * p[0], radius * p[1], 0}, c.Normals[i])
		m.Shifts = append(m.Shifts, from+(p[2]+1)/2*(to-from))
	}
	for _, t := range c.Triangles {
		m.Triangles = append(m.Triangles, [3]int32{t[0] + first, t[1] + first, t[2] + first})
	}
}

// coil adds the wire of a coil, whose cross sections are in planes through the axis. corners is the number of steps a turn.
func (m *Mesh) coil(corners int) {
	steps, sides := coilTurns*corners, max(4, corners/3)
	for k := range steps + 1 {
		radius, c, s, z := coilAt(float64(k) / float64(steps))
		for i := range sides {
			t := turn(i, sides)
			n := spatial.Vec3{t[0] * c, t[0] * s, t[1]}
			m.vertex(spatial.Vec3{radius * c, radius * s, 0}.Add(n.Scale(wire)), n)
			m.Shifts = append(m.Shifts, z)
		}
	}
	at := func(k, i int) int32 { return int32(k*sides + i%sides) }
	for k := range steps {
		for i := range sides {
			m.quad(at(k, i), at(k+1, i), at(k+1, i+1), at(k, i+1))
		}
	}
}
