package ik

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/mechanism"
)

// NewSolver allocates a solver of p. Zero options are the defaults; Task.Solver has the options of the task.
//
// Cost: O(bodies + joints + m·n), for the sparse method the analysis of the system with the targets in it.
// It returns ErrEngine where the engine that is asked for cannot do the problem. It panics if a number of o is out of range.
func (p *Problem) NewSolver(o Options) (*Solver, error) {
	o.mustBe()
	if p.sparse(&o) {
		if err := o.fitSparse(); err != nil {
			return nil, err
		}
		m, err := newSparse(context.Background(), p, o)
		if err != nil {
			return nil, err
		}
		return newSolver(p, o, m, &m.progress, Result{Method: Sparse, Engine: SparseEngine, Rank: NotComputed, NullMotions: NotComputed}), nil
	}
	eng, err := p.newEngine(o)
	if err != nil {
		return nil, err
	}
	kind := DrivenEngine
	if _, ok := eng.(*treeEngine); ok {
		kind = TreeEngine
	}
	if o.Method == Auto {
		o.Method = DLS
	}
	m := newDense(p, o, eng, kind)
	r := Result{Method: o.Method, Engine: kind, SingularValues: make([]float64, min(p.m, len(p.driven)))}
	for _, f := range p.following {
		r.Following = append(r.Following, DrivenResult{Joint: p.plan.Mechanism().JointName(f.Joint), Freedom: f.Freedom})
	}
	return newSolver(p, o, m, &m.progress, r), nil
}

// newSolver returns a solver of p by method m, whose progress is now. r is the result with the parts that depend on the method.
func newSolver(p *Problem, o Options, m approach, now *progress, r Result) *Solver {
	mech := p.plan.Mechanism()
	r.Name, r.Targets, r.Driven = mech.Name, make([]TargetResult, len(p.targets)), make([]DrivenResult, len(p.driven))
	for i, f := range p.driven {
		r.Driven[i].Joint, r.Driven[i].Freedom = mech.JointName(f.Joint), f.Freedom
	}
	return &Solver{p: p, o: o, m: m, now: now, best: best{merit: make([]float64, m.levels())}, eng: m.engine(), result: r}
}

// Reach moves st to a pose at which the targets are met, or to the nearest pose that it finds. A state that violates the joints is closed
// first, with prescribed freedoms by their motions at its time; rates become zero. The result holds until the next use of s.
//
// Cost: a step is one evaluation of the engine and O(m·n·min(m, n)), no allocation. It returns an error that wraps ErrUnreached if targets
// are not met, unless Options.Nearest is set. It returns an error, with st as it was, if st is not of the mechanism or cannot be closed,
// and with the sparse method if the axes of a composite joint depend on each other there (joints.ErrSingular). Other errors wrap
// ErrOverflow or, with FIKMethod, are a *FilterError at a pose where the filter cannot run.
func (s *Solver) Reach(st *mechanism.State) (*Result, error) {
	return s.ReachContext(context.Background(), st)
}

// ReachContext is Reach that ends early when ctx does: it then returns the cause within a step, with st as it was.
func (s *Solver) ReachContext(ctx context.Context, st *mechanism.State) (*Result, error) {
	begin := time.Now()
	flag, end := halt.FlagOf(ctx)
	defer end()
	defer s.m.heed(ctx)()
	s.now.flag = flag
	s.now.allow(s.o.MaxTime)
	err := s.searchFrom(st)
	if s.now.flag.Up() {
		return nil, context.Cause(ctx)
	}
	if err == nil {
		err = s.m.end(st)
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	s.p.windTo(st, s.m.coordinates())
	s.report(st)
	s.result.Elapsed = time.Since(begin)
	return s.verdict()
}

// searchFrom brings the method to st and searches from there.
func (s *Solver) searchFrom(st *mechanism.State) error {
	s.placed = false
	if err := s.m.begin(st); err != nil {
		return err
	}
	s.placed = s.m.engine() != nil
	return s.search()
}

// verdict returns the result, with an Unreached error if targets are not met, unless Options.Nearest is set. Where numbers overflow it
// returns an error alone.
func (s *Solver) verdict() (*Result, error) {
	if err := s.result.overflow(); err != nil {
		return nil, err
	}
	if s.result.Status == Reached || s.o.Nearest {
		return &s.result, nil
	}
	s.failed = s.worst()
	return &s.result, &s.failed
}

// Aim gives a target another wanted place, m, and another wanted orientation if it has one, in its frame R. They hold until the next Aim.
//
// Cost: O(targets), no allocation. It returns an error if no target has the name, or the target has no place, and for numbers that are not
// finite or beyond 1e50 and orientations that are no unit quaternions to 1e-6.
func (s *Solver) Aim(name string, position [3]float64, orientation [4]float64) error {
	t := s.p.targetIndex(name)
	if t < 0 || s.p.targets[t].Type == Coordinate || s.p.targets[t].Type == Distance {
		return errUnknown
	}
	place := mechanism.BodyState{Position: position, Rotation: orientation}
	if !place.IsFinite() || sizeRule(position[:]...) != "" {
		return errPlace
	}
	w := s.p.targets[t].wanted
	w.position, w.orientation = position, place.Rotation.Normalize()
	s.aimTarget(t, w)
	return nil
}

// AimValue sets the wanted value of a Coordinate, rad or m, or of a Distance, m. It holds until the next AimValue.
//
// Cost: O(targets), no allocation. It returns an error if no target of these types has the name, for a number that is not finite or beyond
// 1e50, and for a Distance that is not positive.
func (s *Solver) AimValue(name string, value float64) error {
	t := s.p.targetIndex(name)
	if t < 0 || s.p.targets[t].Type != Coordinate && s.p.targets[t].Type != Distance {
		return errUnknown
	}
	if sizeRule(value) != "" || s.p.targets[t].Type == Distance && !(value > 0) {
		return errPlace
	}
	w := s.p.targets[t].wanted
	w.value = value
	s.aimTarget(t, w)
	return nil
}

// aimTarget sets the wanted place of target t in the method, and in the engine of Set if it is another one.
func (s *Solver) aimTarget(t int, w wanted) {
	s.m.aim(t, w)
	if s.eng != nil && s.m.engine() == nil {
		s.eng.aim(t, w)
	}
}

// errNoPath is returned by Track for a task without a path.
var errNoPath = errors.New("ik: task has no path")

// Track moves st along the path of the task. It calls each at every sample, the first and the last time of the path included, with the
// time, the state with its rates, and the result of the sample. State and result hold until each returns. The state carries all angles,
// so that mechanism.Mechanism.Coordinate goes on past half a turn. An error of each ends the run, and is returned.
//
// Unless Path.FromPose is set, the start of the path is reached first, by the steps of Reach. With Path.FromPose, and without Path.Exact,
// the path starts from the pose of st: Track returns a *mechanism.ViolationError if this pose violates the joints. The path is then
// followed in one of three ways:
//
//   - By default, closed-loop inverse kinematics: the rates q̇ of the driven freedoms minimize
//     ½‖𝒥q̇ − (rate + κe)‖² + ½k‖q̇‖² within limits and largest rates, level after level, the posture last.
//   - With FIKMethod the rates are computed by feedback inverse kinematics, and cut at the limits.
//   - With Path.Exact all targets are met at every sample, by the steps of Reach.
//
// With Path.Stretch a section takes as long as the largest rates need; each is then called with times of the motion, which are later than
// the times of the path.
//
// Cost: a sample is one evaluation of the engine and O(m·n·min(m, n)), no allocation; with Path.Exact it is a Reach. Track returns an error
// if the task has no path, ErrEngine with the sparse method unless Path.Exact is set, and the errors of Reach. Unless Options.Nearest is
// set, it returns an *Unreached, after the call of each, if the start of the path is not reached, or with Path.Exact a sample.
func (s *Solver) Track(ctx context.Context, st *mechanism.State, each func(t float64, st *mechanism.State, r *Result) error) error {
	halt.Must(ctx)
	if s.p.task.Path == nil {
		return errNoPath
	}
	flag, end := halt.FlagOf(ctx)
	defer end()
	defer s.m.heed(ctx)()
	s.now.flag = flag
	s.now.allow(0)
	s.placed = false
	c, lost, err := s.m.beginPath(st)
	if err != nil {
		return err
	}
	s.placed = s.m.engine() != nil
	defer s.m.endPath()
	s.trail.begin(s.p.plan.Mechanism(), st)
	if lost && !flag.Up() {
		const strict = true
		return s.callEach(c.times[0], st, strict, each)
	}
	return s.eachSample(ctx, c, st, each)
}

// wholeStep is the part of a step that is rounding: where no more is left of the span after whole steps, no further step follows.
const wholeStep = 1e-9

// eachSample goes along a course and calls each with the result of every sample. The samples are equally distant in the path's time.
func (s *Solver) eachSample(
	ctx context.Context, c *course, st *mechanism.State, each func(t float64, st *mechanism.State, r *Result) error,
) error {
	exact := s.p.task.Path.Exact
	span := c.times[len(c.times)-1] - c.times[0]
	samples := max(1, int(math.Ceil(span/c.step-wholeStep)))
	dt, late := span/float64(samples), 0.0 // late is how much the motion is behind the path, as time is stretched
	for k := range samples + 1 {
		at := c.at(k, samples)
		took, err := s.m.sample(st, at, dt, k == 0)
		if s.now.flag.Up() {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if exact && k > 0 {
			late += took - dt
		}
		if err := s.callEach(at+late, st, exact, each); err != nil {
			return err
		}
		if !exact && k < samples {
			late += took - dt
			if err := s.m.advance(took); err != nil {
				return err
			}
		}
	}
	return nil
}

// callEach stores the sample in st, with the time now, s, and calls each with its result. It returns the error of each, and if strict is
// set an *Unreached if targets are not met.
func (s *Solver) callEach(now float64, st *mechanism.State, strict bool, each func(t float64, st *mechanism.State, r *Result) error) error {
	rates, err := s.m.ratesTo(st)
	if err != nil {
		return err
	}
	st.Time = now
	s.trail.follow(s.p, st, s.m.coordinates())
	s.result.Steps, s.result.Restarts, s.result.Elapsed = s.now.steps, 0, 0
	s.report(st)
	for i, x := range rates {
		s.result.Driven[i].Rate = x
	}
	if err := s.result.overflow(); err != nil {
		return err
	}
	if err := each(now, st, &s.result); err != nil {
		return err
	}
	if strict {
		_, err = s.verdict()
	}
	return err
}
