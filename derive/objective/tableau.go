package objective

import "math"

const (
	// mostSteps is the largest number of steps of a difference. The last is a hundredth of the first, so that a corner has to be nearer to
	// the number than that not to be left behind.
	mostSteps = 8
	// enough is the error of a difference, relative to it or to a change of the whole value as the parameter doubles, at which no smaller
	// step is taken.
	enough = 1e-9
	// ulps is the rounding of a value, in units in the last place: sums of terms have a few.
	ulps = 4
)

// tableau is the extrapolation of differences to the step zero (Ridders 1982), with an error estimate, theory.md (V25). Each step is half
// of the step before.
//
// Beside the central differences it extrapolates the jump of the slope: the difference to the right less the difference to the left.
// Where the function is smooth, its limit is zero, so what remains is an error. At a corner it is the jump of the slope, which central
// differences do not see: they converge to the mean of both slopes.
type tableau struct {
	steps, rows   int                // rows are steps since one was missed
	central, jump [mostSteps]float64 // the last row
	slope, error  float64            // the entry with the least error
	whole         float64            // change of the whole value as the parameter doubles, per unit of the parameter
}

// newTableau returns a tableau without rows.
func newTableau(whole float64) *tableau { return &tableau{error: math.Inf(1), whole: whole} }

// addRow adds a row: the values of the function at the number, and a step h to its right and left. size is the size of the terms whose sum
// the function is.
func (t *tableau) addRow(h, at, right, left, size float64) {
	central, jump := t.central, t.jump // the row before
	t.central[0], t.jump[0] = (right-left)/(2*h), ((right-at)-(at-left))/h
	rounding := ulps * 0x1p-53 * size / h
	// The errors of central differences are even powers of h, and those of jumps odd ones.
	for j, even, odd := 1, 4.0, 2.0; j <= t.rows; j, even, odd = j+1, 4*even, 4*odd {
		t.central[j] = t.central[j-1] + (t.central[j-1]-central[j-1])/(even-1)
		t.jump[j] = t.jump[j-1] + (t.jump[j-1]-jump[j-1])/(odd-1)
		e := max(math.Abs(t.central[j]-t.central[j-1]), math.Abs(t.central[j]-central[j-1]), math.Abs(t.jump[j])/2, rounding)
		if e < t.error {
			t.slope, t.error = t.central[j], e
		}
	}
	t.rows++
	t.steps++
}

// skipStep is addRow for a step with which the function has no value. The extrapolation begins anew.
func (t *tableau) skipStep() { t.rows, t.steps = 0, t.steps+1 }

// accurate reports whether no smaller step is needed.
func (t *tableau) accurate() bool {
	return t.steps == mostSteps || t.error <= enough*max(t.whole, math.Abs(t.slope))
}
