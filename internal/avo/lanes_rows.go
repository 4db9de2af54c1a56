package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// laneRecover256 writes Recover.
func laneRecover256() {
	laneFunction("recover", func() {
		out, E, c, x := lanesOf("out"), lanesOf("E"), lanesOf("c"), lanesOf("x")
		halves(func() {
			E.times(c.field(constInv).lowerT(x.three())).store(out)
			v := E.times(x.field(3).three())
			root := copied(c.field(constInvRoot).at(0))
			for _, r := range v {
				VMULPD(root, r, r)
			}
			v.store(out.field(3))
		})
	}, "out", "E", "c", "x")
}

// laneProducts256 writes Dot, Add, Sub, Scale, InverseRoot, Products and SubProducts.
func laneProducts256() {
	laneFunction("dot", func() {
		sum, a, b := lanesOf("sum"), lanesOf("a"), lanesOf("b")
		halves(func() {
			s := copied(sum.at(0))
			for i := range 6 {
				VFMADD231PD(b.at(i), copied(a.at(i)), s)
			}
			VMOVUPD(s, sum.at(0))
		})
	}, "sum", "a", "b")
	for _, name := range []string{"add", "sub"} {
		laneFunction(name, func() {
			a, t, b := lanesOf("a"), lanesOf("t"), lanesOf("b")
			halves(func() {
				s := copied(t.at(0))
				for i := range 6 {
					x := copied(a.at(i))
					if name == "add" {
						VFMADD231PD(b.at(i), s, x)
					} else {
						VFNMADD231PD(b.at(i), s, x)
					}
					VMOVUPD(x, a.at(i))
				}
			})
		}, "a", "t", "b")
	}
	laneFunction("scale", func() {
		a, t := lanesOf("a"), lanesOf("t")
		halves(func() {
			s := copied(t.at(0))
			for i := range 6 {
				VMOVUPD(product(a.at(i), s), a.at(i))
			}
		})
	}, "a", "t")
	laneFunction("inverseRoot", func() {
		s, unit := lanesOf("s"), constant("unit", 1)
		halves(func() {
			v, bad, out := copied(s.at(0)), YMM(), broadcast(unit)
			VSUBPD(v, v, bad) // NaN for an infinite v, else zero
			VADDPD(bad, v, v)
			VSQRTPD(v, v)
			VDIVPD(v, out, out)
			VMOVUPD(out, s.at(0))
		})
	}, "s")
	laneRows256("productsAVX2", "func(y *float64, step int, v *float64, n int, x *float64)", "productsAVX2 is Products with AVX2 for n ≥ 1.", false)
	laneRows256("subProductsAVX2", "func(y, v *float64, n int, x *float64)", "subProductsAVX2 is SubProducts with AVX2 for n ≥ 1.", true)
}

// laneRows256 writes a loop over rows for each half.
func laneRows256(name, signature, doc string, subtract bool) {
	function(name, signature, doc)
	halves(func() {
		y, v, x := lanesOf("y"), lanesOf("v"), lanesOf("x")
		n := Load(Param("n"), GP64())
		step := GP64()
		if subtract {
			MOVQ(U32(laneBytes), step)
		} else {
			Load(Param("step"), step)
			SHLQ(U8(6), step)
		}
		var r [6]reg.VecVirtual
		for i := range r {
			r[i] = copied(x.at(i))
		}
		loop := uniqueLabel("row")
		Label(loop)
		a := []Op{v.at(0), v.at(1), v.at(2), v.at(3), v.at(4), v.at(5)}
		if subtract {
			s := copied(y.at(0))
			for i := range r {
				VFNMADD231PD(a[i], r[i], s)
			}
			VMOVUPD(s, y.at(0))
		} else {
			VMOVUPD(sumOf(a, r[:]), y.at(0))
		}
		ADDQ(step, y.base)
		ADDQ(I32(6*laneBytes), v.base)
		DECQ(n)
		JNE(LabelRef(loop))
	})
	VZEROUPPER()
	RET()
}

// laneJoints256 writes BallRows and HingeRows.
func laneJoints256() {
	joint := func(moments bool) func() {
		return func() {
			t, c := lanesOf("t"), lanesOf("c")
			frame, world, axes := c.field(jointAxes), t.field(jointW), t.field(jointA)
			halves(func() {
				for k := range 3 {
					column := three{copied(frame.at(k)), copied(frame.at(3 + k)), copied(frame.at(6 + k))}
					column = t.field(jointEP).times(column)
					for i, r := range column {
						VMOVUPD(r, world.at(3*i+k))
					}
					for i, r := range t.field(jointES).timesT(column) {
						VMOVUPD(r, axes.at(3*i+k))
					}
				}
				arm := c.field(jointArmS)
				wp, ws := world.timesT(t.field(jointOmegaP).three()), world.timesT(t.field(jointOmegaS).three())
				if moments {
					turn := cross(wp, ws)
					for k := range 2 {
						VMOVUPD(turn[k], t.field(jointB+3).at(k))
					}
				}
				bias := centripetal(wp, frame.timesT(c.field(jointArmP).three()))
				bias.sub(centripetal(ws, axes.timesT(arm.three())))
				bias.store(t.field(jointB))
				// row stores row i on one body, and adds its square to size.
				row := func(q lanes, inv, root int, n three, f *three, size reg.VecVirtual) {
					n = c.field(inv).lower(n)
					n.store(q)
					for _, r := range n {
						VFMADD231PD(r, r, size)
					}
					if f == nil {
						zero := YMM()
						VXORPD(zero, zero, zero)
						three{zero, zero, zero}.store(q.field(3))
						return
					}
					factor := copied(c.field(root).at(0))
					for e, r := range f {
						VMULPD(factor, r, r)
						VMOVUPD(r, q.at(3+e))
						VFMADD231PD(r, r, size)
					}
				}
				column := func(x lanes, k int) three {
					return three{copied(x.at(k)), copied(x.at(3 + k)), copied(x.at(6 + k))}
				}
				rows := 3
				if moments {
					rows = 5
				}
				for i := range rows {
					size := YMM()
					VXORPD(size, size, size)
					for _, side := range []struct {
						axes                 lanes
						arm, inv, root, rows int
					}{
						{frame, jointArmP, jointInvP, jointRootP, jointP},
						{axes, jointArmS, jointInvS, jointRootS, jointS},
					} {
						f, q := column(side.axes, i%3), t.field(side.rows+6*i)
						if i < 3 {
							row(q, side.inv, side.root, cross(c.field(side.arm).three(), f), &f, size)
						} else {
							row(q, side.inv, side.root, f, nil, size)
						}
					}
					VMOVUPD(size, t.field(jointScale).at(i))
				}
			})
		}
	}
	laneFunction("ballRows", joint(false), "t", "c")
	laneFunction("hingeRows", joint(true), "t", "c")
}
