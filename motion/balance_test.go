package motion_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// vehicles are the families that stand on the ground.
var vehicles = []string{"rover", "rocker-bogie", "road-train", "tracked"}

func newBalance(t testing.TB, p *kkt.Plan) *motion.Balance {
	t.Helper()
	b, err := motion.NewBalance(p, motion.BalanceOptions{})
	require.NoError(t, err)
	return b
}

// balanced runs a vehicle by force-balance steps.
func balanced(t testing.TB, p *kkt.Plan, step, until float64) (*mechanism.State, *motion.Balance) {
	t.Helper()
	b := newBalance(t, p)
	s := sim.New(p.Mechanism(), b, p.Mechanism().Initial(), sim.Options{Step: step, Projector: motion.NewDynamics(p)})
	require.NoError(t, s.Run(until))
	require.Zero(t, s.Stats().Rejected)
	return s.State(), b
}

// TestBalanceDrives: all vehicles drive onto their hills in steps of
// 20 ms, with their forces in balance and their joints closed.
func TestBalanceDrives(t *testing.T) {
	check.Long(t)
	for _, family := range vehicles {
		t.Run(family, func(t *testing.T) {
			p := newPlan(t, generate(t, family, 2, 1), order.Auto)
			st, b := balanced(t, p, 0.02, 4)
			assert.Greater(t, st.Bodies[0].Position[0], p.Mechanism().Initial().Bodies[0].Position[0]+1, "it has moved")
			assert.LessOrEqual(t, b.Stats().Worst, 1e-4, "the default tolerance")
			assert.Less(t, b.Stats().Iterations, 4*b.Stats().Steps)
			position, _ := jointErrors(t, p.Mechanism(), st)
			assert.Less(t, position, 1e-9)
		})
	}
}

// TestBalanceOrder: force-balance steps are of order 1 against Dormand and Prince.
func TestBalanceOrder(t *testing.T) {
	check.Long(t)
	p := newPlan(t, generate(t, "rover", 1, 1), order.Auto)
	until := 3.0
	ref := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), motion.NewDynamics(p), sim.DormandPrince(), sim.Tolerance{Relative: 1e-8}), p.Mechanism().Initial(), sim.Options{Projector: sim.NoProjector})
	require.NoError(t, ref.Run(until))
	var e [3]float64
	for i, h := range []float64{0.02, 0.01, 0.005} {
		b, err := motion.NewBalance(p, motion.BalanceOptions{Tolerance: 1e-9, Iterations: 60})
		require.NoError(t, err)
		s := sim.New(p.Mechanism(), b, p.Mechanism().Initial(), sim.Options{Projector: sim.NoProjector, Step: h})
		require.NoError(t, s.Run(until))
		e[i] = s.State().Bodies[0].Position.Sub(ref.State().Bodies[0].Position).Norm()
	}
	t.Logf("errors %.3g m", e)
	assert.InDelta(t, 2, e[0]/e[1], 0.3)
	assert.InDelta(t, 2, e[1]/e[2], 0.3)
}

// TestBalanceIterations: a step ends after the largest number of iterations, in balance to a hundredth of the weight or not at
// all.
func TestBalanceIterations(t *testing.T) {
	p := newPlan(t, generate(t, "rover", 1, 1), order.Auto)
	for _, c := range []struct {
		iterations int
		balances   bool
	}{{1, false}, {2, true}, {3, true}} {
		b, err := motion.NewBalance(p, motion.BalanceOptions{Tolerance: 1e-13, Iterations: c.iterations})
		require.NoError(t, err)
		_, err = b.Try(p.Initial(), 0.02)
		require.Equal(t, c.balances, err == nil, "%+v: %v", c, err)
		if err != nil {
			require.ErrorIs(t, err, motion.ErrStep)
		}
		require.EqualValues(t, c.iterations, b.Stats().Iterations)
	}
}

// TestBalanceSoil: on soil, whose forces act elsewhere than where velocities are taken, steps are of order 1 too.
func TestBalanceSoil(t *testing.T) {
	check.Long(t)
	m := generate(t, "rover", 1, 1)
	soil(t, m)
	p := newPlan(t, m, order.Auto)
	const until = 1.5
	ref := explicit(1e-6)
	want, _, _ := ref.run(t, p, until)
	var e [3]float64
	for i, h := range []float64{0.02, 0.01, 0.005} {
		d := balancing(t, h)
		at, _, _ := d.run(t, p, until)
		e[i] = at.Sub(want).Norm()
	}
	t.Logf("errors %.3g m", e)
	assert.InDelta(t, 2, e[0]/e[1], 0.4)
	assert.InDelta(t, 2, e[1]/e[2], 0.4)
}

// TestBalanceAtRest: with their motors held, a rover and one with rockers, bogies and a differential keep still on
// level ground, and each wheel carries what statics say: the parts of both are such that all wheels carry the same.
func TestBalanceAtRest(t *testing.T) {
	for family, wheels := range map[string]float64{"rover": 4, "rocker-bogie": 6} {
		t.Run(family, func(t *testing.T) { requireRest(t, generate(t, family, 1, 1), wheels) })
	}
}

func requireRest(t *testing.T, m *model.Model, wheels float64) {
	t.Helper()
	for i := range m.Forces {
		if a := m.Forces[i].Actuator; a != nil {
			a.Value.Values = []float64{0, 0}
		}
	}
	p := newPlan(t, m, order.Auto)
	mech := p.Mechanism()
	st, _ := balanced(t, p, 0.02, 2)
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	weight := 0.0
	for i := range mech.Bodies {
		weight += mech.Bodies[i].Mass * 9.81
	}
	for i := range mech.NumContacts() {
		r, err := mech.ContactAt(i, k, st)
		require.NoError(t, err)
		assert.InEpsilon(t, weight/wheels, r.Wrench.Linear()[2], 1e-3)
	}
	was := mech.Initial()
	for i := range st.Bodies {
		assert.Less(t, st.Bodies[i].Position.Sub(was.Bodies[i].Position).Norm(), 1e-4)
	}
}

// TestBalanceResumes: a run that goes on from a checkpoint has the bits of one that was not interrupted.
func TestBalanceResumes(t *testing.T) {
	p := newPlan(t, generate(t, "rocker-bogie", 1, 1), order.Auto)
	run := func(s *sim.Simulation, until float64) { require.NoError(t, s.Run(until)) }
	fresh := func() *sim.Simulation {
		return sim.New(p.Mechanism(), newBalance(t, p), p.Mechanism().Initial(), sim.Options{Step: 0.02, Projector: motion.NewDynamics(p)})
	}
	a := fresh()
	run(a, 1)
	c, err := a.Checkpoint()
	require.NoError(t, err)
	run(a, 2)
	b := fresh()
	require.NoError(t, b.Restore(c))
	run(b, 2)
	require.Equal(t, a.State(), b.State())
}

// TestBalanceAllocates: a step allocates nothing.
func TestBalanceAllocates(t *testing.T) {
	for _, family := range vehicles {
		p := newPlan(t, generate(t, family, 1, 1), order.Auto)
		b := newBalance(t, p)
		st := p.Mechanism().Initial().Clone()
		step := func() {
			_, err := b.Try(st, st.Time+0.02)
			require.NoError(t, err)
			b.AtTo(st, 1)
			b.Accept()
		}
		step()
		assert.Zero(t, testing.AllocsPerRun(10, step), family)
	}
}

// TestBalanceRefuses: mechanisms with internal states of contacts are refused.
func TestBalanceRefuses(t *testing.T) {
	m := generate(t, "rover", 1, 1)
	for i := range m.Forces {
		if c := m.Forces[i].Contact; c != nil {
			c.Law.Friction.Hold = contact.Hold{Travel: 1e-3, Damping: 0.1}
			break
		}
	}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	_, err = motion.NewBalance(kkt.NewPlan(mech, kkt.Options{}), motion.BalanceOptions{})
	require.ErrorIs(t, err, motion.ErrUnsupported)
	require.ErrorContains(t, err, "internal states")
	require.ErrorContains(t, err, `"tyre_fl0"`)
}

// TestWheelRows: rows times q̇ are the velocities of the points, and forces along them are those of the wrenches.
func TestWheelRows(t *testing.T) {
	for _, family := range vehicles {
		p := newPlan(t, generate(t, family, 1, 1), order.Auto)
		mech := p.Mechanism()
		plan, err := tree.NewPlan(mech, tree.Options{})
		require.NoError(t, err)
		st, _ := balanced(t, p, 0.02, 3)
		w := plan.NewWorkspace()
		require.NoError(t, w.SetState(st))
		rows := motion.NewWheels(plan)
		require.NoError(t, rows.Set(w))
		n := plan.NumDof()
		got, want := make([]float64, n), make([]float64, n)
		for i := range rows.NumRows() {
			row, is := rows.Row(i)
			r, err := mech.ContactAt(is.Contact, w.Kinematics(), st)
			require.NoError(t, err)
			if len(r.Touches) == 0 {
				continue
			}
			m, f := &r.Touches[is.Point].Motion, &r.Touches[is.Point].Force
			v := 0.0
			for d, a := range row {
				v += a * w.Rates()[d]
			}
			speed := map[int]float64{contact.ByN: m.N, contact.ByX: m.X, contact.ByY: m.Y}[is.By]
			force := map[int]float64{contact.ByN: f.N, contact.ByX: f.X, contact.ByY: f.Y}[is.By]
			assert.InDelta(t, speed, v, 1e-12, "%s row %d", family, i)
			for d, a := range row {
				got[d] += a * force
			}
		}
		for i := range mech.NumContacts() {
			_, body, _ := mech.Contact(i)
			r, err := mech.ContactAt(i, w.Kinematics(), st)
			require.NoError(t, err)
			w.AddGeneralizedForceTo(want, int(plan.LinkOf[body]), tree.World, &r.Wrench, 1)
		}
		scale := check.MaxAbs(want)
		require.Greater(t, scale, 1.0)
		check.CloseVec(t, got, want, 1e-12, scale, "%s", family)
	}
}

// TestBalanceFlight: a rover in the air falls freely, and lands.
func TestBalanceFlight(t *testing.T) {
	m := generate(t, "rover", 1, 1)
	for i := range m.Bodies {
		m.Bodies[i].Pose.Position[2] += 0.5
	}
	p := newPlan(t, m, order.Auto)
	const h, steps = 0.01, 20
	st, _ := balanced(t, p, h, h*steps)
	// First-order steps with the rate at the end fall by g·h²·n(n + 1)/2.
	assert.InDelta(t, 9.81*h*h*steps*(steps+1)/2, p.Mechanism().Initial().Bodies[0].Position[2]-st.Bodies[0].Position[2], 1e-6)
	st, _ = balanced(t, p, h, 3)
	assert.False(t, math.IsNaN(st.Bodies[0].Position[2]))
	up := st.Bodies[0].Rotation.Rotate(spatial.Vec3{0, 0, 1})
	assert.Greater(t, up[2], 0.9, "it stands")
	assert.Less(t, st.Bodies[0].Position[2], m.Bodies[0].Pose.Position[2]-0.2)
}

// TestAckermann: the rover of the tutorial drives on level ground on the circle of 5 m that its steering is made for,
// the nearer the less its wheels slip.
func TestAckermann(t *testing.T) {
	const base, radius, until = 1.0, 5.0, 12.0
	var e [3]float64
	for i, slip := range []float64{1e-2, 1e-3, 1e-4} {
		m, err := model.ReadFile("../examples/rover/rover.json")
		require.NoError(t, err)
		m.Terrains = []model.Terrain{{Name: "hills", Type: model.PlaneTerrain}}
		for k := range m.Forces {
			if c := m.Forces[k].Contact; c != nil {
				c.Law.Friction.SlipSpeed = slip
			}
		}
		st, _ := balanced(t, newPlan(t, m, order.Auto), 0.02, until)
		b := &st.Bodies[0]
		rear := b.Velocity.Add(b.Omega.Cross(b.Rotation.Rotate(spatial.Vec3{-base / 2})))
		e[i] = math.Hypot(rear[0], rear[1])/b.Omega[2] - radius
	}
	t.Logf("radius less 5 m: %.3g", e)
	assert.InDelta(t, 10, e[0]/e[1], 2)
	assert.Less(t, math.Abs(e[2]), 5e-3)
}
