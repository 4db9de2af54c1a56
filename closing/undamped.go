package closing

import "github.com/rung-mbd/rung/kkt"

// undamped is step without damping, for errors below closeExact: first without redundant rows, theory.md (36′), and with all rows if the
// merit drops too little. It returns the sums of the errors after the step and ok if it has moved c.at. done is true then, and also if no
// damped step needs to be tried because the errors are within Options.Tolerance.
func (c *Closer) undamped(fit misfit) (after misfit, ok, done bool) {
	for fit.relative < closeExact && c.fac.Factorize(kkt.DropWeak) == nil {
		if after, ok := c.search(fit, undamped); ok {
			// Velocities need the nonholonomic rows, too, which this factorization does not have.
			c.chord = small(fit, after) && c.largestRotation() < closeChord && len(c.mech.Nonholonomic()) == 0
			return after, true, true
		}
		if c.fac.NextWay() != kkt.DropWeak {
			return fit, false, fit.loose <= 1
		}
	}
	return fit, false, false
}
