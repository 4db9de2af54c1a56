package many_test

import (
	"fmt"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive/many"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// The angular acceleration of a rod of a four-bar by a moment on the rod: rods of 1 m and 1 kg have 5/3 kg m² about both pins.
func Example() {
	m, _ := bench.NFourBar(1, 1, 1)
	mech, _ := mechanism.New(m)
	plan := kkt.NewPlan(mech, kkt.Options{})
	b, _ := many.New(plan, m, batch.Options{})
	states, g := b.NewStates(2), b.NewGradients(2)
	for i := range states.Len() {
		states.SetGravity(i, spatial.Vec3{0, -9.81 * float64(i), 0})
		g.SetWeights(i, 0, spatial.Vec3{0, 0, 1}, spatial.Vec3{})
	}
	b.AdjointTo(g, states)
	for i := range 2 {
		_, moment := g.Load(i, 0)
		fmt.Printf("state %d: %.4f rad/s² for a moment of 1 N m on the first rod\n", i, moment[2])
	}
	fmt.Println("one by one:", g.OneByOne())
	// Output:
	// state 0: 0.6000 rad/s² for a moment of 1 N m on the first rod
	// state 1: 0.6000 rad/s² for a moment of 1 N m on the first rod
	// one by one: []
}

// The position of a slider of 2 kg after ten steps of 0.1 s, by the force over the first step: h²(10 − ½)/m.
func Example_rollout() {
	m := model.New("slider")
	m.Bodies = []model.Body{{Name: "slider", Mass: 2, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{{Name: "rail", Type: model.Prismatic, Predecessor: model.World, Successor: "slider"}}
	mech, _ := mechanism.New(m)
	b, _ := many.New(kkt.NewPlan(mech, kkt.Options{}), m, batch.Options{Forces: []mechanism.Freedom{{Joint: 0}}})
	const steps = 10
	states, g, out, record := b.NewStates(1), b.NewGradients(1), b.NewOutcome(1), b.NewRecord(1, steps)
	_ = b.Rollout(states, &batch.Rollout{Step: 0.1, Steps: steps, Record: record}, out)
	_ = b.BackTo(g, record, func(step, first, n int) {
		switch step {
		case steps:
			g.AddMotion(0, []float64{5: 1, 11: 0}) // z of its position
		case 0:
			fmt.Printf("%.4f m/N\n", g.Force(0, 0))
		}
	})
	fmt.Println("failed:", g.Failed())
	// Output:
	// 0.0475 m/N
	// failed: []
}
