package batch

import (
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// scalarStepper makes the steps of Rollout for one state with the solver, by the same formulas as in lanes.
type scalarStepper struct {
	of        *setup
	in        *mechanism.Inputs // with the parameters of the state
	solver    *kkt.Solver
	closer    *closing.Closer
	start, at *mechanism.State // at the beginning of the step, and of the stage
	sum       []change         // by body: weighted sum of the rates over stages
	turn      []spatial.Vec3   // by body: rotation vector since the beginning of the step
	kin       *mechanism.Kinematics
	near      float64 // nearness and redundant rows of kkt.Solver.Nearness at the beginning of the last step
	rows      int
}

// change has the rates of the state of a body: of its position, its rotation vector, its velocity and its angular velocity.
type change struct{ travel, turn, velocity, omega spatial.Vec3 }

// newScalarStepper returns a stepper whose mechanism is under the inputs in, with a solver of plan.
func newScalarStepper(of *setup, in *mechanism.Inputs, plan *kkt.Plan, solver *kkt.Solver) *scalarStepper {
	m := in.Mechanism()
	return &scalarStepper{of: of, in: in, solver: solver, closer: closing.NewCloser(plan, closing.Options{Nearest: true}),
		start: m.Initial(), at: m.Initial(), kin: m.NewKinematics(),
		sum: make([]change, m.NumBodies()), turn: make([]spatial.Vec3, m.NumBodies())}
}

// copyState copies state b to a, without its reactions.
func copyState(a, b *mechanism.State) {
	a.Time = b.Time
	copy(a.Bodies, b.Bodies)
	a.Angles = append(a.Angles[:0], b.Angles...)
	a.Internal = append(a.Internal[:0], b.Internal...)
}

// rate stores the rates of body b at state x, which the solver has solved. The rate of the rotation vector φ, s.turn, is
// ω − ½φ×ω + φ×(φ×ω)/12, up to higher orders of φ.
func (s *scalarStepper) rate(r *change, x *mechanism.State, b int) {
	solver := s.solver
	st := &x.Bodies[b]
	E := st.Rotation.Mat()
	com := E.MulVec(s.in.Mechanism().Bodies[b].Com)
	alpha, a := solver.AngularAcceleration(b), solver.ComAcceleration(b)
	a = a.Sub(alpha.Cross(com)).Sub(st.Omega.Cross(st.Omega.Cross(com)))
	x1 := s.turn[b].Cross(st.Omega)
	*r = change{st.Velocity, st.Omega.Sub(half(x1)).Add(s.turn[b].Cross(x1).Scale(1. / 12)), a, alpha}
}

// half returns v/2.
func half(v spatial.Vec3) spatial.Vec3 { return v.Scale(0.5) }

// move stores in s.at the state of body b after a time h at the rates r from s.start on.
func (s *scalarStepper) move(b int, h float64, r *change) {
	from, to := &s.start.Bodies[b], &s.at.Bodies[b]
	s.turn[b] = r.turn.Scale(h)
	to.Position = from.Position.Add(r.travel.Scale(h))
	to.Rotation = spatial.Exp(s.turn[b]).Mul(from.Rotation).Normalize()
	to.Velocity = from.Velocity.Add(r.velocity.Scale(h))
	to.Omega = from.Omega.Add(r.omega.Scale(h))
}

// step moves st on by h seconds, or returns an error and leaves it as it is.
func (s *scalarStepper) step(st *mechanism.State, h float64, how Integrator) error {
	copyState(s.at, st)
	if err := s.begin(); err != nil {
		return err
	}
	copyState(s.start, s.at)
	clear(s.turn)
	var r change
	if how == SemiImplicit {
		if err := s.solver.Solve(s.at); err != nil {
			return err
		}
		s.near, s.rows = s.solver.Nearness()
		for b := range s.sum {
			s.rate(&r, s.at, b)
			s.sum[b] = r
		}
		for b := range s.sum {
			r := s.sum[b]
			from := &s.start.Bodies[b]
			r.travel, r.turn = from.Velocity.Add(r.velocity.Scale(h)), from.Omega.Add(r.omega.Scale(h))
			s.move(b, h, &r)
		}
		return s.end(st, h)
	}
	clear(s.sum)
	rates := [4]struct{ next, weight, time float64 }{{h / 2, 1. / 6, 0}, {h / 2, 1. / 3, 0.5}, {h, 1. / 3, 0.5}, {0, 1. / 6, 1}}
	for k, c := range rates {
		s.at.Time = s.start.Time + c.time*h
		if k > 0 {
			if err := s.close(); err != nil {
				return err
			}
		}
		if err := s.solver.Solve(s.at); err != nil {
			return err
		}
		if k == 0 {
			s.near, s.rows = s.solver.Nearness()
		}
		for b := range s.sum {
			s.rate(&r, s.at, b)
			q := &s.sum[b]
			q.travel, q.turn = q.travel.Add(r.travel.Scale(c.weight)), q.turn.Add(r.turn.Scale(c.weight))
			q.velocity, q.omega = q.velocity.Add(r.velocity.Scale(c.weight)), q.omega.Add(r.omega.Scale(c.weight))
			if k < 3 {
				s.move(b, c.next, &r)
			} else {
				s.move(b, h, q)
			}
		}
	}
	return s.end(st, h)
}

// begin closes the state at the beginning of a step if it violates the joints, as it may after steps in lanes. A pose that violates
// redundant rows a little gives them small pivots, neither clearly redundant nor not. The solver may then take such a row for
// independent, with a huge force.
func (s *scalarStepper) begin() error {
	m := s.in.Mechanism()
	if err := m.KinematicsTo(s.kin, s.at); err != nil {
		return err
	}
	if _, position, _ := m.WorstJoint(s.kin, s.at); position <= onJoints*s.of.drift {
		return nil
	}
	return s.close()
}

// onJoints is the largest violation at the beginning of a step, relative to the largest that is closed in lanes. Pivots of
// redundant rows are about its square: far below the limit of a solver.
const onJoints = 1e-6

// close closes poses and velocities of s.at.
func (s *scalarStepper) close() error {
	if err := s.closer.ClosePositions(s.at); err != nil {
		return err
	}
	return s.closer.ProjectVelocities(s.at)
}

// end closes the state s.at at the end of a step of h seconds, follows its angles, and stores it in st.
func (s *scalarStepper) end(st *mechanism.State, h float64) error {
	m := s.in.Mechanism()
	s.at.Time = s.start.Time + h
	if m.NumSprung() > 0 {
		if err := m.KinematicsTo(s.kin, s.at); err != nil {
			return err
		}
		m.FollowAngles(s.kin, s.at)
	}
	if s.of.options.Angles {
		m.FollowTurns(s.at, s.start)
	}
	if err := s.close(); err != nil {
		return err
	}
	copyState(st, s.at)
	return nil
}
