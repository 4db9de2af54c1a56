// Command wheels lets a ball roll on a turntable, where it circles more slowly than the table, and counts the freedoms of a cart on
// two wheels and a castor: of its velocities at an instant, and of the displacements that it reaches over time. It also prints the
// force on the edge of a sledge.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// up is the vertical axis, world frame.
var up = spatial.Vec3{0, 0, 1}

// round returns a body of revolution about z with the moments of inertia axial about z and across about x and y, kg m².
func round(mass, axial, across float64) bodies.Body {
	d, err := bodies.New(mass, spatial.Vec3{}, spatial.Diag3(across, across, axial))
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// turntable prints the position of a homogeneous ball on a turning table after a half and a whole circle of the ball, beside
// the position by hand. The ball circles once in 7/2 turns of the table.
func turntable() error {
	const radius, turn = 0.1, 3.0
	at, v := spatial.Vec3{0.8, 0.3, radius}, spatial.Vec3{0.4, -0.9, 0}
	b := rung.NewBuilder("turntable")
	table := b.Body("table", round(5, 0.4, 0.2), rung.At(0, 0, 0))
	ball := b.Body("ball", round(0.5, 0.002, 0.002), rung.At(at[0], at[1], at[2])) // 2/5·m·r²
	b.Move(table, spatial.Vec3{}, up.Scale(turn))
	b.Move(ball, v, up.Cross(v.Sub(up.Scale(turn).Cross(at))).Scale(1/radius)) // rolls without slip
	b.Revolute("axis", rung.World, table, spatial.Vec3{}, up).Motion = []*joints.Motion{joints.NewPolynomial([]float64{0, turn})}
	b.Rolling("contact", table, ball, spatial.Vec3{}, up, build.Wheel{Center: at, Axle: up, Radius: radius, TyreRadius: radius})
	m, err := b.Model()
	if err != nil {
		return err
	}
	p, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Tolerance: 1e-10})
	if err != nil {
		return err
	}
	period := 7. / 2 * 2 * math.Pi / turn
	for _, part := range []float64{0.5, 1} {
		if err := s.Run(part * period); err != nil {
			return err
		}
		x := s.State().Bodies[ball.Index()].Position
		// The ball circles about the point at + 7/(2Ω)·n×v.
		center := at.Add(up.Cross(v).Scale(7 / (2 * turn)))
		want := center.Add(at.Sub(center).Scale(math.Cos(2 * math.Pi * part)))
		for k, name := range []string{"x", "y"} {
			fmt.Printf("after %.2f turns of the table %s of the ball is %.5f m, by hand %.5f m\n", 3.5*part, name, x[k], want[k])
		}
	}
	return nil
}

// cart prints the rows, the rank and the freedoms of a cart on two wheels that roll without slip and a castor with the given slip.
func cart(castor joints.Slip) error {
	const radius = 0.2
	b := rung.NewBuilder("cart")
	body := b.Body("body", round(20, 3, 2), rung.At(0, 0, 0.4))
	side := spatial.Vec3{0, 1, 0}
	for _, w := range []struct {
		name string
		at   spatial.Vec3
		slip joints.Slip
	}{
		{"left", spatial.Vec3{0, 0.4, radius}, joints.SlipNone},
		{"right", spatial.Vec3{0, -0.4, radius}, joints.SlipNone},
		{"castor", spatial.Vec3{0.8, 0, radius}, castor},
	} {
		wheel := b.Body(w.name, round(2, 0.04, 0.03), rung.At(w.at[0], w.at[1], w.at[2]).WithZ(side))
		b.Revolute(w.name+" hub", body, wheel, w.at, side)
		rim := build.Wheel{Center: w.at, Axle: side, Radius: radius, Slip: w.slip}
		b.Rolling(w.name+" contact", rung.World, wheel, spatial.Vec3{}, up, rim)
	}
	m, err := b.Model()
	if err != nil {
		return err
	}
	r, err := rung.Accelerate(m, rung.Options{})
	if err != nil {
		return err
	}
	c := &r.Constraints
	fmt.Printf("slip of the castor %v: %d rows, rank %d; the cart moves in %d ways and reaches %d\n",
		castor, c.Rows, c.Rank, c.Mobility, c.Reaches)
	return nil
}

// sledge prints the force of an edge that does not slip sideways on a body that slides and turns, beside the force by hand.
func sledge() error {
	const mass, inertia, behind, speed, turn = 2.0, 0.3, 0.4, 1.5, 2.0
	b := rung.NewBuilder("sledge")
	body := b.Body("sledge", round(mass, inertia, 0.2), rung.At(behind, 0, 0))
	b.Move(body, spatial.Vec3{speed, turn * behind, 0}, up.Scale(turn))
	b.Planar("ice", rung.World, body, spatial.Vec3{}, up)
	b.NoSlip("edge", rung.World, body, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		return err
	}
	r, err := rung.Accelerate(m, rung.Options{})
	if err != nil {
		return err
	}
	rate := -mass * behind * speed * turn / (inertia + mass*behind*behind)
	force := r.Joints[1].ConstraintWrench.Force[1]
	fmt.Printf("the edge of a sledge pushes with %.4f N, by hand %.4f N\n", force, mass*(speed*turn+behind*rate))
	return nil
}

// run prints the results for the ball on the turntable, the cart with four kinds of castor, and the sledge.
func run() error {
	if err := turntable(); err != nil {
		return err
	}
	for _, castor := range []joints.Slip{joints.SlipBoth, joints.SlipAcross, joints.SlipAlong, joints.SlipNone} {
		if err := cart(castor); err != nil {
			return err
		}
	}
	return sledge()
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
