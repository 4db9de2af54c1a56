package mumps

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// Options out of range are refused with their value, with MUMPS and without.
func TestOptionsOutOfRange(t *testing.T) {
	for _, x := range []float64{-1e-9, 1, math.Inf(1), math.NaN()} {
		_, err := Options{LowRank: x}.NewRoot(nil, nil)
		if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "LowRank") {
			t.Errorf("%g: %v", x, err)
		}
	}
}
