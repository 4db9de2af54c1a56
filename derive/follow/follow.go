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

// Reasons why a solution has no derivative. Errors wrap one of them and name the freedom or the target.
var (
	// ErrFree is the error for a solution that is one of many: driven freedoms can move while the targets stay where they are.
	ErrFree = errors.New("derive/follow: the solution is not the only one nearby")
	// ErrLimit is the error for a freedom that is at its limit but not pressed against it: the solution has at most one-sided derivatives.
	ErrLimit = errors.New("derive/follow: a freedom only touches its limit")
	// ErrSingular is the error for a pose at which targets lose rank.
	ErrSingular = errors.New("derive/follow: the targets are singular at the solution")
	// ErrLeaves is the error for a direction along which a reached target is not reached any more.
	ErrLeaves = errors.New("derive/follow: a target cannot be reached any more along the direction")
	// ErrNotLeast is the error for a pose that is no solution: its errors are neither zero nor at their least.
	ErrNotLeast = errors.New("derive/follow: the pose is no solution of the task")
	// ErrDependent is the error for driven freedoms of which some follow from the others.
	ErrDependent = errors.New("derive/follow: driven freedoms depend on each other")
)

// Options choose which derivative is taken. The zero value is the default.
type Options struct {
	// Least takes the least change of the driven freedoms where the solution is not the only one, with angles times the length of the
	// problem: the change of a search that begins at the solution. Motions that nothing drives then follow by the least change in the
	// metric of the inertias.
	Least bool
}

// Direction is a direction of change of the task and of its model.
type Direction struct {
	Name       string
	Parameters []derive.NamedParameter // numbers of the model
	// Task returns the task with its numbers changed by by units of the direction; nil: the task does not change. It is called for four
	// values up to ±Step. Rows, names and driven freedoms have to stay the same. Errors of targets are closed forms, so their differences
	// of order 4 have errors of some 1e-12.
	Task func(by float64) (*ik.Task, error)
	Step float64 // largest change of the task that is tried, in units; 0 stands for 1e-3
}

// Change is the derivative of a solution along a direction, per unit of the direction.
type Change struct {
	Driven []float64 // in the order of ik.Problem.Driven, rad or m
	// Moves has six numbers a body: its rotation, rad, and the travel of its centre of mass, m, world axes. A change of com in the body is
	// not part of the travel.
	Moves []float64
}

// Solution is a solution of a task. It belongs to one goroutine.
type Solution struct {
	p     *ik.Problem
	st    *mechanism.State
	least bool

	plan   *kkt.Plan // plan of the mechanism with its driven and held freedoms prescribed
	in     *mechanism.Inputs
	closer *closing.Closer
	d      *derive.Derivatives
	exact  *ik.Exact
	driven []*derive.Parameter // prescribed value of each driven freedom

	m      int       // number of rows of targets; the rows of the posture follow
	q      []float64 // driven coordinates
	size   []float64 // unit of each driven freedom: 1 rad, or the length of the problem in m
	length float64
	levels []ik.Level
	e      []float64 // errors of all rows
	side   []int8    // −1 for a driven freedom at its lower limit, 1 at its upper one, 0 at none
}

// limitTol is the distance from a limit, in rad or lengths, up to which a freedom is at the limit: the sparse method comes that close.
const limitTol = 1e-9

// New takes over the solution st of a task; m is the model of its plan. Which targets are reached follows from st.
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
		s.driven = append(s.driven, x)
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

// prescribe makes the mechanism whose driven and held freedoms are prescribed. It returns ErrDependent if driven freedoms depend on each
// other, and ErrFree if motions remain, unless Options.Least is set.
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

// goTo returns the pose near the solution whose driven coordinates differ from it by y, in units of size. moves has the motions of the
// bodies by each driven freedom, from which the joints are closed.
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

// hold prescribes the constant coordinate q for freedom f.
func (s *Solution) hold(f mechanism.Freedom, q float64) error {
	if err := s.in.SetMotion(f.Joint, f.Freedom, constant(q)); err != nil {
		return fault.Errorf("derive/follow: %w", err)
	}
	return nil
}
