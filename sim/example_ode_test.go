package sim_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung/sim"
)

// A swing, y″ = −y, over one period: in 100 equal steps of two methods, and within a tolerance.
func ExampleODE() {
	ctx := context.Background()
	swing := func(dst, y []float64, _ float64) error {
		dst[0], dst[1] = y[1], -y[0]
		return nil
	}
	for _, method := range []*sim.Tableau{sim.Euler(), sim.RungeKutta4()} {
		y := []float64{1, 0}
		if err := sim.NewODE(2, swing, method).Fixed(ctx, y, 0, 2*math.Pi, 2*math.Pi/100); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: off by %.0e\n", method.Name, math.Hypot(y[0]-1, y[1]))
	}
	y := []float64{1, 0}
	ode := sim.NewODE(2, swing, sim.DormandPrince())
	if err := ode.Within(ctx, y, 0, 2*math.Pi, 1e-8); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d steps: off by less than 1e-6 %t\n", ode.Steps(), math.Hypot(y[0]-1, y[1]) < 1e-6)
	// Output:
	// euler: off by 2e-01
	// rk4: off by 8e-07
	// 70 steps: off by less than 1e-6 true
}
