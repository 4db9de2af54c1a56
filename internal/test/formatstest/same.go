package formatstest

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// sameTol is the largest difference of two models of one mechanism, relative to the largest number of the kind. It allows for
// the rounding of frames that are computed in different ways.
const sameTol = 1e-11

// Own returns the files of this project's own models in other formats.
func Own(t testing.TB) *source.Files {
	t.Helper()
	return source.NewFiles(os.DirFS(check.Reference(t, "import")), nil)
}

// Same compares got with want, a model of the same mechanism that was written by hand. The bodies must have the same
// masses, centres of mass and poses. They must have the same accelerations at rest and in random motions that the joints
// allow, which would differ for a wrong inertia or joint.
func Same(t *testing.T, got, want *model.Model) {
	t.Helper()
	number := map[string]int{}
	for i := range got.Bodies {
		number[got.Bodies[i].Name] = i
	}
	require.Len(t, got.Bodies, len(want.Bodies), "bodies")
	for i := range want.Bodies {
		w := &want.Bodies[i]
		k, ok := number[w.Name]
		require.True(t, ok, "body %s", w.Name)
		g := &got.Bodies[k]
		check.Close(t, g.Mass, w.Mass, sameTol, w.Mass, "mass of %s", w.Name)
		check.CloseVec(t, g.Com[:], w.Com[:], sameTol, 1, "com of %s", w.Name)
		check.CloseVec(t, g.Pose.Position[:], w.Pose.Position[:], sameTol, 1, "position of %s", w.Name)
		turn := spatial.Quat(w.Pose.Orientation).Conj().Mul(spatial.Quat(g.Pose.Orientation))
		check.CloseVec(t, turn[1:], make([]float64, 3), sameTol, 1, "orientation of %s", w.Name)
	}
	plan, err := rung.NewPlan(want, rung.Options{})
	require.NoError(t, err)
	closer := closing.NewCloser(plan, closing.Options{})
	st := plan.Initial()
	require.NoError(t, closer.ClosePositions(st))
	for k := range 3 {
		r := check.Rand(uint64(k))
		if k > 0 {
			for i := range st.Bodies {
				for c := range 3 {
					st.Bodies[i].Omega[c], st.Bodies[i].Velocity[c] = r.NormFloat64(), r.NormFloat64()
				}
			}
		}
		require.NoError(t, closer.ProjectVelocities(st))
		a, b := *want, *got
		a.Bodies, a.Joints, b.Bodies = slices.Clone(a.Bodies), slices.Clone(a.Joints), slices.Clone(b.Bodies)
		rung.SetState(&a, plan.Mechanism(), st)
		for i := range a.Bodies {
			to := &b.Bodies[number[a.Bodies[i].Name]]
			to.Pose, to.Velocity = a.Bodies[i].Pose, a.Bodies[i].Velocity
		}
		wantAcc, err := rung.Accelerate(&a, rung.Options{})
		require.NoError(t, err)
		gotAcc, err := rung.Accelerate(&b, rung.Options{})
		require.NoError(t, err)
		for i := range wantAcc.Bodies {
			w := &wantAcc.Bodies[i]
			g := &gotAcc.Bodies[number[w.Name]]
			check.CloseVec(t, g.ComAcceleration[:], w.ComAcceleration[:], sameTol, 10+check.MaxAbs(w.ComAcceleration[:]), "acceleration of %s, state %d", w.Name, k)
			check.CloseVec(t, g.AngularAcceleration[:], w.AngularAcceleration[:], sameTol, 10+check.MaxAbs(w.AngularAcceleration[:]), "angular acceleration of %s, state %d", w.Name, k)
		}
		require.Equal(t, wantAcc.Constraints.Mobility, gotAcc.Constraints.Mobility, "mobility")
	}
}

// Accelerations returns the angular acceleration of a body of m, then the acceleration of its centre of mass.
func Accelerations(t *testing.T, m *model.Model, body string) (out []float64) {
	t.Helper()
	r, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	for i := range r.Bodies {
		if b := &r.Bodies[i]; b.Name == body {
			return append(append(out, b.AngularAcceleration[:]...), b.ComAcceleration[:]...)
		}
	}
	t.Fatalf("no body %s", body)
	return nil
}

// Mobility returns the number of freedoms that the joints of m leave.
func Mobility(t *testing.T, m *model.Model) int {
	t.Helper()
	r, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	return r.Constraints.Mobility
}
