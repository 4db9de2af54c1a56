package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of lanes.Pin, in bytes.
const (
	pinEP = 8 * iota
	pinES
	pinOmegaP
	pinOmegaS
	pinAxes
	pinOriginP
	pinOriginS
	pinComP
	pinComS
	pinWeight
	pinRoot
	pinBase
)

// pinFields is the layout of lanes.Pin that the assembly assumes.
var pinFields = structure{"Pin", 0, []field{
	{"EP", pinEP}, {"ES", pinES}, {"OmegaP", pinOmegaP}, {"OmegaS", pinOmegaS}, {"Axes", pinAxes},
	{"OriginP", pinOriginP}, {"OriginS", pinOriginS}, {"ComP", pinComP}, {"ComS", pinComS},
	{"Weight", pinWeight}, {"Root", pinRoot}, {"Base", pinBase},
}}

// Cyclic permutations of the elements of a vector, for VPERMPD.
const (
	turned     = 1 | 2<<2 | 0<<4 | 3<<6 // (x, y, z) becomes (y, z, x)
	turnedFour = 1 | 2<<2 | 3<<4 | 0<<6 // (w, x, y, z) becomes (x, y, z, w)
)

// pinRows256 writes PinRows for a ball joint or, if hinge is set, for a hinge. A vector holds one number
// for each of the three axes of the joint; its fourth element is not used.
func pinRows256(name string, hinge bool, doc string) {
	function(name, "func(v, scale, b *float64, p *byte)", doc)
	v, scale, b, p := reg.RDI, reg.RSI, reg.RDX, reg.RCX
	load("v", v)
	load("scale", scale)
	load("b", b)
	load("p", p)
	field := func(offset int, r reg.Register) reg.Register {
		MOVQ(Mem{Base: p, Disp: offset}, r)
		return r
	}
	y := func(i int) reg.VecPhysical { return vec[i].AsY().(reg.VecPhysical) }
	x := func(i int) reg.VecPhysical { return vec[i].AsX().(reg.VecPhysical) }
	// combine stores Σ c_i·rows[i] in vector sum, where c_i is the number at address c[i]; numbers returns such addresses.
	combine := func(sum int, rows [3]int, c [3]Mem) {
		for i, m := range c {
			VBROADCASTSD(m, y(15))
			if i == 0 {
				VMULPD(y(rows[i]), y(15), y(sum))
			} else {
				VFMADD231PD(y(rows[i]), y(15), y(sum))
			}
		}
	}
	numbers := func(base reg.Register, first, step int) (m [3]Mem) {
		for i := range m {
			m[i] = Mem{Base: base, Disp: 8 * (first + step*i)}
		}
		return m
	}
	joint, world, axes := [3]int{0, 1, 2}, [3]int{3, 4, 5}, [3]int{9, 10, 11}

	// The axes of the joint in the coordinates of P, then of the world, then of S.
	frame := field(pinAxes, reg.R8)
	VMOVUPD(Mem{Base: frame}, y(joint[0]))
	VMOVUPD(Mem{Base: frame, Disp: 24}, y(joint[1]))
	VMOVUPD(Mem{Base: frame, Disp: 40}, y(15)) // begins one number early: memory may end behind the third row
	VPERMPD(U8(turnedFour), y(15), y(joint[2]))
	body := field(pinEP, reg.R9)
	for i, r := range world {
		combine(r, joint, numbers(body, 3*i, 1))
	}
	body = field(pinES, reg.R9)
	for i, r := range axes {
		combine(r, world, numbers(body, i, 3))
	}

	// ω_P, ω_S and r_P along the axes of the joint.
	wp, ws, rp, rs := 6, 7, 8, 3
	combine(wp, world, numbers(field(pinOmegaP, reg.R9), 0, 1))
	combine(ws, world, numbers(field(pinOmegaS, reg.R10), 0, 1))
	com, origin := field(pinComP, reg.R9), field(pinOriginP, reg.R8)
	for i, r := range joint {
		VMOVSD(Mem{Base: origin, Disp: 8 * i}, x(15))
		VSUBSD(Mem{Base: com, Disp: 8 * i}, x(15), x(15))
		VBROADCASTSD(x(15), y(15))
		if i == 0 {
			VMULPD(y(r), y(15), y(rp))
		} else {
			VFMADD231PD(y(r), y(15), y(rp))
		}
	}
	// The arm on S, each component in all elements of a vector, and r_S.
	arm := joint
	com, origin = field(pinComS, reg.R9), field(pinOriginS, reg.R8)
	for i, r := range arm {
		VMOVSD(Mem{Base: origin, Disp: 8 * i}, x(15))
		VSUBSD(Mem{Base: com, Disp: 8 * i}, x(15), x(15))
		VBROADCASTSD(x(15), y(r))
		if i == 0 {
			VMULPD(y(axes[i]), y(r), y(rs))
		} else {
			VFMADD231PD(y(axes[i]), y(r), y(rs))
		}
	}

	// The right side. Let a' be a with its elements turned. Then a×b is (a·b' − a'·b)'.
	wpTurned, wsTurned := 12, 13
	VPERMPD(U8(turned), y(wp), y(wpTurned))
	VPERMPD(U8(turned), y(ws), y(wsTurned))
	half := func(a, aTurned, b, bTurned, out int) {
		VMULPD(y(a), y(bTurned), y(out))
		VFNMADD231PD(y(aTurned), y(b), y(out))
	}
	for _, c := range [][3]int{{wp, wpTurned, rp}, {ws, wsTurned, rs}} {
		VPERMPD(U8(turned), y(c[2]), y(15))
		half(c[0], c[1], c[2], 15, 14)
		VPERMPD(U8(turned), y(14), y(14)) // ω×r
		VPERMPD(U8(turned), y(14), y(15))
		half(c[0], c[1], 14, 15, c[2])
	}
	VSUBPD(y(rs), y(rp), y(rp))
	VPERMPD(U8(turned), y(rp), y(rp))
	if hinge {
		half(wp, wpTurned, ws, wsTurned, 14)
		VPERMPD(U8(turned), y(14), y(14))
		VMOVUPD(y(rp), Mem{Base: b})
		VMOVUPD(x(14), Mem{Base: b, Disp: 24})
	} else {
		VMOVUPD(x(rp), Mem{Base: b})
		VEXTRACTF128(U8(1), y(rp), x(14))
		VMOVSD(x(14), Mem{Base: b, Disp: 16})
	}

	// The moments arm×f are in vectors 3, 4, 5. The rows of v are in 6, 7, 8 and 12, 13, 14.
	moment := world
	for i, r := range moment {
		j, k := (i+1)%3, (i+2)%3
		VMULPD(y(axes[k]), y(arm[j]), y(r))
		VFNMADD231PD(y(axes[j]), y(arm[k]), y(r))
	}
	weight, base := field(pinWeight, reg.R8), field(pinBase, reg.R9)
	sums, forces := [3]int{6, 7, 8}, [3]int{12, 13, 14}
	// weigh stores L⁻¹·from in to. Weight holds the lower triangle of L⁻¹ in the order 00, 11, 22, 10, 20, 21.
	weigh := func(from, to [3]int) {
		for _, e := range []struct{ i, j, at int }{{0, 0, 0}, {1, 0, 3}, {1, 1, 1}, {2, 0, 4}, {2, 1, 5}, {2, 2, 2}} {
			VBROADCASTSD(Mem{Base: weight, Disp: 8 * e.at}, y(15))
			if e.j == 0 {
				VMULPD(y(from[e.j]), y(15), y(to[e.i]))
			} else {
				VFMADD231PD(y(from[e.j]), y(15), y(to[e.i]))
			}
		}
	}
	weigh(moment, sums)
	VBROADCASTSD(Mem{Base: p, Disp: pinRoot}, y(15))
	for i, r := range forces {
		VMULPD(y(axes[i]), y(15), y(r))
	}
	// The scales: Base and the squared norms of the rows.
	square, other := 3, 4
	norm := func(to int, of [3]int) {
		VMULPD(y(of[0]), y(of[0]), y(to))
		VFMADD231PD(y(of[1]), y(of[1]), y(to))
		VFMADD231PD(y(of[2]), y(of[2]), y(to))
	}
	norm(square, sums)
	norm(other, forces)
	VADDPD(y(other), y(square), y(square))
	VADDPD(Mem{Base: base}, x(square), x(other))
	VMOVUPD(x(other), Mem{Base: scale})
	VEXTRACTF128(U8(1), y(square), x(square))
	VADDSD(Mem{Base: base, Disp: 16}, x(square), x(square))
	VMOVSD(x(square), Mem{Base: scale, Disp: 16})

	// pairs stores left and right as columns column and column+1 of v, in 2 rows from first on, or in 3 if third is set.
	pairs := func(left, right, first, column int, third bool) {
		at := func(row int) Mem { return Mem{Base: v, Disp: rowBytes*(first+row) + 8*column} }
		VUNPCKLPD(y(right), y(left), y(3))
		VUNPCKHPD(y(right), y(left), y(4))
		VMOVUPD(x(3), at(0))
		VMOVUPD(x(4), at(1))
		if third {
			VEXTRACTF128(U8(1), y(3), at(2))
		}
	}
	pairs(sums[0], sums[1], 0, 0, true)
	pairs(sums[2], forces[0], 0, 2, true)
	pairs(forces[1], forces[2], 0, 4, true)
	if hinge { // moments about the first two axes, without forces
		weigh(axes, sums)
		norm(square, sums)
		VADDPD(Mem{Base: base, Disp: 24}, x(square), x(square))
		VMOVUPD(x(square), Mem{Base: scale, Disp: 24})
		VXORPD(y(12), y(12), y(12))
		pairs(sums[0], sums[1], 3, 0, false)
		pairs(sums[2], 12, 3, 2, false)
		VMOVUPD(x(12), Mem{Base: v, Disp: 3*rowBytes + 32})
		VMOVUPD(x(12), Mem{Base: v, Disp: 4*rowBytes + 32})
	}
	VZEROUPPER()
	RET()
}
