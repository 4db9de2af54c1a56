package parquet_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/parquet"
	"github.com/rung-mbd/rung/spatial"
)

// A second of a pendulum as a Parquet file, and read back.
func Example() {
	dir, err := os.MkdirTemp("", "parquet")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b := build.New("pendulum").Gravity(0, 0, -9.81)
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("hinge", build.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "pendulum.parquet")
	rows, err := parquet.New(path, sim.NewColumns(mech, []int{0}), parquet.Options{})
	if err != nil {
		log.Fatal(err)
	}
	d := motion.NewDynamics(kkt.NewPlan(mech, kkt.Options{}))
	method := sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{})
	run := sim.New(mech, method, mech.Initial(), sim.Options{Projector: d, Recorder: rows, Every: 0.1})
	if err := run.Run(1); err != nil {
		log.Fatal(err)
	}
	if err := rows.Close(); err != nil { // before it there is no file that readers know
		log.Fatal(err)
	}

	file, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		log.Fatal(err)
	}
	source, err := parquet.NewSource(file, info.Size(), path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(source.Rows(), "rows of", source.Names()[:4])
	// Output:
	// 11 rows of [time rod.px rod.py rod.pz]
}
