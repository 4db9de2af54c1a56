package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// The lengths that Theo Jansen published for his leg (strandbeest.com), m. b to k are lengths of rods. The pivot is at the
// horizontal distance a and the vertical distance l from the axis of the crank, whose radius is m.
const (
	jansenA, jansenB, jansenC, jansenD, jansenE, jansenF = 0.38, 0.415, 0.393, 0.401, 0.558, 0.394
	jansenG, jansenH, jansenI, jansenJ, jansenK          = 0.367, 0.657, 0.49, 0.5, 0.619
	jansenL, jansenM                                     = 0.078, 0.15

	jansenDensity = 1.2             // kg/m, of the rods
	jansenPitch   = 0.12            // m, between pairs of legs along the shaft
	jansenPhase   = 2 * math.Pi / 3 // rad, between the cranks of neighbouring pairs
	jansenTorque  = 6.0             // N m, on the shaft, for each pair of legs
	jansenLoss    = 1.0             // N m s/rad, damping of the shaft's bearing, for each pair
)

// Jansen is Jansen's walking machine held in the air, with gravity along −z. It has n pairs of
// legs, one leg to the left and one to the right ("leg l0", "leg r0"). They are on a shaft along
// −y, with a crank for each pair, a third of a turn ahead of the crank before. A leg has the
// bodies "jl0" and "kl0" on the crank, the plate "ul0" (rods b, d, e) and the rod "cl0" on the
// pivot, "fl0", and the foot "tl0" (rods g, h, i). A torque turns the shaft against a damping; the
// rate of the shaft is drawn from the seed.
//
// A leg has three loops, each with three redundant rows, like every planar linkage in space. One freedom moves all legs.
//
// 12n+1 bodies, 18n+1 joints, 6n loops; rows 90n+5, rank 72n+5, redundant 18n, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func Jansen(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("jansen", n)
	if err != nil {
		return nil, err
	}
	r := newRig("jansen", n, seed, nb, 18*n+1)
	c := upright()
	angle, rate := r.jansenStart()
	crank := make([]pivot, n)
	arms := make([][2]vec, 0, 2*n)
	for k := range n {
		crank[k] = jansenPin(k, angle, rate)
		z := crank[k].p[2]
		arms = append(arms, [2]vec{{2: z}, crank[k].p})
		if k > 0 {
			arms = append(arms, [2]vec{{2: z - jansenPitch}, {2: z}})
		}
	}
	shaft := r.body("shaft", truss(jansenDensity, arms...), c.x, twist{w: c.x.q.apply(vec{2: rate})})
	j := r.hinge(c, "shaft", ground, shaft, pivot{})
	j.Force = r.values(jansenTorque * float64(n))
	j.Damping = r.values(jansenLoss * float64(n))
	for _, e := range arms {
		r.showRod(shaft, e[0], e[1], 1.5*jansenThick, dark)
	}
	for k := range n {
		r.jansenLeg(c, "l", k, 1, shaft, crank[k])
		r.jansenLeg(c, "r", k, -1, shaft, crank[k])
	}
	return r.m, nil
}

// jansenStart draws the angle, rad, and the rate of the shaft, rad/s. They are the first numbers that Jansen draws.
func (r *rig) jansenStart() (angle, rate float64) { return r.uniform(math.Pi), 3 + r.uniform(1) }

// jansenPin returns the pin of crank k when the shaft is at an angle, rad, and turns at a rate, rad/s.
func jansenPin(k int, angle, rate float64) pivot {
	sin, cos := math.Sincos(angle + jansenPhase*float64(k%3))
	return pivot{vec{jansenM * cos, jansenM * sin, jansenPitch * float64(k)}, vec{-jansenM * sin * rate, jansenM * cos * rate}}
}

// jansenThick is the drawn radius of the rods, m.
const jansenThick = 0.012

// jansenTones are the colours of the pairs of legs, by k mod 3.
var jansenTones = [3][4]float64{orange, blue, {0.72, 0.26, 0.26, 1}}

// jansenPoints are the pivots of a leg besides the crank's pin.
type jansenPoints struct{ hip, upper, rear, lower, ankle, foot pivot }

// jansenAt returns the pivots of a leg by intersections of circles: of the left leg for side 1, or of the right leg, its mirror
// image, for side −1.
func jansenAt(pin pivot, side float64) (q jansenPoints) {
	mirror := func(a pivot) pivot {
		a.p[0], a.v[0] = side*a.p[0], side*a.v[0]
		return a
	}
	pin = mirror(pin)
	q.hip = still(-jansenA, -jansenL).deep(pin.p[2])
	q.upper = meet(pin, jansenJ, q.hip, jansenB)
	q.rear = meet(q.upper, jansenE, q.hip, jansenD)
	q.lower = meet(q.hip, jansenC, pin, jansenK)
	q.ankle = meet(q.rear, jansenF, q.lower, jansenG)
	q.foot = meet(q.ankle, jansenH, q.lower, jansenI)
	for _, p := range []*pivot{&q.hip, &q.upper, &q.rear, &q.lower, &q.ankle, &q.foot} {
		*p = mirror(*p)
	}
	return q
}

// jansenLeg appends a leg of pair k on the pin of its crank. mark is "l" with side 1 for a left leg, "r" with −1 for a right one.
func (r *rig) jansenLeg(c *plane, mark string, k int, side float64, shaft int, pin pivot) {
	q := jansenAt(pin, side)
	name := func(part string) string { return r.name(part+mark, k) }
	rod := func(part string, a, b pivot) int {
		end := vec{b.p.sub(a.p).norm()}
		body := r.bar(c, name(part), truss(jansenDensity, [2]vec{{}, end}), a, b)
		r.showRod(body, vec{}, end, jansenThick, jansenTones[k%3])
		return body
	}
	// A plate is a triangle of rods. Its frame is on the first point, with x towards the second.
	plate := func(part string, a, b, e pivot) int {
		x := b.p.sub(a.p).unit()
		d := e.p.sub(a.p)
		second, third := vec{b.p.sub(a.p).norm()}, vec{d.dot(x), x.cross(d)[2]}
		edges := [...][2]vec{{{}, second}, {second, third}, {third, {}}}
		body := r.bar(c, name(part), truss(jansenDensity, edges[:]...), a, b)
		for _, e := range edges {
			r.showRod(body, e[0], e[1], jansenThick, jansenTones[k%3])
		}
		return body
	}
	J, K := rod("j", pin, q.upper), rod("k", pin, q.lower)
	U, C := plate("u", q.hip, q.upper, q.rear), rod("c", q.hip, q.lower)
	F, T := rod("f", q.rear, q.ankle), plate("t", q.lower, q.ankle, q.foot)
	r.hinge(c, name("pin j"), shaft, J, pin)
	r.hinge(c, name("pin k"), shaft, K, pin)
	r.hinge(c, name("hip u"), ground, U, q.hip)
	r.hinge(c, name("hip c"), ground, C, q.hip)
	r.hinge(c, name("upper"), J, U, q.upper)
	r.hinge(c, name("lower c"), K, C, q.lower)
	r.hinge(c, name("lower t"), K, T, q.lower)
	r.hinge(c, name("rear"), U, F, q.rear)
	r.hinge(c, name("ankle"), F, T, q.ankle)
}

// JansenFeet returns the positions, m, world frame, of the frames of all feet of Jansen(n, seed) at the time t, s, if the shaft
// keeps its rate: for each pair k the left foot "tl<k>", then the right foot "tr<k>". The frames are at the points "lower". They
// are computed by intersections of circles.
//
// It returns ErrSize.
func JansenFeet(n int, seed uint64, t float64) ([][3]float64, error) {
	if _, err := Bodies("jansen", n); err != nil {
		return nil, err
	}
	c := upright()
	angle, rate := newRig("jansen", n, seed, 0, 0).jansenStart()
	var feet [][3]float64
	for k := range n {
		pin := jansenPin(k, angle+rate*t, rate)
		for _, side := range [2]float64{1, -1} {
			feet = append(feet, c.point(jansenAt(pin, side).lower))
		}
	}
	return feet, nil
}
