package closing

// level says which errors of the joints are meant.
type level bool

const (
	ofPoses level = false // poses are closed
	ofRates level = true  // velocities are projected
)

// damping says whether a factorization is of the damped system.
type damping bool

const undamped, damped damping = false, true

// stalls reports whether closing ends after the given number of steps: after closeSteps, or if the
// last closeWindow steps have not lowered the merit below closeStall times the merit before them.
func stalls(steps int, merit, before float64) bool {
	return steps >= closeSteps || steps > 0 && steps%closeWindow == 0 && !(merit < closeStall*before)
}

// dampingAt returns the first damping μ, theory.md (37), that is tried for a step from a state with the given largest relative error.
func dampingAt(relative float64) float64 { return min(max(relative*relative, closeLeast), 1) }

// raised returns the damping that is tried after mu.
func raised(mu float64) float64 { return min(closeRaise*mu, 1) }

// drops reports whether h times a step, damped or not, has lowered the merit enough: from fit to after, by a part of h times closeDrop for
// damped steps, and h times closeGain for others.
func drops(fit, after misfit, h float64, damped bool) bool {
	part := closeGain
	if damped {
		part = closeDrop
	}
	return after.merit <= (1-part*h)*fit.merit
}

// slow reports whether a full step, h = 1, from fit to after has left the joints open with more than closeSlow of the merit.
func slow(fit, after misfit, h float64) bool {
	return h == 1 && after.excess > 1 && after.merit > closeSlow*fit.merit
}

// small reports whether a step from fit to after has closed the joints, and was so small that its factorization also serves for the pose
// after it.
func small(fit, after misfit) bool { return after.excess <= 1 && fit.relative < closeChord }
