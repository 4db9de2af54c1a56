package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Mechanisms that roll without slip: bicycles, discs, and boards on edges.

// The benchmark bicycle (Meijaard et al. 2007, Table 1), with z up.
const (
	bikeBase, bikeTrail = 1.02, 0.08   // m
	bikeTilt            = math.Pi / 10 // rad, of the steering axis from the vertical
	bikeRear, bikeFront = 0.3, 0.35    // m, radii of the wheels
	bikeApart           = 1.0          // m, from bicycle to bicycle
	bikeSpeed           = 4.6          // m/s; between 4.29 and 6.02 m/s the bicycle is stable by itself
)

// Centres of mass of the benchmark's rear frame with rider and of its fork, m, from the contact point of the rear wheel.
var bikeFrame, bikeFork = vec{0.3, 0, 0.9}, vec{0.9, 0, 0.7}

// bicycles is n bicycles whose riders do not steer, side by side on a plane, with gravity along −z. Each has the bodies "framek", "forkk",
// "reark" and "frontk" on the hinges "headk", "rear hubk" and "front hubk", and two wheels that roll without slip, "rear rollk" and
// "front rollk".
// They roll along x, upright and with straight steering, with a rate of lean that is drawn from the seed, as after a push to a side. At
// this speed they come back by themselves. With seed 0 the rates are 0, and they roll steadily.
//
// 4n bodies, 5n joints, n loops; rows 21n, no redundancy, mobility 3n: a bicycle reaches 7 independent displacements
// (kkt.Report.Reaches).
//
// Cost: O(n). It returns ErrSize.
func bicycles(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("bicycle", n)
	if err != nil {
		return nil, err
	}
	r := newRig("bicycle", n, seed, nb, 5*n)
	r.m.Gravity = [3]float64{0, 0, -Gravity}
	for k := range n {
		lean := 0.0
		if seed != 0 {
			lean = math.Copysign(r.between(0.3, 0.5), r.uniform(1))
		}
		r.bicycle(k, lean)
	}
	return r.m, nil
}

// bicycle appends bicycle k, which is upright and leans to the right at the given rate, rad/s.
func (r *rig) bicycle(k int, rate float64) {
	foot := vec{1: -bikeApart * float64(k)} // contact point of the rear wheel
	lean := twist{w: vec{rate}}
	add := func(name string, g solid, p vec, turned quat, spin float64) int {
		t := twist{lean.w.add(vec{1: spin}), lean.shift(p).add(vec{bikeSpeed})}
		return r.body(r.name(name, k), g, place{foot.add(p), turned}, t)
	}
	frame := add("frame", solid{85, vec{}, model.Inertia{XX: 9.2, YY: 11, ZZ: 2.8, XZ: -2.4}}, bikeFrame, one, 0)
	fork := add("fork", solid{4, vec{}, model.Inertia{XX: 0.05892, YY: 0.06, ZZ: 0.00708, XZ: 0.00756}}, bikeFork, one, 0)
	hubs := [2]vec{{0, 0, bikeRear}, {bikeBase, 0, bikeFront}}
	y := alongZ(vec{1: 1})
	rear := add("rear", solid{2, vec{}, model.Inertia{XX: 0.0603, YY: 0.0603, ZZ: 0.12}}, hubs[0], y, bikeSpeed/bikeRear)
	front := add("front", solid{3, vec{}, model.Inertia{XX: 0.1405, YY: 0.1405, ZZ: 0.28}}, hubs[1], y, bikeSpeed/bikeFront)
	hinge := func(name string, a, b int, at place) {
		at.p = foot.add(at.p)
		r.fit(r.name(name, k), model.Revolute, a, b, at, at)
	}
	s, c := math.Sincos(bikeTilt)
	axis, ground0 := vec{-s, 0, c}, vec{bikeBase + bikeTrail}
	hinge("head", frame, fork, place{ground0, alongZ(axis)})
	hinge("rear hub", frame, rear, place{hubs[0], y})
	hinge("front hub", fork, front, place{hubs[1], y})
	r.joint(r.name("rear roll", k), model.Rolling, ground, rear, origin, origin).Radius = bikeRear
	r.joint(r.name("front roll", k), model.Rolling, ground, front, origin, origin).Radius = bikeFront
	r.showBicycle(frame, fork, func(h float64) vec { return ground0.add(axis.mul(h)) })
}

// showBicycle draws the tubes of a frame and a fork. head returns the point of the steering axis at the length h, m, from the plane.
func (r *rig) showBicycle(frame, fork int, head func(h float64) vec) {
	const thick = 0.02
	tube := func(body int, color [4]float64, points ...vec) {
		com := bikeFrame
		if body == fork {
			com = bikeFork
		}
		for i := range points[1:] {
			r.showRod(body, points[i].sub(com), points[i+1].sub(com), thick, color)
		}
	}
	hub, crank, seat := vec{0, 0, bikeRear}, vec{0.42, 0, 0.27}, vec{0.25, 0, 0.85}
	top, low, bar := head(0.86), head(0.72), head(1.0)
	tube(frame, orange, hub, crank, seat, hub)
	tube(frame, orange, crank, low, top, vec{0.28, 0, 0.75})
	tube(frame, dark, seat.add(vec{-0.1, 0, 0.05}), seat.add(vec{0.12, 0, 0.05}))
	tube(fork, blue, vec{bikeBase, 0, bikeFront}, low.add(vec{0.02}), bar)
	tube(fork, dark, bar.add(vec{-0.05, -0.28, 0}), bar.add(vec{1: -0.2}), bar.add(vec{1: 0.2}), bar.add(vec{-0.05, 0.28, 0}))
}

const (
	coinMass, coinRadius = 0.5, 0.25 // kg, m
	coinApart            = 1.7       // m, between the middles of the discs' circles
)

// rollingDiscs returns n uniform discs that roll without slip on a plane, each in a circle of its own, with gravity along −z. Lean and rate
// of turn are drawn from the seed, and the spin is such that the motion is steady (coinSpin). The joint "rollk" keeps the disc
// "disck" on the plane.
//
// n bodies, n joints; rows 3n, no redundancy, mobility 3n: a disc reaches 5 independent displacements
// (kkt.Report.Reaches).
//
// Cost: O(n). It returns ErrSize.
func rollingDiscs(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("rolling-disc", n)
	if err != nil {
		return nil, err
	}
	r := newRig("rolling-disc", n, seed, nb, n)
	r.m.Gravity = [3]float64{0, 0, -Gravity}
	side := int(math.Ceil(math.Sqrt(float64(n))))
	wide := coinApart * float64(side)
	r.show(ground, cuboid, [3]float64{wide + 0.3, wide + 0.3, 0.02}, at(vec{(wide - coinApart) / 2, -(wide - coinApart) / 2, -0.01}), grey)
	for k := range n {
		r.coin(k, vec{coinApart * float64(k%side), -coinApart * float64(k/side)})
	}
	return r.m, nil
}

// coin appends disc k, which rolls around a point of the plane.
func (r *rig) coin(k int, middle vec) {
	const m, R = coinMass, coinRadius
	// The angle of the axle from the vertical, the rate of turn about the vertical, and the direction from the middle to the disc.
	theta, turned, at := r.between(1.0, 1.25), r.between(2, 3), r.uniform(math.Pi)
	w := coinSpin(theta, turned)
	s, c := math.Sincos(theta)
	// The axle leans out: its level part points away from the middle, and the centre is at the distance R·|w|/turned from there.
	out := vec{math.Cos(at), math.Sin(at), 0}
	axle := out.mul(s).add(vec{2: c})
	center := middle.add(out.mul(-R * w / turned)).add(vec{2: R * s})
	v := vec{2: turned}.cross(center.sub(middle))
	g := solid{m, vec{}, model.Inertia{XX: m * R * R / 4, YY: m * R * R / 4, ZZ: m * R * R / 2}}
	disc := r.body(r.name("disc", k), g, place{center, alongZ(axle)}, twist{w: vec{2: turned}.add(axle.mul(w - turned*c)), v: v})
	r.joint(r.name("roll", k), model.Rolling, ground, disc, origin, origin).Radius = R
	r.show(disc, cylinder, [3]float64{R, 0.02}, origin, orange)
	r.showRod(disc, vec{-0.8 * R}, vec{0.8 * R}, 0.02, dark)
}

// coinSpin returns the component w of the angular velocity along the axle, rad/s, with which a disc of rollingDiscs rolls steadily. Its
// axle is at the angle theta from the vertical and turns about the vertical at the rate turned, Ω, rad/s. With A and C the moments of
// inertia across the axle and about it
//
//	A·Ω²·sin θ·cos θ − (C + m·r²)·w·Ω·sin θ − m·g·r·cos θ = 0.
func coinSpin(theta, turned float64) float64 {
	s, c := math.Sincos(theta)
	return (coinRadius*turned*turned*s*c/4 - Gravity*c) / (1.5 * coinRadius * turned * s)
}

const (
	snakeMass, truckMass, flywheelMass = 6.0, 0.8, 3.0   // kg
	snakeYaw, truckYaw, flywheelYaw    = 0.25, 4e-3, 0.3 // kg m², about z
	snakeHalf                          = 0.35            // m, from the middle to a truck
	snakeApart                         = 1.4             // m, from board to board
	snakeSwing, snakeSteer             = 0.7, 0.3        // rad, amplitudes of the flywheel and of the trucks
	snakeRate                          = 0.6             // Hz, of both
)

// snakeboards is n snakeboards side by side on a level plane, with gravity along −z. No external force pushes them: a flywheel in
// place of the rider swings to and fro, and both trucks steer in time with it, against each other. This propels a board forward. The
// bodies are "boardk", "frontk", "backk" and "riderk"; motions prescribe the hinges "steer frontk", "steer backk" and "swingk". The
// trucks have an edge each, "edge frontk" and "edge backk", and the joint "levelk" keeps the board on its plane. The amplitude of the
// swing is drawn from the seed.
//
// 4n bodies, 6n joints, 2n loops; rows 23n, no redundancy, mobility n: a board reaches 3 independent displacements
// (kkt.Report.Reaches).
//
// Cost: O(n). It returns ErrSize.
func snakeboards(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("snakeboard", n)
	if err != nil {
		return nil, err
	}
	r := newRig("snakeboard", n, seed, nb, 6*n)
	r.m.Gravity = [3]float64{0, 0, -Gravity}
	for k := range n {
		r.snakeboard(k, snakeSwing*(1+r.uniform(0.2)))
	}
	return r.m, nil
}

// snakeboard appends board k, whose flywheel swings with the amplitude swing, rad.
func (r *rig) snakeboard(k int, swing float64) {
	const height = 0.1
	rate := 2 * math.Pi * snakeRate
	middle := vec{0, -snakeApart * float64(k), height}
	plate := func(mass, yaw float64) solid {
		return solid{mass, vec{}, model.Inertia{XX: 0.6 * yaw, YY: 0.6 * yaw, ZZ: yaw}}
	}
	board := r.body(r.name("board", k), plate(snakeMass, snakeYaw), at(middle), twist{})
	r.fit(r.name("level", k), model.Planar, ground, board, at(middle), at(middle))
	moved := func(name, joint string, g solid, p vec, angle float64) int {
		x := at(middle.add(p))
		body := r.body(r.name(name, k), g, x, twist{w: vec{2: angle * rate}})
		r.fit(r.name(joint, k), model.Revolute, board, body, x, x).Motion = []*model.Motion{{
			Kind: model.Harmonic, Amplitude: angle, Frequency: snakeRate,
		}}
		return body
	}
	for i, end := range [2]string{"front", "back"} {
		sign := float64(1 - 2*i)
		p := vec{sign * snakeHalf}
		truck := moved(end, "steer "+end, plate(truckMass, truckYaw), p, sign*snakeSteer)
		y := place{middle.add(p), alongZ(vec{1: 1})}
		r.fit(r.name("edge "+end, k), model.NoSlip, ground, truck, y, y)
		r.show(truck, cuboid, [3]float64{0.04, 0.2, 0.03}, origin, dark)
		for _, side := range [2]float64{-0.11, 0.11} {
			r.show(truck, cylinder, [3]float64{0.05, 0.03}, place{vec{1: side, 2: -height + 0.05}, alongZ(vec{1: 1})}, orange)
		}
	}
	rider := moved("rider", "swing", plate(flywheelMass, flywheelYaw), vec{2: 0.12}, swing)
	r.show(board, cuboid, [3]float64{2 * snakeHalf, 0.18, 0.02}, at(vec{2: 0.03}), blue)
	r.showRod(rider, vec{1: -0.35}, vec{1: 0.35}, 0.025, grey)
	r.show(rider, model.SphereVisual, [3]float64{0.05}, at(vec{1: 0.35}), dark)
	r.show(rider, model.SphereVisual, [3]float64{0.05}, at(vec{1: -0.35}), dark)
}
