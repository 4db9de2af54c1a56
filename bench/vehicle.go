package bench

import (
	"context"
	"math"

	surface "github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// Sizes that all vehicles share. Vehicles stand on level ground at x ≤ 0, with their front at about 0, drive along x, and
// reach hills from x = 1 m on.
const (
	groundName  = "ground"
	hillsLength = 48.0 // m, along x from 0 on
	hillsWidth  = 12.0 // m, about y = 0
	hillsStep   = 0.25 // m, between nodes
	hillsRMS    = 0.06 // m, root mean square of the heights before they fade out
	hillsWave   = 1.6  // m, correlation length of the Gaussian hills
	hillsFade   = 4.0  // m, length over which hills fade out towards x = 0 and x = hillsLength; a quarter of it towards the sides
	motorRise   = 1.0  // s, time until motors have their full speed
)

// vehicle is a rig whose bodies stand on the ground.
type vehicle struct {
	*rig
	before int // body to which the next vehicle of the row is connected
}

// newVehicle returns an empty model with hills, and room for bodies, joints and wheels.
func newVehicle(name string, n int, seed uint64, bodies, joints, wheels int) (*vehicle, error) {
	v := &vehicle{rig: newRig(name, n, seed, bodies, joints)}
	v.m.Forces = make([]model.ForceElement, 0, 2*wheels)
	heights, err := hills(seed)
	if err != nil {
		return nil, err
	}
	v.m.Terrains = []model.Terrain{{
		Name: groundName, Type: model.GridTerrain, Origin: [2]float64{0, -hillsWidth / 2}, Spacing: [2]float64{hillsStep, hillsStep},
		Heights: heights, Outside: surface.Level,
	}}
	return v, nil
}

// hills returns Gaussian random heights, m, by row of nodes along x, that are level at all borders. They are rounded to 0.01 mm.
func hills(seed uint64) ([][]float64, error) {
	nx, ny := int(hillsLength/hillsStep)+1, int(hillsWidth/hillsStep)+1
	f, err := surface.Random(context.Background(), surface.RandomGround{
		Size: [2]int{nx, ny}, Spacing: [2]float64{hillsStep, hillsStep}, RMS: hillsRMS, Length: hillsWave, Seed: seed,
	})
	if err != nil {
		return nil, err
	}
	list := make([][]float64, ny)
	for j := range list {
		list[j] = f.Heights[j*nx : (j+1)*nx]
		y := hillsStep * float64(min(j, ny-1-j))
		for i := range list[j] {
			x := hillsStep * float64(min(i, nx-1-i))
			list[j][i] = math.Round(1e5*list[j][i]*fade(x, hillsFade)*fade(y, hillsFade/4)) / 1e5
		}
	}
	return list, nil
}

// fade returns a factor that rises smoothly from 0 to 1 between the distances 1 m and 1 m + length from a border, by the polynomial
// 6u⁵ − 15u⁴ + 10u³.
func fade(x, length float64) float64 {
	u := min(max((x-1)/length, 0), 1)
	return u * u * u * (10 + u*(6*u-15))
}

// tyre has the data of a kind of wheel with its contact and its motor.
type tyre struct {
	mass, radius, width float64 // kg, m, m
	stiffness, chi      float64 // of the contact: N/m, and dissipation, s/m
	friction, slip      float64 // of the contact: coefficient, and slip speed, m/s
	speed, gain, strong float64 // of the motor: speed of the rim, m/s, gain, N m s/rad, largest torque, N m
}

// wheel appends a wheel with its contact and its motor, at rest, on a hinge about y on the body number on. Its frame is at its centre,
// which is at the point at, world frame. wheel returns its number.
func (v *vehicle) wheel(name string, on int, at vec, t *tyre) int {
	r2, w2 := t.radius*t.radius, t.width*t.width
	disc := t.mass * (3*r2 + w2) / 12
	w := v.body(name, solid{t.mass, vec{}, model.Inertia{XX: disc, YY: t.mass * r2 / 2, ZZ: disc}}, place{at, one}, twist{})
	spin := v.cut(append(append(v.text, "spin_"...), name...))
	v.fit(spin, model.Revolute, on, w, place{at, alongY}, place{at, alongY})
	v.m.Forces = append(v.m.Forces, model.ForceElement{
		Name: v.cut(append(append(v.text, "tyre_"...), name...)), Type: model.ContactForce, A: model.Attachment{Body: name},
		Contact: &model.Contact{
			Terrain: groundName, Shape: contact.Shape{Type: contact.Disc, Radius: t.radius, Axis: [3]float64{0, 1, 0}},
			Law: contact.Law{
				Normal:   contact.Normal{Stiffness: t.stiffness, Exponent: 1, Dissipation: t.chi},
				Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{t.friction, t.friction}, SlipSpeed: t.slip},
			},
		},
	}, model.ForceElement{
		Name: v.cut(append(append(v.text, "motor_"...), name...)), Type: model.ActuatorForce,
		Actuator: &model.Actuator{
			Joint: spin, Law: model.ActuatorSpeed, Gain: t.gain, Limit: t.strong,
			Value: &model.Motion{
				Kind: model.Spline, Times: []float64{0, motorRise}, Values: []float64{0, t.speed / t.radius},
				Ends: joints.Clamped, Hold: true,
			},
		},
	})
	return w
}

// alongY takes the z axis to the y axis, so that a revolute joint has its axis along y.
var alongY = turn(vec{1, 0, 0}, -math.Pi/2)

// alongX takes the z axis to the x axis.
var alongX = turn(vec{0, 1, 0}, math.Pi/2)

// box returns the mass properties of a homogeneous box with sides along the axes, m, and the given centre of mass.
func box(mass float64, size, com vec) solid {
	x, y, z := size[0]*size[0], size[1]*size[1], size[2]*size[2]
	return solid{mass, com, model.Inertia{XX: mass * (y + z) / 12, YY: mass * (z + x) / 12, ZZ: mass * (x + y) / 12}}
}

// bar appends the drawbar "bark", a rod from the point a of the body behind to the point b of the body before, which is along x. It has
// a ball at the front and a universal joint at the back, so that it cannot turn about itself.
func (v *vehicle) bar(k, behind, before int, a, b vec, mass float64) {
	g := rod(b[0] - a[0])
	g.mass, g.inertia = mass, model.Inertia{XX: 1e-3 * mass, YY: mass * g.inertia.YY, ZZ: mass * g.inertia.ZZ}
	rod := v.body(v.name("bar", k), g, at(a), twist{})
	v.fit(v.name("ball", k), model.Spherical, before, rod, at(b), at(b))
	v.fit(v.name("hitch", k), model.Universal, behind, rod, place{a, tongue}, place{a, tongue})
}

// tongue is the orientation of a universal joint for a bar along x, far from its singular pose: the x axis of the joint is the world's
// y axis, and its y axis the world's z axis.
var tongue = axes(vec{0, 1, 0}, vec{0, 0, 1}, vec{1, 0, 0})
