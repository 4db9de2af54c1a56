// Command fivebar moves a planar five-bar by computed torque. Every tenth of a millisecond a controller chooses accelerations of
// the two cranks, which are the accelerations of the path plus a feedback of the error, and inverse dynamics gives the torques
// that make them. So the error decays like a damped oscillator, whatever the masses.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	sample = 1e-4 // s
	rate   = 10.0 // rad/s, natural frequency of the error, which is critically damped
)

// build returns the plan of the five-bar, and the freedoms of its two cranks.
func build() (*rung.Plan, [2]mechanism.Freedom) {
	b := rung.NewBuilder("five-bar").Gravity(0, -9.81, 0)
	z, tip := spatial.Vec3{0, 0, 1}, spatial.Vec3{0, 0.7, 0}
	var far [2]rung.Body
	var cranks [2]mechanism.Freedom
	for i, side := range [2]float64{-1, 1} {
		foot, elbow := spatial.Vec3{0.2 * side}, spatial.Vec3{0.4 * side, 0.3}
		crank := b.Rod(fmt.Sprint("crank ", i+1), 2, 0.02, foot, elbow)
		far[i] = b.Rod(fmt.Sprint("coupler ", i+1), 1.5, 0.02, elbow, tip)
		cranks[i].Joint = b.Revolute(fmt.Sprint("motor ", i+1), rung.World, crank, foot, z).Index()
		b.Revolute(fmt.Sprint("elbow ", i+1), crank, far[i], elbow, z)
	}
	b.Revolute("tip", far[0], far[1], tip, z)
	return must(rung.NewPlan(must(b.Model()), rung.Options{})), cranks
}

// path returns the wanted angle of crank i at the time t and its first and second derivative. It begins 0.1 rad away from the crank.
func path(i int, t float64) (q, qd, qdd float64) {
	sin, cos := math.Sincos(3 * t)
	a := [2]float64{0.3, -0.2}[i]
	return 0.1 + a*sin, 3 * a * cos, -9 * a * sin
}

// main moves both cranks along the path by computed torques, and compares their errors with the solution of the error's equation.
func main() {
	shared, cranks := build()
	mech, in := shared.Mechanism(), shared.Mechanism().NewInputs()
	plan := shared.With(in) // the plan whose torques the controller sets
	inverse := must(shared.NewInverse(cranks[:]))
	missing := func(st *mechanism.State, i int) (e, ed float64) {
		q, qd := mech.Coordinate(cranks[i], st)
		want, wantd, _ := path(i, st.Time)
		return want - q, wantd - qd
	}
	control := func(st *mechanism.State) error {
		var second [2]float64
		for i := range cranks {
			e, ed := missing(st, i)
			_, _, second[i] = path(i, st.Time)
			second[i] += rate*rate*e + 2*rate*ed
		}
		if err := inverse.SolveFreedoms(st, second[:]); err != nil {
			return err
		}
		for i, torque := range inverse.Forces() {
			if err := in.SetForce(cranks[i].Joint, cranks[i].Freedom, torque); err != nil {
				return err
			}
		}
		return nil
	}
	s := must(rung.NewSimulation(plan, rung.SimulationOptions{
		Integrator: runs.RungeKutta4, Step: sample, Controllers: []sim.Controller{{Name: "computed torque", Period: sample, Sample: control}},
	}))
	for _, until := range []float64{0.1, 0.2, 0.4, 0.8} {
		must(0, s.Run(until))
		for i := range cranks {
			// The error obeys ë + 2·rate·ė + rate²·e = 0, with e = 0.1 rad and ė = the rate of the path at the start.
			e, _ := missing(s.State(), i)
			_, start, _ := path(i, 0)
			hand := (0.1 + (rate*0.1+start)*until) * math.Exp(-rate*until)
			fmt.Printf("%.1f s: crank %d misses %.3f rad, by hand %.3f rad; %.1f N m\n", until, i+1, e, hand, inverse.Forces()[i])
		}
	}
}

// must returns the value, or ends the process if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
