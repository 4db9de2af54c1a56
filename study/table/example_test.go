package table_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/sweep"
	"github.com/rung-mbd/rung/study/table"
)

// How fast a rod swings through under three gravities: run into a file, and read back.
func Example() {
	dir, err := os.MkdirTemp("", "table")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
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

	path := filepath.Join(dir, "runs.parquet")
	counts, err := table.Run(context.Background(), s, table.Options{
		Runs: path, Threads: 2, Resume: true,
		Warn: func(damage error, run int) { log.Printf("%v: computed again from run %d on", damage, run) },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("computed", counts.Computed, "failed", counts.Failed)
	columns := []table.Column{{Name: "gravity", Kind: table.Float}, {Name: "fastest", Kind: table.Float}}
	err = table.Read(path, study.RunsFormat, columns, func(cells []table.Cell) error {
		fmt.Printf("%.2f m/s²: %.4f rad/s\n", cells[0].Float, cells[1].Float)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// computed 3 failed 0
	// -1.62 m/s²: 2.2045 rad/s
	// -3.71 m/s²: 3.3360 rad/s
	// -9.81 m/s²: 5.4245 rad/s
}
