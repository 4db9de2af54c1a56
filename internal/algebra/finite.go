package algebra

// Finite reports whether x is neither infinite nor undefined.
func Finite(x float64) bool { return x-x == 0 }

// AllFinite reports whether all numbers of v are finite.
func AllFinite(v ...float64) bool {
	// The product with zero is zero, or not a number.
	sum := 0.0
	for _, x := range v {
		sum += 0 * x
	}
	return sum == 0
}
