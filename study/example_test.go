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

// All numbers of a model that a study can vary, and one of them with another value.
func ExampleInputs() {
	const text = `{"format": "rung-model/1", "name": "car", "gravity": [0, 0, -9.81],
	  "bodies": [{"name": "box", "mass": 20, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
	  "forces": [{"name": "front", "type": "spring_damper", "a": {"body": "world"}, "b": {"body": "box", "point": [0, 0, 1]}, "stiffness": 2000}]}`
	in, err := study.NewInputs([]byte(text), "car.json")
	if err != nil {
		log.Fatal(err)
	}
	for _, x := range in.All() {
		if x.Value != 0 && x.Value != 1 {
			fmt.Println(x.Path, x.Value, x.Unit)
		}
	}
	if err := in.Set("forces[front].stiffness", 3000); err != nil {
		log.Fatal(err)
	}
	m, err := in.Model()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Forces[0].Stiffness)
	// Output:
	// bodies[box].mass 20 kg
	// forces[front].stiffness 2000 N/m
	// gravity[2] -9.81 m/s²
	// 3000
}

// How evenly 64 draws of two numbers fill their square by each sampling: how many of 64 equal cells have a draw.
func ExampleSampling() {
	for _, sampling := range []study.Sampling{study.Random, study.LatinHypercube, study.Halton, study.Sobol} {
		s := &study.Study{Sampling: sampling, Draws: 64, Seed: 1, Parameters: []study.Parameter{
			{Name: "mass", Path: "bodies[box].mass", Law: study.Uniform, Low: 10, High: 40},
			{Name: "spring", Path: "forces[front].stiffness", Law: study.Uniform, Low: 2000, High: 3000},
		}}
		draws, x, cells := s.NewDraws(), make([]float64, 2), map[[2]int]bool{}
		for run := range s.Runs() {
			draws.ValuesTo(x, run)
			cells[[2]int{int(8 * (x[0] - 10) / 30), int(8 * (x[1] - 2000) / 1000)}] = true
		}
		fmt.Println(sampling, len(cells))
	}
	// Output:
	// random 44
	// latin-hypercube 43
	// halton 56
	// sobol 64
}
