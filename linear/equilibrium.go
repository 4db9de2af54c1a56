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

	// Away is how far the body Gone has moved, m, if the search has ended for that reason, or if after its last step the
	// body was farther away than the mechanism is large: nothing seems to hold it. GoneIndex is the number of the body.
	Away      float64
	Gone      string
	GoneIndex int

	// These are empty, or nil, if they do not apply. Loose is a contact at the end of the search
	// whose friction has no force at rest: it is regularised, or of a tyre or of soil.
	// Sliding is a contact with bristles (contact.Hold) that are bent to the end: friction can
	// bear no more. Off is the reason why the search cannot go on: a body has left the ground.
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
	left := fmt.Sprintf("body %s is left with a force of %.3g N and a moment of %.3g N m", fault.Name(e.Body), e.Force.Norm(), e.Moment.Norm())
	switch {
	case e.Off != nil:
		return fmt.Sprintf("%v: %safter %d steps %v", ErrNoEquilibrium, why, e.Steps, fault.Plain(e.Off))
	case e.Away > 0:
		return fmt.Sprintf("%v: %snothing holds body %s, which has gone %.3g m in %d steps; %s", ErrNoEquilibrium, why, fault.Name(e.Gone), e.Away, e.Steps, left)
	case why != "":
		return fmt.Sprintf("%v: %safter %d steps %s", ErrNoEquilibrium, why, e.Steps, left)
	}
	return fmt.Sprintf("%v in %d steps: %s", ErrNoEquilibrium, e.Steps, left)
}

// Unwrap returns the place, which wraps ErrNoEquilibrium.
func (e *UnbalancedError) Unwrap() error {
	return &mechanism.Error{Body: e.Body, BodyIndex: e.BodyIndex, JointIndex: -1, ForceIndex: -1, CouplingIndex: -1, Row: -1, Err: ErrNoEquilibrium}
}

// Unbalanced is the force that is left on a body, reactions included: M·a with a the
// accelerations with which it would start from rest.
type Unbalanced struct {
	Body      string // name, and number
	BodyIndex int
	Force     spatial.Vec3 // N, world axes
	Moment    spatial.Vec3 // N m, about the centre of mass, world axes
}

// Stability says how a mechanism answers to a small push from its equilibrium.
type Stability uint8

// The answers.
const (
	Unknown  Stability = iota // not asked, or rounding or the number of steps leaves no answer
	Stable                    // comes back: the potential energy is least
	Neutral                   // some motion meets no force
	Unstable                  // some motion is driven on
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
	// Stationary ends at the first equilibrium, stable or not. The default leaves an
	// unstable one downhill.
	Stationary bool
	Steps      int // largest number of Newton steps; 0 stands for 500
}

// Equilibrium describes an equilibrium that was found.
type Equilibrium struct {
	Steps, Kicks int // Newton steps; unstable equilibria that were left

	// Unbalanced is the force that is left on the body that is farthest from balance. Relative
	// is that force, moments over the radius of gyration, relative to the largest force on a
	// body.
	Unbalanced Unbalanced
	Relative   float64

	Stability Stability
	// Lowest is the least stiffness of a mode, 1/s² (Mode.Stiffness), zero if there is
	// none or it is not known, and Mode its shape, six numbers a body.
	Lowest float64
	Mode   []float64

	mechanism.Change // from the start

	Before, After mechanism.Energy // of the start, at rest, and of the equilibrium
}

// Equilibrate moves the bodies of st to an equilibrium at rest: poses that satisfy the joints and in which all forces
// balance. Prescribed freedoms are held at the values of their motions at the time of st. Dampers do not matter, and
// friction holds nothing, but that of bristles (contact.Hold): those bend, in st.Internal, as the bodies move from
// where they start. A state that violates the joints is closed first: Change is from the start as it was. Angles with springs are followed over any number of turns (mechanism.State.Angles).
//
// From where it starts the search goes downhill, in Newton steps that the joints allow. If the
// curvature is positive, a step is the solution of K·x = f + Jᵀλ by conjugate gradients
// (Steihaug 1983). Otherwise K is taken without what makes it indefinite, and with as much of a
// metric as keeps the step short. A step is halved until the forces do work along it. So forces
// with a potential lead to a minimum of it; others may lead nowhere.
//
// Cost: three factorizations a step or some more, each O(bodies) for trees and ladders, and
// some solves, and the lowest mode at the end; allocates. It returns an *UnbalancedError if
// there is no equilibrium to be found, the errors of closing.Closer.ClosePositions and of
// System.Linearize; st is then unchanged. It panics if st is of another mechanism or o.Steps
// negative.
func Equilibrate(p *kkt.Plan, st *mechanism.State, o EquilibriumOptions) (*Equilibrium, error) {
	return EquilibrateContext(context.Background(), p, st, o)
}

// EquilibrateContext is Equilibrate that ends early when ctx does. It
// then returns the cause for which ctx has ended, and st is unchanged.
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

// newSearch returns a search from st, or the cause for which ctx has ended.
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
		f0: make([]float64, n), left: make([]float64, n), d: make([]float64, n),
	}
	s.st.Rest()
	sys.search = true
	sys.relax(s.st)
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
	s.metric = newBrace(s.sys)
	s.length, s.radius = s.metric.length, 1
	s.extent0 = s.extentOf(s.st)
	return s, nil
}

// run searches from st.
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
		if err := s.judge(out); err != nil {
			return nil, err
		}
		if out.Stability != Unstable || o.Stationary || out.Kicks == kicks || !s.sys.conservative() {
			break
		}
		if err := s.kick(out); err != nil {
			return nil, err
		}
	}
	out.After = s.sys.mech.EnergyAt(s.sys.y.Kin, s.st)
	s.measure(out, st)
	return out, nil
}

// judge computes the lowest mode at s.st, where the system is linearized.
func (s *search) judge(out *Equilibrium) error {
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
			out.Stability = Neutral // there are others next to it, which rolling leads to by detours
		}
	}
	return nil
}

// kick leaves an unstable equilibrium along its lowest mode.
func (s *search) kick(out *Equilibrium) error {
	copy(s.d, out.Mode)
	s.radius = 1
	if err := s.place(kickSize / s.reach()); err != nil {
		return err
	}
	s.take()
	out.Kicks++
	return nil
}

// measure stores the largest changes from start to s.st.
func (s *search) measure(out *Equilibrium, start *mechanism.State) {
	out.Change = mechanism.NoChange()
	for i := range start.Bodies {
		travel, turn := s.sys.mech.Displacement(i, start, s.st)
		out.Widen(i, travel.Norm(), turn.Norm())
	}
}

// conservative reports whether all forces have a potential by their kind. Constant torques, forces on the rotations of balls, forces of
// one's own, bent bristles, soil and the reactions of rows of velocities alone need not have one.
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
	reach := func(body int32, point spatial.Vec3) {
		if body >= 0 {
			l = max(l, point.Sub(m.Bodies[body].Com).Norm())
		}
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		reach(jt.Pred, jt.P.Origin)
		reach(jt.Succ, jt.S.Origin)
	}
	for i := range m.Forces {
		reach(m.Forces[i].A.Body, m.Forces[i].A.Point)
		reach(m.Forces[i].B.Body, m.Forces[i].B.Point)
	}
	for i := range m.NumCables() {
		for _, p := range m.CablePoints(i) {
			reach(p.Body, p.Point)
		}
	}
	return l
}

// Unbalanced returns the body that is farthest from balance and the force that is left on it,
// reactions and inertia forces of the state included. It also returns that force, moments over
// the radius of gyration, relative to the largest force on a body. In equilibrium this is at
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

// unbalanced is Unbalanced, with the force and the largest one on a body apart, N.
func (s *System) unbalanced() (left Unbalanced, worst, size float64) {
	s.mustHave()
	return s.leftBy(s.x[:s.dim()])
}

// leftBy is unbalanced for a part a of the accelerations: the force on a body is then M·a.
func (s *System) leftBy(a []float64) (left Unbalanced, worst, size float64) {
	n := s.dim()
	all, sums := make([]float64, n), make([]float64, n)
	s.MassTo(all, s.x[:n])
	s.MassTo(sums, a)
	size = s.load
	most := algebra.NewPeak(-1)
	for i := range s.mech.Bodies {
		arm := s.radius(int32(i))
		weigh := func(v *[6]float64) float64 {
			return max(spatial.Vec3(v[:3]).Norm()/arm, spatial.Vec3(v[3:]).Norm())
		}
		sum := (*[6]float64)(sums[6*i:])
		load := (*[6]float64)(s.y.Right[6*i:])
		var reaction [6]float64
		for k := range reaction {
			reaction[k] = all[6*i+k] - load[k]
		}
		size = max(size, weigh(load), weigh(&reaction))
		most.Take(weigh(sum), i)
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
