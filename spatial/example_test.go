package spatial_test

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// The velocity of a turning body, seen at another point.
func ExampleTransform() {
	m := spatial.NewMotion(spatial.Vec3{0, 0, 2}, spatial.Vec3{})
	X := spatial.Translation(spatial.Vec3{3, 0, 0})
	fmt.Println(X.Motion(m).Linear())
	// Output: [0 6 0]
}

func ExampleQuat() {
	q := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, math.Pi/2)
	v := q.Rotate(spatial.Vec3{1, 0, 0})
	fmt.Printf("%.4f\n", v)
	fmt.Printf("%.4f\n", q.Log())
	// Output:
	// [0.0000 1.0000 0.0000]
	// [0.0000 0.0000 1.5708]
}

func ExampleInertia() {
	rod := spatial.Inertia{Mass: 12, Com: spatial.Vec3{0.5, 0, 0}, Central: spatial.Diag3(0.01, 1, 1)}
	fmt.Println(rod.AboutOrigin())
	// Output: [0.01 4 4 0 0 0]
}
