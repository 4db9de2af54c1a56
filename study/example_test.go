package study_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/rung-mbd/rung/study"
)

// The values of the parameters of all runs of a study: two springs, and three masses drawn for each.
func Example() {
	const text = `{
  "format": "rung-study/1",
  "model": "car.json",
  "run": {"until": 1},
  "sampling": {"type": "latin-hypercube", "draws": 3, "seed": 1},
  "parameters": [
    {"name": "spring", "path": "forces[front].stiffness", "values": [2000, 3000]},
    {"name": "load", "path": "bodies[box].mass", "uniform": [10, 40]}
  ],
  "outputs": [{"name": "highest", "column": "box.pz", "take": "max"}]
}`
	s, err := study.Read(strings.NewReader(text), "car.study.json")
	if err != nil {
		log.Fatal(err)
	}
	draws, values := s.NewDraws(), make([]float64, len(s.Parameters))
	for i := range s.Runs() {
		draws.ValuesTo(values, i)
		fmt.Printf("run %d: %.1f\n", i, values)
	}
	// Output:
	// run 0: [2000.0 31.4]
	// run 1: [2000.0 12.6]
	// run 2: [2000.0 23.2]
	// run 3: [3000.0 31.4]
	// run 4: [3000.0 12.6]
	// run 5: [3000.0 23.2]
}
