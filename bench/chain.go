package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Chain is an open chain of n links "b0", … on n revolutes "j0", … from the
// world; link k+1 turns about an axis at right angles to the axis of link k. Angles
// are random within ±0.6 rad. The rates are such that each link turns about
// its own axis at a random absolute rate, which keeps the motion bounded.
//
// n bodies, n joints, no loops; rank 5n, nothing redundant, mobility n.
//
// Cost: O(n).
// It returns ErrSize.
func Chain(n int, seed uint64) (*model.Model, error) {
	if _, err := Bodies("chain", n); err != nil {
		return nil, err
	}
	r := newRig("chain", n, seed, n, n)
	// A link hangs along its −z; its hinge is along its x, the hinge of the next link along its y.
	hinge := axes(vec{1: 1}, vec{2: 1}, vec{1})
	foot := turn(vec{2: 1}, math.Pi/2).then(hinge)
	frame := place{q: foot}
	for k, up := 0, ground; k < n; k++ {
		axis := r.place(up).q.then(frame.q).apply(vec{2: 1})
		var d displacement
		rate := r.uniform(1.5) - axis.dot(r.twist(up).w)
		d.x, d.t = screw(r.uniform(0.6), rate, vec{}, vec{})
		next := vec{r.uniform(0.05), r.uniform(0.05), -r.between(0.3, 0.5)}
		up, _ = r.hang(&link{
			body: r.name("b", k), joint: r.name("j", k), kind: model.Revolute,
			up: up, frame: frame, local: place{q: hinge},
			g: lump(1, vec{}, next, vec{r.uniform(0.1), r.uniform(0.1), next[2] / 2}),
		}, &d)
		frame = place{next, foot}
	}
	return r.m, nil
}

// Tree is a binary tree of n bodies "b0", … hung from the world by "j0"; body
// k hangs from body (k−1)/2 by joint "jk". Joint types, frames, coordinates
// and rates are random; the types are all types with one to three freedoms.
//
// n bodies, n joints, no loops; nothing redundant; mobility is the sum of the
// freedoms.
//
// Cost: O(n).
// It returns ErrSize.
func Tree(n int, seed uint64) (*model.Model, error) {
	if _, err := Bodies("tree", n); err != nil {
		return nil, err
	}
	r := newRig("tree", n, seed, n, n)
	types := [...]model.JointType{
		model.Revolute, model.Prismatic, model.Helical, model.Cylindrical,
		model.Universal, model.Planar, model.Spherical,
	}
	for k := range n {
		up, frame := ground, place{q: r.rotation(math.Pi)}
		if k > 0 {
			up = (k - 1) / 2
			side := float64(2*(k%2) - 1)
			frame.p = vec{0.3 * side, 0, -0.4}.add(r.vec(0.1))
		}
		l := link{
			body: r.name("b", k), joint: r.name("j", k), kind: types[r.rng.IntN(len(types))],
			up: up, frame: frame, local: place{r.vec(0.05), r.rotation(math.Pi)}, g: r.boulder(),
		}
		if l.kind == model.Helical {
			l.pitch = r.pitch()
		}
		d := r.displace(l.kind, 1, l.pitch, 0)
		r.hang(&l, &d)
	}
	return r.m, nil
}

// pitch draws the pitch of a screw of either hand, m/rad.
func (r *rig) pitch() float64 {
	p := r.between(0.05, 0.3)
	if r.rng.IntN(2) == 0 {
		return -p
	}
	return p
}

// boulder draws the mass properties of a body of about 0.5 m whose products of
// inertia are not zero.
func (r *rig) boulder() solid {
	c := r.vec(0.1)
	return lump(r.between(0.5, 2), c.add(r.vec(0.3)), c.add(r.vec(0.3)), c.add(r.vec(0.3)), c.add(r.vec(0.3)))
}
