package ik_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// All methods and engines bring the tip of an arm of two links of 1 m to the same pose, from one that is stretched but for 0.1 rad.
func ExampleOptions() {
	y, elbow := spatial.Vec3{0, 1, 0}, spatial.Vec3{1, 0, 0}
	b := rung.NewBuilder("arm")
	upper := b.Rod("upper", 1, 0.01, spatial.Vec3{}, elbow)
	lower := b.Rod("lower", 1, 0.01, elbow, spatial.Vec3{1.995, 0, -0.1})
	b.Revolute("shoulder", rung.World, upper, spatial.Vec3{}, y)
	b.Revolute("elbow", upper, lower, elbow, y)
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		log.Fatal(err)
	}
	problem, err := ik.NewProblem(plan, &ik.Task{Targets: []ik.Target{{
		Name: "tip", Type: ik.Point, Body: "lower",
		Frame:    model.Pose{Position: [3]float64{0.5, 0, 0}, Orientation: [4]float64{1, 0, 0, 0}},
		Position: [3]float64{0.5, 0, -1}, Weight: []float64{1, 0, 1}, // the arm moves in the xz plane
	}}})
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range []ik.Options{
		{Engine: ik.TreeEngine, Method: ik.DLS}, {Engine: ik.DrivenEngine, Method: ik.DLS}, {Engine: ik.SparseEngine, Method: ik.Sparse},
		{Method: ik.Pinv}, {Method: ik.Selective}, {Method: ik.Adaptive}, {Method: ik.Constant}, {Method: ik.Transpose}, {Method: ik.FIKMethod},
	} {
		solver, err := problem.NewSolver(o)
		if err != nil {
			log.Fatal(err)
		}
		result, err := solver.Reach(plan.Initial())
		if off := new(ik.Unreached); errors.As(err, &off) {
			fmt.Printf("%v (%v): %v\n", o.Method, o.Engine, off.Status)
			continue
		} else if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v (%v): %v, elbow %.3f rad\n", o.Method, o.Engine, result.Status, result.Driven[1].Value)
	}
	// Output:
	// dls (tree): reached, elbow 1.471 rad
	// dls (driven): reached, elbow 1.471 rad
	// sparse (sparse): reached, elbow 1.471 rad
	// pinv (auto): reached, elbow 1.471 rad
	// selective (auto): reached, elbow 1.471 rad
	// adaptive (auto): reached, elbow 1.471 rad
	// constant (auto): reached, elbow 1.471 rad
	// transpose (auto): reached, elbow 1.471 rad
	// fik (auto): reached, elbow 1.471 rad
}
