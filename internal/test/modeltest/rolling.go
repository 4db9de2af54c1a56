package modeltest

import (
	"fmt"
	"math/rand/v2"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Rolling returns a random mechanism of wheels of all kinds and two skates, half of which are on a free plate and the others on the world.
// Poses and velocities satisfy all joints. A wheel that may slip slips.
func Rolling(seed uint64) *model.Model {
	g := rolling{rng: check.Rand(seed), m: model.New(fmt.Sprintf("rolling-%d", seed))}
	g.m.Gravity = [3]float64{0.3, -1, -9.81}
	plate := g.body("plate", g.vector(2), g.turn())
	plate.Velocity = model.Velocity{Linear: g.vector(1), Angular: g.vector(1)}
	g.m.Bodies = append(g.m.Bodies, plate)
	for i, w := range []struct {
		slip joints.Slip
		tyre float64
	}{
		{joints.SlipNone, 0}, {joints.SlipAlong, 0.1}, {joints.SlipAcross, 0}, {joints.SlipBoth, 0.05},
		{joints.SlipNone, 0.3}, {joints.SlipNone, 0.12},
	} {
		on := []string{"plate", model.World}[(i+int(seed))%2]
		g.wheel(i, on, model.Joint{Type: model.Rolling, Wheel: model.Wheel{Radius: 0.3, TyreRadius: w.tyre, Slip: w.slip}})
	}
	g.wheel(6, "plate", model.Joint{Type: model.NoSlip})
	g.wheel(7, model.World, model.Joint{Type: model.NoSlip})
	return g.m
}

// rolling grows a mechanism.
type rolling struct {
	rng *rand.Rand
	m   *model.Model
}

// vector returns a random vector whose components have the standard deviation size.
func (g *rolling) vector(size float64) spatial.Vec3 {
	return spatial.Vec3{g.rng.NormFloat64(), g.rng.NormFloat64(), g.rng.NormFloat64()}.Scale(size)
}

// turn returns a random rotation.
func (g *rolling) turn() spatial.Quat { return spatial.Exp(g.vector(1)) }

// body returns a body with random mass and centre of mass.
func (g *rolling) body(name string, at spatial.Vec3, turn spatial.Quat) model.Body {
	return model.Body{
		Name: name, Mass: 1 + g.rng.Float64(), Com: g.vector(0.1), Inertia: model.Inertia{XX: 0.1, YY: 0.12, ZZ: 0.15, XY: 0.01},
		Pose: model.Pose{Position: at, Orientation: turn},
	}
}

// wheel adds a body with the joint j on the body on.
func (g *rolling) wheel(i int, on string, j model.Joint) {
	j.Name, j.Predecessor, j.Successor = fmt.Sprintf("j%d", i), on, fmt.Sprintf("w%d", i)
	j.PredecessorFrame = model.Pose{Position: g.vector(0.3), Orientation: g.turn()}
	j.SuccessorFrame = model.Pose{Position: g.vector(0.2), Orientation: g.turn()}
	var under model.Body
	under.Pose.Orientation[0] = 1
	if on != model.World {
		under = g.m.Bodies[0]
	}
	up := spatial.Quat(under.Pose.Orientation).Mat()
	plane := up.Mul(spatial.Quat(j.PredecessorFrame.Orientation).Mat())
	origin := spatial.Vec3(under.Pose.Position).Add(up.MulVec(j.PredecessorFrame.Position))
	n := plane.Col(2)
	b := g.body(j.Successor, spatial.Vec3{}, g.turn())
	var axle spatial.Vec3
	sine := 0.0
	for sine < 0.4 { // far from lying flat
		b.Pose.Orientation = g.turn()
		axle = spatial.Quat(b.Pose.Orientation).Mat().MulVec(spatial.Quat(j.SuccessorFrame.Orientation).Mat().Col(2))
		sine = axle.Cross(n).Norm()
	}
	omega := g.vector(2)
	center := origin.Add(plane.MulVec(spatial.Vec3{g.rng.NormFloat64(), g.rng.NormFloat64(), g.rng.NormFloat64()}))
	// speed returns the velocity of the point of the lower body at x.
	speed := func(x spatial.Vec3) spatial.Vec3 {
		return spatial.Vec3(under.Velocity.Linear).Add(spatial.Vec3(under.Velocity.Angular).Cross(x.Sub(under.Pose.Position)))
	}
	var v spatial.Vec3 // of the centre
	if j.Type == model.Rolling {
		rim := j.Radius - j.TyreRadius
		center = center.Sub(n.Scale(n.Dot(center.Sub(origin)) - rim*sine - j.TyreRadius))
		low := axle.Scale(n.Dot(axle)).Sub(n).Scale(rim / sine).Sub(n.Scale(j.TyreRadius)) // from the centre to the rim, then to the ground
		heading := axle.Cross(n).Scale(1 / sine)
		v = speed(center.Add(low)).Add(low.Cross(omega))
		if j.Slip == joints.SlipAlong || j.Slip == joints.SlipBoth {
			v = v.Add(heading.Scale(g.rng.NormFloat64()))
		}
		if j.Slip == joints.SlipAcross || j.Slip == joints.SlipBoth {
			v = v.Add(n.Cross(heading).Scale(g.rng.NormFloat64()))
		}
	} else {
		v = g.vector(1)
		v = speed(center).Add(v.Sub(axle.Scale(axle.Dot(v))))
	}
	arm := spatial.Quat(b.Pose.Orientation).Rotate(j.SuccessorFrame.Position)
	b.Pose.Position = center.Sub(arm)
	b.Velocity = model.Velocity{Linear: v.Sub(omega.Cross(arm)), Angular: omega}
	g.m.Bodies, g.m.Joints = append(g.m.Bodies, b), append(g.m.Joints, j)
}
