package mechanism

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// Coupling is a hyperedge of the graph: one constraint row over several bodies. It is a user-defined row (NewWithRows), or an equation
// between the coordinates q, x and y of scalar freedoms of joints,
//
//	φ = Σ Factor·q − Offset − f(x, y) = 0.
//
// Its row is the sum of the rows of these freedoms (joints.Spec.FreedomRowsTo), each
// times its factor; the factors of x and y are −∂f/∂x and −∂f/∂y. So a multiplier λ acts along each freedom of a term
// as the generalized force λ·Factor, and along the freedom of x as −λ·∂f/∂x.
type Coupling struct {
	// Legs are the terms and, last, the freedoms x and y of the law, if there is one. The Factor of x and y is 0.
	Legs   []Leg
	Offset float64
	// Law is f, which may be a polynomial; nil: none.
	Law *couplings.Law
	// Bodies are the bodies at the joints of the legs, increasing, each once, without the world.
	Bodies []int32
	// Size is the largest magnitude of a Factor: of the factors of angles if there are any, else of all. φ/Size is the error of the
	// freedom with that factor: an angle if Angle, else a length.
	Size  float64
	Angle bool

	own *ownRow // a user-defined row, for which there are no legs; else nil
}

// Own reports whether the row of c is user-defined. It then has no legs.
func (c *Coupling) Own() bool { return c.own != nil }

// Rates reports whether the row of c constrains velocities alone.
func (c *Coupling) Rates() bool { return c.own != nil && c.own.rates }

// Leg is a freedom on which a coupling acts.
type Leg struct {
	Freedom
	Factor     float64
	Pred, Succ int32 // indices of the joint's bodies in Coupling.Bodies, −1 for the world
}

// addCouplings compiles the couplings.
func (m *Mechanism) addCouplings(of *model.Model, links *model.Links) {
	laws := sharing[string, couplings.Law]{}
	for i := range of.Couplings {
		m.Couplings = append(m.Couplings, m.newCoupling(&of.Couplings[i], links.Couplings[i], laws))
	}
}

// newCoupling compiles a coupling. joints has the joint of each leg, and laws the laws that couplings share.
func (m *Mechanism) newCoupling(c *model.Coupling, joints []int32, laws sharing[string, couplings.Law]) Coupling {
	out := Coupling{Offset: c.Offset}
	for i := range c.Terms {
		t := &c.Terms[i]
		out.Legs = append(out.Legs, Leg{Freedom: Freedom{int(joints[i]), t.Freedom}, Factor: t.Factor})
	}
	if p := c.Polynomial; p != nil {
		out.Law = couplings.NewPolynomial(p.Coefficients)
	} else if c.Law != nil {
		out.Law = laws.of(fmt.Sprintf("%+v", c.Law.Settings()), c.Law.Prepared)
	}
	for i, of := range c.Of() {
		out.Legs = append(out.Legs, Leg{Freedom: Freedom{int(joints[len(c.Terms)+i]), of.Freedom}})
	}
	out.setSize(m)
	out.setBodies(m)
	return out
}

// setSize finds the largest factor of a term, of the terms that are angles if there are any.
func (c *Coupling) setSize(m *Mechanism) {
	for _, l := range c.Legs {
		angle := m.Joints[l.Joint].Kind.Rotational(l.Freedom.Freedom)
		switch f := math.Abs(l.Factor); {
		case f == 0: // a leg of the law
		case angle && !c.Angle:
			c.Angle, c.Size = true, f
		case angle == c.Angle:
			c.Size = max(c.Size, f)
		}
	}
}

// setBodies lists the bodies at the joints of the legs, and sets Pred and Succ of each leg.
func (c *Coupling) setBodies(m *Mechanism) {
	for _, l := range c.Legs {
		for _, b := range [2]int32{m.Joints[l.Joint].Pred, m.Joints[l.Joint].Succ} {
			if b != World {
				c.Bodies = append(c.Bodies, b)
			}
		}
	}
	slices.Sort(c.Bodies)
	c.Bodies = slices.Compact(c.Bodies)
	place := func(b int32) int32 {
		if i, ok := slices.BinarySearch(c.Bodies, b); ok {
			return int32(i)
		}
		return -1
	}
	for i := range c.Legs {
		l := &c.Legs[i]
		l.Pred, l.Succ = place(m.Joints[l.Joint].Pred), place(m.Joints[l.Joint].Succ)
	}
}

// LegAt names a leg by the numbers of its coupling and of the leg in it.
type LegAt struct{ Coupling, Leg int32 }

// legLists are the legs at each joint: list[ptr[j]:ptr[j+1]] at joint j.
type legLists struct {
	ptr  []int32
	list []LegAt
}

// setLegs lists the legs at each joint, and the couplings whose law is not defined everywhere.
func (m *Mechanism) setLegs() {
	if len(m.Couplings) == 0 {
		return
	}
	m.legs.ptr = make([]int32, len(m.Joints)+1)
	for i := range m.Couplings {
		for _, l := range m.Couplings[i].Legs {
			m.legs.ptr[l.Joint+1]++
		}
		if l := m.Couplings[i].Law; l != nil && l.Partial() {
			m.special.lawful = append(m.special.lawful, int32(i))
		}
	}
	for j := range m.Joints {
		m.legs.ptr[j+1] += m.legs.ptr[j]
	}
	m.legs.list = make([]LegAt, m.legs.ptr[len(m.Joints)])
	next := slices.Clone(m.legs.ptr)
	for i := range m.Couplings {
		for k, l := range m.Couplings[i].Legs {
			m.legs.list[next[l.Joint]] = LegAt{int32(i), int32(k)}
			next[l.Joint]++
		}
	}
}

// LegsAt returns the legs of couplings at joint j, in their order. The list must not be changed.
func (m *Mechanism) LegsAt(j int) []LegAt {
	if m.legs.ptr == nil {
		return nil
	}
	return m.legs.list[m.legs.ptr[j]:m.legs.ptr[j+1]]
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

// A constraint is a joint or a coupling. In lists of both, couplings follow the joints:
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

// ConstraintErrorsTo is ErrorsTo for a joint or a coupling. It stores φ of a coupling and its rate as the first entries.
func (m *Mechanism) ConstraintErrorsTo(delta, rate *[6]float64, i int, k *Kinematics, s *State) error {
	c := i - len(m.Joints)
	if c < 0 {
		return m.ErrorsTo(delta, rate, i, k, s)
	}
	phi, phid := m.couplingErrors(c, k, s, wanted{coordinate: delta != nil, rate: rate != nil})
	if delta != nil {
		*delta = [6]float64{phi}
	}
	if rate != nil {
		*rate = [6]float64{phid}
	}
	return nil
}

// ConstraintViolation is ViolationOf for a joint or a coupling. The violation of a coupling is φ/Size, an angle if Coupling.Angle is set,
// else a length.
func (m *Mechanism) ConstraintViolation(i int, k *Kinematics, s *State) (v Violation) {
	c := i - len(m.Joints)
	if c < 0 {
		return m.ViolationOf(i, k, s)
	}
	phi, rate := m.CouplingErrors(c, k, s)
	v.Note(m.Couplings[c].Angle, phi/m.Couplings[c].Size, rate/m.Couplings[c].Size)
	return v
}

// CouplingErrors returns φ of coupling i at s, docs/theory.md (K1), and the rate of φ, in the unit of its terms.
//
// Cost: O(legs), no allocation; k was computed at s.
func (m *Mechanism) CouplingErrors(i int, k *Kinematics, s *State) (phi, rate float64) {
	return m.couplingErrors(i, k, s, wanted{coordinate: true, rate: true})
}

// wanted says which values of a freedom to compute.
type wanted struct{ coordinate, rate bool }

// couplingErrors is CouplingErrors for the wanted values: phi with coordinate, rate with rate. The other value is unspecified.
func (m *Mechanism) couplingErrors(i int, k *Kinematics, s *State, w wanted) (phi, rate float64) {
	c := &m.Couplings[i]
	if c.own != nil {
		return m.ownErrors(i, k, s)
	}
	w.coordinate = w.coordinate || c.Law != nil // the slopes of the law depend on the coordinates
	var jk JointKinematics
	var x LegState
	phi = -c.Offset
	for l := range c.Legs {
		m.legTo(&x, &jk, c, l, k, s, w)
		phi += x.Value
		rate += x.Factor * x.Rate
	}
	return phi, rate
}

// CouplingSize returns the sum of the magnitudes of the terms of φ, to which the rounding error of φ is relative. The terms
// of a user-defined row are the positions and rotations of its bodies, times their factors.
//
// Cost: as CouplingErrors.
func (m *Mechanism) CouplingSize(i int, k *Kinematics, s *State) float64 {
	c := &m.Couplings[i]
	if c.own != nil {
		return m.ownSize(i, k, s)
	}
	var jk JointKinematics
	var x LegState
	size := math.Abs(c.Offset)
	for l := range c.Legs {
		m.LegTo(&x, &jk, c, l, k, s)
		size += math.Abs(x.Value)
	}
	return size
}

// LegState is the part of a leg in a coupling. The leg of x has the value of the law f.
type LegState struct {
	Value  float64    // Factor·q; −f for the leg of x, and 0 for the leg of y
	Factor float64    // derivative of φ by q: Factor, or −∂f/∂q
	Curve  [2]float64 // derivatives of Factor by x and y: zero, or −∂²f/∂q∂x and −∂²f/∂q∂y
	Rate   float64    // q̇
	Bend   float64    // q̇ times the rate of −Factor: the part of the leg in the right side, docs/theory.md (K2)
}

// LegTo stores in x the part of leg l in coupling c at s, and in jk the motion of its joint.
//
// Cost: O(1), and a call of the law; no allocation; k was computed at s.
func (m *Mechanism) LegTo(x *LegState, jk *JointKinematics, c *Coupling, l int, k *Kinematics, s *State) {
	m.legTo(x, jk, c, l, k, s, wanted{coordinate: true, rate: true})
}

// legTo is LegTo for the wanted values. Other values of x, and without rate the velocities of jk, are unspecified.
func (m *Mechanism) legTo(x *LegState, jk *JointKinematics, c *Coupling, l int, k *Kinematics, s *State, w wanted) {
	var q, rate [2]float64
	first := c.Bent()
	if l < first {
		q[0], rate[0] = m.legCoordinate(jk, &c.Legs[l], k, s, w)
	} else {
		own := l - first
		for i := range c.Legs[first:] { // leg l itself comes last, so that jk is the motion of its joint
			if i != own {
				q[i], rate[i] = m.legCoordinate(jk, &c.Legs[first+i], k, s, w)
			}
		}
		q[own], rate[own] = m.legCoordinate(jk, &c.Legs[l], k, s, w)
	}
	*x = c.At(l, q, rate)
}

// legCoordinate returns the coordinate and the rate of a leg, as far as they are wanted, and stores in jk the motion of its joint.
func (m *Mechanism) legCoordinate(jk *JointKinematics, leg *Leg, k *Kinematics, s *State, w wanted) (q, rate float64) {
	jt := &m.Joints[leg.Joint]
	var all, rates [6]float64
	m.placesTo(jk, jt, k, s)
	switch {
	case !w.rate:
		jt.CoordinatesTo(&all, nil, jk)
	case w.coordinate:
		jk.ratesTo(jt, s)
		jt.CoordinatesTo(&all, &rates, jk)
	default:
		jk.ratesTo(jt, s)
		jt.RatesTo(&rates, &jk.Frames)
	}
	i := leg.Freedom.Freedom
	return all[i], rates[i]
}

// Bent returns the index in Legs of the first leg of the law. The factors of these legs depend on the pose. Without a law it is the
// number of legs.
func (c *Coupling) Bent() int {
	if c.Law == nil {
		return len(c.Legs)
	}
	return len(c.Legs) - c.Law.Coordinates()
}

// At returns the part of leg l in the coupling. For a leg of the law, q and rate are the coordinates and rates of all legs of the law,
// rad or m; for another leg, q[0] and rate[0] are the coordinate and rate of the leg.
//
// Cost: O(1), and a call of the law; no allocation.
func (c *Coupling) At(l int, q, rate [2]float64) (x LegState) {
	own := l - c.Bent()
	if own < 0 {
		f := c.Legs[l].Factor
		return LegState{Value: f * q[0], Factor: f, Rate: rate[0]}
	}
	v := c.Law.At(q)
	if own == 0 {
		x.Value = -v.F
	}
	x.Factor, x.Rate = -v.D[own], rate[own]
	for i := range c.Law.Coordinates() {
		x.Curve[i] = -v.DD[own][i]
		x.Bend += v.DD[own][i] * rate[i] * rate[own]
	}
	return x
}

// ErrLaw is wrapped by the error that names a coupling whose law is undefined at a state: beyond the ends of a table or a range,
// or where a formula has no finite value, slope or second derivative, or a slope beyond 1e100.
var ErrLaw = errors.New("mechanism: the law does not hold")

// checkLaws returns an error that wraps ErrLaw and names the first coupling whose law is undefined at s, or nil.
//
// Cost: O(couplings with laws), no allocation without an error; k was computed at s.
func (m *Mechanism) checkLaws(k *Kinematics, s *State) error {
	for _, i := range m.special.lawful {
		c := &m.Couplings[i]
		first := c.Bent()
		var q [2]float64
		var jk JointKinematics
		for n := range c.Legs[first:] {
			q[n], _ = m.legCoordinate(&jk, &c.Legs[first+n], k, s, wanted{coordinate: true})
		}
		out, _, _ := c.Law.Outside(q)
		holds := out < 0
		if holds && c.Law.Kind == couplings.Function { // tables and grids are finite between their ends
			v := c.Law.At(q)
			holds = v.Finite()
		}
		if !holds {
			return m.lawError(int(i), q)
		}
	}
	return nil
}

// lawError returns the error of checkLaws for coupling i, whose law is undefined at the coordinates q.
func (m *Mechanism) lawError(i int, q [2]float64) error {
	c := &m.Couplings[i]
	n, from, to := c.Law.Outside(q)
	if n < 0 {
		return m.atCoupling(i, fault.Errorf("%w: no finite value, slope up to 1e100 or second derivative at %v", ErrLaw, q[:c.Law.Coordinates()]))
	}
	f := c.Legs[c.Bent()+n].Freedom
	return m.atCoupling(i, fault.Errorf("%w: the coordinate of joint %s, freedom %d, is %v, the law is from %v to %v",
		ErrLaw, fault.Name(m.JointName(f.Joint)), f.Freedom, q[n], from, to))
}

// atCoupling returns err as an error at coupling i.
func (m *Mechanism) atCoupling(i int, err error) *Error {
	return &Error{Coupling: m.CouplingName(i), CouplingIndex: i, JointIndex: -1, Row: -1, BodyIndex: -1, ForceIndex: -1, Err: err}
}
