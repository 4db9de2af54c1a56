package replay_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/replay"
	"github.com/rung-mbd/rung/spatial"
)

// The columns of a trajectory as they come, here from a text.
func ExampleScanner() {
	rows, err := replay.NewScanner(strings.NewReader("time,joint.hinge.q\n0,0.5\n0.1,0.25\n"), "run.csv")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows.Names())
	for rows.Scan() {
		fmt.Println(rows.Row())
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [time joint.hinge.q]
	// [0 0.5]
	// [0.1 0.25]
}

// Where was the pendulum after 0.42 s? The row before that time tells.
func Example() {
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
	var text strings.Builder // or a file
	rows, err := sim.NewCSV(&text, sim.NewColumns(mech, nil))
	if err != nil {
		log.Fatal(err)
	}
	d := motion.NewDynamics(kkt.NewPlan(mech, kkt.Options{}))
	method := sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{})
	run := sim.New(mech, method, mech.Initial(), sim.Options{Projector: d, Recorder: rows, Every: 0.1})
	if err := run.Run(1); err != nil {
		log.Fatal(err)
	}
	if err := rows.Flush(); err != nil {
		log.Fatal(err)
	}

	table, err := replay.NewCSV(context.Background(), strings.NewReader(text.String()), int64(text.Len()), "pendulum.csv")
	if err != nil {
		log.Fatal(err)
	}
	r, err := replay.New(mech, table)
	if err != nil {
		log.Fatal(err)
	}
	st := mech.Initial()
	if err := r.StateTo(st, r.RowAt(0.42)); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("at %.1f s it turned with %.4f rad/s\n", st.Time, st.Bodies[0].Omega[1])
	// Output:
	// at 0.4 s it turned with 5.1546 rad/s
}
