package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/spatial"
)

// staircase is A in coordinates Q that begin with those that only say where the mechanism is, docs/statics-and-modes.md (S10). QᵀAQ =
// T has zeros below its diagonal blocks. Those of zero blocks are zero, too.
type staircase struct {
	Q, T   *mat.Dense
	blocks []block
	cut    float64 // sizes that count as zero
}

// block is a diagonal block of a staircase.
type block struct {
	from, to int
	place    bool // the first one: of the same motion elsewhere, by travels and by spins
	zero     bool // of the eigenvalue zero
}

// newStaircase brings the scaled A to the form of (S10). O stores by how much the velocities of a state differ from those of the same
// motion elsewhere. Sizes up to cut count as zero, in O up to seen.
//
// Cost: O(n³) a step of the staircase, of which there are few; allocates.
func newStaircase(A, O *mat.Dense, cut, seen float64) (*staircase, error) {
	n, _ := A.Dims()
	z := &staircase{Q: identity(n), T: mat.DenseCopyOf(A), cut: cut}
	S, err := placesOf(A, O, cut, seen)
	if err != nil {
		return nil, err
	}
	places := 0
	if S != nil {
		_, places = S.Dims()
		z.turn(S, 0, n)
		z.blocks = append(z.blocks, block{to: places, place: true})
	}
	return z, z.split(places, n)
}

// split splits the eigenvalues zero off the diagonal block of the coordinates [from, to): it turns the null space of the
// block to the front, goes on with the rest of the block, and ends when the rest has no null space.
func (z *staircase) split(from, to int) error {
	for from < to {
		N, err := nullOf(mat.DenseCopyOf(z.T.Slice(from, to, from, to)), z.cut)
		if err != nil {
			return err
		}
		if N == nil {
			z.blocks = append(z.blocks, block{from: from, to: to})
			return nil
		}
		_, k := N.Dims()
		z.turn(N, from, to)
		z.blocks = append(z.blocks, block{from: from, to: from + k, zero: true})
		from += k
	}
	return nil
}

// turn makes the columns of N, orthonormal vectors of the coordinates [from, to), the first of these.
func (z *staircase) turn(N *mat.Dense, from, to int) {
	n, _ := z.Q.Dims()
	var qr mat.QR
	qr.Factorize(N)
	var H, Q, T mat.Dense
	qr.QTo(&H)
	P := identity(n)
	P.Slice(from, to, from, to).(*mat.Dense).Copy(&H)
	Q.Mul(z.Q, P)
	T.Product(P.T(), z.T, P)
	z.Q, z.T = &Q, &T
}

// placesOf returns an orthonormal basis of the largest space of states that O makes no longer than seen and that A leads to states of
// the same space alone. It returns nil if there are none.
func placesOf(A, O *mat.Dense, cut, seen float64) (*mat.Dense, error) {
	S, err := nullOf(O, seen)
	if S == nil || err != nil {
		return nil, err
	}
	for {
		var image, part, back, next mat.Dense
		image.Mul(A, S)
		part.Mul(S.T(), &image)
		back.Mul(S, &part)
		image.Sub(&image, &back)
		N, err := nullOf(&image, cut)
		if N == nil || err != nil {
			return nil, err
		}
		_, before := S.Dims()
		_, after := N.Dims()
		if after == before {
			return S, nil
		}
		next.Mul(S, N)
		S = &next
	}
}

// steadyModes computes the modes of a steady motion, docs/statics-and-modes.md (S10), and keeps the lowest.
func (s *System) steadyModes(o ModeOptions) (*Modes, error) {
	out := &Modes{Method: Dense, All: true, Steady: true, Damped: true}
	f, err := s.stateSpace()
	if err != nil {
		return nil, err
	}
	out.Turning = f.Turning
	return out, s.listSteady(out, f, o)
}

// detouredModes computes the modes of a mechanism with rows of velocities alone about a state at rest, in equilibrium or not, and
// keeps the lowest. Its coordinates are those of a steady motion, as detours lead to displacements that velocities do not.
func (s *System) detouredModes(o ModeOptions) (*Modes, error) {
	out, f := &Modes{Method: Dense, All: true, Damped: true}, new(StateSpace)
	if err := s.independent(f); err != nil {
		return nil, err
	}
	var err error
	if f.Positions > 0 {
		f.A, err = s.stateMatrix(f, !o.Undamped)
	}
	if err != nil {
		return nil, err
	}
	return out, s.listSteady(out, f, o)
}

// listSteady adds the lowest modes of f to out.
func (s *System) listSteady(out *Modes, f *StateSpace, o ModeOptions) error {
	if f.Positions == 0 || s.rest && f.Speeds == 0 {
		return nil
	}
	err := s.addSteady(out, f)
	if s.over() {
		return s.orCause(nil)
	}
	if err != nil {
		return s.stiffestError(err)
	}
	out.choose(o.Count)
	return nil
}

// addSteady adds the modes of f to out.
func (s *System) addSteady(out *Modes, f *StateSpace) error {
	A, omega := scaled(f.A, f.Positions)
	O := s.elsewhere(f, omega)
	var z *staircase
	err := apart(s.space.Watched(), func() (err error) {
		z, err = newStaircase(A, O, s.neutralSize(f, omega), shapeNoise*largest(O))
		return err
	})
	if err != nil {
		return err
	}
	for i := range z.blocks {
		b := &z.blocks[i]
		for c := b.from; c < b.to && (b.place || b.zero); c++ {
			if x := s.shapeOf(f, mat.Col(nil, c, z.Q)); x != nil {
				out.List = append(out.List, Mode{Kind: Rigid, Shape: x})
			}
		}
	}
	s.settleRigid(out)
	if b := &z.blocks[len(z.blocks)-1]; !b.zero && !b.place {
		return s.addBlock(out, f, z, b, omega)
	}
	return nil
}

// elsewhere returns the matrix that takes the scaled coordinates to the changes of velocities, (φ˙ + φ×ω, ẋ) of each body, with rows
// weighted by masses and radii of gyration. They are zero where the same motion is elsewhere.
func (s *System) elsewhere(f *StateSpace, omega float64) *mat.Dense {
	n, all := f.Displacements.Dims()
	O := mat.NewDense(n, all, nil)
	x, z := make([]float64, n), make([]float64, n)
	for c := range all {
		mat.Col(x, c, f.Displacements)
		mat.Col(z, c, f.Velocities)
		scale := 1.0
		if c < f.Positions {
			scale = 1 / omega
		}
		for i := range s.mech.Bodies {
			d := spatial.Vec3(x[6*i : 6*i+3]).Cross(s.st.Bodies[i].Omega)
			mass := scale * math.Sqrt(s.mech.Bodies[i].Mass)
			heavy := mass * s.radius(int32(i))
			for k := range 3 {
				z[6*i+k] = heavy * (z[6*i+k] + d[k])
				z[6*i+3+k] *= mass
			}
		}
		O.SetCol(c, z)
	}
	return O
}

// addBlock adds the modes of the last block, which has no eigenvalue zero.
func (s *System) addBlock(out *Modes, f *StateSpace, z *staircase, b *block, omega float64) error {
	var e mat.Eigen
	var W mat.CDense
	err := apart(s.space.Watched(), func() error {
		if err := full.General(&e, mat.DenseCopyOf(z.T.Slice(b.from, b.to, b.from, b.to))); err != nil {
			return err
		}
		e.VectorsTo(&W)
		return nil
	})
	if err != nil {
		return err
	}
	for i, lambda := range e.Values(nil) {
		if imag(lambda) < 0 {
			continue
		}
		if s.over() {
			return s.orCause(nil)
		}
		re, im, err := z.lift(lambda, &W, i, b)
		if err != nil {
			return err
		}
		out.List = s.appendPair(out.List, s.steadyMode(f, lambda, re, im, omega), lambda)
	}
	return nil
}

// displaced returns the displacement of the scaled coordinates v.
func (s *System) displaced(f *StateSpace, v []float64, omega float64) []float64 {
	p := slices.Clone(v[:f.Positions])
	floats.Scale(1/omega, p)
	var x mat.VecDense
	x.MulVec(f.Displacements.Slice(0, s.dim(), 0, f.Positions), mat.NewVecDense(f.Positions, p))
	return x.RawVector().Data
}

// shapeOf is displaced of unit modal mass, or nil where the coordinates are a change of velocities alone.
func (s *System) shapeOf(f *StateSpace, v []float64) []float64 {
	size := floats.Norm(v[:f.Positions], 2)
	if size <= shapeNoise*floats.Norm(v, 2) {
		return nil
	}
	return s.displaced(f, v, size)
}

// lift returns the eigenvector of column i of W, those of the block b, in all coordinates: Q·(x₁, x₂) with (T₁₁ − λ)·x₁ = −T₁₂·x₂,
// where x₁ are the coordinates before the block. Where λ is an eigenvalue of T₁₁, x₁ is the least one that leaves the least.
func (z *staircase) lift(lambda complex128, W *mat.CDense, i int, b *block) (re, im []float64, err error) {
	n, _ := z.T.Dims()
	X := mat.NewDense(n, 2, nil)
	for r := b.from; r < b.to; r++ {
		X.Set(r, 0, real(W.At(r-b.from, i)))
		X.Set(r, 1, imag(W.At(r-b.from, i)))
	}
	if b.from > 0 {
		if err := z.liftBefore(X, lambda, b); err != nil {
			return nil, nil, err
		}
	}
	var QX mat.Dense
	QX.Mul(z.Q, X)
	return mat.Col(nil, 0, &QX), mat.Col(nil, 1, &QX), nil
}

// liftBefore stores the rows before those of the block b in X, of the real and the imaginary part of an eigenvector: with λ = a + ib
//
//	(T₁₁ − a)·x + b·y = −T₁₂·x₂,   (T₁₁ − a)·y − b·x = −T₁₂·y₂.
func (z *staircase) liftBefore(X *mat.Dense, lambda complex128, b *block) error {
	k := b.from
	var t mat.Dense
	t.Mul(z.T.Slice(0, k, k, b.to), X.Slice(k, b.to, 0, 2))
	right, M := mat.NewVecDense(2*k, nil), mat.NewDense(2*k, 2*k, nil)
	for r := range k {
		right.SetVec(r, -t.At(r, 0))
		right.SetVec(k+r, -t.At(r, 1))
		for c := range k {
			M.Set(r, c, z.T.At(r, c))
			M.Set(k+r, k+c, z.T.At(r, c))
		}
		M.Set(r, r, M.At(r, r)-real(lambda))
		M.Set(k+r, k+r, M.At(k+r, k+r)-real(lambda))
		M.Set(r, k+r, imag(lambda))
		M.Set(k+r, r, -imag(lambda))
	}
	var svd mat.SVD
	if err := full.Singular(&svd, M, mat.SVDThin); err != nil {
		return err
	}
	rank := 0
	for _, x := range svd.Values(nil) {
		if x > z.cut {
			rank++
		}
	}
	if rank == 0 {
		return nil
	}
	var x mat.VecDense
	svd.SolveVecTo(&x, right, rank)
	for r := range k {
		X.Set(r, 0, x.AtVec(r))
		X.Set(r, 1, x.AtVec(k+r))
	}
	return nil
}

// steadyMode returns the mode of an eigenvalue that is not zero with the scaled coordinates re + i·im.
func (s *System) steadyMode(f *StateSpace, lambda complex128, re, im []float64, omega float64) Mode {
	m := Mode{Lambda: lambda, Shape: s.displaced(f, re, omega), Imag: s.displaced(f, im, omega)}
	s.settle(&m)
	m.classify()
	s.finish(&m)
	return m
}
