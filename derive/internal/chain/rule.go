package chain

import "github.com/rung-mbd/rung/spatial"

// ClearTangents sets all tangents to zero.
func (c *Chain) ClearTangents() {
	for i := range c.nodes {
		c.nodes[i].d = spatial.Vec3{}
	}
}

// SetTangent sets the tangent of a vector that is a leaf.
func (c *Chain) SetTangent(a Vec, t spatial.Vec3) { c.nodes[a].d = t }

// SetTangent1 sets the tangent of a number that is a leaf.
func (c *Chain) SetTangent1(a Num, t float64) { c.nodes[a].d = spatial.Vec3{t} }

// Forward computes the tangents of all nodes from the tangents of the leaves.
//
// Cost: O(nodes), no allocation.
func (c *Chain) Forward() {
	for i := range c.nodes {
		n := &c.nodes[i]
		if n.op == leaf {
			continue
		}
		a := &c.nodes[n.a]
		b := &c.nodes[n.b]
		switch n.op {
		case add:
			n.d = spatial.Vec3{a.d[0] + b.d[0], a.d[1] + b.d[1], a.d[2] + b.d[2]}
		case sub:
			n.d = spatial.Vec3{a.d[0] - b.d[0], a.d[1] - b.d[1], a.d[2] - b.d[2]}
		case times:
			n.d = spatial.Vec3{n.x * a.d[0], n.x * a.d[1], n.x * a.d[2]}
		case cross:
			n.d = a.d.Cross(b.v).Add(a.v.Cross(b.d))
		case scale:
			x, t := a.v[0], a.d[0]
			n.d = spatial.Vec3{x*b.d[0] + t*b.v[0], x*b.d[1] + t*b.v[1], x*b.d[2] + t*b.v[2]}
		case dot:
			n.d = spatial.Vec3{spatial.Dot(&a.d, &b.v) + spatial.Dot(&a.v, &b.d)}
		case mul:
			n.d = spatial.Vec3{a.d[0]*b.v[0] + a.v[0]*b.d[0]}
		case unary:
			n.d = spatial.Vec3{n.x * a.d[0]}
		case binary:
			n.d = spatial.Vec3{n.x*a.d[0] + n.y*b.d[0]}
		case part:
			n.d = spatial.Vec3{a.d[n.c]}
		case joined:
			n.d = spatial.Vec3{a.d[0], b.d[0], c.nodes[n.c].d[0]}
		}
	}
}

// Tangent returns the tangent of a vector.
func (c *Chain) Tangent(a Vec) spatial.Vec3 { return c.nodes[a].d }

// Tangent1 returns the tangent of a number.
func (c *Chain) Tangent1(a Num) float64 { return c.nodes[a].d[0] }

// ClearAdjoints sets all cotangents to zero.
func (c *Chain) ClearAdjoints() {
	for i := range c.nodes {
		c.nodes[i].g = spatial.Vec3{}
	}
}

// AddAdjoint adds w to the cotangent of a vector.
func (c *Chain) AddAdjoint(a Vec, w spatial.Vec3) { addTo(&c.nodes[a].g, &w) }

// AddAdjoint1 adds w to the cotangent of a number.
func (c *Chain) AddAdjoint1(a Num, w float64) { c.nodes[a].g[0] += w }

// addTo adds w to g.
func addTo(g, w *spatial.Vec3) { g[0], g[1], g[2] = g[0]+w[0], g[1]+w[1], g[2]+w[2] }

// Backward propagates the cotangents that were added with AddAdjoint to all nodes: afterwards each leaf has the derivative of the sum of
// nodes times added cotangents.
//
// Cost: O(nodes), no allocation.
func (c *Chain) Backward() {
	for i := len(c.nodes) - 1; i >= 0; i-- {
		n := &c.nodes[i]
		if n.op == leaf || n.g == (spatial.Vec3{}) {
			continue
		}
		a, b := &c.nodes[n.a], &c.nodes[n.b]
		switch n.op {
		case add:
			addTo(&a.g, &n.g)
			addTo(&b.g, &n.g)
		case sub:
			addTo(&a.g, &n.g)
			spatial.AddScaledTo(&b.g, &b.g, -1, &n.g)
		case times:
			spatial.AddScaledTo(&a.g, &a.g, n.x, &n.g)
		case cross: // g·(a×b) = a·(b×g) = b·(g×a)
			x, y := b.v.Cross(n.g), n.g.Cross(a.v)
			addTo(&a.g, &x)
			addTo(&b.g, &y)
		case scale:
			x := a.v[0]
			a.g[0] += spatial.Dot(&n.g, &b.v)
			spatial.AddScaledTo(&b.g, &b.g, x, &n.g)
		case dot:
			x, y := a.v, b.v
			spatial.AddScaledTo(&a.g, &a.g, n.g[0], &y)
			spatial.AddScaledTo(&b.g, &b.g, n.g[0], &x)
		case mul:
			x, y := a.v[0], b.v[0]
			a.g[0] += y * n.g[0]
			b.g[0] += x * n.g[0]
		case unary:
			a.g[0] += n.x * n.g[0]
		case binary:
			a.g[0] += n.x * n.g[0]
			b.g[0] += n.y * n.g[0]
		case part:
			a.g[n.c] += n.g[0]
		case joined:
			a.g[0] += n.g[0]
			b.g[0] += n.g[1]
			c.nodes[n.c].g[0] += n.g[2]
		}
	}
}

// Adjoint returns the cotangent of a vector.
func (c *Chain) Adjoint(a Vec) spatial.Vec3 { return c.nodes[a].g }

// Adjoint1 returns the cotangent of a number.
func (c *Chain) Adjoint1(a Num) float64 { return c.nodes[a].g[0] }
