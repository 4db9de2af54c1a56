package joints

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// A helical joint turns by θ about z and slides by d = pitch·θ along z. Its rows are
// the rows of a cylindrical joint and the screw, a force z with the moment −pitch·z.
// Its freedom is θ, with a moment about z as its dual.

func helicalRows(out *Rows, f *Frames, pitch float64) {
	cylindricalRows(out, f)
	out.N = 5
	T, E := &out.T[4], &f.EP
	T[0], T[1], T[2] = -pitch*E[2], -pitch*E[5], -pitch*E[8]
	force(T, E, 2)
}

func helicalMotion(S *[6]spatial.Motion, f *Frames, pitch float64) {
	m, E := &S[0], &f.EP
	turn(m, E, 2)
	m[3], m[4], m[5] = pitch*E[2], pitch*E[5], pitch*E[8]
}

// helicalAngle returns the angle from P to S, rad, with the number of whole turns that brings it nearest to d/pitch.
func helicalAngle(f *Frames, pitch float64) float64 {
	a := angleZ(f)
	turns := (along(&f.EP, 2, &f.R)/pitch - a) / (2 * math.Pi)
	if math.IsInf(turns, 0) {
		return a // pitch is so small that the angle overflows
	}
	return a + 2*math.Pi*math.Round(turns)
}

// helicalError stores the errors of a cylindrical joint, and d − pitch·θ, within ±π·pitch, for the screw.
func helicalError(delta *[6]float64, f *Frames, pitch float64) {
	cylindricalError(delta, f)
	delta[4] = along(&f.EP, 2, &f.R) - pitch*helicalAngle(f, pitch)
}

func helicalCoordinates(q *[6]float64, f *Frames, pitch float64) { q[0] = helicalAngle(f, pitch) }
