package mechanism

import (
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// A pose determines an angle up to whole turns. That is not enough for a torsion spring: where it is wound past half a turn,
// the angle in (−π, π] jumps, and so would its torque. So a State carries the angles of freedoms with springs, with stops, with
// actuators whose force depends on the coordinate, and with couplings. findSprung alone decides which. The angle at a pose is then
// the one within half a turn of the angle in the State, and a simulation updates the State from step to step.

// sprung are the freedoms of a joint whose angles a State carries, in State.Angles[first:first+n].
type sprung struct {
	first   int32
	n       int8
	freedom [2]int8 // their numbers, or whole
}

// has reports whether freedom i is one of them.
func (d *sprung) has(i int) bool { return d.place(i) >= 0 }

// whole in freedom[0] marks a joint for which a State carries all values of joints.Spec.NearTo: the coordinates of a composite joint,
// lengths too, with springs or without, the parameters of curves, or the foot of a wheel on terrain. A pose may have several such sets of
// values, on which the motions that the joint allows depend.
const whole = -1

// place returns the place of freedom i among the freedoms of d, or −1.
func (d *sprung) place(i int) int {
	if d.whole() {
		if i >= 0 && i < int(d.n) {
			return i
		}
		return -1
	}
	return slices.Index(d.freedom[:d.n], int8(i))
}

func (d *sprung) whole() bool { return d.n > 0 && d.freedom[0] == whole }

// at returns the number of freedom i of d.
func (d *sprung) at(i int8) int {
	if d.whole() {
		return int(i)
	}
	return int(d.freedom[i])
}

// findSprung numbers the angles that a State carries: the angles with springs, stops, actuators and couplings, and the values of whole
// joints.
func (m *Mechanism) findSprung() {
	wound := map[Freedom]bool{}
	for i := range m.actuators {
		if a := &m.actuators[i]; a.winds() {
			wound[Freedom{int(a.joint), int(a.freedom)}] = true
		}
	}
	for i := range m.Couplings {
		for _, l := range m.Couplings[i].Legs {
			wound[l.Freedom] = true
		}
	}
	for i := range m.resistors {
		if r := &m.resistors[i]; r.isStop() {
			wound[Freedom{int(r.joint), int(r.freedom)}] = true
		}
	}
	next := int32(0)
	for j := range m.Joints {
		jt, drive := &m.Joints[j], m.Drive(j)
		if n := jt.NumNear(); n > 0 {
			m.followed = true
			jt.sprung = sprung{first: next, n: int8(n), freedom: [2]int8{whole}}
			m.sprung = append(m.sprung, int32(j))
			next += int32(n)
			continue
		}
		if drive == nil && len(wound) == 0 || jt.Kind == joints.Helical { // its displacement determines its turns
			continue
		}
		d := &jt.sprung
		d.first = next
		for i := range jt.Kind.Freedoms() {
			if jt.Kind.Scalar(i) && jt.Kind.Rotational(i) && (drive != nil && drive.springy(i) || wound[Freedom{j, i}]) {
				d.freedom[d.n] = int8(i)
				d.n++
			}
		}
		if d.n > 0 {
			m.sprung = append(m.sprung, int32(j))
			next += int32(d.n)
		}
	}
	m.angles = int(next)
	m.findOthers()
}

// findGaps lists the joints on whose gap a coupling, an actuator or friction acts, in their order.
func (m *Mechanism) findGaps() {
	note := func(f Freedom) {
		if m.Joints[f.Joint].SuccessorCurve != nil {
			m.special.gaps = append(m.special.gaps, int32(f.Joint))
		}
	}
	for i := range m.Couplings {
		for _, l := range m.Couplings[i].Legs {
			note(l.Freedom)
		}
	}
	for i := range m.actuators {
		note(Freedom{int(m.actuators[i].joint), int(m.actuators[i].freedom)})
	}
	for i := range m.resistors {
		if r := &m.resistors[i]; !r.isStop() {
			note(Freedom{int(r.joint), int(r.freedom)})
		}
	}
	slices.Sort(m.special.gaps)
}

// NumSprung returns the length of State.Angles: the number of angles with a spring, stop, actuator or coupling, in joints other
// than helical ones, plus the coordinates of composite joints, the parameters of curves and the coordinates of feet.
func (m *Mechanism) NumSprung() int { return m.angles }

// AnglePlace returns the index of a freedom in State.Angles, or −1 if it has none. Indices from NumSprung on are angles that
// only states that carry all angles have.
//
// Cost: O(1), no allocation.
func (m *Mechanism) AnglePlace(f Freedom) int { return m.Joints[f.Joint].anglePlace(f.Freedom) }

// FollowAngles updates s.Angles[:NumSprung] to the pose of s: each angle is the one within half a
// turn of the number there. If s.Angles is empty, the angles are in (−π, π] plus the turns of the
// model. Call it before an angle has changed by half a turn. FollowTurns updates the other
// angles of a state that carries all.
//
// Cost: O(angles); allocates only if s.Angles is empty. It stores in k the kinematics of the
// bodies at these joints. It panics if s is of another mechanism.
func (m *Mechanism) FollowAngles(k *Kinematics, s *State) {
	if !m.Owns(s) {
		panic("mechanism" + fault.ForeignState)
	}
	m.followAngles(k, s, false)
}

// followAngles is FollowAngles. With start, s is the initial state, and the search for parameters of curves starts from the
// parameters of the model.
func (m *Mechanism) followAngles(k *Kinematics, s *State, start bool) {
	if len(m.sprung) == 0 {
		return
	}
	at := s.Angles
	start = start && len(at) == 0
	if len(at) == 0 {
		at = make([]float64, m.NumSprung())
	}
	var jk JointKinematics
	var q [6]float64
	for _, j := range m.sprung {
		jt := m.sprungPlacesTo(&jk, j, k, s)
		if start && jt.start != nil {
			jk.Near = jt.start
		}
		if jt.Curve != nil || jt.Ground != nil {
			jt.NearTo(&q, &jk.Frames)
		} else {
			jt.CoordinatesTo(&q, nil, &jk)
		}
		d := &jt.sprung
		for i := range d.n {
			at[d.first+int32(i)] = q[d.at(i)]
		}
	}
	s.Angles = at
}

// Owns reports whether s may be a state of m, by its lengths: it has all bodies; no angles, NumSprung angles or all angles; and no
// internal states or all.
func (m *Mechanism) Owns(s *State) bool {
	return s != nil && len(s.Bodies) == len(m.Bodies) && (len(s.Angles) == 0 || len(s.Angles) == m.NumSprung() || m.carriesAll(s)) &&
		(len(s.Internal) == 0 || len(s.Internal) == m.NumInternal())
}

// sprungTo is JointTo for joint j, and computes the kinematics of its bodies in k first. It returns the joint.
func (m *Mechanism) sprungTo(jk *JointKinematics, j int32, k *Kinematics, s *State) *Joint {
	jt := m.sprungPlacesTo(jk, j, k, s)
	jk.ratesTo(jt, s)
	return jt
}

// sprungPlacesTo is sprungTo without velocities.
func (m *Mechanism) sprungPlacesTo(jk *JointKinematics, j int32, k *Kinematics, s *State) *Joint {
	jt := &m.Joints[j]
	for _, b := range [2]int32{jt.Pred, jt.Succ} {
		if b >= 0 {
			m.BodyTo(&k.Bodies[b], s, int(b))
		}
	}
	m.placesTo(jk, jt, k, s)
	return jt
}

// startAngles gives the initial state all angles that findSprung has numbered, with the turns of the model, and parameters of
// curves near the parameters of the model, if it has them. So motions from the initial state count turns from the model's on.
func (m *Mechanism) startAngles() {
	if len(m.sprung) > 0 {
		m.followAngles(&Kinematics{Bodies: make([]BodyKinematics, len(m.Bodies))}, &m.initial, true)
	}
}

// HasFollowed reports whether there are composite joints, joints with curves or wheels on terrain. Their rows depend on values that a
// state carries in State.Angles, and that are found from the values of the state before.
func (m *Mechanism) HasFollowed() bool { return m.followed }

// CoordinatesTo stores in q and qd the coordinates and rates of the freedoms, as
// joints.Spec.CoordinatesTo does. Angles that the State of jk carries are within half a turn
// of the angles there.
//
// Cost: O(1), no allocation.
func (jt *Joint) CoordinatesTo(q, qd *[6]float64, jk *JointKinematics) {
	jt.Spec.CoordinatesTo(q, qd, &jk.Frames)
	if jk.angles == nil {
		return
	}
	d := &jt.sprung
	for i, f := range d.freedom[:d.n] {
		q[f] = algebra.NearTurn(q[f], jk.angles[i])
	}
}

// MoveAngles adds to dst, angles as in State.Angles, their first-order change by the displacement h·x of the
// bodies at s. x has six numbers for each body, about its centre of mass. With angles predicted in this way, FollowAngles
// counts the turns of fast wheels too, which turn by more than half a turn in a step.
//
// Cost: O(angles), no allocation; k was computed at s.
func (m *Mechanism) MoveAngles(dst []float64, k *Kinematics, s *State, h float64, x []float64) {
	var jk JointKinematics
	var qd [6]float64
	for _, j := range m.sprung {
		jt := &m.Joints[j]
		m.JointTo(&jk, int(j), k, s)
		var vP, vS spatial.Vec3
		moveEnd(&jk.OmegaP, &vP, jt.Pred, jk.ArmP, k, x)
		moveEnd(&jk.OmegaS, &vS, jt.Succ, jk.ArmS, k, x)
		jk.V = vS.Sub(vP).Sub(jk.OmegaP.Cross(jk.R))
		jt.NearRatesTo(&qd, &jk.Frames)
		d := &jt.sprung
		for i := range d.n {
			dst[d.first+int32(i)] += h * qd[d.at(i)]
		}
	}
}

// moveEnd stores in omega and v the rotation of a body by x and the displacement of the end of an arm from its origin, both zero
// for the world.
func moveEnd(omega, v *spatial.Vec3, body int32, arm spatial.Vec3, k *Kinematics, x []float64) {
	*omega, *v = spatial.Vec3{}, spatial.Vec3{}
	if body >= 0 {
		*omega = spatial.Vec3(x[6*body : 6*body+3])
		*v = spatial.Vec3(x[6*body+3 : 6*body+6]).Add(omega.Cross(arm.Sub(k.Bodies[body].Com)))
	}
}
