// Package interop hands matrices of package sparse to gonum and to
// james-bowman/sparse. It is a package of its own so that who solves does not
// compile either.
//
// Each function takes the order perm in which the nodes are seen, perm[new] =
// old; nil is the order of the pattern.
//
//	d := interop.Dense(system.Matrix, nil) // a *mat.SymDense
//	c := interop.CSC(system.Matrix, nil, nil)
package interop
