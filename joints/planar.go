package joints

import "github.com/rung-mbd/rung/spatial"

// A planar joint turns by θ about z and slides along x and y: force z, moments
// x, y.

// planarRows stores the rows of a planar joint: S slides at right angles to P's z and turns about it.
func planarRows(out *Rows, f *Frames) {
	out.N = 3
	force(&out.T[0], &f.EP, 2)
	moment(&out.T[1], &f.EP, 0)
	moment(&out.T[2], &f.EP, 1)
	offAxis(&out.Arm, &f.EP, 2, &f.R)
	offAxis(&out.Slip, &f.EP, 2, &f.V)
}

func planarDuals(D *[6]spatial.Force, f *Frames) int {
	moment(&D[0], &f.EP, 2)
	force(&D[1], &f.EP, 0)
	force(&D[2], &f.EP, 1)
	return 3
}

func planarError(delta *[6]float64, f *Frames) {
	delta[0] = along(&f.EP, 2, &f.R)
	delta[1], delta[2] = axisError(f)
}

func planarMotion(S *[6]spatial.Motion, f *Frames) {
	turn(&S[0], &f.EP, 2)
	slide(&S[1], &f.EP, 0)
	slide(&S[2], &f.EP, 1)
}

func planarCoordinates(q *[6]float64, f *Frames) {
	q[0], q[1], q[2] = angleZ(f), along(&f.EP, 0, &f.R), along(&f.EP, 1, &f.R)
}
