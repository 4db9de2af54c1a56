package bench

import "github.com/rung-mbd/rung/model"

// roadWheel is a road wheel of a Tracked.
var roadWheel = tyre{
	mass: 12, radius: 0.3, width: 0.3, stiffness: 1.5e5, chi: 0.5, friction: 0.8, slip: 1e-2, speed: 2, gain: 800, strong: 800,
}

const (
	hullMass, swingMass      = 300.0, 8.0 // kg, of the hull for each axle, and of a swing arm
	trackPitch, trackGauge   = 0.65, 2.0  // m, between wheels along x and along y
	swingLength              = 0.3        // m, of a swing arm
	swingSpring, swingDamper = 6e3, 400.0 // N m/rad and N m s/rad, of a swing arm
)

// Tracked is a vehicle on two tracks of n + 1 road wheels each, that drives over hills. Instead of a track there is the row of
// its wheels: each has a motor of the same speed and hangs on a swing arm with spring and damper. Axle k, from the
// front, has the bodies "swingl_k", "swingr_k", "wheell_k", "wheelr_k"; the remaining body is "hull".
//
// 4n + 5 bodies, no loops. The state is at rest near equilibrium.
//
// Cost: O(n).
// It returns ErrSize.
func Tracked(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("tracked", n)
	if err != nil {
		return nil, err
	}
	v, err := newVehicle("tracked", n, seed, nb, nb-1, 2*(n+1))
	if err != nil {
		return nil, err
	}
	t := &roadWheel
	over := hullMass/2 + swingMass // kg, mass that a wheel carries
	z := t.radius - (over+t.mass)*Gravity/t.stiffness
	length := trackPitch * float64(n)
	middle := vec{-0.5 - length/2, 0, z + 0.4}
	com := -swingMass / hullMass * swingLength // m, of the hull: behind the middle, to balance the arms before their wheels
	hull := v.body("hull", box(hullMass*float64(n+1), vec{length + 1, 1.6, 0.6}, vec{com}), at(middle), twist{})
	for k := range n + 1 {
		x := -0.5 - trackPitch*float64(k)
		for s, side := range [2]string{"l", "r"} {
			y := trackGauge / 2 * float64(1-2*s)
			eye := place{vec{x + swingLength, y, z + 0.1}, alongY}
			arm := v.body(v.name("swing"+side+"_", k), box(swingMass, vec{swingLength, 0.08, 0.08}, vec{-swingLength / 2}), at(eye.p), twist{})
			spring := v.fit(v.name("torsion"+side, k), model.Revolute, hull, arm, eye, eye)
			spring.Stiffness, spring.Damping = []float64{swingSpring}, []float64{swingDamper}
			spring.Rest = []float64{-(over - swingMass/2) * Gravity * swingLength / swingSpring}
			v.wheel(v.name("wheel"+side+"_", k), arm, vec{x, y, z}, t)
		}
	}
	return v.m, nil
}
