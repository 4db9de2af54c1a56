package bench

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// wagonTyre is a wheel of a RoadTrain.
var wagonTyre = tyre{
	mass: 40, radius: 0.5, width: 0.25, stiffness: 4e5, chi: 0.5, friction: 0.8, slip: 1e-2, speed: 3, gain: 4000, strong: 3000,
}

const (
	wagonMass, dollyMass, frontMass, trailMass = 1500.0, 80.0, 60.0, 30.0 // kg
	wagonBase, wagonTrack                      = 3.0, 1.8                 // m, between wheels along x and along y
	wagonApart                                 = 6.0                      // m, from wagon to wagon
	wagonFront                                 = -1.0                     // m, x of the first front axle
	wagonBed, wagonRise                        = 0.9, 0.4                 // m, heights of the turntable, and of the wagon's centre above it
	hitchBehind, hitchHeight                   = 0.6, 0.6                 // m, of the drawbar's ball: behind the rear axle, above the ground
	axleDamper                                 = 200.0                    // N m s/rad, of the front axle on the dolly
	trailLength, trailRise                     = 0.6, 0.1                 // m, of a trailing arm, and of its hinge above the wheel's centre
	trailSpring, trailDamper                   = 4e4, 2e3                 // N m/rad and N m s/rad, of a trailing arm
)

// RoadTrain is a train of n wagons with four driven wheels each, that drives over hills. A wagon has a dolly that turns
// about z and has the drawbar to the wagon before, a front axle that rolls on the dolly about x, and a trailing arm
// with spring and damper for each rear wheel. The first dolly is held straight by a motion. Wagon k has the bodies
// "wagonk", "dollyk", "axlek", "arml_k", "armr_k", "flk", "frk", "rlk", "rrk".
//
// 9n bodies, no loops. The state is at rest near equilibrium.
//
// Cost: O(n).
// It returns ErrSize.
func RoadTrain(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("road-train", n)
	if err != nil {
		return nil, err
	}
	v, err := newVehicle("road-train", n, seed, nb, nb-1, 4*n)
	if err != nil {
		return nil, err
	}
	for k := range n {
		v.wagon(k)
	}
	return v.m, nil
}

// wagon appends wagon k, at the heights at which its tyres carry it.
func (v *vehicle) wagon(k int) {
	t := &wagonTyre
	arms := trailMass * trailLength / (2 * wagonBase)     // kg, part of an arm's mass that the front carries
	front := wagonMass/4 + arms + (dollyMass+frontMass)/2 // kg, mass that each front wheel carries
	rear := wagonMass/4 + trailMass - arms                // kg, mass that each rear wheel carries
	zf := t.radius - (front+t.mass)*Gravity/t.stiffness
	zr := t.radius - (rear+t.mass)*Gravity/t.stiffness
	x := wagonFront - wagonApart*float64(k) // of the front axle
	body := v.body(v.name("wagon", k), box(wagonMass, vec{4, 1.8, 0.8}, vec{}), at(vec{x - wagonBase/2, 0, wagonBed + wagonRise}), twist{})
	axle := v.dolly(k, body, x, zf)
	for s, side := range [2]string{"l", "r"} {
		y := wagonTrack / 2 * float64(1-2*s)
		v.wheel(v.name("f"+side, k), axle, vec{x, y, zf}, t)
		arm := v.trailingArm(k, side, body, vec{x - wagonBase, y, zr}, rear)
		v.wheel(v.name("r"+side, k), arm, vec{x - wagonBase, y, zr}, t)
	}
	v.before = body
}

// dolly appends the dolly of wagon k below its body, with the drawbar to the wagon before, and its front axle, which is at x and z and
// rolls on the dolly. It returns the number of the axle.
func (v *vehicle) dolly(k, body int, x, z float64) (axle int) {
	dolly := v.body(v.name("dolly", k), box(dollyMass, vec{1, 1, 0.1}, vec{}), at(vec{x, 0, wagonBed}), twist{})
	turntable := v.fit(v.name("turn", k), model.Revolute, body, dolly, at(vec{x, 0, wagonBed}), at(vec{x, 0, wagonBed}))
	if k == 0 {
		turntable.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0}}}
	} else {
		hitch := at(vec{x + wagonApart - wagonBase - hitchBehind, 0, hitchHeight})
		v.fit(v.name("hitch", k), model.Spherical, v.before, dolly, hitch, hitch)
	}
	axle = v.body(v.name("axle", k), box(frontMass, vec{0.12, wagonTrack, 0.12}, vec{}), at(vec{x, 0, z}), twist{})
	roll := place{vec{x, 0, z}, alongX}
	v.fit(v.name("roll", k), model.Revolute, dolly, axle, roll, roll).Damping = []float64{axleDamper}
	return axle
}

// trailingArm appends the arm of a rear wheel, whose centre is at wheel, world frame, and returns its number. carried is the mass, kg,
// that the wheel carries.
func (v *vehicle) trailingArm(k int, side string, body int, wheel vec, carried float64) int {
	eye := place{vec{wheel[0] + trailLength, wheel[1], wheel[2] + trailRise}, alongY}
	arm := v.body(v.name("arm"+side+"_", k), box(trailMass, vec{trailLength, 0.1, 0.1}, vec{-trailLength / 2}), at(eye.p), twist{})
	spring := v.fit(v.name("trail"+side, k), model.Revolute, body, arm, eye, eye)
	spring.Stiffness, spring.Damping = []float64{trailSpring}, []float64{trailDamper}
	// At rest the spring holds the arm against its weight and the force of the wheel.
	spring.Rest = []float64{-(carried - trailMass/2) * Gravity * trailLength / trailSpring}
	return arm
}

const (
	trailerMass, trailerWheel   = 400.0, 20.0 // kg
	trailerRadius, trailerTrack = 0.3, 1.6    // m, radius of a wheel, and distance between the two wheels
	trailerBar                  = 2.0         // m, from the axle to the hitch in front; half of that is from the axle to the hitch behind
	trailerTorque               = 30.0        // N m, on each wheel of the first trailer
	trailerSpeed                = 5.0         // m/s, largest speed
)

// trailers is a train of n trailers on a plane, whose wheels roll without slip. Trailer k is a bed "bk" with two wheels, "lk" and
// "rk", on hinges "hlk" and "hrk". The left wheel rolls ("plk"); the right one may also slip along the axle ("prk"), as both are
// on one axle. A ball "tk" connects the bed to the trailer before; the drawbar of the first one slides on the plane ("skid"). Torques
// drive the wheels of the first trailer. The speed is drawn from the seed.
//
// 3n bodies, 5n joints; no redundancy, mobility 2: the train reaches 3n+2 independent displacements
// (kkt.Report.Reaches).
//
// Cost: O(n). It returns ErrSize.
func trailers(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("trailers", n)
	if err != nil {
		return nil, err
	}
	r := newRig("trailers", n, seed, nb, 5*n)
	r.m.Gravity = [3]float64{0, 0, -Gravity}
	speed := r.uniform(trailerSpeed)
	for k, before := 0, ground; k < n; k++ {
		axle := vec{-1.5 * trailerBar * float64(k), 0, trailerRadius}
		bed := r.body(r.name("b", k), box(trailerMass, vec{2, 1, 0.4}, vec{}), at(axle.add(vec{0.2, 0, 0.2})), twist{v: vec{speed}})
		for side, mark := range [2]string{"l", "r"} {
			r.trailerWheel(mark, k, bed, axle.add(vec{1: trailerTrack * (0.5 - float64(side))}), speed)
		}
		hitch := axle.add(vec{trailerBar})
		if k == 0 {
			r.fit("skid", model.PointOnPlane, before, bed, at(vec{2: hitch[2]}), at(hitch))
		} else {
			r.fit(r.name("t", k), model.Spherical, before, bed, at(hitch), at(hitch))
		}
		before = bed
	}
	return r.m, nil
}

// trailerWheel appends the left wheel (mark "l") or the right wheel ("r") of trailer k at hub, world frame, with its hinge and the
// joint by which it rolls on the plane.
func (r *rig) trailerWheel(mark string, k, bed int, hub vec, speed float64) {
	const I = trailerWheel * trailerRadius * trailerRadius / 4
	axle := place{hub, alongZ(vec{1: 1})}
	w := r.body(r.name(mark, k), solid{trailerWheel, vec{}, model.Inertia{XX: I, YY: I, ZZ: 2 * I}}, axle,
		twist{w: vec{1: speed / trailerRadius}, v: vec{speed}})
	h := r.fit(r.name("h"+mark, k), model.Revolute, bed, w, axle, axle)
	if k == 0 {
		h.Force = r.values(trailerTorque)
	}
	p := r.joint(r.name("p"+mark, k), model.Rolling, ground, w, origin, origin)
	if p.Radius = trailerRadius; mark == "r" {
		p.Slip = joints.SlipAcross
	}
}
