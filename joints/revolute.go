package joints

import "github.com/rung-mbd/rung/spatial"

// A revolute joint turns by θ about z. Its rows are forces x, y, z and moments
// x, y. They are at rest in P, so TDot is zero.

// revoluteRows stores the rows of a revolute joint. Arm and Slip stay zero, as the origins of S and P coincide.
func revoluteRows(out *Rows, f *Frames) {
	out.N = 5
	force(&out.T[0], &f.EP, 0)
	force(&out.T[1], &f.EP, 1)
	force(&out.T[2], &f.EP, 2)
	moment(&out.T[3], &f.EP, 0)
	moment(&out.T[4], &f.EP, 1)
}

func revoluteError(delta *[6]float64, f *Frames) {
	sphericalError(delta, f)
	delta[3], delta[4] = axisError(f)
}

func revoluteMotion(S *[6]spatial.Motion, f *Frames) { turn(&S[0], &f.EP, 2) }

func revoluteCoordinates(q *[6]float64, f *Frames) { q[0] = angleZ(f) }
