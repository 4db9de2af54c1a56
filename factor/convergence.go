package factor

import "math"

// Limits of iterative refinement.
const (
	maxRefinements = 12
	targetError    = 1e-15 // predicted relative error of the +1 part at which refinement stops

	// Refinement does not start if the first solution has at most enoughError, the error that the residual and the
	// pivots predict, theory.md (21). The true error may be some sixty times as large. The prediction is not trusted
	// if a pivot is below smallPivot, relative to its row's scale. Refinement starts in any case if the residual of a
	// row is above enoughRatio, relative to its terms.
	enoughError = 5e-15
	smallPivot  = 3e-5
	enoughRatio = 1e-12
	// The largest of a million estimates is above enoughError where each of them is rounding. It may be manyError if the root
	// of their sum is at most meanError of the norm of the whole +1 part. That takes at least 25 +1 nodes.
	manyError = 1e-14
	meanError = 1e-15
	// energyError is the largest relative error in the energy norm, theory.md (22), with which refinement does not start.
	energyError = 5e-14

	// roughError is the relative size of a first correction above which rounding of residuals matters. Residuals then
	// get twice the digits, with up to maxTwiceCorrected corrections.
	roughError        = 1e-11
	maxTwiceCorrected = 40

	// withinMargin is how far below the error that is asked for (SolveWithinTo) the energy norm of the error has to be, relative
	// to the largest part of a +1 node. Parts are weighted by their masses. The accelerations of light parts are off by more: up to six
	// times as much where a norm and a largest acceleration were compared in families of package bench.
	withinMargin = 16
)

// Refinement says how a refined solution came about.
type Refinement struct {
	Steps int // corrections made after the first solve
	// Error is the predicted relative error of the +1 part: the last correction times the contraction. Without
	// corrections it is the estimate that SolveRefinedTo describes.
	Error float64
	Size  float64 // largest norm of a +1 node's part, or the floor
	// Worst is the largest residual of a −1 row. If the last correction is not checked (SolveRefinedTo), it is that of
	// the solution before. With rows of SetSpare it is theirs then, and that of the others is below rounding by prediction.
	Worst Worst
	Doubt float64 // largest pivot, relative to its row's scale, of the rows that WhereWeak has taken for redundant
}

// spareError is the largest relative error in the energy norm, theory.md (22), of a solution whose rows all hold up to rounding,
// where there are rows that depend on others. What is left is what rounding of the rows makes.
const spareError = 2e-12

// spareFalls is how far a correction with doubles has to bring the energy norm of the error down for another one to follow, where there
// are such rows. A step with twice the digits takes as long as four. Another value costs time only.
const spareFalls = 0.1

// Convergence decides when a refinement ends. The solves of Factor use it, and so do refinements in pieces
// (AnalyzeHeld). One from NewConvergence decides as SolveExactTo does. Its users set Size and Worst.
type Convergence struct {
	Refinement

	policy      Policy
	contraction float64
	floor, last float64
	enough      float64 // of SolveWithinTo
	size        float64 // largest norm of a +1 node with neighbours, without the floor
	norm        float64 // of the whole +1 part, 0 until it is known; of Factor
	before      float64 // Worst.Ratio before the last correction
	estimates   bool    // the error is estimated with the factor before the first correction
	holds       bool    // all rows do after the first solve
	exact       bool    // residuals with twice the digits may follow
	twice       bool    // residuals have twice the digits
	slowest     float64 // with twice the digits: the largest that a correction was relative to the one before it
	compared    bool    // there has been a correction with twice the digits
	spare       bool    // there are rows of SetSpare
	fall        float64 // with them: multipliers of a first correction over those of the first solution; 0 where that is not asked
	bounded     bool    // Worst.Ratio is a bound, and no row has it
	off         float64 // Worst.Ratio with them, when it was too large to end
	slow        int     // steps in a row that have not shrunk
}

// NewConvergence returns the Convergence of a refinement whose first solve is done. last is the largest norm of a +1 node
// with neighbours in that solution, and floor the least size that errors are relative to. contraction is
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

// result returns the Refinement number by number: a copy of the whole waits for what has been written last.
func (c *Convergence) result() (out Refinement) {
	out.Steps, out.Error, out.Size, out.Doubt = c.Steps, c.Error, c.Size, c.Doubt
	out.Worst.Ratio, out.Worst.Node, out.Worst.Row, out.Worst.Spare = c.Worst.Ratio, c.Worst.Node, c.Worst.Row, c.Worst.Spare
	return out
}

// First takes two numbers of the −1 rows after the first solve. With r the residual of a row and d its pivot, they are
// the largest r²/|d| and the least |d| relative to the row's scale. First reports whether the solution is good enough.
func (c *Convergence) First(largest, least float64) bool {
	if !c.estimates {
		return false
	}
	c.Error = math.Sqrt(largest) / c.Size
	c.holds = c.Worst.Ratio <= enoughRatio
	return c.Error <= enoughError && least >= smallPivot && c.holds
}

// many reports whether mean may still show, after First, that the solution is good enough. The error is infinite where First did not
// estimate it.
func (c *Convergence) many(e estimates) bool {
	return c.Error <= manyError && e.least >= smallPivot && c.holds
}

// mean takes the sum of r²/|d| over the −1 rows after the first solve, and the norm of the +1 part. It reports whether the
// solution is good enough.
func (c *Convergence) mean(sum, norm float64) bool {
	return math.Sqrt(sum) <= meanError*norm
}

// Estimates reports whether Estimate has to follow First.
func (c *Convergence) Estimates() bool { return c.estimates }

// Estimate takes the energy norm e of the error, theory.md (22), and the norm of the +1 part. It reports whether the
// solution is good enough.
func (c *Convergence) Estimate(e, norm float64) bool {
	c.Error = e / max(norm, c.floor)
	return c.Error <= energyError && c.holds || c.Within(e)
}

// Settled is Estimate after a correction that is Rough: whether the solution is good enough as it is, by the limits that a first
// solution has. It is, where the first error was rounding of multipliers that loads far from each other make large. It is not where
// rounding of the residual makes an error as large as that.
func (c *Convergence) Settled(e, norm float64) bool {
	c.holds = c.Worst.Ratio <= enoughRatio
	if e := e / max(norm, c.floor); e <= energyError && c.holds {
		c.Error = e
		return true
	}
	return c.Within(e)
}

// Within takes the energy norm e of the error of the solution at hand, whose Worst is known. It reports whether the error is below
// the one that is good enough.
//
// Weak rows count in e with their scale as the pivot, though one of them may be a true row with a pivot far below it. So they hold as
// they have to without an error that is good enough. Residuals that a correction has not halved are there to stay: the rows
// contradict each other, or weak rows are not redundant. Worst says so, and it is for the caller to judge.
func (c *Convergence) Within(e float64) bool {
	holds := c.Worst.Ratio <= enoughRatio || c.Steps > 0 && 2*c.Worst.Ratio > c.before
	if c.enough == 0 || !holds || !(withinMargin*e <= c.enough*c.size) {
		return false
	}
	c.Error = withinMargin * e / c.size
	return true
}

// lasts takes the size of a correction. It reports whether that is the last one where rows have been left out: by the
// error that Next predicts, which may be as large as that of a first solution, and because the residuals of all rows will be below
// rounding. No row is weak there, so residuals shrink as the error does: by what the next correction is relative to this one.
func (c *Convergence) lasts(step float64) bool { return c.spare && c.isLast(step, c.shrink(step)) }

// shrink takes the size of a correction, and predicts the size of the next one relative to it.
func (c *Convergence) shrink(step float64) float64 {
	if c.fall > 0 {
		return max(c.fall, c.contraction)
	}
	return max(step/c.last, c.contraction)
}

// mayLast is lasts with a guess of the size, before the correction is made. cancels reports that it is only if the multipliers say so: the
// first solution is small because loads cancel, so that its size does not tell what its error is relative to.
func (c *Convergence) mayLast(step float64) (last, cancels bool) {
	if !c.spare || c.isLast(step, c.shrink(step)) {
		return c.spare, false
	}
	cancels = c.Steps == 0 && c.isLast(step, max(step/c.Size, c.contraction))
	return cancels, cancels
}

// goesOn takes the energy norm e of the error of a solution and the norm of the +1 part, where rows have been left out, and the largest
// residual of a row over the root of its scale. It reports whether the next decision needs no opinion of single rows. That is so where a
// correction has to follow that is far from the last one, or sure to be it, by a bound of Worst.Ratio. The bound is that residual over the
// rest of the terms. A row comes near it only if its bodies hardly move beside others.
func (c *Convergence) goesOn(e, norm, row float64) bool {
	good := energyError
	if c.Steps > 0 {
		good = spareError // of rounds
	}
	if !c.spare || !(e > good*max(norm, c.floor)) {
		return false
	}
	c.Worst, c.bounded = Worst{Ratio: row / (atRest * c.Size)}, true
	step := e * c.size / norm // a guess
	last, _ := c.mayLast(step)
	return last || c.leaves(step) > farFromLast*energyError*c.Size
}

// farFromLast is how many times the error that a last correction may leave another one leaves, whatever rows say. Another value costs time
// only.
const farFromLast = 16

// leaves returns the error that a correction of a size is predicted to leave, by the least prediction there is.
func (c *Convergence) leaves(step float64) float64 {
	shrink := c.shrink(step)
	if c.Steps == 0 {
		shrink = min(shrink, max(step/c.Size, c.contraction)) // loads may cancel
	}
	return step * shrink
}

// isLast is lasts for a known shrink.
func (c *Convergence) isLast(step, shrink float64) bool {
	holds := RoundingRatio
	if c.bounded {
		holds = enoughRatio
	}
	return c.isSmall(step, shrink) && c.Worst.Ratio*shrink <= holds
}

// isSmall reports whether the error that a correction is predicted to leave is as small as the error of a first solution may be.
func (c *Convergence) isSmall(step, shrink float64) bool { return step*shrink <= energyError*c.Size }

// rounds takes the energy norm e of the error and the norm of the +1 part. It reports whether the error is rounding of the rows, where
// some have been left out.
func (c *Convergence) rounds(e, norm float64) bool {
	return c.spare && c.Worst.Node < 0 && e <= spareError*max(norm, c.floor)
}

// Ends reports whether the next correction will be the last, so that no residual is needed after
// it. There are two conditions. All rows hold already up to rounding. And the error that Next
// will predict is below half of targetError. A correction is at most √2·e large, with e the
// energy norm of the error. So the predicted error is bounded:
//
//	step/size · max(step/last, contraction) ≤ √2·e/size · max(√2·e/last, contraction),
//
// with last the size of the correction before. The residual after such a correction is
// b − K·x = Γ·Δy, with Δy its multipliers of weak rows. It consists of the residuals that the
// weak rows had before, and of rounding in the rows that they depend on.
func (c *Convergence) Ends(e float64) bool {
	step, enough := math.Sqrt2*e, targetError/2*c.Size
	return c.policy == WhereWeak && c.Worst.Node < 0 && step*step <= enough*c.last && step*c.contraction <= enough
}

// Next takes the size of the correction that has been made, and q, the largest r²/|d| after it. q is 0 if Ends has said
// that it is the last. Next reports whether refinement is done, and whether corrections no longer shrink.
func (c *Convergence) Next(step, q float64, ends bool) (done, stalls bool) {
	c.norm = 0
	if c.Steps++; ends {
		c.Worst, c.bounded = Worst{Node: -1, Row: -1}, false // what is left is rounding
	}
	if math.IsNaN(q) || !(c.Size <= math.MaxFloat64) { // or the squares are too large
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

// falling takes what a correction is relative to the one before, and returns what the next one may be. Steps with memory (Mixing) shrink
// unevenly: one may be a hundredth of the one before, and the next one half of it. So with twice the digits the slowest of all steps
// counts. The first step has no ratio. The correction before it came from a residual in doubles, whose rounding hid the direction in which
// rows nearly depend on each other.
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

// Rough takes the size of a correction. It reports whether that is the first one, and so large that residuals have to be
// computed with twice the digits from now on.
func (c *Convergence) Rough(step float64) bool {
	if c.policy != WhereWeak || !c.exact || c.Steps != 1 || !c.isRough(step) {
		return false
	}
	c.twice = true
	return true
}

// mayBeRough takes the energy norm of an error, and reports whether the first correction may be Rough.
func (c *Convergence) mayBeRough(e float64) bool {
	return c.exact && c.Steps == 0 && c.isRough(math.Sqrt2*e)
}

// isFirstRough is Rough before Next counts the correction.
func (c *Convergence) isFirstRough(step float64) bool {
	return c.policy == WhereWeak && c.exact && c.Steps == 0 && c.isRough(step)
}

// isRough reports whether a first correction of that size is.
func (c *Convergence) isRough(step float64) bool { return step > roughError*c.Size }

// maxSlow is how many steps in a row may be longer than half of the step before, until refinement gives up, where residuals
// have twice the digits.
const maxSlow = 3

// GivesUp takes from Next whether corrections no longer shrink, and reports whether refinement ends for that reason.
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
