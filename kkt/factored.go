package kkt

import (
	"errors"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
)

// Factored is a symmetric system with rows that may depend on each other, and the way in which it is factored. It knows
// whether its factor, which others may use too, is still its own.
//
// It belongs to one goroutine.
type Factored struct {
	*factor.Factor
	Matrix *sparse.Matrix // of the form that package factor takes
	Right  []float64      // right side that is eliminated with the matrix; may be nil
	Scale  []float64      // of the rows (factor.Factor.Factorize)

	enough  float64 // error up to which Refine need not refine (factor.Factor.SolveWithinTo)
	epsilon float64
	last    Way                                             // of FactorizeFrom
	at      func(node, row int, err error) *mechanism.Error // the place of a node, for errors; may be nil
	lean    *lean                                           // without the spare rows; nil if there are none

	way Way
	run int // of the factor that is of this system, 0 if there is none
}

// NewFactored returns the system of a matrix, a right side and the scales of its rows, which are kept. Values are filled in
// from outside, before each factorization. epsilon is Options.Epsilon; last is the last of the ways that FactorizeFrom
// tries; at gives errors the place of a node, as assemble.Layout.At does, and may be nil.
func NewFactored(
	f *factor.Factor, m *sparse.Matrix, right, scale []float64, epsilon float64, last Way, at func(node, row int, err error) *mechanism.Error,
) *Factored {
	return &Factored{Factor: f, Matrix: m, Right: right, Scale: scale, epsilon: epsilon, last: last, at: at}
}

// Current reports whether the factor is that of the last factorization of f, and the matrix has not changed since.
func (f *Factored) Current() bool { return f.isLean() || f.run > 0 && f.run == f.Factor.Runs() }

// isLean reports whether the factor at hand is that of the system without its spare rows. Others who take the factor of the whole
// system end it, too.
func (f *Factored) isLean() bool {
	return f.lean != nil && f.lean.now && f.lean.others == f.Factor.Runs()
}

// runs returns how often a factor of the system, or of another one with the same factor, has been made.
func (f *Factored) runs() int {
	if f.lean == nil {
		return f.Factor.Runs()
	}
	return f.Factor.Runs() + f.lean.fac.Runs()
}

// Changed says that the matrix is another one. The factor cannot be used any more.
func (f *Factored) Changed() {
	f.run = 0
	if f.lean != nil {
		f.lean.now, f.lean.failed = false, false
	}
}

// NextWay returns the way to go on to after the factor at hand has not done. Where spare rows were left out, it is DropWeak with all rows.
func (f *Factored) NextWay() Way {
	if f.isLean() {
		f.lean.failed = true
		return DropWeak
	}
	return f.way + 1
}

// Way returns the way of the last factorization.
func (f *Factored) Way() Way { return f.way }

// Factorize factors the system in one way.
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

// LeaveOutChecked lets f begin with the system without the spare rows of the plan of w, and in an order around its hubs (Plan.Lean),
// if there is one. It is for a caller who asks all rows of each solution, and goes on to NextWay where one does not hold. f has the
// rows of the plan's layout. Multipliers of spare rows are zero in solutions. Whoever fills the matrix anew says so (Changed).
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

// FactorizeFrom factors the system in the first way that works, from w on. It returns the error
// of the last way. why is the reason to go on to w; it is returned if there is no way left.
func (f *Factored) FactorizeFrom(w Way, why error) error {
	return Try(w, f.last, why, func(w Way) (done bool, err error) {
		err = f.Factorize(w)
		return err == nil || f.Watched().Err() != nil, err
	})
}

// Refine solves for the right side: exactly, with twice the digits where that is needed (factor.Factor.SolveExactTo), or
// up to an error that is enough (factor.Factor.SolveWithinTo). r is the residual, but where spare rows are left out.
func (f *Factored) Refine(x, r []float64, floor float64) factor.Refinement {
	if f.isLean() {
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

// FloorScales raises the scales of the rows of a node of sign −1 to a least part of the
// largest, as a row may vanish at a pose. Scales are compared in the units of the rows; a nil
// unit stands for ones.
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
