package algebra

import "math"

// Finite reports whether x is neither infinite nor NaN. A test of x − x == 0 would be wrong: if x is a product, a processor
// with fused multiply-adds may compute the product's rounding error instead of 0.
func Finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// AllFinite reports whether all numbers of v are finite.
func AllFinite(v ...float64) bool {
	// The product with zero is zero if x is finite, and NaN otherwise.
	sum := 0.0
	for _, x := range v {
		sum += 0 * x
	}
	return sum == 0
}
