package algebra

import "math"

// MaxAbs returns the largest magnitude in v, NaN if v has a NaN, and 0 if v is empty.
//
// Cost: one comparison a number.
func MaxAbs(v []float64) float64 {
	const sign = 1 << 63
	var m, n uint64 // magnitudes are ordered as their bits are, NaN above all
	for ; len(v) >= 4; v = v[4:] {
		a, b := math.Float64bits(v[0])&^sign, math.Float64bits(v[1])&^sign
		c, d := math.Float64bits(v[2])&^sign, math.Float64bits(v[3])&^sign
		m, n = max(m, max(a, b)), max(n, max(c, d))
	}
	for _, x := range v {
		m = max(m, math.Float64bits(x)&^sign)
	}
	return math.Float64frombits(max(m, n))
}

// Dot returns aᵀb, summed from the first element to the last. b is at least as long as a; further elements are not read.
func Dot(a, b []float64) (s float64) {
	b = b[:len(a)]
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// NearTurn returns the angle x plus the multiple of 2π that brings it within π of the angle to, both in radians.
func NearTurn(x, to float64) float64 {
	return x + 2*math.Pi*math.RoundToEven((to-x)/(2*math.Pi))
}
