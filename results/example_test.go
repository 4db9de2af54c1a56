package results_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

// The accelerations of a pendulum at a state that a solver has solved.
func Example() {
	b := rung.NewBuilder("pendulum")
	rod := b.Rod("rod", 1, 0.001, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("hinge", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		log.Fatal(err)
	}
	solver := plan.NewSolver()
	if err := solver.Solve(plan.Initial()); err != nil {
		log.Fatal(err)
	}
	r, err := results.New(solver)
	if err != nil {
		log.Fatal(err)
	}
	body, err := r.Body("rod")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f rad/s², mobility %d\n", body.AngularAcceleration[1], r.Constraints.Mobility)
	_, err = r.Joint("hing")
	fmt.Println(err)
	// Output:
	// 14.715 rad/s², mobility 1
	// results: no joint "hing", did you mean hinge?
}
