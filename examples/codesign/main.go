// Command codesign places the legs of a Stewart platform. It moves the universal joints at the base in mirrored pairs, within bounds, so
// that the lowest frequencies of the platform, with a load beside its middle, become as high as possible: by steps of a search with the
// exact equilibrium and the derivatives of the frequencies. The objective is a high power of the differences of the lowest two
// frequencies to 15 Hz, so that neither is raised at the cost of the other. rung optimize does the same:
//
//	rung optimize stewart.objective.json -o stiff.json --iterations 5
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/derive/search"
)

const steps = 5

// lowest returns the two lowest frequencies of a platform, Hz.
func lowest(p *objective.Problem) [2]float64 {
	o := *p.Objective()
	o.Terms = nil
	for _, c := range []string{"mode.1.frequency", "mode.2.frequency"} {
		o.Terms = append(o.Terms, objective.Term{Name: c, Column: c, Weight: 1, Power: 1})
	}
	text, _, err := p.TextWith(p.Values())
	if err != nil {
		log.Fatal(err)
	}
	q := must(objective.NewProblem(&o, "frequencies", objective.Source{Text: text, Name: "stewart"}))
	r := must(q.Value(context.Background()))
	return [2]float64{r.Terms[0].Value, r.Terms[1].Value}
}

// main moves the joints at the base by a few steps of the search, and prints their coordinates and the two lowest frequencies before
// and after.
func main() {
	p := must(objective.Open("stewart.objective.json"))
	before := lowest(p)
	o := search.OptimizeOptions{}
	o.Iterations = steps
	r := must(search.Optimize(context.Background(), p, o))
	values := make([]float64, len(r.Parameters))
	for k, x := range r.Parameters {
		values[k] = x.Value
		fmt.Printf("%-20s from %5.2f to %5.2f m\n", x.Name, x.Start, x.Value)
	}
	after := lowest(must(p.With(values)))
	fmt.Printf("lowest frequencies: %.1f and %.1f Hz, before %.1f and %.1f Hz\n", after[0], after[1], before[0], before[1])
}

// must returns the value, or ends the process if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
