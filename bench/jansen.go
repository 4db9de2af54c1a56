package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// The numbers that Theo Jansen published of his leg (strandbeest.com), m. The first eleven are rods; the pivot lies a
// and l beside the crank, whose radius is m.
const (
	jansenA, jansenB, jansenC, jansenD, jansenE, jansenF = 0.38, 0.415, 0.393, 0.401, 0.558, 0.394
	jansenG, jansenH, jansenI, jansenJ, jansenK          = 0.367, 0.657, 0.49, 0.5, 0.619
	jansenL, jansenM                                     = 0.078, 0.15

	jansenDensity = 1.2             // kg/m, of the rods
	jansenPitch   = 0.12            // m, between pairs of legs along the shaft
	jansenPhase   = 2 * math.Pi / 3 // rad, between their cranks
	jansenTorque  = 6.0             // N m, on the shaft, a pair of legs
	jansenLoss    = 1.0             // N m s, of its bearing, a pair
)

// Jansen is Jansen's walking machine held in the air, with gravity along −z. It has n pairs of
// legs, one leg to the left and one to the right ("leg l0", "leg r0"). They are on a shaft along
// −y, with a crank for each pair, a third of a turn ahead of the crank before. A leg has the
// bodies "jl0" and "kl0" on the crank, the plate "ul0" (rods b, d, e) and the rod "cl0" on the
// pivot, "fl0", and the foot "tl0" (rods g, h, i). A torque turns the shaft against a damping; the
// rate of the shaft is drawn from the seed.
//
// A leg is three loops, each with three redundant rows, as of every plane linkage in space. One freedom moves them all.
//
// 12n+1 bodies, 18n+1 joints, 6n loops; rows 90n+5, rank 72n+5, redundant 18n, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func Jansen(n int, seed uint64) (*model.Model, error) {
	nb, err := count("jansen", n, jansenBodies)
	if err != nil {
		return nil, err
	}
	r := newRig("jansen", n, seed, nb, 18*n+1)
	c := upright()
	angle, rate := r.uniform(math.Pi), 3+r.uniform(1)
	crank := make([]pivot, n)
	arms := make([][2]vec, 0, 2*n)
	for k := range n {
		sin, cos := math.Sincos(angle + jansenPhase*float64(k%3))
		z := jansenPitch * float64(k)
		crank[k] = pivot{vec{jansenM * cos, jansenM * sin, z}, vec{-jansenM * sin * rate, jansenM * cos * rate}}
		arms = append(arms, [2]vec{{2: z}, crank[k].p})
		if k > 0 {
			arms = append(arms, [2]vec{{2: z - jansenPitch}, {2: z}})
		}
	}
	shaft := r.body("shaft", truss(jansenDensity, arms...), c.x, twist{w: c.x.q.apply(vec{2: rate})})
	j := r.hinge(c, "shaft", ground, shaft, pivot{})
	j.Force = append(r.list(1)[:0], jansenTorque*float64(n))
	j.Damping = append(r.list(1)[:0], jansenLoss*float64(n))
	for _, e := range arms {
		r.showRod(shaft, e[0], e[1], 1.5*jansenThick, dark)
	}
	for k := range n {
		r.jansenLeg(c, "l", k, 1, shaft, crank[k])
		r.jansenLeg(c, "r", k, -1, shaft, crank[k])
	}
	return r.m, nil
}

func jansenBodies(n int64) int64 { return 12*n + 1 }

// jansenThick is the radius of the rods as they are drawn, m.
const jansenThick = 0.012

// jansenTones are the colours of pairs of legs.
var jansenTones = [3][4]float64{orange, blue, {0.72, 0.26, 0.26, 1}}

// jansenPoints are the points of a leg beside the crank's pin.
type jansenPoints struct{ hip, upper, rear, lower, ankle, foot pivot }

// jansenAt returns the points of the left leg, side 1, or the right
// one, −1, its mirror image, by intersections of circles.
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

// jansenLeg appends a leg on the pin of a crank.
func (r *rig) jansenLeg(plane *plane, mark string, k int, side float64, shaft int, pin pivot) {
	q := jansenAt(pin, side)
	name := func(part string) string { return r.name(part+mark, k) }
	rod := func(part string, a, b pivot) int {
		end := vec{b.p.sub(a.p).norm()}
		body := r.bar(plane, name(part), truss(jansenDensity, [2]vec{{}, end}), a, b)
		r.showRod(body, vec{}, end, jansenThick, jansenTones[k%3])
		return body
	}
	// The third point of a plate, its frame on the first, x towards the second.
	plate := func(part string, a, b, c pivot) int {
		x := b.p.sub(a.p).unit()
		d := c.p.sub(a.p)
		second, third := vec{b.p.sub(a.p).norm()}, vec{d.dot(x), x.cross(d)[2]}
		edges := [...][2]vec{{{}, second}, {second, third}, {third, {}}}
		body := r.bar(plane, name(part), truss(jansenDensity, edges[:]...), a, b)
		for _, e := range edges {
			r.showRod(body, e[0], e[1], jansenThick, jansenTones[k%3])
		}
		return body
	}
	J, K := rod("j", pin, q.upper), rod("k", pin, q.lower)
	u, c := plate("u", q.hip, q.upper, q.rear), rod("c", q.hip, q.lower)
	f, t := rod("f", q.rear, q.ankle), plate("t", q.lower, q.ankle, q.foot)
	r.hinge(plane, name("pin j"), shaft, J, pin)
	r.hinge(plane, name("pin k"), shaft, K, pin)
	r.hinge(plane, name("hip u"), ground, u, q.hip)
	r.hinge(plane, name("hip c"), ground, c, q.hip)
	r.hinge(plane, name("upper"), J, u, q.upper)
	r.hinge(plane, name("lower c"), K, c, q.lower)
	r.hinge(plane, name("lower t"), K, t, q.lower)
	r.hinge(plane, name("rear"), u, f, q.rear)
	r.hinge(plane, name("ankle"), f, t, q.ankle)
}

// JansenFeet returns where the frames of the left and the right foot of pair k
// of Jansen(n, seed) are ("tl<k>", "tr<k>", at the points "lower") after the
// time t, world axes, m, if the shaft keeps its rate: intersections of circles.
//
// It returns ErrSize.
func JansenFeet(n int, seed uint64, t float64) ([][3]float64, error) {
	nb, err := count("jansen", n, jansenBodies)
	if err != nil {
		return nil, err
	}
	r := newRig("jansen", n, seed, nb, 0)
	c := upright()
	angle, rate := r.uniform(math.Pi), 3+r.uniform(1)
	var feet [][3]float64
	for k := range n {
		sin, cos := math.Sincos(angle + rate*t + jansenPhase*float64(k%3))
		pin := pivot{p: vec{jansenM * cos, jansenM * sin, jansenPitch * float64(k)}}
		for _, side := range [2]float64{1, -1} {
			feet = append(feet, c.point(jansenAt(pin, side).lower))
		}
	}
	return feet, nil
}
