package bench

import "github.com/rung-mbd/rung/model"

// roverTyre is the wheel of a Rover.
var roverTyre = tyre{
	mass: 4, radius: 0.25, width: 0.12, stiffness: 3e4, chi: 0.5, friction: 0.8, slip: 1e-2, speed: 1, gain: 60, strong: 40,
}

const (
	roverMass, axleMass, drawbarMass = 60.0, 8.0, 3.0 // kg
	roverBase, roverTrack            = 1.1, 0.9       // m, between wheels along x and y
	roverApart                       = 2.4            // m, from rover to rover
)

// Rover is a row of n rovers on drawbars that drive over hills. A rover has a chassis with the rear wheels and a front
// axle that rolls about x, so that all four wheels stand on any ground; each wheel has a motor. Rover k, counted from 0 at the front,
// has the bodies "chassisk", "axlek", "flk", "frk", "rlk", "rrk", and the drawbar "bark" to the rover before.
//
// 7n − 1 bodies, no loops. The state is at rest; each wheel is pressed into the ground as deep as its part of the weight demands.
//
// Cost: O(n).
// It returns ErrSize.
func Rover(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("rover", n)
	if err != nil {
		return nil, err
	}
	v, err := newVehicle("rover", n, seed, nb, nb-1, 4*n)
	if err != nil {
		return nil, err
	}
	t := &roverTyre
	// The centres of mass of chassis and axle are placed so that all wheels carry the same.
	load := (roverMass + axleMass + 4*t.mass) * Gravity / 4
	z := t.radius - load/t.stiffness
	for k := range n {
		x := -roverBase/2 - 0.3 - roverApart*float64(k)
		front, rear := x+roverBase/2, x-roverBase/2
		com := axleMass / roverMass * roverBase / 2 // m, of the chassis behind the middle, to balance the axle before the middle
		chassis := v.body(v.name("chassis", k), box(roverMass, vec{1.2, 0.7, 0.3}, vec{-com}), at(vec{x, 0, z + 0.2}), twist{})
		axle := v.body(v.name("axle", k), box(axleMass, vec{0.1, roverTrack, 0.1}, vec{}), at(vec{front, 0, z}), twist{})
		roll := place{vec{front, 0, z}, alongX}
		v.fit(v.name("roll", k), model.Revolute, chassis, axle, roll, roll).Damping = []float64{5}
		side := vec{0, roverTrack / 2}
		v.wheel(v.name("fl", k), axle, vec{front, 0, z}.add(side), t)
		v.wheel(v.name("fr", k), axle, vec{front, 0, z}.sub(side), t)
		v.wheel(v.name("rl", k), chassis, vec{rear, 0, z}.add(side), t)
		v.wheel(v.name("rr", k), chassis, vec{rear, 0, z}.sub(side), t)
		if k > 0 {
			v.bar(k, chassis, v.before, vec{x + roverBase/2 + 0.2, 0, z + 0.1}, vec{x + roverApart - roverBase/2 - 0.2, 0, z + 0.1}, drawbarMass)
		}
		v.before = chassis
	}
	return v.m, nil
}
