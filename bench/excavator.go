package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Sizes of an excavator.
const (
	diggerBoom, diggerStick = 4.5, 2.8  // m
	diggerRise, diggerFall  = 0.9, -1.3 // rad, angles of the boom and of the last stick to the horizontal
	diggerMass              = 220.0     // kg/m, of boom and sticks
	diggerOil               = 2e7       // N/m, stiffness of the oil in a locked cylinder
	diggerLoss              = 2e5       // N s/m, damping of a locked cylinder
	diggerPart              = 0.6       // length of barrel and of rod, each relative to their cylinder at the start
	diggerSpeed             = 0.4       // rad/s, largest sum of the rates of the arm's hinges
	diggerFoot              = 2.3       // m, from the end of boom or stick back to the foot of the next cylinder
)

// Excavator is an excavator with n sticks in a row; a real one has n = 1. The house turns on the ground ("slew") about z,
// gravity along −z. On it stands the arm, the bodies "arm0" (the boom), "arm1", …, on hinges "e0", …, each with a
// cylinder: "barrel0" and "rod0" with the hinges "foot0" and "head0" and the slider "slide0". At its end the bucket
// hangs on "wrist" and is turned by a four-bar of "rocker" and "link", which one more cylinder drives. Springs and
// dampers of the sliders are the locked oil, at rest at the start. All rates are drawn from the seed.
//
// Each cylinder closes a loop with one freedom, its length, and 3 redundant rows. The bucket's linkage closes one more loop.
//
// 3n+9 bodies, 4n+12 joints, n+3 loops; rows 20n+60, rank 17n+51, redundant 3n+9, mobility n+3.
//
// Cost: O(n). It returns ErrSize.
func Excavator(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("excavator", n)
	if err != nil {
		return nil, err
	}
	r := newRig("excavator", n, seed, nb, 4*n+12)
	slew := r.uniform(0.6) / float64(n+1)
	// x and y of the arm's plane are x and z of the house.
	c := &plane{place{vec{}, turn(vec{2: 1}, r.uniform(0.5)).then(turn(vec{1}, math.Pi/2))}, twist{w: vec{2: slew}}}
	house := r.body("house", box(6000, vec{2.6, 1.4, 2.4}, vec{-0.9, 0.3}), c.x, c.t)
	r.joint("slew", model.Revolute, ground, house, origin, place{q: c.x.q.inv()})
	d := &digger{r, c}
	d.showHouse(house)

	spread := (diggerFall - diggerRise) / float64(n)
	// The ear of a stick, to which its cylinder's head is pinned, is outside the bend between the stick and the part before it.
	sin, cos := math.Sincos(math.Pi/2 - 0.75*spread)
	ear := vec{0.7 * cos, 0.7 * sin}
	angle, last := diggerRise, house
	from := still(0.2, 0.7)
	eye := still(0.9, 0.1) // foot of the boom's cylinder on the house, ahead of the hinge
	arm := member{}
	for k := range n + 1 {
		length, rate := diggerStick, r.uniform(diggerSpeed)/float64(n+1)
		if k == 0 {
			length = diggerBoom
		} else {
			angle += spread
			rate += arm.rate
			eye = arm.at(arm.length-diggerFoot, 0.5)
		}
		arm = member{from, angle, rate, length}
		tip := arm.at(length, 0)
		body := r.bar(c, r.name("arm", k), box(diggerMass*length, vec{length, 0.6, 0.3}, vec{length / 2, 0.1}), from, tip)
		r.hinge(c, r.name("e", k), last, body, from)
		d.showArm(body, k, length)
		head := arm.at(0.45*length, -0.25)
		if k > 0 {
			head = arm.at(ear[0], ear[1])
			d.showBeam(body, vec{}, ear, 0.25, orange)
		}
		d.cylinder(r.name("", k), 180, last, body, eye, head)
		last, from = body, tip
	}
	d.bucket(last, &arm)
	return r.m, nil
}

// member is a straight part of the arm in its plane.
type member struct {
	from        pivot   // where it starts
	angle, rate float64 // from x of the plane, rad and rad/s
	length      float64 // m
}

// at returns the point at distances along and across the member, m.
func (l *member) at(along, across float64) pivot {
	s, c := math.Sincos(l.angle)
	d := vec{along*c - across*s, along*s + across*c}
	return pivot{l.from.p.add(d), l.from.v.add(vec{2: l.rate}.cross(d))}
}

// digger builds an excavator in the plane c of its arm.
type digger struct {
	*rig
	c *plane
}

// cylinder appends a hydraulic cylinder between the point from on the body foot and the point to on the body head: barrel, rod, a
// hinge at either end, and the slider between them. mass is of barrel and rod together, kg.
func (d *digger) cylinder(name string, mass float64, foot, head int, from, to pivot) {
	length := to.p.sub(from.p).norm()
	part := diggerPart * length
	half := vec{part / 2}
	barrel := d.bar(d.c, "barrel"+name, box(0.6*mass, vec{part, 0.16, 0.16}, half), from, to)
	rod := d.bar(d.c, "rod"+name, box(0.4*mass, vec{part, 0.09, 0.09}, half), to, from)
	d.show(barrel, cylinder, [3]float64{0.09, part}, place{half, alongX}, dark)
	d.show(rod, cylinder, [3]float64{0.05, part}, place{half, alongX}, grey)
	d.hinge(d.c, "foot"+name, foot, barrel, from)
	d.hinge(d.c, "head"+name, rod, head, to)
	x := d.place(barrel)
	x = place{x.point(vec{part}), x.q.then(turn(vec{1: 1}, math.Pi/2))} // z along the barrel
	s := d.fit("slide"+name, model.Prismatic, barrel, rod, x, x)
	s.Stiffness, s.Damping = d.values(diggerOil), d.values(diggerLoss)
}

// bucket appends the bucket, its rocker and link, and their cylinder, at the end of the last stick, which is the member l.
func (d *digger) bucket(stick int, l *member) {
	end := l.length
	wrist, hip, foot := l.at(end, 0), l.at(end-0.43, 0.15), l.at(end-diggerFoot, 0.5)
	rocker := member{hip, l.angle + 1.4, l.rate + d.uniform(diggerSpeed), 0.6}
	knee := rocker.at(rocker.length, 0)
	ear := meet(wrist, 0.5, knee, 0.52)
	shell := d.bar(d.c, "bucket", box(650, vec{1.1, 1.0, 1.2}, vec{0.1, -0.6}), wrist, ear)
	r, k := d.bar(d.c, "rocker", truss(60, [2]vec{{}, {0.6}}), hip, knee), d.bar(d.c, "link", truss(60, [2]vec{{}, {0.52}}), knee, ear)
	d.showBucket(shell)
	d.hinge(d.c, "wrist", stick, shell, wrist)
	d.hinge(d.c, "hip", stick, r, hip)
	d.hinge(d.c, "knee", r, k, knee)
	d.hinge(d.c, "ear", k, shell, ear)
	d.cylinder("b", 110, stick, r, foot, knee)
}

// showHouse draws the house and, in the world, the tracks under it.
func (d *digger) showHouse(house int) {
	d.show(house, cuboid, [3]float64{3.0, 0.9, 2.4}, at(vec{-1.0, 0.15}), orange)
	d.show(house, cuboid, [3]float64{1.2, 1.2, 0.9}, at(vec{-0.1, 1.2, 0.7}), blue)
	d.show(house, cuboid, [3]float64{0.6, 0.8, 0.4}, at(vec{0.4, 0.4}), orange)
	d.show(ground, cylinder, [3]float64{0.8, 0.3}, at(vec{2: -0.4}), dark)
	for _, y := range [2]float64{-1, 1} {
		d.show(ground, cuboid, [3]float64{3.6, 0.5, 0.7}, at(vec{0, y, -0.85}), dark)
	}
}

// showArm draws the boom, bent upwards, or a stick with the ear of its cylinder.
func (d *digger) showArm(body, k int, length float64) {
	// The bracket with the foot of the next cylinder.
	d.showBeam(body, vec{length - diggerFoot, 0.1}, vec{length - diggerFoot, 0.5}, 0.25, dark)
	if k == 0 {
		knee := vec{0.5 * length, 0.3}
		d.showBeam(body, vec{}, knee, 0.5, orange)
		d.showBeam(body, knee, vec{length}, 0.45, orange)
		d.showBeam(body, vec{0.45 * length, -0.25}, knee, 0.25, dark)
		return
	}
	d.showBeam(body, vec{}, vec{length}, 0.4, orange)
}

// showBeam draws a box between two points of a body, with the given height, m, and 0.3 m thick.
func (d *digger) showBeam(body int, from, to vec, high float64, tone [4]float64) {
	along := to.sub(from)
	x := place{from.add(to).mul(0.5), turn(vec{2: 1}, math.Atan2(along[1], along[0]))}
	d.show(body, cuboid, [3]float64{along.norm() + 0.1, high, 0.3}, x, tone)
}

// showBucket draws the bucket as plates along an arc.
func (d *digger) showBucket(shell int) {
	const plates, radius, first, last = 8, 0.6, 1.2, -2.2
	for i := range plates {
		a := first + (last-first)*(float64(i)+0.5)/plates
		s, c := math.Sincos(a)
		x := place{vec{0.05 + radius*c, -0.6 + radius*s}, turn(vec{2: 1}, a)}
		d.show(shell, cuboid, [3]float64{0.06, 1.05 * radius * (first - last) / plates, 1.1}, x, dark)
	}
	d.show(shell, cuboid, [3]float64{0.55, 0.12, 0.3}, at(vec{0.25}), dark)
}
