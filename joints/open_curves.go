package joints

import "github.com/rung-mbd/rung/spatial"

// Curves that may separate have no row. Their gap, along the normal to the left of P's curve, is a coordinate, on which stops, springs
// and couplings act: theory.md (U12). A stop of the gap makes a contact that only pushes.

// gapDual stores in D[0] the wrench dual to the gap, world axes, and returns 1, the number of duals.
func gapDual(D *[6]spatial.Force, f *Frames, s *Spec) int {
	var c contact
	c.find(s, f)
	n, p := f.EP.MulVec(c.s.n), f.EP.MulVec(c.s.p)
	m := p.Cross(n)
	D[0] = spatial.NewForce(m, n)
	return 1
}

// gapRate returns T˚·V̂ of the gap, theory.md (U12); where the curves do not face each other it is zero.
func gapRate(f *Frames, s *Spec) float64 {
	var c contact
	if !c.find(s, f) {
		return 0
	}
	return c.turning(f)
}

// gapMotions stores in S the translation along the normal, then the motions of curves that touch.
func gapMotions(S *[6]spatial.Motion, f *Frames, s *Spec) {
	var c contact
	c.find(s, f)
	n := f.EP.MulVec(c.s.n)
	S[0][3], S[0][4], S[0][5] = n[0], n[1], n[2]
	curveOnCurveMotions(S[1:], f, s)
}

// gapCoordinate stores the gap in q[0], m.
func gapCoordinate(q *[6]float64, f *Frames, s *Spec) {
	var c contact
	c.find(s, f)
	q[0] = c.Gap
}
