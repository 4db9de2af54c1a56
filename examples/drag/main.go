// Command drag adds a force that the model format does not have: the drag of air, against the velocity and with its square.
// Two balls of equal size fall on the ends of a beam that is free to turn, then one falls alone, for which there is a formula.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	radius  = 0.1  // m, of a ball
	light   = 0.5  // kg
	heavy   = 0.8  // kg
	air     = 1.2  // kg/m³
	coeff   = 0.47 // drag coefficient of a ball
	gravity = 9.81
	until   = 3.0 // s
)

// perSpeed2 is the drag over the square of the velocity, kg/m.
const perSpeed2 = air * coeff * math.Pi * radius * radius / 2

// inAir is the dynamics of a mechanism whose force elements are the drag of balls, centred on their bodies' frames.
type inAir struct {
	*motion.Dynamics
	mech *mechanism.Mechanism
}

// Accelerations sets the drag at st before it solves.
func (d inAir) Accelerations(a []float64, st *mechanism.State) error {
	for i := range d.mech.Forces {
		f := &d.mech.Forces[i]
		v := st.Bodies[f.A.Body].Velocity
		f.Force = v.Scale(-perSpeed2 * v.Norm())
	}
	return d.Dynamics.Accelerations(a, st)
}

// fall returns the state after some time in air.
func fall(m *model.Model) (*mechanism.State, error) {
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return nil, err
	}
	d := inAir{motion.NewDynamics(plan), plan.Mechanism()}
	method := sim.NewRungeKutta(d.mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-10})
	s := sim.New(d.mech, method, plan.Initial(), sim.Options{Projector: d})
	return s.State(), s.Run(until)
}

// ball adds a ball with drag.
func ball(b *rung.Builder, name string, mass float64, at spatial.Vec3) (rung.Body, error) {
	d, err := bodies.SolidSphere(mass, radius)
	if err != nil {
		return 0, err
	}
	body := b.Body(name, d, rung.Place{Origin: at})
	b.Wrench("drag of "+name, body, at, spatial.Vec3{}, spatial.Vec3{})
	return body, nil
}

func run() error {
	b := rung.NewBuilder("ball")
	if _, err := ball(b, "ball", light, spatial.Vec3{}); err != nil {
		return err
	}
	m, err := b.Model()
	if err != nil {
		return err
	}
	st, err := fall(m)
	if err != nil {
		return err
	}
	// m·v̇ = m·g − c·v² has the solution v = V·tanh(g·t/V), V² = m·g/c.
	final := math.Sqrt(light * gravity / perSpeed2)
	fmt.Printf("ball: %.5f m/s, by hand %.5f m/s\n", -st.Bodies[0].Velocity[2], final*math.Tanh(gravity*until/final))
	fmt.Printf("  fallen %.5f m, by hand %.5f m\n", -st.Bodies[0].Position[2], final*final/gravity*math.Log(math.Cosh(gravity*until/final)))

	b = rung.NewBuilder("beam").Gravity(0, 0, -gravity)
	left, right := spatial.Vec3{-0.5}, spatial.Vec3{0.5}
	beam := b.Rod("beam", 0.2, 0.005, left, right)
	for _, end := range []struct {
		name string
		mass float64
		at   spatial.Vec3
	}{{"light", light, left}, {"heavy", heavy, right}} {
		body, err := ball(b, end.name, end.mass, end.at)
		if err != nil {
			return err
		}
		b.Fixed(end.name, beam, body, end.at)
	}
	if m, err = b.Model(); err != nil {
		return err
	}
	if st, err = fall(m); err != nil {
		return err
	}
	axis := st.Bodies[0].Rotation.Rotate(spatial.Vec3{1})
	fmt.Printf("beam: the heavy end leads by %.3f m, and swings at %.3f rad/s\n", -axis[2], st.Bodies[0].Omega[1])
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
