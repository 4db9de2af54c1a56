package closing

import "github.com/rung-mbd/rung/kkt"

// undamped is step without damping, where errors are small: without spare rows, theory.md (36′), and with all rows where that gains too
// little. It reports whether the step is over, and if so whether it has been made.
func (c *Closer) undamped(fit misfit) (after misfit, ok, over bool) {
	for fit.relative < closeExact && c.fac.Factorize(kkt.DropWeak) == nil {
		if after, ok := c.search(fit, false); ok {
			c.chord = small(fit, after) && c.turn() < closeChord && len(c.mech.Nonholonomic()) == 0 // whose rows are not in the factor
			return after, true, true
		}
		if c.fac.NextWay() != kkt.DropWeak {
			return fit, false, fit.loose <= 1
		}
	}
	return fit, false, false
}
