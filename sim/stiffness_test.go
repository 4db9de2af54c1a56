package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// stiffnessOf runs the steps of Dormand and Prince.
func stiffnessOf(t *testing.T, m *mechanism.Mechanism, d sim.Dynamics, p sim.Projector, until, tolerance float64) (*sim.Stiffness, sim.Stats) {
	k := sim.NewRungeKutta(m, d, sim.DormandPrince(), sim.Tolerance{Relative: tolerance})
	o := sim.Options{Projector: p}
	if m.NumJoints() > 0 {
		o.Start = sim.Close
	}
	s := sim.New(m, k, m.Initial(), o)
	require.NoError(t, s.Run(until))
	return s.Stiffness(), s.Stats()
}

// pulled is a body that a spring and a damper pull after a slow motion, along x.
type pulled struct{ spring, damper float64 }

func (p pulled) Accelerations(a []float64, st *mechanism.State) error {
	clear(a)
	b := &st.Bodies[0]
	a[3] = p.spring*(math.Sin(st.Time)-b.Position[0]) + p.damper*(math.Cos(st.Time)-b.Velocity[0]) - math.Sin(st.Time)
	return nil
}

// TestStiffness: |λ| of a body on a stiff spring or damper is known.
func TestStiffness(t *testing.T) {
	m, err := mechanism.New(&model.Model{Bodies: []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Velocity: model.Velocity{Linear: [3]float64{1, 0, 0}}}}})
	require.NoError(t, err)
	for _, c := range []struct {
		name           string
		spring, damper float64
		rate           float64 // 0: not stiff
	}{
		{"damper", 0, 1e4, 1e4}, {"spring and damper", 1e8, 1.6e4, 1e4}, {"soft spring", 1, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, stats := stiffnessOf(t, m, pulled{c.spring, c.damper}, sim.NoProjector, 2, 1e-6)
			t.Log(stats.Steps, stats.Stiff)
			if c.rate == 0 {
				require.Nil(t, got)
				return
			}
			require.NotNil(t, got)
			require.InEpsilon(t, c.rate, got.Rate, 0.3, "a pair of complex numbers swings")
			require.Equal(t, "b", got.Body)
			require.Empty(t, got.Force)
			require.Greater(t, got.Share, 0.9)
		})
	}
}

// TestStiffFamilies: vehicles at rest on their tyres are stiff, and nothing else is, at a fine and at a coarse tolerance.
func TestStiffFamilies(t *testing.T) {
	check.Long(t)
	for _, family := range bench.Families() {
		m, err := bench.Generate(family, 5, 1)
		if err != nil {
			m, err = bench.Generate(family, 8, 1)
		}
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		vehicle := mech.NumContacts() > 0
		if vehicle && family != "rover" {
			continue // takes long, for the same reason
		}
		for _, tolerance := range []float64{1e-8, 1e-4} {
			d := motion.NewDynamics(kkt.NewPlan(mech, kkt.Options{}))
			got, stats := stiffnessOf(t, mech, d, d, 0.5, tolerance)
			if !vehicle {
				assert.Nil(t, got, "%s: %d steps", family, stats.Steps)
				continue
			}
			require.NotNil(t, got, family)
			b, err := mech.BodyIndex(got.Body)
			require.NoError(t, err)
			f, err := mech.ForceIndex(got.Force)
			require.NoError(t, err)
			require.Equal(t, model.ContactForce, mech.Forces[f].Kind)
			require.EqualValues(t, b, mech.Forces[f].A.Body)
		}
	}
}
