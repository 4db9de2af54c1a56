// Package interop converts matrices of package sparse to those of gonum and of
// james-bowman/sparse. It is a package of its own so that programs that only solve do not
// compile these libraries.
//
// Each function takes the order perm of the nodes in the result, perm[new] =
// old; nil is the order of the pattern.
//
//	d := interop.Dense(system.Matrix, nil) // a *mat.SymDense
//	c := interop.CSC(system.Matrix, nil, nil)
package interop
