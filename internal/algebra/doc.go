// Package algebra has what packages share on short vectors and small matrices that stand in slices,
// matrices by rows: the largest magnitude, the scalar product, Cholesky factors, and the directions of
// conjugate gradients. Nothing in it allocates. A NaN among the numbers is never lost.
package algebra
