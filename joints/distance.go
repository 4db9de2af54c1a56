package joints

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// A distance joint keeps |R| at its length. Its row is a force along n = R/|R|. It has no
// generalized forces. Its error is |R| − length.

// coincident is the distance, m, below which two origins count as one point: |V|²/|R|
// may overflow there.
const coincident = 1e-150

// distanceRows stores the row of a distance joint of the given length (m). It returns
// false if R is zero, as n is then undefined. Arm has the direction of R and the
// joint's length.
func distanceRows(out *Rows, f *Frames, length float64) bool {
	r := f.R.Norm()
	if !(r > coincident) {
		return false
	}
	n := f.R.Scale(1 / r)
	out.N = 1
	out.T[0][3], out.T[0][4], out.T[0][5] = n[0], n[1], n[2]
	out.Arm[0], out.Arm[1], out.Arm[2] = length*n[0], length*n[1], length*n[2]

	// n˚ = (V − n(n·V))/|R|, and n˚·V = |Slip|²/|R|.
	spatial.AddScaledTo(&out.Slip, &f.V, -spatial.Dot(&n, &f.V), &n)
	out.TDot[0] = spatial.Dot(&out.Slip, &out.Slip) / r
	return true
}

// distanceMotion stores in S the rotations about P's axes and the translations along two directions at
// right angles to R, or to z of P where R is zero.
func distanceMotion(S *[6]spatial.Motion, f *Frames) {
	turns(S, &f.EP)
	n := f.EP.Col(2)
	if r := f.R.Norm(); r > coincident {
		n = f.R.Scale(1 / r)
	}
	// a = n×e/|n×e| with e the world axis farthest from n, and b = n×a.
	var e spatial.Vec3
	k := 0
	for i := 1; i < 3; i++ {
		if math.Abs(n[i]) < math.Abs(n[k]) {
			k = i
		}
	}
	e[k] = 1
	a := n.Cross(e)
	a = a.Scale(1 / a.Norm())
	b := n.Cross(a)
	S[3][3], S[3][4], S[3][5] = a[0], a[1], a[2]
	S[4][3], S[4][4], S[4][5] = b[0], b[1], b[2]
}

func distanceError(delta *[6]float64, f *Frames, length float64) { delta[0] = f.R.Norm() - length }
