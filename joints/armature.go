package joints

import "github.com/rung-mbd/rung/spatial"

// Geared reports whether freedom i is free and has armature. A
// prescribed freedom moves as prescribed, whatever its armature.
func (s *Spec) Geared(i int) bool {
	return s.Armature != nil && s.Armature[i] > 0 && s.Kind.Scalar(i) && !s.Prescribed(i)
}

// NumGeared returns the number of freedoms that are free and have armature.
func (s *Spec) NumGeared() (n int) {
	if s.Armature == nil {
		return 0
	}
	for i := range s.Kind.Freedoms() {
		if s.Geared(i) {
			n++
		}
	}
	return n
}

// GearedInertias stores the armature of the freedoms that are free and
// have armature, in their order, and returns their number.
func (s *Spec) GearedInertias(out *[6]float64) (n int) {
	if s.Armature == nil {
		return 0
	}
	for i := range s.Kind.Freedoms() {
		if s.Geared(i) {
			out[n] = s.Armature[i]
			n++
		}
	}
	return n
}

// AppendGeared adds to out, the rows of EvalTo at f, one row for each freedom that is not prescribed and has armature,
// theory.md (A1): the unit wrench of the freedom, with σ and σ̇ zero. The row's product with V̂ is the rate of the freedom,
// that with V̂˚ its second derivative.
//
// Cost: O(1), no allocation. There are six rows at most then.
func (s *Spec) AppendGeared(out *Rows, f *Frames) {
	if s.Armature == nil {
		return
	}
	if s.Axes != nil {
		var own Rows
		s.compositeFreedoms(&own, f)
		for i := range own.N {
			if s.Geared(i) {
				out.T[out.N], out.TDot[out.N] = own.T[i], own.TDot[i]
				out.N++
			}
		}
		return
	}
	var D [6]spatial.Force
	var TDot [6]float64
	n := s.duals(&D, f)
	s.dualRates(&TDot, f)
	for i := range n {
		if s.Geared(i) {
			out.T[out.N], out.TDot[out.N] = D[i], TDot[i]
			out.N++
		}
	}
}

// SecondRatesTo stores in qdd the second derivatives of the freedoms with a generalized force, for the apparent
// derivative a of V̂, as seen from P, of theory.md (7). The entries of ball rotations are the components of the
// relative angular acceleration in P's axes.
//
// Cost: O(1), no allocation.
func (s *Spec) SecondRatesTo(qdd *[6]float64, f *Frames, a *spatial.Motion) {
	var D [6]spatial.Force
	*qdd = [6]float64{}
	if s.Axes != nil {
		var own Rows
		s.compositeFreedoms(&own, f)
		for i := range own.N {
			qdd[i] = a.Dot(&own.T[i]) + own.TDot[i]
		}
		return
	}
	n := s.duals(&D, f)
	s.dualRates(qdd, f)
	for i := range n {
		qdd[i] += a.Dot(&D[i])
	}
}
