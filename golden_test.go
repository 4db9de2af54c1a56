package rung_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// wrenchTol is the error of a wrench relative to the largest one in the
	// file: accelerations have 1e-9, and a reaction takes the difference of two
	// of them times a mass.
	wrenchTol = 1e-8
	// residualTol is the scaled residual of a refined solution.
	residualTol = 1e-14
	// fitTol bounds the joint residuals of the reference states, which are below
	// 1e-13, plus rounding of our own.
	fitTol = 1e-12
)

// goldenCase is one reference model with its answer.
type goldenCase struct {
	name string
	m    *model.Model
	e    *check.Expected
}

func goldenCases(t testing.TB) []goldenCase {
	t.Helper()
	var list []goldenCase
	for _, name := range check.Some(check.GoldenModels(t), 2) {
		list = append(list, goldenCase{name, golden(t, name), check.ReadExpected(t, name)})
	}
	return list
}

// TestGolden compares the documents of Accelerate with the reference, for every
// model and ordering.
func TestGolden(t *testing.T) {
	for _, c := range goldenCases(t) {
		for _, o := range check.Some(orderings, 3) {
			t.Run(c.name+"/"+o.String(), func(t *testing.T) {
				r, err := rung.Accelerate(c.m, rung.Options{Ordering: o})
				require.NoError(t, err)
				assert.Equal(t, results.Format, r.Format)
				assert.Equal(t, c.m.Name, r.Name)
				if o != order.Auto {
					assert.Equal(t, o.String(), r.Ordering)
				}
				requireAccelerations(t, c.e, r)
				requireConstraints(t, c.e, r)
				requireWrenches(t, c.e, r)
				requireResiduals(t, r)
				assert.Equal(t, "sparse", r.Method)
				assert.Equal(t, 6*len(c.m.Bodies)+c.e.Constraints.Rows, r.Solve.Unknowns)
				assert.Positive(t, r.Solve.FactorNonzeros)
				assert.Less(t, r.Solve.Residual, residualTol)
				// The energy of a model moved by 1e6 m is a difference from the far
				// origin; its scale in the file has that size.
				allowed := c.e.Allowed().Energy
				check.Close(t, r.Energy.Kinetic, c.e.Energy.Kinetic, 1, allowed, "kinetic energy")
				check.Close(t, r.Energy.Potential, c.e.Energy.Potential, 1, allowed, "potential energy")
			})
		}
	}
}

func requireAccelerations(t *testing.T, e *check.Expected, r *rung.Result) {
	t.Helper()
	require.Len(t, r.Bodies, len(e.Bodies))
	allowed := e.Allowed()
	for i, w := range e.Bodies {
		b := r.Bodies[i]
		require.Equal(t, w.Name, b.Name)
		check.CloseVec(t, b.ComAcceleration[:], w.ComAcceleration[:], 1, allowed.LinearAcceleration, "%s: acceleration", w.Name)
		check.CloseVec(t, b.AngularAcceleration[:], w.AngularAcceleration[:], 1, allowed.AngularAcceleration, "%s: angular acceleration", w.Name)
	}
}

func requireConstraints(t *testing.T, e *check.Expected, r *rung.Result) {
	t.Helper()
	c, w := r.Constraints, e.Constraints
	assert.Equal(t, w.Rows, c.Rows, "rows")
	assert.Equal(t, w.Rank, c.Rank, "rank")
	assert.Equal(t, w.Redundant, c.Redundant, "redundant")
	assert.Equal(t, w.Mobility, c.Mobility, "mobility")
	assert.False(t, c.NearSingular, "near singular at distance %g", c.Distance)
	assert.LessOrEqual(t, c.Distance, 1.0+1e-12, "distance")
	assert.Equal(t, c.Rows > 0, c.WeakestJoint != "", "weakest joint %q", c.WeakestJoint)
	n := 0
	for _, j := range c.RedundantJoints {
		assert.Positive(t, j.Rows, j.Name)
		n += j.Rows
	}
	assert.Equal(t, w.Redundant, n, "redundant rows by joint")
}

// requireWrenches compares the components that are determined by value, and
// which ones are not exactly.
func requireWrenches(t *testing.T, e *check.Expected, r *rung.Result) {
	t.Helper()
	require.Len(t, r.Joints, len(e.Joints))
	force := math.Max(1e3*e.Tolerance.Force, wrenchTol*e.Scale.Force)
	moment := math.Max(1e3*e.Tolerance.Moment, wrenchTol*e.Scale.Moment)
	for i := range e.Joints {
		w, j := &e.Joints[i], &r.Joints[i]
		require.Equal(t, w.Name, j.Name)
		undetermined := []string{}
		for _, c := range []struct {
			what      string
			want      *check.Wrench
			got       *results.Wrench
			undefined *[]string
		}{
			{"total", &w.TotalWrench, &j.TotalWrench, &undetermined},
			{"constraint", &w.ConstraintWrench, &j.ConstraintWrench, new([]string)},
		} {
			requireTriple(t, &c.want.Force, c.got.Force, force, w.Name+": "+c.what+" ", "force", c.undefined)
			requireTriple(t, &c.want.Moment, c.got.Moment, moment, w.Name+": "+c.what+" ", "moment", c.undefined)
		}
		assert.Equal(t, undetermined, j.Undetermined, "%s: undetermined", w.Name)
		assert.Equal(t, w.WrenchUnique, j.WrenchUnique, "%s: unique", w.Name)
	}
}

// requireTriple compares the known components and appends the names of the
// others to unknown.
func requireTriple(t *testing.T, want *check.Triple, got spatial.Vec3, allowed float64, who, what string, unknown *[]string) {
	t.Helper()
	for k, axis := range []string{".x", ".y", ".z"} {
		if !want[k].Known {
			*unknown = append(*unknown, what+axis)
			continue
		}
		check.Close(t, got[k], want[k].Value, 1, allowed, "%s%s%s", who, what, axis)
	}
}

func requireResiduals(t *testing.T, r *rung.Result) {
	t.Helper()
	for _, j := range r.Joints {
		assert.LessOrEqual(t, j.PositionResidual, fitTol, "%s: position", j.Name)
		assert.LessOrEqual(t, j.VelocityResidual, fitTol, "%s: velocity", j.Name)
	}
}

// TestGoldenAppliedWrenches compares the drives' part of the wrenches and the
// forces that enforce the prescribed motions, which are the multipliers of the
// last rows of their joints.
func TestGoldenAppliedWrenches(t *testing.T) {
	for _, c := range goldenCases(t) {
		t.Run(c.name, func(t *testing.T) {
			s := solve(t, c.m, order.Auto)
			report(t, s)
			allowed := c.e.Allowed()
			for j := range c.e.Joints {
				w := &c.e.Joints[j]
				a := s.Reactions().AppliedWrench(j)
				var unknown []string
				requireTriple(t, &w.AppliedWrench.Force, a.Linear(), allowed.Force, w.Name+": ", "force", &unknown)
				requireTriple(t, &w.AppliedWrench.Moment, a.Moment(), allowed.Moment, w.Name+": ", "moment", &unknown)
				require.Empty(t, unknown)
				requireMotionForces(t, c, s, j)
			}
		})
	}
}

func requireMotionForces(t *testing.T, c goldenCase, s *rung.Solver, j int) {
	t.Helper()
	mj, w := &c.m.Joints[j], &c.e.Joints[j]
	var lambda [6]float64
	n := s.Reactions().MultipliersTo(&lambda, j)
	require.Equal(t, w.Rows, n, "%s: rows", w.Name)
	row := mj.Type.Constraints()
	for k, mo := range mj.Motion {
		if mo == nil {
			continue
		}
		allowed := c.e.Allowed().Force
		if mj.Type.Rotational(k) {
			allowed = c.e.Allowed().Moment
		}
		if f := w.MotionForce[k]; f.Known {
			// Ten times: a motion force adds up a whole wrench over one freedom.
			check.Close(t, lambda[row], f.Value, 10, allowed, "%s: motion force %d", w.Name, k)
		}
		row++
	}
}
