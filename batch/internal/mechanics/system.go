package mechanics

import (
	"slices"

	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/sparse"
)

// system makes the tape of factorization and solve: the block LDLᵀ of package factor in the order of a plan, as
// single instructions.
type system struct {
	*program.Program
	pattern *sparse.Pattern
	order   []int32
	place   []int32   // of each node in order
	below   [][]int32 // of each node: the nodes after it that it is coupled to in the factor, in order

	rows   [][]place   // of each −1 node: its blocks, Size×Size of the node, in the order of Pattern.Ind
	right  []place     // of each node: its right side
	scale  []place     // of each −1 node
	x      []place     // of each node: its solution
	square []place     // of each +1 node: its squared norm
	parts  [][]place   // of each −1 node: known parts of the solution that its right side has lost (docs/theory.md, (R9))
	group  []bool      // of each +1 node
	lean   *kkt.Lean   // of the reduction
	spare  []*nodeRows // nodes of the layout with spare rows

	kinds
	core    []place            // of each node: its block in the factor, and what is left of its right side behind it
	blocks  map[[2]int32]place // L·D, later node first
	scaled  map[[2]int32]place // L; the same places for leaves
	inverse []place            // 1/D
	z, res  []place            // of each node: of the forward half, and the residual
	checks
	null place
}

// kinds says what is known of single nodes.
type kinds struct {
	full  []int  // of each −1 node: its first rows that may have six numbers; the others are moments, zero in their last three
	dense []bool // of each −1 node: rows and scales are evaluated one state at a time
	leaf  []bool
	mixed []bool // of each −1 node: another node than a leaf changes its block before its last leaf does
}

// checks is where a solve is judged.
type checks struct {
	record       place
	mask         place // one where a lane wants a correction
	holds        place // one where a lane has passed the checks
	terms, scrap place // of judge
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
	s.mask, s.holds, s.terms, s.scrap = p.Room(1), p.Room(1), p.Room(1), p.Room(2)
	for i := range n {
		size := r.room(i)
		s.right[i], s.z[i] = p.Room(max(size+3, 6)), p.Room(size) // right sides are written by threes, and those of groups have zeros behind them
		s.Set(s.right[i], make([]float64, size)...)
		s.res[i] = p.Room(13).At(1) // and before them what Judge compares them with, behind them the solution
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

// leavesFirst puts the leaves before all others, which they do not wait for.
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

// leavesLate puts each leaf right before the first node that it is coupled to. So what it makes has been stored a short time ago when it is
// read, and serves again soon (elimination.take). Scales of mixed joints are squares of rows then. Where rows are spare, these are found
// anyway; elsewhere they would take instructions of their own, and more time than is saved.
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

// plain reports whether the scales of a joint are the pivots that its leaves leave: it has no other bodies, and these come first.
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

// fill finds the blocks of the factor, and the leaves: bodies and groups from whose blocks nothing is subtracted. What a node is coupled to
// in the factor, the next one of these nodes is coupled to as well.
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

// factorPlaces returns how many places the blocks of the factor below its diagonal take.
func (s *system) factorPlaces() (n int64) {
	for v, list := range s.below {
		for _, u := range list {
			n += int64(s.size(u)) * int64(s.size(int32(v)))
		}
	}
	return n
}

func (s *system) size(v int32) int { return int(s.pattern.Size[v]) }

// given returns the block of the matrix between two nodes, the later one first, and whether it is stored as rows of
// the earlier one; none if there is no such block.
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

// start returns where the values of a block are before anything is subtracted; none if it is zero.
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
