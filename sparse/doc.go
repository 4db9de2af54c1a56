// Package sparse stores symmetric matrices made of small dense blocks. The
// pattern is stored once, the values for each state.
//
// The matrices of this library are the KKT systems of RBDA eq. 8.64: one block
// row of six for every body and one of 1 to 6 for every joint. The package
// does not know bodies and joints, but nodes with a size and a sign. It computes
// products and residuals, and writes MatrixMarket files and pictures of the pattern; package
// interop converts to matrices of gonum and james-bowman/sparse.
//
//	p := sparse.NewPattern(size, sign, ptr, ind) // once; package assemble makes that of a mechanism
//	m := sparse.NewMatrix(p)                     // then m.Dia and m.Val are filled
//	m.MulVecTo(dst, x)
//	err := m.WriteMatrixMarket(file)
package sparse
