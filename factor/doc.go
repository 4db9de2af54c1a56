// Package factor factors symmetric block matrices of known pivot signs as
// L·D·Lᵀ without pivoting, and solves with them.
//
// The matrix is quasi-definite: blocks of sign +1 are positive definite, and
// a small proximal term −e on the diagonal of the blocks of sign −1 makes the
// rest negative definite, so that the factorization exists for every symmetric
// permutation (Vanderbei 1995) and nothing about it depends on the numbers: the
// pattern of L, the order and the signs of all pivots are known beforehand.
//
// Three kinds of object, in this order:
//
//   - Symbolic: order, elimination tree, supernodes, counts; immutable, shared
//     between goroutines.
//   - Factor: the memory of one factorization; Factorize and SolveTo allocate
//     nothing and may be repeated.
//   - Refine: iterative refinement with the matrix without the proximal term;
//     each step is one proximal-point iteration, so the term leaves no trace in
//     the result.
//
// Span factors the blocks between the nodes of the two signs orthogonally, on the same analysis with the signs exchanged:
// for least norms and ranks that a factor of products could not tell.
//
// The numeric method is multifrontal (Duff & Reid 1983): each supernode is
// assembled into a small dense front from the matrix and from the update
// matrices of its children, eliminated, and its own update matrix waits on a
// stack, at a place that the analysis has found. Nodes of sign +1 that come before
// all their neighbours need no front: with unit diagonal blocks W·Wᵀ of such a leaf
// goes straight into another one's.
// A matrix with other +1 blocks is first brought to unit ones. Independent subtrees
// may run on several goroutines; the bits are the same.
package factor
