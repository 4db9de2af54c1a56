package sweep

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung"
)

// TestLimit: runs are planned with the limit of rung.NewPlan.
func TestLimit(t *testing.T) { assert.EqualValues(t, rung.DefaultMaxNonZeros, maxNonZeros) }
