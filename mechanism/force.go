package mechanism

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// ErrNoDirection is returned when the ends of a spring-damper coincide, up to rounding.
var ErrNoDirection = errors.New("mechanism: ends coincide, no direction")

const (
	// coincide is the largest distance of two points, relative to their coordinates, that counts
	// as rounding of a rotation or of the numbers of a file.
	coincide = 1e-14
	// alike is the largest difference of two velocities, relative to them, that counts as rounding.
	// It is larger, as the joints of a simulation leave larger errors in velocities.
	alike = 1e-9
)

// Attachment is a point of a body (body frame) or of the world, m.
type Attachment struct {
	Body  int32 // number or World
	Point spatial.Vec3
}

// ForceElement is a spring-damper between A and B, a wrench on A, a contact of the body of
// A (Mechanism.Contact), an actuator, which acts on a joint (Mechanism.Actuator),
// a bushing between A and B (Mechanism.Bushing), or a cable (Mechanism.Cable).
type ForceElement struct {
	Name       string
	Kind       model.ForceType
	A, B       Attachment
	Stiffness  float64      // N/m
	Damping    float64      // N s/m
	RestLength float64      // m
	Force      spatial.Vec3 // N, world axes; for a bushing the preload, in its own axes
	Torque     spatial.Vec3 // N m, axes as for Force
}

// newForce compiles a force element with the given bodies of A and B.
func newForce(f *model.ForceElement, bodies [2]int32) ForceElement {
	out := ForceElement{
		Name: f.Name, Kind: f.Type,
		A:         Attachment{Body: bodies[0], Point: f.A.Point},
		B:         Attachment{Body: World},
		Stiffness: f.Stiffness, Damping: f.Damping, RestLength: f.RestLength,
		Force: f.Force, Torque: f.Torque,
	}
	switch f.Type {
	case model.SpringDamper, model.BushingForce:
		out.B = Attachment{Body: bodies[1], Point: f.B.Point}
	case model.ActuatorForce, model.CableForce:
		out.A.Body = World
	}
	return out
}

// ForcesTo stores in f the sum of all wrenches on each body but the wrenches of
// constraints: gravity, gyroscopic moments −ω×Iω, force elements and the drives of the joints.
// This is the right side f of theory.md (3), P Tᵃ τ − v×*Iv + fˣ of RBDA eq. 8.64, about the
// centres of mass, world axes.
//
// Shapes: f has one entry for each body; k was computed at s.
// Cost: O(bodies + joints + forces), no allocation. It returns the errors of AddAppliedTo. It panics on a length mismatch.
func (m *Mechanism) ForcesTo(f []spatial.Force, k *Kinematics, s *State) error {
	if len(f) != len(m.Bodies) || len(k.Bodies) != len(m.Bodies) || len(s.Bodies) != len(m.Bodies) {
		panic("mechanism: length mismatch")
	}
	var w spatial.Vec3
	g := m.Gravity
	for i := range m.Bodies {
		b, E, omega := &m.Bodies[i], &k.Bodies[i].E, &s.Bodies[i].Omega
		if k.I != nil {
			bodies.GyroscopicMomentTo(&w, &k.I[i], omega)
		} else {
			E.TMulVecTo(&w, omega)
			bodies.GyroscopicMomentTo(&w, &b.Inertia, &w)
			E.MulVecTo(&w, &w)
		}
		f[i] = spatial.Force{-w[0], -w[1], -w[2], b.Mass * g[0], b.Mass * g[1], b.Mass * g[2]}
	}
	return m.AddAppliedTo(f, k, s)
}

// AddAppliedTo adds to f the wrenches of the drives of the joints and of the
// force elements: P Tᵃ τ + fˣ of RBDA eq. 8.64 without gravity, about the centres of mass,
// world axes.
//
// Shapes: f has one entry for each body; k was computed at s.
// Cost: O(joints + forces), no allocation. It returns an error that names the joint or the force element where that has no force:
// ErrNoDirection, springs.ErrHalfTurn, the errors of laws, contacts and user-defined forces. It panics on a length mismatch.
func (m *Mechanism) AddAppliedTo(f []spatial.Force, k *Kinematics, s *State) error {
	if len(f) != len(m.Bodies) || len(k.Bodies) != len(m.Bodies) || len(s.Bodies) != len(m.Bodies) {
		panic("mechanism: length mismatch")
	}
	// Each function below clears local memory, so functions without work are not called.
	if len(m.drives) > 0 {
		if err := m.addDrives(f, k, s); err != nil {
			return err
		}
	}
	if len(m.Forces) > 0 {
		if err := m.addElements(f, k, s); err != nil {
			return err
		}
		m.addActuators(f, k, s)
	}
	if len(m.resistors) > 0 {
		m.addResistances(f, k, s)
	}
	if len(m.Forces) > 0 {
		if err := m.addBushings(f, k, s); err != nil {
			return err
		}
		if err := m.addCables(f, k, s); err != nil {
			return err
		}
		if err := m.addContacts(f, k, s); err != nil {
			return err
		}
	}
	return m.addOwn(f, k, s)
}

// addDrives adds to f the wrenches of the drives of the joints on the bodies, about their centres of mass, world axes.
func (m *Mechanism) addDrives(f []spatial.Force, k *Kinematics, s *State) error {
	var jk JointKinematics
	for j, d := range m.driveOf {
		if d < 0 {
			continue
		}
		m.JointTo(&jk, j, k, s)
		var w spatial.Force
		if err := m.driveWrenchTo(&w, j, &jk); err != nil {
			return m.AtJoint(j, -1, err)
		}
		m.addJointWrench(f, j, &jk, &w, k)
	}
	return nil
}

// DriveWrenchTo stores in w the wrench of joint j's drive on the successor, about the origin of S, world axes. It is zero for
// a joint without drive, and NaN where a law has no force at the coordinate.
func (m *Mechanism) DriveWrenchTo(w *spatial.Force, j int, jk *JointKinematics) {
	_ = m.driveWrenchTo(w, j, jk)
}

// driveWrenchTo is DriveWrenchTo. It returns the errors of laws.
func (m *Mechanism) driveWrenchTo(w *spatial.Force, j int, jk *JointKinematics) (err error) {
	jt, d := &m.Joints[j], m.Drive(j)
	*w = spatial.Force{}
	if d == nil {
		return nil
	}
	n := jt.Kind.Freedoms()
	var q, qd, tau [6]float64
	switch { // coordinates cost more than rates, as angles need an arctangent
	case anyNonzero(d.Stiffness[:n]), d.laws != nil:
		jt.CoordinatesTo(&q, &qd, jk)
	case anyNonzero(d.Damping[:n]):
		jt.RatesTo(&qd, &jk.Frames)
	}
	for i := range n {
		tau[i] = d.Force[i]
		if d.laws == nil { // most drives; the q of a ball's rotations is 0, and so is their stiffness
			tau[i] -= d.Stiffness[i]*(q[i]-d.Rest[i]) + d.Damping[i]*qd[i]
			continue
		}
		p, e := d.PullAt(i, q[i], qd[i])
		if e != nil {
			err = e
		}
		tau[i] -= p.Tension
	}
	jt.WrenchTo(w, &tau, &jk.Frames)
	return err
}

// anyNonzero reports whether a number of a list is not zero.
func anyNonzero(list []float64) bool {
	for _, x := range list {
		if x != 0 {
			return true
		}
	}
	return false
}

// addJointWrench adds the wrench w of joint j, about the origin of S, to the entry of its
// successor in f, and subtracts it from the entry of its predecessor.
func (m *Mechanism) addJointWrench(f []spatial.Force, j int, jk *JointKinematics, w *spatial.Force, k *Kinematics) {
	var a Along
	m.EndsTo(&a, j, jk, k)
	if b := a.Body[0]; b >= 0 {
		addWrench(&f[b], w, &a.Arm[0], -1)
	}
	if b := a.Body[1]; b >= 0 {
		addWrench(&f[b], w, &a.Arm[1], 1)
	}
}

// addWrench adds to f, a wrench about the centre of mass, sign·w, with w about the point at arm from the centre of mass.
func addWrench(f, w *spatial.Force, arm *spatial.Vec3, sign float64) {
	f[0] += sign * (w[0] + (arm[1]*w[5] - arm[2]*w[4]))
	f[1] += sign * (w[1] + (arm[2]*w[3] - arm[0]*w[5]))
	f[2] += sign * (w[2] + (arm[0]*w[4] - arm[1]*w[3]))
	f[3] += sign * w[3]
	f[4] += sign * w[4]
	f[5] += sign * w[5]
}

// end returns the vector com from the body's centre of mass to the attachment and the
// velocity v of the point, world axes; zeros for the world.
func (m *Mechanism) end(a *Attachment, k *Kinematics, s *State) (com, v spatial.Vec3) {
	if a.Body < 0 {
		return com, v
	}
	var arm spatial.Vec3
	k.Bodies[a.Body].E.MulVecTo(&arm, &a.Point)
	endTo(&com, &v, &arm, a.Body, k, s)
	return com, v
}

// endTo is end for the point of a body at arm (world axes) from the origin of its frame.
func endTo(com, v, arm *spatial.Vec3, body int32, k *Kinematics, s *State) {
	b, kb := &s.Bodies[body], &k.Bodies[body]
	w := &b.Omega
	com[0], com[1], com[2] = arm[0]-kb.Com[0], arm[1]-kb.Com[1], arm[2]-kb.Com[2]
	v[0] = b.Velocity[0] + (w[1]*arm[2] - w[2]*arm[1])
	v[1] = b.Velocity[1] + (w[2]*arm[0] - w[0]*arm[2])
	v[2] = b.Velocity[2] + (w[0]*arm[1] - w[1]*arm[0])
}

// addElements adds to f the wrenches of the force elements that are wrenches or spring-dampers, about the centres of mass.
func (m *Mechanism) addElements(f []spatial.Force, k *Kinematics, s *State) error {
	var q SpringState
	for i := range m.Forces {
		e := &m.Forces[i]
		switch e.Kind {
		case model.Wrench:
			arm, _ := m.end(&e.A, k, s)
			w := spatial.Force{e.Torque[0], e.Torque[1], e.Torque[2], e.Force[0], e.Force[1], e.Force[2]}
			addWrench(&f[e.A.Body], &w, &arm, 1)
		case model.SpringDamper:
			if err := m.SpringAt(&q, i, k, s); err != nil {
				return err
			}
			w := spatial.Force{3: q.Unit[3] * q.Tension, 4: q.Unit[4] * q.Tension, 5: q.Unit[5] * q.Tension}
			if b := q.Body[0]; b >= 0 {
				addWrench(&f[b], &w, &q.Arm[0], 1)
			}
			if b := q.Body[1]; b >= 0 {
				addWrench(&f[b], &w, &q.Arm[1], -1)
			}
		}
	}
	return nil
}

// SpringLine returns the vector from end A to end B of a spring-damper, m, world axes, and its
// length. The length is zero if the ends coincide up to rounding, as the line then has no direction.
// For a spring without rest length, whose force vanishes with the distance, it is zero only if the
// line is.
//
// Cost: O(1), no allocation; k was computed at s.
func (m *Mechanism) SpringLine(e *ForceElement, k *Kinematics, s *State) (line spatial.Vec3, length float64) {
	var near [2]spatial.Vec3
	farA, farB := m.placeTo(&near[0], &e.A, k, s), m.placeTo(&near[1], &e.B, k, s)
	length = e.lineTo(&line, farA, &near[0], farB, &near[1])
	return line, length
}

// lineTo is SpringLine for ends that placeTo has split: it stores the vector in line and returns the length.
func (e *ForceElement) lineTo(line, farA, nearA, farB, nearB *spatial.Vec3) (length float64) {
	size := 0.0
	for i := range line {
		line[i] = (farB[i] - farA[i]) + (nearB[i] - nearA[i])
		size = max(size, math.Abs(farA[i]), math.Abs(nearA[i]), math.Abs(farB[i]), math.Abs(nearB[i]))
	}
	length = line.Norm()
	if length <= coincide*size && (e.Stiffness == 0 || e.RestLength != 0) {
		length = 0
	}
	return length
}

// together reports whether the ends of e have the same velocity up to rounding. v is their
// relative velocity.
func (m *Mechanism) together(e *ForceElement, k *Kinematics, s *State, v spatial.Vec3) bool {
	speed := 0.0
	for _, a := range [2]*Attachment{&e.A, &e.B} {
		if a.Body >= 0 {
			b := &s.Bodies[a.Body]
			speed = max(speed, b.Velocity.Norm(), b.Omega.Norm()*k.Bodies[a.Body].E.MulVec(a.Point).Norm())
		}
	}
	return v.Norm() <= alike*speed
}

// place splits the position of an attachment into a point far, the origin of the body frame, and an arm
// near from there, world axes, as JointTo does. Differences of such sums lose fewer digits.
func (m *Mechanism) place(a *Attachment, k *Kinematics, s *State) (far, near spatial.Vec3) {
	return *m.placeTo(&near, a, k, s), near
}

// placeTo is place without a copy: it stores near, and returns a pointer to far.
func (m *Mechanism) placeTo(near *spatial.Vec3, a *Attachment, k *Kinematics, s *State) (far *spatial.Vec3) {
	if a.Body < 0 {
		*near = spatial.Vec3{}
		return &a.Point
	}
	k.Bodies[a.Body].E.MulVecTo(near, &a.Point)
	return &s.Bodies[a.Body].Position
}

// Energy of a state, J. Potential energy of gravity is zero at the world's
// origin.
type Energy struct {
	Kinetic float64
	Gravity float64
	Springs float64 // spring-dampers, bushings and cables
	Joints  float64 // springs of joint drives, and stops

	Contacts float64 // deformed ground and tyres; NaN if a contact cannot be evaluated, such as off the terrain
}

// Potential returns the sum of all parts but the kinetic one.
func (e Energy) Potential() float64 { return e.Gravity + e.Springs + e.Joints + e.Contacts }

// BodyEnergy returns the kinetic energy of body i at s and its potential energy in gravity, J. k was computed at s.
func (m *Mechanism) BodyEnergy(i int, k *BodyKinematics, s *State) (kinetic, gravity float64) {
	b, st := &m.Bodies[i], &s.Bodies[i]
	var u [6]float64
	st.ComVelocityTo(&u, &k.Com)
	v, omega := k.E.TMulVec(spatial.Vec3(u[3:])), k.E.TMulVec(st.Omega)
	return b.KineticEnergy(&b.Inertia, &omega, &v), -b.Mass * m.Gravity.Dot(st.Position.Add(k.Com)) // v and omega are in body axes
}

// EnergyAt returns the energy of s.
//
// Cost: O(bodies + joints + forces), no allocation; k was computed at s.
func (m *Mechanism) EnergyAt(k *Kinematics, s *State) Energy {
	var e Energy
	for i := range m.Bodies {
		kinetic, gravity := m.BodyEnergy(i, &k.Bodies[i], s)
		e.Kinetic += kinetic
		e.Gravity += gravity
	}
	if m.geared != nil {
		e.Kinetic += m.ArmatureEnergy(k, s)
	}
	m.addJointEnergy(&e, k, s)
	m.addSpringEnergy(&e, k, s)
	m.addContactEnergy(&e, k, s)
	return e
}

// addJointEnergy adds the energies of drives and stops to e.
func (m *Mechanism) addJointEnergy(e *Energy, k *Kinematics, s *State) {
	var jk JointKinematics
	var q, qd [6]float64
	for j, d := range m.driveOf {
		if d < 0 {
			continue
		}
		jt, d := &m.Joints[j], &m.drives[d]
		m.JointTo(&jk, j, k, s)
		jt.CoordinatesTo(&q, &qd, &jk)
		for i := range jt.Kind.Freedoms() {
			if jt.Kind.Scalar(i) {
				x := q[i] - d.Rest[i]
				e.Joints += 0.5 * d.Stiffness[i] * x * x
				if l := d.Law(i); l != nil {
					e.Joints += l.Potential(x)
				}
			}
		}
	}
	for i := range m.resistors {
		if r := &m.resistors[i]; r.isStop() {
			m.JointTo(&jk, int(r.joint), k, s)
			e.Joints += m.ResistanceAt(i, &jk, s).Energy
		}
	}
}

// addSpringEnergy adds the energies of springs, bushings and cables to e, NaN if one cannot be evaluated.
func (m *Mechanism) addSpringEnergy(e *Energy, k *Kinematics, s *State) {
	for i := range m.Forces {
		if m.Forces[i].Kind == model.SpringDamper {
			e.Springs += m.springEnergy(i, k, s)
		}
	}
	var b BushingState
	for i := range m.bushings {
		if m.BushingAt(&b, i, k, s) != nil {
			e.Springs = math.NaN()
			break
		}
		e.Springs += b.energy(&m.bushings[i], &m.Forces[m.bushings[i].index])
	}
	for i := range m.cables {
		c, err := m.CableAt(i, k, s)
		if err != nil {
			e.Springs = math.NaN()
			break
		}
		e.Springs += c.Energy
	}
}

// addContactEnergy adds the energies of contacts to e, NaN if one cannot be evaluated.
func (m *Mechanism) addContactEnergy(e *Energy, k *Kinematics, s *State) {
	for i := range m.contacts {
		r, err := m.ContactAt(i, k, s)
		if err != nil {
			e.Contacts = math.NaN()
			break
		}
		e.Contacts += r.Energy
	}
}

// AddMomentumTo adds s·M·v to p, with M the inertias of the bodies at the poses of st. v has for each body ω and the velocity of the
// centre of mass, or the accelerations. So M·v are the momenta, or the wrenches that make the accelerations, theory.md (3). Armature is
// not included.
//
// Shapes: p and v have six entries for each body. Frame: world axes at centres of mass. Cost: O(bodies), no allocation.
func (m *Mechanism) AddMomentumTo(p []float64, st *State, v []float64, s float64) {
	var E spatial.Mat3
	for i := range st.Bodies {
		st.Bodies[i].Rotation.MatTo(&E)
		m.Bodies[i].AddMomentumTo((*[6]float64)(p[6*i:]), &E, (*[6]float64)(v[6*i:]), s)
	}
}

// ArmatureEnergy returns the kinetic energy of the armature, J: the sum of ½·I·q̇².
//
// Cost: O(joints with armature), no allocation; k was computed at s.
func (m *Mechanism) ArmatureEnergy(k *Kinematics, s *State) (e float64) {
	var jk JointKinematics
	var qd [6]float64
	for _, j := range m.geared {
		jt := &m.Joints[j]
		m.JointTo(&jk, int(j), k, s)
		jt.RatesTo(&qd, &jk.Frames)
		for i, I := range jt.Armature {
			e += 0.5 * I * qd[i] * qd[i]
		}
	}
	return e
}
