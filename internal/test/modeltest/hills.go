package modeltest

import (
	"fmt"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// hills is the height of a ground whose radius of curvature is larger than 0.3 m, the radius of the wheels, everywhere.
const hills = "0.3*sin(1.1*x + 0.4*y) + 0.2*cos(0.9*y - 0.3*x) + 0.1*x"

// Hills returns a random mechanism of wheels of all kinds on hills. Poses and velocities satisfy all joints. A wheel that may slip slips.
func Hills(seed uint64) *model.Model {
	g := rolling{rng: check.Rand(seed), m: model.New(fmt.Sprintf("hills-%d", seed))}
	g.m.Gravity = [3]float64{0.3, -1, -9.81}
	g.m.Terrains = []model.Terrain{{Name: "hills", Type: model.FunctionTerrain, Expression: hills}}
	surface, err := ground.Function(hills)
	if err != nil {
		panic(err)
	}
	for i, w := range []struct {
		slip joints.Slip
		tyre float64
	}{
		{joints.SlipNone, 0}, {joints.SlipAlong, 0.1}, {joints.SlipAcross, 0.05}, {joints.SlipBoth, 0.3},
		{joints.SlipNone, 0.3}, {joints.SlipNone, 0.12},
	} {
		wheel := model.Wheel{Radius: 0.3, TyreRadius: w.tyre, Slip: w.slip, Terrain: "hills"}
		g.onHill(i, surface, model.Joint{Type: model.Rolling, Wheel: wheel})
	}
	return g.m
}

// onHill adds a body with the wheel j on a surface.
func (g *rolling) onHill(i int, on *ground.Surface, j model.Joint) {
	j.Name, j.Predecessor, j.Successor = fmt.Sprintf("j%d", i), model.World, fmt.Sprintf("w%d", i)
	j.PredecessorFrame.Orientation[0] = 1
	j.SuccessorFrame = model.Pose{Position: g.vector(0.2), Orientation: g.turn()}
	x, y := 2*g.rng.NormFloat64(), 2*g.rng.NormFloat64()
	patch, err := on.At(x, y)
	if err != nil {
		panic(err)
	}
	n := patch.Normal()
	b := g.body(j.Successor, spatial.Vec3{}, g.turn())
	var axle, heading spatial.Vec3
	for sine := 0.0; sine < 0.6; sine = heading.Norm() { // far from lying flat
		b.Pose.Orientation = g.turn()
		axle = spatial.Quat(b.Pose.Orientation).Mat().MulVec(spatial.Quat(j.SuccessorFrame.Orientation).Mat().Col(2))
		heading = axle.Cross(n)
	}
	t := heading.Scale(1 / heading.Norm())
	l, u := n.Cross(t), t.Cross(axle)
	p := u.Scale(j.TyreRadius - j.Radius).Sub(n.Scale(j.TyreRadius))
	omega := g.vector(2)
	v := omega.Cross(p).Neg()
	if j.Slip == joints.SlipAlong || j.Slip == joints.SlipBoth {
		v = v.Add(t.Scale(g.rng.NormFloat64()))
	}
	if j.Slip == joints.SlipAcross || j.Slip == joints.SlipBoth {
		v = v.Add(l.Scale(g.rng.NormFloat64()))
	}
	arm := spatial.Quat(b.Pose.Orientation).Rotate(j.SuccessorFrame.Position)
	b.Pose.Position = spatial.Vec3{x, y, patch.Z}.Sub(p).Sub(arm)
	b.Velocity = model.Velocity{Linear: v.Sub(omega.Cross(arm)), Angular: omega}
	g.m.Bodies, g.m.Joints = append(g.m.Bodies, b), append(g.m.Joints, j)
}
