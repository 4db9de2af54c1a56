// Command stops lets a leg swing whose knee cannot be overstretched. An event finds the time at which the knee strikes its stop, and
// the velocities jump by the law of restitution. Once a bounce is small, it is the last one, and the knee stays straight. The
// event is written out here; a stop of the model (model.Stop) with the events of sim.Stops does the same.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	thigh, shank = 0.45, 0.42 // m
	bent         = 1.2        // rad, angle of the knee at the start
	restitution  = 0.4
	rest         = 0.05 // rad/s; a knee that strikes more slowly does not bounce
)

// build returns the leg with its knee bent by an angle, rad; the knee is a joint of the given kind.
func build(angle float64, knee joints.Kind) (*model.Model, error) {
	b := rung.NewBuilder("leg").Gravity(0, -9.81, 0)
	z, hip := spatial.Vec3{0, 0, 1}, spatial.Vec3{}
	at := func(from spatial.Vec3, length, angle float64) spatial.Vec3 {
		return from.Add(spatial.Vec3{length * math.Sin(angle), -length * math.Cos(angle)})
	}
	middle := at(hip, thigh, 0.9)
	upper := b.Rod("thigh", 7, 0.06, hip, middle)
	lower := b.Rod("shank", 4, 0.04, middle, at(middle, shank, 0.9-angle))
	b.Revolute("hip", rung.World, upper, hip, z)
	b.Joint("knee", knee, upper, lower, rung.At(middle[0], middle[1], 0))
	return b.Model()
}

// leg is the mechanism with the data for the event of its knee.
type leg struct {
	mech  *mechanism.Mechanism
	kin   *mechanism.Kinematics
	locks *closing.Closer // projects velocities of the leg with a straight, fixed knee
	last  bool            // the knee has come to rest on its stop
}

// knee returns the angle by which the knee is bent, rad.
func (l *leg) knee(st *mechanism.State) float64 {
	across := st.Bodies[0].Rotation.Conj().Mul(st.Bodies[1].Rotation).Log()
	return -across[2]
}

// rate returns the rate at which the knee bends, rad/s.
func (l *leg) rate(st *mechanism.State) float64 { return st.Bodies[0].Omega[2] - st.Bodies[1].Omega[2] }

// momentum returns the angular momentum about the hip, N m s, and the kinetic energy, J, of a state.
func (l *leg) momentum(st *mechanism.State) (about, kinetic float64, err error) {
	if err := l.mech.KinematicsTo(l.kin, st); err != nil {
		return 0, 0, err
	}
	for i := range l.mech.Bodies {
		s, c := &st.Bodies[i], l.kin.Bodies[i].Com
		v := s.Velocity.Add(s.Omega.Cross(c))
		about += l.kin.I[i].MulVec(s.Omega)[2] + l.mech.Bodies[i].Mass*s.Position.Add(c).Cross(v)[2]
	}
	return about, l.mech.EnergyAt(l.kin, st).Kinetic, nil
}

// strike changes the velocities when the knee strikes its stop. The impulse that would end the motion of the knee gives the
// velocities with a fixed knee that are nearest to the velocities before, in the metric of the masses. Restitution e adds e times
// the same change. strike prints angular momentum and energy beside their values by hand.
func (l *leg) strike(st *mechanism.State) (sim.Response, error) {
	before, energy, err := l.momentum(st)
	if err != nil {
		return sim.Stop, err
	}
	fixed := st.Clone()
	fixed.Angles = nil // the leg with the fixed knee has other angles
	if err := l.locks.ProjectVelocities(fixed); err != nil {
		return sim.Stop, err
	}
	_, least, err := l.momentum(fixed)
	if err != nil {
		return sim.Stop, err
	}
	e := restitution
	if l.last = -l.rate(st) < rest; l.last {
		e = 0
	}
	rate := l.rate(st)
	for i := range st.Bodies {
		s, f := &st.Bodies[i], &fixed.Bodies[i]
		s.Velocity = s.Velocity.Add(f.Velocity.Sub(s.Velocity).Scale(1 + e))
		s.Omega = s.Omega.Add(f.Omega.Sub(s.Omega).Scale(1 + e))
	}
	after, left, err := l.momentum(st)
	if err != nil {
		return sim.Stop, err
	}
	fmt.Printf("%.4f s: %.4f → %.4f rad/s\n", st.Time, rate, l.rate(st))
	fmt.Printf("  angular momentum about the hip %.5f, by hand %.5f N m s\n", after, before)
	fmt.Printf("  energy lost %.5f, by hand %.5f J\n", energy-left, (1-e*e)*(energy-least))
	if l.last {
		return sim.Stop, nil
	}
	return sim.Restart, nil
}

// start returns a simulation of the plan from st with the events.
func start(plan *rung.Plan, st *mechanism.State, events ...sim.Event) *sim.Simulation {
	d := motion.NewDynamics(plan)
	method := sim.NewRungeKutta(plan.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-10})
	return sim.New(plan.Mechanism(), method, st, sim.Options{Projector: d, Events: events})
}

// run lets the leg swing until its knee stays at the stop, then continues with a mechanism whose knee is fixed.
func run() error {
	free, err := build(bent, joints.Revolute)
	if err != nil {
		return err
	}
	straight, err := build(0, joints.Fixed)
	if err != nil {
		return err
	}
	plan, err := rung.NewPlan(free, rung.Options{})
	if err != nil {
		return err
	}
	stiff, err := rung.NewPlan(straight, rung.Options{})
	if err != nil {
		return err
	}
	mech := plan.Mechanism()
	l := &leg{mech: mech, kin: mech.NewKinematics(), locks: closing.NewCloser(stiff, closing.Options{})}
	s := start(plan, plan.Initial(), sim.Event{Name: "stop", Function: l.knee, Direction: sim.Falling, Action: l.strike})
	const longest, after = 2, 0.1 // s: of the swing, and of the motion with the fixed knee
	if err := s.Run(longest); err != nil {
		return err
	}
	if !l.last { // the knee has not come to rest
		return nil
	}
	// The fixed knee takes over where the last bounce has ended.
	st := s.State().Clone()
	stiff.Mechanism().Adopt(st, mech)
	s = start(stiff, st)
	if err := s.Run(st.Time + after); err != nil {
		return err
	}
	fmt.Printf("%.4f s: straight, bends at %.4f rad/s, by hand 0\n", s.State().Time, math.Abs(l.rate(s.State())))
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
