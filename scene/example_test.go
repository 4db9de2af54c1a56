package scene_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// What a viewer of one's own draws of a pendulum, and where.
func Example() {
	b := build.New("pendulum").Gravity(0, 0, -9.81)
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("hinge", build.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		log.Fatal(err)
	}
	s := scene.New(mech, scene.Options{})
	st := mech.Initial()
	for i := range s.Shapes {
		shape := &s.Shapes[i]
		if shape.Joint < 0 { // else it is the mark of a joint
			fmt.Printf("a %v at %.2f\n", shape.Kind, shape.Place(st).Origin)
		}
	}
	// Output:
	// a box at [0.50 0.00 0.00]
}
