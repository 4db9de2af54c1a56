package sim_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// onSand returns a rover on the hills of its family, on dry sand.
func onSand(t testing.TB, ruts bool) *model.Model {
	t.Helper()
	m, err := bench.Generate("rover", 1, 1)
	require.NoError(t, err)
	sand, err := contact.SoilPreset("dry sand")
	require.NoError(t, err)
	sand.Width, sand.Ruts = 0.12, ruts
	for i := range m.Forces {
		if c := m.Forces[i].Contact; c != nil {
			c.Law = contact.Law{Normal: contact.Normal{Damping: 200}, Friction: contact.Friction{Type: contact.Soil, Soil: sand}}
		}
	}
	return m
}

// rutMethods are the methods that press ruts.
var rutMethods = []string{"explicit", "implicit", "balance"}

// rutRun returns a run on new ground.
func rutRun(t testing.TB, p *kkt.Plan, method string) (*sim.Simulation, *mechanism.Mechanism) {
	t.Helper()
	p = p.With(p.Mechanism().NewInputs())
	m := p.Mechanism()
	o := sim.Options{Projector: sim.NoProjector, Dissipation: true, Events: sim.ContactEvents(m, nil)}
	switch method {
	case "fixed":
		s, _ := damped(p, 0.01, 0, o)
		return s, m
	case "implicit":
		s, _ := damped(p, 0, 1e-4, o)
		return s, m
	case "balance":
		b, err := motion.NewBalance(p, motion.BalanceOptions{})
		require.NoError(t, err)
		o.Step, o.Projector = 0.02, motion.NewDynamics(p)
		return sim.New(m, b, p.Initial(), o), m
	}
	d := motion.NewDynamics(p)
	o.Projector = d
	return sim.New(m, sim.NewRungeKutta(m, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-4}), p.Initial(), o), m
}

// TestRutsOfRuns: by all methods the rear wheels run in the ruts of the front ones and sink below their bottom; the
// energy is that of the motion and what the contacts have taken; a run that continues from a checkpoint has the same bits
// and the same ground; another run of the plan has its own.
func TestRutsOfRuns(t *testing.T) {
	check.Long(t)
	const half, until = 1.5, 3.0
	for _, method := range rutMethods {
		t.Run(method, func(t *testing.T) {
			p, err := rung.NewPlan(onSand(t, true), kkt.Options{})
			require.NoError(t, err)
			whole, m := rutRun(t, p, method)
			require.NoError(t, whole.Run(half))
			c, err := whole.Checkpoint()
			require.NoError(t, err)
			path := filepath.Join(t.TempDir(), "c.json")
			require.NoError(t, sim.WriteCheckpoint(path, c))
			require.NoError(t, whole.Run(until))
			c, err = sim.ReadCheckpoint(path)
			require.NoError(t, err)
			require.Len(t, c.Ruts, 1)
			rest, _ := rutRun(t, p, method)
			require.NoError(t, rest.Restore(c))
			require.NoError(t, rest.Run(until))
			require.Equal(t, whole.State(), rest.State())
			require.Equal(t, whole.Stats(), rest.Stats())
			first, err := whole.Checkpoint()
			require.NoError(t, err)
			second, err := rest.Checkpoint()
			require.NoError(t, err)
			require.Equal(t, first.Ruts, second.Ruts)

			// Behind the rover the ground has been lowered, by the front wheels and again by the rear ones.
			ruts := m.Ruts()[0].Ruts
			st := whole.State()
			front, back := wheelAt(t, m, st, 0), wheelAt(t, m, st, 2)
			between := [2]float64{(front.P[0] + back.P[0]) / 2, (front.P[1] + back.P[1]) / 2}
			behind := [2]float64{back.P[0] - 0.3, back.P[1]}
			t.Logf("%d steps; depths %.4f and %.4f m; lowered by %.4f m between the wheels and %.4f m behind them; contacts took %.4g J", whole.Stats().Steps,
				front.Depth, back.Depth, lowered(t, ruts, between), lowered(t, ruts, behind), whole.Dissipated())
			assert.Greater(t, lowered(t, ruts, between), 0.7*front.Depth)
			assert.Greater(t, lowered(t, ruts, behind), 1.7*lowered(t, ruts, between))
			assert.Zero(t, lowered(t, ruts, [2]float64{front.P[0] + 0.5, front.P[1]}), "ahead")
			assert.NotContains(t, fmt.Sprint(p.Mechanism().Ruts()), "Ruts", "the model's own mechanism has none")
		})
	}
}

func wheelAt(t testing.TB, m *mechanism.Mechanism, st *mechanism.State, i int) contact.Point {
	t.Helper()
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, st))
	r, err := m.ContactAt(i, k, st)
	require.NoError(t, err)
	return r.Nearest
}

// lowered returns how far the ground is lowered at a place.
func lowered(t testing.TB, r *contact.Ruts, at [2]float64) float64 {
	t.Helper()
	was, err := r.Base().Height(at[0], at[1])
	require.NoError(t, err)
	is, err := r.Surface().Height(at[0], at[1])
	require.NoError(t, err)
	return was - is
}

// TestRutsTakeEnergy: without motors a rover that rolls on loses what the contacts take, and nothing else.
func TestRutsTakeEnergy(t *testing.T) {
	check.Long(t)
	m := onSand(t, true)
	m.Forces = m.Forces[:0:0]
	for _, f := range onSand(t, true).Forces {
		if f.Contact != nil {
			m.Forces = append(m.Forces, f)
		}
	}
	for i := range m.Joints {
		m.Joints[i].Damping = nil
	}
	for i := range m.Bodies {
		m.Bodies[i].Velocity.Linear[0] = 0.8
	}
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	p = p.With(p.Mechanism().NewInputs())
	mech := p.Mechanism()
	d := motion.NewDynamics(p)
	s := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-8}), p.Initial(), sim.Options{Dissipation: true, Projector: d})
	energy := func() float64 {
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, s.State()))
		e := mech.EnergyAt(k, s.State())
		return e.Kinetic + e.Potential()
	}
	require.NoError(t, s.Run(1e-9))
	first := energy() + s.Dissipated()
	until := 1.2
	require.NoError(t, s.Run(until))
	t.Logf("contacts took %.6g J, balance %.3g J", s.Dissipated(), energy()+s.Dissipated()-first)
	require.Greater(t, s.Dissipated(), 1.0)
	check.Close(t, energy()+s.Dissipated(), first, 1e-6, s.Dissipated(), "energy")
}

// TestRutsNeedInputs: a run on the ground of the model, which others may use, is refused.
func TestRutsNeedInputs(t *testing.T) {
	p, err := rung.NewPlan(onSand(t, true), kkt.Options{})
	require.NoError(t, err)
	s, _ := damped(p, 0.01, 0, sim.Options{Projector: sim.NoProjector})
	require.ErrorContains(t, s.Run(0.1), "sim: wheels that leave ruts need a ground of the run's own")
	// Inputs of inputs continue from their ground, on one of their own; Reset makes it as it was.
	run, mech := rutRun(t, p, "implicit")
	require.NoError(t, run.Run(0.5))
	ruts := mech.Ruts()[0].Ruts
	in := mech.NewInputs()
	own := in.Mechanism().Ruts()[0].Ruts
	require.NotEmpty(t, own.Nodes())
	require.ElementsMatch(t, ruts.Nodes(), own.Nodes())
	in.Reset()
	require.Empty(t, own.Nodes())
	require.NotEmpty(t, ruts.Nodes())
}

// TestRutsOfCheckpoints: what no run can have is refused.
func TestRutsOfCheckpoints(t *testing.T) {
	p, err := rung.NewPlan(onSand(t, true), kkt.Options{})
	require.NoError(t, err)
	run, _ := rutRun(t, p, "implicit")
	require.NoError(t, run.Run(0.2))
	for name, spoil := range map[string]func(c *sim.Checkpoint){
		"none":    func(c *sim.Checkpoint) { c.Ruts = nil },
		"terrain": func(c *sim.Checkpoint) { c.Ruts[0].Terrain = 3 },
		"short":   func(c *sim.Checkpoint) { c.Ruts[0].Nodes[0] = []float64{1, 2} },
		"place":   func(c *sim.Checkpoint) { c.Ruts[0].Nodes[0][0] = 1.5 },
		"far":     func(c *sim.Checkpoint) { c.Ruts[0].Nodes[0][0] = 1 << 30 },
		"height":  func(c *sim.Checkpoint) { c.Ruts[0].Nodes[0][2] = 1 },
		"twice":   func(c *sim.Checkpoint) { c.Ruts[0].Nodes[1] = c.Ruts[0].Nodes[0] },
	} {
		c, err := run.Checkpoint()
		require.NoError(t, err)
		spoil(c)
		other, _ := rutRun(t, p, "implicit")
		require.ErrorIs(t, other.Restore(c), sim.ErrCheckpoint, name)
	}
}

// TestRutsDoNotAllocate: a drive of some metres is within the memory that there is at first.
func TestRutsDoNotAllocate(t *testing.T) {
	p, err := rung.NewPlan(onSand(t, true), kkt.Options{})
	require.NoError(t, err)
	for _, method := range []string{"fixed", "balance"} {
		s, _ := rutRun(t, p, method)
		require.NoError(t, s.Run(1))
		until := s.State().Time
		allocs := testing.AllocsPerRun(1, func() {
			until += 0.5
			if e := s.Run(until); e != nil {
				err = e
			}
		})
		require.NoError(t, err)
		assert.Zero(t, allocs, method)
	}
}

// TestRefusedRutsLeaveTheGround: a checkpoint with a node of ruts that is there twice is refused, and the ground is what it was.
func TestRefusedRutsLeaveTheGround(t *testing.T) {
	p, err := rung.NewPlan(onSand(t, true), kkt.Options{})
	require.NoError(t, err)
	s, _ := rutRun(t, p, "explicit")
	require.NoError(t, s.Run(0.02))
	c, err := s.Checkpoint()
	require.NoError(t, err)
	nodes := c.Ruts[0].Nodes
	require.NotEmpty(t, nodes)
	c.Ruts[0].Nodes = append(nodes, nodes[0])
	s, m := rutRun(t, p, "explicit")
	ground := m.Ruts()[0].Ruts
	was := []contact.RutNode{{I: 7, J: -3, Lowered: -0.01}}
	require.NoError(t, ground.Restore(was))
	err = s.Restore(c)
	require.ErrorIs(t, err, sim.ErrCheckpoint)
	require.ErrorContains(t, err, "there twice")
	require.Equal(t, was, ground.Nodes())
}
