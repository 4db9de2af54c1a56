package tree_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

const (
	// closedTol is the largest difference between a tree method and the sparse
	// one, relative to the largest acceleration: what the reference files allow.
	closedTol = 1e-9
	// closedWrenchTol is the same for wrenches, which take the difference of two
	// accelerations times a mass.
	closedWrenchTol = 1e-8
)

var methods = []tree.Method{tree.Direct, tree.Lambda, tree.Projection}

// solveClosed solves the model's state.
func solveClosed(t testing.TB, r *rig, m tree.Method, o tree.SolverOptions) *tree.ClosedSolver {
	t.Helper()
	s := r.plan.NewSolver(m, o)
	require.NoError(t, s.Solve(r.mech.Initial()))
	return s
}

// bodyAccelerations returns the result of s by body.
func bodyAccelerations(s *tree.ClosedSolver) []spatial.ClassicalAccel {
	a := make([]spatial.ClassicalAccel, s.Plan().NumLinks())
	s.AccelerationsTo(a)
	return a
}

func TestClosedGolden(t *testing.T) {
	for _, name := range check.GoldenModels(t) {
		for _, method := range methods {
			t.Run(fmt.Sprintf("%s/%v", name, method), func(t *testing.T) {
				r := newRig(t, golden(t, name), tree.Options{})
				s := solveClosed(t, r, method, tree.SolverOptions{})
				e := check.ReadExpected(t, name)
				allowed := e.Allowed()
				a := bodyAccelerations(s)
				for i, w := range e.Bodies {
					check.CloseVec(t, a[i][:3], w.AngularAcceleration[:], 1, allowed.AngularAcceleration, "%s: angular", w.Name)
					check.CloseVec(t, a[i][3:], w.ComAcceleration[:], 1, allowed.LinearAcceleration, "%s: linear", w.Name)
				}
				rep := s.Report()
				assert.Equal(t, e.Constraints.Rows, rep.Rows+rep.TreeRows, "rows")
				assert.Equal(t, e.Constraints.Rank, rep.Rank+rep.TreeRows, "rank")
				assert.Equal(t, e.Constraints.Redundant, rep.Redundant, "redundant")
				assert.Equal(t, e.Constraints.Mobility, rep.Mobility, "mobility")
				requireKnownWrenches(t, e, s)
			})
		}
	}
}

// requireKnownWrenches compares the components that are determined.
func requireKnownWrenches(t *testing.T, e *check.Expected, s *tree.ClosedSolver) {
	t.Helper()
	force := math.Max(1e3*e.Tolerance.Force, closedWrenchTol*e.Scale.Force)
	// Moments that vanish are differences of forces times arms of about 1 m.
	moment := math.Max(1e3*e.Tolerance.Moment, closedWrenchTol*math.Max(e.Scale.Moment, e.Scale.Force))
	for j := range e.Joints {
		w, got := &e.Joints[j], s.TotalWrench(j)
		for k := range 3 {
			if x := w.TotalWrench.Moment[k]; x.Known {
				check.Close(t, got[k], x.Value, 1, moment, "%s: moment %d", w.Name, k)
			}
			if x := w.TotalWrench.Force[k]; x.Known {
				check.Close(t, got[3+k], x.Value, 1, force, "%s: force %d", w.Name, k)
			}
		}
	}
}

// closedFamilies are problems with loops, with several seeds each.
func closedFamilies(t *testing.T, f func(t *testing.T, m *model.Model)) {
	for _, c := range []struct {
		family string
		n      int
		seeds  uint64
	}{
		{"ladder", 60, 1}, {"ladder", 7, 2}, {"nfourbar", 20, 1}, {"grid", 6, 1}, {"ball-net", 4, 1},
		{"revolute-net", 4, 1}, {"stewart", 2, 1}, {"random", 5, 6}, {"random", 12, 6}, {"random", 30, 8}, {"random", 60, 3},
	} {
		for seed := range c.seeds {
			t.Run(fmt.Sprintf("%s/n=%d/seed=%d", c.family, c.n, seed), func(t *testing.T) {
				f(t, generate(t, c.family, c.n, seed))
			})
		}
	}
}

func TestClosedAgreesWithSparse(t *testing.T) {
	closedFamilies(t, func(t *testing.T, m *model.Model) {
		plan, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		sparse := plan.NewSolver()
		require.NoError(t, sparse.Solve(plan.Initial()))
		report, err := sparse.Report()
		require.NoError(t, err)
		want := make([]float64, 6*len(m.Bodies))
		sparse.AccelerationsTo(want)
		r := newRig(t, m, tree.Options{})
		for _, method := range methods {
			s := solveClosed(t, r, method, tree.SolverOptions{})
			rep := s.Report()
			t.Logf("%v: smallest %.2g dropped %.2g residual %.2g correction %.2g", method, rep.Smallest, rep.Dropped, rep.Residual, rep.Correction)
			assert.Equal(t, report.Rank, rep.Rank+rep.TreeRows, "%v: rank", method)
			assert.Equal(t, report.Redundant, rep.Redundant, "%v: redundant", method)
			assert.Equal(t, report.Mobility, rep.Mobility, "%v: mobility", method)
			requireSameAccelerations(t, bodyAccelerations(s), want, closedTol, method.String())
		}
	})
}

// requireSameAccelerations compares with six numbers a body, relative to the
// largest angular and the largest linear one.
func requireSameAccelerations(t *testing.T, got []spatial.ClassicalAccel, want []float64, tol float64, what string) {
	t.Helper()
	angular, linear := 1e-3, 1e-3
	for i := range got {
		angular = max(angular, check.MaxAbs(want[6*i:6*i+3]))
		linear = max(linear, check.MaxAbs(want[6*i+3:6*i+6]))
	}
	for i := range got {
		check.CloseVec(t, got[i][:3], want[6*i:6*i+3], tol, angular, "%s: body %d angular", what, i)
		check.CloseVec(t, got[i][3:], want[6*i+3:6*i+6], tol, linear, "%s: body %d linear", what, i)
	}
}
