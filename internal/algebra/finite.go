package algebra

import "math"

// Finite reports whether x is neither infinite nor undefined. The difference x − x would not do. Where x is a product, a processor with
// fused multiply-adds finds its rounding.
func Finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// AllFinite reports whether all numbers of v are finite.
func AllFinite(v ...float64) bool {
	// The product with zero is zero, or not a number.
	sum := 0.0
	for _, x := range v {
		sum += 0 * x
	}
	return sum == 0
}
