package joints

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// A universal joint turns by θ1 about x_P, then by θ2 about y_S, and these axes stay
// perpendicular. Its rows are forces x, y, z and the moment n = y_S×x_P, the
// gradient of y_S·x_P. Arm and Slip are zero.

// universalRows stores the rows of a universal joint: the rows of a spherical joint, and the moment that keeps y_S at right angles to
// x_P.
func universalRows(out *Rows, f *Frames) {
	var x, y, w, n, yd spatial.Vec3
	sphericalRows(out, f)
	out.N = 4
	axes(&x, &y, f)
	spatial.CrossTo(&n, &y, &x)
	T := &out.T[3]
	T[0], T[1], T[2] = n[0], n[1], n[2]

	// n moves in P with y_S: n˚ = (ω_r×y_S)×x_P.
	w[0], w[1], w[2] = f.OmegaS[0]-f.OmegaP[0], f.OmegaS[1]-f.OmegaP[1], f.OmegaS[2]-f.OmegaP[2]
	spatial.CrossTo(&yd, &w, &y)
	spatial.CrossTo(&n, &yd, &x)
	out.TDot[3] = spatial.Dot(&n, &w)
}

func universalDuals(D *[6]spatial.Force, f *Frames) int {
	moment(&D[0], &f.EP, 0)
	moment(&D[1], &f.ES, 1)
	return 2
}

// universalAngles returns θ1 and θ2 of the rotation Rx(θ1)·Ry(θ2) from P to S:
// θ1 from y_S in P's yz plane, θ2 from x_P in S's xz plane.
func universalAngles(f *Frames) (theta1, theta2 float64) {
	theta1 = angle(relativeEntry(f, 2, 1), relativeEntry(f, 1, 1))
	theta2 = angle(relativeEntry(f, 0, 2), relativeEntry(f, 0, 0))
	return theta1, theta2
}

// universalError stores the errors of a spherical joint, and a right angle less the
// angle between x_P and y_S, rad.
func universalError(delta *[6]float64, f *Frames) {
	var x, y, n spatial.Vec3
	sphericalError(delta, f)
	axes(&x, &y, f)
	spatial.CrossTo(&n, &y, &x)
	delta[3] = math.Atan2(spatial.Dot(&x, &y), n.Norm())
}

// axes stores the axes x_P and y_S of a universal joint in x and y.
func axes(x, y *spatial.Vec3, f *Frames) {
	x[0], x[1], x[2] = f.EP[0], f.EP[3], f.EP[6]
	y[0], y[1], y[2] = f.ES[1], f.ES[4], f.ES[7]
}

func universalMotion(S *[6]spatial.Motion, f *Frames) {
	turn(&S[0], &f.EP, 0)
	turn(&S[1], &f.ES, 1)
}

func universalCoordinates(q *[6]float64, f *Frames) { q[0], q[1] = universalAngles(f) }
