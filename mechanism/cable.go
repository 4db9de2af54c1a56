package mechanism

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// cable is a path over bodies.
type cable struct {
	index   int32 // number of the force element
	points  []Attachment
	bodies  []int32 // bodies of the points, increasing, without the world
	at      []int32 // for each point, the index of its body in bodies, −1 for the world
	tension float64 // constant part of the tension, N
}

// newCable compiles a cable. index is the number of its force element, and body has the body of each point.
func newCable(from *model.Cable, index int, body []int32) cable {
	c := cable{index: int32(index), tension: from.Tension}
	for i, p := range from.Points {
		c.points = append(c.points, Attachment{Body: body[i], Point: p.Point})
		if body[i] >= 0 {
			c.bodies = append(c.bodies, body[i])
		}
	}
	slices.Sort(c.bodies)
	c.bodies = slices.Compact(c.bodies)
	for _, b := range body {
		n, found := slices.BinarySearch(c.bodies, b)
		if !found {
			n = -1
		}
		c.at = append(c.at, int32(n))
	}
	return c
}

// NumCables returns the number of cables.
func (l *Loads) NumCables() int { return len(l.cables) }

// Cable returns the bodies of the points of cable i, increasing, without the world, and the number of its force element.
// The list must not be changed.
func (l *Loads) Cable(i int) (bodies []int32, element int) {
	return l.cables[i].bodies, int(l.cables[i].index)
}

// CablePoints returns the points of cable i. The list must not be changed.
func (l *Loads) CablePoints(i int) []Attachment { return l.cables[i].points }

// CableTension returns the constant part of the tension of cable i, N.
func (l *Loads) CableTension(i int) float64 { return l.cables[i].tension }

// CableState has the length and the tension of a cable at a state, docs/springs.md (E9) to (E11).
type CableState struct {
	Length, Rate float64 // m, m/s
	Slack        bool    // not longer than its rest length
	Energy       float64 // J
	Pull                 // tension and its derivatives

	// Spring and Damper are the factors of the spring force and the damper force in the tension: 0, 1 or 2.
	Spring, Damper float64
}

// CablePoint is a point of a cable at a state, world axes.
type CablePoint struct {
	Body int32        // or World
	Arm  spatial.Vec3 // from the centre of mass, m; zero for the world
	Line spatial.Vec3 // to the next point, m

	far, near, v spatial.Vec3 // the point is far + near; its velocity, m/s
	scale        float64      // largest magnitude of the components of far and near, m, for rounding
	length       float64      // length of Line, m
}

// cablePoint returns point j of a cable at s, without Line.
func (m *Mechanism) cablePoint(c *cable, j int, k *Kinematics, s *State) (p CablePoint) {
	a := &c.points[j]
	p.Body = a.Body
	p.far, p.near = m.place(a, k, s)
	if a.Body >= 0 {
		p.Arm = p.near.Sub(k.Bodies[a.Body].Com)
		b := &s.Bodies[a.Body]
		p.v = b.Velocity.Add(b.Omega.Cross(p.near))
	}
	for i := range 3 {
		p.scale = max(p.scale, math.Abs(p.far[i]), math.Abs(p.near[i]))
	}
	return p
}

// lineTo stores in p the line to the next point of the cable, and returns
// the unit vector along it. That is zero if the points coincide up to rounding.
func (p *CablePoint) lineTo(next *CablePoint) (n spatial.Vec3) {
	p.Line = next.far.Sub(p.far).Add(next.near.Sub(p.near))
	p.length = p.Line.Norm()
	if !(p.length > coincide*max(p.scale, next.scale)) {
		return n
	}
	return p.Line.Scale(1 / p.length)
}

// CableAt returns the length and the tension of cable i at s.
//
// Cost: O(points), no allocation; k was computed at s. It returns an error that names the cable and wraps ErrNoDirection where
// consecutive points coincide.
func (m *Mechanism) CableAt(i int, k *Kinematics, s *State) (out CableState, err error) {
	c := &m.cables[i]
	p := m.cablePoint(c, 0, k, s)
	for j := 1; j < len(c.points); j++ {
		next := m.cablePoint(c, j, k, s)
		n := p.lineTo(&next)
		if n == (spatial.Vec3{}) {
			return out, m.AtForce(int(c.index), ErrNoDirection)
		}
		out.Length += p.length
		out.Rate += n.Dot(next.v.Sub(p.v))
		p = next
	}
	out.pull(&m.Forces[c.index], c.tension)
	return out, nil
}

// pull computes the tension, docs/springs.md (E10), from the length and its rate. tension is the constant part. The force of the damper
// is bounded by the force of the spring in both directions. So the sum of the two vanishes where the cable becomes slack, and is never
// negative.
func (c *CableState) pull(f *ForceElement, tension float64) {
	c.Tension, c.Energy = tension, tension*c.Length
	x := c.Length - f.RestLength
	if c.Slack = !(x > 0); c.Slack {
		return
	}
	spring, damper := f.Stiffness*x, f.Damping*c.Rate
	c.Energy += spring * x / 2
	switch {
	case damper >= spring: // the damper counts with the force of the spring
		c.Spring = 2
	case damper > -spring:
		c.Spring, c.Damper = 1, 1
	}
	c.Tension += c.Spring*spring + c.Damper*damper
	c.Stiffness, c.Damping = c.Spring*f.Stiffness, c.Damper*f.Damping
}

// CableGradientTo stores in g the derivative of the length of cable i by the motion
// of its bodies, six numbers for each in the order of Cable: by a small rotation, then by a
// displacement of the centre of mass, world axes. The wrenches of the cable are −Tension·g.
//
// Cost: O(points), no allocation; k was computed at s, and CableAt has returned no error there.
func (m *Mechanism) CableGradientTo(g []float64, i int, k *Kinematics, s *State) {
	c := &m.cables[i]
	clear(g)
	p, before := m.cablePoint(c, 0, k, s), spatial.Vec3{}
	for j := range c.points {
		var next CablePoint
		var n spatial.Vec3
		if j+1 < len(c.points) {
			next = m.cablePoint(c, j+1, k, s)
			n = p.lineTo(&next)
		}
		if at := c.at[j]; at >= 0 {
			w := before.Sub(n)
			t := p.Arm.Cross(w)
			for r := range 3 {
				g[6*at+int32(r)] += t[r]
				g[6*at+3+int32(r)] += w[r]
			}
		}
		before, p = n, next
	}
}

// CableLines calls do for each straight part of cable i, with its two ends.
//
// Cost: O(points); k was computed at s.
func (m *Mechanism) CableLines(i int, k *Kinematics, s *State, do func(from, to *CablePoint)) {
	c := &m.cables[i]
	p := m.cablePoint(c, 0, k, s)
	for j := 1; j < len(c.points); j++ {
		next := m.cablePoint(c, j, k, s)
		p.lineTo(&next)
		do(&p, &next)
		p = next
	}
}

// addCables adds to f the wrenches of the cables on the bodies, about their centres of mass, world axes.
func (m *Mechanism) addCables(f []spatial.Force, k *Kinematics, s *State) error {
	for i := range m.cables {
		at, err := m.CableAt(i, k, s)
		if err != nil {
			return err
		}
		if at.Tension == 0 {
			continue
		}
		c := &m.cables[i]
		p, before := m.cablePoint(c, 0, k, s), spatial.Vec3{}
		for j := range c.points {
			var next CablePoint
			var n spatial.Vec3
			if j+1 < len(c.points) {
				next = m.cablePoint(c, j+1, k, s)
				n = p.lineTo(&next)
			}
			if p.Body >= 0 {
				F := n.Sub(before).Scale(at.Tension)
				w := spatial.Force{3: F[0], 4: F[1], 5: F[2]}
				addWrench(&f[p.Body], &w, &p.Arm, 1)
			}
			before, p = n, next
		}
	}
	return nil
}
