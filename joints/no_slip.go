package joints

import "github.com/rung-mbd/rung/spatial"

// The origin of S, a point of the successor, does not move along z of S as seen from P: an edge that cuts into the predecessor, such as
// a skate, a knife or a wheel without size. One row of velocities, theory.md (W6). It has no position error and no generalized forces.
//
// Along a direction that is fixed in P there is no such type: that row is the rate of a displacement, so that it is one of positions.

// noSlipRows stores the row of velocities of an edge that cuts in: along z of S.
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

// noSlipBend is BendTo of a no_slip joint, theory.md (W8): its force turns with S.
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
