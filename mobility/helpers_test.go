package mobility_test

import "github.com/rung-mbd/rung/internal/test/plantest"

// golden reads a reference model.
var golden = plantest.Golden
