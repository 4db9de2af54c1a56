package assemble

import (
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/mechanism"
)

// The data of farBodies bodies or more do not fit in the caches. Then it saves time to fetch the data of an eight while the eight that
// comes ahead eights before is computed; the data of more eights would not fit in the first-level cache.
const farBodies, ahead = 1 << 13, 1

// nearEight returns the tree joints of eight i of groups and the number of freedoms of its groups. It returns nil if there is no such
// eight, or if fetching does not pay.
func (y *Reduced) nearEight(i int) (trees []treeEight, dof int) {
	if len(y.bodies) < farBodies || i >= len(y.Groups.eights.groups) {
		return nil, 0
	}
	trees, shape := y.treesOf(&y.Groups.eights.groups[i])
	return trees, int(shape.dof)
}

// fetchGroups brings the data that eight i of groups reads and writes into the caches, if they are close together, and
// the tree joints of the next eight. Processors do so by themselves only up to the end of a page of memory.
func (y *Reduced) fetchGroups(i int, s *mechanism.State) {
	trees, dof := y.nearEight(i)
	n := len(trees)
	if n == 0 {
		return
	}
	all := y.Groups.eights.trees
	next := int(y.Groups.eights.groups[i].first) + n
	for k := next; k < min(next+n, len(all)); k++ {
		kernel.PrefetchItem(&all[k])
	}
	first, last := &trees[0], &trees[n-1]
	fetch(lanes.Numbers(s.Bodies), &first.state, &last.state, n*int(stateNumbers))
	fetch(lanes.Numbers(y.Kin.Bodies), &first.kin, &last.kin, n*int(kinNumbers))
	fetch(y.particular, &first.particular, &last.particular, n*6)
	fetch(y.directions, &first.directions, &last.directions, n*6*dof)
}

// fetchResults is fetchGroups for the data that eightResult reads and writes.
func (y *Reduced) fetchResults(i int, a []float64) {
	trees, dof := y.nearEight(i)
	n := len(trees)
	if n == 0 {
		return
	}
	first, last := &trees[0], &trees[n-1]
	fetch(lanes.Numbers(y.Kin.Bodies), &first.kin, &last.kin, n*int(kinNumbers))
	fetch(y.particular, &first.particular, &last.particular, n*6)
	fetch(y.directions, &first.directions, &last.directions, n*6*dof)
	fetch(a, &first.accel, &last.accel, n*6)
}

// fetchLoops is fetchGroups for eight i of a list of loop joints.
func (y *Reduced) fetchLoops(list []loopEight, i int) {
	if len(y.bodies) < farBodies || i >= len(list) {
		return
	}
	if i+1 < len(list) {
		kernel.PrefetchItem(&list[i+1])
	}
	q := &list[i]
	pred, succ := &q.end[0], &q.end[1]
	if pred.dof >= 0 && succ.dof >= 0 {
		fetch(y.Matrix.Val, &pred.block, &succ.block, eightRows*2*groupFreedoms)
	}
	fetch(y.Scale, &q.row, &q.row, eightRows)
	fetch(y.Right, &q.row, &q.row, eightRows)
}

// fetch brings the numbers of x into the caches that begin at the places in first and last and in between, n numbers behind the last
// included. It does nothing if the range has more than four times the numbers of eight such pieces.
func fetch(x []float64, first, last *places, n int) {
	const much = 4
	lo, hi := int(min(first[0], last[0])), int(max(first[lanes.Width-1], last[lanes.Width-1]))
	if lo <= hi && hi-lo <= much*lanes.Width*n {
		kernel.Prefetch(x[lo:min(hi+n, len(x))])
	}
}
