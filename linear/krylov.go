package linear

import (
	"cmp"
	"errors"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/team"
)

// ErrNoConvergence is wrapped where an iteration ends before its result is good.
var ErrNoConvergence = errors.New("linear: no convergence")

// krylov computes the eigenvalues of largest magnitude of an operator that is known
// by its products, by a band Arnoldi iteration with thick restarts (Stewart 2001;
// for symmetric operators Wu & Simon 2000). It starts with as many vectors as
// eigenvalues are wanted, so that none of a multiple eigenvalue is missed; vectors
// that come out dependent on others are dropped. All vectors are orthogonalized
// twice against all others.
//
// The basis V satisfies A·V[:done] = V·H, and VᵀGV = 1 in the metric G.
type krylov struct {
	watch     *team.Watch // ends the iteration
	n         int
	apply     func(dst, x []float64) error
	metric    func(dst, x []float64) // G·x; dst may be x
	symmetric bool                   // A is, in the metric
	warm      int                    // products with A, after the first, that bring a vector into the range of all powers of A
	clean     func(v []float64)      // takes out of v what is outside the space that A maps to; may be nil

	V    [][]float64
	H    [][]float64 // columns, each as long as V was
	done int         // columns of H

	w, g     []float64
	products int
	largest  float64 // magnitude of an eigenvalue
}

// ritz is an approximate eigenvalue θ with its vector Vy, whose residual has the
// given size.
type ritz struct {
	theta    complex128
	y        []complex128
	residual float64
}

const (
	// dropTol is the size, relative to what it was, at which a vector counts as
	// dependent on others.
	dropTol = 1e-9
	// strayTol is the size, relative to what it was, below which the rounding in a vector is taken out. In poses near a singular one,
	// rounding leaves more than dropTol of a vector when all directions of the space are in the basis. A larger value costs time only.
	strayTol = 1e-3
	// noiseTol is the size of an eigenvalue relative to the largest that rounding makes.
	noiseTol = 100 * dropTol
	// longBasis is the largest number of vectors between restarts for an operator that
	// is not symmetric.
	longBasis = 200
	// restarts is the largest number of restarts.
	restarts = 100
	// wholeRestarts is the largest number of restarts of a basis with as many vectors as there are numbers. It spans all
	// there is, and a restart takes away rounding and nothing else.
	wholeRestarts = 4
)

// start makes the basis of count vectors without pattern, put through A. It may come
// out with fewer.
func (k *krylov) start(count int) error {
	x := make([]float64, k.n)
	rng := rand.New(rand.NewPCG(1, uint64(k.n)))
	for range count {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		if err := k.apply(k.w, x); err != nil {
			return err
		}
		for range k.warm {
			copy(x, k.w)
			if err := k.apply(k.w, x); err != nil {
				return err
			}
		}
		k.products += 1 + k.warm
		k.extend(nil)
	}
	return nil
}

// include adds a vector of the range of all powers of A to the start.
func (k *krylov) include(v []float64) {
	copy(k.w, v)
	k.extend(nil)
}

// newKrylov allocates an iteration with an operator on n numbers. It ends with the context of s.
func (s *System) newKrylov(n int, apply func(dst, x []float64) error, metric func(dst, x []float64)) *krylov {
	return &krylov{watch: s.space.Watched(), n: n, apply: apply, metric: metric, w: make([]float64, n), g: make([]float64, n)}
}

// norm returns ‖v‖ in the metric.
func (k *krylov) norm(v []float64) float64 {
	k.metric(k.g, v)
	return math.Sqrt(max(floats.Dot(v, k.g), 0))
}

// extend orthogonalizes w against the basis, adds the products to h, and appends what
// is left unless it is nothing. Where little is left, rounding outside the space is a large
// part of it, and is taken out: with it in the basis, H would belong to another operator.
func (k *krylov) extend(h []float64) []float64 {
	size := orthogonalize(k.w, k.V, k.metric, k.g, h, k.watch)
	left := k.norm(k.w)
	if k.clean != nil && left > dropTol*size && left <= strayTol*size {
		k.clean(k.w)
		orthogonalize(k.w, k.V, k.metric, k.g, h, k.watch)
		left = k.norm(k.w)
	}
	if !(left > dropTol*size) || left == 0 {
		return h
	}
	v := slices.Clone(k.w)
	floats.Scale(1/left, v)
	k.V = append(k.V, v)
	if h != nil {
		h = append(h, left)
	}
	return h
}

// step adds a column to H. It reports whether there was a vector left to multiply.
func (k *krylov) step() (bool, error) {
	if k.done == len(k.V) {
		return false, nil // the basis is complete
	}
	if err := k.apply(k.w, k.V[k.done]); err != nil {
		return false, err
	}
	k.products++
	k.H = append(k.H, k.extend(make([]float64, len(k.V))))
	k.done++
	return true, nil
}

// run iterates until want eigenvalues of largest magnitude have residuals below tol, and
// returns them. It returns fewer if no others stand out from rounding.
func (k *krylov) run(want int, tol float64) ([]ritz, error) {
	keep := want + max(4, want/2)
	size := keep + max(30, want)
	if !k.symmetric {
		size = keep + 2*max(30, want)
	}
	for round := range restarts {
		for k.done < size {
			if _, err := k.step(); err != nil {
				return nil, err
			}
			if k.done < len(k.V) && k.done < size && (k.done <= want || k.done%max(4, want/2) != 0) {
				continue
			}
			out, noise, err := k.significant()
			if err != nil {
				return nil, err
			}
			if k.done == len(k.V) || noise && converged(out, len(out), tol) {
				return out, nil
			}
			if converged(out, want, tol) {
				return out[:want], nil
			}
		}
		if k.done >= k.n && round >= wholeRestarts {
			return nil, fault.Errorf("linear: %w: rounding makes more directions than there are", ErrNoConvergence)
		}
		all, err := k.ritz()
		if err == nil {
			err = k.restart(all, keep)
		}
		if err != nil {
			return nil, err
		}
		if !k.symmetric {
			// Vectors far from orthogonal take more before a restart helps.
			size = min(size+size/2, max(size, longBasis))
		}
	}
	return nil, fault.Errorf("linear: %w after %d restarts of the eigenvalue iteration", ErrNoConvergence, restarts)
}

// significant returns the eigenvalues of the square part of H that are more than rounding, and
// whether there are others.
func (k *krylov) significant() (out []ritz, noise bool, err error) {
	all, err := k.ritz()
	if err != nil {
		return nil, false, err
	}
	for i := range all {
		if cmplx.Abs(all[i].theta) <= noiseTol*k.largest {
			return all[:i], true, nil
		}
	}
	return all, false, nil
}

// converged reports whether the first want pairs have residuals of at most tol, relative to their eigenvalues.
func converged(r []ritz, want int, tol float64) bool {
	if len(r) < want {
		return false
	}
	for i := range want {
		if !(r[i].residual <= tol*cmplx.Abs(r[i].theta)) {
			return false
		}
	}
	return true
}

// ritz returns the eigenvalues of the square part of H, the largest first. Of a complex pair it
// returns both.
func (k *krylov) ritz() ([]ritz, error) {
	n := k.done
	if n == 0 {
		return nil, nil
	}
	A := k.square()
	out := make([]ritz, n)
	if k.symmetric {
		S, _ := symmetric(A, 1)
		var e mat.EigenSym
		if err := apart(k.watch, func() error { return full.Symmetric(&e, S) }); err != nil {
			return nil, err
		}
		var U mat.Dense
		e.VectorsTo(&U)
		for i, x := range e.Values(nil) {
			y := make([]complex128, n)
			for r := range y {
				y[r] = complex(U.At(r, i), 0)
			}
			out[i] = ritz{theta: complex(x, 0), y: y}
		}
	} else {
		var e mat.Eigen
		if err := apart(k.watch, func() error { return full.General(&e, A) }); err != nil {
			return nil, err
		}
		var U mat.CDense
		e.VectorsTo(&U)
		for i, x := range e.Values(nil) {
			y := make([]complex128, n)
			for r := range y {
				y[r] = U.At(r, i)
			}
			out[i] = ritz{theta: x, y: y}
		}
	}
	for i := range out {
		k.largest = max(k.largest, cmplx.Abs(out[i].theta))
		out[i].residual = k.tail(out[i].y)
	}
	slices.SortStableFunc(out, func(a, b ritz) int {
		x, y := cmplx.Abs(a.theta), cmplx.Abs(b.theta)
		return cmp.Compare(y, x) // the two of a pair are equal and stay together
	})
	return out, nil
}

// square returns the square part of H.
func (k *krylov) square() *mat.Dense {
	n := k.done
	A := mat.NewDense(n, n, nil)
	for j := range n {
		for i := range min(n, len(k.H[j])) {
			A.Set(i, j, k.H[j][i])
		}
	}
	return A
}

// tail returns the norm of the rows of H below its square part, times y.
func (k *krylov) tail(y []complex128) float64 {
	sum := 0.0
	for i := k.done; i < len(k.V); i++ {
		var t complex128
		for j := range k.done {
			if i < len(k.H[j]) {
				t += complex(k.H[j][i], 0) * y[j]
			}
		}
		sum += real(t)*real(t) + imag(t)*imag(t)
	}
	return math.Sqrt(sum)
}

// restart keeps the space of the first Ritz vectors, and the vectors that have not
// been multiplied yet. With Q an orthonormal basis of that space, invariant under
// the square part, QᵀHQ takes its place.
func (k *krylov) restart(r []ritz, keep int) error {
	n := k.done
	Q, err := k.leading(r[min(keep, n-1)-1].theta)
	if err != nil {
		return err
	}
	_, keep = Q.Dims()
	tail := len(k.V) - n
	all := mat.NewDense(n+tail, n, nil)
	for j := range n {
		for i := range k.H[j] {
			all.Set(i, j, k.H[j][i])
		}
	}
	var HQ, top mat.Dense
	HQ.Mul(all, Q)
	top.Mul(Q.T(), HQ.Slice(0, n, 0, keep))
	V := make([][]float64, 0, keep+tail)
	for c := range keep {
		v := make([]float64, k.n)
		for j := range n {
			if k.watch.Up() {
				return k.watch.Err()
			}
			floats.AddScaled(v, Q.At(j, c), k.V[j])
		}
		V = append(V, v)
	}
	k.V = append(V, k.V[n:]...)
	k.H = k.H[:0]
	for c := range keep {
		h := make([]float64, keep+tail)
		for i := range keep {
			h[i] = top.At(i, c)
		}
		for i := range tail {
			h[keep+i] = HQ.At(n+i, c)
		}
		k.H = append(k.H, h)
	}
	k.done = keep
	return nil
}

// leading returns an orthonormal basis, in columns, of the space of the Ritz vectors for values as large as last, which is invariant under
// the square part of H.
func (k *krylov) leading(last complex128) (mat.Matrix, error) {
	size := cmplx.Abs(last) * (1 - realTol)
	Q, columns, err := k.subspace(func(re, im float64) bool { return math.Hypot(re, im) >= size })
	if err == nil && columns == 0 {
		err = eigen.ErrNoConvergence
	}
	if err != nil {
		return nil, err
	}
	return Q.Slice(0, k.done, 0, min(columns, k.done-1)), nil
}

// subspace returns an orthogonal matrix whose first columns span the space of the Ritz vectors for the values re ± i·im that are taken, and
// the number of these columns. Vectors of values that are all but equal are all but parallel, and do not tell it: a Schur form does.
func (k *krylov) subspace(takes func(re, im float64) bool) (Q *mat.Dense, columns int, err error) {
	A := k.square()
	Q = mat.NewDense(k.done, k.done, nil)
	err = apart(k.watch, func() (err error) {
		columns, err = eigen.Subspace(Q.RawMatrix(), A.RawMatrix(), takes)
		return err
	})
	return Q, columns, err
}

// vector returns the real and imaginary part of Vy.
func (k *krylov) vector(y []complex128) (re, im []float64) {
	re, im = make([]float64, k.n), make([]float64, k.n)
	for j, c := range y {
		if k.watch.Up() {
			break
		}
		floats.AddScaled(re, real(c), k.V[j])
		if imag(c) != 0 {
			floats.AddScaled(im, imag(c), k.V[j])
		}
	}
	return re, im
}
