package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/sim"
)

// The models of TestErrorsFallWithTolerance, by what acts in them: stops, friction, bearings, bushings, actuators, cables,
// contacts, laws, prescribed motions.
var tolerated = []struct {
	name  string
	until float64 // from the time of the model, s
}{
	{"sim-stop-0", 0.15},
	{"sim-fric-0", 0.2},
	{"sim-bear-0", 0.05},
	{"sim-bush-0", 0.15},
	{"actu-0", 0.15},
	{"actu-1", 0.15},
	{"cable-0", 0.15},
	{"laws-0", 0.15},
	{"stop-0", 0.15},
	{"fric-0", 0.15},
	{"contact-disc-coulomb", 0.02},
	{"contact-torus-tyre", 0.05},
	{"kinematics-0", 0.1},
}

// toleratedFloor is what rounding makes of errors at the least tolerances, and toleratedRise the factor by which an error may
// be larger than at a tolerance ten times as large, where steps end at other places of a kink.
const toleratedFloor, toleratedRise = 3e-8, 3

// TestErrorsFallWithTolerance: with every kind of force, errors of implicit steps fall with the tolerance from 1e-3 to 1e-12, every night
// to 1e-13, and then stay. The judge is an explicit method of order 5 at the least tolerance.
func TestErrorsFallWithTolerance(t *testing.T) {
	check.Long(t)
	for _, c := range tolerated {
		t.Run(c.name, func(t *testing.T) {
			m := open(t, "truth", c.name, "model.json")
			r := newRig(t, m)
			judge := r.simulate(sim.DormandPrince(), 1e-13, sim.Options{Projector: r.proj, Start: sim.Close})
			until := judge.State().Time + c.until
			require.NoError(t, judge.Run(until))
			errs := []float64{}
			for _, tol := range []float64{1e-3, 1e-5, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13} {
				if testing.Short() && tol < 1e-11 || check.More() == 1 && tol < 1e-12 {
					break
				}
				q := newImplicit(t, m)
				_, s := q.run(sim.GeneralizedAlphaOptions{Tolerance: sim.Tolerance{Relative: tol}}, sim.Options{Projector: q.proj, Start: sim.Close})
				require.NoError(t, s.Run(until), "tolerance %v", tol)
				e := distance(s.State(), judge.State())
				if n := len(errs); n > 0 {
					assert.LessOrEqual(t, e, max(toleratedFloor, toleratedRise*errs[n-1]), "tolerance %v", tol)
				}
				errs = append(errs, e)
			}
			t.Logf("%.1e", errs)
			assert.LessOrEqual(t, errs[len(errs)-1], max(toleratedFloor, 2e-2*errs[1]))
		})
	}
}

// TestErrorsFallWithStep: the same for fixed steps. Errors are of order 2 down to steps whose cube is below rounding.
func TestErrorsFallWithStep(t *testing.T) {
	check.Long(t)
	for _, name := range []string{"sim-stop-0", "sim-fric-0", "sim-bear-0", "actu-0", "actu-1", "cable-0"} {
		t.Run(name, func(t *testing.T) {
			m := open(t, "truth", name, "model.json")
			r := newRig(t, m)
			judge := r.simulate(sim.DormandPrince(), 1e-13, sim.Options{Projector: r.proj, Start: sim.Close})
			until := judge.State().Time + 0.02
			require.NoError(t, judge.Run(until))
			var errs []float64
			for _, h := range []float64{1e-3, 1e-4, 1e-5, 2e-6} {
				q := newImplicit(t, m)
				_, s := q.run(sim.GeneralizedAlphaOptions{Fixed: true}, sim.Options{Projector: q.proj, Step: h})
				require.NoError(t, s.Run(until))
				errs = append(errs, distance(s.State(), judge.State()))
			}
			t.Logf("%.1e", errs)
			assert.Less(t, errs[1], errs[0]/20)
			assert.Less(t, errs[2], max(errs[1]/20, 1e-9))
			assert.Less(t, errs[3], max(errs[2]/5, 1e-9))
		})
	}
}
