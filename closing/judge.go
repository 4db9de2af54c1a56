package closing

// stalls reports whether closing ends before the next step, steps having been made: after closeSteps of them, or where the
// last closeWindow have left too much of the merit that was there before them, mark.
func stalls(steps int, merit, mark float64) bool {
	return steps >= closeSteps || steps > 0 && steps%closeWindow == 0 && !(merit < closeStall*mark)
}

// dampingAt returns μ of theory.md (37) for a first attempt at a relative error.
func dampingAt(relative float64) float64 { return min(max(relative*relative, closeLeast), 1) }

// raised returns the damping after mu.
func raised(mu float64) float64 { return min(closeRaise*mu, 1) }

// drops reports whether the part h of a step, damped or not, makes the merit of fit smaller by enough.
func drops(fit, after misfit, h float64, damped bool) bool {
	part := closeGain
	if damped {
		part = closeDrop
	}
	return after.merit <= (1-part*h)*fit.merit
}

// slow reports whether a step, or the part h of it, was a full one that has left the joints open and much of the merit of fit.
func slow(fit, after misfit, h float64) bool {
	return h == 1 && after.excess > 1 && after.merit > closeSlow*fit.merit
}

// small reports whether a step has closed the joints, and was so small that its factor serves at the pose after it.
func small(fit, after misfit) bool { return after.excess <= 1 && fit.relative < closeChord }
