// Package algebra has operations on short vectors and small matrices that several packages share: the
// largest magnitude, the scalar product, Cholesky factors, and the search directions of conjugate
// gradients. Vectors and matrices are slices, and matrices are stored by rows. Nothing in it allocates.
// A NaN among the numbers is never lost.
package algebra
