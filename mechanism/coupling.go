package mechanism

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/model"
)

// Coupling is a hyperedge of the graph: one constraint row over scalar freedoms of several joints,
//
//	φ = Σ Factor·q − Offset − p(q′) = 0.
//
// Its row is the sum of the rows of these freedoms (joints.Spec.FreedomRowsTo), each
// times its factor, that of q′ times −p′(q′). So a multiplier λ acts along each freedom
// as the generalized force λ·Factor, and −λ·p′(q′) along that of the polynomial.
type Coupling struct {
	// Legs are the terms and, last, the freedom q′ of the polynomial, if there is one. Its factor is 0.
	Legs   []Leg
	Offset float64
	// Polynomial reports whether there is one, with these coefficients.
	Polynomial   bool
	Coefficients [model.MaxPower + 1]float64

	// Bodies are the bodies at the joints of the legs, increasing, each once, without the world.
	Bodies []int32

	// Size is the largest magnitude of a factor, of those of angles if there are any. φ/Size is an error of that
	// freedom: an angle if Angle, else a length.
	Size  float64
	Angle bool
}

// Leg is a freedom that a coupling acts on.
type Leg struct {
	Freedom
	Factor     float64
	Pred, Succ int32 // places of the joint's bodies in Coupling.Bodies, −1 for the world
}

// newCoupling compiles a coupling of the given joints.
func (m *Mechanism) newCoupling(c *model.Coupling, joints []int32) Coupling {
	out := Coupling{Offset: c.Offset}
	for i := range c.Terms {
		t := &c.Terms[i]
		out.Legs = append(out.Legs, Leg{Freedom: Freedom{int(joints[i]), t.Freedom}, Factor: t.Factor})
	}
	if p := c.Polynomial; p != nil {
		out.Polynomial = true
		copy(out.Coefficients[:], p.Coefficients)
		out.Legs = append(out.Legs, Leg{Freedom: Freedom{int(joints[len(c.Terms)]), p.Of.Freedom}})
	}
	for _, l := range out.Legs {
		jt := &m.Joints[l.Joint]
		for _, b := range [2]int32{jt.Pred, jt.Succ} {
			if b != World {
				out.Bodies = append(out.Bodies, b)
			}
		}
		angle := jt.Kind.Rotational(l.Freedom.Freedom)
		switch f := math.Abs(l.Factor); {
		case f == 0: // of the polynomial
		case angle && !out.Angle:
			out.Angle, out.Size = true, f
		case angle == out.Angle:
			out.Size = max(out.Size, f)
		}
	}
	slices.Sort(out.Bodies)
	out.Bodies = slices.Compact(out.Bodies)
	place := func(b int32) int32 {
		if i, ok := slices.BinarySearch(out.Bodies, b); ok {
			return int32(i)
		}
		return -1
	}
	for i := range out.Legs {
		l := &out.Legs[i]
		l.Pred, l.Succ = place(m.Joints[l.Joint].Pred), place(m.Joints[l.Joint].Succ)
	}
	return out
}

// LegAt is a leg of a coupling at a joint.
type LegAt struct{ Coupling, Leg int32 }

// setLegs lists the legs at each joint.
func (m *Mechanism) setLegs() {
	if len(m.Couplings) == 0 {
		return
	}
	m.legPtr = make([]int32, len(m.Joints)+1)
	for i := range m.Couplings {
		for _, l := range m.Couplings[i].Legs {
			m.legPtr[l.Joint+1]++
		}
	}
	for j := range m.Joints {
		m.legPtr[j+1] += m.legPtr[j]
	}
	m.legs = make([]LegAt, m.legPtr[len(m.Joints)])
	next := slices.Clone(m.legPtr)
	for i := range m.Couplings {
		for k, l := range m.Couplings[i].Legs {
			m.legs[next[l.Joint]] = LegAt{int32(i), int32(k)}
			next[l.Joint]++
		}
	}
}

// LegsAt returns the legs of couplings at joint j, in their order. The list is not to be changed.
func (m *Mechanism) LegsAt(j int) []LegAt {
	if m.legPtr == nil {
		return nil
	}
	return m.legs[m.legPtr[j]:m.legPtr[j+1]]
}

// NumCouplings returns the number of couplings.
func (m *Mechanism) NumCouplings() int { return len(m.Couplings) }

// CouplingName returns the name of coupling i.
func (m *Mechanism) CouplingName(i int) string { return m.couplingNames.at(i) }

// CouplingIndex returns the number of the coupling of that name.
//
// Cost: O(couplings); keep the number. It returns an error if there is none.
func (m *Mechanism) CouplingIndex(name string) (int, error) {
	return find(&m.couplingNames, name, "coupling")
}

// What has constraint rows is a joint or a coupling. Where both stand in one list, couplings follow the joints:
// constraint i is joint i, or coupling i − NumJoints.

// NumConstraints returns the number of joints and couplings.
func (m *Mechanism) NumConstraints() int { return len(m.Joints) + len(m.Couplings) }

// ConstraintName returns the name of a joint or coupling.
func (m *Mechanism) ConstraintName(i int) string {
	if c := i - len(m.Joints); c >= 0 {
		return m.CouplingName(c)
	}
	return m.JointName(i)
}

// ConstraintRows returns the number of rows of a joint or coupling.
func (m *Mechanism) ConstraintRows(i int) int {
	if i >= len(m.Joints) {
		return 1
	}
	return int(m.Joints[i].Rows)
}

// AtConstraint is AtJoint for a joint or a coupling. The one row of a coupling is not named.
func (m *Mechanism) AtConstraint(i, row int, err error) *Error {
	if c := i - len(m.Joints); c >= 0 {
		return m.atCoupling(c, err)
	}
	return m.AtJoint(i, row, err)
}

// ConstraintErrorsTo is ErrorsTo for a joint or a coupling.
func (m *Mechanism) ConstraintErrorsTo(delta, rate *[6]float64, i int, k *Kinematics, s *State) error {
	c := i - len(m.Joints)
	if c < 0 {
		return m.ErrorsTo(delta, rate, i, k, s)
	}
	*delta, *rate = [6]float64{}, [6]float64{}
	delta[0], rate[0] = m.CouplingErrors(c, k, s)
	return nil
}

// ConstraintViolation is ViolationOf for a joint or a coupling. That of a coupling is an angle if one of its terms is,
// by how far that freedom is off.
func (m *Mechanism) ConstraintViolation(i int, k *Kinematics, s *State) (v Violation) {
	c := i - len(m.Joints)
	if c < 0 {
		return m.ViolationOf(i, k, s)
	}
	phi, rate := m.CouplingErrors(c, k, s)
	v.Note(m.Couplings[c].Angle, phi/m.Couplings[c].Size, rate/m.Couplings[c].Size)
	return v
}

// CouplingErrors returns φ of coupling i at s, docs/theory.md (K1), and its rate, in the unit of its terms.
//
// Cost: O(legs), no allocation; k was computed at s.
func (m *Mechanism) CouplingErrors(i int, k *Kinematics, s *State) (phi, rate float64) {
	c := &m.Couplings[i]
	var jk JointKinematics
	var x LegState
	phi = -c.Offset
	for l := range c.Legs {
		m.LegTo(&x, &jk, c, l, k, s)
		phi += x.Value
		rate += x.Factor * x.Rate
	}
	return phi, rate
}

// CouplingSize returns the sum of the magnitudes of the terms of φ, of
// whose rounding φ consists where the coupling holds.
//
// Cost: as CouplingErrors.
func (m *Mechanism) CouplingSize(i int, k *Kinematics, s *State) float64 {
	c := &m.Couplings[i]
	var jk JointKinematics
	var x LegState
	size := math.Abs(c.Offset)
	for l := range c.Legs {
		m.LegTo(&x, &jk, c, l, k, s)
		size += math.Abs(x.Value)
	}
	return size
}

// LegState is what a leg adds to a coupling.
type LegState struct {
	Value  float64 // Factor·q, or −p(q)
	Factor float64 // its derivative by q: Factor, or −p′(q)
	Curve  float64 // the second derivative: 0, or −p″(q)
	Rate   float64 // q̇
}

// LegTo stores in x what leg l of coupling c is at s, and in jk the motion of its joint.
//
// Cost: O(1), no allocation; k was computed at s.
func (m *Mechanism) LegTo(x *LegState, jk *JointKinematics, c *Coupling, l int, k *Kinematics, s *State) {
	var q, qd [6]float64
	leg := &c.Legs[l]
	m.JointTo(jk, leg.Joint, k, s)
	m.Joints[leg.Joint].CoordinatesTo(&q, &qd, jk)
	i := leg.Freedom.Freedom
	*x = c.At(l, q[i])
	x.Rate = qd[i]
}

// Bent reports whether leg l is that of the polynomial, so that its factor depends on the pose.
func (c *Coupling) Bent(l int) bool { return c.Polynomial && l == len(c.Legs)-1 }

// At returns what leg l is at the coordinate q, without the rate.
func (c *Coupling) At(l int, q float64) LegState {
	if !c.Bent(l) {
		f := c.Legs[l].Factor
		return LegState{Value: f * q, Factor: f}
	}
	var p, slope, curve float64 // Horner's rule; curve is half the second derivative
	for _, a := range slices.Backward(c.Coefficients[:]) {
		curve = curve*q + slope
		slope = slope*q + p
		p = p*q + a
	}
	return LegState{Value: -p, Factor: -slope, Curve: -2 * curve}
}

// atCoupling returns err as an error at coupling i.
func (m *Mechanism) atCoupling(i int, err error) *Error {
	return &Error{Coupling: m.CouplingName(i), CouplingIndex: i, JointIndex: -1, Row: -1, BodyIndex: -1, ForceIndex: -1, Err: err}
}
