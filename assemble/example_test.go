package assemble_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// The system of a rod on a hinge: six rows of the body, then five of the joint.
func Example() {
	b := build.New("pendulum").Gravity(0, 0, -9.81)
	rod := b.Rod("rod", 2, 0.01, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("hinge", build.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		log.Fatal(err)
	}
	layout := assemble.NewLayout(mech) // once a mechanism
	system := layout.NewSystem()       // once a goroutine
	if err := system.FillTo(mech.Initial()); err != nil {
		log.Fatal(err)
	}
	fmt.Println("rows:", layout.Pattern.Dim())
	fmt.Println("mass:", system.Matrix.At(5, 5), "kg")
	fmt.Printf("weight: %.2f N\n", system.Right[5])
	fmt.Println("the hinge holds", layout.Pattern.Size[layout.JointNode(0)], "of six directions")
	// Output:
	// rows: 11
	// mass: 2 kg
	// weight: -19.62 N
	// the hinge holds 5 of six directions
}
