package factor

import (
	"context"

	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/sparse"
)

// Counts are the size and the work of a factorization, known before any number.
type Counts struct {
	NonZeros  int64 // scalars of L below the diagonal, and of D
	Flops     int64 // additions and multiplications of the numeric factorization
	MaxFront  int   // rows of the largest front
	Bandwidth int   // largest distance, in nodes, of a coupling of the permuted matrix
}

// Symbolic is the analysis of one pattern under one order: permutation, elimination tree,
// supernodes and every position that the numeric factorization uses. It is immutable and may be shared
// between goroutines.
//
// A node of sign +1 that is eliminated before all its neighbours is a leaf of the elimination
// tree. Its column of L is its column of the matrix, so it needs no front. Its term of the
// Schur complement, theory.md (17), goes straight into the front of its first neighbour. The
// other nodes are the core: all of sign −1, and those of sign +1 that are no leaves.
// Supernodes and permuted vectors hold the core only.
type Symbolic struct {
	Pattern *sparse.Pattern
	Counts  Counts

	perm []int32 // perm[new] = old node, postordered
	held int     // core nodes that are not eliminated: the last ones, all in the last front; see AnalyzeHeld
	leaf []bool  // by old node: eliminated without a front

	node   []int32 // by core node, in elimination order: the old node
	off    []int32 // core+1: first permuted scalar of each core node
	oldOff []int32 // core: first original scalar of each core node
	sign   []int8  // core: sign of the pivots

	fronts []front
	runs   []run   // rows of every front, and places of update matrices in parents
	kids   []int32 // child fronts of each front, increasing
	ents   []entry
	leaves []leaf
	blocks []kernel.Block // of leaves: rows of their front, and of the residual unless their −1 node is open
	free   []leaf         // +1 nodes without neighbours
	openNodes

	tasks []task  // subtrees that do not depend on each other
	top   []int32 // fronts above all tasks, increasing

	panels int64 // scalars of all panels of L
	hand   int64 // scalars of all update matrices that tasks hand to the top
	stack  int64 // scalars of the largest stack of update matrices
	largest
}

// largest has the sizes that determine the scratch of a worker.
type largest struct {
	maxRows   int // rows of the largest front
	maxPanel  int // scalars of the largest panel
	maxLeaf   int // rows of the largest leaf
	maxSpread int // scalars of the leaves of a front that are added together
	maxWidth  int // pivots of the widest front
}

// front is one supernode: consecutive core nodes that are eliminated together.
//
// Its panel is the trapezoid of L under its pivots, column-major: first the rows of the
// pivots, then the rows below. The update matrix has the rows below. Both have one more, last
// row for the right side.
type front struct {
	width, below   int32 // pivots, and rows below them
	first          int32 // first permuted scalar
	super, last    int32 // core nodes [super, last)
	parent         int32 // −1 for roots
	rowLo, rowHi   int32 // runs of the rows below: dst is a permuted scalar
	upLo, upHi     int32 // runs of the update matrix: dst is a row of the parent's front
	kidLo, kidHi   int32
	entLo, entHi   int32
	leafLo, leafHi int32
	columns        int32 // of all its leaves
	spread         bool  // the leaves cover so much of the front that they are added together
	handed         bool  // a task hands the update matrix to the top
	held           bool  // assembled and not eliminated; see AnalyzeHeld
	quick          quick
	panel          int64 // first scalar of the panel
	update         int64 // first scalar of the update matrix: in Factor.hand if handed, else on the stack of a worker
}

// quick has bits that say what is simple in a front, and whether and how kernel.Front eliminates it.
type quick uint8

const (
	short     quick = 1 << iota // kernel.Front eliminates it
	like                        // its leaves have the same rows as the leaves of the front before, which is short too
	bare                        // kernel.Front adds the right side, and the update matrix of the only child if there is one
	rowsAlone                   // all its nodes have sign −1
)

// has reports whether all of the bits are set.
func (q quick) has(bits quick) bool { return q&bits == bits }

// rows returns the rows of the front without the one of the right side.
func (f *front) rows() int { return int(f.width + f.below) }

// ld returns the rows of the panel, which is its leading dimension: the rows of the front and the right side.
func (f *front) ld() int { return f.rows() + 1 }

// updateSize returns the number of scalars of the update matrix: f.below columns of f.below+1 rows.
func (f *front) updateSize() int { return int(f.below) * int(f.below+1) }

// task is a range of fronts, made of whole subtrees.
type task struct{ lo, hi int32 }

// run is a range of consecutive rows and the first of the rows they go to.
type run struct{ dst, n int32 }

// entry says where one block of the matrix goes in the panel of its front: a
// block between a −1 and a +1 node of the core.
type entry struct {
	src   int64 // first value in Matrix.Val
	row   int32 // scalar row in the front
	col   int32 // scalar column, a pivot
	nr    int8  // rows in the front
	nc    int8  // columns in the front
	trans bool  // the stored block is the transpose
}

// leaf is a node of sign +1 without a front; its blocks stand in elimination
// order of its neighbours.
type leaf struct {
	lo, hi int32 // into blocks
	first  int32 // first original scalar
	up, to int32 // runs in the front of its first neighbour
	rows   int32 // of all its blocks
	size   int8
	groups uint8 // in short fronts: bits of the groups of kernel.GroupRows rows in which it has blocks
}

// openNodes are the −1 nodes whose residuals the backward sweep leaves out (closeRows).
type openNodes struct {
	open   []bool         // core
	opened []int32        // the old nodes, increasing
	ranges []run          // ranges of their original scalars: n from dst on
	beside []beside       // +1 nodes that they couple, increasing
	shared []kernel.Block // of these: Row and Res are original scalars, Node is the old −1 node
}

// beside is a node of sign +1 beside open nodes.
type beside struct {
	lo, hi int32 // into shared; of a core node all its blocks
	scalar int32 // first original one
	size   int8
	core   bool
}

// Order returns the permutation in use, perm[new] = old; it is not a copy.
func (s *Symbolic) Order() []int32 { return s.perm }

// CountOrder returns the counts of a factorization of p in the order perm,
// perm[new] = old.
//
// Cost: near-linear in nodes and blocks (no structure of L is formed).
func CountOrder(p *sparse.Pattern, perm []int32) Counts { return eliminate(p, perm, nil).counts }

// elimination is a pattern in an elimination order that is a postorder of its tree.
type elimination struct {
	p      *sparse.Pattern
	perm   []int32 // perm[new] = old
	graph  *graph
	parent []int32 // in the elimination tree
	rows   []int32 // of each column of L
	counts Counts
	held   int // nodes that are not eliminated, the last ones
	stop   *halt.Flag
}

// mustHavePattern panics if p is nil.
func mustHavePattern(p *sparse.Pattern) {
	if p == nil {
		panic("factor: no pattern")
	}
}

// eliminate finds the elimination tree of p in the order perm, and the rows of L. It returns nil if the flag goes up.
func eliminate(p *sparse.Pattern, perm []int32, stop *halt.Flag) *elimination {
	if stop.Up() {
		return nil // perm may be unfinished
	}
	mustHavePattern(p)
	g := newGraph(p, inverse(p, perm))
	e := &elimination{p: p, stop: stop}
	band := bandwidth(g)
	if stop.Up() {
		return nil
	}
	e.graph, e.parent, e.perm = g.postordered(g.etree())
	if stop.Up() {
		return nil
	}
	for i, o := range e.perm {
		e.perm[i] = perm[o]
	}
	e.graph.stop = stop
	e.rows = e.graph.counts(e.parent)
	if stop.Up() {
		return nil
	}
	e.counts = countsOf(p, e.perm, e.graph, e.rows)
	e.counts.Bandwidth = band
	return e
}

// inverse returns the place of each node in perm. It panics unless perm is a permutation of the nodes of p.
func inverse(p *sparse.Pattern, perm []int32) []int32 {
	n := p.Len()
	if len(perm) != n {
		panic("factor: length mismatch")
	}
	inv := make([]int32, n)
	for i := range inv {
		inv[i] = -1
	}
	for i, o := range perm {
		if o < 0 || int(o) >= n || inv[o] != -1 {
			panic("factor: not a permutation")
		}
		inv[o] = int32(i)
	}
	return inv
}

// postordered renumbers g by a postorder of its elimination tree, given by the parents. It returns the graph, the parents in the new
// numbers, and the postorder, post[new] = old.
func (g *graph) postordered(parent []int32) (*graph, []int32, []int32) {
	post := postorder(parent)
	inv := make([]int32, g.n)
	same := true
	for i, o := range post {
		inv[o] = int32(i)
		same = same && int(o) == i
	}
	if same {
		return g, parent, post
	}
	par := make([]int32, g.n)
	for i, o := range post {
		par[i] = -1
		if q := parent[o]; q >= 0 {
			par[i] = inv[q]
		}
	}
	// A postorder of the elimination tree keeps lower neighbours lower: they are descendants.
	return g.renumbered(post, inv), par, post
}

// renumbered returns g with its nodes in another order, seq[new] = old and inv[old] = new, which keeps lower neighbours
// lower.
func (g *graph) renumbered(seq, inv []int32) *graph {
	h := &graph{n: g.n, size: make([]int32, g.n), lowPtr: make([]int32, g.n+1), low: make([]int32, len(g.low)), stop: g.stop}
	for i, o := range seq {
		h.size[i] = g.size[o]
		k := h.lowPtr[i]
		for _, j := range g.low[g.lowPtr[o]:g.lowPtr[o+1]] {
			h.low[k] = inv[j]
			k++
		}
		h.lowPtr[i+1] = k
	}
	return h
}

// isLeaf reports whether node i of g, node old of p, needs no front.
func (g *graph) isLeaf(i int, p *sparse.Pattern, old int32) bool {
	return p.Sign[old] > 0 && g.lowPtr[i] == g.lowPtr[i+1]
}

// countsOf returns the fill and the work of column counts cnt. A pivot with s rows below it costs s divisions
// and s(s+1) multiplications and additions. A leaf of n unit pivots with r rows below costs only the n
// products of these rows, n·r(r+1).
func countsOf(p *sparse.Pattern, perm []int32, g *graph, cnt []int32) Counts {
	var c Counts
	for i := range g.n {
		rows, size := int64(cnt[i]), int64(g.size[i])
		if g.isLeaf(i, p, perm[i]) {
			rows -= size
			c.NonZeros += size * (rows + 1)
			c.Flops += size * rows * (rows + 1)
			continue
		}
		c.MaxFront = max(c.MaxFront, int(rows))
		for range size {
			rows--
			c.NonZeros += rows + 1
			c.Flops += rows * (rows + 2)
		}
	}
	return c
}

// bandwidth returns the largest difference of the numbers of two neighbours.
func bandwidth(g *graph) int {
	b := 0
	for i := range g.n {
		for _, j := range g.low[g.lowPtr[i]:g.lowPtr[i+1]] {
			b = max(b, i-int(j))
		}
	}
	return b
}

// Analyze prepares the factorization of matrices of pattern p in the order
// perm, perm[new] = old. The order in use differs from perm by a postorder of
// the elimination tree, which changes neither fill nor work.
//
// Cost: near-linear in nodes and in the block structure of L.
// It panics if perm is not a permutation of the nodes.
func Analyze(p *sparse.Pattern, perm []int32) *Symbolic {
	return eliminate(p, perm, nil).analyze()
}

// AnalyzeContext is Analyze, and ends early when ctx does. It returns the cause for which ctx has ended.
func AnalyzeContext(ctx context.Context, p *sparse.Pattern, perm []int32) (*Symbolic, error) {
	return AnalyzeWithin(ctx, p, perm, Limits{})
}

// AnalyzeWithin is AnalyzeContext, and returns a *CostError if the order is beyond the limits. It has then allocated nothing that grows
// with the factor.
func AnalyzeWithin(ctx context.Context, p *sparse.Pattern, perm []int32, l Limits) (*Symbolic, error) {
	stop, end := halt.FlagOf(ctx)
	defer end()
	e := eliminate(p, perm, stop)
	if stop.Up() {
		return nil, context.Cause(ctx)
	}
	if err := l.check(e.counts); err != nil {
		return nil, err
	}
	s := e.analyze()
	if stop.Up() {
		return nil, context.Cause(ctx)
	}
	return s, nil
}

// analyze finds the fronts and the place of every block in them. It returns nil if e is nil or the flag goes up.
func (e *elimination) analyze() *Symbolic {
	if e == nil {
		return nil
	}
	s := &Symbolic{Pattern: e.p, perm: e.perm, held: e.held, Counts: e.counts}
	if e.stop.Up() {
		return nil
	}
	a := newAnalysis(s, e)
	for _, pass := range [...]func(){a.supernodes, a.structure, a.relax, a.place, a.divide, a.closeRows, a.stack, a.shorten} {
		if e.stop.Up() {
			return nil
		}
		pass()
	}
	return s
}
