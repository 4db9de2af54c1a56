package algebra

// Finite reports whether x is neither infinite nor undefined.
func Finite(x float64) bool { return x-x == 0 }

// Worse reports whether x is worse than the worst number so far: larger, or the first one that is undefined, which none after it displaces.
func Worse(x, worst float64) bool { return !(x <= worst) && worst == worst }

// AllFinite reports whether all numbers of v are finite.
func AllFinite(v ...float64) bool {
	// The product with zero is zero, or not a number.
	sum := 0.0
	for _, x := range v {
		sum += 0 * x
	}
	return sum == 0
}
