package adjoint

import (
	"errors"
	"math"
)

// ErrNoTranspose is the error for a step whose linear equations the iteration does not solve.
var ErrNoTranspose = errors.New("derive/adjoint: the linear equations of a step are not solved")

const (
	krylovTol   = 1e-14 // goal for the residual, relative to the right side
	krylovLoose = 1e-10 // largest residual that is accepted where rounding allows no smaller one
	krylovSteps = 60    // basis vectors between restarts
	krylovTurns = 6     // largest number of restarts
)

// krylov solves A·x = b by generalized minimal residuals with restarts (Saad & Schultz 1986), in the metric diag(scale²).
type krylov struct {
	scale    []float64
	basis    [][]float64
	H        [][]float64 // Hessenberg matrix by column, made triangular by the rotations
	cos, sin []float64   // Givens rotations
	g        []float64   // rotated right side, then the coefficients of the basis vectors
	r, w     []float64   // residual; A times a vector
}

// newKrylov allocates the memory for n unknowns.
func newKrylov(n int) *krylov {
	k := &krylov{scale: make([]float64, n), r: make([]float64, n), w: make([]float64, n), g: make([]float64, krylovSteps+1)}
	k.cos, k.sin = make([]float64, krylovSteps), make([]float64, krylovSteps)
	for range krylovSteps {
		k.H = append(k.H, make([]float64, krylovSteps+1))
	}
	return k
}

// vector returns basis vector i, and allocates it at its first use.
func (k *krylov) vector(i int) []float64 {
	if i == len(k.basis) {
		k.basis = append(k.basis, make([]float64, len(k.r)))
	}
	return k.basis[i]
}

// dot is the inner product in the metric.
func (k *krylov) dot(x, y []float64) (sum float64) {
	for i, s := range k.scale {
		sum += s * x[i] * (s * y[i])
	}
	return sum
}

// norm is the norm in the metric.
func (k *krylov) norm(x []float64) float64 { return math.Sqrt(k.dot(x, x)) }

// solve stores in x the solution; times stores A·v in w. x may not be b. It returns ErrNoTranspose if the residual stays above krylovLoose.
func (k *krylov) solve(x, b []float64, times func(w, v []float64) error) error {
	clear(x)
	size := k.norm(b)
	if size == 0 {
		return nil
	}
	copy(k.r, b)
	left := size
	for turn := 0; ; turn++ {
		if err := k.cycle(x, left, krylovTol*size, times); err != nil {
			return err
		}
		if err := times(k.w, x); err != nil {
			return err
		}
		for i := range k.r {
			k.r[i] = b[i] - k.w[i]
		}
		last := left
		left = k.norm(k.r)
		if left <= krylovTol*size {
			return nil
		}
		if !(left <= last/2) || turn == krylovTurns {
			if left <= krylovLoose*size {
				return nil
			}
			return ErrNoTranspose
		}
	}
}

// cycle improves x by the vectors up to one restart: it makes the residual k.r, whose norm is left, as small as goal if it can.
func (k *krylov) cycle(x []float64, left, goal float64, times func(w, v []float64) error) error {
	v := k.vector(0)
	for i, r := range k.r {
		v[i] = r / left
	}
	clear(k.g)
	k.g[0] = left
	n := 0
	for n < krylovSteps && math.Abs(k.g[n]) > goal {
		if err := times(k.w, k.vector(n)); err != nil {
			return err
		}
		if !k.extend(n) {
			n++
			break
		}
		n++
	}
	for j := n - 1; j >= 0; j-- { // back substitution with the triangle H
		y := k.g[j]
		for i := j + 1; i < n; i++ {
			y -= k.H[i][j] * k.g[i]
		}
		k.g[j] = y / k.H[j][j]
	}
	for j := range n {
		for i, b := range k.basis[j] {
			x[i] += k.g[j] * b
		}
	}
	return nil
}

// extend makes k.w, orthogonalized against the basis vectors 0 to n and normalized, basis vector n+1, and column n of H triangular. It
// reports false if nothing but rounding is left of k.w.
func (k *krylov) extend(n int) bool {
	h, whole := k.H[n], k.norm(k.w)
	clear(h)
	for range 2 { // once more, against rounding
		for j := range n + 1 {
			s := k.dot(k.basis[j], k.w)
			h[j] += s
			for i, b := range k.basis[j] {
				k.w[i] -= s * b
			}
		}
	}
	next := k.norm(k.w)
	for j := range n {
		h[j], h[j+1] = k.cos[j]*h[j]+k.sin[j]*h[j+1], k.cos[j]*h[j+1]-k.sin[j]*h[j]
	}
	size := math.Hypot(h[n], next)
	k.cos[n], k.sin[n] = h[n]/size, next/size
	h[n] = size
	k.g[n], k.g[n+1] = k.cos[n]*k.g[n], -k.sin[n]*k.g[n]
	if !(next > krylovTol*whole) {
		return false
	}
	v := k.vector(n + 1)
	for i, w := range k.w {
		v[i] = w / next
	}
	return true
}
