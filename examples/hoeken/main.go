// Command hoeken straightens the curve of a four-bar linkage: it changes lengths of the linkage, within bounds, so that the height of a
// point of the coupler changes least over half a turn of the crank, while its path stays four cranks long. It finds the proportions of
// Hoeken's linkage. rung optimize does the same:
//
//	rung optimize hoeken.objective.json -o straight.json
package main

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/derive/search"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// spread returns the difference between the largest and the least height of the coupler's point over half a turn, m.
func spread(m *model.Model) float64 {
	plan := must(rung.NewPlan(m, rung.Options{}))
	s := must(rung.NewSimulation(plan, rung.SimulationOptions{Every: 0.01, Columns: []string{"coupler.py"}}))
	must(0, s.Run(1))
	var heights []float64
	for _, row := range s.Rows() {
		heights = append(heights, row[len(row)-1])
	}
	return slices.Max(heights) - slices.Min(heights)
}

// main searches the lengths, prints them beside Hoeken's proportions, and compares the change of the height before and after.
func main() {
	p := must(objective.Open("hoeken.objective.json"))
	before := spread(p.Model())
	r := must(search.Optimize(context.Background(), p, search.OptimizeOptions{}))
	fmt.Printf("%s after %d evaluations\n", r.Status, r.Evaluations)

	hoeken := []float64{2, 2.5, 2.5, 5} // Hoeken's lengths for a crank of length 1
	values := make([]float64, len(r.Parameters))
	for k, x := range r.Parameters {
		values[k] = x.Value
		fmt.Printf("%-17s %.2f, from %.1f; Hoeken has %.1f\n", x.Name, x.Value, x.Start, hoeken[k])
	}
	p = must(p.With(values))
	m := *p.Model()
	m.Bodies, m.Joints = slices.Clone(m.Bodies), slices.Clone(m.Joints) // copies, as SetState writes to them
	rung.SetState(&m, must(mechanism.New(&m)), must(p.State(context.Background())))
	after := spread(&m)
	fmt.Printf("over half a turn the height changes by %.4f, before by %.4f: %.1f %% less\n", after, before, 100*(1-after/before))
}

// must returns the value, or ends the process if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
