package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Sizes of a level of the ladder, m.
const (
	ladderHalf = 0.4  // half the distance of the two hang points
	ladderRung = 0.3  // depth of the rung joint below the hang points
	ladderStep = 0.3  // depth of the next level
	ladderZag  = 0.4  // offset of the next hang points, to alternate sides
	ladderVary = 0.04 // largest random offset of every point along an axis
	ladderBend = 0.1  // rad, rotation from level to level
)

// level holds the joint points of one level of the ladder, world axes.
type level struct {
	a, b vec // hang points of the left and right body
	c    vec // rung joint
	e, f vec // hang points of the next level's left and right body
}

// Ladder is the graph of RBDA Figure 8.4 with n bodies: two bodies a level,
// "L0", "R0", "L1", …, a rung joint "m0" between them and two rail joints
// "l0", "r0" to the level before, the first level hung from the world; all
// joints spherical. If n is odd, the last level is a left body without rung.
//
// The levels hang in a zigzag, so that no line of force runs straight through
// the ladder and the smallest singular value of the Jacobian, 0.1, does not fall
// with n; the ladder curves gently at random, which keeps it compact. Every level
// swings, and every body spins, at a rate of its own.
//
// With h = ⌊n/2⌋: 3h joints (one more if n is odd), h loops, nothing redundant,
// mobility 3h (3 more if n is odd).
//
// Cost: O(n).
// It returns ErrSize.
func Ladder(n int, seed uint64) (*model.Model, error) {
	if _, err := Bodies("ladder", n); err != nil {
		return nil, err
	}
	r := newRig("ladder", n, seed, n, n+n/2)
	left, right := ground, ground
	x, half := origin, ladderHalf
	for k := 0; 2*k < n; k++ {
		var g level
		g, x, half = r.level(x, half, k)
		wl, wr := r.swing(&g, r.velocity(left, g.a), r.velocity(right, g.b))
		left = r.rail("L", "l", k, left, wl, [3]vec{g.a, g.c, g.e})
		if 2*k+1 == n {
			break
		}
		right = r.rail("R", "r", k, right, wr, [3]vec{g.b, g.c, g.f})
		r.fit(r.name("m", k), model.Spherical, left, right, at(g.c), at(g.c))
	}
	return r.m, nil
}

// level returns the points of level k, whose hang points are at ±half on the x axis of the frame x, and then the frame and the
// half distance of the next level.
func (r *rig) level(x place, half float64, k int) (level, place, float64) {
	side := float64(1 - 2*(k%2))
	c := vec{0, 0, -ladderRung}.add(r.vec(ladderVary))
	step := vec{0, side * ladderZag, -ladderStep}.add(r.vec(ladderVary))
	y := place{x.point(step), x.q.then(r.rotation(ladderBend))}
	next := ladderHalf + r.uniform(ladderVary)
	return level{
		a: x.point(vec{-half}), b: x.point(vec{half}), c: x.point(c),
		e: y.point(vec{-next}), f: y.point(vec{next}),
	}, y, next
}

// rail appends a body of level k with angular velocity w and joints at the points p, all in the world frame. It hangs at p[0] from
// the body number up. rail returns its number.
func (r *rig) rail(body, joint string, k, up int, w vec, p [3]vec) int {
	x := place{p[0], r.rotation(math.Pi)}
	var local [3]vec
	for i := range p {
		local[i] = x.q.inv().apply(p[i].sub(p[0]))
	}
	i := r.body(r.name(body, k), lump(1, local[:]...), x, twist{w, r.velocity(up, p[0])})
	r.fit(r.name(joint, k), model.Spherical, up, i, at(p[0]), at(p[0]))
	return i
}

// swing returns the angular velocities of the left and right body of a level whose hang points move with va and vb. Three numbers
// are free: the swing of both about the line of the hang points, and the spin of each body about the line from its hang point to
// the rung joint. They are chosen by least squares so that the bodies turn at rates near random ones and the next hang points
// move with nearly the same velocity. So neither the rates nor the velocity between the hang points grows along the ladder.
func (r *rig) swing(g *level, va, vb vec) (wl, wr vec) {
	u, w := g.c.sub(g.a), g.c.sub(g.b)
	d := vb.sub(va)
	// The velocity y = vc − va of the rung joint keeps both lengths: y·u = 0, (y − d)·w = 0. Its component along the normal n of
	// the plane through the hang points and the rung joint is free (the swing).
	uu, ww, uw := u.dot(u), w.dot(w), u.dot(w)
	y := w.sub(u.mul(uw / uu)).mul(d.dot(w) / (ww - uw*uw/uu))
	n := u.cross(w).unit()
	// Angular velocities of each body that give y, and for a unit of the swing, the left and the right spin.
	turnL := [4]vec{u.cross(y).mul(1 / uu), u.cross(n).mul(1 / uu), u.unit(), {}}
	turnR := [4]vec{w.cross(y.sub(d)).mul(1 / ww), w.cross(n).mul(1 / ww), {}, w.unit()}
	// e[0] + Σ p[k]·e[k+1] are the differences of the two angular velocities from random ones, and the velocity between the next
	// hang points, which counts more.
	const weight = 4
	var e [4][3]vec
	le, rf := g.e.sub(g.a), g.f.sub(g.b)
	for k := range e {
		e[k] = [3]vec{turnL[k], turnR[k], turnR[k].cross(rf).sub(turnL[k].cross(le)).mul(weight)}
	}
	e[0][2] = e[0][2].add(d.mul(weight))
	e[0][0] = e[0][0].sub(r.vec(1))
	e[0][1] = e[0][1].sub(r.vec(1))
	p := nearest(&e)
	wl, wr = turnL[0], turnR[0]
	for k, s := range p {
		wl = wl.add(turnL[k+1].mul(s))
		wr = wr.add(turnR[k+1].mul(s))
	}
	return wl, wr
}

// nearest returns the p that minimizes |e[0] + Σ p[k]·e[k+1]|², by the normal
// equations and Cramer's rule.
func nearest(e *[4][3]vec) vec {
	var N [3]vec
	var g vec
	for i := range N {
		for m := range e[i+1] {
			g[i] -= e[i+1][m].dot(e[0][m])
			for j := range N[i] {
				N[i][j] += e[i+1][m].dot(e[j+1][m])
			}
		}
	}
	x, y, z := N[1].cross(N[2]), N[2].cross(N[0]), N[0].cross(N[1])
	return x.mul(g[0]).add(y.mul(g[1])).add(z.mul(g[2])).mul(1 / N[0].dot(x))
}
