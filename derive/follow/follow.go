package follow

import (
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Reasons for which a solution has no derivative. Errors wrap one of them and name the freedom or the target.
var (
	// ErrFree is for a solution that is one of many: driven freedoms can move, and the targets stay where they are.
	ErrFree = errors.New("derive/follow: the solution is not the only one nearby")
	// ErrLimit is for a freedom that is at its limit and that nothing presses there: the solution has a derivative of one side at most.
	ErrLimit = errors.New("derive/follow: a freedom only touches its limit")
	// ErrSingular is for a pose at which targets lose their rank.
	ErrSingular = errors.New("derive/follow: the targets are singular at the solution")
	// ErrLeaves is for a direction along which a target that is reached is reached no more.
	ErrLeaves = errors.New("derive/follow: a target cannot be reached any more along the direction")
	// ErrNotLeast is for a pose that is no solution: errors that are not zero are not at their least either.
	ErrNotLeast = errors.New("derive/follow: the pose is no solution of the task")
	// ErrDependent is for driven freedoms of which some follow from the others.
	ErrDependent = errors.New("derive/follow: driven freedoms depend on each other")
)

// Options choose what a derivative is. The zero value is the default.
type Options struct {
	// Least takes of all changes that keep the targets the least one of the driven freedoms, with angles times the length of the problem,
	// where the solution is not the only one: that of a search which begins at the solution. Motions that nothing drives then go where
	// masses leave them.
	Least bool
}

// Direction is along what a solution changes.
type Direction struct {
	Name       string
	Parameters []derive.NamedParameter // numbers of the model
	// Task returns the task with its numbers changed by so many units; nil: it stays. It is asked for four tasks, up to Step to both sides.
	// Rows, names and driven freedoms have to stay. Errors of targets are closed forms, so their differences of order 4 are exact to
	// some 1e-12.
	Task func(by float64) (*ik.Task, error)
	Step float64 // largest change of the task that is tried, in units; 0 stands for 1e-3
}

// Change is how a solution changes along a direction, a unit of it.
type Change struct {
	Driven []float64 // in the order of ik.Problem.Driven, rad or m
	// Moves has six numbers a body: its rotation, rad, and the travel of its centre of mass, m, beyond what a change of com in the body moves.
	// World axes.
	Moves []float64
}

// Solution is a solution of a task. It belongs to one goroutine.
type Solution struct {
	p     *ik.Problem
	st    *mechanism.State
	least bool

	plan   *kkt.Plan // with the driven and held freedoms prescribed
	in     *mechanism.Inputs
	closer *closing.Closer
	d      *derive.Derivatives
	exact  *ik.Exact
	hands  []*derive.Parameter // by driven freedom

	m      int       // rows of targets; those of the posture follow
	q      []float64 // driven coordinates
	size   []float64 // rad, or m of one unit of a change: the length of the problem where a freedom is a length
	length float64
	levels []ik.Level
	e      []float64 // errors of all rows
	side   []int8    // at which limit a driven freedom is
}

// limitTol is how near a freedom at its limit is, rad or lengths: the sparse method reaches limits so.
const limitTol = 1e-9

// New takes the solution st of a task; m is the model of its plan. Whether targets are reached is seen at st.
//
// Cost: the analysis of the mechanism with its driven freedoms prescribed, two ranks and an evaluation. It returns ErrDependent, ErrFree
// for motions that nothing drives, and the errors of derive.Derivatives.At. It panics if st is of another mechanism.
func New(p *ik.Problem, m *model.Model, st *mechanism.State, o Options) (*Solution, error) {
	s := &Solution{p: p, st: st.Clone(), least: o.Least, exact: p.NewExact()}
	s.st.Rest()
	if err := s.prescribe(); err != nil {
		return nil, err
	}
	s.d = derive.New(s.plan, m)
	for _, f := range p.Driven() {
		x, err := s.d.Prescribed(f)
		if err != nil {
			return nil, err
		}
		s.hands = append(s.hands, x)
	}
	if err := s.exact.At(s.st); err != nil {
		return nil, err
	}
	s.m, _ = p.Dims()
	s.levels = s.exact.Levels()
	s.e = make([]float64, s.m)
	s.exact.ErrorsTo(s.e)
	s.setCoordinates()
	return s, nil
}

// prescribe makes the mechanism whose driven and held freedoms are prescribed, and sees whether that determines its pose.
func (s *Solution) prescribe() error {
	base := s.p.Plan()
	free := func(list []mechanism.Freedom) (*kkt.Plan, int, error) {
		mech, err := base.Mechanism().Prescribe(list)
		if err != nil {
			return nil, 0, fault.Errorf("derive/follow: %w", err)
		}
		plan := kkt.NewPlan(mech, kkt.Options{})
		rank, err := plan.NewSolver().RankAt(s.st)
		if err != nil {
			return nil, 0, fault.Errorf("derive/follow: %w", err)
		}
		return plan, 6*mech.NumBodies() - rank.Rank, nil
	}
	held, driven := s.p.Held(), s.p.Driven()
	_, before, err := free(held)
	if err != nil {
		return err
	}
	plan, left, err := free(append(driven, held...))
	switch {
	case err != nil:
		return err
	case before-left < len(driven):
		return fmt.Errorf("%w: %d of them move the mechanism in %d ways; name as many in the task", ErrDependent, len(driven), before-left)
	case left > 0 && !s.least:
		return fmt.Errorf("%w: motions that nothing drives: %d", ErrFree, left)
	}
	s.in = plan.Mechanism().NewInputs()
	s.plan = plan
	s.closer = closing.NewCloser(plan.With(s.in), closing.Options{})
	return nil
}

// setCoordinates stores the driven coordinates, rad or m, the unit of each (1 rad, or the length of the problem), the side on which a
// coordinate is at a limit, and the errors of the posture, in lengths of the problem.
func (s *Solution) setCoordinates() {
	mech := s.p.Plan().Mechanism()
	s.length = s.p.Length()
	for i, f := range s.p.Driven() {
		q, _ := mech.Coordinate(f, s.st)
		size := 1.0
		if !mech.Joints[f.Joint].Kind.Rotational(f.Freedom) {
			size = s.length
		}
		lower, upper, _ := s.p.Bounds(i)
		side := int8(0)
		switch {
		case q <= lower+limitTol*size:
			side = -1
		case q >= upper-limitTol*size:
			side = 1
		}
		s.q, s.size, s.side = append(s.q, q), append(s.size, size), append(s.side, side)
	}
	for _, r := range s.p.Rests() {
		s.e = append(s.e, s.length/s.size[r.Driven]*(r.Value-s.q[r.Driven]))
	}
}

// name returns the name of driven freedom i for messages.
func (s *Solution) name(i int) string { return fault.Name(s.p.DrivenName(i)) }

// goTo returns the pose whose driven coordinates are off by the change y, in units of size, near the solution. moves has how the
// bodies follow each freedom.
func (s *Solution) goTo(y []float64, moves [][]float64) (*mechanism.State, error) {
	st, mech := s.st.Clone(), s.plan.Mechanism()
	x := make([]float64, 6*mech.NumBodies())
	for i, f := range s.p.Driven() {
		by := s.size[i] * y[i]
		if err := s.hold(f, s.q[i]+by); err != nil {
			return nil, err
		}
		for k, v := range moves[i] {
			x[k] += by * v
		}
	}
	for _, f := range s.p.Held() {
		q, _ := s.p.Plan().Mechanism().Coordinate(f, s.st)
		if err := s.hold(f, q); err != nil {
			return nil, err
		}
	}
	mech.DisplaceTo(st, st, 1, x)
	if err := s.closer.ClosePositions(st); err != nil {
		return nil, fault.Errorf("derive/follow: %w", err)
	}
	mech.FollowAngles(mech.NewKinematics(), st)
	return st, nil
}

func (s *Solution) hold(f mechanism.Freedom, q float64) error {
	if err := s.in.SetMotion(f.Joint, f.Freedom, constant(q)); err != nil {
		return fault.Errorf("derive/follow: %w", err)
	}
	return nil
}
