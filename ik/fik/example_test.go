package fik_test

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung/ik/fik"
)

// The tool of a planar arm of two links of 1 m goes to a point.
func ExampleFilter() {
	q, goal := []float64{0.3, 0.8}, []float64{0.4, 1.5}
	J := fik.NewDense(2, 2, nil)
	place := func() (x, y float64) {
		x, y = math.Cos(q[0])+math.Cos(q[0]+q[1]), math.Sin(q[0])+math.Sin(q[0]+q[1])
		J.Data = []float64{-y, -math.Sin(q[0] + q[1]), x, math.Cos(q[0] + q[1])}
		return x, y
	}
	x, y := place()
	f, err := fik.New(J, fik.Options{Riccati: fik.RiccatiOptions{W: 20}})
	if err != nil {
		log.Fatal(err)
	}
	dq, dxd := make([]float64, 2), make([]float64, 2)
	for range 2000 {
		dxd[0], dxd[1] = 5*(goal[0]-x), 5*(goal[1]-y)
		if err := f.StepTo(dq, dxd); err != nil {
			log.Fatal(err)
		}
		for i := range q {
			q[i] += f.Step() * dq[i]
		}
		x, y = place()
	}
	fmt.Printf("tool at %.4f, %.4f with angles %.4f, %.4f\n", x, y, q[0], q[1])
	// Output:
	// tool at 0.4000, 1.5000 with angles 0.6280, 1.3643
}

// The better a direction of the targets can be moved, the less it weighs.
func ExampleRiccati() {
	J := fik.NewDense(2, 3, []float64{1, 0, 0, 0, 0.5, 0})
	P, info, err := fik.Riccati(J, fik.RiccatiOptions{W: 4, M: []float64{5}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("P = [%.4f %.4f; %.4f %.4f] at s = %v\n", P[0], P[1], P[2], P[3], info.S)
	// Output:
	// P = [1.8089 0.0000; 0.0000 2.3992] at s = 0.78125
}
