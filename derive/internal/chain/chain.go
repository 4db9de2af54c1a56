package chain

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Vec is a node that is a vector, Num one that is a number. They belong to the Chain that has made them, until its Reset.
type (
	// Vec is a node that holds a vector, Num a node that holds a number. They belong to the Chain that has made them, until its Reset.
	Vec int32
	Num int32
)

// op is the operation of a node.
type op uint8

const (
	leaf   op = iota
	add       // a + b
	sub       // a − b
	times     // x·a, x a constant
	cross     // a×b
	scale     // a·b, a a number and b a vector
	dot       // a·b
	mul       // a·b, of numbers
	unary     // a function of a with the derivative x
	binary    // a function of a and b with the derivatives x and y
	part      // entry c of a
	joined    // the vector of the numbers a, b and c
)

// node is one recorded operation: its operands a, b and c, its constants x and y, and its results.
type node struct {
	op      op
	a, b, c int32
	x, y    float64
	v, d, g spatial.Vec3 // value, tangent, cotangent; a number uses the first entry
}

// Chain is a recorded computation. The zero Chain is empty.
type Chain struct {
	nodes []node
}

// Reset empties c and keeps its memory.
func (c *Chain) Reset() { c.nodes = c.nodes[:0] }

// Len returns the number of nodes.
func (c *Chain) Len() int { return len(c.nodes) }

// push adds a node and returns its index.
func (c *Chain) push(n node) int32 {
	c.nodes = append(c.nodes, n)
	return int32(len(c.nodes) - 1)
}

func (c *Chain) value(i int32) *spatial.Vec3 { return &c.nodes[i].v }

// Vec adds a vector as a leaf, which depends on no other node.
func (c *Chain) Vec(v spatial.Vec3) Vec { return Vec(c.push(node{v: v})) }

// Num adds a number as a leaf, which depends on no other node.
func (c *Chain) Num(x float64) Num { return Num(c.push(node{v: spatial.Vec3{x}})) }

// Add adds a + b.
func (c *Chain) Add(a, b Vec) Vec {
	return Vec(c.push(node{op: add, a: int32(a), b: int32(b), v: c.value(int32(a)).Add(*c.value(int32(b)))}))
}

// Sub adds a − b.
func (c *Chain) Sub(a, b Vec) Vec {
	return Vec(c.push(node{op: sub, a: int32(a), b: int32(b), v: c.value(int32(a)).Sub(*c.value(int32(b)))}))
}

// Times adds x·a with a constant x.
func (c *Chain) Times(x float64, a Vec) Vec {
	return Vec(c.push(node{op: times, a: int32(a), x: x, v: c.value(int32(a)).Scale(x)}))
}

// Cross adds a×b.
func (c *Chain) Cross(a, b Vec) Vec {
	return Vec(c.push(node{op: cross, a: int32(a), b: int32(b), v: c.value(int32(a)).Cross(*c.value(int32(b)))}))
}

// Scale adds x·a.
func (c *Chain) Scale(x Num, a Vec) Vec {
	return Vec(c.push(node{op: scale, a: int32(x), b: int32(a), v: c.value(int32(a)).Scale(c.nodes[x].v[0])}))
}

// Dot adds the scalar product of a and b.
func (c *Chain) Dot(a, b Vec) Num {
	return Num(c.push(node{op: dot, a: int32(a), b: int32(b), v: spatial.Vec3{spatial.Dot(c.value(int32(a)), c.value(int32(b)))}}))
}

// Add1 adds the number a + b.
func (c *Chain) Add1(a, b Num) Num { return Num(c.Add(Vec(a), Vec(b))) }

// Sub1 adds the number a − b.
func (c *Chain) Sub1(a, b Num) Num { return Num(c.Sub(Vec(a), Vec(b))) }

// Times1 adds the number x·a with a constant x.
func (c *Chain) Times1(x float64, a Num) Num { return Num(c.Times(x, Vec(a))) }

// Mul adds the product of two numbers.
func (c *Chain) Mul(a, b Num) Num {
	return Num(c.push(node{op: mul, a: int32(a), b: int32(b), v: spatial.Vec3{c.nodes[a].v[0] * c.nodes[b].v[0]}}))
}

// Of adds a function of a with the value f and the derivative d.
func (c *Chain) Of(a Num, f, d float64) Num {
	return Num(c.push(node{op: unary, a: int32(a), x: d, v: spatial.Vec3{f}}))
}

// Of2 adds a function of a and b with the value f and the derivatives da and db.
func (c *Chain) Of2(a, b Num, f, da, db float64) Num {
	return Num(c.push(node{op: binary, a: int32(a), b: int32(b), x: da, y: db, v: spatial.Vec3{f}}))
}

// Div adds the quotient a/b.
func (c *Chain) Div(a, b Num) Num {
	x, y := c.nodes[a].v[0], c.nodes[b].v[0]
	return c.Of2(a, b, x/y, 1/y, -x/(y*y))
}

// Root adds the square root of a > 0.
func (c *Chain) Root(a Num) Num {
	r := math.Sqrt(c.nodes[a].v[0])
	return c.Of(a, r, 0.5/r)
}

// Part adds entry k of a.
func (c *Chain) Part(a Vec, k int) Num {
	return Num(c.push(node{op: part, a: int32(a), c: int32(k), v: spatial.Vec3{c.nodes[a].v[k]}}))
}

// Join adds the vector of three numbers.
func (c *Chain) Join(x, y, z Num) Vec {
	return Vec(c.push(node{
		op: joined, a: int32(x), b: int32(y), c: int32(z), v: spatial.Vec3{c.nodes[x].v[0], c.nodes[y].v[0], c.nodes[z].v[0]},
	}))
}

// Value returns the value of a vector.
func (c *Chain) Value(a Vec) spatial.Vec3 { return c.nodes[a].v }

// Value1 returns the value of a number.
func (c *Chain) Value1(a Num) float64 { return c.nodes[a].v[0] }

// Frame holds the three axes of a frame.
type Frame [3]Vec
