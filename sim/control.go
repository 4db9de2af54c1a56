package sim

import "math"

// control chooses steps from error estimates: a PI controller (Gustafsson 1991)
// with the constants that are usual for the pair of Dormand & Prince (1980).
type control struct {
	h        float64 // next step, s; 0: not known yet
	old      float64 // error of the last accepted step
	rejected bool    // the last step tried was rejected
	order    float64 // order of the local error of the embedded solution
	steady   bool    // the step changes rarely, as the method is implicit
	most     float64 // largest angle by which a body may turn in a step, rad

	near         nearing
	knots        knots
	redundant    bool // fixed steps have closed stages, as rows are redundant
	closed, span int  // steps with closed stages: still to do, and the last number of them
}

const (
	controlSafety = 0.9
	controlBeta   = 0.04 // weight of the last error
	controlGrow   = 10   // largest ratio of consecutive steps
	controlShrink = 0.2  // smallest ratio of consecutive steps
	controlSteady = 1.2  // ratio up to which a larger step is not worth a new matrix (Hairer & Wanner 1996 §IV.8)
	steadyGrow    = 2    // controlGrow for implicit methods: rounding in their estimate grows with the fourth power of this ratio
	firstError    = 1e-4 // error of the step before the first one, and least error that is remembered
	failShrink    = 0.25 // ratio after a step that could not be computed
	firstStep     = 1e-4 // first step where none is given, s; error control soon replaces it
	cutShort      = 0.99 // a step shorter than this part of the planned one does not reduce the planned one
	longestSpell  = 63   // largest number of steps with closed stages before open stages are tried again
)

// mostTurn is the largest angle, rad, by which a body may turn in a step, less than half a turn. Where angles with springs are
// followed, it bounds the turn of one body relative to another.
const mostTurn = 0.8 * math.Pi

// accept updates the controller after an accepted step h with the error err, in units of the tolerance.
func (c *control) accept(h, err float64) {
	f := math.Pow(err, 1/c.order-0.75*controlBeta) / math.Pow(c.old, controlBeta) / controlSafety
	next := h / min(max(f, 1./controlGrow), 1/controlShrink)
	if c.rejected || c.steady && next < controlSteady*h {
		next = min(next, h)
	}
	if c.steady {
		next = min(next, steadyGrow*h)
	}
	if h < cutShort*c.h { // the end of the run or a knot has shortened the step
		next = max(next, c.h)
	}
	c.h, c.old, c.rejected = next, max(err, firstError), false
}

// reject updates the controller after a step h with the error err above the tolerance. err may be
// infinite or NaN.
func (c *control) reject(h, err float64) {
	f := failShrink
	if !math.IsInf(err, 1) && !math.IsNaN(err) {
		f = 1 / min(1/controlShrink, math.Pow(err, 1/c.order-0.75*controlBeta)/controlSafety)
	}
	c.h, c.rejected = h*f, true
}

// turn bounds the next step after a body has turned by angle (rad) in the time span (s).
func (c *control) turn(angle, span float64) {
	if most := c.most * span / angle; c.h > most {
		c.h = most
	}
}

// rejectTurn updates the controller after a step h in which a body would turn by half a turn or more.
func (c *control) rejectTurn(h float64, e *HalfTurnError) {
	c.h, c.rejected = h*controlSafety, true
	c.turn(e.Angle, e.Span)
	c.h = max(c.h, controlShrink*h)
}

// restart clears the history of steps, as state or dynamics have jumped.
func (c *control) restart() {
	if c.h > firstStep {
		c.h = firstStep
	}
	c.old, c.rejected = firstError, false
	c.near = nearing{}
}

// leastStep is the smallest step in units of the rounding of the time. For this rounding the time counts as at least
// firstStep.
const leastStep = 16

// shortest returns the smallest step at the time t, s.
func shortest(t float64) float64 { return leastStep * ulp(max(math.Abs(t), firstStep)) }

// ulp returns the distance from |x| to the next larger number.
func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}
