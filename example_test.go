package rung_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/spatial"
)

// A reference model: open, plan, solve.
func Example() {
	m, err := rung.Open("reference/golden/four-bar.model.json")
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
	for i := range m.Bodies {
		fmt.Printf("%s %.4f rad/s²\n", m.Bodies[i].Name, solver.AngularAcceleration(i)[2])
	}
	// Output:
	// crank 1.9698 rad/s²
	// coupler -0.1290 rad/s²
	// rocker 2.3002 rad/s²
}

// A four-bar of rods of 1 m and 1 kg in Go, leaning 0.4 rad from the upright: a
// parallelogram, whose rods have θ″ = 2 g sin θ / (5/3).
func ExampleBuilder() {
	z := spatial.Vec3{0, 0, 1}
	tip := spatial.Vec3{-0.38941834, 0.92106099, 0} // −sin 0.4, cos 0.4
	foot := spatial.Vec3{1, 0, 0}
	b := rung.NewBuilder("four-bar").Gravity(0, -9.81, 0)
	left := b.Rod("left", 1, 0.01, spatial.Vec3{}, tip)
	bar := b.Rod("bar", 1, 0.01, tip, tip.Add(foot))
	right := b.Rod("right", 1, 0.01, foot, foot.Add(tip))
	b.Revolute("a", rung.World, left, spatial.Vec3{}, z)
	b.Revolute("b", left, bar, tip, z)
	b.Revolute("c", bar, right, tip.Add(foot), z)
	b.Revolute("d", right, rung.World, foot, z)
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	r, err := rung.Accelerate(m, rung.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, rod := range []rung.Body{left, right} {
		fmt.Printf("%s %.4f rad/s²\n", r.Bodies[rod.Index()].Name, r.Bodies[rod.Index()].AngularAcceleration[2])
	}
	fmt.Printf("mobility %d, redundant rows %d\n", r.Constraints.Mobility, r.Constraints.Redundant)
	// Output:
	// left 4.5842 rad/s²
	// right 4.5842 rad/s²
	// mobility 1, redundant rows 3
}

// Report says which reactions of a redundant mechanism are not determined.
func ExampleSolver_Report() {
	m, err := rung.Open("reference/golden/four-bar.model.json")
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
	r, err := solver.Report()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("rows", r.Rows, "rank", r.Rank, "redundant", r.Redundant, "mobility", r.Mobility)
	fmt.Println("near singular:", r.NearSingular)
	for j := range plan.Mechanism().NumJoints() {
		fmt.Println(plan.Mechanism().JointName(j), r.UndeterminedComponents(j))
	}
	f := solver.TotalWrench(0).Linear()
	fmt.Printf("force of p1 in the plane: %.4f %.4f N\n", f[0], f[1])
	// Output:
	// rows 20 rank 17 redundant 3 mobility 1
	// near singular: false
	// p1 [force.z moment.x moment.y]
	// p2 [force.z moment.x moment.y]
	// p3 [force.z moment.x moment.y]
	// p4 [force.z moment.x moment.y]
	// force of p1 in the plane: 1.9737 17.4410 N
}

// Places give joints an axis in any direction.
func ExamplePlace_WithZ() {
	p := rung.At(0, 0, 1).WithZ(spatial.Vec3{1, 0, 0})
	fmt.Printf("%.4f\n", p.Orientation.Rotate(spatial.Vec3{0, 0, 1}))
	// Output:
	// [1.0000 0.0000 0.0000]
}
