package dist_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
)

// A row of four-bars in three pieces, on goroutines.
func Example() {
	m, err := bench.NFourBar(30, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	err = dist.Run(3, func(c dist.Comm) error {
		plan, err := dist.NewPlan(c, m, dist.Options{})
		if err != nil {
			return err
		}
		solver, err := plan.NewSolver()
		if err != nil {
			return err
		}
		defer solver.Close()
		if err := solver.Solve(plan.Mechanism().Initial()); err != nil {
			return err
		}
		a := make([]float64, 6*plan.Piece().Own)
		solver.AccelerationsTo(a)
		for i, number := range plan.Piece().Body[:plan.Piece().Own] {
			if number == 0 { // one rank has the first rod
				fmt.Printf("%.6f rad/s²\n", a[6*i+2])
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f rad/s² by hand\n", bench.NFourBarAcceleration(30, 0.4))
	// Output:
	// 4.309558 rad/s²
	// 4.309558 rad/s² by hand
}
