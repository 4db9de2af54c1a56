package tree_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/tree"
)

// This file holds the forms of constraints of RBDA §3.2 (eqs 3.11–3.23) on dense matrices, from implicit to explicit and back, and the
// equation of motion under an explicit one, which tests hold the sparse ones against.

// view is a tree.Constraints as a matrix of gonum.
type view struct{ *tree.Constraints }

func (v view) T() mat.Matrix { return mat.Transpose{Matrix: v} }

// explicit is the constraint q̈ = G·ÿ + g with independent ÿ.
type explicit struct {
	G           *mat.Dense // n × Independent; nil where nothing is left
	Bias        []float64  // g
	Independent []int      // entries of q that are y
	Rank        int        // of the implicit constraint
}

// toExplicit returns the explicit form of K·q̈ = k (KG = 0 and Kg = k), by elimination with complete pivoting: the
// dependent variables are those of the pivots. A pivot below tol times the largest entry of K ends the elimination.
//
// Cost: O(rows²·n).
// It returns tree.ErrInconsistent if a row left over has a right side above tol times
// the largest entry of k. It panics on a length mismatch.
func toExplicit(K mat.Matrix, k []float64, tol float64) (*explicit, error) {
	rows, n := K.Dims()
	if len(k) != rows {
		panic("tree_test: length mismatch")
	}
	A := mat.NewDense(rows, n+1, nil)
	A.Slice(0, rows, 0, n).(*mat.Dense).Copy(K)
	A.SetCol(n, k)
	perm := make([]int, n)
	for j := range perm {
		perm[j] = j
	}
	scaleK, scaleB := mat.Max(absolute(K)), 0.0
	for _, x := range k {
		scaleB = math.Max(scaleB, math.Abs(x))
	}
	rank := 0
	for ; rank < min(rows, n); rank++ {
		r, c := largest(A, rank, n)
		if !(math.Abs(A.At(r, c)) > tol*scaleK) {
			break
		}
		swapRows(A, rank, r)
		swapCols(A, rank, c)
		perm[rank], perm[c] = perm[c], perm[rank]
		eliminateColumn(A, rank)
	}
	for r := rank; r < rows; r++ {
		if x := math.Abs(A.At(r, n)); !(x <= tol*math.Max(scaleB, scaleK)) {
			return nil, fmt.Errorf("%w: %.3g is left of a right side of %.3g", tree.ErrInconsistent, x, scaleB)
		}
	}
	return explicitFrom(A, perm, rank), nil
}

// explicitFrom reads G and g from the reduced matrix (1 B | k') of the permuted
// variables: the dependent ones are k' − B·ÿ.
func explicitFrom(A *mat.Dense, perm []int, rank int) *explicit {
	n := len(perm)
	x := &explicit{Bias: make([]float64, n), Rank: rank, Independent: append([]int(nil), perm[rank:]...)}
	if rank < n {
		x.G = mat.NewDense(n, n-rank, nil)
	}
	for r := range rank {
		x.Bias[perm[r]] = A.At(r, n)
		for j := rank; j < n; j++ {
			x.G.Set(perm[r], j-rank, -A.At(r, j))
		}
	}
	for j := rank; j < n; j++ {
		x.G.Set(perm[j], j-rank, 1)
	}
	return x
}

// toImplicit returns K and k of the implicit form of q̈ = G·ÿ + g: the rows of K
// are orthonormal and orthogonal to the columns of G, which are independent, and
// k = K·g. K is nil if G has as many columns as rows.
//
// Cost: O(n²·columns). It panics on a length mismatch.
func toImplicit(G mat.Matrix, g []float64) (*mat.Dense, []float64) {
	n, free := G.Dims()
	if len(g) != n || free > n {
		panic("tree_test: length mismatch")
	}
	if free == n {
		return nil, nil
	}
	var qr mat.QR
	var Q mat.Dense
	qr.Factorize(G)
	qr.QTo(&Q)
	K := mat.DenseCopyOf(Q.Slice(0, n, free, n).T())
	k := mat.NewVecDense(n-free, nil)
	k.MulVec(K, mat.NewVecDense(n, g))
	return K, k.RawVector().Data
}

// project returns GᵀHG and Gᵀ(f − H·g), matrix and right side of the equation of
// motion under the explicit constraint x: GᵀHG·ÿ = Gᵀ(τ − C − Hg) with
// f = τ − C. H is symmetric. It panics on a length mismatch or if nothing is
// left free.
func (x *explicit) project(H mat.Matrix, f []float64) (*mat.SymDense, []float64) {
	n := len(x.Bias)
	if rows, cols := H.Dims(); rows != n || cols != n || len(f) != n {
		panic("tree_test: length mismatch")
	}
	if x.G == nil {
		panic("tree_test: no independent variable")
	}
	_, free := x.G.Dims()
	var HG mat.Dense
	HG.Mul(H, x.G)
	A := mat.NewSymDense(free, nil)
	for i := range free {
		for j := i; j < free; j++ {
			A.SetSym(i, j, mat.Dot(x.G.ColView(i), HG.ColView(j)))
		}
	}
	var r, b mat.VecDense
	r.MulVec(H, mat.NewVecDense(n, x.Bias))
	r.SubVec(mat.NewVecDense(n, f), &r)
	b.MulVec(x.G.T(), &r)
	return A, b.RawVector().Data
}

// absolute returns a matrix of the magnitudes of K.
func absolute(K mat.Matrix) *mat.Dense {
	var A mat.Dense
	A.Apply(func(_, _ int, x float64) float64 { return math.Abs(x) }, K)
	return &A
}

// largest returns the place of the largest magnitude in the first n columns, not
// before row and column k.
func largest(A *mat.Dense, k, n int) (row, col int) {
	rows, _ := A.Dims()
	row, col = k, k
	worst := -1.0
	for i := k; i < rows; i++ {
		for j, x := range A.RawRowView(i)[k:n] {
			if a := math.Abs(x); a > worst {
				worst, row, col = a, i, k+j
			}
		}
	}
	return row, col
}

func swapRows(A *mat.Dense, i, j int) {
	if i != j {
		blas64.Swap(vector(A.RawRowView(i)), vector(A.RawRowView(j)))
	}
}

func swapCols(A *mat.Dense, i, j int) {
	if i == j {
		return
	}
	rows, _ := A.Dims()
	for r := range rows {
		row := A.RawRowView(r)
		row[i], row[j] = row[j], row[i]
	}
}

// eliminateColumn scales row k to a pivot of one and clears column k in all
// other rows (Gauss-Jordan).
func eliminateColumn(A *mat.Dense, k int) {
	rows, _ := A.Dims()
	pivot := A.RawRowView(k)
	blas64.Scal(1/pivot[k], vector(pivot))
	for i := range rows {
		if row := A.RawRowView(i); i != k && row[k] != 0 {
			blas64.Axpy(-row[k], vector(pivot), vector(row))
			row[k] = 0
		}
	}
}

func vector(x []float64) blas64.Vector {
	return blas64.Vector{N: len(x), Inc: 1, Data: x}
}
