package joints

import "github.com/rung-mbd/rung/spatial"

// A point on a plane slides along x and y and turns freely: force z. It has no
// generalized forces. Its error is z·R.

func pointOnPlaneRows(out *Rows, f *Frames) {
	out.N = 1
	force(&out.T[0], &f.EP, 2)
	offAxis(&out.Arm, &f.EP, 2, &f.R)
	offAxis(&out.Slip, &f.EP, 2, &f.V)
}

func pointOnPlaneMotion(S *[6]spatial.Motion, f *Frames) {
	turns(S, &f.EP)
	slide(&S[3], &f.EP, 0)
	slide(&S[4], &f.EP, 1)
}

func pointOnPlaneError(delta *[6]float64, f *Frames) { delta[0] = along(&f.EP, 2, &f.R) }
