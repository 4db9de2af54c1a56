package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Sizes of a biped.
const (
	bipedApart = 1.2  // m, from one robot to the next
	bipedHigh  = 1.02 // m, height of the torso's frame, so that the feet are about on the ground

	bipedThigh, bipedShank = 0.36, 0.34 // m
	bipedBend              = 0.6        // rad, design angle of a knee; hip and ankle bend by half of it
	// The linkage of a knee, in the plane of the thigh: the distance of its motor below the hip, and the lengths of its links.
	bipedMotor, bipedLever, bipedRocker = 0.08, 0.05, 0.045
	bipedKneeRod                        = bipedThigh - bipedMotor

	bipedHeel                  = 0.05         // m, distance of the rods' ends behind the ankle on the foot, and length of the horns
	bipedSole                  = 0.02         // m, depth of the balls below the ankle
	bipedHalf                  = 0.035        // m, half the distance between the rods of an ankle
	bipedUpper, bipedLow       = 0.22, 0.14   // m, heights of the two motors above the ankle
	bipedStrap, bipedStrapLoss = 2500.0, 60.0 // N/m and N s/m, of a strap
)

// servo is a motor with its gear: stiffness, N m/rad, damping, N m s/rad, and inertia of the rotor, kg m², all at the joint.
type servo struct{ stiffness, damping, rotor float64 }

var (
	bipedHip   = servo{300, 12, 0.02}
	bipedKnee  = servo{300, 12, 0.02}    // at the lever of a knee
	bipedAnkle = servo{120, 1.2, 0.0025} // at a horn
)

// bipeds is n walking robots that do not touch each other, gravity along −z. The torso of each ("torso0") hangs on four
// elastic straps, as in a laboratory, and is free otherwise. A leg (l or r) turns at the hip about z, x and y: "yaw_l0",
// "roll_l0" and "pitch_l0", with the bodies "hip_l0", "fork_l0" and "thigh_l0". Three loops move the rest of the leg:
//
//   - A four-bar linkage in the plane of the thigh turns the knee ("knee_l0"). The motor ("motor_l0") turns a lever
//     ("lever_l0"), which pushes a rod ("rod_l0") that ends on the shank behind the knee ("pin_l0", "heel_l0").
//   - The ankle ("ankle_l0") is a universal joint, first about the axis across the foot. Two motors on the shank ("servo_la0" above,
//     "servo_lb0" below) turn horns ("horn_la0", "horn_lb0"), which move the foot by two rods ("link_la0", "link_lb0"): together up
//     and down, against each other to a side. A rod has a universal joint on its horn ("cross_la0") and a ball on the foot
//     ("ball_la0").
//
// Both loops of an ankle have the ankle in common, and hang on the shank that the first loop carries. Motors are springs
// about the pose at the start, with damping and the inertia of their rotors. Pose and rates are drawn from the seed.
//
// All joints of a knee are hinges, as in a real machine, so that 3 rows of its planar loop are redundant. Rods of ankles have a
// ball at one end, so none of their rows is redundant.
//
// 23n bodies, 28n joints, 6n loops; rows 126n, rank 120n, redundant 6n, mobility 18n.
//
// Cost: O(n). It returns ErrSize.
func bipeds(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("biped", n)
	if err != nil {
		return nil, err
	}
	r := newRig("biped", n, seed, nb, 28*n)
	r.m.Forces = make([]model.ForceElement, 0, 4*n)
	for k := range n {
		first := len(r.m.Bodies)
		torso := r.bipedTorso(k)
		r.bipedSide("l", k, 1, torso)
		r.bipedSide("r", k, -1, torso)
		r.bipedStraps(k, first)
	}
	return r.m, nil
}

// bipedTorso appends the torso of robot k, whose frame is between the hips, and returns its number.
func (r *rig) bipedTorso(k int) int {
	x := place{vec{0, -bipedApart * float64(k), bipedHigh}, r.rotation(0.05)}
	torso := r.body(r.name("torso", k), box(14, vec{0.18, 0.28, 0.36}, vec{0, 0, 0.22}), x, twist{r.vec(0.3), r.vec(0.2)})
	r.show(torso, cuboid, [3]float64{0.18, 0.3, 0.18}, at(vec{2: 0.33}), orange)
	r.show(torso, cuboid, [3]float64{0.14, 0.2, 0.2}, at(vec{2: 0.14}), grey)
	r.show(torso, cylinder, [3]float64{0.05, 0.32}, place{vec{2: 0.03}, alongY}, dark)
	return torso
}

// bipedStraps appends the straps of robot k, whose bodies are the last ones from the number first on, and draws the beam on which
// they hang. The straps carry the weight of the robot at the start.
func (r *rig) bipedStraps(k, first int) {
	mass := 0.0
	for i := first; i < len(r.m.Bodies); i++ {
		mass += r.m.Bodies[i].Mass
	}
	beam := vec{0, -bipedApart * float64(k), bipedHigh + 0.85}
	r.show(ground, cuboid, [3]float64{0.6, 0.7, 0.03}, at(beam.add(vec{2: 0.015})), grey)
	for i, side := range [4]vec{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		eye := vec{0.08 * side[0], 0.12 * side[1], 0.42}
		hook := beam.add(vec{0.25 * side[0], 0.3 * side[1]})
		strap := hook.sub(r.place(first).point(eye))
		force := mass * Gravity / 4 * strap.norm() / strap[2] // its vertical component is a quarter of the weight
		r.m.Forces = append(r.m.Forces, model.ForceElement{
			Name: r.name2("strap", k, i), Type: model.SpringDamper,
			A: model.Attachment{Body: model.World, Point: hook}, B: model.Attachment{Body: r.label(first), Point: eye},
			Stiffness: bipedStrap, Damping: bipedStrapLoss, RestLength: strap.norm() - force/bipedStrap,
		})
	}
}

// bipedLeg is a leg while it is built.
type bipedLeg struct {
	*rig
	side string  // "l" or "r"
	k    int     // number of the robot
	left float64 // 1 at the left, −1 at the right
}

// of returns the name of a part of the leg, such as "knee_l0" for "knee_".
func (b *bipedLeg) of(part string) string { return b.name(part+b.side, b.k) }

// bipedSide appends a leg of robot k on its torso: side "l" with left 1, or "r" with −1.
func (r *rig) bipedSide(side string, k int, left float64, torso int) {
	b := &bipedLeg{r, side, k, left}
	y := func(at float64) float64 { return left * at }
	hip := b.turned("hip_", "yaw_", torso, box(1.2, vec{0.09, 0.09, 0.1}, vec{2: -0.03}),
		place{vec{0, y(0.11), -0.03}, one}, 0, 0.15)
	fork := b.turned("fork_", "roll_", hip, box(1, vec{0.1, 0.06, 0.08}, vec{0, y(0.01), -0.02}),
		place{vec{2: -0.07}, alongX}, 0, 0.12)
	thigh := b.turned("thigh_", "pitch_", fork, box(3.4, vec{0.11, 0.1, 0.34}, vec{0.01, 0, -0.15}),
		place{vec{0, y(0.02), -0.05}, alongY}, -bipedBend/2, 0.25)
	bend, rate := bipedBend+b.uniform(0.25), b.uniform(2)
	shank := b.turn("shank_", "knee_", model.Revolute, thigh, box(1.8, vec{0.09, 0.08, 0.32}, vec{0.01, 0, -0.14}),
		place{vec{2: -bipedThigh}, alongY}, [2]float64{bend}, [2]float64{rate})
	b.knee(thigh, shank, bend, rate)
	across := place{vec{2: -bipedShank}, axes(vec{1: 1}, vec{-1}, vec{2: 1})} // x across the foot, y backward
	foot := b.turn("foot_", "ankle_", model.Universal, shank, box(0.8, vec{0.22, 0.1, 0.03}, vec{0.03, 0, -0.05}), across,
		[2]float64{-bipedBend/2 + b.uniform(0.2), b.uniform(0.15)}, [2]float64{b.uniform(1.5), b.uniform(1.5)})
	b.ankle("a", bipedUpper, bipedHalf, shank, foot)
	b.ankle("b", bipedLow, -bipedHalf, shank, foot)
	b.showLeg(hip, fork, thigh, shank, foot)
}

// turned appends a body on a driven hinge of the hip, about z of the frame hinge in the body up. The angle is drawn from about −
// spread to about + spread. turned returns the number of the body.
func (b *bipedLeg) turned(body, joint string, up int, g solid, hinge place, about, spread float64) int {
	angle := about + b.uniform(spread)
	i := b.turn(body, joint, model.Revolute, up, g, hinge, [2]float64{angle}, [2]float64{b.uniform(1)})
	b.drive(&b.m.Joints[len(b.m.Joints)-1], bipedHip, angle)
	return i
}

// turn appends a body on a joint at the frame x in the body up, with the coordinates q and rates qd. The frame of the body is at the
// joint, and has the axes of the body up when the coordinates are zero. turn returns the number of the body.
func (b *bipedLeg) turn(body, joint string, kind model.JointType, up int, g solid, x place, q, qd [2]float64) int {
	d := displacement{q: [4]float64{q[0], q[1]}, qd: [4]float64{qd[0], qd[1]}}
	d.set(kind, 0)
	i, _ := b.hang(&link{body: b.of(body), joint: b.of(joint), kind: kind, up: up, frame: x, local: place{q: x.q}, g: g}, &d)
	return i
}

// drive puts a motor on a hinge; its spring is at rest at an angle, rad.
func (b *bipedLeg) drive(j *model.Joint, s servo, rest float64) {
	j.Stiffness, j.Damping, j.Rest, j.Armature = b.values(s.stiffness), b.values(s.damping), b.values(rest), b.values(s.rotor)
}

// knee appends lever and rod of a knee that is bent by an angle, rad, and bends at a rate, rad/s. x and y of their plane are x and z
// of the thigh.
func (b *bipedLeg) knee(thigh, shank int, bend, rate float64) {
	x := b.place(thigh)
	c := &plane{place{x.p, x.q.then(upright().x.q)}, b.twist(thigh)}
	s, cos := math.Sincos(math.Pi + bipedBend - bend) // at the design angle the rocker points straight back, like the lever
	rocker := vec{bipedRocker * cos, bipedRocker * s}
	heel := pivot{vec{1: -bipedThigh}.add(rocker), vec{2: -rate}.cross(rocker)}
	motor := still(0, -bipedMotor)
	pin := meet(motor, bipedLever, heel, bipedKneeRod)
	inside := 0.06 * b.left // z of the plane is −y of the thigh
	motor, pin, heel = motor.deep(inside), pin.deep(inside), heel.deep(inside)
	lever := b.bar(c, b.of("lever_"), box(0.15, vec{bipedLever, 0.02, 0.015}, vec{bipedLever / 2}), motor, pin)
	rod := b.bar(c, b.of("rod_"), box(0.15, vec{bipedKneeRod, 0.015, 0.015}, vec{bipedKneeRod / 2}), pin, heel)
	b.drive(b.hinge(c, b.of("motor_"), thigh, lever, motor), bipedKnee, 0)
	b.hinge(c, b.of("pin_"), lever, rod, pin)
	b.hinge(c, b.of("heel_"), rod, shank, heel)
	b.showRod(lever, vec{}, vec{bipedLever}, 0.012, orange)
	b.showRod(rod, vec{}, vec{bipedKneeRod}, 0.008, blue)
	b.show(thigh, cylinder, [3]float64{0.035, 0.07}, place{x.inv().point(c.point(motor)), alongY}, dark)
	y := c.frame(heel).in(b.place(shank)).p
	b.showRod(shank, vec{1: y[1]}, y, 0.012, dark)
}

// ankle appends a horn on the shank, at the height high above the ankle and at the offset y to the left, m, and the rod from the
// horn to the foot.
func (b *bipedLeg) ankle(mark string, high, y float64, shank, foot int) {
	x, out, across := b.place(shank), vec{-1}, vec{1: -1} // the horn points back (out) and turns down about −y of the shank (across)
	hinge := vec{0, y, high - bipedShank}
	ball := b.place(foot).point(vec{-bipedHeel, y, -bipedSole})
	v := x.q.inv().apply(b.velocity(foot, ball).sub(b.velocity(shank, ball)))
	angle, rate := armTo(x.inv().point(ball).sub(hinge), v, out, bipedHeel, high+bipedSole)
	s, c := math.Sincos(angle)
	along, up := out.mul(c).add(vec{2: -s}), out.mul(s).add(vec{2: c})
	p := x.point(hinge)
	t := twist{b.twist(shank).w.add(x.q.apply(across).mul(rate)), b.velocity(shank, p)}
	g, turned := box(0.08, vec{bipedHeel, 0.015, 0.02}, vec{bipedHeel / 2}), x.q.then(axes(along, across, up))
	horn := b.body(b.name("horn_"+b.side+mark, b.k), g, place{p, turned}, t)
	axis := place{p, x.q.then(alongZ(across))}
	b.drive(b.fit(b.name("servo_"+b.side+mark, b.k), model.Revolute, shank, horn, axis, axis), bipedAnkle, 0)
	rod, cross, end := b.name("link_"+b.side+mark, b.k), b.name("cross_"+b.side+mark, b.k), b.name("ball_"+b.side+mark, b.k)
	b.strut(&strut{
		names: [3]string{rod, cross, end},
		on:    [2]int{horn, foot}, ends: [2]vec{b.place(horn).point(vec{bipedHeel}), ball}, hinge: x.q.apply(across),
		mass: 0.06, wide: 0.012, radius: 0.006,
	})
	b.showRod(horn, vec{}, vec{bipedHeel}, 0.01, orange)
	b.show(shank, cylinder, [3]float64{0.028, 0.05}, place{hinge.sub(vec{1: math.Copysign(0.03, y)}), alongY}, dark)
	b.showRod(foot, vec{0, y, -0.035}, vec{-bipedHeel, y, -bipedSole}, 0.01, dark)
}

// showLeg draws the large parts of a leg.
func (b *bipedLeg) showLeg(hip, fork, thigh, shank, foot int) {
	b.show(hip, cylinder, [3]float64{0.04, 0.09}, at(vec{2: -0.02}), grey)
	b.show(fork, cylinder, [3]float64{0.035, 0.11}, place{vec{}, alongX}, dark)
	b.show(fork, cuboid, [3]float64{0.05, 0.05, 0.06}, at(vec{0, 0.01 * b.left, -0.03}), grey)
	b.show(thigh, cylinder, [3]float64{0.045, 0.09}, place{vec{}, alongY}, dark)
	b.show(thigh, cuboid, [3]float64{0.08, 0.05, bipedThigh - 0.07}, at(vec{0.02, 0, -bipedThigh / 2}), orange)
	b.show(thigh, cylinder, [3]float64{0.04, 0.08}, place{vec{2: -bipedThigh}, alongY}, dark)
	b.show(shank, cuboid, [3]float64{0.05, 0.035, bipedShank - 0.06}, at(vec{0.015, 0, -bipedShank / 2}), grey)
	b.show(shank, cylinder, [3]float64{0.02, 0.09}, place{vec{2: -bipedShank}, alongY}, dark)
	b.show(foot, cuboid, [3]float64{0.22, 0.1, 0.02}, at(vec{0.03, 0, -0.06}), dark)
	b.show(foot, cuboid, [3]float64{0.05, 0.04, 0.05}, at(vec{2: -0.03}), dark)
}
