package mechanism

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// Forces depend on the turns of angles with springs and the like (findSprung), so a State has these angles. No force depends on the turns
// of the other angles, but users want to know how far a wheel has turned. So a State may carry the others too, behind the angles of
// findSprung, as states of simulations do.

// findOthers numbers the other angles, behind the angles of findSprung.
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

// isOther reports whether freedom i is an angle that a pose determines up to whole turns and that findSprung has not numbered.
func (jt *Joint) isOther(i int) bool { return jt.Axes == nil && jt.Winds(i) && !jt.sprung.has(i) }

// anglePlace returns the index of freedom i in State.Angles, or −1 if it has none.
func (jt *Joint) anglePlace(i int) int {
	d := &jt.sprung
	if d.whole() && jt.Axes == nil { // parameters of curves and feet are no coordinates
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

// NumAngles returns the length of State.Angles in a state that carries all angles: NumSprung plus the number of the other
// angles, without angles of helical joints, whose displacements determine their turns.
func (m *Mechanism) NumAngles() int { return m.angles + m.others }

// carriesAll reports whether s carries all angles.
func (m *Mechanism) carriesAll(s *State) bool { return len(s.Angles) == m.angles+m.others }

// CarryAngles makes s carry all angles, so that FollowTurns can count their turns. It keeps the angles that s has. The others are
// the values that Coordinate returns without them.
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

// FollowTurns updates in s.Angles the other angles, which FollowAngles does not update. from is the state from which the motion has
// reached s. Each angle is predicted from its value at from and the mean of its rates at both states; FollowTurns takes the angle
// at the pose that is nearest to the prediction. So an angle may also change by many turns.
//
// Shapes: s and from carry all angles, and may share State.Angles. Cost: O(joints), no allocation. It panics if one of
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
			if !jt.Prescribed(i) { // prescribed angles have the turns of their motions
				q[i] = algebra.NearTurn(q[i], was[i]+half*(rate[i]+qd[i]))
			}
			s.Angles[jt.anglePlace(i)] = q[i]
		}
	}
}

// CoordinatesTo stores in q and qd the coordinates and rates of the freedoms of joint j at s, as Joint.CoordinatesTo does, with the
// turns of all angles as in Coordinate.
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
// It is the angle or the displacement of the successor's frame S about or along the axis of the freedom, as seen from the
// predecessor's frame P (docs/conventions.md). An angle has the turns of its motion if it is prescribed, else the turns of
// State.Angles if it is there (all angles are, if s carries them (CarryAngles), as in a simulation), else it is in
// (−π, π] plus the turns of the model. For a rotation of a ball, which has no coordinate, q is NaN, and rate is the component of ω_S
// − ω_P along that axis of P.
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

// coordinatesAt is CoordinatesTo for a state without kinematics: it computes the kinematics of the joint's two bodies.
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

// Adopt turns s, a state of the mechanism from, into a state of m, which has the same bodies. So a simulation can continue after
// joints have been released, added or changed. Angles are kept for joints of the same name; other angles are in (−π, π] plus the
// turns of the model. If s carries all angles, it does so afterwards. Internal states, and the reactions in Bearings, are kept if m
// has as many of them.
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

// adopt copies from was, the State.Angles of the mechanism of old, the angles of the joint old, if both joints have the same number of
// freedoms. It also copies the parameters of curves and the feet of wheels.
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

// TurnsTo stores in out the turns of the angles that s carries, and the parameters of curves, so that angles of out equal those of s. out
// is the model of m with the poses of s: rung.SetState writes both. Without s.Angles it changes nothing. A model cannot say which of
// several sets of coordinates a composite joint has: out has the smallest coordinates, with the turns that are nearest to s.
//
// Cost: O(angles), allocates. It stores in k the kinematics of the bodies at these joints.
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
	if jt.Ground != nil { // a foot is not in the model: it is found from the pose
		return
	}
	if jt.Curve != nil {
		jt.NearTo(&q, &jk.Frames)
		c := *to.Curve // a copy, as out may share the curve with other models
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
