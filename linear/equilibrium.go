package linear

import (
	"context"
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// ErrNoEquilibrium is wrapped by the error, an *UnbalancedError, of a search that
// ends where forces do not balance.
var ErrNoEquilibrium = errors.New("linear: no equilibrium found")

// UnbalancedError names the body whose forces are farthest from balance where the
// search has ended.
type UnbalancedError struct {
	Unbalanced
	Steps int

	// Away is the distance from its start, m, of the body Gone, number GoneIndex, if the search has ended because of that distance, or if
	// the distance after the last step was larger than the extent of the mechanism: nothing seems to hold the body. Else Away is 0.
	Away      float64
	Gone      string
	GoneIndex int

	// These are empty, or nil, if they do not apply. Loose is a contact at the end of the search
	// whose friction has no force at rest: it is regularised, or of a tyre or of soil.
	// Sliding is a contact whose bristles (contact.Hold) are fully bent, so that its friction cannot
	// grow. Off is the error that has ended the search: a body has left the ground.
	Loose, Sliding string
	Off            *mechanism.Error
}

// Error names the body.
func (e *UnbalancedError) Error() string {
	why := ""
	switch {
	case e.Sliding != "":
		why = fmt.Sprintf("contact %s slides: its friction carries all it can; ", fault.Name(e.Sliding))
	case e.Loose != "":
		why = fmt.Sprintf("friction at rest holds nothing: simulate, or give the friction of contact %s hold; ", fault.Name(e.Loose))
	}
	unbalanced := fmt.Sprintf("body %s is left with a force of %.3g N and a moment of %.3g N m", fault.Name(e.Body), e.Force.Norm(), e.Moment.Norm())
	switch {
	case e.Off != nil:
		return fmt.Sprintf("%v: %safter %d steps %v", ErrNoEquilibrium, why, e.Steps, fault.Plain(e.Off))
	case e.Away > 0:
		return fmt.Sprintf("%v: %snothing holds body %s, which has gone %.3g m in %d steps; %s", ErrNoEquilibrium, why, fault.Name(e.Gone), e.Away, e.Steps, unbalanced)
	case why != "":
		return fmt.Sprintf("%v: %safter %d steps %s", ErrNoEquilibrium, why, e.Steps, unbalanced)
	}
	return fmt.Sprintf("%v in %d steps: %s", ErrNoEquilibrium, e.Steps, unbalanced)
}

// Unwrap returns a *mechanism.Error with the body, which wraps ErrNoEquilibrium.
func (e *UnbalancedError) Unwrap() error {
	return &mechanism.Error{Body: e.Body, BodyIndex: e.BodyIndex, JointIndex: -1, ForceIndex: -1, CouplingIndex: -1, Row: -1, Err: ErrNoEquilibrium}
}

// Unbalanced is the sum of all forces on a body, reactions included: M·a with a the
// accelerations with which it would start from rest.
type Unbalanced struct {
	Body      string       // name of the body
	BodyIndex int          // its number
	Force     spatial.Vec3 // N, world axes
	Moment    spatial.Vec3 // N m, about the centre of mass, world axes
}

// Stability says how a mechanism moves after a small push from its equilibrium.
type Stability uint8

// The kinds of stability.
const (
	Unknown  Stability = iota // not computed, or rounding or the number of steps allows no answer
	Stable                    // it stays near: the potential energy has a minimum
	Neutral                   // there is a motion without a force for it or against it
	Unstable                  // some motion grows
	Immobile                  // the joints allow no motion
)

var stabilityNames = [...]string{"unknown", "stable", "neutral", "unstable", "immobile"}

// String returns the name that the command line prints.
func (s Stability) String() string {
	if int(s) < len(stabilityNames) {
		return stabilityNames[s]
	}
	return fmt.Sprintf("Stability(%d)", uint8(s))
}

// EquilibriumOptions choose how an equilibrium is sought. The zero value is the
// default.
type EquilibriumOptions struct {
	// Stationary ends the search at the first equilibrium, stable or not. By default the search goes on from an
	// unstable one.
	Stationary bool
	Steps      int // largest number of Newton steps; 0 stands for 500
}

// Equilibrium describes an equilibrium that was found.
type Equilibrium struct {
	Steps, Kicks int // Newton steps; unstable equilibria from which the search has gone on

	// Unbalanced is the unbalanced force on the body that is farthest from balance. Relative
	// is its size, moments over the radius of gyration, relative to the largest force on a
	// body.
	Unbalanced Unbalanced
	Relative   float64

	Stability Stability
	// Lowest is the stiffness of the lowest mode, 1/s² (Mode.Stiffness), and Mode its shape, six numbers a body. They are zero and nil if
	// there is no mode or it is not known.
	Lowest float64
	Mode   []float64

	mechanism.Change // from the start

	Before, After mechanism.Energy // of the start, at rest, and of the equilibrium
}

// Equilibrate moves the bodies of st to an equilibrium at rest: poses that satisfy the joints and in which all forces balance. Prescribed
// freedoms are held at the values of their motions at the time of st. Dampers do not matter. The only friction that counts is the
// friction of contacts with bristles (contact.Hold), whose deflections, in st.Internal, follow the displacements from the start. A state
// that violates the joints is closed first; Equilibrium.Change counts from the state before that. Angles with springs are followed over
// any number of turns (mechanism.State.Angles).
//
// The search lowers the potential energy, in Newton steps that the joints allow. If the
// curvature is positive, a step is the solution of K·x = f + Jᵀλ by conjugate gradients
// (Steihaug 1983). Otherwise K is modified: without its negative terms, and with as much of a
// metric as keeps the step short. A step is halved until the forces do work along it. So forces
// with a potential lead to a minimum of it; with other forces the search may find no equilibrium.
//
// Cost: three factorizations a step or some more, each O(bodies) for trees and ladders, and
// some solves, and the lowest mode at the end; allocates. It returns an *UnbalancedError if
// it finds no equilibrium, or the errors of closing.Closer.ClosePositions and of
// System.Linearize; st is then unchanged. It panics if st is of another mechanism or o.Steps
// negative.
func Equilibrate(p *kkt.Plan, st *mechanism.State, o EquilibriumOptions) (*Equilibrium, error) {
	return EquilibrateContext(context.Background(), p, st, o)
}

// EquilibrateContext is Equilibrate that ends early when ctx does. It
// then returns the cause of ctx (context.Cause), and st is unchanged.
func EquilibrateContext(ctx context.Context, p *kkt.Plan, st *mechanism.State, o EquilibriumOptions) (*Equilibrium, error) {
	if ctx == nil {
		panic("rung: nil context")
	}
	if p == nil {
		panic("linear: no plan")
	}
	if st == nil {
		panic("linear: no state")
	}
	if o.Steps < 0 {
		panic("linear: negative number of steps")
	}
	if o.Steps == 0 {
		o.Steps = equilibriumSteps
	}
	s, err := newSearch(ctx, p, st)
	if err != nil {
		return nil, err
	}
	defer s.sys.space.Watch(ctx)()
	out, err := s.run(st, o)
	if err := s.sys.orCause(err); err != nil {
		return nil, err
	}
	copy(st.Bodies, s.st.Bodies)
	st.Angles, st.Internal = s.st.Angles, s.st.Internal
	return out, nil
}

// newSearch returns a search from a copy of st at rest. It returns the cause of ctx if it ends, mechanism.ErrOwnRow for rows of users'
// constraints, or the errors of closing.NewCloserContext.
func newSearch(ctx context.Context, p *kkt.Plan, st *mechanism.State) (*search, error) {
	n := 6 * p.Mechanism().NumBodies()
	if len(st.Bodies) != p.Mechanism().NumBodies() {
		panic("linear" + fault.ForeignState)
	}
	if err := p.Mechanism().OnlyModelRows(); err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	sys, err := newSystem(ctx, p)
	if err == nil {
		err = ended(ctx)
	}
	if err != nil {
		return nil, err
	}
	closer, err := closing.NewCloserContext(ctx, sys.space, closing.Options{Tolerance: closing.RunTolerance})
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	mover := mechanism.NewMover(p.Mechanism())
	if err := ended(ctx); err != nil {
		return nil, err
	}
	s := &search{
		sys: sys, closer: closer, mover: mover, st: st.Clone(),
		f0: make([]float64, n), residual: make([]float64, n), d: make([]float64, n),
	}
	s.st.Rest()
	sys.search = true
	sys.clearResistors(s.st)
	s.sys.mech.FollowAngles(s.sys.y.Kin, s.st)
	if n := p.Mechanism().NumInternal(); len(s.st.Internal) != n {
		s.st.Internal = make([]float64, n)
	}
	if err := ended(ctx); err != nil {
		return nil, err
	}
	for _, c := range [...]struct {
		to   **mechanism.State
		from *mechanism.State
	}{{&s.try, s.st}, {&s.other, s.st}, {&s.start, st}} {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		*c.to = c.from.Clone()
	}
	s.try.Angles, s.other.Angles = s.st.Angles, s.st.Angles
	if err := ended(ctx); err != nil {
		return nil, err
	}
	s.sys.rest, s.sys.statics = true, true
	s.sys.ready = true
	s.metric = newStepMetric(s.sys)
	s.length, s.radius = s.metric.length, 1
	s.extent0 = s.extentOf(s.st)
	return s, nil
}

// run searches for an equilibrium from s.st, and leaves it there. st is the state that Equilibrium.Change counts from.
func (s *search) run(st *mechanism.State, o EquilibriumOptions) (*Equilibrium, error) {
	if err := s.closer.ClosePositions(s.st); err != nil {
		return nil, err
	}
	out := &Equilibrium{}
	if err := s.load(s.st); err != nil {
		return nil, err
	}
	out.Before = s.sys.mech.EnergyAt(s.sys.y.Kin, s.st)
	for {
		if err := s.descend(out, o.Steps); err != nil {
			if off := mechanism.GroundFault(err); off != nil && out.Steps > 0 {
				e := s.unbalancedError(out)
				e.Off, err = off, e
			}
			return nil, err
		}
		if err := s.setStability(out); err != nil {
			return nil, err
		}
		if out.Stability != Unstable || o.Stationary || out.Kicks == mostKicks || !s.sys.conservative() {
			break
		}
		if err := s.kick(out); err != nil {
			return nil, err
		}
	}
	out.After = s.sys.mech.EnergyAt(s.sys.y.Kin, s.st)
	s.setChange(out, st)
	return out, nil
}

// setStability stores in out the stability at s.st, where the system is linearized, and the lowest mode. The stability is Unknown where
// rounding allows no modes.
func (s *search) setStability(out *Equilibrium) error {
	o := ModeOptions{Count: 1, Undamped: true}
	if !s.sys.conservative() {
		// Forces without a potential may make a mode flutter that is not the lowest.
		o = ModeOptions{Count: defaultModes}
	}
	out.Lowest, out.Mode = 0, nil
	m, err := s.sys.Modes(o)
	if errors.Is(err, ErrNoConvergence) || errors.Is(err, ErrNotFinite) || unfactored(err) {
		out.Stability = Unknown
		return nil
	}
	if err != nil {
		return err
	}
	if len(m.List) == 0 {
		out.Stability = Immobile
		return nil
	}
	low := &m.List[0]
	out.Lowest, out.Mode = low.Stiffness, low.Shape
	switch low.Kind {
	case Rigid:
		out.Stability = Neutral
	case Divergence, Flutter:
		out.Stability = Unstable
	default:
		out.Stability = Stable
		if len(s.sys.mech.Nonholonomic()) > 0 {
			out.Stability = Neutral // rolling leads, by closed paths, to other equilibria next to this one
		}
	}
	return nil
}

// kick moves s.st away from an unstable equilibrium, by a step along out.Mode of kickSize times the largest step.
func (s *search) kick(out *Equilibrium) error {
	copy(s.d, out.Mode)
	s.radius = 1
	if err := s.moveTry(kickSize / s.stepSize()); err != nil {
		return err
	}
	s.accept()
	out.Kicks++
	return nil
}

// setChange stores in out.Change the largest displacements of bodies from start to s.st.
func (s *search) setChange(out *Equilibrium, start *mechanism.State) {
	out.Change = mechanism.NoChange()
	for i := range start.Bodies {
		travel, turn := s.sys.mech.Displacement(i, start, s.st)
		out.Widen(i, travel.Norm(), turn.Norm())
	}
}

// conservative reports whether all forces have a potential by their kind. It is false if there are constant torques, torques about the axes
// of a ball joint, users' forces, bent bristles, contacts with soil, or nonholonomic rows, whose reactions need not have one.
func (s *System) conservative() bool {
	if s.mech.NumOwn() > 0 || len(s.mech.Nonholonomic()) > 0 || s.hasBentBristles() {
		return false
	}
	for i := range s.mech.Forces {
		if e := &s.mech.Forces[i]; e.Kind == model.Wrench && e.Torque != (spatial.Vec3{}) {
			return false
		}
	}
	for i := range s.mech.NumContacts() {
		if c, _, _ := s.mech.Contact(i); c.Law.Friction.Type == contact.Soil { // its normal force is no function of the depth alone
			return false
		}
	}
	for j := range s.mech.Joints {
		jt, d := &s.mech.Joints[j], s.mech.Drive(j)
		if d == nil {
			continue
		}
		for i := range jt.Kind.Freedoms() {
			if !jt.Kind.Scalar(i) && d.Force[i] != 0 {
				return false
			}
		}
	}
	return true
}

// longest returns the length of the longest body: the largest distance of a joint
// or of a force from a centre of mass, or radius of gyration, m.
func (s *System) longest() (l float64) {
	m := s.mech
	for i := range m.Bodies {
		l = max(l, s.radius(int32(i)))
	}
	include := func(body int32, point spatial.Vec3) {
		if body >= 0 {
			l = max(l, point.Sub(m.Bodies[body].Com).Norm())
		}
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		include(jt.Pred, jt.P.Origin)
		include(jt.Succ, jt.S.Origin)
	}
	for i := range m.Forces {
		include(m.Forces[i].A.Body, m.Forces[i].A.Point)
		include(m.Forces[i].B.Body, m.Forces[i].B.Point)
	}
	for i := range m.NumCables() {
		for _, p := range m.CablePoints(i) {
			include(p.Body, p.Point)
		}
	}
	return l
}

// Unbalanced returns the body that is farthest from balance and the unbalanced force on it,
// reactions and inertia forces of the state included. relative is the size of that force, moments over
// the radius of gyration, relative to the largest force on a body. In equilibrium it is at
// rounding level.
//
// Cost: O(bodies); allocates. It panics without a linearized state. The name is empty if there
// are no bodies.
func (s *System) Unbalanced() (left Unbalanced, relative float64) {
	left, worst, size := s.unbalanced()
	if size > 0 {
		relative = worst / size
	}
	return left, relative
}

// unbalanced returns the body that is farthest from balance with its unbalanced force, the size worst of that force, and the size of
// the largest force on a body. Sizes are in N: the force, or the moment over the radius of gyration, if that is larger.
func (s *System) unbalanced() (left Unbalanced, worst, size float64) {
	s.mustHave()
	return s.unbalancedBy(s.x[:s.dim()])
}

// unbalancedBy is unbalanced for given accelerations a, six a body: the unbalanced force on a body is M·a. Without bodies the sizes are 0.
func (s *System) unbalancedBy(a []float64) (left Unbalanced, worst, size float64) {
	n := s.dim()
	all, sums := make([]float64, n), make([]float64, n)
	s.MassTo(all, s.x[:n])
	s.MassTo(sums, a)
	size = s.load
	most := algebra.NewPeak(-1)
	for i := range s.mech.Bodies {
		arm := s.radius(int32(i))
		sizeOf := func(v *[6]float64) float64 {
			return max(spatial.Vec3(v[:3]).Norm()/arm, spatial.Vec3(v[3:]).Norm())
		}
		sum := (*[6]float64)(sums[6*i:])
		load := (*[6]float64)(s.y.Right[6*i:])
		var reaction [6]float64
		for k := range reaction {
			reaction[k] = all[6*i+k] - load[k]
		}
		size = max(size, sizeOf(load), sizeOf(&reaction))
		most.Take(sizeOf(sum), i)
	}
	at := most.At
	if at < 0 {
		return left, 0, 0
	}
	left = Unbalanced{
		Body: s.mech.BodyName(at), BodyIndex: at,
		Moment: spatial.Vec3(sums[6*at : 6*at+3]), Force: spatial.Vec3(sums[6*at+3 : 6*at+6]),
	}
	return left, most.Most, size
}
