package derive

import "github.com/rung-mbd/rung/spatial"

// bodyAt is a body at the state with its velocity and acceleration, world axes.
type bodyAt struct {
	E        spatial.Mat3
	k        spatial.Vec3 // from the origin of the body's frame to its centre of mass
	omega, v spatial.Vec3 // v is the velocity of the origin
	alpha    spatial.Vec3 // ω̇
	c, a     spatial.Vec3 // accelerations of the centre of mass, and of the origin
	I        spatial.Sym3 // about the centre of mass, world axes
	mass     float64
	inertia  spatial.Sym3 // the same in the axes of the body
}

// bodyTangent holds the changes of a body's frame: the rotation phi, the travel r of its origin, the velocities w and v, and the
// accelerations al and a. As cotangents it also has the cotangents of the moment and the force on the body about the origin.
type bodyTangent struct {
	phi, r, w, v, al, a spatial.Vec3
	dk                  spatial.Vec3 // change of k
	moment, force       spatial.Vec3
}

// setBodies computes the motion of all bodies at the state, with the accelerations of the solution.
func (d *Derivatives) setBodies() {
	for i := range d.bodies {
		b, st, of := &d.bodies[i], &d.st.Bodies[i], &d.mech.Bodies[i]
		k := &d.kin.Bodies[i]
		b.E, b.k, b.omega, b.v = k.E, k.Com, st.Omega, st.Velocity
		b.alpha, b.c = spatial.Vec3(d.x[6*i:][:3]), spatial.Vec3(d.x[6*i+3:][:3])
		arm, w := vecOf(&b.k), vecOf(&b.omega)
		b.a = vecOf(&b.c).sub(vecOf(&b.alpha).cross(arm)).sub(w.cross(w.cross(arm))).vec3()
		b.mass, b.inertia = of.Mass, of.Inertia
		of.WorldInertiaTo(&b.I, &b.E)
	}
}

// setTangent stores in t the change of the frame's motion for the direction u of the body, theory.md (D7). dx has the changes of ω̇ and of
// the acceleration of the centre of mass; nil: they are held.
func (b *bodyAt) setTangent(t *bodyTangent, u *BodyDirection, dx []float64) {
	w := &b.omega
	*t = bodyTangent{phi: u.Rotation, w: u.Angular}
	turned := u.Rotation.Cross(b.k)
	t.dk = turned.Add(b.E.MulVec(u.Com))
	t.r = u.Position.Sub(turned)
	t.v = u.Linear.Sub(u.Angular.Cross(b.k)).Sub(w.Cross(turned))
	var al, c spatial.Vec3
	if dx != nil {
		al, c = spatial.Vec3(dx[:3]), spatial.Vec3(dx[3:6])
	}
	t.al = al
	t.a = c.Sub(al.Cross(b.k)).Sub(b.alpha.Cross(t.dk))
	t.a = t.a.Sub(u.Angular.Cross(w.Cross(b.k))).Sub(w.Cross(u.Angular.Cross(b.k))).Sub(w.Cross(w.Cross(t.dk)))
}

// tangentTo is setTangent for a body along u. x has the changes of the accelerations of all bodies; nil: they are held.
func (d *Derivatives) tangentTo(t *bodyTangent, u *direction, x []float64, body int32) {
	if x != nil {
		x = x[6*body:][:6]
	}
	d.bodies[body].setTangent(t, &u.bodies[body], x)
}

// addTangent is the transpose of tangentTo.
func (d *Derivatives) addTangent(u *direction, x []float64, body int32, t *bodyTangent) {
	if x != nil {
		x = x[6*body:][:6]
	}
	d.bodies[body].addAdjoint(&u.bodies[body], x, t)
}

// addAdjoint is the transpose of setTangent, theory.md (D7): for the cotangents t it adds cotangents to u, and to dx
// unless dx is nil.
func (b *bodyAt) addAdjoint(u *BodyDirection, dx []float64, t *bodyTangent) {
	w := b.omega
	twice := w.Cross(w.Cross(t.a))
	dk := t.dk.Sub(t.a.Cross(b.alpha)).Sub(twice)
	// −a·(δω×(ω×k)) − a·(ω×(δω×k))
	u.Angular = u.Angular.Add(t.w).Sub(b.k.Cross(t.v)).Sub(w.Cross(b.k).Cross(t.a)).Sub(b.k.Cross(t.a.Cross(w)))
	turned := dk.Sub(t.r).Sub(t.v.Cross(w))
	u.Rotation = u.Rotation.Add(t.phi).Add(b.k.Cross(turned))
	u.Com = u.Com.Add(b.E.TMulVec(dk))
	u.Position = u.Position.Add(t.r)
	u.Linear = u.Linear.Add(t.v)
	if dx != nil {
		al := t.al.Sub(b.k.Cross(t.a))
		for k := range 3 {
			dx[k] += al[k]
			dx[3+k] += t.a[k]
		}
	}
}

// product returns I·x.
func product(I *spatial.Sym3, x vec) vec {
	return vec{I[0]*x.x + I[3]*x.y + I[4]*x.z, I[3]*x.x + I[1]*x.y + I[5]*x.z, I[4]*x.x + I[5]*x.y + I[2]*x.z}
}

// addResidual adds to r the change of the six entries of M·a − f for the direction u of the body, theory.md (D8). Joints and forces count
// only by the arm δk of their resultant. If the body turns, that is rest, the force of all parts that are not carried (carried.rest). A
// change of com moves the arms of all parts alike, whose resultant is m·(c̈ − g). change is the change of gravity.
func (b *bodyAt) addResidual(r []float64, u *BodyDirection, rest *vec, gravity, change *spatial.Vec3) {
	phi, spin, w, al := vecOf(&u.Rotation), vecOf(&u.Angular), vecOf(&b.omega), vecOf(&b.alpha)
	dk := phi.cross(vecOf(&b.k))
	// δI·x = φ×(I·x) − I·(φ×x)
	Iw := product(&b.I, w)
	m := phi.cross(product(&b.I, al)).sub(product(&b.I, phi.cross(al))).add(spin.cross(Iw))
	m = m.add(w.cross(phi.cross(Iw).add(product(&b.I, spin.sub(phi.cross(w))))))
	f := vecOf(&u.Force).scale(-1)
	if u.Mass != 0 || u.Com != (spatial.Vec3{}) || u.Inertia != (spatial.Sym3{}) {
		lift := vecOf(&b.c).sub(vecOf(gravity))
		f = f.add(lift.scale(u.Mass))
		m = m.add(vecOf(&u.Com).turned(&b.E).cross(lift.scale(b.mass)))
		m = m.add(product(&u.Inertia, al.within(&b.E)).turned(&b.E))
		m = m.add(w.cross(product(&u.Inertia, w.within(&b.E)).turned(&b.E)))
	}
	m = m.add(dk.cross(*rest)).sub(vecOf(&u.Torque))
	f = f.sub(vecOf(change).scale(b.mass))
	y := (*[6]float64)(r)
	y[0], y[1], y[2] = y[0]+m.x, y[1]+m.y, y[2]+m.z
	y[3], y[4], y[5] = y[3]+f.x, y[4]+f.y, y[5]+f.z
}

// rightOfBodies sets r to the change of the residual by the bodies, without joints and force elements.
func (d *Derivatives) rightOfBodies(r []float64, u *direction) {
	clear(r)
	still := u.gravity == (spatial.Vec3{})
	for i := range d.bodies {
		if still && u.bodies[i] == (BodyDirection{}) {
			continue
		}
		d.bodies[i].addResidual(r[6*i:][:6], &u.bodies[i], &d.carried.rest[i], &d.mech.Gravity, &u.gravity)
	}
}

// addResidualAdjoint is the transpose of addResidual: it adds to u and change their cotangents for the cotangent y of r.
func (b *bodyAt) addResidualAdjoint(u *BodyDirection, rest *vec, gravity, change *spatial.Vec3, y []float64) {
	m, f := vec{y[0], y[1], y[2]}, vec{y[3], y[4], y[5]}
	w, al := vecOf(&b.omega), vecOf(&b.alpha)
	lift := vecOf(&b.c).sub(vecOf(gravity))
	t := m.cross(w) // m·(ω×z) = z·t
	Iw, It := product(&b.I, w), product(&b.I, t)
	dk := rest.cross(m)
	phi := product(&b.I, al).cross(m).sub(al.cross(product(&b.I, m))).add(Iw.cross(t)).sub(w.cross(It))
	phi.add(vecOf(&b.k).cross(dk)).addTo(&u.Rotation)
	Iw.cross(m).add(It).addTo(&u.Angular)
	lift.scale(b.mass).cross(m).within(&b.E).addTo(&u.Com)
	m.takeFrom(&u.Torque)
	f.takeFrom(&u.Force)
	u.Mass += lift.dot(f)
	f.scale(b.mass).takeFrom(change)
	addOuter(&u.Inertia, al.within(&b.E), m.within(&b.E))
	addOuter(&u.Inertia, w.within(&b.E), t.within(&b.E))
}

// addOuter adds to I the derivative of pᵀ·I·q by the six numbers of the symmetric matrix I.
func addOuter(I *spatial.Sym3, p, q vec) {
	I[0] += p.x * q.x
	I[1] += p.y * q.y
	I[2] += p.z * q.z
	I[3] += p.x*q.y + p.y*q.x
	I[4] += p.x*q.z + p.z*q.x
	I[5] += p.y*q.z + p.z*q.y
}

// gather subtracts from r a wrench on the body, given about the origin of its frame and moved to its centre of mass.
func (b *bodyAt) gather(r []float64, moment, force *spatial.Vec3) {
	m := moment.Sub(b.k.Cross(*force))
	for k := range 3 {
		r[k] -= m[k]
		r[3+k] -= force[k]
	}
}

// spread is the transpose of gather: it stores in t the cotangents of a wrench about the origin of the body's frame, for the cotangent y of
// r.
func (b *bodyAt) spread(t *bodyTangent, y []float64) {
	m, f := spatial.Vec3(y[:3]), spatial.Vec3(y[3:6])
	t.moment = m.Neg()
	t.force = m.Cross(b.k).Sub(f) // m·(k×δF) = δF·(m×k)
}
