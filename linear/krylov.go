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

// krylov computes the eigenvalues of largest magnitude of an operator A, given by
// its products, by a band Arnoldi iteration with thick restarts (Stewart 2001;
// for symmetric operators Wu & Simon 2000). It starts with as many vectors as
// eigenvalues are wanted, so that it finds all eigenvalues of a multiple one; vectors
// that depend on others are dropped. All vectors are orthogonalized
// twice against all others.
//
// The basis V satisfies A·V[:done] = V·H, and VᵀGV = 1 in the metric G.
type krylov struct {
	watch     *team.Watch                  // ends the iteration
	n         int                          // length of a vector
	apply     func(dst, x []float64) error // A·x
	metric    func(dst, x []float64)       // G·x; dst may be x
	symmetric bool                         // G·A is symmetric
	warm      int                          // products with A, after the first, that bring a start vector into the range of all powers of A
	clean     func(v []float64)            // projects v on the range of A; may be nil

	V    [][]float64 // basis vectors; the first done have been multiplied
	H    [][]float64 // columns; each has as many entries as V had when it was made
	done int         // number of columns of H

	w, g     []float64 // scratch: the next vector, and a product with G
	products int       // products with A so far
	largest  float64   // largest magnitude of an eigenvalue of the square part of H so far
}

// ritz is an approximate eigenvalue θ of A with its vector V·y, and the norm of its residual by H.
type ritz struct {
	theta    complex128
	y        []complex128
	residual float64
}

const (
	// dropTol is the norm of a vector after orthogonalization, relative to its norm before, up to which it counts as
	// dependent on the basis.
	dropTol = 1e-9
	// strayTol is the norm of a vector after orthogonalization, relative to its norm before, up to which it is cleaned of rounding. In
	// poses near a singular one, rounding leaves more than dropTol of a vector even when the basis spans the whole space. A larger value
	// costs time only.
	strayTol = 1e-3
	// noiseTol is the magnitude of an eigenvalue, relative to the largest, up to which it may be rounding alone.
	noiseTol = 100 * dropTol
	// longBasis is the largest number of vectors between restarts for an operator that
	// is not symmetric.
	longBasis = 200
	// restarts is the largest number of restarts.
	restarts = 100
	// wholeRestarts is the largest number of restarts of a basis with as many vectors as a vector has entries. It spans the whole
	// space, so that a restart improves nothing but rounding.
	wholeRestarts = 4
)

// start appends to the basis up to count vectors: products of A with random vectors, without those that depend on others. It returns the
// error of a product.
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

// include appends to the basis a start vector v in the range of all powers of A, unless it depends on others.
func (k *krylov) include(v []float64) {
	copy(k.w, v)
	k.extend(nil)
}

// newKrylov allocates an iteration with an operator on vectors of n entries. It ends when the context of s does.
func (s *System) newKrylov(n int, apply func(dst, x []float64) error, metric func(dst, x []float64)) *krylov {
	return &krylov{watch: s.space.Watched(), n: n, apply: apply, metric: metric, w: make([]float64, n), g: make([]float64, n)}
}

// norm returns ‖v‖ in the metric.
func (k *krylov) norm(v []float64) float64 {
	k.metric(k.g, v)
	return math.Sqrt(max(floats.Dot(v, k.g), 0))
}

// extend orthogonalizes w against the basis and appends the rest, normalized, unless it is nearly zero (dropTol). It adds the
// coefficients of w in the basis to h, which may be nil, and appends the norm of the rest if that joins the basis; it returns h. A
// small rest (strayTol) is mostly rounding outside the range of A, and is cleaned first: with that rounding in the basis, H would be the
// matrix of another operator.
func (k *krylov) extend(h []float64) []float64 {
	size := orthogonalize(k.w, k.V, k.metric, k.g, h, k.watch)
	rest := k.norm(k.w)
	if k.clean != nil && rest > dropTol*size && rest <= strayTol*size {
		k.clean(k.w)
		orthogonalize(k.w, k.V, k.metric, k.g, h, k.watch)
		rest = k.norm(k.w)
	}
	if !(rest > dropTol*size) || rest == 0 {
		return h
	}
	v := slices.Clone(k.w)
	floats.Scale(1/rest, v)
	k.V = append(k.V, v)
	if h != nil {
		h = append(h, rest)
	}
	return h
}

// step multiplies the next basis vector by A, which adds a column to H. It returns false, and changes nothing, if all vectors have been
// multiplied.
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

// run iterates until the want eigenvalues of largest magnitude have residuals of at most tol, relative to their magnitudes, and returns
// them, the largest first. It returns fewer if all others are rounding. If the basis comes to span an invariant space, it returns all
// eigenvalues there, which may be more. It returns ErrNoConvergence after too many restarts, and the errors of products and eigenvalue
// problems.
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
			return nil, fault.Errorf("linear: %w: rounding makes more directions than there are", ErrNoConvergence) // the basis is never complete
		}
		all, err := k.ritz()
		if err == nil {
			err = k.restart(all, keep)
		}
		if err != nil {
			return nil, err
		}
		if !k.symmetric {
			// Eigenvectors that are far from orthogonal need a larger basis before a restart helps.
			size = min(size+size/2, max(size, longBasis))
		}
	}
	return nil, fault.Errorf("linear: %w after %d restarts of the eigenvalue iteration", ErrNoConvergence, restarts)
}

// significant returns the eigenvalues of the square part of H above noiseTol, the largest first. noise reports whether there are others,
// which may be rounding.
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

// converged reports whether r has at least want pairs, and the first want of them have residuals of at most tol, relative to their
// eigenvalues.
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

// ritz returns the eigenvalues of the square part of H with vectors and residuals, the largest magnitude first, both of each complex pair.
// It updates k.largest.
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

// square returns the square part of H, its first done rows.
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

// tail returns the norm of the rows of H below its square part times y: the residual of V·y as an eigenvector.
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

// restart reduces the basis to the space of about the first keep Ritz vectors r, and the vectors that have not
// been multiplied yet. With Q an orthonormal basis of the coefficients of that space, which is invariant under
// the square part of H, QᵀHQ replaces the square part.
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

// leading returns an orthonormal basis, in columns, of the coefficients of the Ritz vectors whose eigenvalues have at least the magnitude
// of last. The space is invariant under the square part of H. One column less than done is the most. It returns eigen.ErrNoConvergence if
// rounding leaves no column.
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

// subspace returns an orthogonal matrix Q of order done and a number of columns. These first columns of Q span the invariant space of the
// square part of H for the eigenvalues re ± i·im that takes selects. It uses a Schur form: eigenvectors of nearly equal eigenvalues are
// nearly parallel and would not determine the space.
func (k *krylov) subspace(takes func(re, im float64) bool) (Q *mat.Dense, columns int, err error) {
	A := k.square()
	Q = mat.NewDense(k.done, k.done, nil)
	err = apart(k.watch, func() (err error) {
		columns, err = eigen.Subspace(Q.RawMatrix(), A.RawMatrix(), takes)
		return err
	})
	return Q, columns, err
}

// vector returns the real and imaginary part of V·y.
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
