package interop

import (
	jbsparse "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/sparse"
)

// symmetric adds the methods of mat.Symmetric to a view.
type symmetric struct {
	*sparse.View
	n int // scalar rows
}

// Symmetric returns m in the order perm as a gonum matrix that shares m's
// values.
//
// Cost: O(nodes); each At as Matrix.At. It panics if perm is not a permutation of
// the nodes.
func Symmetric(m *sparse.Matrix, perm []int32) mat.Symmetric {
	return symmetric{m.View(perm), m.Pattern.Dim()}
}

// Dims returns the numbers of scalar rows and columns.
func (s symmetric) Dims() (rows, cols int) { return s.n, s.n }

// SymmetricDim returns the number of scalar rows.
func (s symmetric) SymmetricDim() int { return s.n }

// T returns the matrix itself, which is symmetric.
func (s symmetric) T() mat.Matrix { return s }

// Dense returns a dense copy of m in the order perm. A matrix without rows gives
// the zero value of mat.SymDense.
//
// Cost: O(rows²) memory. It panics if perm is not a permutation of the nodes.
func Dense(m *sparse.Matrix, perm []int32) *mat.SymDense {
	v, n := m.View(perm), m.Pattern.Dim()
	if n == 0 {
		return &mat.SymDense{}
	}
	d := mat.NewSymDense(n, nil)
	v.Entries(nil, func(i, j int, x float64) {
		if i >= j {
			d.SetSym(i, j, x)
		}
	})
	return d
}

// CSC returns both triangles of m in the order perm in compressed sparse columns,
// rows increasing in a column and no entry twice. Zeros inside the blocks are
// stored, so the structure does not depend on the values.
//
// If prox is not nil, it is subtracted from the diagonal of the nodes of sign
// −1, whose diagonal entries are stored then: m − diag(prox) is the matrix that
// package factor factors. The entries of prox for other nodes are not used.
//
// Shapes: prox has one entry a row, in the order of the pattern.
// Cost: O(stored values). It panics on a length mismatch, and if perm is not a
// permutation of the nodes.
func CSC(m *sparse.Matrix, perm []int32, prox []float64) *jbsparse.CSC {
	p, n := m.Pattern, m.Pattern.Dim()
	nz := int(2*p.Pos[len(p.Ind)] + p.Dia[p.Len()])
	if prox != nil {
		nz += n - int(p.Off[p.Positive()])
	}
	ptr := make([]int, n+1)
	ind, val := make([]int, 0, nz), make([]float64, 0, nz)
	m.View(perm).Entries(prox, func(i, j int, x float64) {
		ind, val = append(ind, i), append(val, x)
		ptr[j+1] = len(ind)
	})
	// A column without an entry, such as one of a joint that couples nothing, ends
	// where the column before it ends.
	for j := range n {
		ptr[j+1] = max(ptr[j], ptr[j+1])
	}
	return jbsparse.NewCSC(n, n, ptr, ind, val)
}
