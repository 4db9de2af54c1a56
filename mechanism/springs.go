package mechanism

import (
	"math"
	"sort"

	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// driveLaws are the laws of the freedoms of a joint, nil for none.
type driveLaws [6]*springs.Laws

// prepared returns prepared copies of the laws of a spring and a damper, nil if both are nil.
func prepared(spring, damper *model.SpringLaw) *springs.Laws {
	if spring == nil && damper == nil {
		return nil
	}
	l := new(springs.Laws)
	if spring != nil {
		l.Spring = spring.Prepared()
	}
	if damper != nil {
		l.Damper = damper.Prepared()
	}
	return l
}

// newDriveLaws compiles the laws of the freedoms of a joint; nil if it has none.
func newDriveLaws(j *model.Joint) (out *driveLaws) {
	at := func(list []*model.SpringLaw, i int) *model.SpringLaw {
		if i < len(list) {
			return list[i]
		}
		return nil
	}
	for i := range max(len(j.Springs), len(j.Dampers)) {
		l := prepared(at(j.Springs, i), at(j.Dampers, i))
		if l == nil {
			continue
		}
		if out == nil {
			out = new(driveLaws)
		}
		out[i] = l
	}
	return out
}

// Law returns the laws of freedom i besides its stiffness and damping, nil if it has none. They must not be changed.
func (d *Drive) Law(i int) *springs.Laws {
	if d.laws == nil {
		return nil
	}
	return d.laws[i]
}

// springy reports whether freedom i has a stiffness or a law.
func (d *Drive) springy(i int) bool { return d.Stiffness[i] != 0 || d.Law(i) != nil }

// Pull is the force of springs and dampers along a coordinate: Tension is positive
// against the coordinate (N or N m), and Stiffness and Damping are its derivatives by the
// coordinate and its rate.
type Pull struct {
	Tension, Stiffness, Damping float64
}

// add adds to p the force of a law at the coordinate x with the rate y, and its derivatives. If the law has no force there, p becomes
// NaN, and add returns the error.
func (p *Pull) add(l *springs.Laws, x, y float64) error {
	f, fx, fy, err := l.At(x, y)
	if err != nil {
		*p = Pull{math.NaN(), math.NaN(), math.NaN()}
		return err
	}
	p.Tension += f
	p.Stiffness += fx
	p.Damping += fy
	return nil
}

// PullAt returns the Pull of the springs and dampers of freedom i at the coordinate q with the rate qd. For a rotation of a
// ball q is 0, as in joints.Spec.CoordinatesTo.
//
// Cost: O(1), and a call of springs.Laws.At; no allocation without an error. It returns the errors of springs.Laws.At.
func (d *Drive) PullAt(i int, q, qd float64) (p Pull, err error) {
	p = Pull{d.Stiffness[i]*(q-d.Rest[i]) + d.Damping[i]*qd, d.Stiffness[i], d.Damping[i]}
	if l := d.Law(i); l != nil {
		err = p.add(l, q-d.Rest[i], qd)
	}
	return p, err
}

// SpringLaw returns the laws of force element i, a spring-damper, besides its stiffness and damping; nil if it has none.
// They must not be changed.
func (l *Loads) SpringLaw(i int) *springs.Laws {
	if l.laws == nil {
		return nil
	}
	return l.laws[i]
}

// NumLaws returns the number of spring-dampers with laws.
func (l *Loads) NumLaws() (n int) {
	for _, law := range l.laws {
		if law != nil {
			n++
		}
	}
	return n
}

// SpringState has the line, the length and the tension of a spring-damper at a state.
type SpringState struct {
	Along                     // of the distance of its ends; Unit is zero where they coincide up to rounding
	Line         spatial.Vec3 // from A to B, world axes, m
	Length, Rate float64      // m, m/s; 0 where the ends coincide
	Pull                      // Tension is 0 where the ends coincide
}

// SpringAt stores in q the line, the length and the tension of force element i, a spring-damper, at s.
//
// Cost: O(1), and a call of springs.Laws.At; no allocation without an error; k was computed at s. It returns an error that names the
// element and wraps ErrNoDirection, where the ends coincide and there is a force, or an error of springs.Laws.At.
func (m *Mechanism) SpringAt(q *SpringState, i int, k *Kinematics, s *State) error {
	e := &m.Forces[i]
	var near, v [2]spatial.Vec3 // passed by pointer, as copies would take longer than the arithmetic
	farA, farB := m.placeTo(&near[0], &e.A, k, s), m.placeTo(&near[1], &e.B, k, s)
	q.Body[0], q.Body[1], q.Arm = e.A.Body, e.B.Body, [2]spatial.Vec3{}
	if b := e.A.Body; b >= 0 {
		endTo(&q.Arm[0], &v[0], &near[0], b, k, s)
	}
	if b := e.B.Body; b >= 0 {
		endTo(&q.Arm[1], &v[1], &near[1], b, k, s)
	}
	q.Length = e.lineTo(&q.Line, farA, &near[0], farB, &near[1])
	q.Unit, q.Rate = spatial.Force{}, 0
	q.Tension, q.Stiffness, q.Damping = 0, e.Stiffness, e.Damping
	if q.Length == 0 {
		if m.restsAtPoint(i, k, s) {
			return nil
		}
		return m.AtForce(i, ErrNoDirection)
	}
	over, n := 1/q.Length, q.Unit[3:]
	n[0], n[1], n[2] = over*q.Line[0], over*q.Line[1], over*q.Line[2]
	q.Rate = n[0]*(v[1][0]-v[0][0]) + n[1]*(v[1][1]-v[0][1]) + n[2]*(v[1][2]-v[0][2])
	x := q.Length - e.RestLength
	q.Tension = e.Stiffness*x + e.Damping*q.Rate
	if l := m.SpringLaw(i); l != nil {
		if err := q.add(l, x, q.Rate); err != nil {
			return m.AtForce(i, err)
		}
	}
	return nil
}

// springEnergy returns the energy of force element i, a spring-damper, J.
func (m *Mechanism) springEnergy(i int, k *Kinematics, s *State) float64 {
	f := &m.Forces[i]
	line, _ := m.SpringLine(f, k, s)
	x := line.Norm() - f.RestLength
	u := 0.5 * f.Stiffness * x * x
	if l := m.SpringLaw(i); l != nil {
		u += l.Potential(x)
	}
	return u
}

// setSprings compiles the laws, bushings and cables of the force elements.
func (m *Mechanism) setSprings(from *model.Model, links *model.Links) {
	for i := range from.Forces {
		f := &from.Forces[i]
		switch f.Type {
		case model.SpringDamper:
			if l := prepared(f.Spring, f.Damper); l != nil {
				if m.laws == nil {
					m.laws = make([]*springs.Laws, len(from.Forces))
				}
				m.laws[i] = l
			}
		case model.BushingForce:
			m.bushings = append(m.bushings, newBushing(f, i, links.Forces[i]))
		case model.CableForce:
			m.cables = append(m.cables, newCable(f.Cable, i, links.Cables[len(m.cables)]))
		}
	}
}

// ElementState has the forces of a spring-damper, a bushing or a cable at a state.
type ElementState struct {
	Length, Rate float64 // m, m/s; for a bushing the distance of the origins of its frames in the model
	Tension      float64 // N; for a bushing the magnitude of its force
	Energy       float64 // J
	// Force and Torque act on B, world axes, N and N m. For a bushing, Torque is about the origin of B's frame in the model, whatever
	// the rest pose. For a spring-damper, Torque is zero; for a cable, both are.
	Force, Torque spatial.Vec3
}

// Elements lists the bushings, the cables and the spring-dampers with laws, by number of the force element.
//
// Cost: O(force elements); allocates.
func (m *Mechanism) Elements() (list []int32) {
	for i := range m.Forces {
		switch kind := m.Forces[i].Kind; {
		case kind == model.BushingForce, kind == model.CableForce, kind == model.SpringDamper && m.SpringLaw(i) != nil:
			list = append(list, int32(i))
		}
	}
	return list
}

// IsBushing reports whether e is a bushing.
func (e *ForceElement) IsBushing() bool { return e.Kind == model.BushingForce }

// ElementAt returns the forces of force element i at s. ok is false if it is no spring-damper, bushing or cable.
//
// Cost: as the forces of the element; k was computed at s. It returns the errors of AddAppliedTo for the element.
func (m *Mechanism) ElementAt(i int, k *Kinematics, s *State) (e ElementState, ok bool, err error) {
	f := &m.Forces[i]
	switch f.Kind {
	case model.SpringDamper:
		e, err = m.springAt(i, k, s)
	case model.BushingForce:
		b := placeOf(len(m.bushings), func(n int) int32 { return m.bushings[n].index }, i)
		e, err = m.bushingElement(b, k, s)
	case model.CableForce:
		c := placeOf(len(m.cables), func(n int) int32 { return m.cables[n].index }, i)
		var at CableState
		at, err = m.CableAt(c, k, s)
		e = ElementState{Length: at.Length, Rate: at.Rate, Tension: at.Tension, Energy: at.Energy}
	default:
		return e, false, nil
	}
	return e, true, err
}

// placeOf returns the k with at(k) = i, the number of a force element. at increases for k from 0 to n − 1, and has the value i.
func placeOf(n int, at func(k int) int32, i int) int {
	return sort.Search(n, func(k int) bool { return at(k) >= int32(i) })
}

// springAt is ElementAt for a spring-damper.
func (m *Mechanism) springAt(i int, k *Kinematics, s *State) (e ElementState, err error) {
	var q SpringState
	err = m.SpringAt(&q, i, k, s)
	e.Length, e.Energy = q.Line.Norm(), m.springEnergy(i, k, s)
	if err == nil && q.Length > 0 {
		e.Rate, e.Tension, e.Force = q.Rate, q.Tension, q.Unit.Linear().Scale(-q.Tension)
	}
	return e, err
}

// IsPointSpring reports whether force element i, a spring-damper, has derivatives where its ends coincide: its force is then Stiffness
// times the vector between the ends.
func (m *Mechanism) IsPointSpring(i int) bool {
	e := &m.Forces[i]
	return e.Stiffness*e.RestLength == 0 && e.Damping == 0 && m.SpringLaw(i) == nil
}

// restsAtPoint reports whether a spring-damper whose ends coincide has no force.
func (m *Mechanism) restsAtPoint(i int, k *Kinematics, s *State) bool {
	e := &m.Forces[i]
	switch {
	case m.IsPointSpring(i):
		return true
	case e.Stiffness*e.RestLength != 0 || m.SpringLaw(i) != nil:
		return false
	}
	_, vA := m.end(&e.A, k, s)
	_, vB := m.end(&e.B, k, s)
	return m.together(e, k, s, vB.Sub(vA))
}

// SpringSettings passes to add all numbers on which the forces of laws, bushings
// and cables depend, besides the numbers of Forces and of the drives, for comparison.
func (m *Mechanism) SpringSettings(add func(...float64)) {
	law := func(l *springs.Law) {
		if l == nil {
			return
		}
		add(float64(l.Kind), float64(l.Interpolation), float64(l.Outside))
		add(l.At...)
		add(l.Forces...)
		for _, b := range []byte(l.Expression) {
			add(float64(b))
		}
	}
	laws := func(place float64, l *springs.Laws) {
		if l != nil {
			add(place)
			law(l.Spring)
			add(-1)
			law(l.Damper)
		}
	}
	for i := range m.Joints {
		if d := m.Drive(i); d != nil {
			for k := range d.Force {
				laws(float64(k), d.Law(k))
			}
		}
	}
	for i, l := range m.laws {
		laws(float64(i), l)
	}
	for i := range m.bushings {
		b := &m.bushings[i]
		for e := range 2 {
			add(float64(b.body[e]))
			add(b.at[e].Point[:]...)
			add(b.q[e][:]...)
		}
		add(b.K[:]...)
		add(b.D[:]...)
	}
	for i := range m.cables {
		c := &m.cables[i]
		add(c.tension)
		for _, p := range c.points {
			add(float64(p.Body))
			add(p.Point[:]...)
		}
	}
}
