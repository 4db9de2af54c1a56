package chain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// rounding is the error of some ten products of numbers around 1.
const rounding = 1e-13

func Example() {
	c := new(chain.Chain)
	x, y := c.Vec(spatial.Vec3{1, 0, 0}), c.Vec(spatial.Vec3{0, 2, 0})
	z := c.Dot(x, y)
	c.SetTangent(x, spatial.Vec3{0, 1, 0})
	c.Forward()
	fmt.Println(c.Value1(z), c.Tangent1(z))
	c.AddAdjoint1(z, 1)
	c.Backward()
	fmt.Println(c.Adjoint(x))
	// Output:
	// 0 2
	// [0 2 0]
}

// record uses every operation.
func record(c *chain.Chain, x, y spatial.Vec3, s float64) (leaves [2]chain.Vec, leaf chain.Num, out chain.Vec, last chain.Num) {
	c.Reset()
	a, b, n := c.Vec(x), c.Vec(y), c.Num(s)
	v := c.Add(c.Cross(a, b), c.Times(0.3, c.Sub(a, b)))
	d := c.Root(c.Dot(v, v))
	q := c.Div(c.Add1(n, d), c.Sub1(d, c.Times1(0.1, n)))
	e := c.Of(q, math.Exp(c.Value1(q)), math.Exp(c.Value1(q)))
	p := c.Of2(e, n, c.Value1(e)*c.Value1(n), c.Value1(n), c.Value1(e))
	w := c.Join(c.Part(v, 0), c.Mul(p, q), c.Part(b, 2))
	w = c.Scale(p, c.Cross(w, a))
	return [2]chain.Vec{a, b}, n, w, c.Dot(w, v)
}

// TestRules: tangents equal differences of values, and cotangents are the transpose of tangents.
func TestRules(t *testing.T) {
	const h, slope = 1e-6, 1e-7 // differences err by h² and rounding/h, of numbers up to 100
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	var c, plus, minus chain.Chain
	for range 50 {
		x, y, s := random(), random(), 1+rng.Float64()
		dx, dy, ds := random(), random(), rng.NormFloat64()
		leaves, leaf, out, last := record(&c, x, y, s)
		c.SetTangent(leaves[0], dx)
		c.SetTangent(leaves[1], dy)
		c.SetTangent1(leaf, ds)
		c.Forward()
		_, _, _, a := record(&plus, x.Add(dx.Scale(h)), y.Add(dy.Scale(h)), s+h*ds)
		_, _, _, b := record(&minus, x.Sub(dx.Scale(h)), y.Sub(dy.Scale(h)), s-h*ds)
		want := (plus.Value1(a) - minus.Value1(b)) / (2 * h)
		check.Close(t, c.Tangent1(last), want, slope, 1+math.Abs(want)+math.Abs(c.Value1(last)), "tangent and difference")
		w, u := random(), rng.NormFloat64()
		c.ClearAdjoints()
		c.AddAdjoint(out, w)
		c.AddAdjoint1(last, u)
		c.Backward()
		forward := w.Dot(c.Tangent(out)) + u*c.Tangent1(last)
		back := c.Adjoint(leaves[0]).Dot(dx) + c.Adjoint(leaves[1]).Dot(dy) + c.Adjoint1(leaf)*ds
		check.Close(t, back, forward, rounding, 100*(1+math.Abs(forward)), "back and forwards")
	}
	allocs := testing.AllocsPerRun(10, func() {
		record(&c, spatial.Vec3{1, 2, 3}, spatial.Vec3{3, 1, 1}, 2)
		c.ClearTangents()
		c.Forward()
		c.ClearAdjoints()
		c.Backward()
	})
	if allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}
