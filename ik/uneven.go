package ik

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Where all rows of a rotation weigh the same, angular velocities do for the
// derivatives of its rotation vector: the gradient of its square is the same.
// Otherwise they do not: what a row of weight 0 leaves may be large at the end, too.

// turnRows puts the derivatives of the rotation vector in place of the angular velocities in s.rows (a fixed joint's
// first three, a revolute one's last two), docs/inverse-kinematics.md, Targets.
func (t *target) turnRows(s *sight) {
	if t.Type == Axis {
		t.tiltRows(s)
		return
	}
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

// leastSine is a sine below which an axis points to where it should, or the other way, to rounding.
const leastSine = 1e-8

// tiltRows is turnRows of an axis a, seen in the axes of P. With n the axis of the shortest rotation there from z, by
// the angle θ, the rotation vector is θ n, and its rate is n (n·ω) + (θ/sin θ) (z×n) ((a×n)·ω).
func (t *target) tiltRows(s *sight) {
	P := &s.jk.EP
	a := P.TMulVec(s.jk.ES.Col(2))
	sine := math.Hypot(a[0], a[1])
	if sine < leastSine {
		return
	}
	n := spatial.Vec3{-a[1] / sine, a[0] / sine}
	swing := a.Cross(n).Scale(math.Atan2(sine, a[2]) / sine)
	for i, z := range [2]float64{-n[1], n[0]} {
		row := n.Scale(n[i]).Add(swing.Scale(z))
		s.rows.T[targetTraits[Axis].from+i] = spatial.NewForce(P.MulVec(row), spatial.Vec3{})
	}
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
