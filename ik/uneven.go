package ik

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Where all three rows of a rotation weigh the same, angular velocities do for the derivatives of its rotation vector: the gradient of
// its square is the same. Otherwise they do not: what a row of weight 0 leaves may be large at the end, too.

// turnRows puts the derivatives of the rotation vector in place of the angular velocities in s.rows (a fixed joint's first three), docs/inverse-kinematics.md, Targets.
func (t *target) turnRows(s *sight) {
	var delta [6]float64
	t.joint.PositionErrorTo(&delta, &s.jk.Frames, 0)
	B := rotationRates(spatial.Vec3(delta[:3]))
	var rows [3]spatial.Force
	for i := range rows {
		for j := range 3 {
			for c, x := range s.rows.T[j] {
				rows[i][c] += B[3*i+j] * x
			}
		}
	}
	copy(s.rows.T[:3], rows[:])
}

// rotationRates returns the matrix B(δ) of docs/inverse-kinematics.md, Targets for a rotation vector δ of at most π.
func rotationRates(d spatial.Vec3) spatial.Mat3 {
	a := d.Norm()
	c := 1.0/12 + a*a/720
	if a > 0.01 {
		c = (1 - a/2/math.Tan(a/2)) / (a * a)
	}
	S := d.Skew()
	return spatial.Identity3().Add(S.Scale(-0.5)).Add(S.Mul(S).Scale(c))
}
