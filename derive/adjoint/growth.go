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
	// Unstable is by how much explicit steps that are beyond the stability of their method have made cotangents larger, theory.md (V24): the
	// most of all objectives, 0 if there are none such. The derivative is then that of the steps, and not of the motion.
	Unstable float64

	length, middle, time float64
	half, most           []float64 // by objective: the largest sizes up to the middle of the run, and in all
	halves               halves
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

// See takes in the cotangents at a time, which goes back, as sweeps do. Without a growth it does nothing.
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

// halves compare explicit steps with two of half the length, on the way back, theory.md (V24). A step that is beyond the stability of its
// method makes larger what the motion makes smaller, and its halves do not do the same.
type halves struct {
	steps      int         // since the last one that was due
	found      bool        // a step has differed from its halves: more are compared
	was        [][]float64 // cotangents at the end of the step at hand, by objective, and then those that its halves take to its start
	x          []float64   // one at the start
	size, rise []float64   // of those at the end, and the logarithm of how much larger it is than at the joints before
	differs    []bool      // whether the step that was compared last has differed, by objective
	log        []float64   // of how much such steps have made cotangents larger
	parameters []float64   // scratch
	middle     *mechanism.State
}

const (
	// halvedEvery is how many steps there are from one that is compared to the next. A smaller value costs time only.
	halvedEvery = 16
	// steep is the rise of cotangents from one time at the joints to the next from which on a step is compared anyway. A smaller value costs
	// time only.
	steep = 0.05
)

// begin makes room for n objectives.
func (v *halves) begin(n int) {
	v.was, v.size, v.rise, v.log, v.differs = make([][]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]bool, n)
}

// compares reports whether the step at hand is compared with its halves, and keeps the cotangents at its end then. They are on the joints
// there, as joined says: what is off them neither grows nor shrinks. The first step of a run, which comes last here, is compared in any
// case: runs of a few steps have no other.
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
