package curves_test

import (
	"fmt"

	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// The foot of a point on a figure eight, from the whole curve and from a parameter that is known to be near.
func Example() {
	c := &curves.Curve{Kind: curves.Function, X: "sin(u)", Y: "sin(2*u)", Range: [2]float64{0, 6.283185307179586}, Closed: true}
	c.Faults(false, func(field, value, rule string) { fmt.Println(field, value, rule) })
	p := c.Prepared()
	x := spatial.Vec3{0.01, 0, 0}
	fmt.Printf("%.4f\n", p.Nearest(&x, false))
	u, laps := p.NearestFrom(&x, false, 3)
	fmt.Printf("%.4f\n", u+laps)
	at := p.At(3)
	fmt.Printf("%.4f\n", at.C)
	// Output:
	// 0.0020
	// 3.1396
	// [0.1411 -0.2794 0.0000]
}
