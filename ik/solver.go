package ik

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/mechanism"
)

// ErrUnreached is wrapped by the error of a task whose targets are not
// all within their tolerances. The result is filled and says why.
var ErrUnreached = errors.New("ik: targets not reached")

const (
	defaultSteps    = 200
	defaultRestarts = 100 // of trees

	// stepTurn and stepLength bound a step of a driven freedom: rad, and a part of the length of the problem.
	stepTurn, stepLength = 0.8, 0.3
)

// Solver moves states to where the targets of a problem are met. It owns all memory that it needs and belongs to one
// goroutine at a time.
type Solver struct {
	p         *Problem
	o         Options
	eng       engine
	whole     *sparseSolver // replaces all fields below except the result; nil with another engine
	bounded   *bounded
	spectrum  *eigen.Spectrum // of the report
	levels    []level
	order     []int32   // row of the engine for each row here; nil: the same
	size      []float64 // n: rad, or m of one unit of a step: the length of the problem where a freedom is a length
	lengths   bool      // there is such a freedom
	unit      []float64 // n: largest step, in these units
	low, high []float64 // n: limits of the driven freedoms, or for a while others
	noLimits  [2][]float64

	q, try, start []float64 // n: coordinates, those at which the engine is, those of the call
	e, raw, tried []float64 // errors of the rows by levels, as the engine gives them, and of a trial
	J, rawJ       []float64 // 𝒥 by levels, with the rows of the posture
	want          []float64 // errors at which the rows of finished levels are held
	fix           *bounded  // of the rows of finished levels; nil for one level
	fixJ, fixC    []float64 // 𝒥 there, and with the rows of curbs
	lack          []float64 // what finished levels lack after a step
	curbs         []*curb   // by level, of those that are not reached; nil for one level, or many driven freedoms
	bent          bool      // a level before the one at hand is not reached
	level         int       // at hand
	gathered      []float64 // what the levels before hold
	stay          [2][]float64
	aside         []float64 // n: coordinates near a pose
	kept          kept      // best of the starts
	random        *rand.PCG
	dice          *rand.Rand
	along, home   []float64 // n: of kicks
	from          []float64 // n: of a step
	slope, before []float64 // n: gradient of a level, and that before a step
	secant        *secant   // nil for many driven freedoms
	predicted     float64   // what the step should take away from the merit
	contrary      []bool    // by target: others of its priority pull against it

	flag     *halt.Flag
	deadline time.Time
	steps    int // of this start
	most     int // largest number of them
	hasty    bool
	result   Result
	kin      *mechanism.Kinematics // of the report
	failed   Unreached
	track    *track // nil before Track
	watch    func(*Result)
	placed   bool // the engine is at a state
}

// level holds the rows of one priority, or those of the posture.
type level struct {
	first, end int
	targets    []int32 // of the problem; nil for the posture
	status     Status
}

// Unreached is the error of Reach: it wraps ErrUnreached and names the target that is farthest from its tolerance.
// Target and Off are zero where each is within its own, but the posture has not ended or a limit does not hold.
type Unreached struct {
	Status Status
	Target string
	Off    float64 // m or rad
	Unit   string
}

// Error names the status and the target, if one is off.
func (u *Unreached) Error() string {
	if u.Off == 0 {
		return fmt.Sprintf("%v (%v), though each is within its tolerance", ErrUnreached, u.Status)
	}
	return fmt.Sprintf("%v (%v): target %q is off by %.3g %s", ErrUnreached, u.Status, u.Target, u.Off, u.Unit)
}

// Unwrap returns ErrUnreached.
func (u *Unreached) Unwrap() error { return ErrUnreached }

// ErrEngine is returned where the engine that is asked for cannot do a problem.
var ErrEngine = errors.New("ik: engine cannot do this task")

// NewSolver allocates a solver of p. Zero options are the defaults; those of the task are in Task.Solver.
//
// Cost: O(bodies + joints + m·n).
// It returns ErrEngine where the engine that is asked for cannot do the problem. It panics if a number of o is out of range.
func (p *Problem) NewSolver(o Options) (*Solver, error) {
	o.mustBe()
	if p.sparse(&o) {
		return p.newSparseSolver(o)
	}
	eng, err := p.newEngine(o)
	if err != nil {
		return nil, err
	}
	kind := DrivenEngine
	if _, ok := eng.(*treeEngine); ok {
		kind = TreeEngine
	}
	return newSolver(p, o, eng, kind), nil
}

// newSolver allocates a solver of p on an engine.
func newSolver(p *Problem, o Options, eng engine, kind Engine) *Solver {
	_, n := eng.Dims()
	s := &Solver{p: p, o: o, eng: eng, most: o.Steps, random: rand.NewPCG(o.Seed, 0)}
	s.dice = rand.New(s.random)
	if s.most == 0 {
		s.most = defaultSteps
	}
	if s.o.Method == Auto {
		s.o.Method = DLS
	}
	rows := s.sortRows(n)
	for _, v := range []*[]float64{&s.q, &s.try, &s.start, &s.unit, &s.size, &s.along, &s.from, &s.home, &s.slope, &s.before} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&s.e, &s.tried, &s.want} {
		*v = make([]float64, rows)
	}
	s.low, s.high = p.lower, p.upper
	s.noLimits[0], s.noLimits[1], _ = boundless(n)
	for i := range s.unit {
		s.unit[i], s.size[i] = stepTurn, 1
		if !p.angle[i] {
			s.unit[i], s.size[i], s.lengths = stepLength, p.length, true
		}
	}
	some := rows
	if len(s.levels) > 1 && s.o.Method == DLS && n <= secantMost {
		some += n
	}
	s.bounded, s.spectrum = newBounded(some, n, s.o.Method), eigen.NewSpectrum(p.m, n)
	if s.o.Method == DLS {
		s.secant = newSecant(n)
		s.bounded.allowCurve(s.secant)
	}
	if len(s.levels) > 1 {
		s.fix = newBounded(some, n, DLS)
		s.fixJ, s.lack = make([]float64, rows*n), make([]float64, some)
	}
	if some > rows {
		s.fixC, s.gathered, s.aside = make([]float64, some*n), make([]float64, some*n), make([]float64, n)
		s.stay[0], s.stay[1] = make([]float64, n), make([]float64, n)
		for range s.levels[1:] {
			s.curbs = append(s.curbs, newCurb(rows, n))
		}
	}
	s.kept.make(p, n, len(s.levels))
	s.contrary = make([]bool, len(p.targets))
	s.result = Result{Name: p.plan.Mechanism().Name, Method: s.o.Method, Engine: kind, Targets: make([]TargetResult, len(p.targets)), Driven: make([]DrivenResult, n),
		SingularValues: make([]float64, min(p.m, n))}
	s.kin = &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, p.plan.Mechanism().NumBodies())}
	for _, f := range p.following {
		s.result.Following = append(s.result.Following, DrivenResult{Joint: p.plan.Mechanism().JointName(f.Joint), Freedom: f.Freedom})
	}
	for i, f := range p.driven {
		s.result.Driven[i].Joint, s.result.Driven[i].Freedom = p.plan.Mechanism().JointName(f.Joint), f.Freedom
	}
	return s
}

// sortRows puts the rows in the order of their levels, the posture last, and returns their number.
func (s *Solver) sortRows(n int) int {
	p := s.p
	inOrder := true
	for l := range p.levels {
		v := level{first: len(s.order)}
		for t := range p.targets {
			if g := &p.targets[t]; g.level == l {
				v.targets = append(v.targets, int32(t))
				for i := range g.n {
					inOrder = inOrder && g.first+i == len(s.order)
					s.order = append(s.order, int32(g.first+i))
				}
			}
		}
		v.end = len(s.order)
		s.levels = append(s.levels, v)
	}
	rows := p.m
	if len(p.rest) > 0 {
		rows += len(p.rest)
		s.levels = append(s.levels, level{first: p.m, end: rows})
	}
	s.J, s.raw, s.rawJ = make([]float64, rows*n), make([]float64, p.m), make([]float64, p.m*n)
	if inOrder {
		s.order = nil
	}
	for k, r := range p.rest {
		s.J[(p.m+k)*n+r.driven] = p.length // unitOf times the unit of a step
	}
	return rows
}

// unitOf returns what makes driven freedom i a length.
func (p *Problem) unitOf(i int) float64 {
	if p.angle[i] {
		return p.length
	}
	return 1
}

// Reach moves st to a pose at which the targets are met, or to the nearest one that it finds. A state that violates the
// joints is closed first, prescribed freedoms by their motions at its time; rates become zero. The result holds until the
// next use of s.
//
// Cost: a step is one evaluation of the engine and O(m·n·min(m, n)), no allocation. It returns an error that wraps
// ErrUnreached if targets are not met, unless Options.Nearest is set. It returns an error, with st as it was, if st is
// not of the mechanism or cannot be closed, or for the sparse method if the axes of a composite joint depend
// on each other there (joints.ErrSingular). Other errors wrap ErrOverflow or, with FIKMethod, are a
// *FilterError at a pose where the filter cannot run.
func (s *Solver) Reach(st *mechanism.State) (*Result, error) {
	return s.ReachContext(context.Background(), st)
}

// ReachContext is Reach that ends with the context: it returns the context's error within a step, with st as it was.
func (s *Solver) ReachContext(ctx context.Context, st *mechanism.State) (*Result, error) {
	if s.whole != nil {
		s.placed = false
		if err := s.whole.reach(ctx, st, &s.result); err != nil {
			return nil, err
		}
		return s.verdictOf()
	}
	begin := time.Now()
	flag, end := halt.FlagOf(ctx)
	defer end()
	s.flag, s.deadline = flag, time.Time{}
	if s.o.MaxTime > 0 {
		s.deadline = begin.Add(s.o.MaxTime)
	}
	if err := s.Set(st); err != nil {
		return nil, err
	}
	s.eng.coordinatesTo(s.q)
	s.result.Outside = s.p.outside(s.q)
	s.random.Seed(s.o.Seed, 0)
	if err := s.enter(); err != nil {
		return nil, err
	}
	copy(s.start, s.q)
	if s.o.Method == FIKMethod {
		copy(s.try, s.q)
		if err := s.feed(); err != nil {
			return nil, err
		}
	} else {
		s.search()
	}
	if s.flag.Up() {
		return nil, context.Cause(ctx)
	}
	s.eng.stateTo(st)
	s.report(begin, st)
	return s.verdictOf()
}

// ErrOverflow is wrapped by the error of a mechanism whose size, or
// distance from its targets, is beyond what numbers hold.
var ErrOverflow = errors.New("ik: numbers overflow")

// overflow returns an error if a number of the result is infinite or undefined, but for the manipulability.
func (r *Result) overflow() error {
	for i := range r.Targets {
		if t := &r.Targets[i]; !algebra.Finite(t.Linear, t.Angular) {
			return fault.Errorf("%w: how far target %s is off is not finite", ErrOverflow, fault.Name(t.Name))
		}
	}
	for i := range r.Driven {
		if d := &r.Driven[i]; !algebra.Finite(d.Value, d.Rate) {
			return fault.Errorf("%w: freedom %d of joint %s is not finite", ErrOverflow, d.Freedom, fault.Name(d.Joint))
		}
	}
	if !algebra.Finite(r.ClosingError) || !algebra.Finite(r.SingularValues...) {
		return ErrOverflow
	}
	return nil
}

// verdictOf returns the result, with an error if the targets are not met.
func (s *Solver) verdictOf() (*Result, error) {
	if err := s.result.overflow(); err != nil {
		return nil, err
	}
	if s.result.Status == Reached || s.o.Nearest {
		return &s.result, nil
	}
	s.failed = s.worst()
	return &s.result, &s.failed
}

// enter brings the driven freedoms within their limits.
func (s *Solver) enter() error {
	inside := true
	for i, q := range s.q {
		s.try[i] = min(max(q, s.low[i]), s.high[i])
		inside = inside && s.try[i] == q
	}
	clear(s.bounded.side)
	if inside {
		return nil
	}
	copy(s.q, s.try)
	return s.eng.moveTo(s.q)
}

// over reports whether the context or the time is.
func (s *Solver) over() bool {
	return s.flag.Up() || !s.deadline.IsZero() && time.Now().After(s.deadline)
}

// descend brings the levels to their least errors, one after the other, from s.q.
func (s *Solver) descend() { s.descendTo(len(s.levels)) }

// descendTo is descend for the first levels.
func (s *Solver) descendTo(levels int) {
	s.steps = 0
	copy(s.try, s.q)
	for l := range s.levels {
		s.levels[l].status = OutOfSteps
	}
	s.errorsTo(s.e)
	low, high := s.low, s.high
	defer func() { s.low, s.high, s.bent, s.level = low, high, false, 0 }()
	for l := range s.levels[:levels] {
		v := &s.levels[l]
		s.level = l
		v.status = s.lower(l)
		s.secant.forget()
		if v.status == OutOfSteps || s.hasty && v.status != Reached {
			return
		}
		for r := v.first; r < v.end; r++ {
			s.want[r] = s.e[r]
			if v.status == Reached {
				s.want[r] = 0
			}
		}
		if l+1 < len(s.levels) && s.curbed(l) {
			s.settle(l)
		}
	}
}

// errorsTo stores the errors of the rows by levels.
func (s *Solver) errorsTo(e []float64) {
	s.errorsOfTargetsTo(e)
	for k, r := range s.p.rest {
		e[s.p.m+k] = s.p.unitOf(r.driven) * (r.value - s.try[r.driven])
	}
}

// errorsOfTargetsTo is errorsTo without the rows of the posture.
func (s *Solver) errorsOfTargetsTo(e []float64) {
	if s.order == nil {
		s.eng.errorsTo(e[:s.p.m])
	} else {
		s.eng.errorsTo(s.raw)
		for i, r := range s.order {
			e[i] = s.raw[r]
		}
	}
}

// refresh computes 𝒥 by levels, and the curbs of levels before the one at hand.
func (s *Solver) refresh() {
	s.jacobianTo(s.J)
	if s.bent {
		s.curbsAt(s.level, s.q) // where a pose nearby cannot be had, they are those of the pose before
		copy(s.aside, s.q)
		_ = s.eng.moveTo(s.aside) // it has come from there
	}
}

// jacobianTo stores 𝒥 by levels, in the units of steps: columns of lengths times the length of the problem. So neither
// damping nor steps depend on the unit of length. Rows of the posture stay.
func (s *Solver) jacobianTo(J []float64) {
	J = J[:len(s.rawJ)]
	n := len(s.q)
	if s.order == nil {
		s.eng.jacobianTo(J)
	} else {
		s.eng.jacobianTo(s.rawJ)
		for i, r := range s.order {
			copy(J[i*n:i*n+n], s.rawJ[int(r)*n:])
		}
	}
	if s.lengths {
		for r := 0; r < len(J); r += n {
			for i, size := range s.size {
				J[r+i] *= size
			}
		}
	}
}

// merit returns half the square sum of the errors of a level.
func (v *level) merit(e []float64) float64 {
	e = e[v.first:v.end]
	return algebra.Dot(e, e) / 2
}

// met reports whether all targets of a level are within their tolerances.
func (s *Solver) met(v *level) bool {
	if v.targets == nil {
		return false
	}
	at := v.first
	for _, t := range v.targets {
		g := &s.p.targets[t]
		linear, angular := g.off(s.e[at:])
		if !(linear <= g.tolerance[0] && angular <= g.tolerance[1]) {
			return false
		}
		at += g.n
	}
	return true
}

// Aim moves what a target wants: the place, and the orientation where
// it has one, in its frame R. It holds until the next Aim.
//
// Cost: O(targets), no allocation. It returns ErrUnknown for a name that is no target's or a target without a place,
// and ErrPlace for numbers that are not finite or an orientation that is no unit quaternion to 1e-6.
func (s *Solver) Aim(name string, position [3]float64, orientation [4]float64) error {
	t := s.p.targetIndex(name)
	if t < 0 || s.p.targets[t].Type == Coordinate || s.p.targets[t].Type == Distance {
		return ErrUnknown
	}
	place := mechanism.BodyState{Position: position, Rotation: orientation}
	if !place.IsFinite() || magnitude(position[:]...) != "" {
		return ErrPlace
	}
	w := s.p.targets[t].want
	w.position, w.orientation = position, place.Rotation.Normalize()
	s.aimTarget(t, w)
	return nil
}

// AimValue moves what a Coordinate, rad or m, or a Distance, m, wants. It holds until the next AimValue.
//
// Cost: O(targets), no allocation. It returns ErrUnknown for a name that is no such target's, and ErrPlace for a number
// that is not finite or no length.
func (s *Solver) AimValue(name string, value float64) error {
	t := s.p.targetIndex(name)
	if t < 0 || s.p.targets[t].Type != Coordinate && s.p.targets[t].Type != Distance {
		return ErrUnknown
	}
	if magnitude(value) != "" || s.p.targets[t].Type == Distance && !(value > 0) {
		return ErrPlace
	}
	w := s.p.targets[t].want
	w.value = value
	s.aimTarget(t, w)
	return nil
}

func (s *Solver) aimTarget(t int, w want) {
	if s.whole != nil {
		s.whole.aim(t, w)
	}
	if s.eng != nil {
		s.eng.aim(t, w)
	}
}

var (
	// ErrUnknown is returned for a name that no target has.
	ErrUnknown = errors.New("ik: no such target")
	// ErrPlace is returned for numbers that are not finite, or that are no unit quaternion.
	ErrPlace = errors.New("ik: place not finite or beyond 1e50, orientation no unit quaternion, or length not positive")
)
