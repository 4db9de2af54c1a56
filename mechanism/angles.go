package mechanism

import (
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// A pose determines an angle up to whole turns. For a torsion spring that is too little: as it is wound past half a turn,
// the angle in (−π, π] jumps, and so would its torque. So a State has the angles of such freedoms, of freedoms with stops, of
// those with actuators that hold a position or have an integral part, and of freedoms of couplings: findSprung is the only
// place that decides which. An angle of the pose is then the one within half a turn of the number in the State; a simulation
// updates these numbers from step to step.

// sprung are the freedoms of a joint whose angles a State carries: NumSprung counts
// them from first on.
type sprung struct {
	first   int32
	n       int8
	freedom [2]int8
}

// has reports whether freedom i is one of them.
func (d *sprung) has(i int) bool { return d.place(i) >= 0 }

// whole in freedom[0] marks a joint of which a state carries what joints.Spec.NearTo finds: all coordinates of a composite joint, lengths
// too, with springs or without, the parameters of curves, or the foot of a wheel on terrain. Several of these may belong to one pose, and
// the motions that the joint allows depend on which.
const whole = -1

// place returns the place of freedom i among them, or −1.
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

// at returns number i of them.
func (d *sprung) at(i int8) int {
	if d.whole() {
		return int(i)
	}
	return int(d.freedom[i])
}

// findSprung numbers the angles with springs, and those that actuators and couplings count as springs do.
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
		if drive == nil && len(wound) == 0 || jt.Kind == joints.Helical { // which tells its turn by its slide
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

// NumSprung returns the number of freedoms that are angles with a spring, in joints other
// than helical ones, of all freedoms of composite joints, of parameters of curves and coordinates of feet: the length of State.Angles.
func (m *Mechanism) NumSprung() int { return m.angles }

// AnglePlace returns the place of a freedom in State.Angles, or −1 if it is none of those: below NumSprung for an angle
// with a spring, from there on for another one, which only states that carry all angles have.
//
// Cost: O(1), no allocation.
func (m *Mechanism) AnglePlace(f Freedom) int { return m.Joints[f.Joint].anglePlace(f.Freedom) }

// FollowAngles stores in s.Angles the angles with springs at s: those within half a
// turn of the numbers there, or, if there are none, in (−π, π] plus the turns of the
// model. It is to be called whenever less than half a turn has passed. The other angles
// of a state that carries all stay as they are (FollowTurns).
//
// Cost: O(angles), no allocation but for the first time. k receives the kinematics of the
// bodies at these joints. It panics if s is of another mechanism.
func (m *Mechanism) FollowAngles(k *Kinematics, s *State) {
	if !m.Owns(s) {
		panic("mechanism" + fault.ForeignState)
	}
	m.followAngles(k, s, false)
}

// followAngles is FollowAngles; with start s is the initial state, whose parameters of curves are those near the ones of the model.
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

// Owns reports whether s may be a state of m: it has as many bodies, and as many angles with
// springs, or all angles, and internal states, or none of these.
func (m *Mechanism) Owns(s *State) bool {
	return s != nil && len(s.Bodies) == len(m.Bodies) && (len(s.Angles) == 0 || len(s.Angles) == m.NumSprung() || m.carriesAll(s)) &&
		(len(s.Internal) == 0 || len(s.Internal) == m.NumInternal())
}

// sprungTo is JointTo for joint j with angles with springs, and the kinematics of its bodies.
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

// startAngles gives the initial state all angles that findSprung has numbered, with the turns of the model, and the parameters
// of curves from those of the model if it has them. So who moves a state from there knows of its turns, and nobody searches again.
func (m *Mechanism) startAngles() {
	if len(m.sprung) > 0 {
		m.followAngles(&Kinematics{Bodies: make([]BodyKinematics, len(m.Bodies))}, &m.initial, true)
	}
}

// HasFollowed reports whether there are composite joints, joints with curves or wheels on terrain. Their rows depend on numbers that a
// state carries (State.Angles), which are found from those before.
func (m *Mechanism) HasFollowed() bool { return m.followed }

// CoordinatesTo stores in q and qd the coordinates and rates of the freedoms, as
// joints.Spec.CoordinatesTo, but angles with springs within half a turn of those in the
// State of which jk is, if it has them.
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

// MoveAngles adds to dst, angles as in State.Angles, what the displacement h·x of the
// bodies at s, six numbers a body about its centre of mass, adds to them to first
// order. So FollowAngles counts the turns of fast wheels, too, where poses jump.
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

// moveEnd stores the rotation and the travel of the end of an arm of a body under x, zero for the world.
func moveEnd(omega, v *spatial.Vec3, body int32, arm spatial.Vec3, k *Kinematics, x []float64) {
	*omega, *v = spatial.Vec3{}, spatial.Vec3{}
	if body >= 0 {
		*omega = spatial.Vec3(x[6*body : 6*body+3])
		*v = spatial.Vec3(x[6*body+3 : 6*body+6]).Add(omega.Cross(arm.Sub(k.Bodies[body].Com)))
	}
}
