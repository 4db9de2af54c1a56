package bench_test

import (
	"fmt"

	"github.com/rung-mbd/rung/bench"
)

func ExampleGenerate() {
	m, err := bench.Generate("ladder", 1000, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name, len(m.Bodies), len(m.Joints))
	// Output: ladder-1000 1000 1500
}

func ExampleNFourBarAcceleration() {
	fmt.Printf("%.4f\n", bench.NFourBarAcceleration(3, bench.DefaultAngle))
	// Output: 4.4079
}
