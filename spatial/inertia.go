package spatial

// Inertia is the spatial inertia of a rigid body about a frame's origin
// (RBDA eq. 2.63), kept as mass, centre of mass and central inertia. In this
// form no digits are lost by subtraction.
type Inertia struct {
	Mass    float64 // kg
	Com     Vec3    // centre of mass in the frame, m
	Central Sym3    // rotational inertia about the centre of mass, frame's axes, kg m²
}

// Mul returns I·v, the momentum of a body with the velocity v about the
// frame's origin.
func (I Inertia) Mul(v Motion) (dst Force) {
	c, S := &I.Com, &I.Central
	w0, w1, w2 := v[0], v[1], v[2]
	// Linear momentum p = m(v + ω×c), moment Ic·ω + c×p.
	p0 := I.Mass * (v[3] + (w1*c[2] - w2*c[1]))
	p1 := I.Mass * (v[4] + (w2*c[0] - w0*c[2]))
	p2 := I.Mass * (v[5] + (w0*c[1] - w1*c[0]))
	dst[0] = S[0]*w0 + S[3]*w1 + S[4]*w2 + (c[1]*p2 - c[2]*p1)
	dst[1] = S[3]*w0 + S[1]*w1 + S[5]*w2 + (c[2]*p0 - c[0]*p2)
	dst[2] = S[4]*w0 + S[5]*w1 + S[2]*w2 + (c[0]*p1 - c[1]*p0)
	dst[3], dst[4], dst[5] = p0, p1, p2
	return dst
}

// Energy returns the kinetic energy ½·vᵀ·I·v, J.
func (I Inertia) Energy(v Motion) float64 {
	h := I.Mul(v)
	return 0.5 * v.Dot(&h)
}

// Add returns the inertia of the body that the bodies of I and J form together.
// Both are in one frame. The sum of two massless bodies has its centre of mass at
// the origin.
func (I Inertia) Add(J Inertia) Inertia {
	m := I.Mass + J.Mass
	C := I.Central.Add(J.Central)
	if m == 0 {
		return Inertia{Central: C}
	}
	// Parallel axes about the common centre of mass, with the reduced mass.
	d := J.Com.Sub(I.Com)
	return Inertia{
		Mass:    m,
		Com:     I.Com.Add(d.Scale(J.Mass / m)),
		Central: C.Add(pointInertia(I.Mass*(J.Mass/m), d)),
	}
}

// Transform returns the inertia in frame B, where X goes from A to B and I is in
// A: X*·I·X⁻¹ (RBDA §2.13).
func (I Inertia) Transform(X Transform) Inertia {
	return Inertia{Mass: I.Mass, Com: X.Point(I.Com), Central: I.Central.Rotate(X.E)}
}

// AboutOrigin returns the rotational inertia about the frame's origin,
// Ic + m·c×·c×ᵀ.
func (I Inertia) AboutOrigin() Sym3 { return I.Central.Add(pointInertia(I.Mass, I.Com)) }

// Matrix returns the 6×6 matrix of RBDA eq. 2.63.
func (I Inertia) Matrix() (M [6][6]float64) {
	O := I.AboutOrigin().Mat()
	H := I.Com.Scale(I.Mass).Skew()
	for i := range 3 {
		for j := range 3 {
			M[i][j] = O[3*i+j]
			M[i][j+3], M[j+3][i] = H[3*i+j], H[3*i+j]
		}
		M[i+3][i+3] = I.Mass
	}
	return M
}

// pointInertia returns m·(|d|²·1 − d·dᵀ), the rotational inertia of a point
// mass at d.
func pointInertia(m float64, d Vec3) Sym3 {
	x, y, z := d[0], d[1], d[2]
	return Sym3{m * (y*y + z*z), m * (x*x + z*z), m * (x*x + y*y), -m * x * y, -m * x * z, -m * y * z}
}
