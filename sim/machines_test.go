package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// machine reads a model of reference/joints.
func machine(t testing.TB, name string) *kkt.Plan {
	t.Helper()
	m, err := rung.Open(check.Reference(t, "joints", name+".model.json"))
	require.NoError(t, err)
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	return p
}

// apart returns the largest distance between the bodies of two states, m, turns of 1 rad counting as 1 m.
func apart(a, b *mechanism.State) (d float64) {
	for i := range a.Bodies {
		x, y := &a.Bodies[i], &b.Bodies[i]
		q := x.Rotation.Mul(y.Rotation.Conj())
		d = max(d, x.Position.Sub(y.Position).Norm(), 2*math.Sqrt(q[1]*q[1]+q[2]*q[2]+q[3]*q[3]))
	}
	return d
}

// TestMachinesImplicitly compares runs of the generalized-α method with armature, couplings and singular inertias with
// runs of Dormand and Prince's method: the error falls with the square of the step.
func TestMachinesImplicitly(t *testing.T) {
	check.Long(t)
	for _, name := range []string{"armature-floating", "armature-four-bar", "point-governor", "slender-slider-crank", "gear-chain", "rack-pinion", "gripper-mimic"} {
		t.Run(name, func(t *testing.T) {
			p := machine(t, name)
			const T = 0.25
			want := p.Initial()
			d := motion.NewDynamics(p)
			s := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-11}), want, sim.Options{Projector: d})
			require.NoError(t, s.Run(T))
			want = s.State().Clone()
			var errors []float64
			for _, step := range []float64{2e-3, 1e-3} {
				n := motion.NewNewton(p)
				k := sim.NewGeneralizedAlpha(p.Mechanism(), n, sim.GeneralizedAlphaOptions{Fixed: true})
				s := sim.New(p.Mechanism(), k, p.Initial(), sim.Options{Step: step, Projector: n})
				require.NoError(t, s.Run(T))
				errors = append(errors, apart(s.State(), want))
			}
			t.Logf("errors %.3g", errors)
			require.InDelta(t, 4, errors[0]/errors[1], 0.6)
			require.Less(t, errors[1], 2e-3)
		})
	}
}
