// Command slidercrank finds eight numbers of a slider-crank from a recorded run: three masses, a damping, the stiffness and rest length of
// a spring, and two lengths. The spring is at the slider, and a known torque drives the crank. The angle of the crank and the position of
// the slider were recorded every 0.02 s, with the noise of their sensors. rung fit does the same:
//
//	rung fit slider-crank.objective.json -o fitted.json --plot fit.svg
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/derive/search"
)

// truth has the numbers of the recorded slider-crank.
var truth = []float64{1.3, 0.8, 1.9, 0.05, 140, 0.15, 0.42, 0.03}

// main fits the eight numbers, and prints each with its standard deviation beside the number of the recorded run.
func main() {
	p, err := objective.Open("slider-crank.objective.json")
	if err != nil {
		log.Fatal(err)
	}
	r, err := search.Fit(context.Background(), p, search.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s after %d steps; misfits are %.2f deviations of the sensors\n", r.Status, len(r.Iterations)-1, r.Residual.RMS)
	worst := 0.0
	for k, x := range r.Parameters {
		fmt.Printf("%-19s %9.5f ± %.5f, from %g; it was %g\n", x.Name, x.Value, *x.Deviation, x.Start, truth[k])
		worst = max(worst, math.Abs(x.Value-truth[k]) / *x.Deviation)
	}
	fmt.Println("all within three deviations:", worst < 3)
	fmt.Printf("correlation of the masses of crank and rod: %.3f\n", *r.Correlation[0][1])
}
