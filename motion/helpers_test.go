package motion_test

import "github.com/rung-mbd/rung/internal/test/plantest"

// What tests share with those of other packages.
var (
	golden      = plantest.Golden
	generate    = plantest.Generate
	newPlan     = plantest.New
	jointErrors = plantest.Errors
	stepCases   = plantest.StepCases
)

// shutTol is the error of a row that counts as closed.
const shutTol = 1e-12
