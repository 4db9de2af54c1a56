package mechanism

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// Springs need the turns of their angles, and so a State has these whenever it matters. All other angles act on nothing;
// but who looks at a wheel wants to know how far it has turned. So a State may carry them too, behind those with
// springs: it does where somebody follows it through time.

// findOthers numbers the angles without springs, behind those with springs.
func (m *Mechanism) findOthers() {
	next := int32(m.angles)
	for j := range m.Joints {
		jt := &m.Joints[j]
		jt.others = next
		for i := range jt.Kind.Freedoms() {
			if jt.isOther(i) {
				next++
			}
		}
		if next > jt.others {
			m.turning = append(m.turning, int32(j))
		}
	}
	m.others = int(next) - m.angles
}

// isOther reports whether freedom i is an angle without a spring whose turns no pose tells.
func (jt *Joint) isOther(i int) bool { return jt.Axes == nil && jt.Winds(i) && !jt.sprung.has(i) }

// anglePlace returns the place of freedom i in State.Angles, or −1.
func (jt *Joint) anglePlace(i int) int {
	d := &jt.sprung
	if d.whole() && jt.Axes == nil { // of curves and feet: no coordinates
		return -1
	}
	if k := d.place(i); k >= 0 {
		return int(d.first) + k
	}
	if !jt.isOther(i) {
		return -1
	}
	at := int(jt.others)
	for k := range i {
		if jt.isOther(k) {
			at++
		}
	}
	return at
}

// NumAngles returns the length of State.Angles of a state that carries all angles: NumSprung, and one each for the
// other freedoms that turn about an axis, but for those of helical joints, whose slides tell their turns.
func (m *Mechanism) NumAngles() int { return m.angles + m.others }

// carriesAll reports whether s carries all angles.
func (m *Mechanism) carriesAll(s *State) bool { return len(s.Angles) == m.angles+m.others }

// CarryAngles makes s carry all angles, so that FollowTurns can count their turns. Angles that it has stay. The others are
// those that Coordinate reads without them.
//
// Cost: O(joints), no allocation if s carries them already. It panics if s is of another mechanism.
func (m *Mechanism) CarryAngles(s *State) {
	if !m.Owns(s) {
		panic("mechanism" + fault.ForeignState)
	}
	if m.carriesAll(s) {
		return
	}
	all := make([]float64, m.NumAngles())
	if len(s.Angles) == 0 && m.angles > 0 {
		m.FollowAngles(m.NewKinematics(), s)
	}
	copy(all, s.Angles)
	var q, qd [6]float64
	for _, j := range m.turning {
		jt := &m.Joints[j]
		m.coordinatesAt(&q, &qd, int(j), s)
		for i := range jt.Kind.Freedoms() {
			if jt.isOther(i) {
				all[jt.anglePlace(i)] = q[i]
			}
		}
	}
	s.Angles = all
}

// FollowTurns stores in s.Angles the angles without springs at s, a state that the motion reaches from the state from,
// which carries all angles. The turn of an angle is the one nearest to where the mean of its rates at both ends takes it,
// so that it may also change by many turns. Angles with springs are those of FollowAngles.
//
// Shapes: s carries all angles, too; both may share State.Angles. Cost: O(joints), no allocation. It panics if one of
// the states is of another mechanism or does not carry all angles.
func (m *Mechanism) FollowTurns(s, from *State) {
	if !m.Owns(s) || !m.Owns(from) {
		panic("mechanism" + fault.ForeignState)
	}
	if !m.carriesAll(s) || !m.carriesAll(from) {
		panic("mechanism: state without all angles")
	}
	half := (s.Time - from.Time) / 2
	var q, qd, was, rate [6]float64
	for _, j := range m.turning {
		jt := &m.Joints[j]
		m.coordinatesAt(&was, &rate, int(j), from)
		m.coordinatesAt(&q, &qd, int(j), s)
		for i := range jt.Kind.Freedoms() {
			if !jt.isOther(i) {
				continue
			}
			if !jt.Prescribed(i) { // which have the turns of their motions
				q[i] = algebra.NearTurn(q[i], was[i]+half*(rate[i]+qd[i]))
			}
			s.Angles[jt.anglePlace(i)] = q[i]
		}
	}
}

// CoordinatesTo stores in q and qd the coordinates and rates of the freedoms of joint j at s, as Joint.CoordinatesTo, and
// with the turns of all angles as Coordinate reads them.
//
// Cost: O(1), no allocation. jk is what JointTo has stored for s.
func (m *Mechanism) CoordinatesTo(q, qd *[6]float64, j int, jk *JointKinematics, s *State) {
	jt := &m.Joints[j]
	jt.CoordinatesTo(q, qd, jk)
	all := m.carriesAll(s)
	for i := range jt.Kind.Freedoms() {
		switch {
		case jt.Prescribed(i) && (jt.isOther(i) || jt.Axes != nil && jt.Winds(i)):
			to, _, _ := jt.Motion[i].At(s.Time)
			q[i] = algebra.NearTurn(q[i], to)
		case all && jt.isOther(i):
			q[i] = algebra.NearTurn(q[i], s.Angles[jt.anglePlace(i)])
		}
	}
}

// Coordinate returns the coordinate of a freedom at s, rad or m, and its rate, rad/s or m/s.
//
// It is the angle or the displacement of the successor's frame S about or along the axis of the freedom, as the
// predecessor's frame P sees it (docs/conventions.md). Angles go on past half a turn, as far as s tells: prescribed
// ones have the turns of their motion, angles with springs those of State.Angles, and all others too where s carries
// all angles (CarryAngles), as in a simulation. What s does not tell is read in (−π, π] plus the turns of the model.
// The coordinate is NaN for a freedom that has none, a rotation of a ball; its rate is that component of ω_S − ω_P, axes of P.
//
// Cost: O(1), no allocation. Where s is not finite, the results are not. It panics if s is of another mechanism, or the
// joint or its freedom is out of range.
func (m *Mechanism) Coordinate(f Freedom, s *State) (q, rate float64) {
	if !m.Owns(s) {
		panic("mechanism" + fault.ForeignState)
	}
	m.mustJoint(f.Joint)
	jt := &m.Joints[f.Joint]
	if uint(f.Freedom) >= uint(jt.Kind.Freedoms()) {
		panic("mechanism: freedom out of range")
	}
	var all, rates [6]float64
	m.coordinatesAt(&all, &rates, f.Joint, s)
	if !jt.Kind.Scalar(f.Freedom) {
		return math.NaN(), rates[f.Freedom]
	}
	return all[f.Freedom], rates[f.Freedom]
}

// coordinatesAt is CoordinatesTo without the kinematics of all bodies: a joint needs only its own two.
func (m *Mechanism) coordinatesAt(q, qd *[6]float64, j int, s *State) {
	var (
		bodies [2]BodyState
		at     [2]BodyKinematics
		jk     JointKinematics
	)
	jt := m.Joints[j]
	for i, b := range [2]*int32{&jt.Pred, &jt.Succ} {
		if *b >= 0 {
			bodies[i] = s.Bodies[*b]
			bodies[i].Rotation.MatTo(&at[i].E)
			*b = int32(i)
		}
	}
	framesTo(&jk, &jt, &Kinematics{Bodies: at[:]}, &State{Bodies: bodies[:]})
	jk.setAngles(&jt, s.Angles)
	m.CoordinatesTo(q, qd, j, &jk, s)
}

// Adopt makes s, a state of the mechanism from, a state of m, which has the same bodies. Angles with turns stay for
// joints of the same name. Other angles are read in (−π, π] plus the turns of the model. If s carries all angles, it
// does so afterwards. Internal states stay if there are as many, and so do the reactions in Bearings. So a simulation goes on where
// joints have been released, added or changed.
//
// Cost: O(bodies), allocates. It panics if s is not of from, or from has other bodies.
func (m *Mechanism) Adopt(s *State, from *Mechanism) {
	if !from.Owns(s) || len(m.Bodies) != len(from.Bodies) {
		panic("mechanism" + fault.ForeignState)
	}
	was, all := s.Angles, len(s.Angles) > 0 && from.carriesAll(s)
	s.Angles = nil
	if len(s.Internal) != m.NumInternal() {
		s.Internal = nil
	}
	if len(s.Bearings) != m.NumBearings() {
		s.Bearings = nil
	}
	m.FollowAngles(m.NewKinematics(), s)
	if all {
		m.CarryAngles(s)
	}
	if len(was) == 0 {
		return
	}
	kept := make(map[string]int32, len(from.sprung)) // joints whose angles are known
	lists := [][]int32{from.sprung}
	if all {
		lists = append(lists, from.turning)
	}
	for _, list := range lists {
		for _, j := range list {
			kept[from.JointName(int(j))] = j
		}
	}
	for j := range m.Joints {
		if old, ok := kept[m.JointName(j)]; ok {
			m.Joints[j].adopt(s.Angles, &from.Joints[old], was)
		}
	}
}

// adopt takes over the angles of a joint of the same name, if it has the same freedoms, the parameters of curves and the feet of wheels.
func (jt *Joint) adopt(angles []float64, old *Joint, was []float64) {
	if jt.Axes == nil && jt.sprung.whole() && old.Axes == nil && old.sprung.whole() {
		if n := int32(jt.sprung.n); n == int32(old.sprung.n) {
			copy(angles[jt.sprung.first:][:n], was[old.sprung.first:])
		}
		return
	}
	n := jt.Kind.Freedoms()
	if n != old.Kind.Freedoms() || jt.sprung.whole() != old.sprung.whole() {
		return
	}
	for i := range n {
		if to, at := jt.anglePlace(i), old.anglePlace(i); to >= 0 && to < len(angles) && at >= 0 && at < len(was) {
			angles[to] = was[at]
		}
	}
}

// TurnsTo stores in out the turns of the angles that s carries and the parameters of curves, so that out is wound as s is. out is the
// model of m with the poses of s: rung.SetState writes both. Without s.Angles it changes nothing. A model cannot say which of several
// sets of coordinates a composite joint has: it has the smallest, with turns that are nearest to those of s.
//
// Cost: O(angles), allocates. k receives the kinematics of the bodies at these joints.
func (m *Mechanism) TurnsTo(out *model.Model, k *Kinematics, s *State) {
	if len(s.Angles) == 0 {
		return
	}
	for _, j := range m.sprung {
		m.jointTurnsTo(out, j, k, s)
	}
	if !m.carriesAll(s) {
		return
	}
	for _, j := range m.turning {
		m.jointTurnsTo(out, j, k, s)
	}
}

// jointTurnsTo stores in out the turns of joint j at s, and the parameters of its curves.
func (m *Mechanism) jointTurnsTo(out *model.Model, j int32, k *Kinematics, s *State) {
	var jk JointKinematics
	var q, raw, qd [6]float64
	jt, to := m.sprungTo(&jk, j, k, s), &out.Joints[j]
	if jt.Ground != nil { // whose foot is found from the pose
		return
	}
	if jt.Curve != nil {
		jt.NearTo(&q, &jk.Frames)
		c := *to.Curve // which out may share with other models
		c.Parameter = &q[0]
		to.Curve = &c
		if to.SuccessorCurve != nil {
			c := *to.SuccessorCurve
			c.Parameter = &q[1]
			to.SuccessorCurve = &c
		}
		return
	}
	m.CoordinatesTo(&q, &qd, int(j), &jk, s)
	jk.Near = nil
	jt.Spec.CoordinatesTo(&raw, &qd, &jk.Frames)
	turns := make([]int64, to.Kind().Turns())
	copy(turns, to.Turns)
	for f := range jt.Kind.Freedoms() {
		if at := jt.anglePlace(f); at >= 0 && at < len(s.Angles) && jt.Winds(f) {
			turns[f] += int64(math.RoundToEven((q[f] - raw[f]) / (2 * math.Pi)))
		}
	}
	to.Turns = turns
}
