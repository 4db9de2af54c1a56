package kkt

import "math"

// movesTol is the size of a projected random motion, relative to the motion before, up to which it counts as rounding.
const movesTol = 1e-6

// toUnitSpeed removes rounding from a projected random motion by dropRounding, and scales it by scaleToUnitSpeed. It reports whether
// something moves.
func toUnitSpeed(v, length []float64) bool {
	dropRounding(v)
	return scaleToUnitSpeed(v, length)
}

// dropRounding sets numbers of a projected random motion that are rounding to zero. v is in the coordinates in which the motion was of size
// 1 before; in other coordinates sizes depend on the masses.
func dropRounding(v []float64) {
	for i, x := range v {
		if !(math.Abs(x) > movesTol) {
			v[i] = 0
		}
	}
}

// scaleToUnitSpeed scales a motion, six numbers a body, so that its largest number is 1 relative to the length of the body. It reports
// whether something moves.
func scaleToUnitSpeed(v, length []float64) bool {
	speed := 0.0
	for i, x := range v {
		speed = max(speed, math.Abs(x)/length[i/6])
	}
	if speed == 0 {
		return false
	}
	for i := range v {
		v[i] /= speed
	}
	return true
}
