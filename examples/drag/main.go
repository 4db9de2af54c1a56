// Command drag hangs a plate in the wind: aerodynamic drag is a force of one's own, a function of the motion of the plate, with its
// derivatives. An explicit and an implicit integrator agree on the motion, and the equilibrium and the modes of the plate in the wind are
// those of a pendulum under a constant force.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	mass, length = 2.0, 1.5 // kg, m
	wind         = 8.0      // m/s, along x
	drag         = 0.09     // ½·density·coefficient·area, kg/m
)

// air is the drag −c·|u|·u at the centre of mass of a body with the velocity u against the air.
type air struct{ c float64 }

func (a air) against(b *mechanism.BodyMotion) (u spatial.Vec3, speed float64) {
	u = b.Velocity.Sub(spatial.Vec3{wind, 0, 0})
	return u, u.Norm()
}

// WrenchesTo implements mechanism.OwnForce.
func (a air) WrenchesTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) error {
	u, speed := a.against(&at[0])
	w[0] = spatial.NewForce(spatial.Vec3{}, u.Scale(-a.c*speed))
	return nil
}

// DerivativesTo implements mechanism.DifferentiableForce: −c·(|u|·1 + u·uᵀ/|u|) by the velocity, nothing by the pose.
func (a air) DerivativesTo(_, velocity []float64, at []mechanism.BodyMotion, _ float64) error {
	u, speed := a.against(&at[0])
	if speed == 0 {
		return nil
	}
	for r := range 3 {
		for c := range 3 {
			velocity[6*(3+r)+3+c] = -a.c * u[r] * u[c] / speed
		}
		velocity[7*(3+r)] -= a.c * speed
	}
	return nil
}

func run() error {
	b := rung.NewBuilder("plate")
	plate, err := bodies.Box(mass, spatial.Vec3{0.3, 0.3, 0.3})
	if err != nil {
		return err
	}
	bob := b.Body("plate", plate, rung.At(0, 0, -length))
	b.Revolute("hinge", rung.World, bob, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		return err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	in := plan.Mechanism().NewInputs()
	if _, err := in.AddForce("air", air{drag}, 0); err != nil {
		return err
	}
	windy, mech := plan.With(in), in.Mechanism()

	// From rest, for three seconds, in both ways.
	explicit, implicit := motion.NewDynamics(windy), motion.NewNewton(windy)
	one := sim.New(mech, sim.NewRungeKutta(mech, explicit, sim.DormandPrince(), sim.Tolerance{Relative: 1e-9}), plan.Initial(), sim.Options{Projector: explicit})
	two := sim.New(mech, sim.NewGeneralizedAlpha(mech, implicit, sim.GeneralizedAlphaOptions{Tolerance: sim.Tolerance{Relative: 1e-8}}), plan.Initial(), sim.Options{Projector: implicit})
	for _, s := range []*sim.Simulation{one, two} {
		if err := s.Run(3); err != nil {
			return err
		}
	}
	x, y := one.State().Bodies[0].Position, two.State().Bodies[0].Position
	fmt.Printf("after 3 s the plate is at %.3f, %.3f m; the methods differ by less than 0.1 mm: %t\n", x[0], x[2], x.Sub(y).Norm() < 1e-4)

	// At rest the force of the wind, c·wind², has no moment against the weight.
	st := plan.Initial()
	if _, err := linear.Equilibrate(windy, st, linear.EquilibriumOptions{}); err != nil {
		return err
	}
	p, push := st.Bodies[0].Position, drag*wind*wind
	fmt.Printf("at rest it leans by %.3f degrees, by hand %.3f\n", degrees(math.Atan2(p[0], -p[2])), degrees(math.Atan2(push, mass*9.81)))

	// A small swing: of a pendulum in the field that weight and wind make, damped as the drag changes along the swing.
	system := linear.NewSystem(windy)
	if err := system.Linearize(st); err != nil {
		return err
	}
	modes, err := system.Modes(linear.ModeOptions{Count: 2})
	if err != nil {
		return err
	}
	angle := math.Atan2(push, mass*9.81)
	inertia := mass*length*length + mass*0.3*0.3/6
	k := math.Hypot(push, mass*9.81) * length
	d := drag * wind * (1 + math.Pow(math.Cos(angle), 2)) * length * length
	decay := d / (2 * inertia)
	fmt.Printf("it swings with %.4f rad/s, by hand %.4f\nit decays by %.4f per second, by hand %.4f\n",
		math.Abs(imag(modes.List[0].Lambda)), math.Sqrt(k/inertia-decay*decay), -real(modes.List[0].Lambda), decay)
	return nil
}

func degrees(x float64) float64 { return x * 180 / math.Pi }

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
