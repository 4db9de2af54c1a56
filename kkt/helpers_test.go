package kkt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Helpers that tests share with the tests of other packages.
var (
	orderings = plantest.Orderings
	golden    = plantest.Golden
	generate  = plantest.Generate
	newPlan   = plantest.New
	solve     = plantest.Solve
	report    = plantest.Report
)

// solved is a solution under the names of bodies and joints, with its Report.
type solved struct {
	rep    *kkt.Report
	bodies map[string]spatial.ClassicalAccel // at the centre of mass
	joints map[string]reaction
	// Largest magnitudes, at least 1e-3: the scales of comparisons.
	angular, linear, moment, force float64
}

// reaction is the wrench of a joint on its successor.
type reaction struct {
	constraint, total spatial.Force
	undetermined      uint8
}

// explain solves m and collects the result, the wrenches after Report.
func explain(t testing.TB, m *model.Model, o order.Ordering) *solved {
	t.Helper()
	s := solve(t, m, o)
	out := &solved{
		rep: report(t, s), bodies: map[string]spatial.ClassicalAccel{}, joints: map[string]reaction{},
		angular: 1e-3, linear: 1e-3, moment: 1e-3, force: 1e-3,
	}
	for i := range m.Bodies {
		w, a := s.AngularAcceleration(i), s.ComAcceleration(i)
		out.bodies[m.Bodies[i].Name] = spatial.NewClassicalAccel(w, a)
		out.angular, out.linear = max(out.angular, w.Norm()), max(out.linear, a.Norm())
	}
	for j := range m.Joints {
		r := reaction{s.ConstraintWrench(j), s.TotalWrench(j), out.rep.Undetermined[j]}
		out.joints[m.Joints[j].Name] = r
		out.moment = max(out.moment, r.total.Moment().Norm())
		out.force = max(out.force, r.total.Linear().Norm())
	}
	return out
}

// requireSameMotion compares the accelerations of all bodies, turned from want
// to got by q, relative to the largest one.
func requireSameMotion(t testing.TB, want, got *solved, q spatial.Quat, tol float64) {
	t.Helper()
	require.Len(t, got.bodies, len(want.bodies))
	for name, w := range want.bodies {
		g := got.bodies[name]
		closeVec3(t, g.Angular(), q.Rotate(w.Angular()), tol, want.angular, "angular acceleration of %s", name)
		closeVec3(t, g.Linear(), q.Rotate(w.Linear()), tol, want.linear, "acceleration of %s", name)
	}
}

// requireSameWrenches compares the wrenches of all joints in the same way.
func requireSameWrenches(t testing.TB, want, got *solved, q spatial.Quat, tol float64) {
	t.Helper()
	for name, w := range want.joints {
		g := got.joints[name]
		closeVec3(t, g.total.Moment(), q.Rotate(w.total.Moment()), tol, want.moment, "moment of %s", name)
		closeVec3(t, g.total.Linear(), q.Rotate(w.total.Linear()), tol, want.force, "force of %s", name)
	}
}

// requireSameCounts compares rank, mobility and the set of joints whose wrench
// is not unique.
func requireSameCounts(t testing.TB, want, got *solved) {
	t.Helper()
	require.Equal(t, want.rep.Rows, got.rep.Rows, "rows")
	require.Equal(t, want.rep.Rank, got.rep.Rank, "rank")
	require.Equal(t, want.rep.Redundant, got.rep.Redundant, "redundant")
	require.Equal(t, want.rep.Mobility, got.rep.Mobility, "mobility")
	for name, w := range want.joints {
		require.Equal(t, w.undetermined == 0, got.joints[name].undetermined == 0, "wrench of %s unique", name)
	}
}

func closeVec3(t testing.TB, got, want spatial.Vec3, tol, scale float64, msg string, args ...any) {
	t.Helper()
	check.CloseVec(t, got[:], want[:], tol, scale, msg, args...)
}

// systemOf returns the system of a solution.
func systemOf(t testing.TB, s *kkt.Solver) *assemble.System {
	t.Helper()
	y, err := s.Stages().System()
	require.NoError(t, err)
	return y
}
