package dist

import (
	"math"

	"github.com/rung-mbd/rung/kkt"
)

// exact is the largest inconsistency of constraints that may come from rounding, as in one process.
const exact = 1e-12

// Quality has the cost and the errors of the last solution of all pieces.
type Quality struct {
	Unknowns        int   // of the whole
	NonZeros, Flops int64 // of the factors of all pieces, and of the root in the order of this package
	Corrected       int   // pivots lost to rounding and replaced
	BackwardError   float64
	Inconsistency   float64 // kkt.Solver.Inconsistency
	Worst           string  // joint or coupling with the worst row if Inconsistency is above rounding; else, or if it is between pieces, empty
	Coupling        bool    // Worst is a coupling
}

// fixedQuality is the number of numbers of partOfQuality before the numbers by held row.
const fixedQuality = 8

// Quality returns the Quality of the last solution. All ranks call it together, and get the same numbers.
//
// Cost: O(stored values) and a message with three numbers a held row; allocates. It panics without a result.
func (s *Solver) Quality() *Quality {
	s.mustHave()
	lists := gatherLists(s.comm, s.partOfQuality())
	var all []float64
	worst := -1.0
	if u := s.hub; u != nil {
		q := u.quality(lists)
		q[0] += float64(s.lost)
		if q[6] > exact && !u.inHeld {
			worst = float64(u.worstRank)
		}
		all = append(q[:], worst)
	}
	all = same(s.comm, all)
	out := &Quality{
		Corrected: int(all[0]), Unknowns: int(all[1]), NonZeros: int64(all[2]), Flops: int64(all[3]),
		BackwardError: all[5], Inconsistency: all[6],
	}
	if worst = all[7]; worst < 0 {
		return out
	}
	var name []float64
	if int(worst) == s.comm.Rank() {
		i := s.plan.layout.NodeConstraint(s.worst.Node)
		kind := 0.0
		if i >= s.plan.mech.NumJoints() {
			kind = 1
		}
		name = append([]float64{kind}, words(s.plan.mech.ConstraintName(i))...)
	}
	for r, l := range gatherLists(s.comm, name) {
		if r == int(worst) {
			name = l
		}
	}
	name = same(s.comm, name)
	out.Worst, out.Coupling = text(name[1:]), name[0] != 0
	return out
}

// partOfQuality returns the numbers of this rank. First come the numbers of replaced pivots, unknowns, nonzeros and flops. Then come the
// largest residual, entry of the solution, entry of the right side and column sum; and then, for the held rows, this rank's parts
// of all residuals, all right sides and all column sums.
func (s *Solver) partOfQuality() []float64 {
	p := s.plan
	n := p.layout.Pattern.Dim()
	x, r, sums := make([]float64, n), make([]float64, n), make([]float64, n)
	copy(x, s.x)
	s.sys.WeighTo(x, x)
	clear(x[6*p.piece.Own : 6*p.mech.NumBodies()])
	s.sys.Matrix.ResidualTo(r, s.sys.Right, x)
	s.sys.Matrix.ColumnSumsTo(sums)
	held := make([]bool, n)
	for _, i := range p.scalars {
		held[i] = true
	}
	counts := p.factors.Counts
	out := []float64{float64(s.fac.Corrected), 0, float64(counts.NonZeros), float64(counts.Flops), 0, 0, 0, 0}
	for i := range n {
		if i >= 6*p.piece.Own && i < 6*p.mech.NumBodies() {
			continue
		}
		out[5] = atLeast(out[5], math.Abs(x[i]))
		if held[i] {
			continue
		}
		out[1]++
		out[4] = atLeast(out[4], math.Abs(r[i]))
		out[6] = atLeast(out[6], math.Abs(s.sys.Right[i]))
		out[7] = atLeast(out[7], sums[i])
	}
	for _, part := range [][]float64{r, s.sys.Right, sums} {
		for _, i := range p.scalars {
			out = append(out, part[i])
		}
	}
	return out
}

// quality combines the numbers of all ranks. It returns replaced pivots, unknowns, nonzeros, flops, a zero, the backward error, and the
// inconsistency.
func (u *hub) quality(lists [][]float64) (q [7]float64) {
	root := u.h.Symbolic.Counts
	q[1], q[2], q[3] = float64(u.h.Size), float64(root.NonZeros), float64(root.Flops)
	var most [4]float64 // residual, solution, right side, sum of a column
	for _, l := range lists {
		for i := range 4 {
			q[i] += l[i]
			most[i] = atLeast(most[i], l[4+i])
		}
	}
	q[4] = 0
	sum := make([]float64, u.h.Size)
	for part, of := range [...]int{0, 2, 3} {
		clear(sum)
		for r, l := range lists {
			rows := u.h.lists[r]
			for k, row := range rows {
				sum[row] += l[fixedQuality+part*len(rows)+k]
			}
		}
		for _, v := range sum {
			most[of] = atLeast(most[of], math.Abs(v))
		}
	}
	if size := most[3]*most[1] + most[2]; size != 0 {
		q[5] = most[0] / size
	}
	q[6] = u.conv.Worst.Ratio
	return q
}

// IllScaled returns a body or joint of the piece at which inertias differ too much for doubles, as kkt.Report.IllScaled does in one
// process; nil if there is none.
//
// Cost: O(bodies + joints).
func (p *Plan) IllScaled() *kkt.IllScaled {
	ill := kkt.IllScaledIn(p.layout)
	if ill != nil {
		ill.Text += "; pieces are not solved with twice the digits, and doubles may not do"
	}
	return ill
}
