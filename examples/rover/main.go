// Command rover drives a rover with Ackermann steering over hills that are read from a picture, in force-balance steps of 20 ms. On level
// ground its wheels carry equal parts of the weight, and it drives, except for slip, on the circle for which its steering is set.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	step = 0.02 // s
	base = 1.0  // m, between the axles
)

// main drives the rover over the hills for 20 s, then on level ground, and prints the loads on its wheels and the radius of its circle.
func main() {
	m, err := model.ReadFile("rover.json")
	if err != nil {
		log.Fatal(err)
	}
	_, st, err := drive(m, 20)
	if err != nil {
		log.Fatal(err)
	}
	c := st.Bodies[0].Position
	fmt.Printf("after 20 s on the hills: (%.2f, %.2f, %.2f) m\n", c[0], c[1], c[2])
	level(m)
	p, st, err := drive(m, 2.9)
	if err != nil {
		log.Fatal(err)
	}
	if err := loads(p.Mechanism(), st); err != nil {
		log.Fatal(err)
	}
	if _, st, err = drive(m, 15); err != nil {
		log.Fatal(err)
	}
	// The middle of the rear axle moves at the angular velocity of the rover times the radius of the circle.
	b := &st.Bodies[0]
	rear := b.Velocity.Add(b.Omega.Cross(b.Rotation.Rotate(spatial.Vec3{-base / 2})))
	fmt.Printf("radius of the circle on level ground: %.2f m\n", math.Hypot(rear[0], rear[1])/b.Omega[2])
}

// drive runs the model to the time until, s, and returns its plan and its state there.
func drive(m *model.Model, until float64) (*kkt.Plan, *mechanism.State, error) {
	p, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return nil, nil, err
	}
	b, err := motion.NewBalance(p, motion.BalanceOptions{})
	if err != nil {
		return nil, nil, err
	}
	s := sim.New(p.Mechanism(), b, p.Initial(), sim.Options{Step: step, Projector: motion.NewDynamics(p)})
	return p, s.State(), s.Run(until)
}

// level replaces the hills of the model by a horizontal plane.
func level(m *model.Model) {
	m.Terrains = []model.Terrain{{Name: "hills", Type: model.PlaneTerrain}}
}

// loads prints the vertical force on each wheel at a state.
func loads(mech *mechanism.Mechanism, st *mechanism.State) error {
	k := mech.NewKinematics()
	if err := mech.KinematicsTo(k, st); err != nil {
		return err
	}
	for i := range mech.NumContacts() {
		_, body, _ := mech.Contact(i)
		r, err := mech.ContactAt(i, k, st)
		if err != nil {
			return err
		}
		fmt.Printf("%s: load %.1f N\n", mech.BodyName(body), r.Wrench.Linear()[2])
	}
	return nil
}
