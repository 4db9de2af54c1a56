package contact_test

import (
	"fmt"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/spatial"
)

// A driven wheel on a plane slips a little and is pushed forwards.
func Example() {
	surface, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := contact.Contact{
		Shape: contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: spatial.Vec3{0, 1, 0}},
		Law: contact.Law{
			Normal:   contact.Normal{Stiffness: 2e5, Exponent: 1, Dissipation: 0.2},
			Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{0.8, 0.8}, SlipSpeed: 0.01},
		},
		Ground: surface,
	}
	c.Check(func(path, value, rule string) { fmt.Println(path, value, rule) })

	wheel := contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{0, 0, 0.298}, Velocity: spatial.Vec3{2.99, 0, 0}, Omega: spatial.Vec3{0, 10, 0}}
	r := contact.NewResult(&c)
	if err := c.EvalTo(r, &wheel, nil); err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range r.Touches {
		fmt.Printf("depth %.4f m, N %.1f N, F_x %.1f N, slip %.4f\n", t.Depth, t.Force.N, t.Force.X, t.Force.Slip)
	}
	// Output:
	// depth 0.0020 m, N 400.0 N, F_x 226.3 N, slip 0.0033
}

// A wheel on lunar soil sinks in and slips more.
func ExampleSoilPreset() {
	soil, err := contact.SoilPreset("lunar")
	if err != nil {
		fmt.Println(err)
		return
	}
	soil.Width = 0.15
	l := contact.Law{Friction: contact.Friction{Type: contact.Soil, Soil: soil}}
	for _, slip := range []float64{0.05, 0.2, 0.5} {
		var f contact.Force
		l.ForceTo(&f, nil, &contact.PointMotion{Depth: 0.02, Roll: 1, X: 1 - 1/(1-slip), Scale: 1}, 0.25, 1, nil)
		fmt.Printf("slip %.2f: N %.0f N, pull %.0f N, moment %.1f N m\n", slip, f.N, f.X, f.Axle)
	}
	// Output:
	// slip 0.05: N 113 N, pull -4 N, moment -4.6 N m
	// slip 0.20: N 108 N, pull 14 N, moment -8.8 N m
	// slip 0.50: N 94 N, pull 25 N, moment -11.2 N m
}
