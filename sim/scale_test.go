package sim_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// sameEnergy is how much of the energy's drift may be rounding.
const sameEnergy = 0.02

// inUnits multiplies all lengths of a model without forces by s, and with the time all
// accelerations: its motion in another unit of length.
func inUnits(m *model.Model, s float64) {
	for k := range 3 {
		m.Gravity[k] *= s
	}
	for i := range m.Bodies {
		b := &m.Bodies[i]
		for k := range 3 {
			b.Com[k] *= s
			b.Pose.Position[k] *= s
			b.Velocity.Linear[k] *= s
		}
		I := &b.Inertia
		for _, x := range []*float64{&I.XX, &I.YY, &I.ZZ, &I.XY, &I.XZ, &I.YZ} {
			*x *= s * s
		}
	}
	for j := range m.Joints {
		for k := range 3 {
			m.Joints[j].PredecessorFrame.Position[k] *= s
			m.Joints[j].SuccessorFrame.Position[k] *= s
		}
	}
}

// TestUnitOfLength: in another unit of length a run has the same steps and the same motion, with
// the projection of a Dynamics and with that of a Closer.
func TestUnitOfLength(t *testing.T) {
	check.Long(t)
	type outcome struct {
		stats  sim.Stats
		energy float64
		st     *mechanism.State
	}
	run := func(name string, s float64, dynamics bool) outcome {
		m := open(t, "standard", name+".model.json")
		inUnits(m, s)
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		d := motion.NewDynamics(p)
		var proj sim.Projector = d
		if !dynamics {
			proj = plain{d}
		}
		rec, mech := &memory{}, p.Mechanism()
		y := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{}), p.Initial(), sim.Options{
			Projector: proj, Recorder: rec, Every: 0.01,
		})
		require.NoError(t, y.Run(10), "%s, %g", name, s)
		require.LessOrEqual(t, max(rec.drift.Position, rec.drift.Velocity), driftTol*max(1, s), "%s, %g", name, s)
		return outcome{y.Stats(), rec.energyDrift(nil), y.State()}
	}
	for _, c := range []struct {
		model    string
		dynamics bool
	}{{"a02-n-four-bar-2", true}, {"a02-n-four-bar-2", false}} {
		want := run(c.model, 1, c.dynamics)
		scales := []float64{1e-9, 1e6, 1e-6, 1e-3, 1e3}
		for _, s := range scales {
			name := fmt.Sprintf("%s, %g, %t", c.model, s, c.dynamics)
			got := run(c.model, s, c.dynamics)
			t.Logf("%s: %+v, energy %.4g, was %+v, %.4g", name, got.stats, got.energy, want.stats, want.energy)
			require.Equal(t, want.stats.Steps, got.stats.Steps, name)
			require.Equal(t, want.stats.Rejected, got.stats.Rejected, name)
			check.Close(t, got.energy, want.energy, sameEnergy, want.energy, "%s: energy", name)
			for i := range want.st.Bodies {
				x, y := &want.st.Bodies[i], &got.st.Bodies[i]
				require.Less(t, x.Position.Sub(y.Position.Scale(1/s)).Norm(), 1e-6, name)
				require.Less(t, math.Abs(x.Omega[2]-y.Omega[2]), 1e-6, name)
			}
		}
	}
}
