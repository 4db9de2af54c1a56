package mesh_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/formats/mesh"
	"github.com/rung-mbd/rung/spatial"
)

// Mass and inertia of the half of a cube of steel that lies below a diagonal plane.
func Example() {
	const wedge = `
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
v 1 0 1
v 0 1 1
f 1 3 2
f 4 5 6
f 1 2 5 4
f 2 3 6 5
f 3 1 4 6
`
	m, err := mesh.Read("wedge.obj", []byte(wedge))
	if err != nil {
		log.Fatal(err)
	}
	m.Transform(spatial.Vec3{0.1, 0.1, 0.1}, spatial.Identity3(), spatial.Vec3{}) // the file is in dm
	s, err := m.Solid()
	if err != nil {
		log.Fatal(err)
	}
	const density = 7850
	fmt.Printf("%.4f kg with the centre at %.4f m\n", density*s.Mass, s.Com)
	// Output:
	// 3.9250 kg with the centre at [0.0333 0.0333 0.0500] m
}
