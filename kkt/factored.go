package kkt

import (
	"errors"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
)

// Factored is a symmetric system with rows that may depend on each other, and the way in which it is factored. Other systems may use
// the same factor; Factored knows whether the factor is still of its own matrix.
//
// It belongs to one goroutine.
type Factored struct {
	*factor.Factor
	Matrix *sparse.Matrix // of the form that package factor takes
	Right  []float64      // right side that is eliminated with the matrix and stays as it is until the next solve; may be nil
	Scale  []float64      // of the rows (factor.Factor.Factorize)

	enough  float64 // error up to which Refine need not refine (factor.Factor.SolveWithinTo)
	epsilon float64
	last    Way                                             // the last way of FactorizeFrom
	at      func(node, row int, err error) *mechanism.Error // adds the place of a node to an error; may be nil
	lean    *lean                                           // the system without the spare rows; nil if there is none

	way Way // of the last factorization
	run int // Factor.Runs after the last factorization of this matrix, 0 if there is no factor
}

// NewFactored returns the system of a matrix, a right side and the scales of its rows, which are kept. The caller fills in their values
// before each factorization. epsilon is Options.Epsilon. last is the last way that FactorizeFrom
// tries. at adds the place of a node to an error, as assemble.Layout.At does; it may be nil.
func NewFactored(
	f *factor.Factor, m *sparse.Matrix, right, scale []float64, epsilon float64, last Way, at func(node, row int, err error) *mechanism.Error,
) *Factored {
	return &Factored{Factor: f, Matrix: m, Right: right, Scale: scale, epsilon: epsilon, last: last, at: at}
}

// Current reports whether the factor at hand comes from the last factorization of f, and the matrix has not changed since (Changed).
func (f *Factored) Current() bool { return f.isLean() || f.run > 0 && f.run == f.Factor.Runs() }

// isLean reports whether the factor at hand is the one of the system without its spare rows. It ends, too, when others use the factor of
// the whole system.
func (f *Factored) isLean() bool {
	return f.lean != nil && f.lean.now && f.lean.others == f.Factor.Runs()
}

// runs returns the number of factorizations so far, by this system and others that use the same factor.
func (f *Factored) runs() int {
	if f.lean == nil {
		return f.Factor.Runs()
	}
	return f.Factor.Runs() + f.lean.fac.Runs()
}

// Changed has to be called when the values of the matrix change. The factor is not valid any more then.
func (f *Factored) Changed() {
	f.run = 0
	if f.lean != nil {
		f.lean.now, f.lean.failed = false, false
	}
}

// NextWay returns the way to try after the factor at hand has not led to a solution. If spare rows were left out, it is DropWeak with all
// rows, and Factorize keeps all rows until the matrix changes.
func (f *Factored) NextWay() Way {
	if f.isLean() {
		f.lean.failed = true
		return DropWeak
	}
	return f.way + 1
}

// Way returns the way of the last factorization.
func (f *Factored) Way() Way { return f.way }

// Factorize factors the system in way w. Under DropWeak it first tries the system without spare rows, if there is one.
//
// Cost: that of factor.Factor.Factorize, no allocation but for errors. It returns ErrLostPivot, or a *factor.PivotError with
// the place of the node (mechanism.Error).
func (f *Factored) Factorize(w Way) error {
	f.way = w
	if f.lean != nil {
		f.lean.now = false
		if w == DropWeak && !f.lean.failed {
			if f.lean.factorize(f.Matrix, f.Right, f.Scale, f.epsilon) {
				f.lean.now, f.lean.others, f.run = true, f.Factor.Runs(), 0
				f.Weak, f.Corrected = f.lean.spare(), 0
				return nil
			}
			f.lean.failed = true
		}
	}
	err := f.factorize(f.Scale, ways[w].shrink*f.epsilon, ways[w].policy)
	if err == nil && ways[w].policy == factor.WhereWeak && f.Corrected > 0 {
		f.run, err = 0, ErrLostPivot
	}
	return err
}

// LeaveOutChecked makes f begin with the system without the spare rows of the plan of w, perhaps in an order around hubs (Plan.Lean),
// if there is one. It is for a caller who checks all rows for each solution, and goes on to NextWay if a row does not hold. f has the
// rows of the plan's layout. Multipliers of spare rows are zero in solutions. Changed has to be called whenever the matrix is filled.
//
// Cost: the memory of a factor of that system.
func (f *Factored) LeaveOutChecked(w *Workspace) {
	if l := w.plan.lean; l != nil {
		f.lean = l.newLeanOn(w.team)
		f.lean.fac.Heed(w.watch)
	}
}

// FactorizeDamped factors the system with the proximal term mu·scale on all rows.
//
// Cost and errors are those of Factorize.
func (f *Factored) FactorizeDamped(scale []float64, mu float64) error {
	return f.factorize(scale, mu, factor.Everywhere)
}

// factorize factors the matrix by a policy, and names the joint of a pivot that fails.
func (f *Factored) factorize(scale []float64, eps float64, policy factor.Policy) error {
	f.run = 0
	err := f.FactorizeFor(f.Right, f.Matrix, scale, eps, policy)
	if err == nil {
		f.run = f.Factor.Runs()
		return nil
	}
	if p := new(factor.PivotError); f.at != nil && errors.As(err, &p) {
		return f.at(p.Node, -1, err)
	}
	return err
}

// FactorizeFrom factors the system in the first way that works, from w on. If none works, it returns the error
// of the last way. why is the error that led to w; it is returned if there is no way left.
func (f *Factored) FactorizeFrom(w Way, why error) error {
	return Try(w, f.last, why, func(w Way) (done bool, err error) {
		err = f.Factorize(w)
		return err == nil || f.Watched().Err() != nil, err
	})
}

// Refine solves for the right side by factor.Factor.SolveExactTo, or by factor.Factor.SolveWithinTo if f.enough is set. r receives the
// residual, unless spare rows are left out. floor is as for these. Right may have changed since an earlier solve with the factor, or since
// a factorization with a nil Right; no solve notices if it has changed between a factorization with it and the first solve
// (factor.Factor.FactorizeFor).
func (f *Factored) Refine(x, r []float64, floor float64) factor.Refinement {
	if f.isLean() {
		f.lean.b = f.Right // the factor may have been made without a right side
		return f.lean.refine(x, floor, f.enough)
	}
	if f.enough == 0 {
		return f.SolveExactTo(x, r, f.Right, f.Matrix, floor)
	}
	return f.SolveWithinTo(x, r, f.Right, f.Matrix, floor, f.enough)
}

// SolveTo is factor.Factor.SolveTo with the factor at hand.
func (f *Factored) SolveTo(x, b []float64) {
	if f.isLean() {
		f.lean.solveTo(x, b)
		return
	}
	f.Factor.SolveTo(x, b)
}

// Weakest is factor.Factor.Weakest of the factor at hand.
func (f *Factored) Weakest() (node, row int, ratio float64) {
	if f.isLean() {
		return f.lean.weakest()
	}
	return f.Factor.Weakest()
}

// growthTo is factor.Factor.GrowthTo of the factor at hand.
func (f *Factored) growthTo(g []float64) {
	if f.isLean() {
		f.lean.growthTo(g)
		return
	}
	f.Factor.GrowthTo(g)
}

// flat is the least scale of a row relative to the largest of its joint.
const flat = 1e-8

// FloorScales raises the scales of the rows of a node of sign −1 to at least flat times the
// largest, as a row may vanish at a pose. Scales are divided by the squares of the rows' units before they are compared; a nil
// unit stands for ones. If all scales are zero, they become the squares of the units.
func FloorScales(scale, unit []float64) {
	of := func(k int) float64 {
		if unit == nil {
			return 1
		}
		return unit[k] * unit[k]
	}
	least := 0.0
	for k, d := range scale {
		least = max(least, flat*d/of(k))
	}
	if least == 0 {
		least = 1
	}
	for k, d := range scale {
		scale[k] = max(d, least*of(k))
	}
}
