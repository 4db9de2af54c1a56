// Package chain differentiates small computations with vectors exactly. A Chain records each operation with its value. It then computes
// tangents from the first node to the last, along any number of directions, or cotangents from the last node to the first: the chain rule
// in both orders, [theory.md (D6)].
//
//	c := new(chain.Chain)
//	x, y := c.Vec(spatial.Vec3{1, 0, 0}), c.Vec(spatial.Vec3{0, 2, 0})
//	z := c.Dot(x, y)
//	c.SetTangent(x, spatial.Vec3{0, 1, 0}) // others are zero
//	c.Forward()
//	fmt.Println(c.Value1(z), c.Tangent1(z)) // 0 and 2
//	c.AddAdjoint1(z, 1)
//	c.Backward()
//	fmt.Println(c.Adjoint(x)) // y
//
// After Reset a Chain allocates nothing until it becomes longer than before. It belongs to one goroutine.
//
// [theory.md (D6)]: https://github.com/rung-mbd/rung/blob/main/docs/theory.md#parts
package chain
