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
// multipliers of the state. If bodies move, their inertia adds to C and K. K is
// determined for x with J·x = 0 only, and only up to terms Jᵀ·B(x), which change δλ and nothing
// else. Of the matrices that agree up to that, this is one with few blocks between bodies.
//
// If bodies move, the coefficients change with the motion, unless it is steady. The system
// has the coefficients at the instant of the state.
//
// Only one goroutine may use it at a time.
type System struct {
	guard guard.Guard
	plan  *kkt.Plan
	space *kkt.Workspace
	mech  *mechanism.Mechanism
	kkt   saddle           // M and J, RBDA eq. 8.64
	y     *assemble.System // the matrix and right side of kkt, and the kinematics, of the loaded state

	ready bool // Linearize has succeeded, or a search fills the system itself

	skip kkt.Way // first way to factor shifted systems: the ways before have dropped an independent row

	st        *mechanism.State // the loaded state
	rest      bool             // nothing moves
	statics   bool             // an equilibrium is sought: slips of tyres are 0
	x         []float64        // accelerations of the bodies, then −λ
	work      []float64        // scratch: residual, right side
	projected []float64        // scratch of projectTo
	stiff     [][36]float64    // K of single bodies, row-major
	damp      [][36]float64    // C of single bodies, row-major
	rows      []row            // springs and dampers along one direction
	load      float64          // largest force of an element or drive on a body, N, moments over the radius of gyration
	rounding  float64          // largest rounding error of a spring's force on a body, N, moments over the radius of gyration
	size      []float64        // size of the terms of K at each body, 1/s² (sizeTerms)
	imbalance []float64        // unbalanced forces, six numbers a body, or nil (setImbalance)
	motors    map[int][]int32  // actuators of the joints that have some
	rotors    []row            // rows of freedoms with armature; k is the armature I
	lost      bool             // the last shifted system is not positive definite without held inertia
	lengths   []float64        // squared lengths of the bodies, m²; nil until one without inertia needs it
	resisted  map[int][]int32  // stops and friction of the joints that have some
	search    bool             // an equilibrium is sought: bristles of joints have no force
	bearings  *bearings        // reactions that friction grows with; nil if there is no such friction
	pairs     []pair           // stiffness and damping between two bodies
}

// row is a spring and damper along one direction of up to two bodies: for a
// displacement x its length changes by v·x, and its force on the bodies is
// −v·(k·δ + d·δ̇) with δ = v·x, δ̇ = v·ẋ + rate·x.
type row struct {
	body    [2]int32    // −1 for the world
	v, rate [12]float64 // six entries for each body
	k, d    float64
	far     *multiRow // the row over more than two bodies, in place of body, v and rate; else nil
}

// pair is the stiffness and damping between two bodies, from a joint, a bushing, a contact or a user's force. Its matrices are row-major
// 12×12, six rows and columns for each body.
type pair struct {
	body  [2]int32 // −1 for the world
	joint int32    // −1 for none
	K     [144]float64
	C     *[144]float64 // nil for none
}

// NewSystem allocates the linearized system of the plan's mechanism.
//
// Cost: near-linear in bodies and joints.
func NewSystem(p *kkt.Plan) *System {
	s, _ := newSystem(context.Background(), p)
	return s
}

// newSystem is NewSystem that ends early when ctx does. It then returns nil and the cause.
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
// ErrNotFinite with the name of the element whose numbers overflow, *factor.PivotError, or ErrSingular if the multipliers cannot be
// computed; s is then as before the first Linearize. It panics if st is of another mechanism.
func (s *System) Linearize(st *mechanism.State) error { return s.about(st, !asItIs) }

// LinearizeAsItIs is Linearize at a state that may violate the joints. It ignores the violation: K, C and J are computed at the pose of st,
// and displacements satisfy J·x = 0.
func (s *System) LinearizeAsItIs(st *mechanism.State) error { return s.about(st, asItIs) }

// asItIs makes about take a state that violates the joints.
const asItIs = true

// about is Linearize, or LinearizeAsItIs if asItIs is set.
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

// linearize is Linearize, or LinearizeAsItIs if asItIs is set. It does not check whether s is in use, and may end without an error when the
// context does.
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

// holds returns a *mechanism.ViolationError if the loaded state violates the joints: their positions, and if bodies move their velocities.
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

// determined returns mechanism.ErrUndetermined if nothing resists a rotation of a rod or a point mass: M is then singular where J·x = 0.
// Other errors of the solver do not count.
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

// enter begins a use of s, which ends when its guard is left. It panics if s is not one of NewSystem or is in use by another goroutine.
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

// mustHave panics without a linearized state.
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

// loadState fills the system of RBDA eq. 8.64 at st. If s.rest is set, prescribed freedoms have no accelerations.
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

// react stores in s.x the accelerations and multipliers of the loaded state, and factors s.kkt.
func (s *System) react() error {
	if !s.rest && (len(s.rotors) > 0 || s.mech.Singular() != nil) {
		return s.reactByDynamics()
	}
	return s.name(s.kkt.solveFirst(s.x, s.work[:len(s.x)], s.y.Right, nil))
}

// reactByDynamics is react by a solver of the dynamics, with armature and without held inertia.
func (s *System) reactByDynamics() error {
	solver := s.plan.NewSolver()
	if err := s.solveDynamics(solver); err != nil {
		return err
	}
	// projectTo uses the factorization of s.kkt, with the blocks of single bodies.
	return s.name(s.kkt.solveFirst(s.work[len(s.x):], s.work[:len(s.x)], s.y.Right, nil))
}

// solveDynamics stores in s.x the accelerations and multipliers that a solver of the dynamics computes at the loaded state.
func (s *System) solveDynamics(solver *kkt.Solver) error {
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

// projectTo stores in x the displacement nearest to v that the joints allow, in the metric M without armature and with held inertia. x may
// be v.
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

// name adds to an error of s.kkt the name of the body or joint of its node (nodeOf), if it has one. It returns nil for nil.
func (s *System) name(err error) error {
	if err == nil {
		return nil
	}
	if node := nodeOf(err); node >= 0 {
		return fault.Errorf("linear: %w", s.plan.Layout().At(node, -1, err))
	}
	return fault.Errorf("linear: %w", err)
}

// fill computes K and C at the loaded state, and the sizes of loads, of rounding and of the terms of K.
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
		s.addLoadSize(int32(i), spatial.Vec3{}, s.mech.Gravity.Scale(s.mech.Bodies[i].Mass))
	}
	s.sizeTerms()
	return nil
}

// fillBodies adds the terms of the inertia of moving bodies to K and C. It returns ErrNotFinite with the name of a body.
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

// fillForces adds wrenches and springs to K and C (fillElement). It returns errors with the name of the element.
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

// fillJoints adds the joints' springs and dampers and the geometric stiffness of their reactions to K and C. It returns errors with the
// name of the joint.
func (s *System) fillJoints() error {
	for j := range s.mech.Joints {
		if j%16 == 15 && s.over() {
			return s.orCause(nil)
		}
		s.rows, s.pairs = reserve(s.rows, j, s.mech.NumJoints()), reserve(s.pairs, j, s.mech.NumJoints())
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

// velocity stores in the six entries of u the angular velocity of body i and the velocity of its centre
// of mass, world axes; zero for the world, −1.
func (s *System) velocity(u []float64, i int32) {
	clear(u[:6])
	if i < 0 {
		return
	}
	s.st.Bodies[i].ComVelocityTo((*[6]float64)(u), &s.y.Kin.Bodies[i].Com)
}

// radius returns the radius of gyration of body i, m, or a length in its place for a body without inertia
// (mechanism.Mechanism.SquareLengthsTo).
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

// addLoadSize raises s.load to the size of a force, N, and moment, N m, on body b. The world, −1, does not count.
func (s *System) addLoadSize(b int32, moment, force spatial.Vec3) {
	if b >= 0 {
		s.load = max(s.load, force.Norm(), moment.Norm()/s.radius(b))
	}
}

// addRounding raises s.rounding to the rounding of a spring's moment and force on body b, which are sums of terms of
// the given sizes, N m and N. The world, −1, does not count.
func (s *System) addRounding(b int32, moment, force float64) {
	if b >= 0 {
		s.rounding = max(s.rounding, epsilon*force, epsilon*moment/s.radius(b))
	}
}

// epsilon is the distance from 1 to the next larger float64.
const epsilon = 0x1p-52

// fillInertia adds the terms of the inertia of rotating bodies to C and K,
// statics-and-modes.md (S2). With the angular momentum h = I·ω, a displacement has δh = I·φ̇ +
// φ×h, and the rate
//
//	δḣ = I·φ̈ + (ω×I − I×ω − h×)·φ̇ − ḣ×φ.
func (s *System) fillInertia() {
	for i := range s.mech.Bodies {
		I, omega := &s.y.Kin.I[i], s.st.Bodies[i].Omega
		h := I.MulVec(omega)
		a := s.x[6*i : 6*i+3]
		hd := I.MulVec(spatial.Vec3{a[0], a[1], a[2]}).Add(omega.Cross(h))
		rate := inertiaRate(I, omega)
		for c := range 3 {
			var e spatial.Vec3
			e[c] = 1
			hColumn, hdColumn := h.Cross(e), hd.Cross(e) // columns of h× and ḣ×
			for r := range 3 {
				s.damp[i][6*r+c] += rate[3*r+c] - hColumn[r]
				s.stiff[i][6*r+c] -= hdColumn[r]
			}
		}
	}
}

// inertiaRate returns w×I − I×w, row-major 3×3: the rate of an inertia I, world axes, that rotates with the angular velocity w.
func inertiaRate(I *spatial.Sym3, w spatial.Vec3) (out [9]float64) {
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
