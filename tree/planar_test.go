package tree_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// TestRowsOfRounding tilts the bodies of a plane mechanism out of it by less than rounding,
// as an integrator does. What that makes of the rows that vanish in the plane is no
// constraint, however large they are beside their own terms.
func TestRowsOfRounding(t *testing.T) {
	for _, tilt := range []float64{1e-300, 1e-33, 1e-20, 1e-16, 1e-13} {
		for _, method := range methods {
			r := newRig(t, golden(t, "four-bar"), tree.Options{})
			st := r.mech.Initial()
			for i := range st.Bodies {
				b, k := &st.Bodies[i], float64(i+1)
				b.Rotation[1] += tilt * k
				b.Rotation[2] -= tilt / k
				b.Position[2] += tilt * k * k
				b.Omega[0] += tilt / k
				b.Velocity[2] -= tilt
			}
			s := r.plan.NewSolver(method, tree.SolverOptions{})
			require.NoError(t, s.Solve(st), "%v, tilt %g", method, tilt)
			assert.Equal(t, 3, s.Report().Redundant)
			sparse := kkt.NewPlan(r.mech, kkt.Options{}).NewSolver()
			require.NoError(t, sparse.Solve(st))
			for i, a := range bodyAccelerations(s) {
				w, v := sparse.AngularAcceleration(i), sparse.ComAcceleration(i)
				assert.InDelta(t, 0, a.Angular().Sub(w).Norm(), 1e-10)
				assert.InDelta(t, 0, spatial.Vec3(a.Linear()).Sub(v).Norm(), 1e-10)
			}
		}
	}
}
