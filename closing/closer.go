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
	// AngleTol is the largest error, of an angle or of a length relative to the length of the
	// joint's bodies, at which closing ends. closeLoose is the default of Options.Tolerance.
	AngleTol, closeLoose = 1e-14, 5e-13
	// FarTol is the rounding of a position, relative to the largest coordinates of
	// the joint's bodies.
	FarTol = 1e-15

	closeSteps  = 200  // Gauss–Newton steps
	closeHalves = 8    // halvings of a step
	closeRaises = 6    // times that the damping is raised for a step
	closeRaise  = 30.0 // factor of a raise
	closeTurn   = 0.5  // largest rotation of a body in a step, rad
	// closeLeast is the least damping.
	closeLeast = 1e-14
	// closeExact is the relative error below which steps are not damped.
	closeExact = 1e-5
	// closeChord is a relative error and a rotation. If those of a step are below it, the
	// factor of the step is used for the velocities at the pose after it too. A smaller value
	// costs time only.
	closeChord = 1e-8
	// closeDrop is the part of its merit by which a full step has to reduce it.
	closeDrop = 1e-4
	// closeGain is the same part for a step without damping.
	closeGain = 0.9
	// closeSlow is the part of the merit that a full step leaves where it converges slowly.
	closeSlow = 1e-2
	// Closing ends after steps in a row that together leave more than closeStall of the merit.
	closeWindow = 12
	closeStall  = 0.8
	// closeStiff, a part of m·ℓ², is added to the inertia of stiffened bodies, theory.md (40).
	// It is that of a rod that reaches as far as their arms to both sides.
	closeStiff = 1.0 / 3
)

// Closer makes states satisfy the joints: poses by damped Gauss–Newton steps, theory.md (37),
// velocities by a projection, (42), both with the least change in the metric of the inertias.
// Prescribed freedoms are rows like the others. It owns all memory it needs and belongs to one
// goroutine at a time.
//
// A held body counts as infinitely heavy: its columns of W are zero. So the pattern and the
// factor are those of the plan, and the body stays bit by bit.
type Closer struct {
	halt   *team.Watch
	guard  guard.Guard
	layout *assemble.Layout
	mech   *mechanism.Mechanism // of the plan, without loads
	sys    *assemble.Weighted
	fac    Factors       // of sys
	whole  *kkt.Factored // the same; nil if the mechanism is a piece
	ranks  Ranks         // of the other pieces; nil if there are none

	units
	held  []bool        // by body; nil if there are none
	stiff []bodies.Body // stiffened; nil until they are needed

	damping []float64 // scales of the rows in the proximal term of a step
	loose   float64   // Tolerance

	kin     *mechanism.Kinematics // of the state whose errors are in delta
	at, try *mechanism.State
	from    *mechanism.State // where the last call began
	delta   []float64        // errors of the rows
	x       []float64        // step: six a body, then multipliers

	// chord: the factor belongs to a pose next to that in at, the last one closed, as long as
	// it is current.
	chord bool
	exact bool // Exactly

	approached // of Options.Nearest

	few     [4]float64 // for ranks
	closing Closing
	before  float64 // largest relative error at the start of a projection
	rates   bool    // closing is of velocities
}

// NewCloser allocates a closer of the plan.
//
// It panics if a body or the tolerance is out of range.
func NewCloser(p *kkt.Plan, o Options) *Closer { return NewCloserOn(p.NewWorkspace(), o) }

// NewCloserOn is NewCloser with the goroutines and the factor of w, for use in turn with the other solvers on w.
func NewCloserOn(w *kkt.Workspace, o Options) *Closer {
	c, _ := NewCloserContext(context.Background(), w, o)
	return c
}

// NewCloserContext is NewCloserOn, and ends early when ctx does. It then returns the cause for which ctx has ended.
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

// newCloser allocates a closer without its factor and its options.
func newCloser(ctx context.Context, layout *assemble.Layout, of *mechanism.Mechanism, t *team.Team, halt *team.Watch) (*Closer, error) {
	// Loads do not matter, and may have no direction on the way.
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

// choose sets the options, and measures the units.
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

// Exactly sets whether the following calls go on until no step makes the errors smaller, and
// not only until they are small. Next to a singular pose this matters: at a distance δ, an
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

// ClosePositions moves the bodies of st until all joints hold at position level, by short ways.
// Each step is the least displacement in the metric of the inertias that undoes the errors to
// first order, theory.md (36), damped where they are large, (37). The velocities of the bodies'
// frames stay.
//
// Rows of velocities alone (joints.Kind.VelocityRows) have no part in it: a wheel that is off its plane is put on it, whatever
// it may roll.
//
// Redundant joints and singular poses need no care of the caller. The merit, theory.md (38), is
// the sum of the squared errors relative to the scales that the rows have on free bodies. It
// decreases with every step. It may stop decreasing before the joints hold, where inertias are
// far less than mass times arm squared, or far from closed poses. Then closing is tried again
// with larger inertias, (40). The result has the same bits whatever c did before.
//
// Cost: O(bodies + joints) if st is closed; else a factorization a step. No allocation but for
// errors and the first time that it is tried again. It returns a *CloseError if the joints
// cannot be met from here, and mechanism.ErrNotFinite or joints.ErrNoDirection with the name of
// the body or joint; st is then unchanged. It panics if st is of another mechanism.
func (c *Closer) ClosePositions(st *mechanism.State) error {
	c.enter()
	defer c.guard.Leave()
	mustHaveState(st)
	return c.orCause(c.closePositions(st))
}

// closePositions is ClosePositions within the guard.
func (c *Closer) closePositions(st *mechanism.State) error {
	c.start(st, false)
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

// closeEither is close. Where that fails it closes from the start again, with stiffened bodies.
// It returns the error of the first attempt.
func (c *Closer) closeEither(start misfit) (misfit, error) {
	fit, err := c.close(start)
	if err == nil {
		return fit, nil
	}
	if ended := c.halt.Err(); ended != nil {
		return fit, ended
	}
	c.carry(c.at, c.from)
	if _, again := c.misfitAt(c.at); again != nil {
		return fit, err
	}
	c.stiffen()
	c.sys.SetBodies(c.stiff)
	c.damping = c.weight
	fit, again := c.close(start)
	c.damping = c.sys.Scale
	c.sys.SetBodies(nil)
	c.chord = false // the factor is of other inertias
	if again != nil {
		return fit, err
	}
	return fit, nil
}

// close moves c.at until the joints hold, or up to Options.Tolerance where no step helps, and
// sums up the errors that are left. At the start the errors of c.at are in c.delta, and fit sums
// them up. It returns a *CloseError where the joints stay open, and the errors of step.
func (c *Closer) close(fit misfit) (misfit, error) {
	mark := 0.0
	for steps := 0; !(fit.excess <= 1); steps++ {
		stuck := stalls(steps, fit.merit, mark)
		if steps%closeWindow == 0 {
			mark = fit.merit
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
			return fit, c.cannot(fit, false)
		}
	}
	return fit, nil
}

// start copies st to c.from and c.at. rates tells whether velocities are to be projected, or poses to be closed.
func (c *Closer) start(st *mechanism.State, rates bool) {
	if len(st.Bodies) != len(c.at.Bodies) {
		panic("closing" + fault.ForeignState)
	}
	c.carry(c.from, st)
	if c.coupled() {
		c.mech.FollowAngles(c.kin, c.from)
	}
	c.carry(c.at, c.from)
	c.at.Time, c.try.Time, c.rates = st.Time, st.Time, rates
}

// coupled reports whether there are couplings, which count the turns of angles, composite joints or points on curves. Steps then are so
// short that no turn is lost, and the angles of states are followed.
func (c *Closer) coupled() bool { return c.mech.NumCouplings() > 0 || c.mech.HasFollowed() }

// carry gives dst poses and velocities of src, and its angles if they are followed, or none.
func (c *Closer) carry(dst, src *mechanism.State) {
	copy(dst.Bodies, src.Bodies)
	dst.Angles = dst.Angles[:0]
	if c.coupled() {
		dst.Angles = append(dst.Angles, src.Angles...)
	}
}

// displace moves dst from src by h·x. Angles that are followed stay as in src, until misfitAt reads them anew.
func (c *Closer) displace(dst, src *mechanism.State, h float64, x []float64) {
	c.mech.DisplaceTo(dst, src, h, x)
	if c.coupled() {
		dst.Angles = append(dst.Angles[:0], src.Angles...)
	}
}

// cannot is the error for the errors in c.delta.
func (c *Closer) cannot(fit misfit, rate bool) error {
	if fit.elsewhere {
		return c.tell(nil)
	}
	return c.tell(c.atRow(fit, rate))
}

// atRow is the error of the row with the largest error.
func (c *Closer) atRow(fit misfit, rate bool) error {
	p := c.layout.Pattern
	node := c.mech.NumBodies()
	for int(p.Off[node+1]) <= fit.row {
		node++
	}
	j := c.layout.NodeJoint(node)
	if j < 0 {
		i := c.layout.NodeConstraint(node)
		return &CloseError{
			At: *c.mech.AtConstraint(i, -1, ErrCannotClose), Linear: !c.flat[fit.row], Rate: rate,
			Off: math.Abs(c.delta[fit.row]) / c.size(node), Steps: c.closing.Steps,
		}
	}
	jt := &c.mech.Joints[j]
	return &CloseError{
		At:          *c.mech.AtJoint(j, fit.row-int(p.Off[node]), ErrCannotClose),
		Predecessor: c.mech.BodyName(int(jt.Pred)), Successor: c.mech.BodyName(int(jt.Succ)),
		Linear: !c.flat[fit.row], Rate: rate,
		Off: math.Abs(c.delta[fit.row]), Steps: c.closing.Steps,
	}
}

// step moves c.at to a state with a smaller merit and reports whether there is
// one. The errors of c.at are in c.delta.
//
// The step, of Levenberg and Marquardt, theory.md (37), is the minimum of
//
//	‖J·x + δ‖² + μ·‖x‖²
//
// in the metrics of the rows' scales and of the inertias: one solve with the proximal term μ on
// all rows. With μ the square of the relative error it converges like Newton's method, also
// where rows become dependent at the solution (Yamashita & Fukushima 2001). The rows of a
// redundant joint contradict each other only by the square of the error. So small errors are
// removed without damping, and without its bias along weak directions.
func (c *Closer) step(fit misfit) (misfit, bool, error) {
	if err := c.linearize(c.at); err != nil {
		return fit, false, err
	}
	c.setErrors()
	if after, ok, over := c.undamped(fit); over {
		return after, ok, nil
	}
	mu := dampingAt(fit.relative)
	var lost error // a pivot is lost where damping is too little against rounding
	for range closeRaises {
		if ended := c.halt.Err(); ended != nil {
			return fit, false, ended
		}
		if lost = c.fac.FactorizeDamped(c.damping, mu); lost == nil {
			if after, ok := c.search(fit, true); ok {
				return after, true, nil
			}
		}
		mu = raised(mu)
	}
	// c.delta and c.kin are of the last trial.
	if _, err := c.misfitAt(c.at); err != nil {
		return fit, false, err
	}
	return fit, false, named(lost)
}

// search goes from c.at along the solution of the factored system. It halves a damped step a few
// times at most, until the merit drops by a part, and returns false if it does not.
//
// Where branches of motion meet, errors are of second order in the displacements, and a full
// step goes half the way. So if it gains little, twice the step is tried.
func (c *Closer) search(fit misfit, damped bool) (misfit, bool) {
	c.solve()
	longest := closeTurn / c.turn()
	h, halves := min(1, longest), 1
	if damped {
		halves = closeHalves
	}
	for range halves {
		if c.halt.Up() {
			break
		}
		c.displace(c.try, c.at, h, c.x)
		after, err := c.misfitAt(c.try)
		if err == nil && drops(fit, after, h, damped) {
			c.at, c.try = c.try, c.at
			if slow(fit, after, h) && longest >= 2 {
				return c.double(after)
			}
			return after, true
		}
		h /= 2
	}
	return fit, false
}

// double goes on from c.at by the step c.x again if that is better. It returns the errors at c.at, and false if they cannot be computed.
func (c *Closer) double(fit misfit) (misfit, bool) {
	c.displace(c.try, c.at, 1, c.x)
	after, err := c.misfitAt(c.try)
	if err == nil && after.merit < fit.merit {
		c.at, c.try = c.try, c.at
		return after, true
	}
	fit, err = c.misfitAt(c.at) // again, as c.delta is of the trial
	return fit, err == nil
}

// solve stores the step in c.x.
func (c *Closer) solve() {
	c.fac.SolveTo(c.x, c.sys.Right)
	c.sys.AccelerationsTo(c.x, c.x)
	c.exchange(c.x)
}

// turn returns the largest rotation in the step c.x.
func (c *Closer) turn() (angle float64) {
	for i := 0; i < 6*c.mech.NumBodies(); i += 6 {
		w := (*spatial.Vec3)(c.x[i:])
		angle = max(angle, w[0]*w[0]+w[1]*w[1]+w[2]*w[2])
	}
	return math.Sqrt(c.largest(angle))
}

// measureMoves compares the poses of c.at and c.from.
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
