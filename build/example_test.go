package build_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// accelerations solves what b has built.
func accelerations(b *build.Builder) *rung.Result {
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	r, err := rung.Accelerate(m, rung.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// flywheel is a disc of 1 kg m² about z.
func flywheel() bodies.Body {
	d, err := bodies.New(2, spatial.Vec3{}, spatial.Sym3{0.5, 0.5, 1})
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// Two gears: the second turns the other way at half the speed. A plate on a cam moves with the square of the angle.
func ExampleBuilder_Couple() {
	z := spatial.Vec3{0, 0, 1}
	b := build.New("gears").Gravity(0, 0, 0)
	small := b.Revolute("small", build.World, b.Body("pinion", flywheel(), build.At(0, 0, 0)), spatial.Vec3{}, z)
	large := b.Revolute("large", build.World, b.Body("wheel", flywheel(), build.At(0.3, 0, 0)), spatial.Vec3{0.3, 0, 0}, z)
	b.Couple("teeth", build.Term{Joint: small, Factor: 0.1}, build.Term{Joint: large, Factor: 0.2})

	plate := b.Body("plate", flywheel(), build.At(0, 0, 1))
	slide := b.Prismatic("slide", build.World, plate, spatial.Vec3{0, 0, 1}, z)
	b.Couple("cam", build.Term{Joint: slide, Factor: 1}).Follow(large, 0, 0, 0, 0.5) // d = φ²/2

	b.Motor("drive", small, model.Actuator{Law: model.ActuatorTorque, Value: joints.NewPolynomial([]float64{5})})
	for _, body := range accelerations(b).Bodies {
		fmt.Printf("%s turns with %.2f rad/s²\n", body.Name, body.AngularAcceleration[2])
	}
	// Output:
	// pinion turns with 4.00 rad/s²
	// wheel turns with -2.00 rad/s²
	// plate turns with 0.00 rad/s²
}

// A load and a counterweight of 2 kg on a rope over two pulleys of the ceiling. The rope pulls with 30 N: a tension of 20 N
// and a spring that is longer by 1 cm.
func ExampleBuilder_Cable() {
	z := spatial.Vec3{0, 0, 1}
	b := build.New("hoist")
	load, weight := b.Body("load", flywheel(), build.At(0, 0, 0)), b.Body("weight", flywheel(), build.At(1, 0, 1))
	b.Cylindrical("mast", build.World, load, spatial.Vec3{}, z)
	b.Prismatic("rail", build.World, weight, spatial.Vec3{1, 0, 1}, z)
	b.Cable("rope", build.Spring{Stiffness: 1000, RestLength: 5.99}, 20,
		build.Through{Body: load}, build.Through{Body: build.World, Point: spatial.Vec3{0, 0, 3}},
		build.Through{Body: build.World, Point: spatial.Vec3{1, 0, 3}}, build.Through{Body: weight, Point: spatial.Vec3{1, 0, 1}})
	b.Move(load, spatial.Vec3{0, 0, 0.1}, spatial.Vec3{})
	r := accelerations(b)
	for _, body := range r.Bodies {
		fmt.Printf("%s: %.2f m/s²\n", body.Name, body.ComAcceleration[2])
	}
	fmt.Printf("%.3f J\n", r.Energy.Kinetic)
	// Output:
	// load: 5.19 m/s²
	// weight: 5.19 m/s²
	// 0.010 J
}

// An engine of block and sump on a rubber mount, 1 mm below its rest, with a frame and a shape for those who draw.
func ExampleBuilder_Bushing() {
	b := build.New("engine").Gravity(0, 0, 0)
	sump := bodies.Part{Body: flywheel(), Position: spatial.Vec3{0, 0, -0.2}, Orientation: spatial.IdentityQuat()}
	engine := b.Composite("engine", build.At(0, 0, 0), bodies.Part{Body: flywheel(), Orientation: spatial.IdentityQuat()}, sump)
	b.Free("float", build.World, engine, spatial.Vec3{})
	rubber := model.Bushing{Stiffness: model.Diagonal([6]float64{50, 50, 50, 4e4, 4e4, 8e4})}
	rubber.Rest.Position[2] = 1e-3
	b.Bushing("mount", build.World, engine, build.At(0, 0, -0.1), rubber)
	b.Frame("crank", engine, build.At(0.2, 0, 0).WithX(spatial.Vec3{0, 1, 0}))
	b.Visual(engine, build.At(0, 0, 0), model.Visual{Kind: model.BoxVisual, Size: [3]float64{0.6, 0.4, 0.4}})
	fmt.Printf("%.2f m/s²\n", accelerations(b).Bodies[0].ComAcceleration[2])
	// Output:
	// 20.00 m/s²
}

// A stage that turns and slides: two motions in a row are one joint. A table beside it comes down on its screw
// by 0.1 m a radian.
func ExampleBuilder_CompositeJoint() {
	x, z := spatial.Vec3{1, 0, 0}, spatial.Vec3{0, 0, 1}
	b := build.New("stages")
	stage, table := b.Body("stage", flywheel(), build.At(0, 0, 0)), b.Body("table", flywheel(), build.At(2, 0, 0))
	b.CompositeJoint("turn and slide", build.World, stage,
		joints.Axis{Kind: joints.Revolute, Axis: z}, joints.Axis{Kind: joints.Prismatic, Axis: x})
	b.Helical("screw", build.World, table, spatial.Vec3{2, 0, 0}, z, 0.1)
	for _, body := range accelerations(b).Bodies {
		fmt.Printf("%s: %.3f m/s², %.3f rad/s²\n", body.Name, body.ComAcceleration[2], body.AngularAcceleration[2])
	}
	// Output:
	// stage: 0.000 m/s², 0.000 rad/s²
	// table: -0.192 m/s², -1.924 rad/s²
}
