// Package sparse stores symmetric matrices made of small dense blocks: the
// pattern once, the values each state.
//
// The matrices of this library are the KKT systems of RBDA eq. 8.64: one block
// row of six for every body and one of 1 to 6 for every joint. The package
// knows nothing of either; it knows nodes with a size and a sign. Besides the
// product it writes MatrixMarket files and pictures of the pattern; package
// interop makes matrices of gonum and james-bowman/sparse.
//
//	p := sparse.NewPattern(size, sign, ptr, ind) // once; package assemble makes that of a mechanism
//	m := sparse.NewMatrix(p)                     // then m.Dia and m.Val are filled
//	m.MulVecTo(dst, x)
//	err := m.WriteMatrixMarket(file)
package sparse
