// Command identify finds the masses of two bars of a four-bar linkage from its recorded motion. The record is the angle of the
// crank, measured by a sensor with noise; Gauss–Newton steps change both masses until the simulated angle fits.
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/study"
)

const noise = 1e-3 // rad, the standard deviation of the sensor

// paths are the paths of the two masses in the model.
var paths = [2]string{"bodies[coupler].mass", "bodies[rocker].mass"}

// linkage returns the model, with masses of 1 kg, as numbers that can be set by their paths.
func linkage() *study.Inputs {
	A, B, C, D := spatial.Vec3{0, 0, 0}, spatial.Vec3{0.3, 0.8, 0}, spatial.Vec3{1.2, 1, 0}, spatial.Vec3{1, 0, 0}
	z := spatial.Vec3{0, 0, 1}
	b := rung.NewBuilder("four-bar").Gravity(0, -9.81, 0)
	crank, coupler, rocker := b.Rod("crank", 1, 0.01, A, B), b.Rod("coupler", 1, 0.01, B, C), b.Rod("rocker", 1, 0.01, D, C)
	b.Revolute("p1", rung.World, crank, A, z)
	b.Revolute("p2", crank, coupler, B, z)
	b.Revolute("p3", coupler, rocker, C, z)
	b.Revolute("p4", rung.World, rocker, D, z)
	return must(study.NewInputs(must(must(b.Model()).MarshalJSON()), "four-bar"))
}

// angles returns the angle of the crank, rad, every 0.01 s for two seconds, with the given masses, kg.
func angles(in *study.Inputs, masses [2]float64) (q []float64) {
	for i, path := range paths {
		must(0, in.Set(path, masses[i]))
	}
	plan := must(rung.NewPlan(must(in.Model()), rung.Options{}))
	s := must(rung.NewSimulation(plan, rung.SimulationOptions{Every: 0.01, Columns: []string{"joint.p1.q"}}))
	must(0, s.Run(2))
	for _, row := range s.Rows() {
		q = append(q, row[len(row)-1])
	}
	return q
}

// main records the crank's angle with noise, takes five Gauss–Newton steps from masses of 1 kg, and prints the masses beside the true
// ones.
func main() {
	in := linkage()
	truth, masses := [2]float64{1.7, 0.6}, [2]float64{1, 1}
	record := angles(in, truth)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range record {
		record[i] += noise * rng.NormFloat64()
	}
	for step := range 5 {
		q := angles(in, masses)
		var slopes [2][]float64 // derivatives of the angles by the masses, by differences
		for k := range masses {
			const h = 1e-5
			more := masses
			more[k] += h
			slopes[k] = angles(in, more)
			for i := range q {
				slopes[k][i] = (slopes[k][i] - q[i]) / h
			}
		}
		var a, b, c, f, g, sum float64 // normal equations [a b; b c]·step = [f; g], and the sum of the squares of the errors
		for i := range q {
			x, y, miss := slopes[0][i], slopes[1][i], record[i]-q[i]
			a, b, c, f, g, sum = a+x*x, b+x*y, c+y*y, f+x*miss, g+y*miss, sum+miss*miss
		}
		fmt.Printf("step %d: %.4f kg, %.4f kg; angles miss by %.5f rad\n", step, masses[0], masses[1], math.Sqrt(sum/float64(len(q))))
		det := a*c - b*b
		masses[0], masses[1] = masses[0]+(c*f-b*g)/det, masses[1]+(a*g-b*f)/det
	}
	for k, path := range paths {
		fmt.Printf("%s: %.3f kg; the record has %.3f kg\n", path, masses[k], truth[k])
	}
}

// must returns the value, or ends the process if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
