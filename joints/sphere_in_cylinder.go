package joints

import "github.com/rung-mbd/rung/spatial"

// A sphere in a cylinder turns freely and slides by d along z. Its rows are forces
// x, y. Its freedoms are the rotations about P's axes, without coordinates, and d.

func sphereInCylinderRows(out *Rows, f *Frames) {
	out.N = 2
	force(&out.T[0], &f.EP, 0)
	force(&out.T[1], &f.EP, 1)
	onAxis(&out.Arm, &f.EP, 2, &f.R)
	onAxis(&out.Slip, &f.EP, 2, &f.V)
}

func sphereInCylinderDuals(D *[6]spatial.Force, f *Frames) int {
	force(&D[3], &f.EP, 2)
	return sphericalDuals(D, f) + 1
}

func sphereInCylinderError(delta *[6]float64, f *Frames) {
	delta[0], delta[1] = along(&f.EP, 0, &f.R), along(&f.EP, 1, &f.R)
}

func sphereInCylinderMotion(S *[6]spatial.Motion, f *Frames) {
	turns(S, &f.EP)
	slide(&S[3], &f.EP, 2)
}

func sphereInCylinderCoordinates(q *[6]float64, f *Frames) { q[3] = along(&f.EP, 2, &f.R) }
