package joints

import "github.com/rung-mbd/rung/spatial"

// Geared reports whether freedom i has armature and is not prescribed: a
// prescribed freedom moves as prescribed, whatever its armature.
func (s *Spec) Geared(i int) bool {
	return s.Armature != nil && s.Armature[i] > 0 && s.Kind.Scalar(i) && !s.Prescribed(i)
}

// NumGeared returns the number of freedoms that are Geared.
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

// GearedInertias stores the armature of the Geared freedoms in out, in the
// order of the freedoms, and returns their number.
//
// Units: kg m² for angles, kg for displacements.
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

// AppendGeared appends to out, which holds the rows of EvalTo at f, one row for each Geared freedom,
// theory.md (A1): T is the unit wrench of the freedom, and σ and σ̇ are zero. T·V̂ is the rate of the freedom, and
// T·V̂˚ + T˚·V̂ its second derivative. out has six rows at most.
//
// Cost: O(1), no allocation.
func (s *Spec) AppendGeared(out *Rows, f *Frames) {
	if s.Armature == nil {
		return
	}
	if s.Axes != nil {
		var freedoms Rows
		s.compositeFreedoms(&freedoms, f)
		for i := range freedoms.N {
			if s.Geared(i) {
				out.T[out.N], out.TDot[out.N] = freedoms.T[i], freedoms.TDot[i]
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

// SecondRatesTo stores in qdd the second derivatives of the coordinates of the freedoms, for the apparent derivative
// a of V̂, theory.md (7), world axes. The entries of ball rotations are the components of the
// relative angular acceleration in P's axes. Entries of freedoms without a generalized force are zero.
//
// Units: rad/s² and m/s². Cost: O(1), no allocation.
func (s *Spec) SecondRatesTo(qdd *[6]float64, f *Frames, a *spatial.Motion) {
	var D [6]spatial.Force
	*qdd = [6]float64{}
	if s.Axes != nil {
		var freedoms Rows
		s.compositeFreedoms(&freedoms, f)
		for i := range freedoms.N {
			qdd[i] = a.Dot(&freedoms.T[i]) + freedoms.TDot[i]
		}
		return
	}
	n := s.duals(&D, f)
	s.dualRates(qdd, f)
	for i := range n {
		qdd[i] += a.Dot(&D[i])
	}
}
