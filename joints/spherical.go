package joints

import "github.com/rung-mbd/rung/spatial"

// A spherical joint turns freely: forces x, y, z. Arm and Slip are zero. Its
// freedoms are rotations about P's axes, without coordinates.

func sphericalRows(out *Rows, f *Frames) {
	out.N = 3
	force(&out.T[0], &f.EP, 0)
	force(&out.T[1], &f.EP, 1)
	force(&out.T[2], &f.EP, 2)
}

func sphericalDuals(D *[6]spatial.Force, f *Frames) int {
	moment(&D[0], &f.EP, 0)
	moment(&D[1], &f.EP, 1)
	moment(&D[2], &f.EP, 2)
	return 3
}

func sphericalError(delta *[6]float64, f *Frames) {
	for j := range 3 {
		delta[j] = along(&f.EP, j, &f.R)
	}
}

func sphericalMotion(S *[6]spatial.Motion, f *Frames) { turns(S, &f.EP) }
