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
	// slowPart is the size of an eigenvalue, relative to the shift σ, from which on nothing makes it of zero.
	slowPart = 1e-3
	// doubtMargin is the factor on what rounding makes of an eigenvalue to the first order. Next to a double one it makes more: its
	// error is then no smaller than half of its distance from the double one.
	doubtMargin = 10
)

// band says what has been seen with a shift: all eigenvalues nearer to sigma than reach. rigid is the largest size of an eigenvalue that
// counts as zero, and other the least of one that does not.
type band struct {
	sigma, reach, rigid, other float64

	blurred bool // rounding shows in eigenvalues beyond the reach
}

// distance returns how far an eigenvalue is from the shift of b.
func (b *band) distance(lambda complex128) float64 { return cmplx.Abs(lambda - complex(b.sigma, 0)) }

// withinReach returns the modes of a list with eigenvalues within the reach of a band, and the others.
func withinReach(list []Mode, seen []band) (near, far []Mode) {
	for _, m := range list {
		if slices.ContainsFunc(seen, func(b band) bool { return b.distance(m.Lambda) < b.reach }) {
			near = append(near, m)
		} else {
			far = append(far, m)
		}
	}
	return near, far
}

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

const (
	// blurTol is the error of an eigenvalue, relative to its distance from σ and to the first order, beyond which a band does not reach.
	blurTol = 1e-6
	// blurFrom is the size of an eigenvalue relative to σ from which on it may have such an error.
	blurFrom = 1e3
)

// sharpen brings the reach of b down to an eigenvalue λ, by its θ in r, of which rounding makes more than blurTol. Its condition grows as
// |λ/σ|, up to the reach relative to the nearest, and so does the part of the residual in θ: a larger shift knows it better.
//
// Cost: as doubts, for the first such λ; two products for others of more than blurFrom·σ.
func (k *krylov) sharpen(b *band, r *ritz, lambda complex128) error {
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

// stillTol is the part of a rigid shape that the inverse with a shift makes of its force, relative to 1/σ²: an eigenvalue of the size of
// slowPart, squared.
const stillTol = slowPart * slowPart

// restRigid replaces the rigid modes of out that the band b of k has found by the directions without force in the space of their vectors.
// Vectors of a double zero are all but parallel, and vectors of several such zeros all but dependent: rounding would decide how many there
// are. The space of all is known well. Where another eigenvalue is as near to zero as these, no space is theirs, and the modes stay.
//
// Cost: a Schur form of the size of the basis and a solution for each eigenvalue, only where there are rigid modes; allocates.
func (s *System) restRigid(out *Modes, k *krylov, g *quadratic, b *band, known int) error {
	if b.rigid == 0 || !(b.rigid < b.other) {
		return nil
	}
	// Between both: a Schur form moves double eigenvalues as rounding does.
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
		floats.Scale(b.sigma, x) // the metric of k has σ²M there
		space = s.widen(space, x)
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

// forceless returns an orthonormal basis, in the metric of the masses, of the displacements x in a space that meet no force but reactions.
// With H the symmetric inverse of g, these are the x with ‖H·K·x‖ up to stillTol·‖x‖: eigenvectors of the Gram matrix of H·K on the space.
func (s *System) forceless(space [][]float64, g *quadratic) (free [][]float64, err error) {
	n := len(space)
	if n == 0 {
		return nil, nil
	}
	moved := make([][]float64, n)
	for i, x := range space {
		moved[i] = make([]float64, s.dim())
		s.StiffnessTo(moved[i], x)
		g.h.solveTo(moved[i], moved[i])
	}
	G := mat.NewSymDense(n, nil)
	for i := range n {
		h := s.massTimes(moved[i])
		for j := range i + 1 {
			G.SetSym(i, j, floats.Dot(h, moved[j]))
		}
	}
	var e mat.EigenSym
	var U mat.Dense
	if err := apart(s.space.Watched(), func() error { return full.Symmetric(&e, G) }); err != nil {
		return nil, err
	}
	e.VectorsTo(&U)
	for c, v := range e.Values(nil) {
		if !(v <= stillTol*stillTol) {
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

// see takes note of the size of an eigenvalue and whether it counts as zero.
func (b *band) see(m *Mode, size float64) {
	if m.Kind == Rigid {
		b.rigid = max(b.rigid, size)
	} else {
		b.other = min(b.other, size)
	}
}
