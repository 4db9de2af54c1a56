package kkt

import "math"

// movesTol is the part of a random motion that the joints have to leave if a mechanism moves.
const movesTol = 1e-6

// toUnitSpeed takes rounding out of a motion, and scales it so that a body moves by a radian or its length. It reports whether
// something moves.
func toUnitSpeed(v, length []float64) bool {
	speed := 0.0
	for i, x := range v {
		if !(math.Abs(x) > movesTol) {
			v[i] = 0
		}
		speed = max(speed, math.Abs(v[i])/length[i/6])
	}
	if speed == 0 {
		return false
	}
	for i := range v {
		v[i] /= speed
	}
	return true
}
