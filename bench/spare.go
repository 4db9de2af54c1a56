package bench

import (
	"math"
	"math/bits"
	"slices"

	"github.com/rung-mbd/rung/model"
)

const (
	// leastPivot is the smallest pivot (smallestPivot) with which a loop of Random may close; it keeps the mechanism away from
	// singular poses.
	leastPivot = 0.15
	// mostRows is the largest number of rows of a cluster; it bounds the cost of adding a loop.
	mostRows = 12
)

// row is one constraint of a joint: t·velocity + e·angular velocity = 0, for the relative motion at the point p, world frame.
type row struct{ p, t, e vec }

// loop is a joint between bodies a and b that closes a loop.
type loop struct {
	a, b int
	rows []row
}

// cluster holds loops that share joints of the tree. Rows of two clusters have no freedom in common.
type cluster struct {
	loops  []loop
	bodies []int // bodies whose joints of the tree are in the loops
	rows   int   // rows of all loops
}

// rows returns the constraints of a joint that closes a loop, from its frames
// in the world.
func rows(kind model.JointType, P, S place, pitch float64) []row {
	x, y, z := P.q.apply(vec{1}), P.q.apply(vec{1: 1}), P.q.apply(vec{2: 1})
	switch kind {
	case model.Distance:
		return []row{{p: S.p, t: S.p.sub(P.p).unit()}}
	case model.PointOnPlane:
		return []row{{p: S.p, t: z}}
	case model.SphereInCylinder:
		return []row{{p: S.p, t: x}, {p: S.p, t: y}}
	case model.Cylindrical:
		return []row{{p: S.p, t: x}, {p: S.p, t: y}, {e: x}, {e: y}}
	default: // helical
		return []row{
			{p: S.p, t: x}, {p: S.p, t: y}, {e: x}, {e: y},
			{p: S.p, t: z, e: z.mul(-pitch)},
		}
	}
}

// freely returns the numbers of rotations and translations that a joint allows. The bits of a joint's freedoms are in this order.
func freely(kind model.JointType) (rotations, translations int) {
	switch kind {
	case model.Revolute, model.Helical:
		return 1, 0
	case model.Prismatic:
		return 0, 1
	case model.Cylindrical:
		return 1, 1
	case model.Universal:
		return 2, 0
	case model.Planar:
		return 1, 2
	case model.Spherical:
		return 3, 0
	case model.SphereInCylinder:
		return 3, 1
	case model.PointOnPlane, model.Distance:
		return 3, 2
	case model.Free:
		return 3, 3
	default:
		return 0, 0
	}
}

// motions returns the motions m that the joint allows by which body i hangs, one for each of the n bits of its freedoms, with the
// point p to which their velocities belong, world frame.
func (g *tangle) motions(i int) (p vec, m [6]twist, n int) {
	j := &g.m.Joints[g.joint[i]]
	pred, succ := int(g.up[i]), i
	if j.Successor != g.m.Bodies[i].Name {
		pred, succ = i, int(g.up[i])
	}
	P := g.place(pred).then(place{j.PredecessorFrame.Position, j.PredecessorFrame.Orientation})
	S := g.place(succ).then(place{j.SuccessorFrame.Position, j.SuccessorFrame.Orientation})
	x, y, z := P.q.apply(vec{1}), P.q.apply(vec{1: 1}), P.q.apply(vec{2: 1})
	rotations, translations := freely(j.Type)
	spins, slides := [3]vec{x, y, z}, [3]vec{x, y, z}
	switch j.Type {
	case model.Revolute, model.Helical, model.Cylindrical, model.Planar:
		spins[0] = z
	case model.Universal:
		spins[1] = S.q.apply(vec{1: 1})
	}
	switch j.Type {
	case model.Prismatic, model.Cylindrical, model.SphereInCylinder:
		slides[0] = z
	case model.Distance:
		e := S.p.sub(P.p).unit()
		slides[0] = e.across()
		slides[1] = e.cross(slides[0])
	}
	for _, e := range spins[:rotations] {
		m[n] = twist{e, e.mul(j.Pitch)}
		n++
	}
	for _, e := range slides[:translations] {
		m[n] = twist{v: e}
		n++
	}
	return S.p, m, n
}

// path calls f for every body whose joint of the tree is on the path from a to b, with the sign −1 on the side of a, +1 on the side
// of b.
func (g *tangle) path(a, b int, f func(i int, sign float64)) {
	depth := func(i int) int32 {
		if i == ground {
			return 0
		}
		return g.depth[i]
	}
	for a != b {
		if depth(a) > depth(b) {
			f(a, -1)
			a = int(g.up[a])
		} else {
			f(b, 1)
			b = int(g.up[b])
		}
	}
}

// admit merges l and the clusters that share joints with it into one cluster. It changes nothing and returns false if that would have
// more than mostRows rows, or rows that are not independent.
func (g *tangle) admit(l loop) bool {
	c := cluster{loops: []loop{l}, rows: len(l.rows)}
	var old []int32
	g.path(l.a, l.b, func(i int, _ float64) {
		if o := g.owner[i]; o < 0 {
			c.bodies = append(c.bodies, i)
		} else if !slices.Contains(old, o) {
			old = append(old, o)
		}
	})
	for _, o := range old {
		c.loops = append(c.loops, g.clusters[o].loops...)
		c.bodies = append(c.bodies, g.clusters[o].bodies...)
		c.rows += g.clusters[o].rows
	}
	if c.rows > mostRows || !g.independent(&c) {
		return false
	}
	for _, o := range old {
		g.clusters[o] = cluster{}
	}
	for _, i := range c.bodies {
		g.owner[i] = int32(len(g.clusters))
	}
	g.clusters = append(g.clusters, c)
	return true
}

// independent reports whether the rows of c are well independent (leastPivot) as functions of the rates of its freedoms without a
// motion, of which there must be more than rows.
func (g *tangle) independent(c *cluster) bool {
	width := 0
	for _, i := range c.bodies {
		g.first[i] = int32(width)
		width += bits.OnesCount8(g.free[i])
	}
	if width <= c.rows {
		return false
	}
	g.values = append(g.values[:0], make([]float64, c.rows*width)...)
	var K [mostRows][]float64
	for k := range c.rows {
		K[k] = g.values[k*width : (k+1)*width]
	}
	top := 0
	for _, l := range c.loops {
		g.path(l.a, l.b, func(i int, sign float64) {
			if g.free[i] == 0 {
				return
			}
			p, motions, n := g.motions(i)
			col := g.first[i]
			for bit, m := range motions[:n] {
				if g.free[i]>>bit&1 == 0 {
					continue
				}
				for k, r := range l.rows {
					K[top+k][col] = sign * (r.e.dot(m.w) + r.t.dot(m.shift(r.p.sub(p))))
				}
				col++
			}
		})
		top += len(l.rows)
	}
	return smallestPivot(K[:c.rows]) > leastPivot
}

// smallestPivot eliminates the rows of K in place with complete pivoting and
// returns the smallest pivot.
func smallestPivot(K [][]float64) float64 {
	least := math.Inf(1)
	for len(K) > 0 {
		row, col, best := 0, 0, 0.0
		for i := range K {
			for j, z := range K[i] {
				if z = math.Abs(z); z > best {
					row, col, best = i, j, z
				}
			}
		}
		least = min(least, best)
		if best == 0 {
			break
		}
		K[0], K[row] = K[row], K[0]
		for _, k := range K[1:] {
			s := k[col] / K[0][col]
			for j, z := range K[0] {
				k[j] -= s * z
			}
			k[col] = 0
		}
		K = K[1:]
	}
	return least
}
