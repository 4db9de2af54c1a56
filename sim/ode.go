package sim

import (
	"context"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
)

// ODE integrates ordinary differential equations for vectors of numbers with the methods for mechanisms: any Tableau,
// and the same control of steps. It is a workspace for one goroutine at a time.
type ODE struct {
	f     func(dst, y []float64, t float64) error
	tab   *Tableau
	k     [][]float64 // rates of the stages
	stage []float64
	end   []float64
	first bool    // k[0] holds the rates at the start of the next step
	next  float64 // first step of the next Within; 0: none yet
	steps int
}

// NewODE returns an integrator of n numbers y. f stores dy/dt at y and the time t in dst.
//
// It panics if n < 1, f or tab is nil, or tab is invalid.
func NewODE(n int, f func(dst, y []float64, t float64) error, tab *Tableau) *ODE {
	if n < 1 {
		panic("sim: no numbers to integrate")
	}
	if f == nil {
		panic("sim: no rates")
	}
	tab.must()
	o := &ODE{f: f, tab: tab, k: make([][]float64, len(tab.B)), stage: make([]float64, n), end: make([]float64, n)}
	for i := range o.k {
		o.k[i] = make([]float64, n)
	}
	return o
}

// Steps returns the number of steps so far, without rejected ones.
func (o *ODE) Steps() int { return o.steps }

// Fixed integrates y from t0 to t1 in equal steps of at most h. t1 may be before t0.
//
// Cost: one evaluation for each stage of each step; only the rates may allocate. It returns the errors of the rates, ErrStepTooSmall if
// the number of steps overflows, and the cause of ctx; y is then at the end of the last step. It panics on a length mismatch, if h
// is not positive, or if a time is NaN.
func (o *ODE) Fixed(ctx context.Context, y []float64, t0, t1, h float64) error {
	halt.Must(ctx)
	if len(y) != len(o.end) || !(h > 0) {
		panic("sim: step or length out of range")
	}
	if math.IsNaN(t1 - t0) {
		panic("sim: time is not a number")
	}
	o.first = false
	n := math.Ceil(math.Abs(t1-t0)/h - fixedSlack)
	if math.IsInf(n, 1) {
		return fault.Errorf("sim: at t = %v: %w", t0, ErrStepTooSmall)
	}
	for i := 0.; i < n; i++ {
		if ctx.Err() != nil {
			return fault.Errorf("sim: %w", context.Cause(ctx))
		}
		from, to := t0+(t1-t0)*(i/n), t0+(t1-t0)*((i+1)/n)
		if err := o.try(y, from, to); err != nil {
			return err
		}
		o.accept(y)
	}
	return nil
}

// Within integrates y from t0 to t1 ≥ t0 in steps whose estimated errors are at most tol·(1 + |y|), for each number of y. The
// next call starts with the step that error control has chosen last.
//
// Cost: one evaluation for each stage of each step; only the rates may allocate. It returns the errors of the rates, ErrStepTooSmall,
// and the cause of ctx; y is then at the end of the last step. It panics on a length mismatch, if tol
// is not positive, if t1 is before t0 or NaN, or if the method has no error estimate.
func (o *ODE) Within(ctx context.Context, y []float64, t0, t1, tol float64) error {
	halt.Must(ctx)
	if len(y) != len(o.end) || !(tol > 0) || o.tab.E == nil {
		panic("sim: tolerance, method or length out of range")
	}
	if !(t1 >= t0) {
		panic("sim: time runs backwards")
	}
	c := control{h: o.next, old: firstError, order: float64(o.tab.ErrorOrder) + 1}
	if c.h == 0 {
		c.h = min(firstStep, t1-t0)
	}
	o.first = false
	tol = max(tol, leastRelative)
	for t := t0; t < t1; {
		if ctx.Err() != nil {
			return fault.Errorf("sim: %w", context.Cause(ctx))
		}
		to := t + c.h
		if t+endSlack*c.h >= t1 {
			to = t1
		}
		if err := o.try(y, t, to); err != nil {
			return err
		}
		e := o.estimate(y, to-t) / tol
		if !(e <= 1) {
			if c.reject(to-t, e); c.h < shortest(t) {
				return fault.Errorf("sim: at t = %v: %w", t, ErrStepTooSmall)
			}
			continue
		}
		c.accept(to-t, e)
		o.accept(y)
		t = to
	}
	o.next = c.h
	return nil
}

// try computes a step of y from t0 to t1 and stores its end in o.end.
func (o *ODE) try(y []float64, t0, t1 float64) error {
	h, last := t1-t0, len(o.tab.B)-1
	for i := range o.k {
		if i == 0 && o.first {
			continue
		}
		at, t := o.stage, t0+o.tab.C[i]*h
		if o.tab.FSAL && i == last {
			at = o.end
		}
		if o.tab.C[i] == 1 {
			t = t1
		}
		o.combineTo(at, y, o.tab.A[i], h)
		if err := o.f(o.k[i], at, t); err != nil {
			return fault.Errorf("sim: rates at t = %v: %w", t, err)
		}
	}
	if !o.tab.FSAL {
		o.combineTo(o.end, y, o.tab.B, h)
	}
	o.first = true
	return nil
}

// combineTo stores y + h Σ wⱼ·kⱼ in dst.
func (o *ODE) combineTo(dst, y, w []float64, h float64) {
	copy(dst, y)
	for j, wj := range w {
		if wj == 0 {
			continue
		}
		s := h * wj
		for i, k := range o.k[j] {
			dst[i] += s * k
		}
	}
}

// estimate returns the estimated error of the step h: the largest over the numbers of y, relative to 1 + |y|. It overwrites o.stage.
func (o *ODE) estimate(y []float64, h float64) float64 {
	clear(o.stage)
	o.combineTo(o.stage, o.stage, o.tab.E, h)
	worst := 0.0
	for i, e := range o.stage {
		worst = max(worst, math.Abs(e)/(1+math.Abs(y[i]))) // max keeps a NaN
	}
	return worst
}

// accept stores in y the end of the step, the start of the next one.
func (o *ODE) accept(y []float64) {
	copy(y, o.end)
	o.steps++
	if o.first = o.tab.FSAL; o.first {
		last := len(o.k) - 1
		o.k[0], o.k[last] = o.k[last], o.k[0]
	}
}
