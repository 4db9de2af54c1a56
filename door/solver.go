package door

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// Solver computes accelerations at many states. It belongs to one goroutine at a time.
type Solver struct {
	panel
	solver *kkt.Solver
	st     *mechanism.State
	solved bool // solver has the solution at st
}

// NewSolver returns a solver with knobs of its own.
//
// Cost: O(bodies + joints) and the memory of a factor.
func (m *Model) NewSolver() *Solver {
	s := &Solver{panel: panel{m: m, in: m.plan.Mechanism().NewInputs()}, st: m.plan.Initial()}
	s.solver = m.plan.With(s.in).NewSolver()
	return s
}

// Set gives knobs, by their indices in Model.Knobs, other values, one after the other. The error, with the status Input, names the
// knob that is refused; knobs before it have been set.
//
// Cost: O(knobs). The first knob with Geometry gives the solver bodies and joints of its own, at the cost of NewSolver.
func (s *Solver) Set(knobs []int, values []float64) error {
	list := s.m.Knobs()
	if !s.in.Varies() && slices.ContainsFunc(knobs, func(k int) bool { return uint(k) < uint(len(list)) && list[k].Geometry }) {
		s.in = s.in.Mechanism().NewInputs()
		s.in.Vary()
		s.solver, s.solved = s.m.plan.With(s.in).NewSolver(), false
	}
	return s.set(knobs, values, setGeometry)
}

// AccelerationsTo stores the accelerations at a state: six numbers for each body, the angular acceleration, rad/s², and the acceleration
// of the centre of mass, m/s², in world axes.
//
// Shapes: dst has 6·Bodies entries, state has Sizes().State. Cost: kkt.Solver.Solve and a copy of both; no allocation.
// A state without a solution has an error of kkt.Solver with the status Failed.
func (s *Solver) AccelerationsTo(dst, state []float64) error {
	if n := 6 * len(s.st.Bodies); len(dst) != n {
		return refuse(Size, "accelerations are %d numbers, not %d", n, len(dst))
	}
	s.solved = false
	if err := s.m.set(s.st, state); err != nil {
		return err
	}
	if err := s.solver.Solve(s.st); err != nil {
		return as(Failed, err)
	}
	s.solved = true
	s.solver.AccelerationsTo(dst)
	return nil
}

// AccelerationsContextTo is AccelerationsTo, and ends early when ctx does.
func (s *Solver) AccelerationsContextTo(ctx context.Context, dst, state []float64) error {
	defer s.solver.Watch(ctx)()
	return s.AccelerationsTo(dst, state)
}

// WrenchesTo stores the wrenches of the joints in the last solution: six numbers for each joint, the moment about the origin of
// the successor frame, N m, and the force, N, that act on the successor, in world axes. They include constraint and drive forces
// (kkt.Solver.TotalWrench). If reactions are not unique, they are one of many solutions, but not the solution of least norm as in
// documents.
//
// Shapes: dst has 6·Joints entries. Cost: O(joints), no allocation. Without a solution the error has the status Failed.
func (s *Solver) WrenchesTo(dst []float64) error {
	n := s.m.plan.Mechanism().NumJoints()
	switch {
	case len(dst) != 6*n:
		return refuse(Size, "wrenches are %d numbers, not %d", 6*n, len(dst))
	case !s.solved:
		return refuse(Failed, "no state has been solved")
	}
	for j := range n {
		w := s.solver.TotalWrench(j)
		copy(dst[6*j:], w[:])
	}
	return nil
}
