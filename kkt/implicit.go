package kkt

import (
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// LeaveOut makes f begin with the system without the spare rows of a plan, perhaps in an order around hubs (Plan.Lean), if that
// takes half of the work or less. It is for matrices of implicit steps: f has the rows of the plan's layout, and may have slacks in
// addition (sparse.Pattern.WithSlacks). Residuals of spare rows say nothing there, as the poses of an iteration violate the joints. So each
// factorization tests whether a motion that the other rows allow violates the spare ones. The limit is the violation of a row whose pivot
// would just count as redundant. If the test fails, or if another row is redundant, the whole system is factored; theory.md, "Spare rows".
//
// Multipliers of spare rows are zero in solutions. Changed has to be called whenever the matrix is filled.
//
// Cost: an analysis, if the plan has such a system. It panics if f has other rows.
func (f *Factored) LeaveOut(p *Plan, t *team.Team) {
	wide, l := f.Matrix.Pattern, p.lean.forOthers()
	if p.layout.Pattern.Len() > wide.Len() || (wide.Len()-p.layout.Pattern.Len())%2 != 0 {
		panic("kkt: foreign pattern")
	}
	if l == nil {
		return
	}
	l = l.withSlacks(wide)
	if 2*l.symbolic.Counts.Flops > f.Symbolic.Counts.Flops {
		return
	}
	weak := factor.WeakPivot * f.epsilon
	l.least = weak / leanPart
	f.lean = l.newLeanOn(t)
	f.lean.useProbe(math.Sqrt(weak))
	f.lean.fac.Heed(f.Watched())
}

// withSlacks returns the system of a pattern that has slacks in addition, without the same rows and in the same order. A slack and its row
// come behind the first body that the row couples: a row with a slack of its own depends on no other, whatever the order.
func (l *leanPlan) withSlacks(wide *sparse.Pattern) *leanPlan {
	whole := l.rows.Of
	slacks := (wide.Len() - whole.Len()) / 2
	first, joints := whole.Positive(), wide.Len()-slacks
	kept := make([]bool, wide.Dim())
	gap := wide.Off[first+slacks] - whole.Off[first]
	for _, row := range l.rows.Row[whole.Off[first]:] {
		kept[row+gap] = true
	}
	for row := wide.Off[joints]; int(row) < len(kept); row++ {
		kept[row] = true
	}
	out := newLeanRows(wide, kept)
	out.hubs = l.hubs
	at := make([]int32, wide.Len()) // node of out.rows.Pattern
	for i, node := range out.rows.Node {
		at[node] = int32(i)
	}
	after := make([][]int32, first) // by body: slacks behind it
	var loose []int32               // slacks whose rows couple no body
	place := make([]int32, len(l.rows.Node))
	for k, v := range l.symbolic.Order() {
		place[v] = int32(k)
	}
	for i := range slacks {
		best := int32(-1)
		row := joints + i
		for _, b := range wide.Ind[wide.Ptr[row]:wide.Ptr[row+1]] {
			if int(b) < first && (best < 0 || place[b] < place[best]) {
				best = b
			}
		}
		if best < 0 {
			loose = append(loose, int32(i))
		} else {
			after[best] = append(after[best], int32(i))
		}
	}
	var perm []int32
	add := func(list []int32) {
		for _, i := range list {
			perm = append(perm, at[first+int(i)], at[joints+int(i)])
		}
	}
	for _, v := range l.symbolic.Order() {
		if node := l.rows.Node[v]; int(node) < first {
			perm = append(perm, at[node])
			add(after[node])
		} else {
			perm = append(perm, at[int(node)+slacks])
		}
	}
	add(loose)
	out.symbolic = factor.Analyze(out.rows.Pattern, perm)
	return out
}
