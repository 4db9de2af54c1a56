// Package factor factors symmetric block matrices of known pivot signs as
// L·D·Lᵀ without pivoting, and solves with them ([theory.md (15)]).
//
// The matrix K has blocks of two signs. Those of sign +1 are positive definite.
// A small proximal term −Γ on the diagonal of the blocks of sign −1 makes
// the rest negative definite. So K − Γ is quasi-definite, and the factorization
// exists for every symmetric permutation (Vanderbei 1995). Nothing about it depends
// on the numbers: the pattern of L, the order and the signs of all pivots are
// known beforehand.
//
//	s, used, tried := factor.Choose(m.Pattern, order.Auto, 1) // once a pattern
//	f := s.NewFactor()                                        // once a goroutine
//	err := f.Factorize(m, scale, 1e-12, factor.WhereWeak)     // at each change of values
//	f.SolveTo(x, b)                                           // as often as you like
//	fmt.Println(used, len(tried), s.Counts.Flops, f.Weak)     // f.Weak rows depend on others
//
// There are two kinds of object:
//
//   - [Symbolic]: order, elimination tree, supernodes, counts. It is immutable and
//     shared between goroutines. [Analyze] makes it.
//   - [Factor]: the memory of one factorization. [Factor.Factorize] and
//     [Factor.SolveTo] allocate nothing and may be repeated.
//     [Factor.SolveRefinedTo] refines with the residual of K, without the proximal
//     term. Each step is one proximal-point iteration, [theory.md (18)], so the
//     term leaves no trace in the result.
//
// [Span] and [RowSpan] factor the blocks between the nodes of the two signs
// orthogonally, on the same analysis with the signs exchanged. Least norms and ranks
// follow from them that a factor of products W·Wᵀ loses to rounding, [theory.md (28) to (31)].
// [Precise] computes with 32 digits.
//
// Cost: the analysis is near-linear on graphs of mechanisms; Factorize takes Counts.Flops, and a solve grows with
// Counts.NonZeros.
//
// Errors: Factorize returns a [PivotError] with the node where a pivot has the wrong sign or is not finite. After an error there
// is no factor, and solving panics.
//
// The numeric method is multifrontal (Duff & Reid 1983). Each supernode is
// assembled into a small dense front, from the matrix and from the update
// matrices of its children. The front is eliminated, and its own update matrix waits
// on a stack, at a place that the analysis has found. A node of sign +1 that comes
// before all its neighbours is a leaf and needs no front: its block is 1, and its
// W·Wᵀ is subtracted in the front of its first neighbour, [theory.md (17)]. A
// matrix with other +1 blocks is first brought to unit ones. Independent subtrees may
// run on several goroutines; the bits are the same.
//
// [theory.md (15)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#factorization-without-pivoting
// [theory.md (17)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#how-the-factor-is-computed
// [theory.md (18)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#refinement
// [theory.md (28) to (31)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#unique-reactions-and-least-norm
package factor
