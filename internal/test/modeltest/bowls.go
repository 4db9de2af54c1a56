package modeltest

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Bowls returns a random mechanism of balls in bowls and on domes, half of which are on a free plate and the others on the world. Poses
// and velocities satisfy all joints. A ball that may slip slips.
func Bowls(seed uint64) *model.Model {
	g := rolling{rng: check.Rand(seed), m: model.New(fmt.Sprintf("bowls-%d", seed))}
	g.m.Gravity = [3]float64{0.3, -1, -9.81}
	plate := g.body("plate", g.vector(2), g.turn())
	plate.Velocity = model.Velocity{Linear: g.vector(1), Angular: g.vector(1)}
	g.m.Bodies = append(g.m.Bodies, plate)
	for i, slip := range []joints.Slip{joints.SlipNone, joints.SlipNone, joints.SlipBoth, joints.SlipNone} {
		g.ball(i, []string{"plate", model.World}[(i+int(seed))%2], []float64{1.1, -0.8}[i/2], slip)
	}
	return g.m
}

// ball adds a ball in a bowl of the body on or, if the radius bowl is negative, on a dome.
func (g *rolling) ball(i int, on string, bowl float64, slip joints.Slip) {
	const radius = 0.3
	j := model.Joint{
		Name: fmt.Sprintf("j%d", i), Type: model.Rolling, Predecessor: on, Successor: fmt.Sprintf("w%d", i),
		Wheel:            model.Wheel{Radius: radius, TyreRadius: radius, BowlRadius: bowl, Slip: slip},
		PredecessorFrame: model.Pose{Position: g.vector(0.3), Orientation: g.turn()},
		SuccessorFrame:   model.Pose{Position: g.vector(0.1), Orientation: g.turn()},
	}
	var under model.Body
	under.Pose.Orientation[0] = 1
	if on != model.World {
		under = g.m.Bodies[0]
	}
	origin := spatial.Vec3(under.Pose.Position).Add(spatial.Quat(under.Pose.Orientation).Rotate(j.PredecessorFrame.Position))
	out := g.vector(1)
	out = out.Scale(1 / out.Norm())
	center, p := origin.Add(out.Scale(bowl-radius)), out.Scale(radius)
	if bowl < 0 {
		center, p = origin.Add(out.Scale(radius-bowl)), out.Scale(-radius)
	}
	speed := spatial.Vec3(under.Velocity.Linear).Add(spatial.Vec3(under.Velocity.Angular).Cross(center.Add(p).Sub(under.Pose.Position)))
	omega := g.vector(2)
	v := speed.Sub(omega.Cross(p))
	if slip == joints.SlipBoth {
		v = v.Add(out.Cross(g.vector(1)))
	}
	b := g.body(j.Successor, spatial.Vec3{}, g.turn())
	arm := spatial.Quat(b.Pose.Orientation).Rotate(j.SuccessorFrame.Position)
	b.Pose.Position = center.Sub(arm)
	b.Velocity = model.Velocity{Linear: v.Sub(omega.Cross(arm)), Angular: omega}
	g.m.Bodies, g.m.Joints = append(g.m.Bodies, b), append(g.m.Joints, j)
}
