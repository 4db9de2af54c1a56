package kkt

import (
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/team"
)

// LeaveOut lets f begin with the system without the spare rows of a plan, and in an order around its hubs (Plan.Lean), where that
// takes half of the work or less. f has the rows of the plan's layout, and may have slacks besides (sparse.Pattern.WithSlacks): its
// matrix is that of an implicit step. So residuals of spare rows say nothing, as the poses on the way violate the joints. Each
// factorization asks instead whether a motion that the other rows allow violates them by more than a row whose pivot would pass for
// that of a redundant one; if so, or if another row is redundant, the whole system is factored, theory.md, "Spare rows".
//
// Multipliers of spare rows are zero in solutions. Whoever fills the matrix anew says so (Changed).
//
// Cost: an analysis, where the plan has such a system. It panics if f has other rows.
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
	weak := weakPart * f.epsilon
	l.least = weak / leanPart
	f.lean = l.newLeanOn(t)
	f.lean.useProbe(math.Sqrt(weak))
	f.lean.fac.Heed(f.Watched())
}

// weakPart is the pivot of a redundant row relative to ε and the scale of the row, as in package factor.
const weakPart = 1e3

// withSlacks returns the system of a pattern that has slacks besides, without the same rows and in the same order. A slack and its rows
// come behind the first of the bodies that the rows couple: a row with a slack of its own depends on no other, whatever the order.
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
	after := make([][]int32, first) // slacks behind a body
	var loose []int32
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
