package factor

import (
	"slices"

	"github.com/rung-mbd/rung/internal/kernel"
)

// Limits of the division into tasks. Another value costs time only.
const (
	leastWork = 3e4  // ns: work below which a subtree is not divided
	sideWork  = 0.1  // part of a subtree's work above which all children but the heaviest count as a branch
	mostTop   = 0.05 // part of all work that the fronts down to the next branch may add to the top
	mostTasks = 16   // a task has at least one part in mostTasks of all work, so there are about as many
)

// divide makes tasks of subtrees that can be eliminated side by side. The fronts above them are the top, which is eliminated
// afterwards. The division depends on the structure alone, and so not on the number of goroutines.
func (a *analysis) divide() {
	s, ns := a.s, len(a.s.fronts)
	work := make([]float64, ns) // of each subtree
	own := make([]float64, ns)
	total := 0.0
	for k := range s.fronts {
		f := &s.fronts[k]
		own[k] = cost(float64(f.width), float64(f.below), panelCost) + frontCost*float64(f.leafHi-f.leafLo)
		if f.held {
			own[k] = cost(0, float64(f.width), panelCost)
		}
		work[k] += own[k]
		if f.parent >= 0 {
			work[f.parent] += work[k]
		} else {
			total += work[k]
		}
	}
	least := max(total/mostTasks, leastWork)
	top := make([]bool, ns)
	for k := ns - 1; k >= 0; k-- { // parents first
		if p := s.fronts[k].parent; work[k] > 2*least && (p < 0 || top[p]) && !top[k] {
			a.split(int32(k), work, own, mostTop*total, top)
		}
	}
	lo, sum := 0, 0.0
	flush := func(hi int) {
		if lo < hi {
			s.tasks = append(s.tasks, task{int32(lo), int32(hi)})
		}
		lo, sum = hi, 0
	}
	for k := range s.fronts {
		f := &s.fronts[k]
		switch {
		case top[k]:
			flush(k)
			lo = k + 1
			s.top = append(s.top, int32(k))
		case f.parent < 0 || top[f.parent]: // the root of a subtree
			if f.parent >= 0 {
				f.update, f.handed = s.hand, true
				s.hand += int64(f.updateSize())
			}
			if sum += work[k]; sum >= least {
				flush(k + 1)
			}
		}
	}
	flush(ns)
}

// split marks in top the fronts from k down to the next branch as parts of the top. It marks none if there is no branch, or if the work own
// of these fronts is more than the limit most. At a branch the subtrees of all children but the heaviest have at least the part sideWork of
// the work of its subtree.
func (a *analysis) split(k int32, work, own []float64, most float64, top []bool) {
	s, path := a.s, 0.0
	for v := k; ; {
		f := &s.fronts[v]
		heavy := int32(-1)
		for _, c := range s.kids[f.kidLo:f.kidHi] {
			if heavy < 0 || work[c] > work[heavy] {
				heavy = c
			}
		}
		path += own[v]
		if heavy < 0 || path > most {
			return
		}
		if work[v]-own[v]-work[heavy] < sideWork*work[v] {
			v = heavy
			continue
		}
		for top[v] = true; v != k; {
			v = s.fronts[v].parent
			top[v] = true
		}
		return
	}
}

// closeRows finds the −1 nodes whose residuals the backward sweep can sum up while it stores their neighbours: all neighbours are
// leaves that belong to the task of the node. The other −1 nodes are open.
func (a *analysis) closeRows() {
	s := a.s
	of := make([]int32, len(s.node)) // task of each core node, −1 at the top
	for i := range of {
		of[i] = -1
	}
	for t, r := range s.tasks {
		for k := s.fronts[r.lo].super; k < s.fronts[r.hi-1].last; k++ {
			of[k] = int32(t)
		}
	}
	s.open = make([]bool, len(s.node))
	for c, old := range s.node {
		for _, b := range a.p.Ind[a.p.Ptr[old]:a.p.Ptr[old+1]] {
			s.open[c] = s.open[c] || !s.leaf[b]
		}
	}
	each := func(f func(b *kernel.Block, task int32)) {
		for i := range s.fronts {
			fr := &s.fronts[i]
			for _, l := range s.leaves[fr.leafLo:fr.leafHi] {
				for k := l.lo; k < l.hi; k++ {
					f(&s.blocks[k], of[fr.super])
				}
			}
		}
	}
	each(func(b *kernel.Block, task int32) {
		s.open[b.Node] = s.open[b.Node] || of[b.Node] != task
	})
	each(func(b *kernel.Block, _ int32) {
		if s.open[b.Node] {
			b.Res = -1
		}
	})
	for c, old := range s.node {
		if s.open[c] {
			s.opened = append(s.opened, old)
		}
	}
	slices.Sort(s.opened)
	for _, i := range s.opened {
		if last := len(s.ranges) - 1; last >= 0 && s.ranges[last].dst+s.ranges[last].n == a.p.Off[i] {
			s.ranges[last].n += int32(a.p.Size[i])
		} else {
			s.ranges = append(s.ranges, run{a.p.Off[i], int32(a.p.Size[i])})
		}
	}
	a.listBeside()
}

// listBeside lists the +1 nodes that open nodes couple, with the blocks that they have there.
func (a *analysis) listBeside() {
	s, p := a.s, a.p
	ptr := make([]int32, p.Positive()+1)
	each := func(visit func(i, b int32, pos int64)) {
		for _, i := range s.opened {
			for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
				visit(i, p.Ind[k], p.Pos[k])
			}
		}
	}
	each(func(_, b int32, _ int64) { ptr[b+1]++ })
	for b, n := range ptr[1:] {
		lo := ptr[b]
		if ptr[b+1] += lo; n > 0 {
			s.beside = append(s.beside, beside{lo, lo + n, p.Off[b], p.Size[b], !s.leaf[b]})
		}
	}
	s.shared = make([]kernel.Block, ptr[p.Positive()])
	each(func(i, b int32, pos int64) {
		s.shared[ptr[b]] = kernel.Block{W: pos, Row: p.Off[i], Res: p.Off[i], Node: i, N: int32(p.Size[i])}
		ptr[b]++
	})
}

// stack finds places on the stack for the update matrices within a task and within the top; matrices that a task hands to the top have
// places of their own. A matrix lies above all matrices that still wait for their parents. It does not overlap the
// matrices of its children, which are read while it is summed up.
func (a *analysis) stack() {
	s := a.s
	type place struct{ lo, hi int64 }
	var waiting []place // by increasing place; children of one front are next to each other
	step := func(f *front) {
		var kids place
		for _, c := range s.kids[f.kidLo:f.kidHi] {
			if s.fronts[c].handed {
				continue
			}
			last := len(waiting) - 1
			kids.lo, kids.hi = waiting[last].lo, max(kids.hi, waiting[last].hi)
			waiting = waiting[:last]
		}
		if f.handed || f.below == 0 {
			return
		}
		if len(waiting) > 0 {
			f.update = waiting[len(waiting)-1].hi
		}
		size := int64(f.updateSize())
		if kids.hi > 0 && f.update+size > kids.lo {
			f.update = kids.hi
		}
		waiting = append(waiting, place{f.update, f.update + size})
		s.stack = max(s.stack, f.update+size)
	}
	for _, t := range s.tasks {
		waiting = waiting[:0]
		for k := t.lo; k < t.hi; k++ {
			step(&s.fronts[k])
		}
	}
	waiting = waiting[:0]
	for _, k := range s.top {
		step(&s.fronts[k])
	}
}

// shorten marks the fronts whose pivots all have sign −1, and among them the short ones, which kernel.Front can eliminate at once.
func (a *analysis) shorten() {
	s := a.s
	for k := range s.fronts {
		f := &s.fronts[k]
		if slices.Contains(s.sign[f.super:f.last], 1) {
			continue
		}
		f.quick = rowsAlone
		if f.held || !kernel.HasFront(f.ld(), int(f.width)) {
			continue
		}
		f.quick |= short
		if k > 0 && s.fronts[k-1].quick.has(short) && s.alike(&s.fronts[k-1], f) {
			f.quick |= like
		}
		if s.onlyChild(f) {
			f.quick |= bare
		}
		for i := f.leafLo; i < f.leafHi; i++ {
			s.group(&s.leaves[i])
		}
	}
}

// onlyChild reports whether a short front has no blocks between core nodes and at most one child, whose update matrix has few rows that
// are the first rows of the front.
func (s *Symbolic) onlyChild(f *front) bool {
	if f.entLo < f.entHi || f.kidHi-f.kidLo > 1 {
		return false
	}
	for _, c := range s.kids[f.kidLo:f.kidHi] {
		q := &s.fronts[c]
		if q.below > kernel.FrontChild || q.upHi-q.upLo != 1 || s.runs[q.upLo].dst != 0 {
			return false
		}
	}
	return true
}

// group notes in which groups of kernel.GroupRows rows of its short front a leaf has blocks, one bit a group.
func (s *Symbolic) group(l *leaf) {
	for _, b := range s.blocks[l.lo:l.hi] {
		for r := b.Row; r < b.Row+b.N; r++ {
			l.groups |= 1 << (r / kernel.GroupRows)
		}
	}
}

// alike reports whether the leaves of two fronts have the same sizes and the same rows in their fronts.
func (s *Symbolic) alike(f, g *front) bool {
	a, b := s.leaves[f.leafLo:f.leafHi], s.leaves[g.leafLo:g.leafHi]
	return slices.EqualFunc(a, b, func(a, b leaf) bool {
		return a.size == b.size && slices.EqualFunc(s.blocks[a.lo:a.hi], s.blocks[b.lo:b.hi], func(a, b kernel.Block) bool {
			return a.Row == b.Row && a.N == b.N
		})
	})
}
