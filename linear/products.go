package linear

// dim returns the number of displacements, six a body.
func (s *System) dim() int { return 6 * s.mech.NumBodies() }

// Dim returns the number of displacements, six a body.
func (s *System) Dim() int {
	s.mustBe()
	return s.dim()
}

// MassTo stores M·x in dst, which may be x.
//
// Shapes: six entries a body.
// Cost: O(bodies); it allocates only if dst is x and joints have armature. It panics on a length mismatch or without a linearized
// state, like all products below.
func (s *System) MassTo(dst, x []float64) {
	s.mustFit(dst, x)
	if len(s.rotors) > 0 {
		s.massTo(dst, x)
		return
	}
	s.blocksTo(dst, x)
}

// massTo stores M·x in dst, which may be x, for joints with armature.
func (s *System) massTo(dst, x []float64) {
	given := x
	if len(x) > 0 && &dst[0] == &x[0] {
		given = append([]float64(nil), x...)
	}
	s.blocksTo(dst, x)
	s.addRotorsTo(dst, given)
}

// blocksTo stores M·x without armature in dst, which may be x: the block-diagonal part of the bodies.
func (s *System) blocksTo(dst, x []float64) {
	for i := range s.mech.Bodies {
		I, m := &s.y.Kin.I[i], s.mech.Bodies[i].Mass
		u, out := (*[6]float64)(x[6*i:]), (*[6]float64)(dst[6*i:])
		a, b, c := u[0], u[1], u[2]
		out[0], out[1], out[2] = I[0]*a+I[3]*b+I[4]*c, I[3]*a+I[1]*b+I[5]*c, I[4]*a+I[5]*b+I[2]*c
		out[3], out[4], out[5] = m*u[3], m*u[4], m*u[5]
	}
}

// StiffnessTo stores K·x in dst, which is not x, for an x that the joints allow.
//
// Shapes: six entries a body.
// Cost: O(bodies + joints + forces), no allocation.
func (s *System) StiffnessTo(dst, x []float64) {
	s.mustFit(dst, x)
	s.multiply(dst, x, s.stiff)
	var u [12]float64
	for i := range s.rows {
		r := &s.rows[i]
		if r.far != nil {
			r.far.addTo(dst, r.k*r.far.along(r.far.v, x)+r.d*r.far.along(r.far.rate, x))
			continue
		}
		gather(&u, x, &r.body)
		t := r.k * dot12(&r.v, &u)
		if r.d != 0 {
			t += r.d * dot12(&r.rate, &u)
		}
		scatter(dst, &r.v, t, &r.body)
	}
	for i := range s.pairs {
		p := &s.pairs[i]
		p.addTo(dst, x, &p.K)
	}
}

// addTo adds A·x to dst, for the 12×12 stiffness or damping A of p.
func (p *pair) addTo(dst, x []float64, A *[144]float64) {
	var u, w [12]float64
	gather(&u, x, &p.body)
	for a := range w {
		w[a] = dot12((*[12]float64)(A[12*a:]), &u)
	}
	scatter(dst, &w, 1, &p.body)
}

// DampingTo stores C·x in dst, which is not x.
//
// Shapes: six entries a body.
// Cost: O(bodies + joints + forces), no allocation.
func (s *System) DampingTo(dst, x []float64) {
	s.mustFit(dst, x)
	s.multiply(dst, x, s.damp)
	var u [12]float64
	for i := range s.rows {
		if r := &s.rows[i]; r.d != 0 {
			if r.far != nil {
				r.far.addTo(dst, r.d*r.far.along(r.far.v, x))
				continue
			}
			gather(&u, x, &r.body)
			scatter(dst, &r.v, r.d*dot12(&r.v, &u), &r.body)
		}
	}
	for i := range s.pairs {
		if p := &s.pairs[i]; p.C != nil {
			p.addTo(dst, x, p.C)
		}
	}
}

// hasDamping reports whether C is not zero.
func (s *System) hasDamping() bool {
	for i := range s.rows {
		if s.rows[i].d != 0 {
			return true
		}
	}
	for i := range s.pairs {
		if C := s.pairs[i].C; C != nil && !allZero(C[:]) {
			return true
		}
	}
	for i := range s.damp {
		if !allZero(s.damp[i][:]) {
			return true
		}
	}
	return false
}

// JacobianTo stores J·x in dst: one entry a constraint row, joint by joint in the
// order of the layout. A violation of a constraint by x shows as an entry other than
// zero.
//
// Shapes: dst has Rows entries, x six a body.
// Cost: O(joints), allocates.
func (s *System) JacobianTo(dst, x []float64) {
	s.mustHave()
	if len(dst) != s.Rows() || len(x) != s.dim() {
		panic("linear: length mismatch")
	}
	n := len(s.x)
	full, r := make([]float64, n), make([]float64, n)
	copy(full, x)
	s.y.Matrix.MulVecTo(r, full)
	copy(dst, r[s.dim():])
}

// Rows returns the number of constraint rows.
func (s *System) Rows() int {
	s.mustBe()
	return len(s.x) - s.dim()
}

// MultipliersTo stores the multipliers λ of the state in dst, in the order of
// JacobianTo.
func (s *System) MultipliersTo(dst []float64) {
	s.mustHave()
	if len(dst) != s.Rows() {
		panic("linear: length mismatch")
	}
	for i := range dst {
		dst[i] = -s.x[s.dim()+i]
	}
}

// mustFit panics without a linearized state, or unless dst and x have six entries a body.
func (s *System) mustFit(dst, x []float64) {
	s.mustHave()
	if len(dst) != s.dim() || len(x) != s.dim() {
		panic("linear: length mismatch")
	}
}

// multiply stores A·x in dst, for the block-diagonal A with a row-major 6×6 block for each body.
func (s *System) multiply(dst, x []float64, A [][36]float64) {
	for i := range A {
		u, out := (*[6]float64)(x[6*i:]), (*[6]float64)(dst[6*i:])
		for a := range 6 {
			q := (*[6]float64)(A[i][6*a:])
			out[a] = q[0]*u[0] + q[1]*u[1] + q[2]*u[2] + q[3]*u[3] + q[4]*u[4] + q[5]*u[5]
		}
	}
}

// gather stores in u the entries of x for two bodies, zero for the world, −1.
func gather(u *[12]float64, x []float64, body *[2]int32) {
	*u = [12]float64{}
	for e, b := range body {
		if b >= 0 {
			copy(u[6*e:6*e+6], x[6*b:])
		}
	}
}

// scatter adds t·v to the entries of dst for two bodies. It leaves out the world, −1.
func scatter(dst []float64, v *[12]float64, t float64, body *[2]int32) {
	for e, b := range body {
		if b >= 0 {
			out := (*[6]float64)(dst[6*b:])
			for k := range out {
				out[k] += t * v[6*e+k]
			}
		}
	}
}

// dot12 returns aᵀb.
func dot12(a, b *[12]float64) (s float64) {
	for i, x := range a {
		s += x * b[i]
	}
	return s
}
