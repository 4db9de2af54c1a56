package kkt_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// door is a door of 20 kg and 1 m on two hinges, one above the other, with a closer's torque of 5 N m.
func door() *kkt.Plan {
	b := rung.NewBuilder("door").Gravity(0, 0, -9.81)
	leaf := b.Rod("leaf", 20, 0.1, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("lower", rung.World, leaf, spatial.Vec3{0, 0, -1}, spatial.Vec3{0, 0, 1}).Force = []float64{5}
	b.Revolute("upper", rung.World, leaf, spatial.Vec3{0, 0, 1}, spatial.Vec3{0, 0, 1})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return plan
}

// A door on two hinges: plan, solve, and ask what the hinges bear.
func Example() {
	plan := door()
	solver := plan.NewSolver()
	if err := solver.Solve(plan.Initial()); err != nil {
		log.Fatal(err)
	}
	report, err := solver.Report()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the door turns with %.4f rad/s²\n", solver.AngularAcceleration(0)[2])
	fmt.Println("mobility", report.Mobility, "redundant rows", report.Redundant)
	for j := range plan.Mechanism().NumJoints() {
		fmt.Printf("%s bears %.1f N of the weight; undetermined: %v\n",
			plan.Mechanism().JointName(j), solver.TotalWrench(j).Linear()[2], report.UndeterminedComponents(j))
	}
	// Output:
	// the door turns with 0.7500 rad/s²
	// mobility 1 redundant rows 5
	// lower bears 98.1 N of the weight; undetermined: [force.x force.y force.z moment.x moment.y]
	// upper bears 98.1 N of the weight; undetermined: [force.x force.y force.z moment.x moment.y]
}

// Which torque of the lower hinge turns the door with 1 rad/s²?
func ExamplePlan_NewInverse() {
	plan := door()
	inverse, err := plan.NewInverse([]mechanism.Freedom{{Joint: 0}})
	if err != nil {
		log.Fatal(err)
	}
	// The leaf's centre of mass moves on a circle of half a metre.
	wanted := []float64{0, 0, 1, 0, 0.5, 0}
	if err := inverse.Solve(plan.Initial(), wanted); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f N m more than the closer's\n", inverse.Forces()[0])
	// Output:
	// 1.6667 N m more than the closer's
}
