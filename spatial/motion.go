package spatial

// Motion is a spatial motion vector: angular part, then linear part of the
// reference point (RBDA §2.2).
type Motion [6]float64

// Force is a spatial force vector: moment about the reference point, then force
// (RBDA §2.3).
type Force [6]float64

// Accel is a spatial acceleration: ω̇, then d(v_O)/dt at a point O fixed in
// space, at the reference point (RBDA §2.11). It adds and transforms as
// a motion vector.
type Accel [6]float64

// ClassicalAccel is ω̇, then the classical acceleration of a body-fixed point.
// It does not transform as a motion vector.
type ClassicalAccel [6]float64

// NewMotion returns the motion with the given angular and linear parts.
func NewMotion(angular, linear Vec3) Motion {
	return Motion{angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]}
}

// NewForce returns the force with the given moment and force.
func NewForce(moment, force Vec3) Force {
	return Force{moment[0], moment[1], moment[2], force[0], force[1], force[2]}
}

// NewAccel returns the spatial acceleration with the given parts.
func NewAccel(angular, linear Vec3) Accel {
	return Accel{angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]}
}

// NewClassicalAccel returns the classical acceleration with the given parts.
func NewClassicalAccel(angular, linear Vec3) ClassicalAccel {
	return ClassicalAccel{angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]}
}

// Angular returns the angular part of m.
func (m Motion) Angular() Vec3 { return Vec3{m[0], m[1], m[2]} }

// Linear returns the linear part of m.
func (m Motion) Linear() Vec3 { return Vec3{m[3], m[4], m[5]} }

// Moment returns the moment of f about the reference point.
func (f Force) Moment() Vec3 { return Vec3{f[0], f[1], f[2]} }

// Linear returns the linear part of f: the force.
func (f Force) Linear() Vec3 { return Vec3{f[3], f[4], f[5]} }

// Angular returns the angular part of a.
func (a Accel) Angular() Vec3 { return Vec3{a[0], a[1], a[2]} }

// Linear returns the linear part of a.
func (a Accel) Linear() Vec3 { return Vec3{a[3], a[4], a[5]} }

// Angular returns the angular part of a.
func (a ClassicalAccel) Angular() Vec3 { return Vec3{a[0], a[1], a[2]} }

// Linear returns the linear part of a.
func (a ClassicalAccel) Linear() Vec3 { return Vec3{a[3], a[4], a[5]} }

// Add returns m + b.
func (m Motion) Add(b Motion) Motion { return Motion(add6(m, b)) }

// Sub returns m − b.
func (m Motion) Sub(b Motion) Motion { return Motion(add6(m, scale6(b, -1))) }

// Scale returns s·m.
func (m Motion) Scale(s float64) Motion { return Motion(scale6(m, s)) }

// Add returns f + b.
func (f Force) Add(b Force) Force { return Force(add6(f, b)) }

// Sub returns f − b.
func (f Force) Sub(b Force) Force { return Force(add6(f, scale6(b, -1))) }

// Scale returns s·f.
func (f Force) Scale(s float64) Force { return Force(scale6(f, s)) }

// Add returns a + b.
func (a Accel) Add(b Accel) Accel { return Accel(add6(a, b)) }

// Sub returns a − b.
func (a Accel) Sub(b Accel) Accel { return Accel(add6(a, scale6(b, -1))) }

// Scale returns s·a.
func (a Accel) Scale(s float64) Accel { return Accel(scale6(a, s)) }

// Dot returns the scalar product m·f: the power of f at the motion m (RBDA §2.6). Both
// have the same frame and reference point.
func (m *Motion) Dot(f *Force) float64 {
	return m[0]*f[0] + m[1]*f[1] + m[2]*f[2] + m[3]*f[3] + m[4]*f[4] + m[5]*f[5]
}

// Cross returns m×b, the rate of a motion vector b that is fixed in a body with the velocity m = (ω, v)
// (RBDA §2.9, crm): (ω×b_ω, ω×b_v + v×b_ω).
func (m Motion) Cross(b Motion) (dst Motion) {
	w0, w1, w2, v0, v1, v2 := m[0], m[1], m[2], m[3], m[4], m[5]
	a0, a1, a2, b0, b1, b2 := b[0], b[1], b[2], b[3], b[4], b[5]
	dst[0] = w1*a2 - w2*a1
	dst[1] = w2*a0 - w0*a2
	dst[2] = w0*a1 - w1*a0
	dst[3] = w1*b2 - w2*b1 + v1*a2 - v2*a1
	dst[4] = w2*b0 - w0*b2 + v2*a0 - v0*a2
	dst[5] = w0*b1 - w1*b0 + v0*a1 - v1*a0
	return dst
}

// CrossForce returns m×*f, the rate of a force vector f that is fixed in a body
// with the velocity m = (ω, v) (RBDA §2.9, crf): (ω×n + v×f, ω×f), with n the moment.
func (m Motion) CrossForce(f Force) (dst Force) {
	w0, w1, w2, v0, v1, v2 := m[0], m[1], m[2], m[3], m[4], m[5]
	a0, a1, a2, b0, b1, b2 := f[0], f[1], f[2], f[3], f[4], f[5]
	dst[0] = w1*a2 - w2*a1 + v1*b2 - v2*b1
	dst[1] = w2*a0 - w0*a2 + v2*b0 - v0*b2
	dst[2] = w0*a1 - w1*a0 + v0*b1 - v1*b0
	dst[3] = w1*b2 - w2*b1
	dst[4] = w2*b0 - w0*b2
	dst[5] = w0*b1 - w1*b0
	return dst
}

// Shift returns m about the point at r from the old reference point:
// (ω, v + ω×r).
func (m Motion) Shift(r Vec3) Motion {
	return NewMotion(m.Angular(), m.Linear().Add(m.Angular().Cross(r)))
}

// Shift returns f about the point at r from the old reference point:
// (n − r×f, f).
func (f Force) Shift(r Vec3) Force {
	return NewForce(f.Moment().Sub(r.Cross(f.Linear())), f.Linear())
}

// ClassicalTo stores in dst the classical acceleration of the body-fixed point
// that is at the reference point now: a + (0, ω×v) (RBDA §2.11). v is the
// body's velocity about the same point.
func (a *Accel) ClassicalTo(dst *ClassicalAccel, v *Motion) {
	dst[0], dst[1], dst[2] = a[0], a[1], a[2]
	dst[3] = a[3] + (v[1]*v[5] - v[2]*v[4])
	dst[4] = a[4] + (v[2]*v[3] - v[0]*v[5])
	dst[5] = a[5] + (v[0]*v[4] - v[1]*v[3])
}

// SpatialTo stores in dst the spatial acceleration of a body, from the classical
// acceleration a of its point at the reference point: a − (0, ω×v)
// (RBDA §2.11). v is the body's velocity about the same point.
func (a *ClassicalAccel) SpatialTo(dst *Accel, v *Motion) {
	dst[0], dst[1], dst[2] = a[0], a[1], a[2]
	dst[3] = a[3] - (v[1]*v[5] - v[2]*v[4])
	dst[4] = a[4] - (v[2]*v[3] - v[0]*v[5])
	dst[5] = a[5] - (v[0]*v[4] - v[1]*v[3])
}

// Shift returns the classical acceleration of the point of the same body at r
// from the old one: a + ω̇×r + ω×(ω×r), with omega the angular velocity.
func (a ClassicalAccel) Shift(omega, r Vec3) ClassicalAccel {
	l := a.Linear().Add(a.Angular().Cross(r)).Add(omega.Cross(omega.Cross(r)))
	return NewClassicalAccel(a.Angular(), l)
}

func add6(a, b [6]float64) [6]float64 {
	for i := range a {
		a[i] += b[i]
	}
	return a
}

func scale6(a [6]float64, s float64) [6]float64 {
	for i := range a {
		a[i] *= s
	}
	return a
}
