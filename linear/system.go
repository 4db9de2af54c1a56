package linear

import (
	"context"
	"errors"
	"math"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// System is the memory of the linearized equations of motion of one mechanism,
//
//	M·ẍ + C·ẋ + K·x = Jᵀ·δλ,   J·x = 0.
//
// The equations are statics-and-modes.md (S1). C = −∂f/∂ẋ and K = −∂(f + Jᵀλ)/∂x, λ the
// multipliers of the state. Where bodies move, the inertia of turning bodies adds to both. K is
// determined for x with J·x = 0 only, and only up to terms Jᵀ·B(x), which change δλ and nothing
// else. Among the forms that agree there, this is one with few blocks between bodies.
//
// Where bodies move, the coefficients change with the motion, unless it is steady. The system
// is that of the instant.
//
// It belongs to one goroutine at a time.
type System struct {
	guard guard.Guard
	plan  *kkt.Plan
	space *kkt.Workspace
	mech  *mechanism.Mechanism
	kkt   saddle           // M and J, RBDA eq. 8.64
	y     *assemble.System // the same, where it is filled

	ready bool // Linearize has succeeded, or a search fills the system itself

	skip kkt.Way // ways to factor shifted systems that have dropped a row

	st        *mechanism.State
	rest      bool            // nothing moves
	statics   bool            // an equilibrium is sought
	x         []float64       // accelerations, then −λ
	work      []float64       // right side, residual
	projected []float64       // of projectTo
	stiff     [][36]float64   // K of single bodies, row-major
	damp      [][36]float64   // C of single bodies
	rows      []row           // springs and dampers along one direction
	load      float64         // largest force of an element or drive on a body, moments over the radius of gyration
	rounding  float64         // of the largest spring's force on a body, the same
	size      []float64       // of the terms of K at each body, 1/s² (measure)
	left      []float64       // forces out of balance, or nil (weighLeft)
	motors    map[int][]int32 // actuators of the joints that have some
	rotors    []row           // armature: k is I
	lost      bool            // the shifted system at hand is not positive definite without held inertia
	lengths   []float64       // square lengths of the bodies; nil without point masses
	resisted  map[int][]int32 // stops and friction of the joints that have some
	search    bool            // for an equilibrium, which bristles have no part in
	bearings  *bearings       // of friction that grows with reactions; nil if there is none
	pairs     []pair          // geometric stiffness of joints whose reactions couple two bodies
}

// row is a spring and damper along one direction of up to two bodies: for a
// displacement x its length changes by v·x, and its force on the bodies is
// −v·(k·δ + d·δ̇) with δ = v·x, δ̇ = v·ẋ + rate·x.
type row struct {
	body    [2]int32 // World for none
	v, rate [12]float64
	k, d    float64
	far     *reach // of a row over more than two bodies; else nil
}

// pair is the stiffness between the bodies of a joint, of a bushing, or
// of a force of one's own, of its rows and columns six for each body.
type pair struct {
	body  [2]int32
	joint int32 // −1 for a force or a bushing
	K     [144]float64
	C     *[144]float64 // damping; nil for a joint
}

// NewSystem allocates the linearized system of the plan's mechanism.
//
// Cost: near-linear in bodies and joints.
func NewSystem(p *kkt.Plan) *System {
	s, _ := newSystem(context.Background(), p)
	return s
}

// newSystem is NewSystem that ends early when ctx does. It then returns the cause.
func newSystem(ctx context.Context, p *kkt.Plan) (*System, error) {
	if p == nil {
		panic("linear: no plan")
	}
	layout, mech := p.Layout(), p.Mechanism()
	y, space := layout.NewSystem(), p.NewWorkspace()
	y.Heed(space.Watched())
	if err := ended(ctx); err != nil {
		return nil, err
	}
	f := space.Factor()
	if err := ended(ctx); err != nil {
		return nil, err
	}
	s := &System{plan: p, mech: mech, y: y, space: space, kkt: newSaddle(p, f, y.Matrix, y.Scale)}
	for i := range mech.NumActuators() {
		if s.motors == nil {
			s.motors = map[int][]int32{}
		}
		f, _ := mech.Actuator(i)
		s.motors[f.Joint] = append(s.motors[f.Joint], int32(i))
	}
	s.findResisted()
	s.x, s.work = make([]float64, layout.Pattern.Dim()), make([]float64, 2*layout.Pattern.Dim())
	s.stiff, s.size = make([][36]float64, mech.NumBodies()), make([]float64, mech.NumBodies())
	if err := ended(ctx); err != nil {
		return nil, err
	}
	s.damp = make([][36]float64, mech.NumBodies())
	return s, nil
}

// Linearize stores in s the linearized equations of motion about st, docs/statics-and-modes.md (S1). st is kept, not
// copied, and must not change while s is used. The joints hold at st (docs/conventions.md "States that violate the
// joints"); LinearizeAsItIs takes one at which they do not.
//
// If no body moves, prescribed freedoms are held where they are, which is where their motions have them at the time of
// st; else they follow their motions. Redundant joints leave multipliers undetermined. Where J·x = 0 these have no part in
// K, but in singular poses they do.
//
// Cost: a factorization and O(bodies + joints + forces); allocates. It returns a *mechanism.ViolationError for a state that
// violates the joints (if no body moves, the pose alone counts), mechanism.ErrNotFinite,
// mechanism.ErrNoDirection, mechanism.ErrUndetermined, mechanism.ErrOwnRow, joints.ErrNoDirection or joints.ErrFlat with the name,
// ErrNotFinite with the name of what makes numbers overflow, *factor.PivotError, or ErrSingular where the multipliers cannot be computed; s
// then holds nothing. It panics if st is of another mechanism.
func (s *System) Linearize(st *mechanism.State) error { return s.about(st, false) }

// LinearizeAsItIs is Linearize at a state that may violate the joints. Bodies then move as if the joints held where
// they are: K and C are those of the pose, and x has J·x = 0 there.
func (s *System) LinearizeAsItIs(st *mechanism.State) error { return s.about(st, true) }

// about is Linearize, and LinearizeAsItIs if asItIs is set.
func (s *System) about(st *mechanism.State, asItIs bool) error {
	s.enter()
	defer s.guard.Leave()
	if st == nil {
		panic("linear: no state")
	}
	s.ready = false
	err := s.orCause(s.linearize(st, asItIs))
	s.ready = err == nil
	return err
}

// linearize is Linearize, or with asItIs LinearizeAsItIs.
func (s *System) linearize(st *mechanism.State, asItIs bool) error {
	if err := s.mech.OnlyModelRows(); err != nil { // their derivatives are not known
		return fault.Errorf("linear: %w", err)
	}
	s.rest = atRest(st)
	if err := s.loadState(st); err != nil {
		return err
	}
	if !asItIs {
		if err := s.holds(); err != nil {
			return err
		}
	}
	if err := s.determined(); err != nil {
		return err
	}
	if err := s.react(); err != nil {
		return err
	}
	if s.over() {
		return s.orCause(nil)
	}
	return s.fill()
}

// holds returns an error if the loaded state violates the joints.
func (s *System) holds() error {
	holds := s.mech.HoldsIn
	if s.rest {
		holds = s.mech.PoseHoldsIn
	}
	if err := holds(s.y.Kin, s.st, s.mech.DriftUnit()); err != nil {
		return fault.Errorf("linear: %w", err)
	}
	return nil
}

// determined returns an error if nothing resists a rotation of a rod or a point mass: M is then singular where J·x = 0.
func (s *System) determined() error {
	if s.mech.Singular() == nil {
		return nil
	}
	err := s.plan.NewSolver().SolveContext(s.space.Watched().Context(), s.st)
	if errors.Is(err, mechanism.ErrUndetermined) {
		return fault.Errorf("linear: %w", err)
	}
	return nil
}

// enter begins a use of s, which ends when its guard is left. It panics on misuse.
func (s *System) enter() {
	s.mustBe()
	if !s.guard.Enter() {
		panic("linear: System used by two goroutines")
	}
}

// mustBe panics unless s is one of NewSystem.
func (s *System) mustBe() {
	if s == nil || s.plan == nil {
		panic("linear: zero System; use NewSystem")
	}
}

func (s *System) mustHave() {
	if s == nil || !s.ready {
		panic("linear: not linearized")
	}
}

// atRest reports whether no body moves.
func atRest(st *mechanism.State) bool {
	for i := range st.Bodies {
		if b := &st.Bodies[i]; b.Velocity != (spatial.Vec3{}) || b.Omega != (spatial.Vec3{}) {
			return false
		}
	}
	return true
}

// loadState fills the system of RBDA eq. 8.64 at st. Joints at rest stay so.
func (s *System) loadState(st *mechanism.State) error {
	s.skip = 0
	if len(st.Bodies) != s.mech.NumBodies() {
		panic("linear" + fault.ForeignState)
	}
	st, err := s.withBearings(st)
	if err != nil {
		return err
	}
	s.st = st
	if err := s.y.FillTo(st); err != nil {
		return err
	}
	s.holdBlocks()
	s.fillRotors()
	if s.rest {
		clear(s.y.Right[s.dim():])
	}
	return nil
}

// react computes accelerations and multipliers of the loaded state.
func (s *System) react() error {
	if !s.rest && (len(s.rotors) > 0 || s.mech.Singular() != nil) {
		return s.reactWithAll()
	}
	return s.name(s.kkt.solveFirst(s.x, s.work[:len(s.x)], s.y.Right, nil))
}

// reactWithAll is react by a solver of the dynamics, with armature and without what holds rods and point masses.
func (s *System) reactWithAll() error {
	solver := s.plan.NewSolver()
	if err := s.solveAll(solver); err != nil {
		return err
	}
	// Projections use the factor of the blocks.
	return s.name(s.kkt.solveFirst(s.work[len(s.x):], s.work[:len(s.x)], s.y.Right, nil))
}

// solveAll stores accelerations and multipliers by a solver of the dynamics in s.x.
func (s *System) solveAll(solver *kkt.Solver) error {
	if err := solver.SolveContext(s.space.Watched().Context(), s.st); err != nil {
		return fault.Errorf("linear: %w", err)
	}
	solver.AccelerationsTo(s.x[:s.dim()])
	l := s.plan.Layout()
	var lambda [6]float64
	for j := range s.mech.Joints {
		if node := l.JointNode(j); node >= 0 {
			o := int(l.Pattern.Off[node])
			for k := range solver.Reactions().MultipliersTo(&lambda, j) {
				s.x[o+k] = -lambda[k]
			}
		}
	}
	for i := range s.mech.NumCouplings() {
		s.x[l.Pattern.Off[l.CouplingNode(i)]] = -solver.Reactions().CouplingMultiplier(i)
	}
	return nil
}

// projectTo stores in x the displacement next to v, in the metric M, that the joints
// allow. x may be v.
//
// Cost: a few solves.
func (s *System) projectTo(x, v []float64) {
	dim, n := len(s.x), s.dim()
	if s.projected == nil {
		s.projected = make([]float64, dim)
	}
	b := s.work[dim:]
	clear(b[n:])
	s.blocksTo(b[:n], v)
	s.addHeldTo(b[:n], v, 1)
	s.kkt.solve(s.projected, s.work[:dim], b)
	copy(x, s.projected[:n])
}

// name adds the name of the body or joint to an error of kkt.
func (s *System) name(err error) error {
	if err == nil {
		return nil
	}
	if node := nodeOf(err); node >= 0 {
		return fault.Errorf("linear: %w", s.plan.Layout().At(node, -1, err))
	}
	return fault.Errorf("linear: %w", err)
}

// fill computes K and C at the loaded state.
func (s *System) fill() error {
	clear(s.stiff)
	if s.over() {
		return s.orCause(nil)
	}
	clear(s.damp)
	s.load, s.rounding = 0, 0
	s.rows, s.pairs = s.rows[:0], s.pairs[:0]
	for _, part := range [...]func() error{s.fillBodies, s.fillForces, s.fillJoints, s.fillRest} {
		if err := part(); err != nil {
			return err
		}
	}
	for i := range s.mech.Bodies {
		s.note(int32(i), spatial.Vec3{}, s.mech.Gravity.Scale(s.mech.Bodies[i].Mass))
	}
	s.measure()
	return nil
}

// fillBodies adds the stiffness and damping of the inertia of turning bodies.
func (s *System) fillBodies() error {
	if !s.rest {
		s.fillInertia()
	}
	if s.over() {
		return s.orCause(nil)
	}
	for i := range s.mech.Bodies {
		if !s.finite(s.filled(), int32(i)) {
			return s.bodyError(i, ErrNotFinite)
		}
	}
	return nil
}

// fillForces adds the force elements between two bodies.
func (s *System) fillForces() error {
	for i := range s.mech.Forces {
		if s.every(i) {
			return s.orCause(nil)
		}
		before, e := s.filled(), &s.mech.Forces[i]
		if err := s.fillElement(i); err != nil {
			return err
		}
		if !s.finite(before, e.A.Body, e.B.Body) {
			return fault.Errorf("linear: %w", s.mech.AtForce(i, ErrNotFinite))
		}
	}
	return nil
}

// fillJoints adds the joints' springs and dampers, and the stiffness that their reactions make.
func (s *System) fillJoints() error {
	for j := range s.mech.Joints {
		if j%16 == 15 && s.over() {
			return s.orCause(nil)
		}
		s.rows, s.pairs = roomFor(s.rows, j, s.mech.NumJoints()), roomFor(s.pairs, j, s.mech.NumJoints())
		before, jt := s.filled(), &s.mech.Joints[j]
		if err := s.fillJoint(j); err != nil {
			return err
		}
		if !s.finite(before, jt.Pred, jt.Succ) {
			return s.jointError(j, ErrNotFinite)
		}
	}
	return nil
}

// velocity stores in u the angular velocity of body i and the velocity of its centre
// of mass, zero for the world.
func (s *System) velocity(u []float64, i int32) {
	clear(u[:6])
	if i < 0 {
		return
	}
	s.st.Bodies[i].ComVelocityTo((*[6]float64)(u), &s.y.Kin.Bodies[i].Com)
}

// radius returns the radius of gyration of body i, m.
func (s *System) radius(i int32) float64 {
	B := &s.mech.Bodies[i]
	if B.Inertia == (spatial.Sym3{}) {
		if s.lengths == nil {
			s.lengths = make([]float64, s.mech.NumBodies())
			s.mech.SquareLengthsTo(s.lengths)
		}
		return math.Sqrt(s.lengths[i])
	}
	return math.Sqrt((B.Inertia[0] + B.Inertia[1] + B.Inertia[2]) / (2 * B.Mass))
}

// note keeps the size of a force and moment on body b in s.load.
func (s *System) note(b int32, moment, force spatial.Vec3) {
	if b >= 0 {
		s.load = max(s.load, force.Norm(), moment.Norm()/s.radius(b))
	}
}

// noteRounding keeps the rounding of a spring's force and moment on body b, of which terms of
// the given sizes are the parts.
func (s *System) noteRounding(b int32, moment, force float64) {
	if b >= 0 {
		s.rounding = max(s.rounding, epsilon*force, epsilon*moment/s.radius(b))
	}
}

// epsilon is the distance from one to the next number.
const epsilon = 0x1p-52

// fillInertia adds the part that the inertia of turning bodies has in C and K,
// statics-and-modes.md (S2). With h = I·ω the change of the angular momentum is δh = I·φ̇ +
// φ×h, and its rate
//
//	δḣ = I·φ̈ + (ω×I − I×ω − h×)·φ̇ − ḣ×φ.
func (s *System) fillInertia() {
	for i := range s.mech.Bodies {
		I, omega := &s.y.Kin.I[i], s.st.Bodies[i].Omega
		h := I.MulVec(omega)
		a := s.x[6*i : 6*i+3]
		hd := I.MulVec(spatial.Vec3{a[0], a[1], a[2]}).Add(omega.Cross(h))
		turned := twist(I, omega)
		for c := range 3 {
			var e spatial.Vec3
			e[c] = 1
			carried, k := h.Cross(e), hd.Cross(e)
			for r := range 3 {
				s.damp[i][6*r+c] += turned[3*r+c] - carried[r]
				s.stiff[i][6*r+c] -= k[r]
			}
		}
	}
}

// twist returns w×I − I×w by rows, the rate of an inertia that turns with w.
func twist(I *spatial.Sym3, w spatial.Vec3) (out [9]float64) {
	for c := range 3 {
		var e spatial.Vec3
		e[c] = 1
		d := w.Cross(I.MulVec(e)).Sub(I.MulVec(w.Cross(e)))
		for r := range 3 {
			out[3*r+c] = d[r]
		}
	}
	return out
}
