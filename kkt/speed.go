package kkt

import "math"

// movesTol is the part of a random motion that the joints have to leave if a mechanism moves.
const movesTol = 1e-6

// toUnitSpeed takes rounding out of a motion in the coordinates of a random one, and scales it as scaleToUnitSpeed does. It reports whether
// something moves.
func toUnitSpeed(v, length []float64) bool {
	dropRounding(v)
	return scaleToUnitSpeed(v, length)
}

// dropRounding makes zero what is rounding in a random motion, in the coordinates in which its loads are of size 1: those of accelerations
// depend on the masses.
func dropRounding(v []float64) {
	for i, x := range v {
		if !(math.Abs(x) > movesTol) {
			v[i] = 0
		}
	}
}

// scaleToUnitSpeed scales a motion, six numbers a body, so that a body moves by a radian or its length. It reports whether something moves.
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
