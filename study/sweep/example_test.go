package sweep_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/sweep"
)

// How fast a rod swings through under three gravities, made and run without a file.
func Example() {
	b := rung.NewBuilder("pendulum").Gravity(0, 0, -9.81)
	rod := b.Rod("rod", 1, 0.001, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("hinge", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(m)
	if err != nil {
		log.Fatal(err)
	}
	s, err := sweep.New(&study.Study{
		Run:        study.Run{Until: 2, Every: 0.01, Integrator: "dopri5"},
		Parameters: []study.Parameter{{Name: "gravity", Path: "gravity[2]", Law: study.Values, List: []float64{-1.62, -3.71, -9.81}}},
		Outputs:    []study.Output{{Name: "fastest", Column: "joint.hinge.qd", Take: study.Max}},
	}, "study", sweep.Source{Text: text, Name: "pendulum"})
	if err != nil {
		log.Fatal(err)
	}
	results, err := s.Run(context.Background(), sweep.Options{Threads: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Printf("%.2f m/s²: %.4f rad/s\n", r.Parameters[0], r.Outputs[0])
	}
	// Output:
	// -1.62 m/s²: 2.2045 rad/s
	// -3.71 m/s²: 3.3360 rad/s
	// -9.81 m/s²: 5.4245 rad/s
}
