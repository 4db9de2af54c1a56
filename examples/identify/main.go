// Command identify finds the masses of two bars of a four-bar linkage from its recorded motion. The record is the angle of the
// crank, as a sensor with noise sees it; Gauss–Newton steps move both masses until the simulated angle fits.
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/study"
)

const noise = 1e-3 // rad, the standard deviation of the sensor

var paths = [...]string{"bodies[coupler].mass", "bodies[rocker].mass"}

// linkage returns the numbers of the model, with a first guess of the masses.
func linkage() (*study.Inputs, error) {
	A, B, C, D := spatial.Vec3{0, 0, 0}, spatial.Vec3{0.3, 0.8, 0}, spatial.Vec3{1.2, 1, 0}, spatial.Vec3{1, 0, 0}
	z := spatial.Vec3{0, 0, 1}
	b := rung.NewBuilder("four-bar").Gravity(0, -9.81, 0)
	crank, coupler, rocker := b.Rod("crank", 1, 0.01, A, B), b.Rod("coupler", 1, 0.01, B, C), b.Rod("rocker", 1, 0.01, D, C)
	b.Revolute("p1", rung.World, crank, A, z)
	b.Revolute("p2", crank, coupler, B, z)
	b.Revolute("p3", coupler, rocker, C, z)
	b.Revolute("p4", rung.World, rocker, D, z)
	m, err := b.Model()
	if err != nil {
		return nil, err
	}
	text, err := m.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return study.NewInputs(text, m.Name)
}

// angles returns the angle of the crank every hundredth of two seconds, for given masses.
func angles(in *study.Inputs, masses []float64) (*mat.VecDense, error) {
	for i, path := range paths {
		if err := in.Set(path, masses[i]); err != nil {
			return nil, err
		}
	}
	m, err := in.Model()
	if err != nil {
		return nil, err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return nil, err
	}
	s, err := rung.NewSimulation(plan, rung.SimulationOptions{Every: 0.01, Columns: []string{"joint.p1.q"}})
	if err != nil {
		return nil, err
	}
	if err := s.Run(2); err != nil {
		return nil, err
	}
	q := mat.NewVecDense(len(s.Rows()), nil)
	for i, row := range s.Rows() {
		q.SetVec(i, row[len(row)-1])
	}
	return q, nil
}

func run() error {
	in, err := linkage()
	if err != nil {
		return err
	}
	truth := []float64{1.7, 0.6}
	record, err := angles(in, truth)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range record.Len() {
		record.SetVec(i, record.AtVec(i)+noise*rng.NormFloat64())
	}
	masses := []float64{1, 1}
	for step := range 6 {
		q, err := angles(in, masses)
		if err != nil {
			return err
		}
		var miss mat.VecDense
		miss.SubVec(record, q)
		fmt.Printf("step %d: %.4f kg, %.4f kg; angles miss by %.5f rad\n", step, masses[0], masses[1], mat.Norm(&miss, 2)/math.Sqrt(float64(q.Len())))
		J := mat.NewDense(q.Len(), len(masses), nil) // by differences
		for k := range masses {
			const h = 1e-5
			masses[k] += h
			more, err := angles(in, masses)
			if err != nil {
				return err
			}
			masses[k] -= h
			more.SubVec(more, q)
			more.ScaleVec(1/h, more)
			J.SetCol(k, more.RawVector().Data)
		}
		var by mat.VecDense
		if err := by.SolveVec(J, &miss); err != nil {
			return err
		}
		for k := range masses {
			masses[k] += by.AtVec(k)
		}
	}
	fmt.Printf("by hand: %.4f kg, %.4f kg; the sensor's noise is %.5f rad\n", truth[0], truth[1], noise)
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
