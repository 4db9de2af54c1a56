package joints

import "github.com/rung-mbd/rung/spatial"

// A cylindrical joint turns by θ about z and slides by d along z. Its rows are forces x, y
// and moments x, y.

// cylindricalRows stores the rows of a cylindrical joint: S slides and turns along P's z.
func cylindricalRows(out *Rows, f *Frames) {
	out.N = 4
	force(&out.T[0], &f.EP, 0)
	force(&out.T[1], &f.EP, 1)
	moment(&out.T[2], &f.EP, 0)
	moment(&out.T[3], &f.EP, 1)
	onAxis(&out.Arm, &f.EP, 2, &f.R)
	onAxis(&out.Slip, &f.EP, 2, &f.V)
}

func cylindricalDuals(D *[6]spatial.Force, f *Frames) int {
	moment(&D[0], &f.EP, 2)
	force(&D[1], &f.EP, 2)
	return 2
}

func cylindricalError(delta *[6]float64, f *Frames) {
	sphereInCylinderError(delta, f)
	delta[2], delta[3] = axisError(f)
}

func cylindricalMotion(S *[6]spatial.Motion, f *Frames) {
	turn(&S[0], &f.EP, 2)
	slide(&S[1], &f.EP, 2)
}

func cylindricalCoordinates(q *[6]float64, f *Frames) {
	q[0], q[1] = angleZ(f), along(&f.EP, 2, &f.R)
}
