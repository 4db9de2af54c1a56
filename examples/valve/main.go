// Command valve lifts a valve by a cam: a coupling of two coordinates takes the place of the contact of the cam with its follower.
// The profile is a formula with two continuous derivatives. The multiplier of the coupling is the force of the cam on the
// follower. When the shaft turns faster, this force falls below zero at the top: there the spring can no longer hold the valve
// on the cam.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	lift      = 0.009  // m
	half      = 1.2    // rad, angle of the shaft from the valve's opening to the largest lift
	mass      = 0.12   // kg, of the valve
	stiffness = 30_000 // N/m, of the valve's spring
	preload   = 250.0  // N, of the spring while the valve is closed
)

// train returns the model of shaft and valve, which starts with the valve closed; the shaft turns at a speed, rad/s.
func train(speed float64) (*model.Model, error) {
	b := rung.NewBuilder("valve").Gravity(0, 0, 0)
	y, z := spatial.Vec3{0, 1, 0}, spatial.Vec3{0, 0, 1}
	shaft := b.Rod("shaft", 1, 0.02, spatial.Vec3{0, -0.1, 0}, spatial.Vec3{0, 0.1, 0})
	valve := b.Rod("valve", mass, 0.005, spatial.Vec3{0, 0, 0.03}, spatial.Vec3{0, 0, 0.12})
	cam := b.Revolute("cam", rung.World, shaft, spatial.Vec3{}, y)
	cam.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, speed}}}
	guide := b.Prismatic("guide", rung.World, valve, spatial.Vec3{0, 0, 0.03}, z)
	guide.Stiffness, guide.Rest = []float64{stiffness}, []float64{-preload / stiffness}
	b.Move(shaft, spatial.Vec3{}, y.Scale(speed))
	b.Couple("profile", rung.Term{Joint: guide, Factor: 1}).FollowLaw(couplings.Law{
		Kind:       couplings.Function,
		Expression: fmt.Sprintf("%v*max(1 - ((x - pi)/%v)^2, 0)^3", lift, half),
		Spans:      []couplings.Span{{To: 2 * math.Pi, Periodic: true}},
	}, rung.Coordinate{Joint: cam})
	return b.Model()
}

// byHand returns the lift s, m, at an angle of the shaft, rad, and the force of the cam, N, m·s″·ω² + k·s + preload at the speed ω,
// where s″ is the second derivative of s by the angle.
func byHand(angle, speed float64) (s, force float64) {
	u := (math.Mod(angle, 2*math.Pi) - math.Pi) / half
	v := 1 - u*u
	if v < 0 {
		return 0, preload
	}
	s = lift * v * v * v
	bend := lift / (half * half) * (24*u*u*v - 6*v*v) // s″
	return s, mass*bend*speed*speed + stiffness*s + preload
}

// main runs the valve train at three speeds, and prints lift and force at four angles of the shaft beside their formulas.
func main() {
	log.SetFlags(0)
	for _, speed := range []float64{100, 300, 400} {
		m, err := train(speed)
		if err != nil {
			log.Fatal(err)
		}
		p, err := rung.NewPlan(m, rung.Options{})
		if err != nil {
			log.Fatal(err)
		}
		d, solver := motion.NewDynamics(p), p.NewSolver()
		k := sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-9})
		s := sim.New(p.Mechanism(), k, p.Initial(), sim.Options{Projector: d})
		fmt.Printf("At %v rad/s\n", speed)
		for _, turns := range []float64{0.34, 0.4, 0.5, 7.45} {
			if err := s.Run(2 * math.Pi * turns / speed); err != nil {
				log.Fatal(err)
			}
			if err := solver.Solve(s.State()); err != nil {
				log.Fatal(err)
			}
			height, force := byHand(2*math.Pi*turns, speed)
			lifted := s.State().Bodies[1].Position[2] - p.Initial().Bodies[1].Position[2]
			fmt.Printf("%.2f turns: lift %.3f mm, by hand %.3f\n", turns, 1000*lifted, 1000*height)
			fmt.Printf("           force %.1f N, by hand %.1f\n", solver.Reactions().CouplingMultiplier(0), force)
		}
	}
}
