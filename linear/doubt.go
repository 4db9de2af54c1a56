package linear

import (
	"math"
	"math/cmplx"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// slowPart is the size of an eigenvalue, relative to the shift σ, from which on nothing makes it of zero.
	slowPart = 1e-3
	// doubtMargin is the factor on what rounding makes of an eigenvalue to the first order. Next to a double one it makes more: its
	// error is then no smaller than half of its distance from the double one.
	doubtMargin = 10
)

// doubts reports whether zero may be an eigenvalue λ of the pencil at σ, by the residual of θ and its condition. Where nothing damps a
// motion, zero is a double eigenvalue with one shape: an error ε of the operator moves it by the root of ε.
//
// Cost: two products and an eigenvalue problem of the size of the basis, for small |λ| alone; allocates.
func (k *krylov) doubts(r *ritz, lambda complex128, sigma float64) (bool, error) {
	if !(cmplx.Abs(lambda) <= slowPart*sigma) {
		return false, nil
	}
	residual, err := k.residualOf(r)
	if err != nil {
		return false, err
	}
	condition, err := k.conditionOf(r)
	if err != nil {
		return false, err
	}
	size := cmplx.Abs(r.theta)
	return doubtMargin*condition*residual/(size*size) >= cmplx.Abs(lambda), nil
}

// relationTol is the largest residual of a combination of Ritz vectors within the reach of a band, relative to its parts, by a product
// with A. Next to a shift where products lose more digits nothing is a solution, however small ritz.residual is.
const relationTol = 1e-5

// mustHold returns ErrNoConvergence unless products with A are what H says of the vectors of r, by one product with a combination of all.
// Of values below least, it is least that the residual is relative to.
func (k *krylov) mustHold(r []ritz, sigma, least float64) error {
	rng := rand.New(rand.NewPCG(4, uint64(k.n)))
	x, want, got := make([]float64, k.n), make([]float64, k.n), make([]float64, k.n)
	for i := range r {
		re, im := k.vector(r[i].y)
		c, size := rng.NormFloat64(), max(cmplx.Abs(r[i].theta), least)
		floats.AddScaled(x, c/size, re)
		floats.AddScaled(want, c*real(r[i].theta)/size, re)
		floats.AddScaled(want, -c*imag(r[i].theta)/size, im)
	}
	if err := k.apply(got, x); err != nil {
		return err
	}
	k.products++
	floats.Sub(got, want)
	k.metric(k.g, got)
	if !(floats.Dot(got, k.g) <= relationTol*relationTol*float64(len(r))) {
		return fault.Errorf("linear: %w: products with the inverse at σ = %.3g lose too many digits", ErrNoConvergence, sigma)
	}
	return nil
}

// residualOf returns ‖A·v − θ·v‖ of the unit vector v of r, by products with A: rounding of these is no part of ritz.residual.
func (k *krylov) residualOf(r *ritz) (float64, error) {
	re, im := k.vector(r.y)
	a, b := make([]float64, k.n), make([]float64, k.n)
	if err := k.apply(a, re); err != nil {
		return 0, err
	}
	if err := k.apply(b, im); err != nil {
		return 0, err
	}
	k.products += 2
	p, q := real(r.theta), imag(r.theta)
	floats.AddScaled(a, -p, re)
	floats.AddScaled(a, q, im)
	floats.AddScaled(b, -p, im)
	floats.AddScaled(b, -q, re)
	sum := 0.0
	for _, v := range [2][]float64{a, b} {
		k.metric(k.g, v)
		sum += floats.Dot(v, k.g)
	}
	return math.Sqrt(max(sum, 0)), nil
}

// conditionOf returns by how much more than the operator θ of r changes: 1/|uᴴy| with unit vectors y and u, its right and left ones of H.
func (k *krylov) conditionOf(r *ritz) (float64, error) {
	n := k.done
	var e mat.Eigen
	var u, y mat.CDense
	if err := apart(k.watch, func() error { return full.Both(&e, k.square()) }); err != nil {
		return 0, err
	}
	e.LeftVectorsTo(&u)
	e.VectorsTo(&y)
	at := 0
	values := e.Values(nil)
	for i, v := range values {
		if cmplx.Abs(v-r.theta) < cmplx.Abs(values[at]-r.theta) {
			at = i
		}
	}
	var dot complex128
	var left, right float64
	for i := range n {
		a, b := u.At(i, at), y.At(i, at)
		dot += cmplx.Conj(a) * b
		left, right = math.Hypot(left, cmplx.Abs(a)), math.Hypot(right, cmplx.Abs(b))
	}
	return left * right / cmplx.Abs(dot), nil
}
