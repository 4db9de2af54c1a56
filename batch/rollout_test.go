package batch_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestRolloutSameBits: a state comes to the same bits for any number of threads and beside any others, with a
// controller, and Seen has the states on the way. One state that is no state fails alone.
//
//rung:race
func TestRolloutSameBits(t *testing.T) {
	p := golden(t, "four-bar")
	list := someStates(t, p, 21, 7, 0.5)
	list[9].Bodies[0].Omega[0] = math.Inf(1)
	run := func(integrator batch.Integrator, threads, from, n int) (end, middle []mechanism.State) {
		b, err := batch.New(p, batch.Options{Threads: threads, Forces: []mechanism.Freedom{{}}})
		require.NoError(t, err)
		s, mid, out := b.NewStates(n), make([]*mechanism.State, n), b.NewOutcome(n)
		for i := range n {
			s.Set(i, list[from+i])
			mid[i] = p.Initial()
		}
		st := make([]*mechanism.State, 8*threads*10)
		for i := range st {
			st[i] = p.Initial()
		}
		how := &batch.Rollout{Integrator: integrator, Step: 2e-3, Steps: 10, Every: 5}
		how.Seen = func(part, first, n int) {
			for i := first; i < first+n && part == 0; i++ {
				s.To(mid[i], i)
			}
		}
		how.Control = func(step, first, n int) {
			for i := first; i < first+n; i++ {
				x := st[i]
				s.To(x, i)
				s.SetForce(i, 0, -x.Bodies[0].Omega[2]+float64(step))
			}
		}
		require.NoError(t, b.Rollout(s, how, out))
		for i := range n {
			if from+i == 9 {
				require.ErrorIs(t, out.Error(i), batch.ErrStep)
				require.ErrorIs(t, out.Error(i), mechanism.ErrNotFinite)
				require.Zero(t, out.Steps(i))
				continue
			}
			require.NoError(t, out.Error(i))
			require.Equal(t, 10, out.Steps(i))
			a, m := p.Initial(), mid[i]
			s.To(a, i)
			require.InDelta(t, list[from+i].Time+0.02, a.Time, 1e-15)
			require.InDelta(t, list[from+i].Time+0.01, m.Time, 1e-15)
			end, middle = append(end, *a), append(middle, *m)
		}
		return end, middle
	}
	for how := batch.RungeKutta4; how <= batch.SemiImplicit; how++ {
		end, middle := run(how, 1, 0, 21)
		for threads := 2; threads < 4; threads++ {
			e, m := run(how, threads, 0, 21)
			require.Equal(t, end, e)
			require.Equal(t, middle, m)
		}
		e, _ := run(how, 1, 13, 3)
		require.Equal(t, end[12:15], e) // one before them has failed
	}
}

// TestRolloutConserves: energy of a closed chain without losses stays, and nothing is allocated.
func TestRolloutConserves(t *testing.T) {
	const tol = 1e-6 // of the largest kinetic energy on the way, for this step
	p := golden(t, "bricard-6r")
	m := p.Mechanism()
	in := m.NewInputs()
	for j := range m.Joints {
		for i := range m.Joints[j].Kind.Freedoms() {
			require.NoError(t, in.SetForce(j, i, 0))
		}
	}
	b, err := batch.New(p.With(in), batch.Options{})
	require.NoError(t, err)
	s, out := b.NewStates(8), b.NewOutcome(8)
	k, st := m.NewKinematics(), m.Initial()
	energy := func() float64 {
		s.To(st, 3)
		require.NoError(t, m.KinematicsTo(k, st))
		e := in.Mechanism().EnergyAt(k, st)
		return e.Kinetic + e.Gravity
	}
	before := energy()
	size := math.Abs(in.Mechanism().EnergyAt(k, st).Kinetic)
	how := &batch.Rollout{Step: 1e-3, Steps: 500}
	require.NoError(t, b.Rollout(s, how, out))
	require.Zero(t, out.OneByOne(3))
	require.LessOrEqual(t, math.Abs(energy()-before), tol*math.Max(size, math.Abs(before)))
	how.Steps = 5
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = b.Rollout(s, how, out) }))
}

// TestRolloutRefuses: what cannot be is refused with the reason.
func TestRolloutRefuses(t *testing.T) {
	b, err := batch.New(golden(t, "four-bar"), batch.Options{})
	require.NoError(t, err)
	s, out := b.NewStates(0), b.NewOutcome(0)
	many := 1
	many <<= 31 // one more than Outcome counts, or a negative number
	err = b.Rollout(s, &batch.Rollout{Step: 1, Steps: many}, out)
	require.EqualError(t, err, fmt.Sprintf("batch: rollout refused: %d steps, every 0", many))
	s, out = b.NewStates(2), b.NewOutcome(2)
	for text, how := range map[string]*batch.Rollout{
		"batch: rollout refused: step 0 s":          {Steps: 1},
		"batch: rollout refused: step NaN s":        {Step: math.NaN()},
		"batch: rollout refused: -1 steps, every 0": {Step: 1, Steps: -1},
		"batch: rollout refused: integrator 2":      {Step: 1, Integrator: 2},
	} {
		err := b.Rollout(s, how, out)
		require.EqualError(t, err, text)
		require.ErrorIs(t, err, batch.ErrRollout)
	}
	require.PanicsWithValue(t, "batch: foreign states or outcome", func() { _ = b.Rollout(s, nil, out) })
	require.PanicsWithValue(t, "batch: negative number of states", func() { b.NewOutcome(-1) })
	s.SetGravity(0, spatial.Vec3{})
}

// TestRolloutMotionEnds: a step beyond the end of a prescribed motion is none, by both methods.
func TestRolloutMotionEnds(t *testing.T) {
	m := clone(modelOf(t, "driven-crank"))
	crank := *m.Joints[0].Motion[0]
	q, rate, _ := crank.At(0)
	until := m.Time + 0.0105 // s
	m.Joints[0].Motion = []*model.Motion{{Kind: model.Table, Times: []float64{m.Time, until}, Accelerations: []float64{0, 0}, Value: q, Rate: rate}}
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	for how := batch.RungeKutta4; how <= batch.SemiImplicit; how++ {
		b, err := batch.New(p, batch.Options{})
		require.NoError(t, err)
		s, out := b.NewStates(2), b.NewOutcome(2)
		require.NoError(t, b.Rollout(s, &batch.Rollout{Integrator: how, Step: 1e-3, Steps: 11}, out))
		require.Equal(t, 10, out.Steps(1), "method %d", how)
		require.ErrorIs(t, out.Error(1), mechanism.ErrMotionTime, "method %d", how)
		require.Zero(t, out.OneByOne(1), "method %d", how)
	}
}

// TestRolloutFast: a body that turns about an axis is where it should be after a step, however fast it is: beyond the
// turns for which lanes have their series, the step is made alone.
func TestRolloutFast(t *testing.T) {
	const (
		step = 1e-3
		tol  = 1e-9 // rad
	)
	for _, hung := range []bool{false, true} {
		for _, turn := range []float64{0.2, 0.9, 3, 5, 10, 20} {
			m := model.New("flywheel")
			m.Bodies = []model.Body{{Name: "wheel", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Velocity: model.Velocity{Angular: [3]float64{0, 0, turn / step}}}}
			if hung {
				m.Joints = []model.Joint{{Name: "pin", Type: model.Revolute, Predecessor: model.World, Successor: "wheel"}}
			}
			p, err := rung.NewPlan(m, kkt.Options{})
			require.NoError(t, err)
			for how := batch.RungeKutta4; how <= batch.SemiImplicit; how++ {
				b, err := batch.New(p, batch.Options{})
				require.NoError(t, err)
				s, out := b.NewStates(1), b.NewOutcome(1)
				require.NoError(t, b.Rollout(s, &batch.Rollout{Integrator: how, Step: step, Steps: 1}, out))
				require.NoError(t, out.Error(0))
				require.Equal(t, turn > 1, out.OneByOne(0) > 0)
				st := p.Initial()
				s.To(st, 0)
				off := st.Bodies[0].Rotation.Mul(spatial.Exp(spatial.Vec3{0, 0, turn}).Conj()).Log().Norm()
				require.LessOrEqual(t, off, tol, "%g rad, method %d", turn, how)
			}
		}
	}
}

// TestRolloutSteps: many steps at once have the bits of one after the other, also where states make some of them alone. The
// parallelogram of docs/theory.md lies flat on its way, each state at another step.
func TestRolloutSteps(t *testing.T) {
	p := planOf(t, "../docs/four-bar.model.json")
	b, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	const n, steps = 11, 80
	for how, h := range map[batch.Integrator]float64{batch.RungeKutta4: 2e-2, batch.SemiImplicit: 2e-3} {
		var ends [2][]mechanism.State
		var alone, singular [2]int
		for k, each := range []int{steps, 1} {
			s, out := b.NewStates(n), b.NewOutcome(n)
			for i := range n {
				st := p.Initial()
				for k := range st.Bodies {
					x := &st.Bodies[k]
					x.Velocity, x.Omega = x.Velocity.Scale(25+float64(i)), x.Omega.Scale(25+float64(i))
				}
				s.Set(i, st)
			}
			for range steps / each {
				require.NoError(t, b.Rollout(s, &batch.Rollout{Integrator: how, Step: h, Steps: each}, out))
				for i := range n {
					require.Equal(t, each, out.Steps(i))
					alone[k] += out.OneByOne(i)
					singular[k] += out.Singular(i)
				}
			}
			for i := range n {
				st := p.Initial()
				s.To(st, i)
				ends[k] = append(ends[k], *st)
			}
		}
		require.Equal(t, ends[1], ends[0])
		require.Equal(t, how == batch.RungeKutta4, alone[0] > 0 && alone[0] < n, "%d made alone", alone[0])
		require.Equal(t, alone[1], alone[0])
		require.Equal(t, singular[1], singular[0])
	}
}

// TestRolloutSingular: fixed steps that may have gone over a singular pose are counted. The parallelogram of docs/theory.md lies flat twice a turn, at any
// step; links that are of different length never do. States that go alone are watched as well, and two runs of half the steps are one of all.
func TestRolloutSingular(t *testing.T) {
	flat := planOf(t, "../docs/four-bar.model.json")
	fast := flat.Initial()
	for k := range fast.Bodies { // four turns a second, so that gravity does not turn it back
		b := &fast.Bodies[k]
		b.Velocity, b.Omega = b.Velocity.Scale(25), b.Omega.Scale(25)
	}
	for _, c := range []struct {
		plan     *kkt.Plan
		st       *mechanism.State
		singular bool
	}{{flat, fast, true}, {golden(t, "bricard-6r"), nil, false}, {golden(t, "four-bar"), nil, false}} {
		st := c.st
		if st == nil {
			st = c.plan.Initial()
		}
		for how := batch.RungeKutta4; how <= batch.SemiImplicit; how++ {
			b, err := batch.New(c.plan, batch.Options{})
			require.NoError(t, err)
			s, out := b.NewStates(9), b.NewOutcome(9)
			for i := range 9 {
				s.Set(i, st)
			}
			sum := make([]int, 9)
			for range 2 {
				require.NoError(t, b.Rollout(s, &batch.Rollout{Integrator: how, Step: 1e-3, Steps: 75}, out))
				for i := range 9 {
					require.NoError(t, out.Error(i))
					sum[i] += out.Singular(i)
				}
			}
			for i := range 9 {
				require.Equal(t, c.singular, sum[i] > 0, "state %d: %d steps", i, sum[i])
				require.Less(t, sum[i], 6)
				require.Equal(t, sum[0], sum[i])
			}
			require.NoError(t, b.Rollout(s, &batch.Rollout{Integrator: how, Step: 1e-3, Steps: 150}, out))
			require.Equal(t, c.singular, out.Singular(0) > 0)
			b.CloseJoints(s, out)
			require.Zero(t, out.Singular(0)) // of the closing, which makes no steps
		}
	}
}
