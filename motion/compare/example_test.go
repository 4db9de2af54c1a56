package compare_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
)

// One state of a row of four-bars by all methods.
func Example() {
	m, err := bench.NFourBar(2, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, method := range motion.Methods() {
		r, err := compare.Accelerate(plan, method, plan.Initial())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-15v %.6f rad/s², rank %d\n", method, r.Bodies[0].AngularAcceleration[2], r.Constraints.Rank)
	}
	fmt.Printf("by hand         %.6f rad/s²\n", bench.NFourBarAcceleration(2, 0.4))
	// Output:
	// sparse          4.456893 rad/s², rank 29
	// tree-direct     4.456893 rad/s², rank 29
	// tree-lambda     4.456893 rad/s², rank 29
	// tree-projection 4.456893 rad/s², rank 29
	// by hand         4.456893 rad/s²
}
