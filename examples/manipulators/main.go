// Command manipulators draws a thousand planar parallel manipulators, each a platform on three legs of two rods with random feet and
// lengths, and finds the torques of the motors at the feet that hold them against gravity.
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// at returns the point at a distance, m, from another one, in the direction of an angle, rad.
func at(from spatial.Vec3, distance, angle float64) spatial.Vec3 {
	sin, cos := math.Sincos(angle)
	return from.Add(spatial.Vec3{cos, sin}.Scale(distance))
}

// draw returns the plan of a random manipulator and the freedoms of its motors.
func draw(rng *rand.Rand) (*rung.Plan, [3]mechanism.Freedom) {
	b := rung.NewBuilder("manipulator").Gravity(0, -9.81, 0)
	z := spatial.Vec3{0, 0, 1}
	platform := b.Body("platform", must(bodies.Box(1, spatial.Vec3{0.3, 0.3, 0.02})), rung.At(0, 0, 0))
	var motors [3]mechanism.Freedom
	for i := range motors {
		around := 2 * math.Pi * float64(i) / 3
		corner := at(spatial.Vec3{}, 0.2, around)
		elbow := at(corner, 0.2+0.2*rng.Float64(), around+0.8*rng.NormFloat64())
		foot := at(elbow, 0.2+0.2*rng.Float64(), around+0.8*rng.NormFloat64())
		near, far := b.Rod(fmt.Sprint("near ", i), 0.3, 0.01, foot, elbow), b.Rod(fmt.Sprint("far ", i), 0.3, 0.01, elbow, corner)
		motors[i].Joint = b.Revolute(fmt.Sprint("motor ", i), rung.World, near, foot, z).Index()
		b.Revolute(fmt.Sprint("elbow ", i), near, far, elbow, z)
		b.Revolute(fmt.Sprint("corner ", i), far, platform, corner, z)
	}
	return must(rung.NewPlan(must(b.Model()), rung.Options{})), motors
}

// main finds the motors' torques for each manipulator, prints their distribution, and checks by forward dynamics that the platforms do
// not accelerate.
func main() {
	rng := rand.New(rand.NewPCG(7, 1))
	var torques []float64
	left := 0.0 // largest acceleration of a held platform, by forward dynamics, m/s²
	for range 1000 {
		plan, motors := draw(rng)
		in, st := plan.Mechanism().NewInputs(), plan.Initial()
		inverse := must(plan.NewInverse(motors[:]))
		must(0, inverse.SolveFreedoms(st, make([]float64, len(motors)))) // torques for accelerations of 0
		most := 0.0
		for i, torque := range inverse.Forces() {
			must(0, in.SetForce(motors[i].Joint, motors[i].Freedom, torque))
			most = max(most, math.Abs(torque))
		}
		torques = append(torques, most)
		solver := plan.With(in).NewSolver()
		must(0, solver.Solve(st))
		left = max(left, solver.ComAcceleration(0).Norm())
	}
	slices.Sort(torques)
	fmt.Printf("motors that hold: %.2f N m for half of the manipulators, %.2f N m for nine of ten\n", torques[500], torques[900])
	fmt.Printf("the platforms that they hold accelerate by %.6f m/s² at most, by hand 0\n", left)
}

// must returns the value, or ends the process if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
