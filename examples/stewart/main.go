// Command stewart finds the forces in the six legs of a parallel robot: the forces that hold its platform, and the forces that
// lift it with 2 m/s². A balance of power checks both.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	baseRadius, topRadius, height = 0.60, 0.35, 0.75 // m
	platformMass                  = 20.0             // kg
	lift                          = 2.0              // m/s²
)

// build returns the robot, the handle of its platform and its actuators. Each leg is a cylinder on a universal joint
// and a rod on a ball, with a sliding joint between.
func build() (m *model.Model, platform rung.Body, legs [6]mechanism.Freedom, err error) {
	b := rung.NewBuilder("stewart")
	disc, err := bodies.SolidCylinder(platformMass, 0.04, topRadius)
	if err != nil {
		return nil, rung.Body{}, legs, err
	}
	platform = b.Body("platform", disc, rung.At(0, 0, height))
	for i := range legs {
		// Feet stand in pairs, 120° from pair to pair; the pairs on the platform are between them.
		pair, side := float64(i/2)*2*math.Pi/3, float64(i%2*2-1)
		foot := at(baseRadius, pair+side*0.25, 0)
		ball := at(topRadius, pair+side*(math.Pi/3-0.25), height)
		leg := ball.Sub(foot)
		cylinder := b.Rod(fmt.Sprint("cylinder ", i+1), 1.5, 0.02, foot, foot.Add(leg.Scale(0.6)))
		rod := b.Rod(fmt.Sprint("rod ", i+1), 0.8, 0.01, foot.Add(leg.Scale(0.4)), ball)
		across := leg.Cross(spatial.Vec3{0, 0, 1})
		b.Universal(fmt.Sprint("foot ", i+1), rung.World, cylinder, foot, across, leg.Cross(across))
		legs[i].Joint = b.Prismatic(fmt.Sprint("leg ", i+1), cylinder, rod, foot, leg).Index()
		b.Spherical(fmt.Sprint("ball ", i+1), rod, platform, ball)
	}
	m, err = b.Model()
	return m, platform, legs, err
}

// at returns a point in cylindrical coordinates about z.
func at(radius, angle, z float64) spatial.Vec3 {
	return spatial.Vec3{radius * math.Cos(angle), radius * math.Sin(angle), z}
}

// rising returns the state in which the platform rises at 1 m/s, and all legs follow.
func rising(plan *rung.Plan, platform rung.Body) (*mechanism.State, error) {
	st := plan.Initial()
	st.Bodies[platform.Index()].Velocity = spatial.Vec3{0, 0, 1}
	held := closing.NewCloser(plan, closing.Options{Hold: []int{platform.Index()}})
	return st, held.ProjectVelocities(st)
}

// power returns the accelerations that lift the platform from rest, six numbers for each body, and the power of the legs, W, at the
// velocities v of the state up: −v·M·g if they hold the platform, v·M·(a − g) if they lift it with these accelerations a. From rest
// the joints allow accelerations in proportion to the velocities that they allow.
func power(mech *mechanism.Mechanism, up *mechanism.State, kin *mechanism.Kinematics) (lifting []float64, holds, lifts float64) {
	lifting = make([]float64, 6*len(mech.Bodies))
	weight, inertia := 0.0, 0.0
	for i := range mech.Bodies {
		s, c := &up.Bodies[i], kin.Bodies[i].Com
		v := s.Velocity.Add(s.Omega.Cross(c))
		for k := range 3 {
			lifting[6*i+k], lifting[6*i+3+k] = lift*s.Omega[k], lift*v[k]
		}
		weight -= mech.Bodies[i].Mass * mech.Gravity.Dot(v)
		inertia += 2 * lift * mech.Bodies[i].KineticEnergy(&kin.I[i], &s.Omega, &v)
	}
	return lifting, weight, weight + inertia
}

// speeds returns the rates of the legs at the state up, m/s.
func speeds(mech *mechanism.Mechanism, up *mechanism.State, kin *mechanism.Kinematics, legs [6]mechanism.Freedom) (rates [6]float64) {
	for i, leg := range legs {
		var jk mechanism.JointKinematics
		var q, qd [6]float64
		mech.JointTo(&jk, leg.Joint, kin, up)
		mech.Joints[leg.Joint].CoordinatesTo(&q, &qd, &jk)
		rates[i] = qd[leg.Freedom]
	}
	return rates
}

// run solves for the legs' forces at rest and while lifting, and compares their power with the power by hand.
func run() error {
	m, platform, legs, err := build()
	if err != nil {
		return err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	mech := plan.Mechanism()
	up, err := rising(plan, platform)
	if err != nil {
		return err
	}
	kin := mech.NewKinematics()
	if err := mech.KinematicsTo(kin, up); err != nil {
		return err
	}
	lifting, holds, lifts := power(mech, up, kin)
	rates := speeds(mech, up, kin, legs)
	actuators, err := plan.NewInverse(legs[:])
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name   string
		wanted []float64 // accelerations
		power  float64
	}{{"hold", nil, holds}, {"lift", lifting, lifts}} {
		if err := actuators.Solve(plan.Initial(), c.wanted); err != nil {
			return err
		}
		power := 0.0
		fmt.Printf("%s:", c.name)
		for i, f := range actuators.Forces() {
			fmt.Printf(" %.3f", f)
			power += f * rates[i]
		}
		fmt.Printf(" N\n  power at 1 m/s: %.3f W, by hand %.3f W\n", power, c.power)
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
