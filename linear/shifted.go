package linear

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/sparse"
)

// shifted solves (Z + s·M)·x = b + Jᵀ·y, J·x = 0 for a split Z, statics-and-modes.md (S5),
// (S6). Each term κ·b·bᵀ is a spring with a coordinate u = b·x of its own. So the system has
// positive definite blocks and rows between them,
//
//	⎡ D+sM          Bᵀ  Jᵀ ⎤ ⎡  x ⎤   ⎡ b ⎤
//	⎢         κ    −1      ⎥ ⎢  u ⎥ = ⎢ 0 ⎥
//	⎢ B    −1              ⎥ ⎢ −f ⎥   ⎢ 0 ⎥
//	⎣ J                    ⎦ ⎣ −y ⎦   ⎣ 0 ⎦
//
// with f = κ·u. Package factor can factor such a system: each term adds a leaf and a row. The
// coordinates u of up to six terms between the same bodies are one block, filled up with unused
// coordinates, as the kernels are for blocks of six.
type shifted struct {
	sys *System
	s   float64 // shift, 1/s²
	n   int     // number of displacements
	k   saddle

	axes    [][36]float64 // Q of each joint node (diagonalize)
	b, x, r []float64     // right side, solution and scratch, for the whole system
}

// blockSize is the number of displacements of a body and of the coordinates u of a
// group.
const blockSize = sparse.MaxBlock

// group is a run of up to blockSize terms between the same bodies. It has one node for their coordinates u and one for their rows.
type group struct {
	lo, hi int // terms[lo:hi]
}

// shift returns the factored solver for z with the shift s, 1/s², docs/statics-and-modes.md (S6). The shift has to make the blocks
// positive definite. old may be nil. If it has the same pattern, its analysis and memory are used again: it has no factorization then.
//
// Cost: near-linear in bodies, joints and terms, and the factorization; allocates. It returns
// *factor.PivotError or ErrSingular.
func (sys *System) shift(z *split, s float64, old *shifted) (*shifted, error) {
	sys.lost = false
	terms := sys.rotorTerms(z, s)
	groups := groupsOf(terms)
	if sys.over() {
		return nil, sys.orCause(nil)
	}
	p := sys.pattern(terms, groups)
	if sys.over() {
		return nil, sys.orCause(nil)
	}
	h := &shifted{sys: sys, s: s, n: sys.dim()}
	var f *factor.Factor
	if old != nil && samePattern(old.k.Matrix.Pattern, p) {
		f, p = old.k.Factor, old.k.Matrix.Pattern
	} else {
		s, err := sys.analyze(p)
		if err != nil {
			return nil, err
		}
		f = s.NewFactorOn(sys.space.Team())
		f.Heed(sys.space.Watched())
	}
	if sys.over() {
		return nil, sys.orCause(nil)
	}
	h.k = newSaddle(sys.plan, f, sparse.NewMatrix(p), make([]float64, p.Dim()))
	h.k.skip = sys.skip
	h.b, h.x, h.r = make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
	h.fill(z, terms, groups)
	if err := h.diagonalizeAll(); err != nil {
		return nil, h.name(err)
	}
	if sys.over() {
		return nil, sys.orCause(nil)
	}
	// A random load on all bodies decides which way to factor.
	rng := rand.New(rand.NewPCG(1, uint64(h.n)))
	for i := range h.n {
		h.x[i] = rng.NormFloat64()
	}
	sys.MassTo(h.b[:h.n], h.x[:h.n])
	if err := h.k.solveFirst(h.x, h.r, h.b, h.holds); err != nil {
		return nil, h.name(err)
	}
	return h, nil
}

// analyze returns the analysis of the pattern of shifted systems, in outward order.
func (sys *System) analyze(p *sparse.Pattern) (*factor.Symbolic, error) {
	ctx := sys.space.Watched().Context()
	best, _, _, err := factor.ChooseContext(ctx, p, order.Auto, sys.plan.Options().Threads, factor.Limits{})
	if err != nil {
		return nil, err
	}
	perm := outward(p, best.Order(), sys.space.Watched())
	if sys.over() {
		return nil, sys.orCause(nil)
	}
	return factor.AnalyzeContext(ctx, p, perm)
}

// name adds to an error the shift, and the name of the body or joint of its node (nodeOf), if it has one.
func (h *shifted) name(err error) error {
	layout, shifted := h.sys.plan.Layout(), fault.Errorf("linear: shift %.3g: %w", h.s, err)
	switch node, nb, first := nodeOf(err), h.sys.mech.NumBodies(), h.k.Matrix.Pattern.Positive(); {
	case node >= 0 && node < nb:
		return fault.Errorf("linear: %w", layout.At(node, -1, shifted))
	case node >= first && node < first+h.joints():
		return fault.Errorf("linear: %w", layout.At(nb+node-first, -1, shifted))
	}
	return shifted
}

// groupsOf splits the terms into runs between the same bodies, of at most blockSize terms. A term over more than two bodies has a group of
// its own.
func groupsOf(terms []term) []group {
	var out []group
	for i := range terms {
		if n := len(out); n > 0 {
			if g := &out[n-1]; g.hi-g.lo < blockSize && terms[g.lo].body == terms[i].body && terms[g.lo].far == nil && terms[i].far == nil {
				g.hi = i + 1
				continue
			}
		}
		out = append(out, group{i, i + 1})
	}
	return out
}

// pattern returns the pattern of the system: a node for each body and for the coordinates u of each group, then a node for each joint or
// coupling and for the rows of each group.
func (sys *System) pattern(terms []term, groups []group) *sparse.Pattern {
	list := make([]sparse.Slack, len(groups))
	for i, g := range groups {
		list[i] = sparse.Slack{Nodes: terms[g.lo].body, Size: blockSize, Rows: int8(g.hi - g.lo)}
		if far := terms[g.lo].far; far != nil {
			list[i].Nodes, list[i].More = [2]int32(far.bodies[:2]), far.bodies[2:]
		}
	}
	return sys.plan.Layout().Pattern.WithSlacks(list)
}

// samePattern reports whether two patterns have the same nodes and the same blocks.
func samePattern(p, q *sparse.Pattern) bool {
	if p.Len() != q.Len() || len(p.Ind) != len(q.Ind) {
		return false
	}
	for i := range p.Size {
		if p.Size[i] != q.Size[i] || p.Sign[i] != q.Sign[i] || p.Ptr[i] != q.Ptr[i] {
			return false
		}
	}
	for k := range p.Ind {
		if p.Ind[k] != q.Ind[k] {
			return false
		}
	}
	return true
}

// fill stores the values of the matrix: blocks D + s·M, κ, and the rows B and J.
func (h *shifted) fill(z *split, terms []term, groups []group) {
	m, p, sys := h.k.Matrix, h.k.Matrix.Pattern, h.sys
	nb := sys.mech.NumBodies()
	for i := 0; i < nb && !sys.every(i); i++ {
		d, M := m.Dia[36*i:36*i+36], sys.y.Matrix.Dia[36*i:36*i+36]
		for k := range d {
			d[k] = z.block[i][k] + h.s*M[k]
		}
	}
	sys.addRotorBlocks(m.Dia, h.s)
	base := sys.plan.Layout().Pattern
	first := nb + len(groups)
	nj := base.Len() - nb
	for v, w := m.Val[p.Pos[p.Ptr[first]]:], sys.y.Matrix.Val; len(w) > 0 && !sys.over(); { // new memory takes long
		n := copy(v, w[:min(len(w), 1<<18)])
		v, w = v[n:], w[n:]
	}
	for k, g := range groups {
		if sys.every(k) {
			return
		}
		r := g.hi - g.lo
		d := m.Dia[p.Dia[nb+k]:]
		at := p.Ptr[first+nj+k]
		for i := range r {
			t := &terms[g.lo+i]
			d[(blockSize+1)*i] = t.k
			if t.far != nil {
				n := len(t.far.bodies)
				for e := range n {
					copy(m.Val[p.Pos[at+int32(e)]:][:6], t.far.v[6*e:])
				}
				m.Val[p.Pos[at+int32(n)]] = -1
				continue
			}
			for e := range 2 { // the lower body comes first in the pattern
				v := m.Val[p.Pos[at+int32(e)]:]
				first := 0 // of the entries of that body in t.b
				if (t.body[0] < t.body[1]) == (e == 1) {
					first = 6
				}
				copy(v[6*i:6*i+6], t.b[first:first+6])
			}
			m.Val[int(p.Pos[at+2])+(blockSize+1)*i] = -1
		}
		for i := r; i < blockSize; i++ {
			d[(blockSize+1)*i] = 1
		}
	}
}

// diagonalizeAll replaces the rows of each joint by linear combinations for which its block of B·A⁻¹·Bᵀ is diagonal, and stores the
// diagonals in the scales, also for the rows of terms. A body may be a thousandfold more compliant about one axis than about another, as
// a thin rod is. In a row with both axes, the rounding of the large part would hide the small part.
//
// It returns *factor.PivotError where a block of A is not positive definite, *overflowError where an eigenvalue problem fails, and the
// cause if the context ends.
func (h *shifted) diagonalizeAll() error {
	m, p := h.k.Matrix, h.k.Matrix.Pattern
	n := p.Positive()
	chol := make([]float64, p.Dia[n])
	for i := range n {
		if h.sys.every(i) {
			return h.sys.orCause(nil)
		}
		s := int(p.Size[i])
		if r, v := algebra.Cholesky(chol[p.Dia[i]:p.Dia[i+1]], m.Dia[p.Dia[i]:p.Dia[i+1]], s); r >= 0 {
			return &factor.PivotError{Node: i, Row: r, Value: v}
		}
	}
	h.axes = make([][36]float64, h.joints())
	for i := n; i < p.Len(); i++ {
		if h.sys.every(i) {
			return h.sys.orCause(nil)
		}
		S := h.compliance(i, chol)
		if c := i - n; c < len(h.axes) {
			if err := h.diagonalize(i, &h.axes[c], &S); err != nil {
				return &overflowError{i}
			}
			S = h.compliance(i, chol)
		}
		for r := range int(p.Size[i]) {
			h.k.Scale[int(p.Off[i])+r] = S[(blockSize+1)*r]
		}
	}
	return nil
}

// joints returns the number of nodes of joints and couplings, which come first among the nodes of rows.
func (h *shifted) joints() int {
	return h.sys.plan.Layout().Pattern.Len() - h.sys.mech.NumBodies()
}

// compliance returns the block B·A⁻¹·Bᵀ of the rows of node i, row-major with rows of blockSize entries. chol has the Cholesky
// factors of the blocks of A, at their places in the matrix.
func (h *shifted) compliance(i int, chol []float64) (S [36]float64) {
	m, p := h.k.Matrix, h.k.Matrix.Pattern
	rows := int(p.Size[i])
	var w [sparse.MaxBlock][sparse.MaxBlock]float64
	for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
		j := p.Ind[k]
		s := int(p.Size[j])
		c := chol[p.Dia[j]:p.Dia[j+1]]
		for r := range rows {
			v := &w[r]
			copy(v[:s], m.Val[int(p.Pos[k])+r*s:])
			algebra.SolveLower(c, v[:s])
			for q := range r + 1 {
				t := algebra.Dot(v[:s], w[q][:s])
				S[blockSize*r+q] += t
				if q < r {
					S[blockSize*q+r] += t
				}
			}
		}
	}
	return S
}

// diagonalize replaces the rows R of node i by Qᵀ·R, and stores in the columns of Q the eigenvectors of its compliance S. Both are
// row-major with rows of blockSize entries. It returns the error of the eigenvalue problem.
func (h *shifted) diagonalize(i int, Q, S *[36]float64) error {
	m, p := h.k.Matrix, h.k.Matrix.Pattern
	rows := int(p.Size[i])
	*Q = *S
	var w [6]float64
	var work [64]float64
	if err := eigen.Small(blas64.Symmetric{N: rows, Stride: blockSize, Uplo: blas.Lower, Data: Q[:]}, w[:], work[:]); err != nil {
		return err
	}
	for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
		s := int(p.Size[p.Ind[k]])
		v := m.Val[p.Pos[k]:p.Pos[k+1]]
		var old [36]float64
		copy(old[:], v)
		clear(v)
		for r := range rows {
			for q := range rows {
				floats.AddScaled(v[r*s:(r+1)*s], Q[blockSize*q+r], old[q*s:(q+1)*s])
			}
		}
	}
	return nil
}

// multipliersTo stores in dst the multipliers −y of the joints and couplings in the last solution, for their rows before diagonalize.
func (h *shifted) multipliersTo(dst []float64) {
	p := h.k.Matrix.Pattern
	at := 0
	for c := range h.axes {
		i := p.Positive() + c
		rows, y := int(p.Size[i]), h.x[p.Off[i]:]
		for r := range rows {
			dst[at] = floats.Dot(h.axes[c][blockSize*r:blockSize*r+rows], y[:rows])
			at++
		}
	}
}

const (
	// probes is the number of inverse iterations by which holds searches for a soft motion that violates a joint.
	probes = 3
	// probeTol is the largest violation of a row, relative to the largest terms of a row.
	probeTol = 1e-6
	// probeRest is the work of a load on its solution, relative to its work without joints, up to which it may be rounding.
	probeRest = 1e-16
)

// holds reports whether the joints hold in the softest motions of the factored system. Blocks may be
// very stiff in some directions and nearly free in others. The pivot of an independent row may then be as small as
// the pivot of a redundant one, so that the factorization drops the row. The solution for a random load does not show that.
// But the motion that becomes free is soft, and inverse iteration from that solution tends to it.
func (h *shifted) holds() bool {
	x := make([]float64, h.n)
	for range probes {
		if h.sys.over() {
			return false
		}
		copy(x, h.x)
		largest := algebra.MaxAbs(x)
		if largest == 0 {
			return true
		}
		floats.Scale(1/largest, x)
		h.sys.MassTo(h.b[:h.n], x)
		h.k.solve(h.x, h.r, h.b)
		free := h.k.freeSize(h.b)
		if floats.Dot(h.x[:h.n], h.b[:h.n]) <= probeRest*free*free {
			return true // the joints allow no motion
		}
	}
	return h.violation() <= probeTol
}

// violation returns the largest |J·x| of a row of a joint in h.x, relative to the largest term that
// a row would have if each body moved in all directions by its largest displacement.
func (h *shifted) violation() float64 {
	worst, most := 0.0, 0.0
	p := h.k.Matrix.Pattern
	last := p.Positive() + h.joints()
	for node := p.Positive(); node < last && !h.sys.every(node); node++ {
		for r := range int(p.Size[node]) {
			sum, terms := 0.0, 0.0
			for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
				v := h.k.Matrix.Val[int(p.Pos[k])+blockSize*r:]
				u := h.x[p.Off[p.Ind[k]]:]
				largest := algebra.MaxAbs(u[:blockSize])
				for c := range blockSize {
					sum += v[c] * u[c]
					terms = max(terms, math.Abs(v[c])*largest)
				}
			}
			worst, most = max(worst, math.Abs(sum)), max(most, terms)
		}
	}
	if most == 0 {
		return 0
	}
	return worst / most
}

// solveTo stores in x the displacements for the loads b, six numbers a body. x may be b.
//
// Cost: a few solves with the factor, no allocation.
func (h *shifted) solveTo(x, b []float64) {
	clear(h.b)
	copy(h.b, b)
	h.k.solve(h.x, h.r, h.b)
	h.release()
	copy(x, h.x[:h.n])
}
