package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/spatial"
)

// staircase is the block triangular form of A, docs/statics-and-modes.md (S10): QᵀAQ = T, with Q orthogonal, has zeros below its diagonal
// blocks. Diagonal blocks of the eigenvalue zero are zero matrices.
type staircase struct {
	Q, T   *mat.Dense
	blocks []block
	cut    float64 // singular values up to this count as zero
}

// block is a diagonal block of a staircase.
type block struct {
	from, to int  // its rows and columns [from, to) of T
	place    bool // the first block, of displacements to the same motion in another place
	zero     bool // a zero matrix, of the eigenvalue zero
}

// newStaircase brings the scaled A to the form of (S10). O·s are the changes of velocities of a state s, which are zero for the same motion
// in another place. Singular values count as zero up to cut, and singular values of O up to cutO.
//
// Cost: O(n³) a step of the staircase, of which there are few; allocates.
func newStaircase(A, O *mat.Dense, cut, cutO float64) (*staircase, error) {
	n, _ := A.Dims()
	z := &staircase{Q: identity(n), T: mat.DenseCopyOf(A), cut: cut}
	S, err := placesOf(A, O, cut, cutO)
	if err != nil {
		return nil, err
	}
	places := 0
	if S != nil {
		_, places = S.Dims()
		z.rotate(S, 0, n)
		z.blocks = append(z.blocks, block{to: places, place: true})
	}
	return z, z.split(places, n)
}

// split separates the eigenvalue zero from the diagonal block of the coordinates [from, to): it rotates the null space of the
// block to its first coordinates, repeats that with the rest of the block, and ends when the rest has no null space.
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
		z.rotate(N, from, to)
		z.blocks = append(z.blocks, block{from: from, to: from + k, zero: true})
		from += k
	}
	return nil
}

// rotate changes the coordinates [from, to) by an orthogonal matrix so that the columns of N, orthonormal vectors in these coordinates,
// span the first of them.
func (z *staircase) rotate(N *mat.Dense, from, to int) {
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

// placesOf returns an orthonormal basis, in columns, of the largest invariant space of A in the null space of O, with singular values up to
// cut for A and cutO for O counted as zero. It returns nil and no error if there is none.
func placesOf(A, O *mat.Dense, cut, cutO float64) (*mat.Dense, error) {
	S, err := nullOf(O, cutO)
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

// steadyModes computes the modes of a steady motion, docs/statics-and-modes.md (S10), and returns the lowest o.Count.
func (s *System) steadyModes(o ModeOptions) (*Modes, error) {
	out := &Modes{Method: Dense, All: true, Steady: true, Damped: true}
	f, err := s.stateSpace()
	if err != nil {
		return nil, err
	}
	out.Turning = f.Turning
	return out, s.listSteady(out, f, o)
}

// nonholonomicModes computes the modes of a mechanism with nonholonomic rows about a state at rest, in equilibrium or not, and
// returns the lowest o.Count. It uses the coordinates of a steady motion: there are more displacements, which closed paths reach, than
// velocities.
func (s *System) nonholonomicModes(o ModeOptions) (*Modes, error) {
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

// listSteady adds the lowest o.Count modes of f to out, none if f has no coordinates or the state is at rest and can have no velocity. It
// returns eigenvalue errors with the name of a body.
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

// addSteady adds all modes of f to out: rigid modes from the zero blocks of the staircase, and the others from its last block.
func (s *System) addSteady(out *Modes, f *StateSpace) error {
	A, omega := scaled(f.A, f.Positions)
	O := s.velocityChanges(f, omega)
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
	s.mergeRigid(out)
	if b := &z.blocks[len(z.blocks)-1]; !b.zero && !b.place {
		return s.addBlock(out, f, z, b, omega)
	}
	return nil
}

// velocityChanges returns the matrix, six rows a body, from the scaled coordinates (ω·p, u) of f to the changes of velocities, (φ̇ + φ×ω,
// ẋ) of each body, with rows weighted by √m·r and √m, m the mass and r the radius of gyration. Changes are zero for a displacement to the
// same motion in another place. omega is the ω of the coordinates.
func (s *System) velocityChanges(f *StateSpace, omega float64) *mat.Dense {
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
			massRoot := scale * math.Sqrt(s.mech.Bodies[i].Mass)
			inertiaRoot := massRoot * s.radius(int32(i))
			for k := range 3 {
				z[6*i+k] = inertiaRoot * (z[6*i+k] + d[k])
				z[6*i+3+k] *= massRoot
			}
		}
		O.SetCol(c, z)
	}
	return O
}

// addBlock adds to out the modes of the last block b of z, which has no eigenvalue zero. omega is the scale of the coordinates.
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

// displaced returns the displacement, six numbers a body, of the scaled coordinates v = (ω·p, u).
func (s *System) displaced(f *StateSpace, v []float64, omega float64) []float64 {
	p := slices.Clone(v[:f.Positions])
	floats.Scale(1/omega, p)
	var x mat.VecDense
	x.MulVec(f.Displacements.Slice(0, s.dim(), 0, f.Positions), mat.NewVecDense(f.Positions, p))
	return x.RawVector().Data
}

// shapeOf returns the displacement of the scaled coordinates v with unit modal mass, or nil if v is a change of velocities alone, up to
// shapeNoise.
func (s *System) shapeOf(f *StateSpace, v []float64) []float64 {
	size := floats.Norm(v[:f.Positions], 2)
	if size <= shapeNoise*floats.Norm(v, 2) {
		return nil
	}
	return s.displaced(f, v, size)
}

// lift returns the eigenvector re + i·im of A for the eigenvalue λ of the last block b, whose eigenvector x₂ in the block is column i of
// W. It is Q·(x₁, x₂) with (T₁₁ − λ)·x₁ = −T₁₂·x₂, where x₁ are the coordinates before the block. If λ is an eigenvalue of T₁₁, x₁ is the
// least-squares solution of least norm.
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

// liftBefore stores in X, whose two columns are the real and imaginary part of an eigenvector, the rows before the block b, from the rows
// of the block. With λ = α + iβ, they are the x and y with
//
//	(T₁₁ − α)·x + β·y = −T₁₂·x₂,   (T₁₁ − α)·y − β·x = −T₁₂·y₂
//
// by least squares with singular values up to z.cut as zero. If all are zero, the rows stay zero.
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

// steadyMode returns the mode of an eigenvalue λ ≠ 0 with the eigenvector re + i·im in scaled coordinates.
func (s *System) steadyMode(f *StateSpace, lambda complex128, re, im []float64, omega float64) Mode {
	m := Mode{Lambda: lambda, Shape: s.displaced(f, re, omega), Imag: s.displaced(f, im, omega)}
	s.normalize(&m)
	m.classify()
	s.finish(&m)
	return m
}
