package linear

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// slowPart is the size of an eigenvalue, relative to the shift σ, above which it cannot be zero with an error.
	slowPart = 1e-3
	// doubtMargin is the factor on the first-order estimate of the error of an eigenvalue. Next to a double eigenvalue the error is
	// larger than the estimate: at least half of the distance to the double eigenvalue.
	doubtMargin = 10
)

// band is the disc |λ − sigma| < reach, 1/s, in which the iteration with the shift sigma has found all eigenvalues.
type band struct {
	sigma, reach float64
	rigid        float64 // largest |λ| of the modes that count as rigid, 1/s
	other        float64 // least |λ| of the other modes, 1/s

	blurred bool // reach has been lowered because eigenvalues beyond it have errors above blurTol
}

// distance returns the distance of an eigenvalue from the shift of b, 1/s.
func (b *band) distance(lambda complex128) float64 { return cmplx.Abs(lambda - complex(b.sigma, 0)) }

// withinReach returns the modes of list whose eigenvalues are within the reach of some band, and the other modes.
func withinReach(list []Mode, seen []band) (inside, outside []Mode) {
	for _, m := range list {
		if slices.ContainsFunc(seen, func(b band) bool { return b.distance(m.Lambda) < b.reach }) {
			inside = append(inside, m)
		} else {
			outside = append(outside, m)
		}
	}
	return inside, outside
}

// mayBeZero reports whether the eigenvalue λ = σ + 1/θ of the pencil may be zero up to the error of θ, which is estimated by the
// residual of r and the condition of θ. A rigid motion without damping has the double eigenvalue zero with one shape: an error ε of the
// operator moves it by √ε.
//
// Cost: two products and an eigenvalue problem of the size of the basis, only for |λ| up to slowPart·σ; allocates.
func (k *krylov) mayBeZero(r *ritz, lambda complex128, sigma float64) (bool, error) {
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

const (
	// blurTol is the first-order error of an eigenvalue, relative to its distance from σ, above which the eigenvalue ends the reach of a
	// band.
	blurTol = 1e-6
	// blurFrom is the size of an eigenvalue, relative to σ, below which its error is not estimated, as it is smaller than blurTol.
	blurFrom = 1e3
)

// limitReach lowers the reach of b to the distance of the eigenvalue λ = σ + 1/θ of r if the error of λ is above blurTol. The condition of
// θ grows as |λ/σ|, up to b.reach over the distance of the nearest eigenvalue, and so does the residual relative to θ: with a larger shift
// the error is smaller.
//
// Cost: nothing for |λ| below blurFrom·σ, else two products; and an eigenvalue problem of the size of the basis where the residual alone
// does not show that the error is small; allocates.
func (k *krylov) limitReach(b *band, r *ritz, lambda complex128) error {
	if b.blurred || !(cmplx.Abs(lambda) >= blurFrom*b.sigma) {
		return nil
	}
	residual, err := k.residualOf(r)
	if err != nil {
		return err
	}
	size := cmplx.Abs(r.theta)
	if b.reach*k.largest*residual <= blurTol*size {
		return nil
	}
	condition, err := k.conditionOf(r)
	if err != nil {
		return err
	}
	if !(condition*residual <= blurTol*size) {
		b.reach, b.blurred = min(b.reach, 1/size), true
	}
	return nil
}

// relationTol is the largest error of A·v = θ·v, relative to θ, in a random combination of the Ritz vectors of a band. A shift at
// which products with A lose more digits gives no solutions, however small ritz.residual is.
const relationTol = 1e-5

// checkProducts returns ErrNoConvergence unless A·v = θ·v holds up to relationTol for the Ritz pairs r, as one product with a
// random combination of their vectors shows. Each error is relative to |θ|, or to least if |θ| is smaller. sigma is for the message.
func (k *krylov) checkProducts(r []ritz, sigma, least float64) error {
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

// residualOf returns ‖A·v − θ·v‖ of the unit vector v of r, by two products with A. Unlike ritz.residual, it includes the rounding errors
// of products.
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

// conditionOf returns the condition of the eigenvalue θ of r, the factor from a change of the operator to the change of θ: 1/|uᴴy| with the
// right and left unit eigenvectors y and u of the square part of H.
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

// forcelessTol is the largest norm of H·K·x for a unit x without force, H the shifted inverse: (|λ|/σ)² for an eigenvalue
// |λ| = slowPart·σ.
const forcelessTol = slowPart * slowPart

// replaceRigid replaces the rigid modes that the band b of k has added to out, after the first known modes, by the directions
// without force in the space of their vectors. The two vectors of a double eigenvalue zero are nearly parallel, and the vectors of several
// such eigenvalues nearly dependent: rounding would decide how many directions there are. But their common space has a small error. Where
// another eigenvalue is as near to zero as the rigid ones, they have no space apart from its vector, and the modes stay.
//
// Cost: a Schur form of the size of the basis and a solution for each eigenvalue, only where there are rigid modes; allocates.
func (s *System) replaceRigid(out *Modes, k *krylov, g *quadratic, b *band, known int) error {
	if b.rigid == 0 || !(b.rigid < b.other) {
		return nil
	}
	// The limit is between the two sizes: in a Schur form the double eigenvalues move, too.
	size := math.Sqrt(b.rigid) * math.Sqrt(min(b.other, slowPart*b.sigma))
	Q, columns, err := k.subspace(func(re, im float64) bool {
		return cmplx.Abs(complex(b.sigma, 0)+1/complex(re, im)) <= size
	})
	if err != nil {
		return err
	}
	var space [][]float64
	for c := range columns {
		y := make([]complex128, k.done)
		for i := range y {
			y[i] = complex(Q.At(i, c), 0)
		}
		x, _ := k.vector(y)
		x = x[:s.dim()]
		floats.Scale(b.sigma, x) // the metric of k has σ²M for displacements
		space = s.appendDirection(space, x)
	}
	free, err := s.forceless(space, g)
	if err != nil {
		return err
	}
	out.List = append(out.List[:known:known], slices.DeleteFunc(out.List[known:], func(m Mode) bool { return m.Kind == Rigid })...)
	for _, x := range free {
		out.List = append(out.List, Mode{Kind: Rigid, Shape: x})
	}
	return nil
}

// forceless returns a basis, orthonormal in M, of the displacements x in a space, itself given by a basis orthonormal in M, that K resists
// by reactions alone. With H the symmetric shifted inverse of g, these are the x with ‖H·K·x‖ ≤ forcelessTol·‖x‖: eigenvectors
// of the Gram matrix of H·K on the space.
func (s *System) forceless(space [][]float64, g *quadratic) (free [][]float64, err error) {
	n := len(space)
	if n == 0 {
		return nil, nil
	}
	images := make([][]float64, n) // H·K·x
	for i, x := range space {
		images[i] = make([]float64, s.dim())
		s.StiffnessTo(images[i], x)
		g.h.solveTo(images[i], images[i])
	}
	G := mat.NewSymDense(n, nil)
	for i := range n {
		h := s.massTimes(images[i])
		for j := range i + 1 {
			G.SetSym(i, j, floats.Dot(h, images[j]))
		}
	}
	var e mat.EigenSym
	var U mat.Dense
	if err := apart(s.space.Watched(), func() error { return full.Symmetric(&e, G) }); err != nil {
		return nil, err
	}
	e.VectorsTo(&U)
	for c, v := range e.Values(nil) {
		if !(v <= forcelessTol*forcelessTol) {
			break
		}
		x := make([]float64, s.dim())
		for i := range space {
			floats.AddScaled(x, U.At(i, c), space[i])
		}
		orient(x, nil)
		free = append(free, x)
	}
	return free, nil
}

// addSize updates rigid or other of b by the size |λ| of the eigenvalue of m, 1/s, before a rigid one was set to zero.
func (b *band) addSize(m *Mode, size float64) {
	if m.Kind == Rigid {
		b.rigid = max(b.rigid, size)
	} else {
		b.other = min(b.other, size)
	}
}
