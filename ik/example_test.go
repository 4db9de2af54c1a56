package ik_test

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// The tool of a planar arm of two links of 1 m goes to a point.
func ExampleFIK() {
	q, goal := []float64{0.3, 0.8}, []float64{0.4, 1.5}
	J := ik.NewDense(2, 2, nil)
	place := func() (x, y float64) {
		x, y = math.Cos(q[0])+math.Cos(q[0]+q[1]), math.Sin(q[0])+math.Sin(q[0]+q[1])
		J.Data = []float64{-y, -math.Sin(q[0] + q[1]), x, math.Cos(q[0] + q[1])}
		return x, y
	}
	x, y := place()
	f, err := ik.NewFIK(J, ik.FIKOptions{Riccati: ik.RiccatiOptions{W: 20}})
	if err != nil {
		log.Fatal(err)
	}
	dq, dxd := make([]float64, 2), make([]float64, 2)
	for range 2000 {
		dxd[0], dxd[1] = 5*(goal[0]-x), 5*(goal[1]-y)
		if err := f.StepTo(dq, dxd); err != nil {
			log.Fatal(err)
		}
		for i := range q {
			q[i] += f.Step() * dq[i]
		}
		x, y = place()
	}
	fmt.Printf("tool at %.4f, %.4f with angles %.4f, %.4f\n", x, y, q[0], q[1])
	// Output:
	// tool at 0.4000, 1.5000 with angles 0.6280, 1.3643
}

// The better a direction of the targets can be moved, the less it weighs.
func ExampleRiccati() {
	J := ik.NewDense(2, 3, []float64{1, 0, 0, 0, 0.5, 0})
	P, info, err := ik.Riccati(J, ik.RiccatiOptions{W: 4, M: []float64{5}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P = [%.4f %.4f; %.4f %.4f] at s = %v\n", P[0], P[1], P[2], P[3], info.S)
	// Output:
	// P = [1.8089 0.0000; 0.0000 2.3992] at s = 0.78125
}

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
