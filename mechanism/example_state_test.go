package mechanism_test

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// A wheel turns. Its state carries the angle, so that the coordinate continues past half a turn.
func ExampleMechanism_Coordinate() {
	b := build.New("wheel")
	wheel := b.Rod("wheel", 1, 0.1, spatial.Vec3{-1, 0, 0}, spatial.Vec3{1, 0, 0})
	b.Revolute("axle", build.World, wheel, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	m, err := b.Model()
	if err != nil {
		panic(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		panic(err)
	}
	axle := mechanism.Freedom{Joint: 0}
	st := mech.Initial()
	mech.CarryAngles(st)
	st.Bodies[0].Omega = spatial.Vec3{0, 0, 2} // rad/s
	for range 3 {
		next := st.Clone()
		next.Time += math.Pi / 2 // s: half a turn
		next.Bodies[0].Rotation = spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, 2*next.Time)
		mech.FollowTurns(next, st)
		q, rate := mech.Coordinate(axle, next)
		fmt.Printf("%.4f rad, %.0f rad/s\n", q, rate)
		st = next
	}
	// Output:
	// 3.1416 rad, 2 rad/s
	// 6.2832 rad, 2 rad/s
	// 9.4248 rad, 2 rad/s
}

// A state as numbers in a row: the poses of all bodies first, then their velocities.
func ExampleState_FlatTo() {
	b := build.New("wheel")
	b.Rod("wheel", 1, 0.1, spatial.Vec3{-1, 0, 0}, spatial.Vec3{3, 0, 0})
	m, err := b.Model()
	if err != nil {
		panic(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		panic(err)
	}
	st := mech.Initial()
	flat := make([]float64, st.FlatLen())
	st.FlatTo(flat)
	n := mech.NumBodies()
	fmt.Println("poses", flat[1:1+7*n])
	fmt.Println("velocities", flat[1+7*n:1+13*n])
	flat[1+7*n] = 5 // m/s along x
	st.SetFlat(flat)
	fmt.Println(st.Bodies[0].Velocity)
	// Output:
	// poses [-1 0 0 1 0 0 0]
	// velocities [0 0 0 0 0 0]
	// [5 0 0]
}

// The friction of a hinge under inputs: the mechanism, which others may use, keeps the friction of the model.
func ExampleInputs_SetFriction() {
	b := build.New("door")
	leaf := b.Rod("leaf", 20, 0.05, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("hinge", build.World, leaf, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	m, err := b.Model()
	if err != nil {
		panic(err)
	}
	m.Joints[0].Friction = []model.Friction{{Force: 2}} // N m
	mech, err := mechanism.New(m)
	if err != nil {
		panic(err)
	}
	in := mech.NewInputs()
	friction, _ := mech.Friction(0, 0)
	friction.Force = 5
	if err := in.SetFriction(0, 0, friction); err != nil {
		panic(err)
	}
	friction, _ = in.Mechanism().Friction(0, 0)
	fmt.Println(friction.Force, "N m")
	friction, _ = mech.Friction(0, 0)
	fmt.Println(friction.Force, "N m")
	friction.Force = -1
	fmt.Println(in.SetFriction(0, 0, friction))
	// Output:
	// 5 N m
	// 2 N m
	// mechanism: joint "hinge": input refused: friction of freedom 0: force -1 is negative or not finite
}
