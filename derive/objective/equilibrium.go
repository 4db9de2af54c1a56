package objective

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/derive"
)

// ErrNeutral is for equilibria that are none in a neighbourhood of their own, so that they do not follow parameters.
var ErrNeutral = errors.New("derive/objective: the equilibrium is neutral")

// neutralTol is the reciprocal condition number of the stiffness below which motions meet no force.
const neutralTol = 1e-12

// settling is how an equilibrium follows parameters, theory.md (V6): what the changes of the independent coordinates change of the
// outputs, one column a parameter.
type settling struct{ outputs *mat.Dense }

// of returns what output i changes by, for parameter k.
func (s *settling) of(i, k int) float64 { return s.outputs.At(i, k) }

// settle finds how the coordinates change such that there are no accelerations, theory.md (V6).
func (g *Problem) settle(out *derive.Changes) (*settling, error) {
	n := len(g.parameters)
	s, err := g.d.StateSpace(derive.StateSpaceOptions{Outputs: g.outputs})
	if err != nil {
		return nil, err
	}
	m := len(s.Coordinates)
	if m == 0 || n == 0 {
		return &settling{mat.NewDense(len(g.outputs), max(n, 1), nil)}, nil
	}
	K, f, C := mat.NewDense(m, m, nil), mat.NewDense(m, n, nil), mat.NewDense(len(g.outputs), m, nil)
	for i, c := range s.Coordinates {
		K.SetRow(i, s.A[m+i][:m])
		for k := range n {
			f.Set(i, k, -out.Joint(k, c.Joint).Qdd[c.Freedom.Freedom])
		}
	}
	for i := range g.outputs {
		C.SetRow(i, s.C[i][:m])
	}
	var lu mat.LU
	lu.Factorize(K)
	if condition := lu.Cond(); !(condition*neutralTol < 1) {
		c := s.Coordinates[weakest(K)]
		return nil, g.mech.AtJoint(c.Joint, -1, fmt.Errorf("%w: freedom %d meets no force there", ErrNeutral, c.Freedom.Freedom))
	}
	var y, z mat.Dense
	if err := lu.SolveTo(&y, false, f); err != nil {
		return nil, fmt.Errorf("derive/objective: %w", err)
	}
	z.Mul(C, &y)
	return &settling{&z}, nil
}

// weakest returns the row of the least largest entry.
func weakest(K *mat.Dense) (row int) {
	least := math.Inf(1)
	n, _ := K.Dims()
	for i := range n {
		if most := mat.Norm(K.RowView(i), math.Inf(1)); most < least {
			least, row = most, i
		}
	}
	return row
}
