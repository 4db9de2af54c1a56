package sparse

import (
	jbsparse "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

var _ mat.Symmetric = (*View)(nil)

// AsMatrix returns m as a gonum matrix that shares m's values.
//
// Cost: O(nodes); each At as Matrix.At.
func AsMatrix(m *Matrix) mat.Symmetric { return m.View(nil) }

// Dims returns the numbers of scalar rows and columns.
func (v *View) Dims() (rows, cols int) {
	n := v.SymmetricDim()
	return n, n
}

// SymmetricDim returns the number of scalar rows.
func (v *View) SymmetricDim() int { return v.m.P.Dim() }

// T returns the view itself: the matrix is symmetric.
func (v *View) T() mat.Matrix { return v }

// Dense returns m as a dense symmetric matrix; see View.Dense.
func (m *Matrix) Dense() *mat.SymDense { return m.View(nil).Dense() }

// Dense returns a dense copy of the reordered matrix. A matrix without rows
// gives the zero value of mat.SymDense.
//
// Cost: O(rows²) memory.
func (v *View) Dense() *mat.SymDense {
	n := v.SymmetricDim()
	if n == 0 {
		return &mat.SymDense{}
	}
	d := mat.NewSymDense(n, nil)
	v.columns(nil, func(i, j int, x float64) {
		if i >= j {
			d.SetSym(i, j, x)
		}
	})
	return d
}

// CSC returns both triangles of m in compressed sparse columns; see View.CSC.
func (m *Matrix) CSC() *jbsparse.CSC { return m.View(nil).CSC(nil) }

// CSCWith returns m − diag(prox), the matrix that package factor factors, in
// compressed sparse columns; see View.CSC.
func (m *Matrix) CSCWith(prox []float64) *jbsparse.CSC {
	if prox == nil {
		prox = []float64{}
	}
	return m.View(nil).CSC(prox)
}

// CSC returns both triangles of the reordered matrix in compressed sparse
// columns, rows increasing in a column and no entry twice. Zeros inside the
// blocks are stored, so the structure does not depend on the values.
//
// A prox that is not nil is subtracted from the diagonal of the nodes of sign
// −1, whose diagonal entries are stored then; its other entries are not used.
//
// Shapes: prox has one entry a row, in the order of the pattern.
// Cost: O(stored values). It panics on a length mismatch.
func (v *View) CSC(prox []float64) *jbsparse.CSC {
	p, n := v.m.P, v.SymmetricDim()
	if prox != nil && len(prox) != n {
		panic("sparse: length mismatch")
	}
	nz := int(2*p.Pos[len(p.Ind)] + p.Dia[p.Len()])
	if prox != nil {
		nz += n - int(p.Off[p.Positive()])
	}
	ptr := make([]int, n+1)
	ind, val := make([]int, 0, nz), make([]float64, 0, nz)
	v.columns(prox, func(i, j int, x float64) {
		ind, val = append(ind, i), append(val, x)
		ptr[j+1] = len(ind)
	})
	// A column without an entry, as of a joint that couples nothing, ends
	// where the one before it does.
	for j := range n {
		ptr[j+1] = max(ptr[j], ptr[j+1])
	}
	return jbsparse.NewCSC(n, n, ptr, ind, val)
}

// columns calls emit for every stored entry of both triangles, column by
// column, rows increasing; prox as in CSC.
func (v *View) columns(prox []float64, emit func(i, j int, x float64)) {
	l := newLayout(v.m.P, v.perm)
	for c := range l.perm {
		o := int(l.off[c])
		for a := range int(l.off[c+1]) - o {
			l.column(v.m, c, a, prox, func(i int, x float64) { emit(i, o+a, x) })
		}
	}
}
