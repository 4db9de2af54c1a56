package terrain

import (
	"math"
	"testing"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
)

// TestSlopesByStrips: slopes by strips of lines have the bits of those
// of all nodes at once, for all numbers of lines about those of strips.
func TestSlopesByStrips(t *testing.T) {
	r := check.Rand(5)
	for _, ny := range []int{2, 3, 4, 5, 62, 63, 64, 65, 66, 67, 127, 128, 129, 130, 200} {
		f := &ground.Field{Spacing: [2]float64{0.5, 0.7}, Size: [2]int{7, ny}, Heights: make([]float64, 7*ny)}
		for k := range f.Heights {
			f.Heights[k] = r.Float64()
		}
		gx, gy := make([]float64, len(f.Heights)), make([]float64, len(f.Heights))
		f.GradientTo(gx, gy)
		want, sum := slopes{}, 0.0
		for k := range gx {
			h := math.Hypot(gx[k], gy[k])
			want.Largest = max(want.Largest, h)
			sum += h * h
		}
		want.RMS = math.Sqrt(sum / float64(len(gx)))
		if got := slopesOf(f); got != want {
			t.Errorf("%d lines: %+v, not %+v", ny, got, want)
		}
	}
}
