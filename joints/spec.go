package joints

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// Errors of Check for a Spec, besides ErrKind, ErrAxes, ErrWheel and ErrCurve, and ErrNoDirection of EvalTo for a
// distance joint.
var (
	ErrPitch       = errors.New("joints: pitch is zero or not finite")
	ErrLength      = errors.New("joints: length is not positive and finite")
	ErrMotion      = errors.New("joints: motion on a freedom without a scalar coordinate")
	ErrNoDirection = errors.New("joints: the origins of a distance joint coincide, so it has no direction")
)

// Check returns an error if s is not valid for the other methods. It wraps ErrKind, ErrAxes, ErrPitch, ErrLength, ErrCurve, ErrWheel or
// ErrMotion. Check looks at the freedoms that have motions, but not into the motions: Motion.Check does that.
func (s *Spec) Check() error {
	switch {
	case !s.Kind.Valid():
		return fmt.Errorf("%w %d", ErrKind, s.Kind)
	case s.Kind.Type() == Composite && (s.Axes == nil || s.Axes.kind != s.Kind), s.Kind.Type() != Composite && s.Axes != nil:
		return fmt.Errorf("%w: kind and axes do not go together", ErrAxes)
	case s.Kind == Helical && (s.Pitch == 0 || !algebra.Finite(s.Pitch)):
		return fmt.Errorf("%w: %v", ErrPitch, s.Pitch)
	case s.Kind == Distance && (!(s.Length > 0) || math.IsInf(s.Length, 0)):
		return fmt.Errorf("%w: %v", ErrLength, s.Length)
	case (s.Kind.Type() == PointOnCurve || s.Kind.Type() == CurveOnCurve) != (s.Curve != nil),
		(s.Kind.Type() == CurveOnCurve) != (s.SuccessorCurve != nil):
		return fmt.Errorf("%w: kind and curves do not go together", ErrCurve)
	case s.Kind.Type() == Rolling:
		if err := s.checkWheel(); err != nil {
			return err
		}
	}
	if s.Motion == nil {
		return nil
	}
	for i := range s.Motion {
		if s.Motion[i] != nil && s.Motion[i].Kind != None && !s.Kind.Scalar(i) {
			return fmt.Errorf("%w: %v, freedom %d", ErrMotion, s.Kind, i)
		}
	}
	return nil
}

// Prescribed reports whether freedom i has a scalar coordinate and a motion.
func (s *Spec) Prescribed(i int) bool {
	return s.Motion != nil && s.Motion[i] != nil && s.Motion[i].Kind != None && s.Kind.Scalar(i)
}

// Winds reports whether freedom i is an angle with a scalar coordinate that a pose determines up to whole turns only. The angle
// of a helical motion is none, as its displacement determines the turns. Winds is false for i out of range.
func (s *Spec) Winds(i int) bool {
	if !s.Kind.Scalar(i) || !s.Kind.Rotational(i) {
		return false
	}
	if s.Axes != nil {
		return s.Axes.list[i].Kind == Revolute
	}
	return s.Kind != Helical
}

// NumRows returns the number of rows of EvalTo, at most 6: the type's
// constraints and one for each prescribed freedom.
func (s *Spec) NumRows() int {
	n := s.Kind.Constraints()
	for i := range s.Kind.Freedoms() {
		if s.Prescribed(i) {
			n++
		}
	}
	return n
}

// Angles returns a set of bits: bit k is set if the error of row k is an angle, rad, and its wrench a moment. All other errors,
// and all errors of composite joints, count as lengths, m.
func (s *Spec) Angles() (rows uint8) {
	if s.Axes != nil || s.Kind.Type() == PointOnCurve || s.Kind.Type() == CurveOnCurve {
		return 0
	}
	var out Rows
	at := Frames{EP: spatial.Identity3(), ES: spatial.Identity3()}
	if s.EvalTo(&out, &at, 0) != nil {
		return 0 // a distance joint, or a wheel that lies flat
	}
	for k := range out.N {
		if out.T[k].Linear() == (spatial.Vec3{}) {
			rows |= 1 << k
		}
	}
	return rows
}

// EvalTo fills out with the constraint rows at f and the time t (s), theory.md (5), (6) (RBDA eq.
// 3.38, 8.10), and (C6) for a composite joint. f need not satisfy the joint: Arm, Slip and TDot belong to the directions of f as
// they are.
//
// Frame: world axes, wrenches on S about its origin. Units: SI. Cost: O(1), no allocation. It returns ErrNoDirection
// for a distance joint whose origins coincide, ErrSingular for a composite joint whose axes depend on each other, ErrFlat for a
// wheel that lies on its side, ErrMiddle for a ball at the centre of its bowl, ErrStand for a wheel that has no foot on its surface,
// ErrFoot for a point that has no foot on its curve, and ErrTouch for curves that do not touch. The values of out are then unspecified.
func (s *Spec) EvalTo(out *Rows, f *Frames, t float64) error {
	*out = Rows{}
	if s.Axes != nil {
		if !s.compositeRows(out, f, t) {
			return s.NoRows()
		}
		return nil
	}
	if !s.rows(out, f) {
		return s.NoRows()
	}
	if s.Motion != nil {
		s.appendPrescribed(out, f, t)
	}
	return nil
}

// NoRows returns the error that EvalTo returns for s where it has no rows: ErrSingular, ErrFlat, ErrMiddle, ErrStand, ErrFoot,
// ErrTouch or ErrNoDirection, by the type of s.
func (s *Spec) NoRows() error {
	switch {
	case s.Axes != nil:
		return ErrSingular
	case s.Bowl != 0:
		return ErrMiddle
	case s.Ground != nil:
		return ErrStand
	case s.Kind.Type() == Rolling:
		return ErrFlat
	case s.SuccessorCurve != nil:
		return ErrTouch
	case s.Curve != nil:
		return ErrFoot
	}
	return ErrNoDirection
}

// appendPrescribed appends one row for each prescribed freedom: its dual wrench, with σ and σ̇ of the motion at the time t (s).
// TDot is 0 for all duals but the arc length along a curve and the gap of curves that may separate: the other duals are at rest in
// P, except y_S of a universal joint, and its rate ω_r×y_S times ω_r is zero.
func (s *Spec) appendPrescribed(out *Rows, f *Frames, t float64) {
	var D [6]spatial.Force
	var TDot [6]float64
	n := s.duals(&D, f)
	s.dualRates(&TDot, f)
	for i := range n {
		if s.Prescribed(i) {
			k := out.N
			out.T[k], out.TDot[k] = D[i], TDot[i]
			_, out.Sigma[k], out.SigmaDot[k] = s.Motion[i].At(t)
			out.N++
		}
	}
}

// FreedomRowsTo fills out with a row for each freedom, in the order of the freedoms: its
// dual wrench, as in EvalTo for a prescribed freedom. So T·V̂ is the rate of a
// scalar freedom, and T·V̂˚ + TDot its second derivative. Sigma and SigmaDot are zero.
//
// Cost: O(1), no allocation.
func (s *Spec) FreedomRowsTo(out *Rows, f *Frames) {
	*out = Rows{}
	if s.Kind.Freedoms() == 0 {
		return
	}
	if s.Axes != nil {
		s.compositeFreedoms(out, f)
		return
	}
	s.rows(out, f) // for Arm and Slip
	out.T, out.TDot = [6]spatial.Force{}, [6]float64{}
	out.N = s.duals(&out.T, f)
	s.dualRates(&out.TDot, f)
}

// WrenchTo stores in w the wrench on S of the generalized forces tau, one for
// each freedom: torques about and forces along the axes of the freedoms. Entries
// of tau beyond Kind.Freedoms are not read.
//
// Frame: world axes, about S's origin; −w acts on P at the same point.
// Units: N m, N.
// Cost: O(1), no allocation.
func (s *Spec) WrenchTo(w *spatial.Force, tau *[6]float64, f *Frames) {
	var D [6]spatial.Force
	*w = spatial.Force{}
	for i := range s.duals(&D, f) {
		for k := range w {
			w[k] += tau[i] * D[i][k]
		}
	}
}

// MotionSubspaceTo stores in S the motions that the joint allows and returns their
// number, Kind.Dof. SᵀT = 0 for the type's constraints. The translations of a
// distance joint are along two unit vectors at right angles to R, or to z of P if R is zero.
//
// Frame: world axes, motion of S about its origin, seen from P.
// Cost: O(1), no allocation.
func (s *Spec) MotionSubspaceTo(S *[6]spatial.Motion, f *Frames) int {
	*S = [6]spatial.Motion{}
	s.motions(S, f)
	return s.Kind.Dof()
}

// CoordinatesTo stores in q and qd the coordinates (rad, m) and rates of the freedoms;
// entries beyond Kind.Freedoms are zero. If qd is nil, it computes no rates and reads no velocities of f.
//
// Angles are in (−π, π] plus 2π·Turns. The angle of a helical joint is the one nearest to d/Pitch; Turns does not count.
// Where the joint is violated, an angle is the angle of the nearest rotation about its axis. A pose of a composite joint may have
// several sets of coordinates. With f.Near a search from there finds the coordinates, angles within half a turn of Near, and
// Turns does not count; else they are the coordinates with the smallest sum of squares. The rotations of a
// ball have no coordinate: their q is 0, and their qd are the components of ω_S − ω_P in P's axes.
//
// Cost: O(1), no allocation. No entry is NaN if f is finite.
func (s *Spec) CoordinatesTo(q, qd *[6]float64, f *Frames) {
	*q = [6]float64{}
	s.coordinates(q, f)
	if s.Turns != nil && f.Near == nil {
		s.addTurns(q)
	}
	if qd == nil {
		return
	}
	if s.Axes != nil && f.Near == nil {
		found := *f
		found.Near = q[:s.Axes.Len()] // so that RatesTo need not search again
		f = &found
	}
	s.RatesTo(qd, f)
}

// RatesTo stores in qd the rates of the freedoms as CoordinatesTo
// does: the products of the freedoms' unit wrenches with V̂.
//
// Cost: O(1), no allocation.
func (s *Spec) RatesTo(qd *[6]float64, f *Frames) {
	var (
		D [6]spatial.Force
		v spatial.Motion
	)
	*qd = [6]float64{}
	f.RelativeVelocityTo(&v)
	for i := range s.duals(&D, f) {
		qd[i] = v.Dot(&D[i])
	}
}

// addTurns adds the whole turns to the scalar angles in q.
func (s *Spec) addTurns(q *[6]float64) {
	for i := range s.Kind.Freedoms() {
		if s.Winds(i) {
			q[i] += 2 * math.Pi * float64(s.Turns[i])
		}
	}
}

// PositionErrorTo stores in delta the position error of each row at the time t (RBDA §8.3), in
// the rows' order; entries past NumRows are zero.
//
// Where the joint is satisfied, the rate of delta is T·V̂ − σ, theory.md
// (35). The errors are meaningful at any pose. Axes are compared by the rotation vector between them:
// the error of opposite axes is π. Orientations are compared by the logarithm of the
// rotation. The error of a prescribed freedom is its coordinate less its motion. For an angle the
// nearest multiple of 2π is subtracted; for a helical joint the error is the whole difference. Rows on velocities alone
// (Kind.VelocityRows) have no position error: their entries are zero at every pose.
//
// Units: m and rad.
// Cost: O(1), no allocation.
func (s *Spec) PositionErrorTo(delta *[6]float64, f *Frames, t float64) {
	*delta = [6]float64{}
	s.errors(delta, f)
	if s.Motion != nil {
		s.appendPrescribedError(delta, f, t)
	}
}

// appendPrescribedError adds q − motion(t) for each prescribed freedom.
func (s *Spec) appendPrescribedError(delta *[6]float64, f *Frames, t float64) {
	var q [6]float64
	s.CoordinatesTo(&q, nil, f)
	k := s.Kind.Constraints()
	for i := range s.Kind.Freedoms() {
		if !s.Prescribed(i) {
			continue
		}
		m, _, _ := s.Motion[i].At(t)
		delta[k] = q[i] - m
		if s.Winds(i) {
			delta[k] = math.Remainder(delta[k], 2*math.Pi)
		}
		k++
	}
}

// VelocityErrorTo stores in e the velocity error T·V̂ − σ of each row at the time t, theory.md
// (5), in the rows' order; entries past NumRows are zero.
//
// Units: m/s and rad/s.
// Cost: O(1), no allocation. It returns the errors of EvalTo, with e zero.
func (s *Spec) VelocityErrorTo(e *[6]float64, f *Frames, t float64) error {
	var (
		rows Rows
		v    spatial.Motion
	)
	*e = [6]float64{}
	if s.Motion == nil { // frequent types have shorter ways than EvalTo
		switch s.Kind {
		case Spherical, Revolute:
			pinnedRates(e, f, s.Kind)
			return nil
		case Prismatic:
			slideRates(e, f)
			return nil
		case CurveOnCurve:
			return s.touchRateTo(e, f)
		}
	}
	if err := s.EvalTo(&rows, f, t); err != nil {
		return err
	}
	f.RelativeVelocityTo(&v)
	for k := range rows.N {
		e[k] = v.Dot(&rows.T[k]) - rows.Sigma[k]
	}
	return nil
}

// pinnedRates is VelocityErrorTo of spherical and revolute joints without
// prescribed freedoms, whose rows are unit forces and moments along the axes of P.
func pinnedRates(e *[6]float64, f *Frames, k Kind) {
	for j := range 3 {
		e[j] = along(&f.EP, j, &f.V)
	}
	if k == Revolute {
		turnRates(e[3:5], f)
	}
}

// slideRates is VelocityErrorTo of a prismatic joint without a prescribed freedom: unit moments along the axes of P, and unit forces along
// the first two.
func slideRates(e *[6]float64, f *Frames) {
	turnRates(e[:3], f)
	for j := range 2 {
		e[3+j] = along(&f.EP, j, &f.V)
	}
}

// turnRates stores in e the components of ω_S − ω_P along the first len(e) axes of P.
func turnRates(e []float64, f *Frames) {
	for j := range e {
		e[j] = f.EP[j]*(f.OmegaS[0]-f.OmegaP[0]) + f.EP[3+j]*(f.OmegaS[1]-f.OmegaP[1]) + f.EP[6+j]*(f.OmegaS[2]-f.OmegaP[2])
	}
}

// PrescribedRow returns the row of EvalTo that prescribes freedom i.
//
// It panics if the freedom is not prescribed.
func (s *Spec) PrescribedRow(i int) int {
	if i < 0 || i >= 6 || !s.Prescribed(i) {
		panic("joints: freedom not prescribed")
	}
	row := s.Kind.Constraints()
	for k := range i {
		if s.Prescribed(k) {
			row++
		}
	}
	return row
}
