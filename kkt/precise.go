package kkt

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/mechanism"
)

// Where doubles are not enough, Solver solves the system once more with twice the digits
// (assemble.Precise, factor.Precise). docs/theory.md "Twice the digits" has the reasons.
const (
	// massSpread is the smallest ratio of the masses of two joined bodies at which a Solve uses
	// twice the digits. inertiaSpread is the smallest such ratio of moments of inertia, within a body or across a
	// joint. A double has 16 digits. The pivots of a row lose as many digits as the ratio has, and
	// some digits are needed for the path to other bodies. Slender links, in which the least moment of
	// inertia enters few rows, and balls on thin rods have ratios of inertias of 10⁸ and 10⁹, and
	// are solved well.
	massSpread    = 1e7
	inertiaSpread = 1e10
	// Largest flops of a plan for which twice the digits are used: preciseSolveFlops in a
	// Solve, preciseReportFlops in a Report that has a reason to use them, and verifyFlops in a
	// Report without a reason. One flop takes some 10 ns with twice the digits.
	preciseSolveFlops  = 1e8
	preciseReportFlops = 2e9
	verifyFlops        = 1e7
	// preciseTau is τ of theory.md (26): the pivot relative to its row's scale up to which a
	// row counts as redundant. It is the square of the angle, 3e-12 rad, by which the row
	// differs from the rows that it depends on. Since directions have 53 bits, redundant rows have
	// pivots of 1e-32. Rounding during the elimination raises them to at most 1e-24, in nets with more
	// redundant rows than others.
	preciseTau = 1e-23
	// stateNoise is a factor on the violation of the joints. If rows of a loop depend on each
	// other up to the product, the state does not distinguish them from redundant rows.
	stateNoise = 100
	// roughState is the largest violation of a state for which twice the digits are used.
	roughState = 1e-6
	// preciseTol is the largest relative correction by a refinement after which a solution counts as
	// found. preciseSteps is the largest number of refinements.
	preciseTol   = 1e-10
	preciseSteps = 4
	// pivotGap is the smallest ratio of a row's pivot to the pivots of redundant rows at which the row is clearly not
	// redundant.
	pivotGap = 1e3
	// latePivot is a pivot relative to its row's scale. If a first factorization fails, rows
	// with smaller pivots are eliminated last. lateRows is the largest number of such rows.
	latePivot = 1e-8
	lateRows  = 300
	// lostTol is a relative difference of accelerations, between both solutions or with the
	// directions of the rows rounded in another way. Above it a Report says that doubles, or
	// the data, do not determine the accelerations.
	lostTol = 1e-6
	// sameTol is the relative difference up to which both solutions count as the same, and the
	// solution of doubles is kept.
	sameTol = 1e-9
	// cancelled times the accelerations of the bodies under the loads without joints is the size below which
	// accelerations consist of rounding.
	cancelled = 1e-8
	// soundResidual is the scaled residual of the whole system above which a Report verifies
	// large mechanisms too. The residual is at 1e-16 if doubles are enough.
	soundResidual = 1e-13
)

// precise is the memory of solutions with twice the digits.
type precise struct {
	plan   *Plan
	own    []float64 // right side in place of the one of the loads; nil for the loads
	sys    *assemble.Precise
	fac    *factor.Precise // in the order of the plan
	last   *factor.Precise // the factor in use: fac, or a factor with other rows last
	x, r   []dd.Num
	hi     struct{ x, r, b []float64 } // scratch of judge
	rows   []bool                      // result of redundant
	sorted []float64                   // scratch of gap
	was    []float64                   // solution before refineMore
	tau    float64                     // limit of redundant rows in the last factorization

	worst factor.Worst // largest residual of a row that counts as redundant
	error float64      // relative correction by the last refinement
}

// errRough is the error for a state that violates its joints by more than roughState.
var errRough = errors.New("kkt: state too rough for twice the digits")

// errImprecise is the error for a system that twice the digits do not solve either.
var errImprecise = errors.New("kkt: not solved with twice the digits")

// errContradict is the error for a system that twice the digits solve, except that redundant rows contradict each other by more than
// rounding. They also do in a state whose velocities violate the joints.
var errContradict = fmt.Errorf("%w: redundant rows contradict each other", errImprecise)

// newPrecise allocates the memory of solutions with twice the digits.
func (p *Plan) newPrecise() *precise {
	n := p.layout.Pattern.Dim()
	out := &precise{
		plan: p, sys: p.layout.NewPrecise(), fac: factor.NewPrecise(p.layout.Pattern, p.symbolic.Order()),
		x: make([]dd.Num, n), r: make([]dd.Num, n), rows: make([]bool, n), sorted: make([]float64, 0, n),
	}
	out.hi.x, out.hi.r, out.hi.b = make([]float64, n), make([]float64, n), make([]float64, n)
	return out
}

// fill computes the system at st, and replaces its right side by p.own unless that is nil.
func (p *precise) fill(st *mechanism.State) error {
	if err := p.sys.FillTo(st); err != nil {
		return err
	}
	for i, b := range p.own {
		p.sys.Right[i] = dd.Of(b)
	}
	return nil
}

// solve solves the system at st, which violates its joints by noise. It tries the ways of factorizeBy in turn.
func (p *precise) solve(st *mechanism.State, noise float64) error {
	p.error, p.worst = 0, factor.Worst{Node: -1, Row: -1}
	if !(noise <= roughState) {
		return errRough
	}
	if err := p.fill(st); err != nil {
		return err
	}
	p.tau = tauOf(noise)
	// If the state violates its joints, redundant rows contradict each other. Doubles find the least-squares solution
	// of all rows, if they find a solution at all.
	enough := exactTol
	if p.plan.spread.wide() {
		enough = max(enough, stateNoise*noise)
	}
	for way := range preciseWays {
		if err := p.factorizeBy(way); err != nil {
			return err
		}
		if p.last.SolveTo(p.x, p.sys.Right); p.fac.Watched().Up() {
			return p.fac.Watched().Err()
		}
		for k := 0; k < preciseSteps && (k == 0 || !p.settled()); k++ {
			if p.refine(); p.fac.Watched().Up() {
				return p.fac.Watched().Err()
			}
		}
		if p.found(enough) && p.separated() {
			return nil
		}
	}
	if p.settled() && p.separated() {
		return errContradict
	}
	return errImprecise
}

// tauOf returns the pivot relative to its row's scale up to which a row counts as redundant, if the state violates its joints by noise.
func tauOf(noise float64) float64 { return max(preciseTau, stateNoise*noise*stateNoise*noise) }

// settled reports whether the last refinement has found the solution.
func (p *precise) settled() bool { return p.error <= preciseTol }

// found reports whether the solution is found, and the residuals of redundant rows are at most enough, relative to their terms.
func (p *precise) found(enough float64) bool { return p.settled() && p.worst.Ratio <= enough }

// preciseWays is the number of ways to factor.
const preciseWays = 3

// factorizeBy factors in way 0, 1 or 2. Ways 1 and 2 use the pivots of the previous way.
func (p *precise) factorizeBy(way int) error {
	switch way {
	case 0:
		return p.factorize()
	case 1:
		return p.factorizeLate()
	default:
		return p.factorizeByGap()
	}
}

// factorize factors the system in the order of the plan.
func (p *precise) factorize() error {
	p.last = p.fac
	return p.fac.Factorize(p.sys.Values, p.sys.Scale, p.tau)
}

// factorizeByGap factors the system in the order of the plan. The limit of redundant rows is in the widest gap between
// the pivots of factorize.
func (p *precise) factorizeByGap() error {
	if err := p.factorize(); err != nil {
		return err
	}
	return p.fac.Factorize(p.sys.Values, p.sys.Scale, max(p.tau, p.gap()))
}

// separated reports whether the pivots of redundant rows are far below the pivots of the others.
func (p *precise) separated() bool {
	most, least := 0.0, math.Inf(1)
	p.last.EachRow(func(_ int32, weak bool, pivot float64) {
		if weak {
			most = max(most, math.Abs(pivot))
		} else {
			least = min(least, pivot)
		}
	})
	return apart(least, most)
}

// apart reports whether least, the least pivot of the rows that count, is far above most, the largest pivot of a redundant row.
func apart(least, most float64) bool { return least >= pivotGap*most }

// gap returns the geometric mean of the two adjacent pivots with the largest ratio, among pairs whose smaller pivot is at most
// latePivot.
func (p *precise) gap() float64 {
	p.sorted = p.sorted[:0]
	p.last.EachRow(func(_ int32, _ bool, pivot float64) { p.sorted = append(p.sorted, math.Abs(pivot)) })
	slices.Sort(p.sorted)
	return widestGap(p.sorted)
}

// widestGap is gap for pivots in increasing order. It returns 0 for fewer than two pivots.
func widestGap(pivots []float64) float64 {
	middle, widest := 0.0, 0.0
	for i := 1; i < len(pivots); i++ {
		x, below := pivots[i], pivots[i-1]
		if below > latePivot {
			break
		}
		if below = max(below, dd.Epsilon); x/below > widest {
			middle, widest = math.Sqrt(x*below), x/below
		}
	}
	return middle
}

// isLate reports whether a row with this pivot is eliminated last if a first factorization fails.
func isLate(pivot float64) bool { return !(pivot > latePivot) }

// factorizeLate factors once more, and eliminates the rows that had small pivots in the last factorization at the end, in the order of
// falling pivots. The rows after a small pivot lose the digits that this pivot has lost. If there are no such rows, or too many, the
// last factor remains.
func (p *precise) factorizeLate() error {
	var late []int32
	p.last.EachRow(func(i int32, _ bool, pivot float64) {
		if isLate(pivot) {
			late = append(late, i)
		}
	})
	if len(late) == 0 || len(late) > lateRows {
		return nil
	}
	order, err := p.fac.Postponed(late).LastOrder(p.sys.Values, p.sys.Scale, len(late))
	if err != nil {
		return err
	}
	p.last = p.fac.Postponed(order)
	return p.last.Factorize(p.sys.Values, p.sys.Scale, p.tau)
}

// refine corrects x. It stores the size of the correction in p.error, and the largest residual of a redundant row in p.worst.
func (p *precise) refine() {
	p.last.ResidualTo(p.r, p.sys.Right, p.x)
	p.judge()
	// Multipliers of redundant rows stay zero. Residuals of redundant rows must not change the other rows.
	p.last.EachRow(func(i int32, weak bool, _ float64) {
		if weak {
			p.r[i] = dd.Num{}
		}
	})
	p.last.SolveTo(p.r, p.r)
	change, size := 0.0, 0.0
	for i := range p.x {
		p.x[i] = dd.Add(p.x[i], p.r[i])
		if i < p.plan.first() {
			change, size = max(change, math.Abs(p.r[i].Hi)), max(size, math.Abs(p.x[i].Hi))
		}
	}
	// Accelerations in which the loads almost cancel are known no better than the loads.
	for _, b := range p.sys.Right[:p.plan.first()] {
		size = max(size, cancelled*math.Abs(b.Hi))
	}
	p.error = 0
	if change > 0 {
		p.error = change / size
	}
}

// judge stores in p.worst the largest residual of a redundant row, relative to its terms.
func (p *precise) judge() {
	n := p.plan.first()
	size := 0.0 // largest acceleration, or largest right side of a body if that is larger
	for i := range p.x {
		p.hi.x[i], p.hi.b[i], p.hi.r[i] = p.x[i].Hi, p.sys.Right[i].Hi, p.r[i].Hi
		if i < n {
			size = max(size, math.Abs(p.hi.x[i]), math.Abs(p.hi.b[i]))
		}
	}
	for i, redundant := range p.redundant() {
		if !redundant {
			p.hi.r[i] = 0
		}
	}
	p.worst = worstOf(p.sys.Layout.Pattern, p.hi.r, p.hi.b, p.hi.x, p.sys.Scale, size)
}

// redundant returns, by scalar of the system, whether the last factorization takes the row as redundant. The next call overwrites the
// slice.
func (p *precise) redundant() []bool {
	p.last.EachRow(func(i int32, weak bool, _ float64) { p.rows[i] = weak })
	return p.rows
}
