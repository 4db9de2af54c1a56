package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Close fails the test unless |got − want| ≤ tol·scale. A NaN or an infinity
// among the numbers fails. The message msg, formatted with args, names the compared quantity.
func Close(t testing.TB, got, want, tol, scale float64, msg string, args ...any) {
	t.Helper()
	if !within(got, want, tol, scale) {
		t.Errorf("%s: got %.17g, want %.17g: off by %.3g, allowed %.3g·%.3g",
			fmt.Sprintf(msg, args...), got, want, math.Abs(got-want), tol, scale)
	}
}

// CloseVec is Close for every component of two vectors. It fails once, and reports the
// component with the largest difference. Different lengths fail.
func CloseVec(t testing.TB, got, want []float64, tol, scale float64, msg string, args ...any) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %d components, want %d", fmt.Sprintf(msg, args...), len(got), len(want))
		return
	}
	worst, bad, off := -1, 0, 0.0
	for i, g := range got {
		if within(g, want[i], tol, scale) {
			continue
		}
		bad++
		d := math.Abs(g - want[i])
		if worst < 0 || !math.IsNaN(off) && (math.IsNaN(d) || d > off) {
			worst, off = i, d
		}
	}
	if bad > 0 {
		t.Errorf("%s: %d of %d components differ, the worst is [%d]: got %.17g, want %.17g: off by %.3g, allowed %.3g·%.3g",
			fmt.Sprintf(msg, args...), bad, len(got), worst, got[worst], want[worst], off, tol, scale)
	}
}

// within reports whether |got − want| ≤ tol·scale. It returns false for any NaN and for infinite differences and bounds.
func within(got, want, tol, scale float64) bool {
	bound := tol * scale
	return math.Abs(got-want) <= bound && !math.IsInf(bound, 0)
}

// MaxAbs returns the largest magnitude in v, 0 if v is empty, and NaN if v has a NaN.
func MaxAbs(v []float64) float64 {
	worst := 0.0
	for _, x := range v {
		worst = math.Max(worst, math.Abs(x))
	}
	return worst
}

// Matrix has the methods of a matrix that Residual calls; matrices of gonum have them.
type Matrix interface {
	Dims() (rows, cols int)
	At(i, j int) float64
}

// Residual returns the scaled residual ‖A·x − b‖∞ / (‖A‖₁‖x‖∞ + ‖b‖∞) of a
// square A, 0 if A·x = b exactly. It panics on a length mismatch.
//
// Cost: O(rows²).
func Residual(A Matrix, x, b []float64) float64 {
	n, c := A.Dims()
	if c != n || len(x) != n || len(b) != n {
		panic("check: length mismatch")
	}
	r, col := make([]float64, n), make([]float64, n)
	for i := range n {
		r[i] = -b[i]
		for j := range n {
			a := A.At(i, j)
			r[i] += a * x[j]
			col[j] += math.Abs(a)
		}
	}
	worst := MaxAbs(r)
	if worst == 0 {
		return 0
	}
	return worst / (MaxAbs(col)*MaxAbs(x) + MaxAbs(b))
}

// Rand returns the random source number n; equal numbers give equal sequences.
func Rand(n uint64) *rand.Rand { return rand.New(rand.NewPCG(1, n)) }
