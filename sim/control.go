package sim

import "math"

// control chooses steps from error estimates: a PI controller (Gustafsson 1991)
// with the constants that are usual for the pair of Dormand & Prince (1980).
type control struct {
	h        float64 // next step, s; 0: not known yet
	old      float64 // error of the last accepted step
	rejected bool    // the last step tried was rejected
	order    float64 // of the local error of the embedded solution
	steady   bool    // steps are to change little: the method is implicit
	most     float64 // angle that a body is to turn by in a step at most, rad

	near         nearing
	knots        knots
	redundant    bool // fixed steps have closed stages, as rows are redundant
	closed, span int  // steps with closed stages: still to do, and the last number of them
}

const (
	controlSafety = 0.9
	controlBeta   = 0.04 // weight of the last error
	controlGrow   = 10   // largest factor between two steps
	controlShrink = 0.2  // smallest one
	controlSteady = 1.2  // growth of the step that is not worth a new matrix (Hairer & Wanner 1996 §IV.8)
	steadyGrow    = 2    // controlGrow of implicit methods: rounding in their estimate grows with the fourth power of this factor
	firstError    = 1e-4 // error that the first step is compared with, and least error remembered
	failShrink    = 0.25 // factor where a step could not be computed at all
	firstStep     = 1e-4 // s, where none is given; the controller is soon elsewhere
	cutShort      = 0.99 // part of the step that was to be, below which its error says nothing against that one
	longestSpell  = 63   // largest number of steps with closed stages before open ones are tried again
)

// mostTurn is the angle, rad, that a body is to turn by in a step at most. It is less than half
// a turn. Where angles with springs are followed, it is that of two bodies together.
const mostTurn = 0.8 * math.Pi

// accept takes in the error of an accepted step h.
func (c *control) accept(h, err float64) {
	f := math.Pow(err, 1/c.order-0.75*controlBeta) / math.Pow(c.old, controlBeta) / controlSafety
	next := h / min(max(f, 1./controlGrow), 1/controlShrink)
	if c.rejected || c.steady && next < controlSteady*h {
		next = min(next, h)
	}
	if c.steady {
		next = min(next, steadyGrow*h)
	}
	if h < cutShort*c.h { // by the end of a run or a knot
		next = max(next, c.h)
	}
	c.h, c.old, c.rejected = next, max(err, firstError), false
}

// reject takes in the error of a step h that is too large; it may be infinite or
// undefined.
func (c *control) reject(h, err float64) {
	f := failShrink
	if !math.IsInf(err, 1) && !math.IsNaN(err) {
		f = 1 / min(1/controlShrink, math.Pow(err, 1/c.order-0.75*controlBeta)/controlSafety)
	}
	c.h, c.rejected = h*f, true
}

// turn bounds the next step where a body has turned by angle in the time span.
func (c *control) turn(angle, span float64) {
	if most := c.most * span / angle; c.h > most {
		c.h = most
	}
}

// rejectTurn takes in a step h that would be half a turn or more.
func (c *control) rejectTurn(h float64, e *HalfTurnError) {
	c.h, c.rejected = h*controlSafety, true
	c.turn(e.Angle, e.Span)
	c.h = max(c.h, controlShrink*h)
}

// restart clears the history of steps, because state or dynamics have jumped.
func (c *control) restart() {
	if c.h > firstStep {
		c.h = firstStep
	}
	c.old, c.rejected = firstError, false
	c.near = nearing{}
}

// leastStep is the smallest step in units of the rounding of the time, which counts as at least
// firstStep.
const leastStep = 16

// shortest returns the least step at a time.
func shortest(t float64) float64 { return leastStep * ulp(max(math.Abs(t), firstStep)) }

// ulp returns the distance of |x| to the next number.
func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}
