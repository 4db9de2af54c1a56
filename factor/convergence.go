package factor

import "math"

// Limits of iterative refinement.
const (
	maxRefinements = 12
	targetError    = 1e-15 // predicted relative error of the +1 part at which refinement stops

	// Refinement does not start if the predicted error of the first solution is at most enoughError. The prediction
	// follows from the residual and the pivots, theory.md (21). The true error may be some sixty times as large. The
	// prediction is not used if a pivot is below smallPivot, relative to its row's scale. Refinement starts in any case if
	// the residual of a row is above enoughRatio, relative to its terms.
	enoughError = 5e-15
	smallPivot  = 3e-5
	enoughRatio = 1e-12
	// Among a million rows the largest estimate is above enoughError even if each of them is rounding. It may be up to manyError if the
	// root of the sum of their squares is at most meanError of the norm of the whole +1 part. That is possible only for 25 +1 nodes or more.
	manyError = 1e-14
	meanError = 1e-15
	// energyError is the largest relative error in the energy norm, theory.md (22), at which refinement does not start.
	energyError = 5e-14

	// roughError is the relative size of a first correction above which rounding of residuals matters. Residuals then
	// get twice the digits, with up to maxTwiceCorrected corrections.
	roughError        = 1e-11
	maxTwiceCorrected = 40

	// withinMargin is the factor by which the energy norm of the error, relative to the largest part of a +1 node, has to be below
	// the error asked for (SolveWithinTo). In the energy norm parts are weighted by their masses, so the accelerations of light bodies
	// have larger errors: up to six times as large in families of package bench.
	withinMargin = 16
)

// Refinement has the result of a refinement.
type Refinement struct {
	Steps int // corrections made after the first solve
	// Error is the predicted relative error of the +1 part: the last correction times the contraction. Without
	// corrections it is the estimate that SolveRefinedTo describes.
	Error float64
	Size  float64 // largest norm of a +1 node's part, or the floor
	// Worst is the largest residual of a −1 row. If the residual after the last correction is not computed (SolveRefinedTo), it is
	// the largest residual before this correction. With rows of SetSpare it is then the largest residual of these rows, and the residuals
	// of the other rows are predicted to be below rounding.
	Worst Worst
	Doubt float64 // largest pivot, relative to its row's scale, of the rows that count as redundant under WhereWeak
}

// spareError is the largest relative error in the energy norm, theory.md (22), of a solution in which all rows hold up to rounding,
// if rows have been left out (SetSpare). Such an error comes from rounding of the rows.
const spareError = 2e-12

// spareFalls is the largest ratio of the energy norms of the error after and before a correction with doubles at which another one
// follows, if rows have been left out. A step with twice the digits takes as long as four. Another value costs time only.
const spareFalls = 0.1

// Convergence decides when a refinement ends. The solves of Factor and distributed refinements
// (AnalyzeHeld) use it. A Convergence of NewConvergence decides as SolveExactTo does. Its users set Size and Worst.
type Convergence struct {
	Refinement

	policy      Policy
	contraction float64
	floor, last float64
	enough      float64 // enough of SolveWithinTo; 0 for other solves
	size        float64 // largest norm of a +1 node with neighbours, without the floor
	norm        float64 // norm of the whole +1 part for normOnce; 0 until it is computed
	before      float64 // Worst.Ratio before the last correction
	estimates   bool    // the error is estimated with the factor before the first correction
	holds       bool    // all rows hold after the first solve
	exact       bool    // residuals with twice the digits may follow
	twice       bool    // residuals have twice the digits
	slowest     float64 // largest ratio of a correction with twice the digits to the previous one
	compared    bool    // there has been a correction with twice the digits
	spare       bool    // there are rows of SetSpare
	fall        float64 // norm of the multipliers of the first correction over the norm of the first solution (forcesOf); 0: not computed
	bounded     bool    // Worst.Ratio is an upper bound, not the ratio of a row
	off         float64 // Worst.Ratio at the last call of spareEnd that did not end the refinement
	slow        int     // number of successive steps that have not shrunk
}

// NewConvergence returns the Convergence of a refinement after its first solve. last is the largest norm of a +1 node
// with neighbours in that solution. Errors are relative to the larger of last and floor. contraction is
// Tally.Contraction.
func NewConvergence(policy Policy, contraction, last, floor float64) (c Convergence) {
	c.begin(policy, contraction, last, floor)
	return c
}

// begin is NewConvergence for a zero Convergence.
func (c *Convergence) begin(policy Policy, contraction, last, floor float64) {
	c.policy, c.contraction, c.floor, c.last, c.size, c.exact, c.off = policy, contraction, floor, last, last, true, math.Inf(1)
	c.Error, c.Size = math.Inf(1), max(last, floor)
	c.estimates = policy == WhereWeak && c.Size <= math.MaxFloat64
}

// result returns the Refinement. It copies field by field, because a copy of the whole structure would wait for the last stores.
func (c *Convergence) result() (out Refinement) {
	out.Steps, out.Error, out.Size, out.Doubt = c.Steps, c.Error, c.Size, c.Doubt
	out.Worst.Ratio, out.Worst.Node, out.Worst.Row, out.Worst.Spare = c.Worst.Ratio, c.Worst.Node, c.Worst.Row, c.Worst.Spare
	return out
}

// First reports whether the first solution is good enough. Let r be the residual of a −1 row after the first solve, and d its
// pivot. largest is the largest r²/|d|, and least the smallest |d| relative to the row's scale.
func (c *Convergence) First(largest, least float64) bool {
	if !c.estimates {
		return false
	}
	c.Error = math.Sqrt(largest) / c.Size
	c.holds = c.Worst.Ratio <= enoughRatio
	return c.Error <= enoughError && least >= smallPivot && c.holds
}

// many reports whether, after First has returned false, mean may show that the solution is good enough. If First did not estimate the
// error, it is infinite.
func (c *Convergence) many(e estimates) bool {
	return c.Error <= manyError && e.least >= smallPivot && c.holds
}

// mean reports whether the first solution is good enough, given the sum of r²/|d| over the −1 rows and the norm of the +1 part;
// see First.
func (c *Convergence) mean(sum, norm float64) bool {
	return math.Sqrt(sum) <= meanError*norm
}

// Estimates reports whether Estimate has to be called if First returns false.
func (c *Convergence) Estimates() bool { return c.estimates }

// Estimate reports whether the solution is good enough, given the energy norm e of its error, theory.md (22), and the norm of the +1
// part.
func (c *Convergence) Estimate(e, norm float64) bool {
	c.Error = e / max(norm, c.floor)
	return c.Error <= energyError && c.holds || c.Within(e)
}

// Settled is Estimate after a Rough correction: it reports whether the solution is good enough by the limits of a first
// solution. It is good enough if the first error was rounding of large multipliers, between loads far from each other. It is not if
// rounding of the residual makes an error as large as the first one.
func (c *Convergence) Settled(e, norm float64) bool {
	c.holds = c.Worst.Ratio <= enoughRatio
	if e := e / max(norm, c.floor); e <= energyError && c.holds {
		c.Error = e
		return true
	}
	return c.Within(e)
}

// Within reports whether the error of the solution is below enough of SolveWithinTo by a margin, given the energy norm e of the error.
// Worst is known. Without enough it returns false.
//
// Weak rows count in e with their scale as the pivot, though one of them may be an independent row with a much smaller pivot. So rows
// also have to hold as without enough. If a correction has not halved Worst.Ratio, further ones do not either: the rows
// contradict each other, or weak rows are not redundant. The caller then decides by Worst.
func (c *Convergence) Within(e float64) bool {
	holds := c.Worst.Ratio <= enoughRatio || c.Steps > 0 && 2*c.Worst.Ratio > c.before
	if c.enough == 0 || !holds || !(withinMargin*e <= c.enough*c.size) {
		return false
	}
	c.Error = withinMargin * e / c.size
	return true
}

// lasts reports whether a correction of size step is the last one, if rows have been left out. It is if the error that Next
// predicts is at most the error allowed for a first solution, and the residuals of all rows are predicted to be below
// rounding. No row is weak in such a system, so residuals shrink as the corrections do.
func (c *Convergence) lasts(step float64) bool { return c.spare && c.isLast(step, c.shrink(step)) }

// shrink returns the predicted ratio of the next correction to a correction of size step.
func (c *Convergence) shrink(step float64) float64 {
	if c.fall > 0 {
		return max(c.fall, c.contraction)
	}
	return max(step/c.last, c.contraction)
}

// mayLast is lasts for an estimate of the size, before the correction is made. cancels reports that the correction is the last one only if
// the multipliers confirm it: the first solution may be small because loads cancel, and its size is then not the one to which its error is
// relative.
func (c *Convergence) mayLast(step float64) (last, cancels bool) {
	if !c.spare || c.isLast(step, c.shrink(step)) {
		return c.spare, false
	}
	cancels = c.Steps == 0 && c.isLast(step, max(step/c.Size, c.contraction))
	return cancels, cancels
}

// goesOn reports whether a correction has to follow, and the rows need not be judged one by one before it, if rows have been left out. e is
// the energy norm of the error, norm the norm of the +1 part, and row the largest residual of a row over the root of its scale. It is true
// if a bound of Worst.Ratio already decides: the correction is far from being the last one, or certainly the last one. The bound is row
// over the least size of the terms. A row comes near it only if its bodies hardly move compared to others.
func (c *Convergence) goesOn(e, norm, row float64) bool {
	good := energyError
	if c.Steps > 0 {
		good = spareError // of rounds
	}
	if !c.spare || !(e > good*max(norm, c.floor)) {
		return false
	}
	c.Worst, c.bounded = Worst{Ratio: row / (atRest * c.Size)}, true
	step := e * c.size / norm // an estimate
	last, _ := c.mayLast(step)
	return last || c.leaves(step) > farFromLast*energyError*c.Size
}

// farFromLast is a factor on the error that a last correction may leave. A correction that leaves more than the product is not the
// last one, whatever the residuals of the rows are. Another value costs time only.
const farFromLast = 16

// leaves returns the error that a correction of size step leaves, by the smallest prediction.
func (c *Convergence) leaves(step float64) float64 {
	shrink := c.shrink(step)
	if c.Steps == 0 {
		shrink = min(shrink, max(step/c.Size, c.contraction)) // loads may cancel
	}
	return step * shrink
}

// isLast is lasts for a given prediction shrink.
func (c *Convergence) isLast(step, shrink float64) bool {
	holds := RoundingRatio
	if c.bounded {
		holds = enoughRatio
	}
	return c.isSmall(step, shrink) && c.Worst.Ratio*shrink <= holds
}

// isSmall reports whether the error that a correction is predicted to leave is at most the error allowed for a first solution.
func (c *Convergence) isSmall(step, shrink float64) bool { return step*shrink <= energyError*c.Size }

// rounds reports whether the error is rounding of the rows, if rows have been left out. e is the energy norm of the error, and norm the
// norm of the +1 part.
func (c *Convergence) rounds(e, norm float64) bool {
	return c.spare && c.Worst.Node < 0 && e <= spareError*max(norm, c.floor)
}

// Ends reports whether the next correction will be the last, so that no residual is needed after
// it. There are two conditions: all rows already hold up to rounding, and the error that Next
// will predict is below half of targetError. Let e be the energy norm of the error, and last the
// size of the previous correction. The size of a correction is at most √2·e, so the predicted error is bounded:
//
//	step/size · max(step/last, contraction) ≤ √2·e/size · max(√2·e/last, contraction).
//
// The residual after such a correction is b − K·x = Γ·Δy, where Δy are the correction's multipliers of weak rows. It consists of the
// previous residuals of the weak rows, and of rounding in the rows that they depend on.
func (c *Convergence) Ends(e float64) bool {
	step, enough := math.Sqrt2*e, targetError/2*c.Size
	return c.policy == WhereWeak && c.Worst.Node < 0 && step*step <= enough*c.last && step*c.contraction <= enough
}

// Next is called after each correction. step is the size of the correction, and q the largest r²/|d| after it (First). ends is set if the
// correction was known to be the last one; q is then 0. Next reports whether refinement is done, and whether corrections no longer shrink.
func (c *Convergence) Next(step, q float64, ends bool) (done, stalls bool) {
	c.norm = 0
	if c.Steps++; ends {
		c.Worst, c.bounded = Worst{Node: -1, Row: -1}, false // the remaining residuals are rounding
	}
	if math.IsNaN(q) || !(c.Size <= math.MaxFloat64) { // a NaN, or squares that overflow
		c.Error = math.NaN()
		return true, false
	}
	if step <= targetError*c.Size {
		c.Error = 0
		return true, false
	}
	shrink := c.shrink(step)
	c.fall = 0
	c.Error = step / c.Size * min(c.falling(shrink), 1)
	if ends || c.Error <= targetError {
		return true, false
	}
	c.last = step
	return false, shrink > 0.5 && c.Steps > 1
}

// falling returns a bound of the ratio of the next correction to the last one, given the ratio shrink of the last one to its predecessor.
// Steps with memory (Mixing) shrink unevenly: one may be a hundredth of the previous one, and the next one half of it. So with twice the
// digits the largest of all ratios counts. The first such step has no ratio, because the correction before it came from a residual in
// doubles, whose rounding hid the direction in which rows nearly depend on each other.
func (c *Convergence) falling(shrink float64) float64 {
	if !c.twice {
		return shrink
	}
	if !c.compared {
		c.compared = true
		return 1
	}
	c.slowest = max(c.slowest, shrink)
	return c.slowest
}

// beginTwice is called before the first correction with twice the digits. The corrections so far were with doubles, so the ratio of the
// first one to the last of them does not count (falling).
func (c *Convergence) beginTwice() { c.compared = false }

// Rough reports whether a correction of size step, which Next has counted, is the first one and so large that residuals have to be
// computed with twice the digits from now on.
func (c *Convergence) Rough(step float64) bool {
	if c.policy != WhereWeak || !c.exact || c.Steps != 1 || !c.isRough(step) {
		return false
	}
	c.twice = true
	return true
}

// mayBeRough reports whether the first correction may be Rough, given the energy norm e of the error.
func (c *Convergence) mayBeRough(e float64) bool {
	return c.exact && c.Steps == 0 && c.isRough(math.Sqrt2*e)
}

// isFirstRough is Rough before Next counts the correction.
func (c *Convergence) isFirstRough(step float64) bool {
	return c.policy == WhereWeak && c.exact && c.Steps == 0 && c.isRough(step)
}

// isRough reports whether a first correction of size step is Rough.
func (c *Convergence) isRough(step float64) bool { return step > roughError*c.Size }

// maxSlow is the number of successive steps longer than half of the previous step at which refinement ends, if residuals
// have twice the digits.
const maxSlow = 3

// GivesUp reports whether refinement ends because corrections no longer shrink; stalls is the result of Next.
func (c *Convergence) GivesUp(stalls bool) bool {
	if c.slow++; !stalls {
		c.slow = 0
	}
	return c.slow > 0 && !c.twice || c.slow >= maxSlow
}

// More reports whether another correction may follow.
func (c *Convergence) More() bool {
	return c.Steps < maxRefinements || c.twice && c.Steps < maxTwiceCorrected
}
