// Command controller moves the platform of a parallel robot by forces in its six legs, which a controller sets a thousand times a
// second. The same plan serves eight payloads at once, each with inputs of its own.
package main

import (
	"fmt"
	"log"
	"math"
	"sync"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	baseRadius, topRadius, height = 0.60, 0.35, 0.75 // m
	platformMass                  = 20.0             // kg
	period                        = 0.001            // s
	stiffness, damping            = 6000, 300        // of a leg, N/m and N s/m
	lift, liftTime                = 0.05, 0.5        // how far the legs are to grow, m, and in which time, s
)

// build returns the robot. Each leg is a cylinder on a universal joint and a rod on a ball, with a sliding joint between; a wrench on the
// platform stands for a payload.
func build() (*model.Model, error) {
	b := rung.NewBuilder("robot")
	disc, err := bodies.SolidCylinder(platformMass, 0.04, topRadius)
	if err != nil {
		return nil, err
	}
	platform := b.Body("platform", disc, rung.At(0, 0, height))
	for i := range 6 {
		pair, side := float64(i/2)*2*math.Pi/3, float64(i%2*2-1)
		foot := at(baseRadius, pair+side*0.25, 0)
		ball := at(topRadius, pair+side*(math.Pi/3-0.25), height)
		leg := ball.Sub(foot)
		cylinder := b.Rod(fmt.Sprint("cylinder ", i+1), 1.5, 0.02, foot, foot.Add(leg.Scale(0.6)))
		rod := b.Rod(fmt.Sprint("rod ", i+1), 0.8, 0.01, foot.Add(leg.Scale(0.4)), ball)
		b.Joint(fmt.Sprint("foot ", i+1), model.Universal, rung.World, cylinder, rung.Place{Origin: foot}.WithZ(leg))
		b.Prismatic(fmt.Sprint("leg ", i+1), cylinder, rod, foot, leg)
		b.Spherical(fmt.Sprint("ball ", i+1), rod, platform, ball)
	}
	m, err := b.Model()
	if err != nil {
		return nil, err
	}
	m.Forces = append(m.Forces, model.ForceElement{Name: "payload", Type: model.Wrench, A: model.Attachment{Body: "platform"}})
	return m, nil
}

func at(radius, angle, z float64) spatial.Vec3 {
	return spatial.Vec3{radius * math.Cos(angle), radius * math.Sin(angle), z}
}

// legs is a controller: proportional to what is missing of the lengths that the legs should have, and to their rates.
type legs struct {
	in    *mechanism.Inputs
	kin   *mechanism.Kinematics
	joint [6]int
	first [6]float64 // lengths at the start, m
	force [6]float64 // N
}

// lengths returns the lengths of the legs at st, and their rates.
func (l *legs) lengths(st *mechanism.State) (q, rate [6]float64, err error) {
	m := l.in.Mechanism()
	if err := m.KinematicsTo(l.kin, st); err != nil {
		return q, rate, err
	}
	for i, j := range l.joint {
		var jk mechanism.JointKinematics
		var x, v [6]float64
		m.JointTo(&jk, j, l.kin, st)
		m.Joints[j].CoordinatesTo(&x, &v, &jk)
		q[i], rate[i] = x[0], v[0]
	}
	return q, rate, nil
}

// sample sets the forces of the legs for the next period.
func (l *legs) sample(st *mechanism.State) error {
	q, rate, err := l.lengths(st)
	if err != nil {
		return err
	}
	s := math.Min(st.Time/liftTime, 1)
	grow := lift * s * s * (3 - 2*s) // starts and ends at rest
	for i, j := range l.joint {
		l.force[i] = stiffness*(l.first[i]+grow-q[i]) - damping*rate[i]
		if err := l.in.SetForce(j, 0, l.force[i]); err != nil {
			return err
		}
	}
	return nil
}

// carry lifts a payload, kg, for a second. It returns the rise of the platform, m, and the sum of the forces of the legs, N.
func carry(plan *rung.Plan, payload float64) (rise, force float64, err error) {
	in := plan.Mechanism().NewInputs()
	mech := in.Mechanism()
	push, err := mech.ForceIndex("payload")
	if err != nil {
		return 0, 0, err
	}
	if err := in.SetWrench(push, spatial.Vec3{0, 0, -9.81 * payload}, spatial.Vec3{}); err != nil {
		return 0, 0, err
	}
	l := &legs{in: in, kin: mech.NewKinematics()}
	for i := range l.joint {
		if l.joint[i], err = mech.JointIndex(fmt.Sprint("leg ", i+1)); err != nil {
			return 0, 0, err
		}
	}
	st := plan.Initial()
	if l.first, _, err = l.lengths(st); err != nil {
		return 0, 0, err
	}
	d := motion.NewDynamics(plan.With(in))
	run := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-6}), st, sim.Options{
		Projector: d, Controllers: []sim.Controller{{Name: "legs", Period: period, Sample: l.sample}},
	})
	if err := run.Run(1); err != nil {
		return 0, 0, err
	}
	for _, f := range l.force {
		force += f
	}
	return run.State().Bodies[0].Position[2] - height, force, nil
}

func run() error {
	m, err := build()
	if err != nil {
		return err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	const runs = 8
	var rise, force [runs]float64
	var errs [runs]error
	var wait sync.WaitGroup
	for i := range runs {
		wait.Go(func() { rise[i], force[i], errs[i] = carry(plan, 2*float64(i)) })
	}
	wait.Wait()
	fmt.Println("payload, kg  platform rises by, mm  forces of the legs, N")
	for i := range runs {
		if errs[i] != nil {
			return errs[i]
		}
		fmt.Printf("%11d  %22.1f  %21.0f\n", 2*i, 1e3*rise[i], force[i])
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
