package adjoint

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// Growth records the growth of cotangents on the way back over a run. It belongs to one goroutine.
//
// The size of cotangents at a time is the root of Σ |φ̄|² + L²|c̄|² + (|ω̄|² + L²|v̄|²)/T² over the bodies, with the typical length L of
// the mechanism and the length T of the run.
type Growth struct {
	// Unstable is the factor by which explicit steps beyond the stability of their method have made cotangents larger, theory.md (V24): the
	// largest of all objectives, 0 without such steps. The derivative is then the derivative of the steps, but not of the motion.
	Unstable float64

	length, middle, time float64
	half, most           []float64 // largest sizes by objective: between the end and the middle of the run, and in all
	halves               halves
}

// NewGrowth returns the record for a run of m between two times.
//
// It panics without a mechanism, or unless until is after from.
func NewGrowth(m *mechanism.Mechanism, from, until float64) *Growth {
	if m == nil || !(until > from) {
		panic("derive/adjoint: growth takes a mechanism and a run")
	}
	return &Growth{length: m.TypicalLength(), middle: from + (until-from)/2, time: until - from}
}

// See records the cotangents g at a time. Times descend from call to call, as in a sweep. A nil Growth records nothing.
func (w *Growth) See(time float64, g []Gradient) {
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

// size returns the size of the cotangents x of a state, with all of them scaled to cotangents of rotations.
func (w *Growth) size(x []float64) float64 {
	sum := 0.0
	for i, y := range x {
		switch i % PerBody / 3 {
		case 1: // of positions
			y *= w.length
		case 2: // of angular velocities
			y /= w.time
		case 3: // of velocities
			y *= w.length / w.time
		}
		sum += y * y
	}
	return math.Sqrt(sum)
}

// Ratio returns the factor by which cotangents grow over the first half of the run, the second half of the way back: the largest of all
// objectives, at least 1. If they grow like the power k of time, it is about 2^k for any length of the run. If they grow exponentially, it
// grows exponentially with the length of the run.
func (w *Growth) Ratio() float64 {
	ratio := 1.0
	for i, x := range w.most {
		if x > 0 {
			ratio = max(ratio, x/w.half[i])
		}
	}
	return ratio
}

// halves compare explicit steps with two steps of half the length, on the way back, theory.md (V24). A step beyond the stability of its
// method enlarges cotangents that the motion makes smaller, and its halves enlarge them less or not at all.
type halves struct {
	steps      int         // steps since the last regular comparison
	found      bool        // a step has differed from its halves: every later one is compared
	was        [][]float64 // cotangents at the end of this step, by objective; halve replaces them by the cotangents at its start
	x          []float64   // cotangents of one objective at the start
	size, rise []float64   // size at the end of the step, and log of its ratio to the size recorded before, by objective
	differs    []bool      // whether the step that was compared last has differed, by objective
	log        []float64   // log of the growth over steps that differ from their halves, by objective
	parameters []float64   // scratch
	middle     *mechanism.State
}

const (
	// halvedEvery is the number of steps from one regular comparison to the next. A smaller value costs time only.
	halvedEvery = 16
	// steep is the rise (logarithm of the ratio of sizes) from which a step is compared out of turn. A smaller value costs time only.
	steep = 0.05
)

// begin allocates the memory for n objectives.
func (v *halves) begin(n int) {
	v.was, v.size, v.rise, v.log, v.differs = make([][]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]bool, n)
}

// compares reports whether this step is to be compared with its halves, and keeps the cotangents g at its end then. Only steps that end on
// the joints (joined) are compared: across the joints cotangents neither grow nor shrink. The first step of the run, the last one of a
// sweep, is always compared: a run of a few steps may have no other comparison.
func (w *Growth) compares(joined, first bool, g []Gradient) bool {
	if w == nil {
		return false
	}
	if w.halves.steps++; !joined {
		return false
	}
	v := &w.halves
	due, compares := v.steps >= halvedEvery, v.found || first
	if due {
		v.steps = 0
	}
	for i := range g {
		last := v.size[i]
		v.size[i], v.rise[i] = w.size(g[i].Start), 0
		if last > 0 && v.size[i] > 0 {
			v.rise[i] = math.Log(v.size[i] / last)
		}
		compares = compares || v.rise[i] > steep || due && v.rise[i] > 0
	}
	for i := range g {
		if compares {
			v.was[i] = append(v.was[i][:0], g[i].Start...)
		}
	}
	return compares
}
