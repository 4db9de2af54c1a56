package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/pages"
)

// NewTogether returns a Together for f. It allocates some five numbers for each row and right side.
func (f *Factor) NewTogether() *Together {
	f.mustBe()
	s, n := f.Symbolic, lanes*f.Symbolic.Pattern.Dim()
	return &Together{
		f: f, X: pages.Make[float64](n), B: pages.Make[float64](n), r: pages.Make[float64](n),
		core: pages.Make[float64](lanes * len(f.x)), near: pages.Make[float64](lanes * s.Pattern.Len()),
	}
}

// Solve stores in X solutions for the first n of the right sides B. It accepts a solution if SolveExactTo would end with the first
// solution, or after one correction. errors then has the predicted relative error of the +1 part, and all rows hold. It is NaN for
// right sides that have to be solved alone (SolveExactTo). These are all right sides under Everywhere, with SetParts, or if +1 blocks
// are not unit matrices.
//
// For floor see SolveRefinedTo. Cost: at most two solves and two products for all right sides together; no allocation. It panics without a
// valid factor.
func (t *Together) Solve(n int, floor *[kernel.Eight]float64) (errors [kernel.Eight]float64) {
	f := t.f
	if !f.ok {
		panic("factor: no valid factor")
	}
	for v := range errors {
		errors[v] = math.NaN()
	}
	if f.policy != WhereWeak || f.weighted() != nil || f.parts != nil || f.Symbolic.held > 0 {
		return errors
	}
	t.forwardAll(true)
	t.backwardAll()
	t.storeAll()
	t.residualAll()
	c := t.beginAll(floor)
	t.judgeAll(&c)
	_, _, least := f.Weakest()
	again := uint8(0)
	for v := range n {
		if t.open>>v&1 != 0 {
			c[v].Worst = Worst{Ratio: math.Inf(1)}
		}
		if c[v].First(t.largest[v], least) {
			errors[v] = c[v].Error
		} else {
			again |= 1 << v
		}
	}
	if again != 0 {
		t.correctAll(&errors, &c, again)
	}
	t.confirm(&errors, &c)
	return errors
}

// confirm sets errors to NaN for solutions in which a spare row does not hold, and for all if the context has ended.
func (t *Together) confirm(errors *lane, c *[lanes]Convergence) {
	var ratio lane
	if t.Spare != nil {
		for v := range c {
			t.rest[v] = atRest * c[v].Size
		}
		ratio = t.Spare(&t.rest)
	}
	for v := range errors {
		if !(ratio[v] <= enoughRatio) || t.f.watch.Up() {
			errors[v] = math.NaN()
		}
	}
}

// correctAll corrects the solutions of the right sides in which, and stores the errors of those that one correction makes good enough. It
// judges rows that have not held once more.
func (t *Together) correctAll(errors *lane, c *[lanes]Convergence, which uint8) {
	energy := t.forwardAll(false)
	for v := range c {
		if which>>v&1 != 0 && c[v].Estimate(math.Sqrt(energy[v]), math.Sqrt(t.norm[v])) {
			errors[v] = c[v].Error
			which &^= 1 << v
		}
	}
	if which == 0 {
		return
	}
	t.backwardAll()
	t.addAll(which)
	open := t.open & which
	if open != 0 {
		t.residualAll()
		t.judgeAll(c)
	}
	for v := range c {
		step := math.Sqrt(t.step[v])
		if which>>v&1 == 0 || open&t.open>>v&1 != 0 || c[v].isRough(step) {
			continue
		}
		const ends = true
		if done, _ := c[v].Next(step, t.largest[v], !ends); done {
			errors[v] = c[v].Error
		}
	}
}

// beginAll returns the Convergence of each right side after its first solve.
func (t *Together) beginAll(floor *lane) (c [lanes]Convergence) {
	f, free := t.f, lane{}
	for _, i := range f.Symbolic.free {
		q := squaresOf(row8(t.X, i.first), int(i.size))
		addLane(&t.norm, &q)
		growLane(&free, &q)
	}
	for v := range c {
		c[v].begin(f.policy, f.Contraction, math.Sqrt(t.size[v]), max(floor[v], math.Sqrt(free[v])))
		c[v].Worst = Worst{Node: -1, Row: -1}
	}
	return c
}
