package closing

import (
	"context"
	"math"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

const (
	// AngleTol is the largest error, of an angle in rad or of a length relative to the length of the
	// joint's bodies, at which closing ends. closeLoose is the default of Options.Tolerance.
	AngleTol, closeLoose = 1e-14, 5e-13
	// FarTol is the rounding of a position, relative to the largest coordinates of
	// the joint's bodies.
	FarTol = 1e-15

	closeSteps  = 200  // largest number of Gauss–Newton steps
	closeHalves = 8    // largest number of lengths tried for a step, each half the one before
	closeRaises = 6    // largest number of dampings tried for a step
	closeRaise  = 30.0 // factor from one damping to the next
	closeTurn   = 0.5  // largest rotation of a body in a step, rad
	// closeLeast is the least damping μ.
	closeLeast = 1e-14
	// closeExact is the relative error below which steps are first tried without damping.
	closeExact = 1e-5
	// closeChord is the relative error, and the rotation in rad, of a step below which the factorization of the step
	// is also used for the velocities at the pose after it. A smaller value costs time only.
	closeChord = 1e-8
	// closeDrop is the least relative drop of the merit by a full damped step.
	closeDrop = 1e-4
	// closeGain is the least relative drop of the merit by a full step without damping.
	closeGain = 0.9
	// closeSlow is the merit after a full step, relative to the merit before, above which the step counts as slow.
	closeSlow = 1e-2
	// closeWindow is a number of steps, and closeStall the merit after them, relative to the merit before, from which closing ends.
	closeWindow = 12
	closeStall  = 0.8
	// closeStiff·m·ℓ² is added to the inertia of stiffened bodies, theory.md (40): the inertia of a rod of the length 2·ℓ, with ℓ the
	// length of the body's arms.
	closeStiff = 1.0 / 3
)

// Closer makes states satisfy the joints: poses by damped Gauss–Newton steps, theory.md (37),
// velocities by a projection, (42), both with the least change in the metric of the inertias.
// Prescribed freedoms are rows like the others. It owns all memory it needs. Only one goroutine may use it at a time.
//
// A held body counts as infinitely heavy: its columns of W are zero. So the pattern and its analysis
// are shared with the plan, and the body keeps its pose to the last bit.
type Closer struct {
	halt   *team.Watch // ends calls early (Watch)
	guard  guard.Guard
	layout *assemble.Layout
	mech   *mechanism.Mechanism // of the plan, without loads
	sys    *assemble.Weighted
	fac    Factors       // of sys
	whole  *kkt.Factored // fac of a whole mechanism; nil for a piece
	ranks  Ranks         // of the other pieces; nil for a whole mechanism

	units
	held  []bool        // by body; nil if none is held
	stiff []bodies.Body // the bodies with larger inertias; nil until they are needed

	damping []float64 // by row: scale of the proximal term of a damped step
	loose   float64   // Options.Tolerance

	kin     *mechanism.Kinematics // of the state whose errors are in delta
	at, try *mechanism.State      // the present state, and a trial
	from    *mechanism.State      // the state at the start of the last call
	delta   []float64             // errors of the rows
	x       []float64             // step: six numbers a body, then multipliers

	// chord says that the factorization, as long as it is current, is of a pose within closeChord of the pose in at, which is closed.
	chord bool
	exact bool // set by Exactly

	approached // memory for Options.Nearest

	few     [4]float64 // scratch of exchanges between ranks
	closing Closing
	before  float64 // largest relative error at the start of a projection
	rates   bool    // the last call was about velocities, not poses
}

// NewCloser allocates a closer of the plan.
//
// It panics if a body or the tolerance is out of range.
func NewCloser(p *kkt.Plan, o Options) *Closer { return NewCloserOn(p.NewWorkspace(), o) }

// NewCloserOn is NewCloser with the goroutines and the factorization of w, which other solvers on w may use in turn.
func NewCloserOn(w *kkt.Workspace, o Options) *Closer {
	c, _ := NewCloserContext(context.Background(), w, o)
	return c
}

// NewCloserContext is NewCloserOn that ends early when ctx does. It then returns nil and the cause of ctx (context.Cause).
func NewCloserContext(ctx context.Context, w *kkt.Workspace, o Options) (*Closer, error) {
	if ctx == nil {
		panic("rung: nil context")
	}
	if w == nil {
		panic("closing: no workspace")
	}
	p := w.Plan()
	c, err := newCloser(ctx, p.Layout(), p.Mechanism(), w.Team(), w.Watched())
	if err == nil {
		err = c.choose(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	c.whole = kkt.NewFactored(w.Factor(), c.sys.Matrix, c.sys.Right, c.sys.Scale, p.Options().Epsilon, kkt.KeepAllFirmly, c.layout.At)
	c.whole.LeaveOutChecked(w)
	c.fac = c.whole
	return c, nil
}

// newCloser allocates a closer without its factorization and its options. It returns nil and the cause if ctx ends.
func newCloser(ctx context.Context, layout *assemble.Layout, of *mechanism.Mechanism, t *team.Team, halt *team.Watch) (*Closer, error) {
	// Loads do not matter, and some have no direction, which is an error, at poses that closing passes.
	unloaded, mech := *layout, of.Unloaded()
	unloaded.Mech = mech
	n, nb := layout.Pattern.Dim(), mech.NumBodies()
	if err := ended(ctx); err != nil {
		return nil, err
	}
	sys := unloaded.NewWeightedOn(t)
	if err := ended(ctx); err != nil {
		return nil, err
	}
	c := &Closer{
		halt:   halt,
		layout: layout, mech: mech, sys: sys,
		units: units{
			unit: make([]float64, n), flat: make([]bool, n), weight: make([]float64, n),
			length: make([]float64, nb), long: make([]float64, layout.Pattern.Len()-nb),
		},
		kin:   &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, nb)},
		delta: make([]float64, n), x: make([]float64, n),
	}
	for _, st := range [...]**mechanism.State{&c.at, &c.try, &c.from} {
		if err := ended(ctx); err != nil {
			return nil, err
		}
		*st = mech.Initial()
	}
	c.sys.Heed(halt)
	return c, nil
}

// choose sets the options and computes the units. It panics if an option is out of range, and returns the cause if ctx ends.
func (c *Closer) choose(ctx context.Context, o Options) error {
	n, nb := c.layout.Pattern.Dim(), c.mech.NumBodies()
	if o.Nearest {
		c.best, c.along, c.tangent, c.open = c.mech.Initial(), make([]float64, 6*nb), make([]float64, 6*nb), make([]float64, n)
	}
	for _, i := range o.Hold {
		if i < 0 || i >= nb {
			panic("closing: body out of range")
		}
		if c.held == nil {
			c.held = make([]bool, nb)
		}
		c.held[i] = true
	}
	if err := ended(ctx); err != nil {
		return err
	}
	c.measureUnits()
	if err := ended(ctx); err != nil {
		return err
	}
	c.damping = c.sys.Scale
	if c.loose = o.Tolerance; c.loose == 0 {
		c.loose = closeLoose
	}
	if !(c.loose >= AngleTol) || math.IsInf(c.loose, 1) {
		panic("closing: tolerance out of range")
	}
	return nil
}

// Exactly sets whether the following calls continue until no step makes the errors smaller, instead of
// until they are below the tolerances. This matters next to a singular pose: at a distance δ from it, an
// error ε of the rows is an error ε/δ of the poses, and ε/δ² of the velocities, theory.md (49).
//
// Cost: with it, one to three factorizations more a call.
func (c *Closer) Exactly(on bool) { c.exact, c.chord = on, false }

// Closing returns what the last ClosePositions or ProjectVelocities did. After an
// error its fields are unspecified.
//
// Cost: O(bodies), no allocation.
func (c *Closer) Closing() Closing {
	c.enter()
	defer c.guard.Leave()
	if c.rates {
		c.measureRates()
	} else {
		c.measureMoves()
	}
	return c.closing
}

// ClosePositions moves the bodies of st until all joints hold at position level, by small displacements.
// Each step is the least displacement in the metric of the inertias that removes the errors to
// first order, theory.md (36), damped where they are large, (37). The velocities of the bodies'
// frames stay.
//
// Nonholonomic rows (joints.Kind.VelocityRows) have no part in it: a wheel that is off its plane may be moved onto it in any direction,
// also where it could not roll.
//
// Redundant joints and singular poses are allowed. The merit, theory.md (38), is
// the sum of the squared errors relative to the scales that the rows have on free bodies. It
// decreases with every step. It may stop decreasing before the joints hold, where inertias are
// far less than mass times arm squared, or far from closed poses. Then closing is tried again
// with larger inertias, (40). The result does not depend, to the last bit, on earlier calls.
//
// Cost: O(bodies + joints) if st is closed; else a factorization a step. It allocates only for
// errors and for the first second try. It returns a *CloseError if it cannot close the joints
// from st, and mechanism.ErrNotFinite or joints.ErrNoDirection with the name of
// the body or joint; st is then unchanged. It panics if st is of another mechanism.
func (c *Closer) ClosePositions(st *mechanism.State) error {
	c.enter()
	defer c.guard.Leave()
	mustHaveState(st)
	return c.orCause(c.closePositions(st))
}

// closePositions is ClosePositions within the guard.
func (c *Closer) closePositions(st *mechanism.State) error {
	c.start(st, ofPoses)
	fit, err := c.misfitAt(c.at)
	if err != nil {
		return err
	}
	c.closing = Closing{Before: fit.largest, Nearest: c.best != nil}
	c.chord = false
	if !(fit.excess <= 1) {
		if fit, err = c.closeEither(fit); err != nil {
			return err
		}
		if c.best != nil {
			if fit, err = c.approach(fit); err != nil {
				return err
			}
		}
	}
	c.closing.After = fit.largest
	return c.giveTo(st)
}

// closeEither closes c.at by close. If that fails it closes again from c.from, with stiffened bodies. If both fail
// it returns the error of the first attempt. start has the errors at c.from.
func (c *Closer) closeEither(start misfit) (misfit, error) {
	fit, err := c.close(start)
	if err == nil {
		return fit, nil
	}
	if ended := c.halt.Err(); ended != nil {
		return fit, ended
	}
	c.copyState(c.at, c.from)
	if _, again := c.misfitAt(c.at); again != nil { // c.delta has to be of the start
		return fit, err
	}
	c.stiffen()
	c.sys.SetBodies(c.stiff)
	c.damping = c.weight
	fit, again := c.close(start)
	c.damping = c.sys.Scale
	c.sys.SetBodies(nil)
	c.chord = false // the factorization is with other inertias
	if again != nil {
		return fit, err
	}
	return fit, nil
}

// close moves c.at until the joints hold, or hold up to Options.Tolerance if no step helps, and
// returns the sums of the errors then. At the start the errors of c.at are in c.delta, and their sums in fit.
// It returns a *CloseError if the joints stay open, and the errors of step.
func (c *Closer) close(fit misfit) (misfit, error) {
	before := 0.0 // merit at the start of the last window of steps
	for steps := 0; !(fit.excess <= 1); steps++ {
		stuck := stalls(steps, fit.merit, before)
		if steps%closeWindow == 0 {
			before = fit.merit
		}
		if !stuck {
			after, ok, err := c.step(fit)
			if err != nil {
				return fit, err
			}
			fit, stuck = after, !ok
			c.closing.Steps++
		}
		if stuck {
			if fit.loose <= 1 {
				break
			}
			return fit, c.closeError(fit, ofPoses)
		}
	}
	return fit, nil
}

// start copies st to c.from and c.at, to correct the given errors.
func (c *Closer) start(st *mechanism.State, which level) {
	if len(st.Bodies) != len(c.at.Bodies) {
		panic("closing" + fault.ForeignState)
	}
	c.copyState(c.from, st)
	if c.followsAngles() {
		c.mech.FollowAngles(c.kin, c.from)
	}
	c.copyState(c.at, c.from)
	c.at.Time, c.try.Time, c.rates = st.Time, st.Time, which == ofRates
}

// followsAngles reports whether there are couplings, which count the turns of angles, composite joints or points on curves. Closing then
// follows the angles of states, in steps so short that each angle changes by less than half a turn.
func (c *Closer) followsAngles() bool { return c.mech.NumCouplings() > 0 || c.mech.HasFollowed() }

// copyState copies the poses and velocities of src to dst, and the angles if they are followed; else dst gets none.
func (c *Closer) copyState(dst, src *mechanism.State) {
	copy(dst.Bodies, src.Bodies)
	dst.Angles = dst.Angles[:0]
	if c.followsAngles() {
		dst.Angles = append(dst.Angles, src.Angles...)
	}
}

// displace stores in dst the poses of src displaced by h·x, x six numbers a body. Angles that are followed stay as in src, until misfitAt
// updates them.
func (c *Closer) displace(dst, src *mechanism.State, h float64, x []float64) {
	c.mech.DisplaceTo(dst, src, h, x)
	if c.followsAngles() {
		dst.Angles = append(dst.Angles[:0], src.Angles...)
	}
}

// closeError returns, on all ranks, the *CloseError for the errors in c.delta, which are of the given kind.
func (c *Closer) closeError(fit misfit, which level) error {
	if fit.elsewhere {
		return c.shareError(nil)
	}
	return c.shareError(c.rowError(fit, which))
}

// rowError returns the *CloseError of the row fit.row, which has the largest error, on this rank.
func (c *Closer) rowError(fit misfit, which level) error {
	p := c.layout.Pattern
	node := c.mech.NumBodies()
	for int(p.Off[node+1]) <= fit.row {
		node++
	}
	j := c.layout.NodeJoint(node)
	if j < 0 {
		i := c.layout.NodeConstraint(node)
		return &CloseError{
			At: *c.mech.AtConstraint(i, -1, ErrCannotClose), Linear: !c.flat[fit.row], Rate: which == ofRates,
			Off: math.Abs(c.delta[fit.row]) / c.size(node), Steps: c.closing.Steps,
		}
	}
	jt := &c.mech.Joints[j]
	return &CloseError{
		At:          *c.mech.AtJoint(j, fit.row-int(p.Off[node]), ErrCannotClose),
		Predecessor: c.mech.BodyName(int(jt.Pred)), Successor: c.mech.BodyName(int(jt.Succ)),
		Linear: !c.flat[fit.row], Rate: which == ofRates,
		Off: math.Abs(c.delta[fit.row]), Steps: c.closing.Steps,
	}
}

// step moves c.at to a state with a smaller merit. It returns the sums of the errors there, and false with c.at unchanged if it
// finds no such state. The errors of c.at are in c.delta, and their sums in fit.
//
// The step, of Levenberg and Marquardt, theory.md (37), is the minimum of
//
//	‖J·x + δ‖² + μ·‖x‖²
//
// in the metrics of the rows' scales and of the inertias, which takes one solve with the proximal term μ on
// all rows. With μ the square of the relative error it converges like Newton's method, also
// where rows become dependent at the solution (Yamashita & Fukushima 2001). The linearized rows of a
// redundant joint contradict each other only by the square of the error. So small errors are
// removed without damping, which would shorten the displacement along weak directions.
func (c *Closer) step(fit misfit) (misfit, bool, error) {
	if err := c.linearize(c.at); err != nil {
		return fit, false, err
	}
	c.setErrors()
	if after, ok, done := c.undamped(fit); done {
		return after, ok, nil
	}
	mu := dampingAt(fit.relative)
	var lost error // that a pivot is lost to rounding, because the damping is too small
	for range closeRaises {
		if ended := c.halt.Err(); ended != nil {
			return fit, false, ended
		}
		if lost = c.fac.FactorizeDamped(c.damping, mu); lost == nil {
			if after, ok := c.search(fit, damped); ok {
				return after, true, nil
			}
		}
		mu = raised(mu)
	}
	// c.delta and c.kin are of the last trial, and have to be of c.at.
	if _, err := c.misfitAt(c.at); err != nil {
		return fit, false, err
	}
	return fit, false, named(lost)
}

// search moves c.at along the solution of the factored system, and returns the sums of the errors there. It halves a damped step up to
// closeHalves times until the merit drops enough (drops), and returns false with c.at unchanged if it does not.
//
// Where branches of motion meet, errors are of second order in the displacements, and a full
// step removes only half of the displacement. So if the merit drops slowly, the same step is tried once more.
func (c *Closer) search(fit misfit, d damping) (misfit, bool) {
	c.solve()
	longest := closeTurn / c.largestRotation()
	h, halves := min(1, longest), 1
	if d == damped {
		halves = closeHalves
	}
	for range halves {
		if c.halt.Up() {
			break
		}
		c.displace(c.try, c.at, h, c.x)
		after, err := c.misfitAt(c.try)
		if err == nil && drops(fit, after, h, d == damped) {
			c.at, c.try = c.try, c.at
			if slow(fit, after, h) && longest >= 2 {
				return c.repeat(after)
			}
			return after, true
		}
		h /= 2
	}
	return fit, false
}

// repeat moves c.at by the step c.x once more if that lowers the merit. It returns the sums of the errors at c.at, and false if they cannot
// be computed.
func (c *Closer) repeat(fit misfit) (misfit, bool) {
	c.displace(c.try, c.at, 1, c.x)
	after, err := c.misfitAt(c.try)
	if err == nil && after.merit < fit.merit {
		c.at, c.try = c.try, c.at
		return after, true
	}
	fit, err = c.misfitAt(c.at) // c.delta is of the trial, and has to be of c.at
	return fit, err == nil
}

// solve stores in c.x the solution of the factored system for the right side in c.sys: the step, with displacements or velocities of
// bodies.
func (c *Closer) solve() {
	c.fac.SolveTo(c.x, c.sys.Right)
	c.sys.AccelerationsTo(c.x, c.x)
	c.exchange(c.x)
}

// largestRotation returns the largest rotation of a body in the step c.x, rad, on all ranks.
func (c *Closer) largestRotation() (angle float64) {
	for i := 0; i < 6*c.mech.NumBodies(); i += 6 {
		w := (*spatial.Vec3)(c.x[i:])
		angle = max(angle, w[0]*w[0]+w[1]*w[1]+w[2]*w[2])
	}
	return math.Sqrt(c.largest(angle))
}

// measureMoves stores in c.closing the changes of poses from c.from to c.at, and their distance in the metric of the inertias.
func (c *Closer) measureMoves() {
	sum := 0.0
	c.closing.Change = mechanism.NoChange()
	for i := range c.at.Bodies {
		s, phi := c.mech.Displacement(i, c.from, c.at)
		sum += c.mech.Bodies[i].Mass * s.Dot(s)
		c.closing.Widen(i, s.Norm(), phi.Norm())
		// φ has the same components in the axes of the body before and after.
		phi = c.at.Bodies[i].Rotation.Conj().Rotate(phi)
		sum += phi.Dot(c.mech.Bodies[i].Inertia.MulVec(phi))
	}
	c.closing.Distance = math.Sqrt(sum)
}
