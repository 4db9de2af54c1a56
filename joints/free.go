package joints

import "github.com/rung-mbd/rung/spatial"

// A free joint has no rows and no error; it places a floating base. Arm and Slip
// are the whole R and V, and its motions are the rotations about and translations
// along P's axes.

func freeRows(out *Rows, f *Frames) {
	out.Arm, out.Slip = f.R, f.V
}

func freeMotion(S *[6]spatial.Motion, f *Frames) {
	turns(S, &f.EP)
	for j := range 3 {
		slide(&S[3+j], &f.EP, j)
	}
}
