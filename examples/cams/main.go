// Command cams moves a follower by one law with three cams: for a knife edge; for a roller, whose cam is a spline through points of
// the offset curve; and for a flat face, whose cam is the envelope of the face. It prints lift, acceleration and force beside the
// values of the law. Then a roller is too large for a hollow of its cam. Last, beads slide down a cycloid, from any point in the
// same time.
package main

import (
	"errors"
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	base, lift = 0.03, 0.008 // m
	roller     = 0.01        // radius, m
	speed      = 60.0        // of the shaft, rad/s
	mass       = 0.3         // of the follower, kg
	gravity    = 9.81        // m/s²
)

// In the mechanism of train: numbers of the follower and of the joint between cam and follower. y is the axis along which it moves.
const follower, contact, y = 1, 2, 1

// law returns the distance of the follower from the axis, m, at the angle u of the shaft, from 0 to 2π, and its first and second
// derivative by u: a rise and a return in half a turn each, by the 3-4-5 polynomial.
func law(u float64) (s, ds, dds float64) {
	v, sign := u/math.Pi, 1.0
	if v > 1 {
		v, sign = 2-v, -1
	}
	s = base + lift*v*v*v*(10+v*(-15+6*v))
	ds = sign * lift * v * v * (30 + v*(-60+30*v)) / math.Pi
	dds = lift * v * (60 + v*(-180+120*v)) / (math.Pi * math.Pi)
	return s, ds, dds
}

// The law as an expression in V (turned), which rises from 0 to 1 in the first half turn and falls back in the second.
const (
	turned   = "(1 - abs(1 - u/pi))"
	distance = "(0.03 + 0.008*(10*V^3 - 15*V^4 + 6*V^5))"
)

// edge returns the path of the follower's point in the frame of the cam.
func edge() *curves.Curve {
	r := fill(distance)
	return &curves.Curve{Kind: curves.Function, X: r + "*sin(u)", Y: r + "*cos(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}
}

// beside returns a spline at the distance offset, m, inside the path of the follower's point.
func beside(offset float64) *curves.Curve {
	return through(func(s, ds, sin, cos float64) spatial.Vec3 {
		k := offset / math.Hypot(s, ds)
		return spatial.Vec3{s*sin - k*(s*sin-ds*cos), s*cos - k*(s*cos+ds*sin)}
	})
}

// face returns a spline along the envelope of a flat face at the distance of the law from the axis.
func face() *curves.Curve {
	return through(func(s, ds, sin, cos float64) spatial.Vec3 { return spatial.Vec3{s*sin + ds*cos, s*cos - ds*sin} })
}

// through returns the closed spline through points at each degree of the shaft. point returns a point for the law (s, ds) and sine
// and cosine of the angle.
func through(point func(s, ds, sin, cos float64) spatial.Vec3) *curves.Curve {
	c := &curves.Curve{Kind: curves.Spline, Closed: true}
	for i := range 360 {
		u := 2 * math.Pi * float64(i) / 360
		s, ds, _ := law(u)
		sin, cos := math.Sincos(u)
		c.Points = append(c.Points, point(s, ds, sin, cos))
	}
	return c
}

// fill replaces V in a text by the expression turned.
func fill(text string) (out string) {
	for _, r := range text {
		if r == 'V' {
			out += turned
		} else {
			out += string(r)
		}
	}
	return out
}

// train returns the plan of a cam at the angle zero and a follower above it. touch adds the joint between them.
func train(touch func(b *rung.Builder, cam, follower rung.Body)) (*rung.Plan, error) {
	b := rung.NewBuilder("cam").Gravity(0, -gravity, 0)
	up, z := spatial.Vec3{0, 1, 0}, spatial.Vec3{0, 0, 1}
	shaft := b.Rod("cam", 1, 0.02, spatial.Vec3{0, 0, -0.1}, spatial.Vec3{0, 0, 0.1})
	rod := b.Rod("follower", mass, 0.005, spatial.Vec3{0, base, 0}, spatial.Vec3{0, base + 0.1, 0})
	b.Move(shaft, spatial.Vec3{}, z.Scale(speed))
	b.Revolute("shaft", rung.World, shaft, spatial.Vec3{}, z).Motion = []*joints.Motion{joints.NewPolynomial([]float64{0, speed})}
	b.Prismatic("guide", rung.World, rod, spatial.Vec3{0, base, 0}, up)
	touch(b, shaft, rod)
	m, err := b.Model()
	if err != nil {
		return nil, err
	}
	return rung.NewPlan(m, rung.Options{})
}

// run moves a train to an angle of the shaft, rad. It prints lift and acceleration of the follower and the force of the cam on it, each
// beside the value that follows from the law.
func run(name string, p *rung.Plan, angle float64) error {
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 1, Tolerance: 1e-8})
	if err != nil {
		return err
	}
	if err := s.Run(angle / speed); err != nil {
		return err
	}
	solver := p.NewSolver()
	if err := solver.Solve(s.State()); err != nil {
		return err
	}
	a := make([]float64, 6*p.Mechanism().NumBodies())
	solver.AccelerationsTo(a)
	f := solver.ConstraintWrench(contact).Linear()
	distance, _, dds := law(math.Mod(angle, 2*math.Pi))
	up := s.State().Bodies[follower].Position[y] - p.Initial().Bodies[follower].Position[y]
	fmt.Printf("%-10s lift %.3f mm, by hand %.3f; acceleration %.1f m/s², by hand %.1f; force %.1f N, by hand %.1f\n",
		name, 1000*up, 1000*(distance-base), a[6*follower+3+y], dds*speed*speed, f[y], mass*(dds*speed*speed+gravity))
	return nil
}

// followers runs the three cams.
func followers() error {
	for _, c := range []struct {
		name  string
		touch func(b *rung.Builder, cam, follower rung.Body)
	}{
		{"knife edge", func(b *rung.Builder, cam, follower rung.Body) {
			b.PointOnCurve("edge", cam, follower, at(0), spatial.Vec3{0, base, 0}, edge()).Curve.Planar = true
		}},
		{"roller", func(b *rung.Builder, cam, follower rung.Body) {
			wheel := &curves.Curve{Kind: curves.Circle, Radius: roller}
			b.CurveOnCurve("roller", cam, follower, at(0), at(base), beside(roller), wheel)
		}},
		{"flat face", func(b *rung.Builder, cam, follower rung.Body) {
			line := &curves.Curve{Ends: [2]spatial.Vec3{{-0.02}, {0.02}}}
			b.CurveOnCurve("face", cam, follower, at(0), at(base), face(), line)
		}},
	} {
		p, err := train(c.touch)
		if err != nil {
			return err
		}
		if err := run(c.name, p, 1.1); err != nil {
			return err
		}
	}
	return nil
}

// at returns a frame at the height y, m, above the axis of the cam.
func at(y float64) rung.Place { return rung.At(0, y, 0) }

// hollows runs a cam whose hollows have a radius of curvature of 49 mm with two rollers: the smaller one goes around; the larger one
// would have to touch the cam at two points, which is an error.
func hollows() error {
	hollow := &curves.Curve{
		Kind: curves.Function, Range: [2]float64{0, 2 * math.Pi}, Closed: true,
		X: "(0.05 - 0.015*cos(2*u))*cos(u)", Y: "(0.05 - 0.015*cos(2*u))*sin(u)",
	}
	for _, radius := range []float64{0.045, 0.055} {
		p, err := train(func(b *rung.Builder, cam, follower rung.Body) {
			b.CurveOnCurve("roller", cam, follower, at(0), at(0.065+radius), hollow, &curves.Curve{Kind: curves.Circle, Radius: radius})
		})
		if err != nil {
			return err
		}
		s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 1, Tolerance: 1e-8})
		if err != nil {
			return err
		}
		err = s.Run(2 * math.Pi / speed)
		if err != nil && !errors.Is(err, mechanism.ErrTouch) {
			return err
		}
		fmt.Printf("a roller of %.0f mm goes around: %t\n", 1000*radius, err == nil)
	}
	return nil
}

// bead lets a bead slide down the cycloid a·(u − sin u, cos u − 1) from rest at u. It reaches the lowest point, u = π, after a
// quarter of the period, π·√(a/g), from any start.
func bead(u float64) error {
	const a = 0.4
	quarter := math.Pi * math.Sqrt(a/gravity)
	wire := &curves.Curve{Kind: curves.Function, X: "0.4*(u - sin(u))", Y: "0.4*(cos(u) - 1)", Range: [2]float64{0.01, 6.27}}
	from := wire.Prepared().At(u).C
	b := rung.NewBuilder("bead").Gravity(0, -gravity, 0)
	body := b.Rod("bead", 1, 0.01, from.Sub(spatial.Vec3{0, 0, 0.05}), from.Add(spatial.Vec3{0, 0, 0.05}))
	b.PointOnCurve("wire", rung.World, body, at(0), from, wire)
	m, err := b.Model()
	if err != nil {
		return err
	}
	p, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 5, Tolerance: 1e-11})
	if err != nil {
		return err
	}
	if err := s.Run(quarter); err != nil {
		return err
	}
	fmt.Printf("a bead from u = %.1f is after %.4f s at u = %.6f, by hand %.6f\n", u, quarter, s.State().Angles[0], math.Pi)
	return nil
}

// main runs the three cams, the rollers in hollows, and three beads that start at different heights.
func main() {
	log.SetFlags(0)
	err := followers()
	if err == nil {
		err = hollows()
	}
	for _, u := range []float64{0.3, 1.5, 2.9} {
		if err == nil {
			err = bead(u)
		}
	}
	if err != nil {
		log.Fatal(err)
	}
}
