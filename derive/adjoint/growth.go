package adjoint

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// Growth is how cotangents grow on the way back over a run. It belongs to one goroutine.
//
// Their size at a time is the root of Σ |φ̄|² + L²|c̄|² + (|ω̄|² + L²|v̄|²)/T² over the bodies, with the typical length L of the mechanism
// and the length T of the run.
type Growth struct {
	length, middle, time float64
	half, most           []float64 // by objective: the largest sizes up to the middle of the run, and in all
}

// NewGrowth returns the growth over a run of m from one time to another.
//
// It panics without a mechanism, or unless the second time is after the first.
func NewGrowth(m *mechanism.Mechanism, from, until float64) *Growth {
	if m == nil || !(until > from) {
		panic("derive/adjoint: growth takes a mechanism and a run")
	}
	return &Growth{length: m.TypicalLength(), middle: from + (until-from)/2, time: until - from}
}

// see takes in the cotangents at a time, which goes back.
func (w *Growth) see(time float64, g []Gradient) {
	if w == nil {
		return
	}
	if len(w.most) != len(g) {
		w.half, w.most = make([]float64, len(g)), make([]float64, len(g))
	}
	for i := range g {
		x := w.size(g[i].Start)
		w.most[i] = max(w.most[i], x)
		if time >= w.middle || w.half[i] == 0 {
			w.half[i] = w.most[i]
		}
	}
}

// size returns that of the cotangents of a state.
func (w *Growth) size(x []float64) float64 {
	sum := 0.0
	for i, y := range x {
		switch i % PerBody / 3 {
		case 1:
			y *= w.length
		case 2:
			y /= w.time
		case 3:
			y *= w.length / w.time
		}
		sum += y * y
	}
	return math.Sqrt(sum)
}

// Ratio returns by how much the second half of the way back, over the first half of the run, makes the cotangents larger: the most of all
// objectives, 1 at least. Where they grow like a power k of time it is about 2^k, whatever the length of the run, and where they grow
// exponentially, it grows with that, too.
func (w *Growth) Ratio() float64 {
	ratio := 1.0
	for i, x := range w.most {
		if x > 0 {
			ratio = max(ratio, x/w.half[i])
		}
	}
	return ratio
}
