// Package kernel holds the dense loops of a multifrontal block LDLᵀ factorization. Some
// kernels multiply and factor narrow panels. Other kernels are for a few
// numbers at a time: products with rows of six numbers, sums of blocks, and solutions with
// small triangles. The kernels of mechanics are in package lanes.
//
// Every matrix is stored by columns: element (i,j) of a matrix with leading
// dimension ld is x[i+j*ld], ld is at least the number of rows, and nothing
// between the last row of one column and the first row of the next is read or
// written. A lower trapezoid of n rows and m ≤ n columns is the set j ≤ i < n,
// j < m; elements above its diagonal are never changed. Nothing has to be
// aligned. Arguments that are written may not overlap any other argument,
// except that Panel works in place. If a size is zero, a kernel does nothing, and slices may
// be empty.
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
// The kernels do not check their arguments. With the build tag check every call
// compares the lengths of its slices with its sizes, and panics if a slice is too short.
//
// The assembly is written by the program in internal/avo, which is a module
// of its own. The command changes nothing unless the program has changed:
//
//	go generate ./internal/kernel
//
// # Blocks
//
// Front, which needs AVX-512, keeps a whole front of up to 16 rows in registers, from the products of its leaves to the
// update matrix for its parent.
//
// Update keeps a tile of C in registers for all terms of the sum: up to 24×6 numbers
// with AVX-512, and up to 12×4 with AVX2. Panel halves its
// columns until they fit in registers. Up to six columns are factored 8 rows at a
// time. AVX-512 also factors seven or eight columns, 24 rows at a time, and nine or ten
// columns of at most 16 rows.
//
// # Eight vectors
//
// SubMul8, SolveLower8 and SolveLowerT8 take eight vectors side by side. A row of the eight vectors is one register of AVX-512 or two of
// AVX2, and a number of the matrix is read once for all vectors. Both sets do the same operations in the same order, and give the same
// bits.
//
// # Small sizes
//
// The kernels for rows of six numbers, sums and triangles are the same for AVX-512 and
// AVX2. A row of six numbers is a vector of four and a vector of two, which need no mask. A
// masked load would wait for stores to adjacent memory, such as the previous column
// of a small block. Each unknown of a triangle of up to 15 unknowns is in a
// register of its own. A larger triangle is solved in blocks of 12 columns.
package kernel
