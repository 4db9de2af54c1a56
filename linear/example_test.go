package linear_test

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/spatial"
)

// A rod of 2 m falls from its upright position, and swings about where it hangs.
func Example() {
	b := rung.NewBuilder("pendulum")
	rod := b.Rod("rod", 3, 0.001, spatial.Vec3{}, spatial.Vec3{0, 0, 2})
	b.Revolute("hinge", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}

	st := plan.Initial()
	e, err := linear.Equilibrate(plan, st, linear.EquilibriumOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if e.Stability != linear.Stable {
		log.Fatal("the rod would fall")
	}
	fmt.Printf("%v, turned by %.4f rad\n", e.Stability, e.Turn)

	s := linear.NewSystem(plan)
	if err := s.Linearize(st); err != nil {
		log.Fatal(err)
	}
	modes, err := s.Modes(linear.ModeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range modes.List {
		mode := &modes.List[i]
		if mode.Kind.Unstable() {
			log.Fatal("a motion grows")
		}
		fmt.Printf("%v: %.4f Hz, %.4f rad/s\n", mode.Kind, mode.Frequency(), mode.AngularFrequency())
	}
	// Output:
	// stable, turned by 3.1416 rad
	// vibration: 0.4317 Hz, 2.7125 rad/s
}

// A mode has unit mass, and its stiffness is the square of its frequency: both by the matrices of the system, which are not formed.
func ExampleSystem_MassTo() {
	b := rung.NewBuilder("pendulum")
	rod := b.Rod("rod", 3, 0.001, spatial.Vec3{}, spatial.Vec3{0, 0, -2})
	b.Revolute("hinge", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	s := linear.NewSystem(plan)
	if err := s.Linearize(plan.Initial()); err != nil {
		log.Fatal(err)
	}
	modes, err := s.Modes(linear.ModeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	mode := &modes.List[0]
	if mode.Kind.Unstable() {
		log.Fatal("it does not hang")
	}
	Mx, Kx, Jx := make([]float64, s.Dim()), make([]float64, s.Dim()), make([]float64, s.Rows())
	s.MassTo(Mx, mode.Shape)
	s.StiffnessTo(Kx, mode.Shape)
	s.JacobianTo(Jx, mode.Shape)
	mass, stiffness, open := 0.0, 0.0, 0.0
	for i, x := range mode.Shape {
		mass += x * Mx[i]
		stiffness += x * Kx[i]
	}
	for _, r := range Jx {
		open = max(open, math.Abs(r))
	}
	w := mode.AngularFrequency()
	fmt.Printf("mass %.4f, stiffness %.4f, ω² %.4f, hinge closed: %v\n", mass, stiffness, w*w, open < 1e-12)
	// Output:
	// mass 1.0000, stiffness 7.3575, ω² 7.3575, hinge closed: true
}
