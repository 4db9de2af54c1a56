package assembly_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/spatial"
)

// What a reader of a new format does: it lists links and joints made of motions in a row, and gets a model. Two hinges
// with crossing axes and no mass between them become a universal joint.
func Example() {
	one := spatial.Sym3{0.1, 0.1, 0.1}
	a := assembly.Assembly{
		Name:  "pointer",
		Links: []assembly.Link{{Name: "cross"}, {Name: "arm", Mass: 1, Com: spatial.Vec3{0.5, 0, 0}, Inertia: one}},
		Joints: []assembly.Joint{
			{Name: "pan", Predecessor: assembly.World, Successor: 0, Axes: []assembly.Axis{{Kind: assembly.Revolute, Axis: spatial.Vec3{0, 0, 1}}}},
			{Name: "tilt", Predecessor: 0, Successor: 1, Axes: []assembly.Axis{{Kind: assembly.Revolute, Axis: spatial.Vec3{0, 1, 0}}}},
		},
	}
	var report source.Report
	result, err := a.Build(&source.Options{}, &report)
	if err != nil {
		log.Fatal(err)
	}
	for _, j := range result.Model.Joints {
		fmt.Println(j.Name, j.Type, j.Predecessor, j.Successor)
	}
	// Output:
	// pan+tilt universal world arm
}
