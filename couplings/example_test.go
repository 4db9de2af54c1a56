package couplings_test

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/couplings"
)

// The error of a universal joint with a bend: tan f = tan x·cos β, which gains a turn in each turn of x.
func Example() {
	law := couplings.Law{
		Kind:       couplings.Function,
		Expression: "atan2(0.8*sin(x), cos(x))",
		Spans:      []couplings.Span{{From: -math.Pi, To: math.Pi, Periodic: true, Advance: 2 * math.Pi}},
	}
	law.Faults(func(field, value, rule string) { fmt.Println(field, value, rule) })
	v := law.Prepared().At([2]float64{2*math.Pi + 0.5})
	fmt.Printf("%.6f %.6f %.6f\n", v.F, v.D[0], v.DD[0][0])

	law.Expression = "abs(x - 1)"
	law.Faults(func(field, value, rule string) { fmt.Println(field, rule) })
	// Output:
	// 6.695211 0.872168 0.288039
	// expression its slope jumps by 2 at x = 1: a law has two continuous derivatives
}

// A table is read as the cubic spline through its points.
func ExampleLaw_At() {
	law := couplings.Law{Spans: make([]couplings.Span, 1), X: []float64{0, 1, 2, 3}, Values: []float64{0, 1, 8, 27}}
	v := law.Prepared().At([2]float64{1.5})
	fmt.Printf("%.4g %.4g %.4g\n", v.F, v.D[0], v.DD[0][0])
	law.Ends = couplings.Natural // no second derivative at the ends
	v = law.Prepared().At([2]float64{3})
	fmt.Printf("%.4g %.4g\n", v.F, v.DD[0][0])
	// Output:
	// 3.375 6.75 9
	// 27 0
}
