// Command study varies the angle from which a pendulum of four-bar linkages is let go: 64 falls on one plan, several at the same
// time. Each goroutine has its own memory, and the results have the same bits as on one goroutine.
package main

import (
	"fmt"
	"log"
	"math"
	"runtime"
	"sync"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	falls = 64
	until = 0.25 // s
)

// fall lets the mechanism go from rest, with the first rod turned by angle, rad, from its initial pose. It returns the change of the
// energy, J, and the angular velocity of that rod, rad/s, at the end.
func fall(plan *rung.Plan, angle float64) (energy, speed float64, err error) {
	mech, st := plan.Mechanism(), plan.Initial()
	st.Rest()
	st.Bodies[0].Rotation = spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, angle).Mul(st.Bodies[0].Rotation)
	held := closing.NewCloser(plan, closing.Options{Hold: []int{0}})
	if err := held.ClosePositions(st); err != nil {
		return 0, 0, err
	}
	before, err := total(mech, st)
	if err != nil {
		return 0, 0, err
	}
	d := motion.NewDynamics(plan)
	method := sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-9})
	s := sim.New(mech, method, st, sim.Options{Projector: d})
	if err := s.Run(until); err != nil {
		return 0, 0, err
	}
	after, err := total(mech, s.State())
	return after - before, s.State().Bodies[0].Omega[2], err
}

// total returns the kinetic and potential energy of a state together, J.
func total(mech *mechanism.Mechanism, st *mechanism.State) (float64, error) {
	kin := mech.NewKinematics()
	if err := mech.KinematicsTo(kin, st); err != nil {
		return 0, err
	}
	e := mech.EnergyAt(kin, st)
	return e.Kinetic + e.Potential(), nil
}

// result is the result of one fall: change of the energy, J, and angular velocity of the first rod, rad/s.
type result struct {
	energy, speed float64
	err           error
}

// study runs all falls on a number of goroutines.
func study(plan *rung.Plan, goroutines int) []result {
	out := make([]result, falls)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for n := g; n < falls; n += goroutines {
				angle := 0.4 * (float64(n)/(falls-1) - 0.5)
				out[n].energy, out[n].speed, out[n].err = fall(plan, angle)
			}
		})
	}
	wg.Wait()
	return out
}

// run does all falls on one goroutine and on several, and counts the falls that differ in a bit.
func run() error {
	m, err := bench.NFourBar(2, 0.4, 1)
	if err != nil {
		return err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	alone, together := study(plan, 1), study(plan, max(4, runtime.NumCPU()))
	differ, lost := 0, 0.0
	for n := range alone {
		if err := alone[n].err; err != nil {
			return fmt.Errorf("fall %d: %w", n, err)
		}
		if alone[n] != together[n] {
			differ++
		}
		lost = max(lost, math.Abs(alone[n].energy))
	}
	for _, n := range []int{0, falls / 2, falls - 1} {
		fmt.Printf("fall %2d: %.6f rad/s\n", n, alone[n].speed)
	}
	fmt.Printf("falls of which a bit differs on several goroutines: %d, by hand 0\n", differ)
	fmt.Printf("largest change of the energy: %.5f J, by hand 0\n", lost)
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
