package follow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// rankTol is the singular value of rows, in rad or lengths, below which they have lost a rank. Up to nearTol the pose counts as
	// singular: there the error of a pose, 1e-12, would be 1e-6 of the derivative.
	rankTol, nearTol = 1e-7, 3e-6
	// asideBy is the displacement from the solution, rad or lengths, at which ranks are compared. A singular value that is zero at the
	// solution only is of the order of asideBy there. One that comes from leaving the targets is of the order of its square. asideTol
	// separates both.
	asideBy, asideTol = 1e-3, 3e-5
	// leavesTol is the largest change of a reached target that may remain, relative to the direction.
	leavesTol = 1e-8
	// pressTol is the least pull against a limit, relative to rows and errors, at which a freedom counts as pressed. slopeTol is the
	// largest gradient that may remain where errors are least.
	pressTol, slopeTol = 1e-7, 1e-6
	// curveStep is the step of the driven coordinates for differences of order 4 of first derivatives: rad or lengths.
	curveStep = 1e-3
	// flatCurve and flatRows bound the curvature that counts as zero, as in package ik: relative to the product of the norms of rows and
	// errors, and to the square of the norm of the rows.
	flatCurve, flatRows = 1e-7, 1e-9
	// movesTol is the least part of a freedom in a motion with which a message names the freedom.
	movesTol = 1e-6
)

// Along returns the changes of the solution along the directions.
//
// Cost: as the package says; allocates. It returns a *derive.DirectionError for a direction that has no derivative by itself, and otherwise
// an error that wraps ErrFree, ErrLimit, ErrSingular, ErrLeaves or ErrNotLeast, with names.
func (s *Solution) Along(list []Direction) ([]Change, error) {
	a, err := s.ask(list)
	if err != nil {
		return nil, err
	}
	x, err := s.slopesAt(s.st, a, a.in, derive.Options{NoReactions: true})
	if err != nil {
		return nil, s.renumber(err)
	}
	c := s.newCascade(a, x)
	for l := range s.levels {
		if err := c.level(l); err != nil {
			return nil, err
		}
	}
	if len(s.e) > s.m {
		if err := c.least(rowsFrom(s.m, len(s.e)), "the posture"); err != nil {
			return nil, err
		}
	}
	return c.end()
}

// renumber makes the number of the direction in an error its index in the list of Along: the directions of the driven freedoms come first.
func (s *Solution) renumber(err error) error {
	if e, ok := err.(*derive.DirectionError); ok {
		e.Direction -= len(s.driven)
	}
	return err
}

// cascade goes over the levels in order. It holds the changes y of the driven freedoms, in units of size, that keep the levels so far: D
// along the directions, plus anything in the span of Z.
type cascade struct {
	s *Solution
	a *asked
	x *slopes

	A, E    *mat.Dense // derivatives of the errors by the driven freedoms, and along the directions
	D       *mat.Dense // n driven freedoms × directions
	Z       *mat.Dense // n × remaining motions; nil if there is none
	kept    []int      // rows that are kept at zero
	unit    []float64  // by row of a target: the row of an error of 1 rad or one length
	bent    string     // name of a level that is at its least and leaves motions; "" if there is none
	pressed []bool     // by driven freedom: it is pressed against its limit
}

// newCascade returns the cascade before the first level: D has the changes of the limits for freedoms at a limit, and Z the unit motions of
// the freedoms at no limit.
func (s *Solution) newCascade(a *asked, x *slopes) *cascade {
	n, rows := len(s.driven), len(s.e)
	c := &cascade{s: s, a: a, x: x, A: mat.NewDense(rows, n, nil), E: mat.NewDense(rows, max(1, len(a.list)), nil),
		D: mat.NewDense(n, max(1, len(a.list)), nil), pressed: make([]bool, n), unit: make([]float64, s.m)}
	for _, l := range s.levels {
		for i, r := range l.Rows {
			c.unit[r] = l.Units[i]
		}
	}
	for i := range n {
		c.A.SetCol(i, x.by[i])
	}
	var free []int
	for i := range n {
		if s.side[i] == 0 {
			free = append(free, i)
		}
	}
	for k := range a.list {
		c.E.SetCol(k, x.by[n+k])
		for i, side := range s.side {
			if side != 0 {
				// Limits are the lower (side −1) and the upper one (side 1).
				c.D.Set(i, k, a.limits[k][(side+1)/2][i]/s.size[i])
			}
		}
	}
	if len(free) > 0 {
		c.Z = mat.NewDense(n, len(free), nil)
		for j, i := range free {
			c.Z.Set(i, j, 1)
		}
	}
	return c
}

// level takes level l into account.
func (c *cascade) level(l int) error {
	v := &c.s.levels[l]
	if !v.Reached {
		return c.least(v.Rows, fmt.Sprintf("target %s", fault.Name(v.Targets[0])))
	}
	return c.keep(v.Rows, v.Targets)
}

// scaled returns the given rows of M in rad or lengths, without their weights.
func (c *cascade) scaled(M *mat.Dense, rows []int) *mat.Dense {
	out := pick(M, rows)
	for i, r := range rows {
		row := out.RawRowView(i)
		for j := range row {
			row[j] /= c.unit[r]
		}
	}
	return out
}

// keep takes a reached level into account: its rows stay zero, theory.md (I1).
func (c *cascade) keep(rows []int, targets []string) error {
	// A·(D + Z·z) + E = 0 by the least z: G = −(A·D + E), and left is the part of G that no z compensates.
	A, G := c.scaled(c.A, rows), c.scaled(c.E, rows)
	var AD mat.Dense
	AD.Mul(A, c.D)
	G.Add(G, &AD)
	G.Scale(-1, G)
	left := mat.DenseCopyOf(G)
	c.kept = append(c.kept, rows...)
	if c.Z != nil {
		var B mat.Dense
		B.Mul(A, c.Z)
		rank, z, next, err := solve(&B, G)
		if err != nil {
			return fmt.Errorf("%w: target %s", err, fault.Name(targets[0]))
		}
		var Bz, Zz mat.Dense
		Bz.Mul(&B, z)
		left.Sub(left, &Bz)
		Zz.Mul(c.Z, z)
		c.D.Add(c.D, &Zz)
		_, free := c.Z.Dims()
		c.Z = product(c.Z, next)
		if rank < min(len(rows), free) && next != nil {
			if err := c.singular(targets); err != nil {
				return err
			}
		}
	}
	return c.leaves(left, G, targets)
}

// leaves returns ErrLeaves for a direction along which a row of a reached level cannot stay zero. left holds the remaining changes of the
// rows, G the changes to be compensated.
func (c *cascade) leaves(left, G *mat.Dense, targets []string) error {
	n := len(c.s.driven)
	for k := range c.a.list {
		size := algebra.MaxAbs(c.x.moves[n+k]) / c.s.length
		for i := range targets {
			size = max(size, math.Abs(G.At(i, k)))
		}
		for i := range targets {
			if off := math.Abs(left.At(i, k)); off > leavesTol*size {
				err := fmt.Errorf("%w: target %s", ErrLeaves, fault.Name(targets[i]))
				return &derive.DirectionError{Direction: k, Name: c.a.list[k].Name, Err: err}
			}
		}
	}
	return nil
}

// solve returns the least z with B·z nearest to G, the rank of B, and a basis of the null space of B (next; nil if it is empty). It returns
// ErrSingular if a singular value is nearly zero.
func solve(B, G *mat.Dense) (rank int, z, next *mat.Dense, err error) {
	_, r := B.Dims()
	_, k := G.Dims()
	z = mat.NewDense(r, k, nil)
	var f mat.SVD
	if err := full.Singular(&f, B, mat.SVDFull); err != nil {
		return 0, nil, nil, fault.Errorf("derive/follow: %w", err)
	}
	var U, V mat.Dense
	f.UTo(&U)
	f.VTo(&V)
	for _, x := range f.Values(nil) {
		switch {
		case x > rankTol && x <= nearTol:
			return 0, nil, nil, ErrSingular
		case x > nearTol:
			for j := range k {
				along := mat.Dot(U.ColView(rank), G.ColView(j)) / x
				for i := range r {
					z.Set(i, j, z.At(i, j)+along*V.At(i, rank))
				}
			}
			rank++
		}
	}
	if rank < r {
		next = mat.DenseCopyOf(V.Slice(0, r, rank, r))
	}
	return rank, z, next, nil
}

// product returns Z·N; nil if N is nil.
func product(Z, N *mat.Dense) *mat.Dense {
	if N == nil {
		return nil
	}
	out := new(mat.Dense)
	out.Mul(Z, N)
	return out
}

// singular returns ErrSingular if the rows that are kept have a higher rank beside the solution, at a random motion that they leave.
func (c *cascade) singular(targets []string) error {
	s := c.s
	n, free := c.Z.Dims()
	rng := rand.New(rand.NewPCG(44, uint64(n)))
	// y is a random motion of Z, of the length asideBy.
	y := mat.NewVecDense(n, nil)
	for j := range free {
		y.AddScaledVec(y, 2*rng.Float64()-1, c.Z.ColView(j))
	}
	y.ScaleVec(asideBy/mat.Norm(y, 2), y)
	x, err := s.beside(y.RawVector().Data, c, s.drivenAlone())
	if err != nil {
		return fault.Errorf("derive/follow: beside the solution: %w", err)
	}
	here, err := rankOf(c.scaled(c.A, c.kept), s.side, rankTol)
	if err != nil {
		return err
	}
	A := mat.NewDense(len(s.e), n, nil)
	for i := range n {
		A.SetCol(i, x.by[i])
	}
	there, err := rankOf(c.scaled(A, c.kept), s.side, asideTol)
	if err == nil && there > here {
		return fmt.Errorf("%w: target %s has rank %d there and %d beside it", ErrSingular, fault.Name(targets[0]), here, there)
	}
	return err
}

// rankOf returns the rank of A without the columns of freedoms at a limit. Singular values up to tol count as zero.
func rankOf(A *mat.Dense, side []int8, tol float64) (rank int, err error) {
	B := mat.DenseCopyOf(A)
	rows, _ := A.Dims()
	for i, at := range side {
		for r := range rows {
			if at != 0 {
				B.Set(r, i, 0)
			}
		}
	}
	var f mat.SVD
	if err := full.Singular(&f, B, mat.SVDNone); err != nil {
		return 0, fault.Errorf("derive/follow: %w", err)
	}
	for _, x := range f.Values(nil) {
		if x > tol {
			rank++
		}
	}
	return rank, nil
}

// beside returns the slopes along in at the pose whose driven coordinates differ from the solution by y, in units of size.
func (s *Solution) beside(y []float64, c *cascade, in *derive.Directions) (*slopes, error) {
	st, err := s.goTo(y, c.x.moves)
	if err != nil {
		return nil, err
	}
	return s.slopesAt(st, c.a, in, derive.Options{NoReactions: true, Untried: true})
}

// drivenAlone returns one direction for each driven freedom.
func (s *Solution) drivenAlone() *derive.Directions {
	in := s.d.NewDirections(len(s.driven))
	for i, p := range s.driven {
		in.SetFollow(i, true)
		in.AddParameter(i, p, 1)
	}
	return in
}

// end returns the changes, or the reason why they are not unique.
func (c *cascade) end() ([]Change, error) {
	s := c.s
	for i, side := range s.side {
		if side != 0 && !c.pressed[i] {
			return nil, fmt.Errorf("%w: %s", ErrLimit, s.name(i))
		}
	}
	if c.Z != nil {
		if !s.least {
			return nil, fmt.Errorf("%w: %s can move while the targets stay", ErrFree, c.movers())
		}
		var ZD, part mat.Dense
		ZD.Mul(c.Z.T(), c.D)
		part.Mul(c.Z, &ZD)
		c.D.Sub(c.D, &part)
	}
	n := len(s.driven)
	list := make([]Change, len(c.a.list))
	for k := range list {
		u := &list[k]
		u.Moves = append([]float64(nil), c.x.moves[n+k]...)
		for i := range n {
			by := s.size[i] * c.D.At(i, k)
			u.Driven = append(u.Driven, by)
			for j, v := range c.x.moves[i] {
				u.Moves[j] += by * v
			}
		}
	}
	return list, nil
}

// movers lists the names of the driven freedoms that the remaining motions move.
func (c *cascade) movers() string {
	var names []string
	for i := range c.s.driven {
		if mat.Norm(c.Z.RowView(i), math.Inf(1)) > movesTol {
			names = append(names, c.s.p.DrivenName(i))
		}
	}
	return strings.TrimSpace(fault.List(names))
}

func rowsFrom(first, end int) (list []int) {
	for r := first; r < end; r++ {
		list = append(list, r)
	}
	return list
}
