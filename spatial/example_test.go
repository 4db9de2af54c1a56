package spatial_test

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// The velocity of a turning body and the place of a mark, seen from another point. The lever of the turn is an entry of the matrix.
func ExampleTransform() {
	m := spatial.NewMotion(spatial.Vec3{0, 0, 2}, spatial.Vec3{})
	X := spatial.Translation(spatial.Vec3{3, 0, 0})
	fmt.Println(X.Motion(m).Linear(), X.Point(spatial.Vec3{4, 1, 0}))
	fmt.Println("lever", X.Matrix()[4][2])
	// Output:
	// [0 6 0] [1 1 0]
	// lever 3
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
	fmt.Println("first moment", rod.Matrix()[2][4], "kg m")
	// Output:
	// [0.01 4 4 0 0 0]
	// first moment 6 kg m
}

// The equation of motion of a free body in its body frame, f = I·a + v×*(I·v) (RBDA eq. 2.69), is the same in another frame: a wheel of
// 2 kg that spins about its axle and is turned about another axis needs a gyroscopic moment.
func ExampleInertia_Transform() {
	I := spatial.Inertia{Mass: 2, Central: spatial.Diag3(0.5, 0.5, 1)}
	v := spatial.NewMotion(spatial.Vec3{1, 0, 10}, spatial.Vec3{})
	f := v.CrossForce(I.Mul(v)) // with a = 0: the axes of the wheel turn with it
	fmt.Println("moment", f.Moment(), "energy", I.Energy(v))

	X := spatial.PlaceFrame(spatial.Identity3(), spatial.Vec3{0, 3, 0}).Mul(spatial.IdentityTransform())
	J, w := I.Transform(X), X.Motion(v)
	fmt.Println("centre", J.Com, "velocity there", w.Linear(), "energy", J.Energy(w))
	back := X.Inverse().Force(w.CrossForce(J.Mul(w)))
	fmt.Println("moment", back.Moment())
	// Output:
	// moment [0 -5 0] energy 50.25
	// centre [0 -3 0] velocity there [-30 0 3] energy 50.25
	// moment [0 -5 0]
}

// A point of a turntable at 2 m from the axis. Its spatial acceleration is zero, as the velocity at the axis does not change; an
// accelerometer that is fixed there shows the classical one, which points to the axis.
func ExampleAccel_ClassicalTo() {
	v := spatial.NewMotion(spatial.Vec3{0, 0, 3}, spatial.Vec3{}).Shift(spatial.Vec3{2, 0, 0})
	a := spatial.NewAccel(spatial.Vec3{}, spatial.Vec3{})
	var c spatial.ClassicalAccel
	a.ClassicalTo(&c, &v)
	fmt.Println(c.Linear(), "m/s²")
	c.SpatialTo(&a, &v)
	fmt.Println(a.Angular(), a.Linear(), "m/s²")
	// Output:
	// [-18 0 0] m/s²
	// [0 0 0] [0 0 0] m/s²
}

// From a hand to its camera, which looks sideways: transforms in a row, and a point in the camera's axes.
func ExampleTransform_Mul() {
	shift := spatial.Translation(spatial.Vec3{0.5, 0, 0})
	q := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, math.Pi/2)
	X := spatial.Rotation(q.Mat()).Mul(shift) // first the shift, then the turn
	fmt.Printf("%.4f\n", X.Point(spatial.Vec3{1.5, 2, 0}))
	// Output:
	// [2.0000 -1.0000 0.0000]
}
