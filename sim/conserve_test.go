package sim_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sparse/interop"
	"github.com/rung-mbd/rung/spatial"
)

// generate builds a problem of package bench.
func generate(t testing.TB, family string, n int) *rig {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	return newRig(t, m)
}

// TestEnergy holds energy and constraints over runs without loads that do work,
// far longer than their motions repeat.
func TestEnergy(t *testing.T) {
	for _, c := range []struct {
		name string
		rig  *rig
		T    float64
	}{
		{"bricard", standard(t, "a04-bricard-slender"), 20},
		{"ladder", generate(t, "ladder", 20), 5},
		{"free top", newRig(t, freeTop()), 50},
	} {
		for _, tol := range []float64{1e-7, 1e-9} {
			if testing.Short() && tol < 1e-7 {
				continue
			}
			rec := &memory{}
			s := c.rig.simulate(sim.DormandPrince(), tol, sim.Options{Projector: c.rig.proj, Recorder: rec, Every: c.T / 50})
			require.NoError(t, s.Run(c.T))
			t.Logf("%s, tolerance %g: %+v, energy %.3g, drift %+v", c.name, tol, s.Stats(), rec.energyDrift(nil), rec.drift)
			assert.Less(t, rec.energyDrift(nil), 50*tol, c.name)
			assert.Less(t, max(rec.drift.Position, rec.drift.Velocity), driftTol, c.name)
		}
	}
}

// TestThereAndBack turns all velocities around: the mechanism goes back where it came from.
// Mechanisms without damping do, a method that is not symmetric only to its error.
func TestThereAndBack(t *testing.T) {
	check.Long(t)
	const tol = 1e-10
	for _, name := range []string{"bricard-6r", "stewart-6ups", "ball-ladder-5"} {
		m := open(t, "golden", name+".model.json")
		for i := range m.Joints {
			m.Joints[i].Damping = nil
		}
		r := newRig(t, m)
		s0 := r.mech.Initial()
		require.NoError(t, r.proj.ClosePositions(s0))
		require.NoError(t, r.proj.ProjectVelocities(s0))
		st := s0.Clone()
		for range 2 {
			s := sim.New(r.mech, r.rungeKutta(sim.DormandPrince(), tol), st, sim.Options{Projector: r.proj})
			require.NoError(t, s.Run(0.5))
			st = s.State().Clone()
			st.Time = 0
			for i := range st.Bodies {
				st.Bodies[i].Velocity, st.Bodies[i].Omega = st.Bodies[i].Velocity.Neg(), st.Bodies[i].Omega.Neg()
			}
		}
		t.Logf("%s: %.3g", name, distance(st, s0))
		assert.Less(t, distance(st, s0), 1e4*tol, name)
	}
}

// TestFarAway moves a mechanism by 1e6 m; positions then have 1e-10 m of rounding.
func TestFarAway(t *testing.T) {
	end := func(name string) *mechanism.State {
		r := golden(t, name)
		s := r.simulate(sim.DormandPrince(), 1e-9, sim.Options{Projector: sim.NoProjector})
		require.NoError(t, s.Run(0.2))
		return s.State()
	}
	near, far := end("random-10"), end("random-10-far")
	for i := range far.Bodies {
		far.Bodies[i].Position = far.Bodies[i].Position.Sub(spatial.Vec3{1e6, -1e6, 1e6})
	}
	assert.Less(t, distance(near, far), 1e-7)
}

// TestSingularPose goes through the flat pose of 40 windows, where 40 more freedoms
// appear, eleven times for each tolerance: steps end and stages fall wherever chance has
// it. The rods stay parallel, which they do on the smooth branch alone.
func TestSingularPose(t *testing.T) {
	const parallel = 1e-6
	r := standard(t, "a02-n-four-bar-40")
	for i, tol := range []float64{1.01e-8, 1.07e-8, 1.29e-8, 1.45e-8, 1.55e-8} {
		if testing.Short() && i > 0 {
			break
		}
		passes, last := 0, 0.0
		s := r.simulate(sim.DormandPrince(), tol, sim.Options{Projector: r.proj, OnStep: func(s *sim.Simulation) error {
			b := s.State().Bodies
			up := b[0].Rotation.Rotate(spatial.Vec3{1, 0, 0})[1]
			if up*last < 0 {
				passes++
			}
			last = up
			for i := 1; i <= 40; i++ {
				turn := b[i].Rotation.Rotate(spatial.Vec3{1, 0, 0}).Cross(b[0].Rotation.Rotate(spatial.Vec3{1, 0, 0}))
				require.Less(t, turn.Norm(), parallel, "t = %v, rod %d", s.State().Time, i)
			}
			return nil
		}})
		until, least := 12.0, 11
		if testing.Short() {
			until, least = 5, 4
		}
		require.NoError(t, s.Run(until))
		t.Logf("tolerance %g: %d passes, %+v", tol, passes, s.Stats())
		assert.GreaterOrEqual(t, passes, least)
	}
}

// stabilized solves the stabilized system densely; its constraints have to be
// independent.
type stabilized struct {
	*kkt.Solver
	layout *assemble.Layout
	mech   *mechanism.Mechanism
	rates  []float64 // all α it was asked for
}

func (d *stabilized) StabilizedAccelerations(a []float64, st *mechanism.State, alpha, beta float64) error {
	d.rates = append(d.rates, alpha)
	if err := d.Solve(st); err != nil {
		return err
	}
	sys, err := d.Stages().System()
	if err != nil {
		return err
	}
	var jk mechanism.JointKinematics
	for j := range d.mech.Joints {
		jt, node := &d.mech.Joints[j], d.layout.JointNode(j)
		if node < 0 {
			continue
		}
		var delta, rate [6]float64
		d.mech.JointTo(&jk, j, sys.Kin, st)
		jt.PositionErrorTo(&delta, &jk.Frames, st.Time)
		if err := jt.VelocityErrorTo(&rate, &jk.Frames, st.Time); err != nil {
			return err
		}
		for k := range jt.Rows {
			sys.Right[d.layout.Pattern.Off[node]+k] -= 2*alpha*rate[k] + beta*beta*delta[k]
		}
	}
	var x mat.VecDense
	if err := x.SolveVec(interop.Dense(sys.Matrix, nil), mat.NewVecDense(len(sys.Right), sys.Right)); err != nil {
		return err
	}
	copy(a, x.RawVector().Data)
	return nil
}

// TestBaumgarte compares the drift with feedback, without it, and with projection.
func TestBaumgarte(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	plan, err := rung.NewPlan(open(t, "golden", "slider-crank-spatial.model.json"), kkt.Options{})
	require.NoError(t, err)
	mech, kkt := plan.Mechanism(), plan.NewSolver()
	d := &stabilized{kkt, plan.Layout(), mech, nil}
	drift := func(dyn sim.Dynamics, p sim.Projector) sim.Drift {
		rec := &memory{}
		s := sim.New(mech, sim.NewRungeKutta(mech, dyn, sim.RungeKutta4(), sim.Tolerance{}), mech.Initial(),
			sim.Options{Step: 0.02, Recorder: rec, Every: 0.1, Projector: p})
		require.NoError(t, s.Run(60))
		return rec.drift
	}
	free, fed := drift(solver{kkt}, sim.NoProjector), drift(&sim.Baumgarte{Dynamics: d}, sim.NoProjector)
	projected := drift(solver{kkt}, closing.NewCloser(plan, closing.Options{}))
	t.Logf("none %.3g, feedback %.3g, projection %.3g", free, fed, projected)
	assert.Less(t, fed.Position, free.Position/10)
	assert.Less(t, projected.Position, fed.Position/10)
	assert.Less(t, max(projected.Position, projected.Velocity), driftTol)
	for _, alpha := range d.rates {
		check.Close(t, alpha, 5, 1e-9, 1, "a time constant of ten steps")
	}
	b := &sim.Baumgarte{Dynamics: d, Time: 0.125}
	require.NoError(t, b.Accelerations(make([]float64, 6*mech.NumBodies()), mech.Initial()))
	assert.Equal(t, 8.0, d.rates[len(d.rates)-1])
}

// TestNoAllocation covers a step of each method with projection, closed stages,
// events and rows.
func TestNoAllocation(t *testing.T) {
	for _, tab := range tableaux {
		for _, fixed := range []bool{true, false} {
			if !fixed && tab.ErrorOrder == 0 {
				continue
			}
			r := golden(t, "stewart-6ups")
			if fixed {
				r = golden(t, "bricard-6r")
			}
			rec, err := sim.NewCSV(nowhere{}, sim.NewColumns(r.mech, nil))
			require.NoError(t, err)
			o := sim.Options{Projector: r.proj, CloseStages: fixed, Recorder: rec, Every: 0.001, Events: []sim.Event{
				{Name: "clock", Function: func(st *mechanism.State) float64 { return math.Sin(500 * st.Time) }},
			}}
			if fixed {
				o.Step = 0.004
			}
			s := r.simulate(tab, 1e-9, o)
			until := 0.0
			assert.Zero(t, testing.AllocsPerRun(10, func() {
				until += 0.02
				err = s.Run(until)
			}), "%s, fixed %t", tab.Name, fixed)
			require.NoError(t, err)
			assert.Greater(t, s.Fired(0), int64(10))
			assert.Greater(t, s.Stats().Steps, int64(10))
		}
	}
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// TestSameBits repeats a run, with other numbers of processors too.
//
//rung:race
func TestSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first *mechanism.State
	for _, procs := range []int{1, 2, 2} {
		runtime.GOMAXPROCS(procs)
		r := standard(t, "a03-andrews-ivp")
		s := r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj})
		require.NoError(t, s.Run(0.02))
		if first == nil {
			first = s.State()
		}
		require.Equal(t, first, s.State())
	}
}

// TestStartIsClosed begins with a state that violates its joints.
func TestStartIsClosed(t *testing.T) {
	r := golden(t, "four-bar")
	st := r.mech.Initial()
	st.Bodies[1].Position[0] += 1e-3
	rec := &memory{}
	s := sim.New(r.mech, r.rungeKutta(sim.DormandPrince(), 1e-8), st, sim.Options{Projector: r.proj, Recorder: rec, Every: 0.1})
	var v *mechanism.ViolationError
	require.ErrorAs(t, s.Run(0.1), &v, "not without being asked")
	require.InDelta(t, 1e-3, v.Violation.Length, 2e-4)
	require.Empty(t, rec.states)
	s = sim.New(r.mech, r.rungeKutta(sim.DormandPrince(), 1e-8), st, sim.Options{Projector: r.proj, Recorder: rec, Every: 0.1, Start: sim.Close})
	require.NoError(t, s.Run(0.1))
	require.InDelta(t, 5e-4, s.Moved().Length, 5e-4)
	assert.Less(t, max(rec.drift.Position, rec.drift.Velocity), driftTol)
	assert.InDelta(t, 1e-3, s.Stats().Worst.Position, 2e-4)
}

// TestRunEnds ends runs at times that are no multiple of the step, and continues.
func TestRunEnds(t *testing.T) {
	for _, step := range []float64{0, 0.03} {
		r := newRig(t, freeTop())
		rec := &memory{}
		s := r.simulate(sim.DormandPrince(), 1e-10, sim.Options{Projector: sim.NoProjector, Step: step, Recorder: rec, Every: 0.1})
		for _, until := range []float64{0.1, 0.25, 0.25, 1} {
			require.NoError(t, s.Run(until))
			require.Equal(t, until, s.State().Time)
		}
		require.Len(t, rec.states, 11)
		check.Close(t, distance(s.State(), freeTopAt(r.mech, r.mech.Initial(), 1)), 0, 1e-6, 1, "step %v", step)
	}
}

// TestStepTooSmall drives a body into an acceleration without bound: the step has to
// end it, with the cause where there is one.
func TestStepTooSmall(t *testing.T) {
	r := newRig(t, freeTop())
	s := sim.New(r.mech, sim.NewRungeKutta(r.mech, blowUp{}, sim.DormandPrince(), sim.Tolerance{}), r.mech.Initial(), sim.Options{Projector: sim.NoProjector})
	err := s.Run(2)
	require.ErrorIs(t, err, sim.ErrStepTooSmall)
	assert.InDelta(t, 1, s.State().Time, 1e-6)

	early := sim.New(r.mech, sim.NewRungeKutta(r.mech, blowUp{}, sim.DormandPrince(), sim.Tolerance{}), r.mech.Initial(), sim.Options{Projector: sim.NoProjector, MinStep: 1e-4})
	require.ErrorIs(t, early.Run(2), sim.ErrStepTooSmall)
	assert.Less(t, early.Stats().Steps, s.Stats().Steps)

	fixed := sim.New(r.mech, sim.NewRungeKutta(r.mech, blowUp{}, sim.DormandPrince(), sim.Tolerance{}), r.mech.Initial(), sim.Options{Projector: sim.NoProjector, Step: 0.6})
	require.ErrorIs(t, fixed.Run(2), errBlownUp)
	assert.Equal(t, 0.6, fixed.State().Time)
}

// blowUp fails from t = 1.
type blowUp struct{}

func (blowUp) Accelerations(a []float64, st *mechanism.State) error {
	if st.Time >= 1 {
		return errBlownUp
	}
	clear(a)
	a[3] = 1 / (1 - st.Time)
	return nil
}

// TestHalfTurn refuses steps in which a body turns too far; error control takes
// shorter ones.
func TestHalfTurn(t *testing.T) {
	r := newRig(t, freeTop())
	fixed := r.simulate(sim.RungeKutta4(), 0, sim.Options{Projector: sim.NoProjector, Step: 1})
	require.ErrorAs(t, fixed.Run(1), new(*sim.HalfTurnError))
	s := r.simulate(sim.DormandPrince(), 1e-3, sim.Options{Projector: sim.NoProjector, InitialStep: 1})
	require.NoError(t, s.Run(1))
	assert.Positive(t, s.Stats().Rejected)
}

func TestPanics(t *testing.T) {
	r := newRig(t, freeTop())
	rk, dp := r.rungeKutta(sim.RungeKutta4(), 0), r.rungeKutta(sim.DormandPrince(), 0)
	st := r.mech.Initial()
	for text, f := range map[string]func(){
		"sim: foreign state: Mechanism.Adopt takes one of another mechanism over": func() { sim.New(r.mech, dp, &mechanism.State{}, sim.Options{Projector: sim.NoProjector}) },
		"sim: option out of range": func() { sim.New(r.mech, dp, st, sim.Options{Projector: sim.NoProjector, MaxStep: math.NaN()}) },
		"sim: drift out of range": func() {
			sim.New(r.mech, dp, st, sim.Options{Projector: sim.NoProjector, Drift: sim.Drift{Position: -1}})
		},
		"sim: method without error estimate needs a step": func() { sim.New(r.mech, rk, st, sim.Options{Projector: sim.NoProjector}) },
		"sim: recorder without interval":                  func() { sim.New(r.mech, dp, st, sim.Options{Projector: sim.NoProjector, Recorder: &memory{}}) },
		"sim: no projector":                               func() { sim.New(r.mech, dp, st, sim.Options{Projector: sim.NoProjector, CloseStages: true}) },
		"sim: tolerance out of range":                     func() { r.rungeKutta(sim.DormandPrince(), -1) },
		"sim: no step":                                    func() { dp.Accept() },
		"sim: body out of range":                          func() { sim.NewColumns(r.mech, []int{1}) },
		"sim: body given twice":                           func() { sim.NewColumns(r.mech, []int{0, 0}) },
		"sim: joint out of range":                         func() { sim.NewColumns(r.mech, nil).AddWrenches(nil, []int{-1}) },
	} {
		require.PanicsWithValue(t, text, f)
	}
	run := sim.New(r.mech, dp, st, sim.Options{Projector: sim.NoProjector})
	require.PanicsWithValue(t, "sim: time is not a number", func() { _ = run.Run(math.NaN()) })
	require.NoError(t, run.Run(st.Time-1), "a time that has passed")
	require.Equal(t, st, run.State())
	require.Zero(t, run.Stats().Steps)
	_, err := dp.Try(st, 0.01)
	require.NoError(t, err)
	require.PanicsWithValue(t, "sim: theta out of range", func() { dp.AtTo(st.Clone(), 1.1) })
}

// TestSpells needs closed stages in every step: error control finds out, and does
// not try open ones for each.
func TestSpells(t *testing.T) {
	r := golden(t, "bricard-6r")
	s := r.simulate(sim.DormandPrince(), 1e-7, sim.Options{Projector: r.proj})
	require.NoError(t, s.Run(10))
	t.Logf("%+v", s.Stats())
	assert.Less(t, s.Stats().Rejected, s.Stats().Steps/10)
}

// spun is a ball at an angular velocity, rad/s.
func spun(omega float64) *model.Model {
	m := ballsAt(1)
	m.Bodies[0].Velocity.Angular = spatial.Vec3{2: omega}
	return m
}

// TestHalfTurnSays names body, angle and time.
func TestHalfTurnSays(t *testing.T) {
	for _, alpha := range []bool{false, true} {
		m := spun(200)
		m.Bodies[0].Name = "rotor"
		r := newImplicit(t, m)
		st := r.mech.Initial()
		st.Time = 2
		var k sim.Stepper = r.rungeKutta(sim.RungeKutta4(), 0)
		if alpha {
			k = r.alpha(sim.GeneralizedAlphaOptions{Annihilate: true})
		}
		_, err := k.Try(st, 2.05)
		half := new(sim.HalfTurnError)
		require.ErrorAs(t, err, &half)
		assert.Equal(t, "rotor", half.At.Body)
		assert.Equal(t, 2.0, half.Time)
		check.Close(t, half.Angle, 200*half.Span, 1e-9, 1, "angle")
		assert.Contains(t, err.Error(), `step from t = 2: body "rotor" would turn by `)
	}
}

// TestFastRotor bounds steps by what a body may turn: hardly any is tried in vain, and none with closed stages. A run
// that is resumed does the same.
func TestFastRotor(t *testing.T) {
	for _, alpha := range []bool{false, true} {
		build := func(onStep func(*sim.Simulation) error) *sim.Simulation {
			r := newImplicit(t, spun(1e4))
			o := sim.Options{Projector: r.proj, OnStep: onStep}
			if alpha {
				_, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8, Tolerance: sim.Tolerance{Relative: 1e-3}}, o)
				return s
			}
			return r.simulate(sim.DormandPrince(), 1e-3, o)
		}
		var c *sim.Checkpoint
		whole := build(func(s *sim.Simulation) (err error) {
			if s.Stats().Steps == 57 {
				c, err = s.Checkpoint()
			}
			return err
		})
		require.NoError(t, whole.Run(0.1))
		n := whole.Stats()
		t.Logf("%+v", n)
		assert.Less(t, n.Rejected, int64(5))
		assert.Zero(t, n.Careful)
		assert.Less(t, n.Steps, int64(425), "0.75 of half a turn a step")
		assert.Equal(t, 0.1, whole.State().Time)
		rest := build(nil)
		require.NoError(t, rest.Restore(c))
		require.NoError(t, rest.Run(0.1))
		assert.Equal(t, whole.State(), rest.State())
		assert.Equal(t, n, rest.Stats())
	}
}
