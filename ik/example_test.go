package ik_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// The tip of an arm of two links of 1 m goes to a point, and then to one that is too far.
func Example() {
	y := spatial.Vec3{0, 1, 0}
	b := rung.NewBuilder("arm")
	upper := b.Rod("upper", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	lower := b.Rod("lower", 1, 0.01, spatial.Vec3{1, 0, 0}, spatial.Vec3{1, 0, 1})
	b.Revolute("shoulder", rung.World, upper, spatial.Vec3{}, y)
	b.Revolute("elbow", upper, lower, spatial.Vec3{1, 0, 0}, y)
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		log.Fatal(err)
	}
	task := &ik.Task{Targets: []ik.Target{{
		Name: "tip", Type: ik.Point, Body: "lower",
		Frame:    model.Pose{Position: [3]float64{1, 0, 0}, Orientation: [4]float64{1, 0, 0, 0}},
		Position: [3]float64{0.5, 0, 1.2},
	}}}
	problem, err := ik.NewProblem(plan, task)
	if err != nil {
		log.Fatal(err)
	}
	solver, err := problem.NewSolver(task.Solver)
	if err != nil {
		log.Fatal(err)
	}
	st := plan.Initial()
	result, err := solver.Reach(st)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range result.Driven {
		fmt.Printf("%s %.4f rad\n", d.Joint, d.Value)
	}
	if err := solver.Aim("tip", [3]float64{0, 0, 3}, [4]float64{1, 0, 0, 0}); err != nil {
		log.Fatal(err)
	}
	_, err = solver.Reach(st)
	fmt.Println(err)
	// Output:
	// shoulder -0.3128 rad
	// elbow -0.1556 rad
	// ik: targets not reached (nearest): target "tip" is off by 1 m
}
