// Command scissor raises a scissor mast of five stages, compares the force of its cylinder with the force by virtual work of the
// weights, and counts its redundant constraints.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	stages   = 5
	bar      = 2.0   // m
	barMass  = 12.0  // kg
	shoeMass = 3.0   // kg, of each of the two sliding shoes
	load     = 200.0 // kg, on the platform
	gravity  = 9.81
)

// build returns the model of the mast with its bars at an angle, rad, to the ground, and the freedom of the cylinder, which pushes the
// lower shoe. The mast is pinned to the ground and to the platform on the left, and slides on both on the right.
func build(angle float64) (m *model.Model, cylinder mechanism.Freedom, err error) {
	b := rung.NewBuilder("scissor").Gravity(0, -gravity, 0)
	z, x := spatial.Vec3{0, 0, 1}, spatial.Vec3{1}
	wide, high := bar*math.Cos(angle), bar*math.Sin(angle)
	shoe, err := bodies.Box(shoeMass, spatial.Vec3{0.1, 0.1, 0.1})
	if err != nil {
		return nil, cylinder, err
	}
	slab, err := bodies.Box(load, spatial.Vec3{bar, 0.1, 1})
	if err != nil {
		return nil, cylinder, err
	}
	lower := b.Body("lower shoe", shoe, rung.At(wide, 0, 0))
	cylinder.Joint = b.Prismatic("cylinder", rung.World, lower, spatial.Vec3{wide}, x).Index()

	left, right := rung.World, lower // bodies that carry the next stage
	for s := range stages {
		y := high * float64(s)
		rising := b.Rod(fmt.Sprint("rising ", s+1), barMass, 0.02, spatial.Vec3{0, y}, spatial.Vec3{wide, y + high})
		falling := b.Rod(fmt.Sprint("falling ", s+1), barMass, 0.02, spatial.Vec3{wide, y}, spatial.Vec3{0, y + high})
		b.Revolute(fmt.Sprint("left ", s+1), left, rising, spatial.Vec3{0, y}, z)
		b.Revolute(fmt.Sprint("right ", s+1), right, falling, spatial.Vec3{wide, y}, z)
		b.Revolute(fmt.Sprint("cross ", s+1), rising, falling, spatial.Vec3{wide / 2, y + high/2}, z)
		left, right = falling, rising
	}
	top := high * stages
	platform := b.Body("platform", slab, rung.At(wide/2, top, 0))
	upper := b.Body("upper shoe", shoe, rung.At(wide, top, 0))
	b.Revolute("platform", left, platform, spatial.Vec3{0, top}, z)
	b.Revolute("upper pin", right, upper, spatial.Vec3{wide, top}, z)
	b.Prismatic("upper slide", platform, upper, spatial.Vec3{wide, top}, x)
	m, err = b.Model()
	return m, cylinder, err
}

// run compares the cylinder's force with the force by virtual work at four angles of the mast, and counts constraints at the last one.
func run() error {
	for _, degrees := range []float64{15, 30, 45, 60} {
		angle := degrees * math.Pi / 180
		m, cylinder, err := build(angle)
		if err != nil {
			return err
		}
		plan, err := rung.NewPlan(m, rung.Options{})
		if err != nil {
			return err
		}
		statics, err := plan.NewInverse([]mechanism.Freedom{cylinder})
		if err != nil {
			return err
		}
		if err := statics.Solve(plan.Initial(), nil); err != nil {
			return err
		}
		// The platform and the upper shoe rise by stages·bar·sin(angle), the bars by half of that on average.
		lifted := load + shoeMass + stages*barMass
		want := -lifted * gravity * stages / math.Tan(angle)
		fmt.Printf("%2.0f°: height %.3f m, cylinder %.3f N, by hand %.3f N\n",
			degrees, stages*bar*math.Sin(angle), statics.Forces()[0], want)
		if degrees == 60 {
			if err := count(plan); err != nil {
				return err
			}
		}
	}
	return nil
}

// count prints the mobility and the redundant rows of the mast beside their counts by hand.
func count(plan *rung.Plan) error {
	solver := plan.NewSolver()
	if err := solver.Solve(plan.Initial()); err != nil {
		return err
	}
	r, err := solver.Report()
	if err != nil {
		return err
	}
	bodies := plan.Mechanism().NumBodies()
	// In the plane a pin or a slide takes two freedoms of three; in space each of the joints takes five of six.
	fmt.Printf("mobility %d, by hand %d\n", r.Mobility, 3*bodies-2*plan.Mechanism().NumJoints())
	fmt.Printf("rows of constraints %d, of which redundant %d, by hand %d\n", r.Rows, r.Redundant, r.Rows-(6*bodies-1))
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
