package bench_test

import (
	"fmt"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
)

func ExampleGenerate() {
	m, err := bench.Generate("ladder", 1000, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name, len(m.Bodies), len(m.Joints))
	// Output: ladder-1000 1000 1500
}

func ExampleNFourBarAcceleration() {
	fmt.Printf("%.4f\n", bench.NFourBarAcceleration(3, bench.DefaultAngle))
	// Output: 4.4079
}

// A scissor mast falls as its closed form says.
func ExampleScissor() {
	const stages = 4
	m, err := bench.Scissor(stages, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := plan.NewSolver()
	if err := s.Solve(plan.Initial()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f rad/s²\n", s.AngularAcceleration(0)[2])
	fmt.Printf("%.6f by hand\n", bench.ScissorAcceleration(stages, m.Bodies[0].Velocity.Angular[2]))
	// Output:
	// -4.226220 rad/s²
	// -4.226220 by hand
}
