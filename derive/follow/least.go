package follow

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
)

// least takes rows into account whose errors are not zero: half the sum of their squares stays least among the motions that the levels
// before leave, theory.md (I3). what names the rows in errors.
func (c *cascade) least(rows []int, what string) error {
	if c.bent != "" {
		return fmt.Errorf("%w: %s comes after %s, which is at its least and leaves motions", derive.ErrNoDerivatives, what, c.bent)
	}
	w, err := c.multipliers(rows, what)
	if err != nil || c.Z == nil {
		return err
	}
	_, r := c.Z.Dims()
	CZ, M, err := c.curvature(w)
	if err != nil {
		return err
	}
	A := pick(c.A, rows)
	var AZ, AD, S, T, more mat.Dense
	// (I3) is S·z = −T·δp: S = Zᵀ·(AᵀA + K)·Z and T = Zᵀ·(AᵀA + K)·D + (A·Z)ᵀ·E + M, with CZ = K·Z and M projected on Z.
	AZ.Mul(A, c.Z)
	AD.Mul(A, c.D)
	AD.Add(&AD, pick(c.E, rows))
	S.Mul(AZ.T(), &AZ)
	more.Mul(c.Z.T(), CZ)
	S.Add(&S, &more)
	T.Mul(AZ.T(), &AD)
	more.Reset()
	more.Mul(CZ.T(), c.D)
	T.Add(&T, &more)
	T.Add(&T, M)
	size := mat.Norm(A, 2)
	z, next, err := minimum(&S, &T, flatCurve*size*c.norm(rows)+flatRows*size*size, slopeTol*size*mat.Norm(&AD, 2))
	if err != nil {
		return fmt.Errorf("%w: %s", err, what)
	}
	// z has the sign of T here: δy = (D − Z·z)·δp. Motions Z·next remain.
	var Zz mat.Dense
	Zz.Mul(c.Z, z)
	c.D.Sub(c.D, &Zz)
	c.Z = product(c.Z, next)
	if c.bent = ""; next != nil && r > 0 {
		c.bent = what
	}
	return nil
}

// minimum returns the z with S·z = T for the symmetric positive semidefinite S, and a basis of the directions in which S is zero up to flat
// (next; nil if there is none). In these T has to be zero up to still, else minimum returns ErrSingular. A negative S is ErrNotLeast.
func minimum(S, T *mat.Dense, flat, still float64) (z, next *mat.Dense, err error) {
	r, k := T.Dims()
	sym := mat.NewSymDense(r, nil)
	for i := range r {
		for j := range i + 1 {
			sym.SetSym(i, j, (S.At(i, j)+S.At(j, i))/2)
		}
	}
	var f mat.EigenSym
	if err := full.Symmetric(&f, sym); err != nil {
		return nil, nil, fault.Errorf("derive/follow: %w", err)
	}
	var V mat.Dense
	f.VectorsTo(&V)
	z = mat.NewDense(r, k, nil)
	var left []int // the eigenvectors of S with eigenvalues up to flat
	for q, x := range f.Values(nil) {
		switch {
		case x < -flat:
			return nil, nil, ErrNotLeast
		case x <= flat:
			left = append(left, q)
			continue
		}
		for j := range k {
			along := mat.Dot(V.ColView(q), T.ColView(j)) / x // the component of z along eigenvector q
			for i := range r {
				z.Set(i, j, z.At(i, j)+along*V.At(i, q))
			}
		}
	}
	if left == nil {
		return z, nil, nil
	}
	next = mat.NewDense(r, len(left), nil)
	for j, q := range left {
		for i := range r {
			next.Set(i, j, V.At(i, q))
		}
		for d := range k {
			if pull := math.Abs(mat.Dot(V.ColView(q), T.ColView(d))); pull > still {
				return nil, nil, ErrSingular
			}
		}
	}
	return z, next, nil
}

// norm returns the norm of the errors of the given rows.
func (c *cascade) norm(rows []int) (size float64) {
	for _, r := range rows {
		size = math.Hypot(size, c.s.e[r])
	}
	return size
}

// multipliers returns the weight w of each row at a least, theory.md (I2): the errors of the given rows, and the multipliers of the rows
// that are kept. It marks limits as pressed if the gradient pulls against them, and returns ErrNotLeast if it pulls elsewhere.
func (c *cascade) multipliers(rows []int, what string) ([]float64, error) {
	s := c.s
	n, w := len(s.driven), make([]float64, len(s.e))
	for _, r := range rows {
		w[r] = s.e[r]
	}
	tol := mat.Norm(pick(c.A, rows), 2) * c.norm(rows)
	g := mat.NewDense(n, 1, nil)
	slope := func() {
		for i := range n {
			x := 0.0
			for r, v := range w {
				x += v * c.A.At(r, i)
			}
			g.Set(i, 0, x)
		}
	}
	slope()
	if len(c.kept) > 0 {
		At := mat.DenseCopyOf(c.scaled(c.A, c.kept).T())
		for i, side := range s.side {
			for j := range c.kept {
				if side != 0 {
					At.Set(i, j, 0)
				}
			}
		}
		G := mat.DenseCopyOf(g)
		G.Scale(-1, G)
		_, mu, _, err := solve(At, G)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, what)
		}
		for j, r := range c.kept {
			w[r] += mu.At(j, 0) / c.unit[r]
		}
		slope()
	}
	for i, side := range s.side {
		x := g.At(i, 0)
		switch {
		case c.pressed[i]: // pressed by an earlier level, which has precedence
		case side == 0 && math.Abs(x) > slopeTol*tol, float64(side)*x > slopeTol*tol:
			return nil, fmt.Errorf("%w: %s pulls at %s", ErrNotLeast, what, s.name(i))
		case side != 0 && -float64(side)*x > pressTol*tol:
			c.pressed[i] = true
		}
	}
	return w, nil
}

// curvature returns the derivatives of the slopes wᵀ∂e, with w held, along the remaining motions: of the slopes by the driven freedoms (CZ,
// n × r) and of the slopes along the directions (M, r × directions). They are differences of order 4.
func (c *cascade) curvature(w []float64) (CZ, M *mat.Dense, err error) {
	n, r := c.Z.Dims()
	CZ, M = mat.NewDense(n, r, nil), mat.NewDense(r, max(1, len(c.a.list)), nil)
	y := make([]float64, n)
	for j := range r {
		for _, o := range order4 {
			for i := range y {
				y[i] = o[0] * curveStep * c.Z.At(i, j)
			}
			x, err := c.s.beside(y, c, c.a.in)
			if err != nil {
				return nil, nil, c.s.renumber(err)
			}
			// Columns of x.by are the driven freedoms, and then the directions.
			for q, col := range x.by {
				sum := 0.0
				for i, v := range w {
					sum += v * col[i]
				}
				if sum *= o[1] / curveStep; q < n {
					CZ.Set(q, j, CZ.At(q, j)+sum)
				} else {
					M.Set(j, q-n, M.At(j, q-n)+sum)
				}
			}
		}
	}
	return CZ, M, nil
}

// pick returns the given rows of M.
func pick(M *mat.Dense, rows []int) *mat.Dense {
	_, n := M.Dims()
	out := mat.NewDense(len(rows), n, nil)
	for i, r := range rows {
		for j := range n {
			out.Set(i, j, M.At(r, j))
		}
	}
	return out
}
