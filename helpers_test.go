package rung_test

import (
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/spatial"
)

// Helpers that tests share with tests of the packages below.
var (
	orderings = plantest.Orderings
	golden    = plantest.Golden
	generate  = plantest.Generate
	newPlan   = plantest.New
	solve     = plantest.Solve
	report    = plantest.Report
)

func closeVec3(t testing.TB, got, want spatial.Vec3, tol, scale float64, msg string, args ...any) {
	t.Helper()
	check.CloseVec(t, got[:], want[:], tol, scale, msg, args...)
}
