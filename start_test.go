package rung_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/live"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// violated is a model whose state violates a joint.
type violated struct {
	m     *model.Model
	joint string
	size  mechanism.Violation
}

// of requires err to be the violation of x.
func (x *violated) of(t *testing.T, err error) {
	t.Helper()
	var v *mechanism.ViolationError
	require.ErrorAs(t, err, &v)
	require.Equal(t, x.joint, v.Name())
	require.ErrorContains(t, err, x.joint)
	for i, got := range []float64{v.Violation.Length, v.Violation.Angle, v.Violation.Speed, v.Violation.Turn} {
		if want := []float64{x.size.Length, x.size.Angle, x.size.Speed, x.size.Turn}[i]; want > 0 {
			require.InDelta(t, want, got, 1e-9)
		}
	}
}

// violatedModels are a four-bar whose crank alone turns, one with a rocker that is 5 cm away, and one whose crank is 1 rad
// behind its motion.
func violatedModels(t *testing.T) map[string]violated {
	t.Helper()
	fourBar := func(move float64, motion *joints.Motion, shift spatial.Vec3) *model.Model {
		A, B, C, D := spatial.Vec3{}, spatial.Vec3{0.3, 0.8, 0}, spatial.Vec3{1.2, 1, 0}, spatial.Vec3{1, 0, 0}
		z := spatial.Vec3{0, 0, 1}
		b := rung.NewBuilder("four-bar").Gravity(0, 0, 0)
		crank, coupler := b.Rod("crank", 1, 0.01, A, B), b.Rod("coupler", 1, 0.01, B, C)
		rocker := b.Rod("rocker", 1, 0.01, D, C)
		p1 := b.Revolute("p1", rung.World, crank, A, z)
		b.Revolute("p2", crank, coupler, B, z)
		b.Revolute("p3", coupler, rocker, C, z)
		b.Revolute("p4", rung.World, rocker, D, z)
		b.Move(crank, spatial.Vec3{}, spatial.Vec3{0, 0, move})
		if motion != nil {
			p1.Motion = []*model.Motion{motion}
		}
		m, err := b.Model()
		require.NoError(t, err)
		for k := range shift {
			m.Joints[3].PredecessorFrame.Position[k] += shift[k]
		}
		return m
	}
	return map[string]violated{
		"velocity": {fourBar(2, nil, spatial.Vec3{}), "p2", mechanism.Violation{Speed: 1.6}},
		"loop":     {fourBar(0, nil, spatial.Vec3{0.05}), "p4", mechanism.Violation{Length: 0.05}},
		"motion":   {fourBar(0, joints.NewPolynomial([]float64{1}), spatial.Vec3{}), "p1", mechanism.Violation{Angle: 1}},
	}
}

// TestStartsThatViolate walks what starts from a state: all refuse one that violates a joint, and name joint and size.
func TestStartsThatViolate(t *testing.T) {
	runge := func(p *kkt.Plan, d sim.Dynamics, o sim.Options) error {
		m := p.Mechanism()
		return sim.New(m, sim.NewRungeKutta(m, d, sim.DormandPrince(), sim.Tolerance{}), p.Initial(), o).Run(0.1)
	}
	entries := map[string]func(p *kkt.Plan, m *model.Model) error{
		"Holds": func(p *kkt.Plan, _ *model.Model) error { return p.Mechanism().Holds(p.Initial()) },
		"Runge–Kutta": func(p *kkt.Plan, _ *model.Model) error {
			d := motion.NewDynamics(p)
			return runge(p, d, sim.Options{Projector: d})
		},
		"without a projector": func(p *kkt.Plan, _ *model.Model) error {
			return runge(p, motion.NewDynamics(p), sim.Options{Projector: sim.NoProjector})
		},
		"Baumgarte": func(p *kkt.Plan, _ *model.Model) error {
			return runge(p, &sim.Baumgarte{Dynamics: motion.NewDynamics(p)}, sim.Options{Projector: sim.NoProjector, Step: 1e-3})
		},
		"generalized-α": func(p *kkt.Plan, _ *model.Model) error {
			n := motion.NewNewton(p)
			return sim.New(p.Mechanism(), sim.NewGeneralizedAlpha(p.Mechanism(), n, sim.GeneralizedAlphaOptions{}), p.Initial(), sim.Options{Projector: n}).Run(0.1)
		},
		"force balance": func(p *kkt.Plan, _ *model.Model) error {
			b, err := motion.NewBalance(p, motion.BalanceOptions{})
			if err != nil {
				return err
			}
			return sim.New(p.Mechanism(), b, p.Initial(), sim.Options{Step: 0.01, Projector: motion.NewDynamics(p)}).Run(0.1)
		},
		"RATTLE": func(p *kkt.Plan, _ *model.Model) error {
			r, err := motion.NewRattle(p, motion.RattleOptions{})
			if err != nil {
				return err
			}
			return sim.New(p.Mechanism(), r, p.Initial(), sim.Options{Step: 0.01}).Run(0.1)
		},
		"batch.Rollout": func(p *kkt.Plan, _ *model.Model) error {
			b, err := batch.New(p, batch.Options{})
			if err != nil {
				return err
			}
			s, out := b.NewStates(3), b.NewOutcome(3)
			if err := b.Rollout(s, &batch.Rollout{Step: 0.01, Steps: 2}, out); err != nil {
				return err
			}
			if out.Steps(2) > 0 {
				return fmt.Errorf("%d steps", out.Steps(2))
			}
			return out.Error(2)
		},
		"live.NewSession": func(p *kkt.Plan, _ *model.Model) error {
			_, err := live.NewSession(p, p.Initial(), spatial.Vec3{}, live.Options{})
			return err
		},
		"linear.Linearize": func(p *kkt.Plan, _ *model.Model) error { return linear.NewSystem(p).Linearize(p.Initial()) },
		"ranks": func(_ *kkt.Plan, m *model.Model) error {
			return dist.Run(2, func(c dist.Comm) error {
				p, err := dist.NewPlan(c, m, dist.Options{})
				if err != nil {
					return err
				}
				s, err := p.NewSolver()
				if err != nil {
					return err
				}
				mech := p.Mechanism()
				return sim.New(mech, sim.NewRungeKutta(mech, s, sim.DormandPrince(), sim.Tolerance{}), mech.Initial(), sim.Options{Projector: s.NewProjector()}).Run(0.1)
			})
		},
	}
	for _, method := range motion.Methods() {
		entries["tree "+method.String()] = func(p *kkt.Plan, _ *model.Model) error {
			d, err := motion.New(p, method)
			if err != nil {
				return err
			}
			return runge(p, d, sim.Options{Projector: d})
		}
	}
	for kind, x := range violatedModels(t) {
		p, err := rung.NewPlan(x.m, rung.Options{})
		require.NoError(t, err)
		for name, start := range entries {
			t.Run(kind+"/"+name, func(t *testing.T) {
				err := start(p, x.m)
				if name == "ranks" { // the error of another rank comes as its text
					require.ErrorContains(t, err, x.joint+`": state violates the joints, off by`)
					return
				}
				x.of(t, err)
			})
		}
	}
}

// TestEvaluationsThatViolate walks what evaluates one state: it takes one that violates a joint as it is, and tells
// joint and size where it is asked.
func TestEvaluationsThatViolate(t *testing.T) {
	p2 := []mechanism.Freedom{{Joint: 1}}
	notUnder := func(err error) error {
		if errors.As(err, new(*mechanism.UnderactuatedError)) {
			return nil
		}
		return err
	}
	entries := map[string]func(t *testing.T, p *kkt.Plan, m *model.Model) error{
		"kkt.Solver": func(t *testing.T, p *kkt.Plan, _ *model.Model) error {
			s := p.NewSolver()
			require.NoError(t, s.Solve(p.Initial()))
			r, err := s.Report()
			require.NoError(t, err)
			require.NotNil(t, r.Violation)
			require.Equal(t, r.Violation.Name(), r.Violation.At.Joint)
			return s.Holds()
		},
		"kkt.Inverse": func(t *testing.T, p *kkt.Plan, _ *model.Model) error {
			v, err := p.NewInverse(p2)
			require.NoError(t, err)
			require.NoError(t, notUnder(v.Solve(p.Initial(), nil)))
			return v.Holds()
		},
		"batch.Solve": func(t *testing.T, p *kkt.Plan, _ *model.Model) error {
			b, err := batch.New(p, batch.Options{})
			require.NoError(t, err)
			s, r := b.NewStates(11), b.NewResults(11)
			b.Solve(s, r)
			require.Empty(t, r.Failed())
			return b.Holds(s, 9)
		},
		"dist.Solver": func(t *testing.T, _ *kkt.Plan, m *model.Model) error {
			var of [2]error
			require.NoError(t, dist.Run(2, func(c dist.Comm) error {
				p, err := dist.NewPlan(c, m, dist.Options{})
				if err != nil {
					return err
				}
				s, err := p.NewSolver()
				if err == nil {
					err = s.Solve(p.Mechanism().Initial())
				}
				if err == nil {
					of[c.Rank()] = s.Holds()
				}
				return err
			}))
			if _, text := of[0].(*dist.RankError); text {
				require.ErrorContains(t, of[0], "state violates the joints")
				return of[1]
			}
			return of[0]
		},
	}
	for _, m := range []tree.Method{tree.Direct, tree.Lambda, tree.Projection} {
		solverOf := func(t *testing.T, p *kkt.Plan) *tree.Plan {
			q, err := tree.NewPlan(p.Mechanism(), tree.Options{})
			require.NoError(t, err)
			return q
		}
		entries["tree.ClosedSolver "+m.String()] = func(t *testing.T, p *kkt.Plan, _ *model.Model) error {
			s := solverOf(t, p).NewSolver(m, tree.SolverOptions{})
			require.NoError(t, s.Solve(p.Initial()))
			return s.Holds()
		}
		entries["tree.Inverse "+m.String()] = func(t *testing.T, p *kkt.Plan, _ *model.Model) error {
			v := solverOf(t, p).NewInverse(m, p2, nil)
			require.NoError(t, notUnder(v.Solve(p.Initial(), nil)))
			return v.Holds()
		}
	}
	for kind, x := range violatedModels(t) {
		p, err := rung.NewPlan(x.m, rung.Options{})
		require.NoError(t, err)
		for name, evaluate := range entries {
			t.Run(kind+"/"+name, func(t *testing.T) { x.of(t, evaluate(t, p, x.m)) })
		}
		for _, m := range append(motion.Methods(), motion.Sparse) {
			r, err := compare.Accelerate(p, m, p.Initial())
			require.NoError(t, err, "%v %v", kind, m)
			require.NotNil(t, r.Violation, "%v %v", kind, m)
			require.Equal(t, x.joint, r.Violation.Name, "%v %v", kind, m)
		}
		r, err := rung.Accelerate(x.m, rung.Options{})
		require.NoError(t, err, kind)
		require.NotNil(t, r.Violation, kind)
		require.Equal(t, x.joint, r.Violation.Name, kind)
	}
}

// TestClosesThatViolate: what closes a state as its task ends at one that holds; a path from the pose refuses the pose.
func TestClosesThatViolate(t *testing.T) {
	for kind, x := range violatedModels(t) {
		p, err := rung.NewPlan(x.m, rung.Options{})
		require.NoError(t, err)
		m := p.Mechanism()
		c, st := closing.NewCloser(p, closing.Options{}), p.Initial()
		require.NoError(t, c.ClosePositions(st), kind)
		require.NoError(t, c.ProjectVelocities(st), kind)
		require.NoError(t, m.Holds(st), kind)
		st = p.Initial()
		e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
		require.NoError(t, err, kind)
		require.NoError(t, m.Holds(st), kind)
		if kind != "velocity" {
			require.Greater(t, e.Travel+e.Turn, 0.01, kind)
		}
		s := linear.NewSystem(p)
		require.NoError(t, s.LinearizeAsItIs(p.Initial()), kind)
		require.NoError(t, s.Linearize(st), kind)
		if kind != "loop" {
			continue
		}
		path := &ik.Path{Times: []float64{0, 1}, FromPose: true, Targets: []ik.Waypoints{{Target: "t", Value: []float64{0, 0.1}}}}
		q, err := ik.NewProblem(p, &ik.Task{Driven: []string{"p1"}, Targets: []ik.Target{{Name: "t", Type: ik.Coordinate, Freedom: "p1"}}, Path: path})
		require.NoError(t, err)
		solver, err := q.NewSolver(ik.Options{})
		require.NoError(t, err)
		each := func(float64, *mechanism.State, *ik.Result) error { return nil }
		x.of(t, solver.Track(context.Background(), p.Initial(), each))
		st = p.Initial()
		_, err = solver.Reach(st)
		require.NoError(t, err)
		require.NoError(t, m.Holds(st))
		require.NoError(t, solver.Track(context.Background(), st, each))
	}
}

// TestStartsThatViolateByName: the options that close a state and that take it as it is do so, and say by how much.
func TestStartsThatViolateByName(t *testing.T) {
	p, err := rung.NewPlan(violatedModels(t)["velocity"].m, rung.Options{})
	require.NoError(t, err)
	m, d := p.Mechanism(), motion.NewDynamics(p)
	run := func(o sim.Options) *sim.Simulation {
		s := sim.New(m, sim.NewRungeKutta(m, d, sim.DormandPrince(), sim.Tolerance{}), p.Initial(), o)
		require.NoError(t, s.RunContext(context.Background(), 1e-6))
		return s
	}
	s := run(sim.Options{Projector: d, Start: sim.Close})
	require.InDelta(t, 0.4365, s.State().Bodies[0].Omega[2], 1e-4)
	require.InDelta(t, 2-0.4365, s.Moved().Turn, 2)
	require.Greater(t, s.Moved().Turn, 1.0)
	s = run(sim.Options{Projector: sim.NoProjector, Start: sim.AsItIs})
	require.InDelta(t, 2, s.State().Bodies[0].Omega[2], 1e-3)
	require.Zero(t, s.Moved())
	for want, o := range map[string]sim.Options{
		"sim: no projector":        {Projector: sim.NoProjector, Start: sim.Close},
		"sim: option out of range": {Projector: d, Start: sim.AsItIs + 1},
		"sim: joints drift without a projector; Options.Projector is sim.NoProjector for a run that lets them": {},
	} {
		require.PanicsWithValue(t, want, func() { run(o) })
	}
}
