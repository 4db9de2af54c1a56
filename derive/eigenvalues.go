package derive

import (
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
)

// Eigenvalues returns the eigenvalues of A, 1/s, in no particular order.
//
// Cost: O(coordinates³); allocates. It returns an error if the iteration does not converge.
func (s *StateSpace) Eigenvalues() ([]complex128, error) {
	n := len(s.A)
	if n == 0 {
		return nil, nil
	}
	A := mat.NewDense(n, n, nil)
	for i, row := range s.A {
		A.SetRow(i, row)
	}
	var e mat.Eigen
	if err := full.General(&e, A); err != nil {
		return nil, fault.Errorf("derive: %w", err)
	}
	return e.Values(nil), nil
}
