// Command controller moves the platform of a parallel robot to a new pose. Every millisecond a controller reads the
// lengths of the legs and their rates and sets the forces in the legs: the forces that hold the platform at its start, plus a
// force in proportion to the error of the length, minus a force in proportion to the rate.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	sample       = 1e-3 // s
	until        = 1.5  // s
	proportional = 5e4  // N/m
	differential = 1500 // N s/m
	platform     = 0    // number of the body
)

// legs are the six sliding joints of the legs, buffers to read them, and the inputs by which forces are set.
type legs struct {
	in     *mechanism.Inputs
	mech   *mechanism.Mechanism
	kin    *mechanism.Kinematics
	joints [6]int
}

// newLegs finds the joints of the six legs by their names.
func newLegs(in *mechanism.Inputs) (*legs, error) {
	mech := in.Mechanism()
	l := &legs{in: in, mech: mech, kin: mech.NewKinematics()}
	for i := range l.joints {
		j, err := mech.JointIndex(fmt.Sprint("leg ", i+1))
		if err != nil {
			return nil, err
		}
		l.joints[i] = j
	}
	return l, nil
}

// freedoms returns the freedoms of the legs, as actuators.
func (l *legs) freedoms() (f []mechanism.Freedom) {
	for _, j := range l.joints {
		f = append(f, mechanism.Freedom{Joint: j})
	}
	return f
}

// read returns the changes of the legs' lengths since the start, m, and their rates, m/s.
func (l *legs) read(st *mechanism.State) (length, rate [6]float64, err error) {
	if err := l.mech.KinematicsTo(l.kin, st); err != nil {
		return length, rate, err
	}
	for i, j := range l.joints {
		var jk mechanism.JointKinematics
		var q, qd [6]float64
		l.mech.JointTo(&jk, j, l.kin, st)
		l.mech.Joints[j].CoordinatesTo(&q, &qd, &jk)
		length[i], rate[i] = q[0], qd[0]
	}
	return length, rate, nil
}

// set sets the forces of the legs, N.
func (l *legs) set(force [6]float64) error {
	for i, j := range l.joints {
		if err := l.in.SetForce(j, 0, force[i]); err != nil {
			return err
		}
	}
	return nil
}

// goal returns a state with the platform 6 cm higher and tilted by a tenth of a radian, and the legs closed to it.
func goal(plan *rung.Plan) (*mechanism.State, error) {
	st := plan.Initial()
	b := &st.Bodies[platform]
	b.Position = b.Position.Add(spatial.Vec3{0, 0, 0.06})
	b.Rotation = spatial.FromAxisAngle(spatial.Vec3{1}, 0.1).Mul(b.Rotation)
	return st, closing.NewCloser(plan, closing.Options{Hold: []int{platform}}).ClosePositions(st)
}

// carried returns the forces of the legs, N, that hold the robot at st without acceleration.
func (l *legs) carried(statics *kkt.Inverse, st *mechanism.State) (force [6]float64, err error) {
	if err := l.set(force); err != nil { // forces of 0, as statics finds forces in addition to the set ones
		return force, err
	}
	if err := statics.Solve(st, nil); err != nil {
		return force, err
	}
	return [6]float64(statics.Forces()), nil
}

// law is the controller: proportional and differential, above the forces that hold the platform where it starts.
type law struct {
	legs    *legs
	want    [6]float64 // lengths, m, as read returns them
	hold    [6]float64 // forces at the start, N
	force   [6]float64 // forces of the last sample, N
	samples int        // so far
}

// sample reads the legs at st and sets their forces. Four times a second it prints the largest error and force.
func (c *law) sample(st *mechanism.State) error {
	length, rate, err := c.legs.read(st)
	if err != nil {
		return err
	}
	worst := 0.0
	for i := range c.force {
		missing := c.want[i] - length[i]
		c.force[i] = c.hold[i] + proportional*missing - differential*rate[i]
		worst = max(worst, math.Abs(missing))
	}
	if c.samples%250 == 0 {
		fmt.Printf("%.2f s: at most %.3f mm missing, at most %.1f N\n", st.Time, 1000*worst, largest(c.force))
	}
	c.samples++
	return c.legs.set(c.force)
}

// run takes the platform to its goal with the controller in the loop, and compares the forces at rest with statics.
func run() error {
	m, err := rung.Open("stewart.json")
	if err != nil {
		return err
	}
	shared, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	in := shared.Mechanism().NewInputs() // the inputs of this run only; other runs may share the plan at the same time
	plan := shared.With(in)
	l, err := newLegs(in)
	if err != nil {
		return err
	}
	statics, err := plan.NewInverse(l.freedoms())
	if err != nil {
		return err
	}
	target, err := goal(plan)
	if err != nil {
		return err
	}
	c := law{legs: l}
	if c.want, _, err = l.read(target); err != nil {
		return err
	}
	if c.hold, err = l.carried(statics, plan.Initial()); err != nil {
		return err
	}

	d := motion.NewDynamics(plan)
	method := sim.NewRungeKutta(plan.Mechanism(), d, sim.RungeKutta4(), sim.Tolerance{})
	s := sim.New(plan.Mechanism(), method, plan.Initial(), sim.Options{
		Step: sample, Projector: d, Controllers: []sim.Controller{{Name: "legs", Period: sample, Sample: c.sample}},
	})
	if err := s.Run(until); err != nil {
		return err
	}

	// At rest the controller's forces must agree with statics.
	byHand, err := l.carried(statics, s.State())
	if err != nil {
		return err
	}
	for i, f := range byHand {
		fmt.Printf("leg %d: %.2f N, by hand %.2f N\n", i+1, c.force[i], f)
	}
	return nil
}

// largest returns the largest magnitude in x.
func largest(x [6]float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
