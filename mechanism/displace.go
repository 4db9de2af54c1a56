package mechanism

import "github.com/rung-mbd/rung/spatial"

// Solvers work with six numbers for each body, at the centre of mass and along the world's axes. For a
// velocity these are the angular velocity and the velocity of the centre of mass, for a displacement
// the rotation vector and the displacement of the centre of mass. This file converts them to poses
// and velocities of body frames, and back.

// ComVelocityTo stores in v the angular velocity of b, rad/s, and the velocity of its centre of mass, m/s.
// arm is from the frame's origin to the centre of mass, world axes (BodyKinematics.Com).
//
// Cost: O(1), no allocation.
func (b *BodyState) ComVelocityTo(v *[6]float64, arm *spatial.Vec3) {
	w := &b.Omega
	v[0], v[1], v[2] = w[0], w[1], w[2]
	v[3] = b.Velocity[0] + (w[1]*arm[2] - w[2]*arm[1])
	v[4] = b.Velocity[1] + (w[2]*arm[0] - w[0]*arm[2])
	v[5] = b.Velocity[2] + (w[0]*arm[1] - w[1]*arm[0])
}

// SetComVelocity sets the velocities of b from v, as ComVelocityTo stores it, with the same arm.
//
// Cost: O(1), no allocation.
func (b *BodyState) SetComVelocity(v *[6]float64, arm *spatial.Vec3) {
	b.Omega[0], b.Omega[1], b.Omega[2] = v[0], v[1], v[2]
	b.Velocity[0] = v[3] - (v[1]*arm[2] - v[2]*arm[1])
	b.Velocity[1] = v[4] - (v[2]*arm[0] - v[0]*arm[2])
	b.Velocity[2] = v[5] - (v[0]*arm[1] - v[1]*arm[0])
}

// AddComVelocity adds s·v to the velocities of b, with v and arm as in ComVelocityTo.
//
// Cost: O(1), no allocation.
func (b *BodyState) AddComVelocity(s float64, v *[6]float64, arm *spatial.Vec3) {
	w0, w1, w2 := s*v[0], s*v[1], s*v[2]
	b.Omega[0] += w0
	b.Omega[1] += w1
	b.Omega[2] += w2
	b.Velocity[0] += s*v[3] - (w1*arm[2] - w2*arm[1])
	b.Velocity[1] += s*v[4] - (w2*arm[0] - w0*arm[2])
	b.Velocity[2] += s*v[5] - (w0*arm[1] - w1*arm[0])
}

// Displace moves b by s·x: it turns b by the rotation vector s·x[:3], rad, and moves its centre of mass, at com
// in the body frame, by s·x[3:], m. Velocities do not change. Before the call k.Com is the arm of b; Displace
// updates E and Com of k. It adds only displacements to the position, so that rounding is small,
// docs/theory.md (45).
//
// Cost: O(1), no allocation.
func (b *BodyState) Displace(s float64, x *[6]float64, k *BodyKinematics, com *spatial.Vec3) {
	turn, arm := spatial.Vec3{s * x[0], s * x[1], s * x[2]}, k.Com
	spatial.TurnTo(&b.Rotation, &turn, &b.Rotation)
	b.Rotation.MatTo(&k.E)
	k.E.MulVecTo(&k.Com, com)
	for i := range 3 {
		b.Position[i] += s*x[3+i] + (arm[i] - k.Com[i])
	}
}

// DisplaceTo stores in dst the bodies of st moved by s·x (BodyState.Displace). A body that does not
// move keeps its bits.
//
// Shapes: dst and st are of m, and may be the same; x has six numbers for each body.
// Cost: O(bodies), no allocation.
func (m *Mechanism) DisplaceTo(dst, st *State, s float64, x []float64) {
	var k BodyKinematics
	for i := range st.Bodies {
		u, to, com := (*[6]float64)(x[6*i:]), &dst.Bodies[i], &m.Bodies[i].Com
		*to = st.Bodies[i]
		if *u != ([6]float64{}) {
			to.Rotation.MatTo(&k.E)
			k.E.MulVecTo(&k.Com, com)
			to.Displace(s, u, &k, com)
		}
	}
}

// Displacement returns the displacement of body i from one state to another, world axes: travel of its centre of mass, m,
// and the rotation vector turn, rad.
//
// Cost: O(1), no allocation.
func (m *Mechanism) Displacement(i int, from, to *State) (travel, turn spatial.Vec3) {
	a, b := &from.Bodies[i], &to.Bodies[i]
	com := m.Bodies[i].Com
	travel = b.Position.Sub(a.Position).Add(b.Rotation.Rotate(com).Sub(a.Rotation.Rotate(com)))
	if a.Rotation != b.Rotation {
		turn = b.Rotation.Mul(a.Rotation.Conj()).Log()
	}
	return travel, turn
}

// Change is the largest change of bodies between two states, of poses or of velocities: Travel is the largest change of a
// centre of mass (m, m/s), Turn the largest change of a rotation (rad, rad/s). TravelBody and TurnBody are the numbers of
// these bodies, −1 if there is none.
type Change struct {
	Travel, Turn         float64
	TravelBody, TurnBody int
}

// NoChange returns the change of no body.
func NoChange() Change { return Change{TravelBody: -1, TurnBody: -1} }

// Widen replaces Travel and Turn of c by travel and turn of body i where these are larger. A NaN counts as larger than any number.
func (c *Change) Widen(i int, travel, turn float64) {
	if c.TravelBody < 0 || travel > c.Travel || travel != travel {
		c.Travel, c.TravelBody = travel, i
	}
	if c.TurnBody < 0 || turn > c.Turn || turn != turn {
		c.Turn, c.TurnBody = turn, i
	}
}
