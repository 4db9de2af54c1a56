package runs_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/motion/runs"
)

// Three bars swing; rows are kept in memory.
func Example() {
	m, err := bench.NFourBar(1, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	s, err := runs.New(plan, runs.Options{Every: 0.5, Columns: []string{"rod0.wz"}})
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Run(1); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Columns().Names())
	for _, row := range s.Rows() {
		fmt.Printf("%.1f s: %.4f rad/s\n", row[0], row[1])
	}
	e := s.Told().Energy
	fmt.Printf("energy kept to a millionth: %t\n", e.Change < 1e-6*e.Kinetic)
	// Output:
	// [time rod0.wz]
	// 0.0 s: -0.6389 rad/s
	// 0.5 s: 1.7500 rad/s
	// 1.0 s: 6.5821 rad/s
	// energy kept to a millionth: true
}
