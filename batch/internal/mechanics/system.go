package mechanics

import (
	"slices"

	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/sparse"
)

// system adds the instructions of factorization and solve: the block LDLᵀ of package factor in the order of a plan.
type system struct {
	*program.Program
	pattern *sparse.Pattern
	order   []int32
	place   []int32   // by node: its place in order
	below   [][]int32 // by node: the later nodes to which it is coupled in the factor, in order

	rows   [][]place   // by −1 node: its blocks, with the sizes of both nodes, in the order of Pattern.Ind
	right  []place     // by node: its right side
	scale  []place     // by −1 node: the scales of its rows
	x      []place     // by node: its solution
	square []place     // by +1 node: squared norm of its solution
	parts  [][]place   // by −1 node: known parts of the solution that its right side has lost (docs/theory.md, (R9))
	group  []bool      // by +1 node: it is a group
	lean   *kkt.Lean   // of the reduction
	spare  []*nodeRows // nodes of the layout with spare rows

	kinds
	core    []place            // by node: its block in the factor, and behind it its right side after eliminations
	blocks  map[[2]int32]place // L·D, later node first
	scaled  map[[2]int32]place // L; the same places for leaves
	inverse []place            // by node: 1/D
	z, res  []place            // by node: result of the forward half, and residual
	checks
	null place // zeros
}

// kinds has properties of single nodes.
type kinds struct {
	full  []int  // by −1 node: number of its first rows that may have six numbers; the others are moments, zero in their last three
	dense []bool // by −1 node: rows and scales are evaluated one state at a time
	leaf  []bool // by node: no elimination changes its block
	mixed []bool // by −1 node: a node that is no leaf changes its block before its last leaf does
}

// checks has the places of the checks of a solve.
type checks struct {
	record place
	mask   place // 1 in lanes that need a correction
	holds  place // 1 in lanes that have passed the checks
}

// newSystem lays out the places of the system of r: matrix, right side, scales, solution and residual.
func newSystem(p *program.Program, r *reduction) *system {
	pattern, order := r.pattern, r.order
	n := pattern.Len()
	s := &system{Program: p, lean: r.lean, pattern: pattern, order: order, place: make([]int32, n), below: make([][]int32, n),
		rows: make([][]place, n), right: make([]place, n), scale: make([]place, n), x: make([]place, n),
		square: make([]place, n), parts: make([][]place, n), group: make([]bool, n),
		kinds:  kinds{make([]int, n), make([]bool, n), make([]bool, n), make([]bool, n)},
		blocks: map[[2]int32]place{}, scaled: map[[2]int32]place{}, inverse: make([]place, n),
		z: make([]place, n), res: make([]place, n), core: make([]place, n)}
	for k, v := range order {
		s.place[v] = int32(k)
	}
	s.null = p.Shared(make([]float64, 36)...)
	s.record = p.Constant(make([]float64, places.Behind)...)
	s.mask, s.holds = p.Room(1), p.Room(1)
	for i := range n {
		size := r.room(i)
		s.right[i], s.z[i] = p.Room(max(size+3, 6)), p.Room(size) // instructions write three numbers of a right side at once; behind it are zeros
		s.Set(s.right[i], make([]float64, size)...)
		s.res[i] = p.Room(13).At(1) // the place before the residual is for its limit (tape.Judge), and the solution is behind it
		s.x[i] = s.res[i].At(6)
		s.square[i] = p.Room(1)
		for k := pattern.Ptr[i]; k < pattern.Ptr[i+1]; k++ {
			at := p.Room(size * int(pattern.Size[pattern.Ind[k]]))
			s.Set(at, make([]float64, size*int(pattern.Size[pattern.Ind[k]]))...)
			s.rows[i] = append(s.rows[i], at)
		}
		if pattern.Sign[i] < 0 {
			s.scale[i] = p.Room(size)
		}
		s.full[i] = int(pattern.Size[i])
	}
	s.fill()
	if s.lean != nil {
		s.leavesLate()
	} else {
		s.leavesFirst()
	}
	return s
}

// leavesFirst moves all leaves to the front of the order. They depend on no other node.
func (s *system) leavesFirst() {
	var list, rest []int32
	for _, v := range s.order {
		if s.leaf[v] {
			list = append(list, v)
		} else {
			rest = append(rest, v)
		}
	}
	s.order = append(list, rest...)
}

// leavesLate puts each leaf right before the first node to which it is coupled. So its results are read shortly after they are stored, and
// their places can be reused soon (elimination.take). The pivots of mixed joints then are no scales, so squares of rows are computed. With
// spare rows these squares are computed anyway; without, they would take more time than the order saves.
func (s *system) leavesLate() {
	before := make([][]int32, len(s.order)) // leaves, by the first node that they are coupled to
	var list []int32
	for _, v := range s.order {
		switch {
		case !s.leaf[v]:
		case len(s.below[v]) == 0:
			list = append(list, v)
		default:
			first := s.below[v][0]
			before[first] = append(before[first], v)
		}
	}
	changed := make([]bool, len(s.order))
	for _, v := range s.order {
		if s.leaf[v] {
			continue
		}
		for _, b := range before[v] {
			for _, u := range s.below[b] {
				s.mixed[u] = s.mixed[u] || changed[u]
			}
		}
		list = append(append(list, before[v]...), v)
		for _, u := range s.below[v] {
			changed[u] = true
		}
	}
	s.order = list
}

// plain reports whether the scales of a joint are its diagonal after the elimination of its leaves: all its bodies are leaves, and are
// eliminated before other nodes change its block.
func (s *system) plain(joint int32) bool {
	p := s.pattern
	for _, b := range p.Ind[p.Ptr[joint]:p.Ptr[joint+1]] {
		if !s.leaf[b] || s.group[b] {
			return false
		}
	}
	return p.Sign[joint] < 0 && !s.dense[joint] && !s.mixed[joint]
}

// block returns the place of the block of a node in the factor, and of its right side.
func (s *system) block(v int32) (at, right place) {
	n := s.size(v)
	if !s.core[v].Is() {
		s.core[v] = s.Room(n*n + n)
		s.Set(s.core[v], make([]float64, n*n)...) // the upper half is not written everywhere
	}
	return s.core[v], s.core[v].At(n * n)
}

// fill finds the blocks of the factor, and the leaves: bodies and groups from whose blocks nothing is subtracted. All nodes to which a node
// is coupled in the factor are coupled to the first of them, too.
func (s *system) fill() {
	after := make([][]int32, len(s.order)) // of each place in the order: places after it that it is coupled to
	p := s.pattern
	for i := range s.order {
		for _, b := range p.Ind[p.Ptr[i]:p.Ptr[i+1]] {
			first, last := s.place[i], s.place[b]
			if first > last {
				first, last = last, first
			}
			after[first] = append(after[first], last)
		}
	}
	touched := make([]bool, len(s.order))
	for k, v := range s.order {
		slices.Sort(after[k])
		list := slices.Compact(after[k])
		for _, at := range list {
			touched[at] = true
			s.below[v] = append(s.below[v], s.order[at])
		}
		if len(list) > 1 {
			after[list[0]] = append(after[list[0]], list[1:]...)
		}
		after[k] = nil
		s.leaf[v] = p.Sign[v] > 0 && !touched[k]
	}
}

// factorPlaces returns the number of places of the blocks of the factor below its diagonal.
func (s *system) factorPlaces() (n int64) {
	for v, list := range s.below {
		for _, u := range list {
			n += int64(s.size(u)) * int64(s.size(int32(v)))
		}
	}
	return n
}

// size returns the number of rows of a node.
func (s *system) size(v int32) int { return int(s.pattern.Size[v]) }

// given returns the block of the matrix between two nodes, and whether it is stored as rows of
// the earlier node; none if there is no such block.
func (s *system) given(late, early int32) (at place, turned bool) {
	joint, body := late, early
	if s.pattern.Sign[late] > 0 {
		joint, body, turned = early, late, true
	}
	p := s.pattern
	for k := p.Ptr[joint]; k < p.Ptr[joint+1]; k++ {
		if p.Ind[k] == body {
			return s.rows[joint][k-p.Ptr[joint]], turned
		}
	}
	return none, false
}

// start returns the place of a block before anything is subtracted from it, with rows of the later node; none if it is zero. It adds the
// transposition of a block that is stored as rows of the earlier node.
func (s *system) start(late, early int32) place {
	if late == early {
		if s.pattern.Sign[late] < 0 {
			return none
		}
		n := s.size(late)
		unit := make([]float64, n*n)
		for i := range n {
			unit[i*n+i] = 1
		}
		return s.Shared(unit...)
	}
	at, turned := s.given(late, early)
	if !at.Is() || !turned {
		return at
	}
	// The joint comes first: its rows are columns here.
	rows, cols := s.size(early), s.size(late)
	out := s.Room(rows * cols)
	for i := range rows {
		s.OpN(tape.Transpose, cols, rows, out.At(i), at.At(i*cols))
	}
	return out
}
