package machine

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPeakBytes sees memory that is touched, and forgets what is reset.
func TestPeakBytes(t *testing.T) {
	const size = 64 << 20
	ResetPeak()
	base := PeakBytes()
	b := make([]byte, size)
	for i := range b {
		b[i] = 1
	}
	assert.Greater(t, PeakBytes()-base, int64(size/2))
	assert.Positive(t, ResidentBytes())
	assert.Greater(t, heldBytes(), int64(size/2))
	assert.Equal(t, size, len(b)-slices.Index(b, 1))
}
