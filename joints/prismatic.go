package joints

import "github.com/rung-mbd/rung/spatial"

// A prismatic joint slides by d along z: moments x, y, z, forces x, y.

// prismaticRows stores the rows of a prismatic joint: S slides along P's z.
func prismaticRows(out *Rows, f *Frames) {
	out.N = 5
	moment(&out.T[0], &f.EP, 0)
	moment(&out.T[1], &f.EP, 1)
	moment(&out.T[2], &f.EP, 2)
	force(&out.T[3], &f.EP, 0)
	force(&out.T[4], &f.EP, 1)
	onAxis(&out.Arm, &f.EP, 2, &f.R)
	onAxis(&out.Slip, &f.EP, 2, &f.V)
}

func prismaticDuals(D *[6]spatial.Force, f *Frames) int {
	force(&D[0], &f.EP, 2)
	return 1
}

func prismaticError(delta *[6]float64, f *Frames) {
	rotationError(delta[:3], f)
	delta[3], delta[4] = along(&f.EP, 0, &f.R), along(&f.EP, 1, &f.R)
}

func prismaticMotion(S *[6]spatial.Motion, f *Frames) { slide(&S[0], &f.EP, 2) }

func prismaticCoordinates(q *[6]float64, f *Frames) { q[0] = along(&f.EP, 2, &f.R) }
