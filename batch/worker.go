package batch

import (
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// worker is the memory of one thread.
type worker struct {
	of   *setup
	w    []float64           // workspace of the tapes
	c    *mechanics.Compiled // empty without lanes
	mask *[lanes]float64     // lanes that need a correction

	in     *mechanism.Inputs // of the state at hand
	plan   *kkt.Plan         // under in
	solver *kkt.Solver
	st     *mechanism.State // the state at hand
	extern extern

	scalar *scalarStepper // nil until a state is stepped alone

	mech  *mechanism.Mechanism // without the wrenches of the states
	rows  *assemble.Weighted   // nil unless rows of joints are rare
	kin   *mechanism.Kinematics
	unit  float64 // drift unit of the model, for HoldsIn, m
	force []spatial.Force
	timed bool // motions or values may be undefined at some times

	_ [8]float64 // keeps memory of different workers in different cache lines
}

// extern is a force added to the inputs of the solver: the wrenches of a state.
type extern struct{ w []spatial.Force }

// WrenchesTo stores the wrenches.
func (e *extern) WrenchesTo(w []spatial.Force, _ []mechanism.BodyMotion, _ float64) error {
	copy(w, e.w)
	return nil
}

// nameOfWrenches is the name of extern among the forces.
const nameOfWrenches = "wrenches of the states of a batch"

// newWorker allocates the memory of a thread, with the workspace of c and inputs of its own.
func newWorker(of *setup, c *mechanics.Compiled) (*worker, error) {
	return newWorkerWith(of, c, (*worker).addWrenches)
}

// addWrenches adds the wrenches of a state as one force.
func (w *worker) addWrenches() error {
	all := make([]int, len(w.extern.w))
	for i := range all {
		all[i] = i
	}
	_, err := w.in.AddForce(nameOfWrenches, &w.extern, all...)
	return err
}

// newWorkerWith is newWorker with the method that adds the wrenches of a state to the inputs.
func newWorkerWith(of *setup, c *mechanics.Compiled, addWrenches func(w *worker) error) (*worker, error) {
	m := of.plan.Mechanism()
	w := &worker{of: of, c: c, in: m.NewInputs(), st: m.Initial(), mech: m}
	if n := of.numAngles(); len(w.st.Angles) != n {
		w.st.Angles = make([]float64, n)
	}
	if m.NumInternal() > 0 && w.st.Internal == nil {
		w.st.Internal = make([]float64, m.NumInternal())
	}
	if of.options.Wrenches {
		w.extern.w = make([]spatial.Force, m.NumBodies())
		if err := addWrenches(w); err != nil {
			return nil, err
		}
	}
	if of.at.own {
		w.in.Vary()
	}
	w.plan = of.plan.With(w.in)
	w.solver = w.plan.NewSolver()
	w.unit = m.DriftUnit()
	w.kin = &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, m.NumBodies())}
	if of.why != "" {
		return w, nil
	}
	w.w = c.Workspace()
	tape.Run(w.w, w.c.Numbers(), c.Fixed)
	w.mask = (*[lanes]float64)(w.lane(c.Mask))
	w.timed = len(c.Motions) > 0 || c.RareForces || len(c.RareJoints) > 0
	w.force = make([]spatial.Force, m.NumBodies())
	if len(c.RareJoints) > 0 {
		w.rows = of.plan.Dynamics().Layout().With(w.in.Mechanism()).NewWeighted()
		w.rows.Unloaded = true
	}
	return w, nil
}

// lane returns the numbers at a place, one a lane.
func (w *worker) lane(p program.Place) []float64 { return w.w[int(p)*lanes:][:lanes] }

// times returns the times of the lanes.
func (w *worker) times() []float64 { return w.lane(w.c.Input.At(mechanics.Time)) }

// alone returns the stepper for single states, which is allocated at the first call.
func (w *worker) alone() *scalarStepper {
	if w.scalar == nil {
		w.scalar = newScalarStepper(w.of, w.in, w.plan, w.solver)
	}
	return w.scalar
}

// prepare evaluates motions, carried angles, wrenches and rare parts at the beginning of a solve or a step, for one after the other of the
// n states from first on. It returns a bit for each lane that can be solved.
func (w *worker) prepare(s *States, first, n int) (ok uint) {
	ok = 1<<n - 1
	c := w.c
	time := w.times()
	for _, m := range c.Motions {
		at := w.lane(m.At)
		for l := range lanes {
			_, _, at[l] = w.mech.Joints[m.Joint].Motion[m.Freedom].At(time[l])
		}
	}
	for _, a := range c.Angles {
		at := w.lane(a.At)
		for l := range n {
			at[l] = s.angles[(first+l)*s.nAngles+a.Place]
		}
	}
	for l, t := range time[:n] {
		if w.st.Time = t; !algebra.Finite(t) || w.timed && w.mech.CheckTime(w.st) != nil {
			ok &^= 1 << l
		}
	}
	if s.wrench != nil {
		w.loadWrenches(s, first, n)
	}
	if w.of.at.own {
		for l := range n {
			if !w.goesTogether(s, first+l) {
				ok &^= 1 << l
			}
		}
	}
	if c.RareForces || w.rows != nil {
		for l := range n {
			s.to(w.st, first+l)
			if !w.rareState(s, first+l, l) {
				ok &^= 1 << l
			}
		}
	}
	return ok
}

// loadWrenches copies the wrenches of the n states from first on into the lanes.
func (w *worker) loadWrenches(s *States, first, n int) {
	for i := range w.c.Bodies {
		at := w.w[int(w.c.Bodies[i].Wrench)*lanes:][:6*lanes]
		for l := range n {
			for k, x := range s.wrench[6*((first+l)*len(w.c.Bodies)+i):][:6] {
				at[k*lanes+l] = x
			}
		}
	}
}

// rareState evaluates rare forces and rows of state i, which is in w.st, into lane l. It reports whether this succeeded.
func (w *worker) rareState(s *States, i, l int) bool {
	c := w.c
	if w.setInputs(s, i) != nil {
		return false
	}
	if c.RareForces {
		for k := range w.kin.Bodies {
			if !w.in.Mechanism().BodyTo(&w.kin.Bodies[k], w.st, k) {
				return false
			}
		}
		clear(w.force)
		if w.in.Mechanism().AddAppliedTo(w.force, w.kin, w.st) != nil {
			return false
		}
		for k := range c.Bodies {
			at := w.w[int(c.Bodies[k].Wrench)*lanes:][:6*lanes]
			n, f := w.force[k].Moment(), w.force[k].Linear()
			for j := range 3 {
				at[j*lanes+l], at[(3+j)*lanes+l] = f[j], n[j]
			}
		}
	}
	if w.rows == nil {
		return true
	}
	if w.rows.FillTo(w.st) != nil {
		return false
	}
	p := w.rows.Matrix.Pattern
	put := func(at program.Place, list []float64) {
		for k, x := range list {
			w.w[(int(at)+k)*lanes+l] = x
		}
	}
	for _, j := range c.RareJoints {
		for k, at := range j.Rows {
			q := int(p.Ptr[j.Node]) + k
			put(at, w.rows.Matrix.Val[p.Pos[q]:p.Pos[q+1]])
		}
		put(j.Scale, w.rows.Scale[p.Off[j.Node]:p.Off[j.Node+1]])
		put(j.Right, w.rows.Right[p.Off[j.Node]:p.Off[j.Node+1]])
	}
	return true
}

// goesTogether reports whether state i can be solved in a lane with its parameters: no inertias are too different for doubles.
func (w *worker) goesTogether(s *States, i int) bool {
	if s.known[i] == unknown {
		if s.inputsTo(w.in, i) != nil {
			return false
		}
		s.known[i] = together
		if w.plan.WhyOneByOne() != "" {
			s.known[i] = apart
		}
	}
	return s.known[i] == together
}

// setInputs sets the inputs of the solver to gravity, forces, wrenches and parameters of state i. It returns an error for values
// that the setters refuse.
func (w *worker) setInputs(s *States, i int) error {
	if err := s.inputsTo(w.in, i); err != nil {
		return err
	}
	for k := range w.extern.w {
		x := s.wrench[6*(i*len(w.extern.w)+k):][:6]
		w.extern.w[k] = spatial.Force{x[3], x[4], x[5], x[0], x[1], x[2]}
	}
	return nil
}

// holds returns an error if state i violates the joints.
func (w *worker) holds(s *States, i int) error {
	s.to(w.st, i)
	if err := w.setInputs(s, i); err != nil {
		return err
	}
	m := w.in.Mechanism() // with the parameters of the state
	if err := m.KinematicsTo(w.kin, w.st); err != nil {
		return err
	}
	return m.HoldsIn(w.kin, w.st, w.unit)
}
