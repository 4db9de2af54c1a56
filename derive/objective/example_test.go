package objective_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rung-mbd/rung/derive/objective"
)

// The gradient of a run of a four-bar, compared with differences of whole runs.
func ExampleProblem_Check() {
	p, err := objective.Open("../../docs/objective.json")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	r, err := p.Gradient(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Check(ctx, r); err != nil {
		log.Fatal(err)
	}
	for _, x := range r.Parameters {
		switch {
		case x.Unchecked != "":
			fmt.Printf("%s: %s\n", x.Name, x.Unchecked)
		case x.Verdict == objective.Agrees:
			fmt.Printf("%s: %.4g\n", x.Name, x.Gradient)
		default:
			fmt.Printf("%s: %v, but %v ± %.2g by differences: %s\n", x.Name, x.Gradient, *x.Differences, *x.DifferencesError, x.Verdict)
		}
	}
	// Output:
	// bodies[coupler].mass: -0.01013
	// rods: 0.06901
	// joints[A].predecessor_frame.position[0]: 0.1251
	// gravity[1]: -0.07551
}
