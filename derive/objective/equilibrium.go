package objective

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/algebra"
)

// neutralTol is the reciprocal condition number of the stiffness below which some motion meets no force.
const neutralTol = 1e-12

// settling is the linearization by which an equilibrium follows parameters, theory.md (V7).
type settling struct {
	s   *derive.StateSpace
	lu  mat.LU     // factors of A₂₁
	C   *mat.Dense // derivatives of the outputs by the coordinates
	any bool       // there are coordinates
}

// newSettling linearizes the mechanism at the equilibrium and factors its stiffness, A₂₁ of theory.md (V7). If that is singular to
// rounding, there are other equilibria in the neighbourhood, and this one does not follow parameters uniquely: newSettling returns
// ErrNotDifferentiable with the weakest freedom.
func (g *Problem) newSettling() (*settling, error) {
	s, err := g.d.StateSpace(derive.StateSpaceOptions{Outputs: g.outputs})
	if err != nil {
		return nil, err
	}
	m := len(s.Coordinates)
	e := &settling{s: s, any: m > 0}
	if m == 0 {
		return e, nil
	}
	K := mat.NewDense(m, m, nil)
	e.C = mat.NewDense(len(g.outputs), m, nil)
	for i := range m {
		K.SetRow(i, s.A[m+i][:m])
	}
	for i := range g.outputs {
		e.C.SetRow(i, s.C[i][:m])
	}
	e.lu.Factorize(K)
	if condition := e.lu.Cond(); !(condition*neutralTol < 1) {
		c := s.Coordinates[weakest(K)]
		return nil, g.mech.AtJoint(c.Joint, -1, fmt.Errorf("%w: the equilibrium is neutral: freedom %d meets no force there",
			ErrNotDifferentiable, c.Freedom.Freedom))
	}
	return e, nil
}

// untransposed is the argument trans of mat.LU.SolveVecTo for A·x = b.
const untransposed = false

// add adds to x, the derivatives of the outputs along direction at of out, the part by the coordinates, which change so that accelerations
// stay zero.
func (e *settling) add(x []float64, out *derive.Changes, at int) {
	if !e.any {
		return
	}
	m := len(e.s.Coordinates)
	f := mat.NewVecDense(m, nil)
	for i, c := range e.s.Coordinates {
		f.SetVec(i, -out.Joint(at, c.Joint).Qdd[c.Freedom.Freedom])
	}
	var y, z mat.VecDense
	if err := e.lu.SolveVecTo(&y, untransposed, f); err != nil {
		panic("derive/objective: a matrix that was regular is singular")
	}
	z.MulVec(e.C, &y)
	for i := range x {
		x[i] += z.AtVec(i)
	}
}

// weakest returns the row whose largest entry is the smallest, the first of rows that are equal but for rounding.
func weakest(K *mat.Dense) (row int) {
	least := math.Inf(1)
	n, _ := K.Dims()
	for i := range n {
		if most := mat.Norm(K.RowView(i), math.Inf(1)); most < least*(1-algebra.Alike) {
			least, row = most, i
		}
	}
	return row
}

// still returns an error if a prescribed motion is not at rest at a time, as an equilibrium has to be.
func (g *Problem) still(time float64) error {
	for j := range g.mech.Joints {
		jt := &g.mech.Joints[j]
		for i := range jt.Kind.Freedoms() {
			if !jt.Prescribed(i) {
				continue
			}
			if _, rate, second := jt.Motion[i].At(time); rate != 0 || second != 0 {
				return g.mech.AtJoint(j, -1, fmt.Errorf("%w: the motion of freedom %d moves, and an equilibrium is at rest", ErrNotDifferentiable, i))
			}
		}
	}
	return nil
}
