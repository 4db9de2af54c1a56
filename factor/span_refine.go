package factor

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/dd"
)

// LeastNorm has the number of steps and the residuals of a solution by LeastNormTo.
type LeastNorm struct {
	Steps int // corrections before the solution that was kept
	// Optimality is zero where x has the least norm of all vectors with its Wᵀ·x. It is the
	// largest entry of D^½·x − D^(−½)·W·u, with the u of the refinement, relative to the
	// largest entry of D^½·x.
	Optimality float64
	// Change is the distance of Wᵀ·x from Wᵀ·x₀, with x₀ the given vector. It is the largest
	// entry of D^(−½)·Wᵀ·(x − x₀), relative to the length of its column of D^(−½)·W times the
	// largest entry of D^½·x.
	Change float64
}

const (
	leastNormSteps = 8     // corrections at most
	leastNormGood  = 1e-15 // residuals at rounding
	leastNormSlow  = 0.3   // a step that leaves more than this part of the residuals is the last one
)

// LeastNormTo replaces x by the vector of least norm xᵀDx that has the same Wᵀ·x. With V =
// D^(−½)·W and μ = D^½·x it is the solution of theory.md (27),
//
//	⎡ 1   −V ⎤ ⎡ μ ⎤   ⎡    0    ⎤
//	⎣ Vᵀ   0 ⎦ ⎣ u ⎦ = ⎣ Vᵀ·μ₀ ⎦
//
// The first solution is the projection (28). It is refined by (30) with the same factorization
// (Björck 1967), with residuals in twice the precision. u has twice the digits too, as it is large
// where many bodies in a row add up small strains.
//
// Shapes: x has an entry a scalar row of the pattern; those of the +1 nodes stay.
// Cost: four products with the reflections and two solves with R a step, some two to five
// steps; allocates. q has been factored, and the matrix has not changed since. It panics on a
// length mismatch.
func (q *Span) LeastNormTo(x []float64) LeastNorm {
	if len(x) != len(q.live) {
		panic("factor: length mismatch")
	}
	first := q.first()
	r := q.newRefining()
	for i := first; i < len(x); i++ {
		r.mu[i] = x[i] / q.root[i]
	}
	q.columnSums(r.w, r.mu)
	q.ProjectTo(r.mu, r.mu)
	return q.refine(r, func() {
		for i := first; i < len(x); i++ {
			x[i] = q.root[i] * r.mu[i]
		}
	})
}

// refine corrects μ and u until the residuals are at rounding or decrease no more. It calls keep
// whenever they are the least so far, and returns the least.
func (q *Span) refine(r *refining, keep func()) LeastNorm {
	best := LeastNorm{Optimality: math.Inf(1), Change: math.Inf(1)}
	for step := 0; ; step++ {
		now := q.residuals(r, step)
		if q.watch.Up() {
			return best
		}
		size, was := max(now.Optimality, now.Change), max(best.Optimality, best.Change)
		if size < was {
			best = now
			keep()
		}
		if !r.goesOn(step, size, was) {
			return best
		}
		q.correct(r)
	}
}

// goesOn reports whether a correction follows a step with residuals of the given size; was is their least size before. The first two
// corrections are made whether or not the residuals decrease, as u is zero before them.
func (r *refining) goesOn(step int, size, was float64) bool {
	early := step < 2
	wanted := size > leastNormGood || r.dependent && early
	return wanted && (early || size < leastNormSlow*was) && step != leastNormSteps
}

// refining is the memory of a refinement of μ − V·u = b, Vᵀ·μ = w.
type refining struct {
	b, mu, f   []float64 // by scalar row of the pattern; b is nil for zero
	u, w, sums []dd.Num  // by column; sums is Vᵀ·μ
	g, du      []float64 // by column: the residual w − Vᵀ·μ, and the correction of u
	dependent  bool      // Change leaves dependent columns out, and two corrections are made in any case
	step       float64   // largest entry of the last correction of μ
	before     float64   // largest entry of the correction before
}

// newRefining allocates the vectors of refinement.
func (q *Span) newRefining() *refining {
	n, nb := len(q.live), len(q.norm)
	return &refining{
		mu: make([]float64, n), f: make([]float64, n),
		u: make([]dd.Num, nb), w: make([]dd.Num, nb), sums: make([]dd.Num, nb),
		g: make([]float64, nb), du: make([]float64, nb),
	}
}

// first returns the first scalar row of W.
func (q *Span) first() int { return len(q.norm) }

// residuals stores f = b + V·u − μ and g = w − Vᵀ·μ, and returns their sizes. Before the first
// correction u is zero, so f does not tell how near μ is to least norm, and Optimality is infinite.
func (q *Span) residuals(r *refining, step int) (out LeastNorm) {
	out.Steps = step
	first := q.first()
	big := algebra.MaxAbs(r.mu[first:])
	if big == 0 {
		big = 1
	}
	q.rowSums(r)
	out.Optimality = algebra.MaxAbs(r.f[first:]) / big
	if step == 0 {
		out.Optimality = math.Inf(1)
	}
	q.columnSums(r.sums, r.mu)
	for i := range r.g {
		r.g[i] = (r.w[i].Hi - r.sums[i].Hi) + (r.w[i].Lo - r.sums[i].Lo)
		if q.norm[i] > 0 && !(r.dependent && q.dropped[i]) {
			out.Change = max(out.Change, math.Abs(r.g[i])/(q.norm[i]*big))
		}
	}
	return out
}

// correct solves Δμ − V·Δu = f, Vᵀ·Δμ = g for the residuals f and g, theory.md (30), and adds Δμ and Δu to μ and u.
func (q *Span) correct(r *refining) {
	q.reflectAll(r.f)
	q.solveTransposed(r.g) // k = R⁻ᵀ·g, by column
	q.eachPivot(func(row, column int) {
		r.du[column] = r.g[column] - r.f[row]
		r.f[row] = r.g[column]
	})
	q.solve(r.du)
	q.reflectBack(r.f)
	r.before, r.step = r.step, algebra.MaxAbs(r.f[q.first():])
	for i := q.first(); i < len(r.mu); i++ {
		r.mu[i] += r.f[i]
	}
	for i, d := range r.du {
		r.u[i] = dd.AddFloat(r.u[i], d)
	}
}

// rowSums stores b + V·u − μ in f.
func (q *Span) rowSums(r *refining) {
	m := q.m
	p := m.Pattern
	for i := p.Positive(); i < p.Len() && !q.watch.Every(i); i++ {
		for a := range int(p.Size[i]) {
			row := int(p.Off[i]) + a
			var sum dd.Num
			for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
				o, n := int(p.Off[p.Ind[k]]), int(p.Size[p.Ind[k]])
				for c, x := range m.Val[int(p.Pos[k])+n*a:][:n] {
					x *= q.root[row]
					sum = dd.AddProduct(sum, x, r.u[o+c].Hi)
					sum = dd.AddProduct(sum, x, r.u[o+c].Lo)
				}
			}
			sum = dd.AddFloat(sum, -r.mu[row])
			if r.b != nil {
				sum = dd.AddFloat(sum, r.b[row])
			}
			r.f[row] = dd.Float(sum)
		}
	}
}

// columnSums stores Vᵀ·μ in w.
func (q *Span) columnSums(w []dd.Num, mu []float64) {
	m := q.m
	p := m.Pattern
	clear(w)
	for i := p.Positive(); i < p.Len() && !q.watch.Every(i); i++ {
		for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
			o, n := int(p.Off[p.Ind[k]]), int(p.Size[p.Ind[k]])
			for a := range int(p.Size[i]) {
				row := int(p.Off[i]) + a
				for c, x := range m.Val[int(p.Pos[k])+n*a:][:n] {
					w[o+c] = dd.AddProduct(w[o+c], x*q.root[row], mu[row])
				}
			}
		}
	}
}
