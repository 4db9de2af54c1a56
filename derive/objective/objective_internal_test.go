package objective

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTerm: Weight·(x − Target)^Power and its derivative.
func TestTerm(t *testing.T) {
	value, slope := (&Term{Weight: 0.1, Target: 3, Power: 2}).value(5)
	assert.InDelta(t, 0.4, value, 1e-15)
	assert.InDelta(t, 0.4, slope, 1e-15)
}
