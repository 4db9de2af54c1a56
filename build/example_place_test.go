package build_test

import (
	"fmt"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/spatial"
)

// Frames in the world at one point: by one axis, where the others do not matter, or by two.
func ExamplePlace() {
	x, y, z := spatial.Vec3{1, 0, 0}, spatial.Vec3{0, 1, 0}, spatial.Vec3{0, 0, 1}
	at := build.At(0, 0, 2)
	for _, p := range []build.Place{at, at.WithX(z), at.WithZ(x), at.WithXY(y, z), at.WithZX(x, y)} {
		E := p.Orientation.Mat()
		fmt.Printf("x %.0f, z %.0f\n", abs(E.Col(0)), abs(E.Col(2)))
	}
	// Output:
	// x [1 0 0], z [0 0 1]
	// x [0 0 1], z [-1 0 0]
	// x [0 0 -1], z [1 0 0]
	// x [0 1 0], z [1 0 0]
	// x [0 1 0], z [1 0 0]
}

// abs returns v without the signs of zeros.
func abs(v spatial.Vec3) spatial.Vec3 {
	for i := range v {
		v[i] += 0
	}
	return v
}
