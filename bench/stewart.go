package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Stewart is a stack of n Stewart–Gough platforms: platform "p0" stands on the
// world, "p1" on p0, and so on, each on six U-P-S legs. Leg i of platform k has
// the bodies "ck_i" (below) and "sk_i" and the joints "Uk_i", "Pk_i", "Sk_i".
// The prismatic joints have a force and a damping. Every platform moves with a random velocity and angular velocity; the legs follow.
// The stack bends at random.
//
// 13n bodies, 18n joints, 5n loops; rank 72n, nothing redundant, mobility 6n.
//
// Cost: O(n).
// It returns ErrSize.
func Stewart(n int, seed uint64) (*model.Model, error) {
	nb, err := Bodies("stewart", n)
	if err != nil {
		return nil, err
	}
	r := newRig("stewart", n, seed, nb, 18*n)
	base, x := ground, origin
	for k := range n {
		foot := x
		step := place{vec{0, 0, 1.1}.add(r.vec(0.1)), r.rotation(0.15)}
		x = x.then(step)
		g := solid{10, r.vec(0.05), model.Inertia{XX: 0.5, YY: 0.55, ZZ: 0.9, XY: r.uniform(0.05)}}
		top := r.body(r.name("p", k), g, x, twist{r.vec(0.5), r.vec(0.5)})
		for i := range 6 {
			// The anchors are in pairs; the pairs on top are 60° from the pairs below.
			pair, side := math.Pi/3*float64(i), math.Pi/12*float64(1-2*(i%2))
			sa, ca := math.Sincos(pair + side)
			sb, cb := math.Sincos(pair - side)
			r.leg(&leg{
				names: [5]string{
					r.name2("c", k, i), r.name2("s", k, i),
					r.name2("U", k, i), r.name2("P", k, i), r.name2("S", k, i),
				},
				base: base, top: top,
				a:     foot.point(vec{0.9 * ca, 0.9 * sa, 0.05}),
				b:     x.point(vec{0.6 * cb, 0.6 * sb, -0.05}),
				hinge: foot.q.apply(vec{ca, sa}),
			})
			slide := &r.m.Joints[len(r.m.Joints)-2]
			slide.Force, slide.Damping = r.values(r.between(10, 40)), r.values(5)
		}
		base = top
	}
	return r.m, nil
}

// leg describes a U-P-S leg between two bodies.
type leg struct {
	names     [5]string // of the lower and the upper body; of the universal, the prismatic and the spherical joint
	base, top int       // numbers of the bodies
	a, b      vec       // ends at base and top, world frame
	hinge     vec       // first axis of the universal joint, fixed in base: unit vector, world frame, not along b − a
}

// leg appends the two bodies and three joints of l, and returns the number of the lower body. A leg has six freedoms, so it follows
// any motion of its ends.
func (r *rig) leg(l *leg) int {
	P, S, t, length := r.rodBetween([2]int{l.base, l.top}, [2]vec{l.a, l.b}, l.hinge)
	half := vec{0, 0, length / 2}
	low := r.body(l.names[0], lump(1.5, vec{}, half), S, t)
	high := r.body(l.names[1], lump(0.8, vec{}, half.mul(-1)), place{l.b, S.q}, twist{t.w, r.velocity(l.top, l.b)})
	P.q = P.q.then(turn(vec{1}, r.uniform(0.5)))
	r.fit(l.names[2], model.Universal, l.base, low, P, S)
	r.joint(l.names[3], model.Prismatic, low, high, origin, at(half.mul(-1)))
	r.fit(l.names[4], model.Spherical, high, l.top, at(l.b), at(l.b))
	return low
}
