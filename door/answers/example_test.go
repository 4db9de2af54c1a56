package answers_test

import (
	"context"
	"fmt"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/door/answers"
)

// What a four-bar linkage with four hinges in space is like, and where a joint may be looser.
func Example() {
	m, err := rung.Open("../../docs/four-bar.model.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := answers.Analyze(context.Background(), m, answers.AnalysisOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("mobility", a.Constraints.Mobility, "and", a.Constraints.Redundant, "redundant rows")
	for _, r := range a.Release {
		fmt.Println(r.Joint, "may be", r.Suggest)
	}
	// Output:
	// mobility 1 and 3 redundant rows
	// B may be sphere_in_cylinder
}
