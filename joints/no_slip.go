package joints

import "github.com/rung-mbd/rung/spatial"

// A no_slip joint keeps the origin of S from moving along z of S, seen from P: an edge that cuts into the predecessor, such as
// a skate, a knife or a wheel of radius zero. It has one row, on velocities alone, theory.md (W6), without position error and
// generalized forces.
//
// No joint type forbids velocity along a direction that is fixed in P: such a row is the rate of a displacement, and so a row of
// positions.

// noSlipRows stores the row of a no_slip joint: a force along z of S.
func noSlipRows(out *Rows, f *Frames) {
	var z spatial.Vec3
	axis(&z, &f.ES, 2)
	out.Arm, out.Slip = f.R, f.V
	w := f.OmegaS.Sub(f.OmegaP)
	zd := w.Cross(z) // z˚ of S
	out.point(&spatial.Vec3{}, &z, spatial.Dot(&zd, &f.V), &f.V)
}

func noSlipMotions(S *[6]spatial.Motion, f *Frames) {
	turns(S, &f.EP)
	slide(&S[3], &f.ES, 0)
	slide(&S[4], &f.ES, 1)
}

// noSlipBend stores in B the term of a no_slip joint, as BendTo does, theory.md (W8): the force turns with S.
func noSlipBend(B *[36]float64, force *spatial.Vec3) {
	for k := range 3 {
		var e spatial.Vec3
		e[k] = 1
		df := e.Cross(*force)
		for i := range 3 {
			B[18+6*i+k] = -df[i]
		}
	}
}
