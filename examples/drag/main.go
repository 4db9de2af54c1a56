// Command drag adds a force that the model format does not have: the drag of air, against the velocity and in proportion to its
// square. First one ball falls alone, for which there is a formula; then two balls of equal size but different masses fall on the
// ends of a beam that is free to turn.
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

// perSpeed2 is the drag divided by the square of the speed, kg/m.
const perSpeed2 = air * coeff * math.Pi * radius * radius / 2

// inAir is the drag −c·|v|·v of balls, each at the centre of mass of its body.
type inAir struct{}

// WrenchesTo implements mechanism.OwnForce.
func (inAir) WrenchesTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) error {
	for i := range at {
		v := at[i].Velocity
		w[i] = spatial.NewForce(spatial.Vec3{}, v.Scale(-perSpeed2*v.Norm()))
	}
	return nil
}

// DerivativesTo implements mechanism.DifferentiableForce, for implicit integrators, equilibria and modes. The derivative by the
// velocity of the centre of mass is −c·(|v|·1 + v·vᵀ/|v|), the derivative by the pose is 0.
func (inAir) DerivativesTo(_, velocity []float64, at []mechanism.BodyMotion, _ float64) error {
	columns := 6 * len(at)
	for i := range at {
		v := at[i].Velocity
		speed := v.Norm()
		if speed == 0 {
			continue
		}
		for r := range 3 {
			row := velocity[(6*i+3+r)*columns+6*i+3:]
			row[r] = -perSpeed2 * speed
			for c := range 3 {
				row[c] -= perSpeed2 * v[r] * v[c] / speed
			}
		}
	}
	return nil
}

// fall returns the state of m at the time until, with drag on the given bodies, and the largest distance, m, between the positions of
// its bodies and those by an implicit integrator.
func fall(m *model.Model, balls ...int) (end *mechanism.State, apart float64, err error) {
	shared, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return nil, 0, err
	}
	in := shared.Mechanism().NewInputs()
	if _, err := in.AddForce("drag", inAir{}, balls...); err != nil {
		return nil, 0, err
	}
	plan, mech := shared.With(in), in.Mechanism()
	d := motion.NewDynamics(plan)
	explicit := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-10}), plan.Initial(), sim.Options{Projector: d})
	if err := explicit.Run(until); err != nil {
		return nil, 0, err
	}
	n := motion.NewNewton(plan)
	alpha := sim.NewGeneralizedAlpha(mech, n, sim.GeneralizedAlphaOptions{Tolerance: sim.Tolerance{Relative: 1e-7}})
	implicit := sim.New(mech, alpha, plan.Initial(), sim.Options{Projector: n})
	if err := implicit.Run(until); err != nil {
		return nil, 0, err
	}
	for i := range mech.Bodies {
		a, b := explicit.State().Bodies[i].Position, implicit.State().Bodies[i].Position
		apart = max(apart, a.Sub(b).Norm())
	}
	return explicit.State(), apart, nil
}

// ball adds a ball at a position, world frame. It has the size for which the drag is computed.
func ball(b *rung.Builder, name string, mass float64, at spatial.Vec3) (rung.Body, error) {
	d, err := bodies.SolidSphere(mass, radius)
	if err != nil {
		return rung.Body{}, err
	}
	return b.Body(name, d, rung.Place{Origin: at}), nil
}

// run lets one ball fall and compares it with the formula, then drops the beam with two balls.
func run() error {
	b := rung.NewBuilder("ball")
	if _, err := ball(b, "ball", light, spatial.Vec3{}); err != nil {
		return err
	}
	m, err := b.Model()
	if err != nil {
		return err
	}
	st, apart, err := fall(m, 0)
	if err != nil {
		return err
	}
	// m·v̇ = m·g − c·v² has the solution v = V·tanh(g·t/V), V² = m·g/c.
	final := math.Sqrt(light * gravity / perSpeed2)
	fmt.Printf("ball: %.5f m/s, by hand %.5f m/s\n", -st.Bodies[0].Velocity[2], final*math.Tanh(gravity*until/final))
	fmt.Printf("  fallen %.5f m, by hand %.5f m\n", -st.Bodies[0].Position[2], final*final/gravity*math.Log(math.Cosh(gravity*until/final)))

	fmt.Printf("  an implicit integrator ends within 1 mm: %t\n", apart < 1e-3)

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
	if st, apart, err = fall(m, 1, 2); err != nil {
		return err
	}
	axis := st.Bodies[0].Rotation.Rotate(spatial.Vec3{1})
	fmt.Printf("beam: the heavy end leads by %.3f m, and swings at %.3f rad/s\n", -axis[2], st.Bodies[0].Omega[1])
	fmt.Printf("  an implicit integrator ends within 1 mm: %t\n", apart < 1e-3)
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
