package springs_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/springs"
)

// A spring that becomes stiffer as a table says, with a damper by a formula of the rate y.
func Example() {
	spring := &springs.Law{Kind: springs.Table, At: []float64{0, 0.1, 0.2}, Forces: []float64{0, 10, 40}}
	damper := &springs.Law{Kind: springs.Function, Expression: "5*y + 20*y^3"}
	laws := springs.Laws{Spring: spring.Prepared(), Damper: damper.Prepared()}
	f, stiffness, damping, err := laws.At(0.15, 0.5) // m, m/s
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f N, %.1f N/m, %.1f N s/m\n", f, stiffness, damping)
	fmt.Printf("%.3f J to get there\n", laws.Potential(0.15))
	// Output:
	// 26.9 N, 312.5 N/m, 20.0 N s/m
	// 1.138 J to get there
}
