package mechanism

import (
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// bushing holds the frames of a bushing. Each is the frame of the model moved by half of the rest pose (docs/springs.md (E8)), so that
// they coincide at rest.
type bushing struct {
	index int32 // number of the force element
	body  [2]int32
	at    [2]Attachment   // origins of the frames
	q     [2]spatial.Quat // orientations of the frames in their bodies
	moved [2]spatial.Vec3 // from the origins of the model's frames to the origins in at, axes of the bodies, m; zero without a rest
	K, D  springs.Matrix  // stiffness and damping
}

// newBushing returns the bushing of force element f with that index, on the bodies of A and B.
func newBushing(f *model.ForceElement, index int, body [2]int32) bushing {
	b := bushing{index: int32(index), body: body}
	rest := quaternion(f.Bushing.Rest.Orientation)
	if rest[0] < 0 {
		rest = spatial.Quat{-rest[0], -rest[1], -rest[2], -rest[3]}
	}
	// For w ≥ 0, 1 + q is a multiple of the quaternion of half the rotation; q and −q are the same rotation.
	half := spatial.Quat{1 + rest[0], rest[1], rest[2], rest[3]}.Normalize()
	move := spatial.Vec3(f.Bushing.Rest.Position).Scale(0.5)
	for e, a := range [2]*model.Attachment{&f.A, &f.B} {
		q := quaternion(a.Orientation)
		p := spatial.Vec3(a.Point)
		if e == 0 {
			b.moved[e], q = q.Rotate(move), q.Mul(half)
		} else {
			b.moved[e], q = q.Rotate(rest.Conj().Rotate(move)).Neg(), q.Mul(half.Conj())
		}
		b.at[e], b.q[e] = Attachment{Body: body[e], Point: p.Add(b.moved[e])}, q.Normalize()
	}
	b.K, b.D = springs.NewMatrix(&f.Bushing.Stiffness), springs.NewMatrix(&f.Bushing.Damping)
	return b
}

// NumBushings returns the number of bushings.
func (l *Loads) NumBushings() int { return len(l.bushings) }

// Bushing returns the bodies of A and B of bushing i, its stiffness and damping, and the number of its force element.
// They are not to be changed.
func (l *Loads) Bushing(i int) (body [2]int32, K, D *springs.Matrix, element int) {
	b := &l.bushings[i]
	return b.body, &b.K, &b.D, int(b.index)
}

// BushingState has the displacement and the stresses of a bushing at a state. Its frames are the model's, each moved by half of the rest,
// docs/springs.md (E8).
type BushingState struct {
	springs.Relative
	Twist   springs.Twist   // angular velocities of the frames, and the rate of Line
	X, Rate [6]float64      // displacement x and rate ẋ, docs/springs.md (E4), (E6)
	Stress  [6]float64      // K·x + D·ẋ − preload: the bushing does the work −Stress·ẋ
	Line    spatial.Vec3    // from the origin of A to the origin of B, world axes, m
	Arm     [2]spatial.Vec3 // from the centres of mass to the origins, world axes, m; zero for the world

	of *bushing
}

// BushingAt stores in b the frames, the displacement and the stresses of bushing i at s.
//
// Cost: O(1), no allocation; k was computed at s. It returns an error that wraps springs.ErrHalfTurn and names the element.
func (m *Mechanism) BushingAt(b *BushingState, i int, k *Kinematics, s *State) error {
	u := &m.bushings[i]
	b.of = u
	var far, near, v [2]spatial.Vec3
	var q [2]spatial.Quat
	for e := range 2 {
		a := &u.at[e]
		far[e], near[e] = m.place(a, k, s)
		q[e], b.Arm[e], v[e] = u.q[e], spatial.Vec3{}, spatial.Vec3{}
		omega := &b.Twist.A
		if e == 1 {
			omega = &b.Twist.B
		}
		*omega = spatial.Vec3{}
		if a.Body >= 0 {
			st := &s.Bodies[a.Body]
			q[e] = st.Rotation.Mul(q[e])
			b.Arm[e] = near[e].Sub(k.Bodies[a.Body].Com)
			v[e] = st.Velocity.Add(st.Omega.Cross(near[e]))
			*omega = st.Omega
		}
	}
	b.Line = far[1].Sub(far[0]).Add(near[1].Sub(near[0]))
	b.Twist.Line = v[1].Sub(v[0])
	if err := b.SetTo(&q[0], &q[1], &b.Line); err != nil {
		return m.AtForce(int(u.index), err)
	}
	b.X = b.Relative.X()
	b.RateTo(&b.Rate, &b.Twist)
	f := &m.Forces[u.index]
	var damping [6]float64
	u.K.MulTo(&b.Stress, &b.X)
	u.D.MulTo(&damping, &b.Rate)
	for i := range b.Stress {
		b.Stress[i] += damping[i]
	}
	for i := range 3 {
		b.Stress[i] -= f.Torque[i]
		b.Stress[3+i] -= f.Force[i]
	}
	return nil
}

// WrenchesTo stores the wrenches of the bushing on A and on B, about the origins of its frames, world axes.
func (b *BushingState) WrenchesTo(onA, onB *spatial.Force) {
	s := b.Stress
	for i := range s {
		s[i] = -s[i]
	}
	b.WrenchTo(onA, onB, &s)
}

// energy returns ½·xᵀK·x − preload·x, docs/springs.md (E3).
func (b *BushingState) energy(u *bushing, f *ForceElement) (sum float64) {
	var s [6]float64
	u.K.MulTo(&s, &b.X)
	for i := range 3 {
		sum += b.X[i]*(s[i]/2-f.Torque[i]) + b.X[3+i]*(s[3+i]/2-f.Force[i])
	}
	return sum
}

// bushingElement returns the state of bushing i as a force element, about the frames of the model, which are not moved by (E8).
func (m *Mechanism) bushingElement(i int, k *Kinematics, s *State) (e ElementState, err error) {
	var b BushingState
	if err := m.BushingAt(&b, i, k, s); err != nil {
		return e, err
	}
	u := &m.bushings[i]
	var moved, v [2]spatial.Vec3
	for end, body := range u.body {
		moved[end] = u.moved[end]
		if body >= 0 {
			st := &s.Bodies[body]
			moved[end] = st.Rotation.Rotate(moved[end])
			v[end] = st.Omega.Cross(moved[end])
		}
	}
	var onA, onB spatial.Force
	b.WrenchesTo(&onA, &onB)
	line := b.Line.Add(moved[0]).Sub(moved[1])
	e = ElementState{Length: line.Norm(), Energy: b.energy(u, &m.Forces[u.index]), Force: onB.Linear()}
	e.Torque = onB.Moment().Add(moved[1].Cross(e.Force))
	e.Tension = e.Force.Norm()
	if e.Length > 0 {
		e.Rate = line.Dot(b.Twist.Line.Add(v[0]).Sub(v[1])) / e.Length
	}
	return e, nil
}

// addBushings adds to f the wrenches of the bushings on the bodies, about their centres of mass, world axes.
func (m *Mechanism) addBushings(f []spatial.Force, k *Kinematics, s *State) error {
	if len(m.bushings) == 0 {
		return nil
	}
	var b BushingState
	var w [2]spatial.Force
	for i := range m.bushings {
		if err := m.BushingAt(&b, i, k, s); err != nil {
			return err
		}
		b.WrenchesTo(&w[0], &w[1])
		for e, body := range m.bushings[i].body {
			if body >= 0 {
				addWrench(&f[body], &w[e], &b.Arm[e], 1)
			}
		}
	}
	return nil
}
