package kkt_test

import (
	"fmt"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// The crank of a parallelogram is to speed up by 2 rad/s². Its coupler of 3 kg moves on a circle then, with the same second rate, and the
// hinges of a plane are redundant in space.
func ExampleInverse_SolveFreedoms() {
	b := rung.NewBuilder("parallelogram").Gravity(0, 0, -9.81)
	z, top := spatial.Vec3{0, 0, 1}, spatial.Vec3{0, 1, 0}
	crank := b.Rod("crank", 1, 0.01, spatial.Vec3{}, top)
	rocker := b.Rod("rocker", 1, 0.01, spatial.Vec3{1}, top.Add(spatial.Vec3{1}))
	coupler := b.Rod("coupler", 3, 0.01, top, top.Add(spatial.Vec3{1}))
	motor := b.Revolute("motor", rung.World, crank, spatial.Vec3{}, z)
	b.Revolute("hinge", rung.World, rocker, spatial.Vec3{1}, z)
	b.Revolute("left", crank, coupler, top, z)
	b.Revolute("right", rocker, coupler, top.Add(spatial.Vec3{1}), z)
	m, err := b.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	inverse, err := plan.NewInverse([]mechanism.Freedom{{Joint: motor.Index()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := inverse.SolveFreedoms(plan.Initial(), []float64{2}); err != nil {
		fmt.Println(err)
		return
	}
	a := inverse.Accelerations()[6*coupler.Index():]
	fmt.Printf("%.3f N m, coupler %.3f m/s², %d motion\n", inverse.Forces()[0], a[3], inverse.Mobility())
	// Output: 7.333 N m, coupler -2.000 m/s², 1 motion
}
