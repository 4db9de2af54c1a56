package batch_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// pendulum is a rod of 1 m and 1 kg on a hinge about y, level at the start.
func pendulum() *kkt.Plan {
	b := rung.NewBuilder("pendulum").Gravity(0, 0, -9.81)
	rod := b.Rod("rod", 1, 0.001, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("hinge", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return plan
}

// One pendulum on three planets at once.
func Example() {
	plan := pendulum()
	b, err := batch.New(plan, batch.Options{})
	if err != nil {
		log.Fatal(err)
	}
	gravity := []float64{9.81, 3.71, 1.62}
	states, results := b.NewStates(len(gravity)), b.NewResults(len(gravity))
	for i, g := range gravity {
		states.Set(i, plan.Initial())
		states.SetGravity(i, spatial.Vec3{0, 0, -g})
	}
	b.Solve(states, results)
	for i := range gravity {
		if err := results.Error(i); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.4f rad/s²\n", results.AngularAcceleration(i, 0)[1])
	}
	// Output:
	// 14.7150 rad/s²
	// 5.5650 rad/s²
	// 2.4300 rad/s²
}

// A second of three pendulums, whose centres of mass are 0.5, 0.6 and 0.7 m from the hinge.
func ExampleBatch_Rollout() {
	plan := pendulum()
	b, err := batch.New(plan, batch.Options{Vary: batch.Vary{Bodies: []int{0}}})
	if err != nil {
		log.Fatal(err)
	}
	states, out := b.NewStates(3), b.NewOutcome(3)
	for i := range states.Len() {
		states.Set(i, plan.Initial())
		mass, com, inertia := states.Body(i, 0)
		com[0] += 0.1 * float64(i)
		if err := states.SetBody(i, 0, mass, com, inertia); err != nil {
			log.Fatal(err)
		}
	}
	if err := b.Rollout(states, &batch.Rollout{Step: 1e-3, Steps: 1000}, out); err != nil {
		log.Fatal(err)
	}
	st := plan.Initial()
	for i := range states.Len() {
		states.To(st, i)
		fmt.Printf("after %.0f s at %.4f rad/s, error %v\n", st.Time, st.Bodies[0].Omega[1], out.Error(i))
	}
	// Output:
	// after 1 s at -0.4905 rad/s, error <nil>
	// after 1 s at 0.2348 rad/s, error <nil>
	// after 1 s at 0.8559 rad/s, error <nil>
}

// A second of two pendulums, one with four times the friction of the other in its hinge.
func ExampleStates_SetFriction() {
	b := rung.NewBuilder("pendulum").Gravity(0, 0, -9.81)
	rod := b.Rod("rod", 1, 0.001, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("hinge", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	m.Joints[0].Friction = []model.Friction{{Force: 0.5}} // N m
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	hinge := mechanism.Freedom{Joint: 0}
	many, err := batch.New(plan, batch.Options{Vary: batch.Vary{Friction: []mechanism.Freedom{hinge}}})
	if err != nil {
		log.Fatal(err)
	}
	states, out := many.NewStates(2), many.NewOutcome(2)
	friction := states.Friction(1, hinge)
	friction.Force *= 4
	if err := states.SetFriction(1, hinge, friction); err != nil {
		log.Fatal(err)
	}
	if err := many.Rollout(states, &batch.Rollout{Step: 1e-3, Steps: 1000}, out); err != nil {
		log.Fatal(err)
	}
	st := plan.Initial()
	for i := range states.Len() {
		states.To(st, i)
		q, rate := plan.Mechanism().Coordinate(hinge, st)
		fmt.Printf("%.2f rad, %.2f rad/s\n", q, rate)
	}
	// Output:
	// 2.83 rad, -0.72 rad/s
	// 2.11 rad, -0.09 rad/s
}
