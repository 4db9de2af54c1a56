package sim

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// anchor is the pose and velocity of a body at the start of a step: the origin of its chart.
type anchor struct {
	position spatial.Vec3 // origin of the body frame
	rotation spatial.Quat
	arm      spatial.Vec3 // from the frame's origin to the centre of mass, world axes
	velocity [6]float64   // as mechanism.BodyState.ComVelocityTo stores it
}

// set stores in a the body b, whose centre of mass is at com in the body frame.
func (a *anchor) set(b *mechanism.BodyState, com *spatial.Vec3) {
	var E spatial.Mat3
	b.Rotation.MatTo(&E)
	E.MulVecTo(&a.arm, com)
	a.position, a.rotation = b.Position, b.Rotation
	b.ComVelocityTo(&a.velocity, &a.arm)
}

// bodyTo stores in b the body with the coordinates x and the velocity changes v, theory.md (45). x has the rotation
// vector and the displacement of the centre of mass from the anchor. v has the changes of
// the angular velocity and of the velocity of the centre of mass; bodyTo adds the velocities
// at the anchor to v. Positions are computed by adding displacements only.
func (a *anchor) bodyTo(b *mechanism.BodyState, x, v *[6]float64, com *spatial.Vec3) {
	k := mechanism.BodyKinematics{Com: a.arm}
	b.Position, b.Rotation = a.position, a.rotation
	b.Displace(1, x, &k, com)
	for i, u := range a.velocity {
		v[i] += u
	}
	b.SetComVelocity(v, &k.Com)
}
