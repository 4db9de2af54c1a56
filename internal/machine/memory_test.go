package machine

import (
	"runtime"
	"testing"
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
	if rise := PeakBytes() - base; rise <= size/2 {
		t.Errorf("the peak has risen by %d bytes", rise)
	}
	if n := ResidentBytes(); n <= 0 {
		t.Errorf("%d bytes are resident", n)
	}
	if n := heldBytes(); n <= size/2 {
		t.Errorf("%d bytes are held", n)
	}
	runtime.KeepAlive(b)
}
