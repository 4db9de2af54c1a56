package batch_test

import (
	"testing"

	"github.com/rung-mbd/rung/internal/test/modeltest"
)

// TestRolling: the rows of wheels and edges are evaluated state by state, and the results are those of a Solver. Steps are taken alone.
func TestRolling(t *testing.T) {
	evaluated(t, modeltest.Rolling(3), "wheels")
}
