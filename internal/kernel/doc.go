// Package kernel holds the dense loops of a multifrontal block LDLᵀ. Products and
// factors of narrow panels have leading dimensions. Other kernels are for a few
// numbers at a time: products with rows of six, sums of blocks, and solutions with
// small triangles. Kernels with mechanics in them are in package lanes.
//
// Every matrix is stored by columns: element (i,j) of a matrix with leading
// dimension ld is x[i+j*ld], ld is at least the number of rows, and nothing
// between the last row of one column and the first row of the next is read or
// written. A lower trapezoid of n rows and m ≤ n columns is the set j ≤ i < n,
// j < m; what lies above its diagonal is never changed. Nothing has to be
// aligned. Arguments that are written may not overlap any other argument,
// except that Panel works in place. A size of zero is no work, and slices may
// then be empty.
//
// # Variants
//
// There are three sets of kernels: AVX-512 (F, DQ, VL), AVX2 with FMA, and
// plain Go, which is the only one on other processors and with the build tag
// noasm or purego. The best one that processor and operating system allow is
// chosen when the program starts and never changes, so the same program with
// the same input on the same machine gives the same bits. Different variants
// add in a different order and give different roundings.
//
// The kernels trust their arguments: with the build tag check every call
// compares the lengths of its slices with its sizes and panics.
//
// The assembly is written by the program in internal/avo, which is a module
// of its own; the command changes nothing unless the program has changed:
//
//	go generate ./internal/kernel
//
// # Blocks
//
// Front, with AVX-512 alone, keeps a whole front of up to 16 rows in registers, from the products of its leaves to what
// it hands to its parent.
//
// Update keeps a tile of C in registers for all terms of the sum: up to 24×6 numbers
// with AVX-512, 12×4 with AVX2, and smaller ones at the edges. Panel halves its
// columns until they fit in registers. At most six columns are factored 8 rows at a
// time. With AVX-512 also seven or eight columns are, 24 rows at a time, and up to ten
// columns of at most 16 rows.
//
// # Eight vectors
//
// SubMul8, SolveLower8 and SolveLowerT8 take eight vectors side by side, so that a row of them is one register of AVX-512 or two of AVX2,
// and a number of the matrix is read once for all. Both sets have the same operations in the same order, and the same bits.
//
// # Small sizes
//
// The kernels for rows of six, sums and triangles are the same for AVX-512 and
// AVX2. A row of six is a vector of four and one of two, which need no mask. With
// masks, a load would wait for stores to the memory next to it, such as the column
// before in a small block. A triangle of up to 15 unknowns has each unknown in a
// register of its own; a larger one is solved in blocks of 12 columns.
package kernel
