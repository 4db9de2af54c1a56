package main

import (
	"math"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels in this file are for eight things at once, in AVX2: a lane is two vectors, and
// what is done with the first is then done with the second.

// laneBytes is the size of a lane, and halfBytes that of one of its vectors.
const laneBytes, halfBytes = 64, 32

// Fields of the structures BodyConst, Body, JointConst and Joint of package lanes, in lanes.
const (
	constCom, constL, constInv, constRoot, constInvRoot, constArmP, constArmC = 0, 3, 9, 15, 16, 17, 20

	bodyState, bodyE, bodyCom, bodySpin, bodyLoad, bodyR = 0, 13, 22, 25, 28, 34
	bodyRel, bodyAxis, bodyAt, bodySize, bodyFree        = 43, 49, 52, 58, 59

	jointAxes, jointArmP, jointArmS, jointInvP, jointInvS, jointRootP, jointRootS = 0, 9, 12, 15, 21, 27, 28

	jointEP, jointES, jointOmegaP, jointOmegaS, jointW, jointA = 0, 9, 18, 21, 24, 33
	jointP, jointS, jointScale, jointB                         = 42, 72, 102, 107
)

// laneFields are the structures of package lanes that the assembly reads and writes. The centre of mass
// follows on the axes in Body.Kin.
var laneFields = append([]structure{
	{"Vector", laneBytes, nil},
	inLanes("BodyConst", []field{
		{"Com", constCom}, {"L", constL}, {"Inv", constInv}, {"Root", constRoot}, {"InvRoot", constInvRoot},
		{"ArmP", constArmP}, {"ArmC", constArmC},
	}),
	inLanes("Body", []field{
		{"State", bodyState}, {"Kin", bodyE}, {"Spin", bodySpin}, {"Load", bodyLoad}, {"R", bodyR},
		{"Rel", bodyRel}, {"Axis", bodyAxis}, {"At", bodyAt}, {"Size", bodySize}, {"Free", bodyFree},
	}),
	inLanes("JointConst", []field{
		{"Axes", jointAxes}, {"ArmP", jointArmP}, {"ArmS", jointArmS}, {"InvP", jointInvP}, {"InvS", jointInvS},
		{"RootP", jointRootP}, {"RootS", jointRootS},
	}),
	inLanes("Joint", []field{
		{"EP", jointEP}, {"ES", jointES}, {"OmegaP", jointOmegaP}, {"OmegaS", jointOmegaS}, {"W", jointW}, {"A", jointA},
		{"P", jointP}, {"S", jointS}, {"Scale", jointScale}, {"B", jointB},
	}),
}, pinFields)

// inLanes returns a structure whose fields are given in lanes.
func inLanes(name string, fields []field) structure {
	for i := range fields {
		fields[i].offset *= laneBytes
	}
	return structure{name, 0, fields}
}

// unitLimit is that of the plain kernel.
const unitLimit = 2e-6 - 1e-14

// half is the vector of each lane that is worked on.
var half int

// halves writes both halves.
func halves(body func()) {
	for half = range 2 {
		body()
	}
}

// lanes are numbers in memory, from one on.
type lanes struct {
	base  reg.Register
	first int
}

// lanesOf loads a pointer to lanes.
func lanesOf(name string) lanes {
	return lanes{Load(Param(name), GP64()), 0}
}

// field returns the lanes from one of a structure on.
func (x lanes) field(first int) lanes { return lanes{x.base, x.first + first} }

// at returns the address of number i.
func (x lanes) at(i int) Mem {
	return Mem{Base: x.base, Disp: laneBytes*(x.first+i) + halfBytes*half}
}

// three loads three numbers.
func (x lanes) three() (v three) {
	for i := range v {
		v[i] = copied(x.at(i))
	}
	return v
}

// three is a vector of the mechanics, in registers.
type three [3]reg.VecVirtual

func (v three) store(x lanes) {
	for i, r := range v {
		VMOVUPD(r, x.at(i))
	}
}

func copied(m Mem) reg.VecVirtual {
	r := YMM()
	VMOVUPD(m, r)
	return r
}

func broadcast(m Mem) reg.VecVirtual {
	r := YMM()
	VBROADCASTSD(m, r)
	return r
}

// product returns a·b.
func product(a Op, b reg.VecVirtual) reg.VecVirtual {
	r := YMM()
	VMULPD(a, b, r)
	return r
}

// sumOf returns Σ a·b of addresses or registers a and registers b.
func sumOf(a []Op, b []reg.VecVirtual) reg.VecVirtual {
	r := product(a[0], b[0])
	for i := 1; i < len(b); i++ {
		VFMADD231PD(a[i], b[i], r)
	}
	return r
}

// times returns M·v for a matrix by rows, timesT Mᵀ·v.
func (x lanes) times(v three) (out three) {
	for i := range out {
		out[i] = sumOf([]Op{x.at(3 * i), x.at(3*i + 1), x.at(3*i + 2)}, v[:])
	}
	return out
}

func (x lanes) timesT(v three) (out three) {
	for i := range out {
		out[i] = sumOf([]Op{x.at(i), x.at(3 + i), x.at(6 + i)}, v[:])
	}
	return out
}

// lower returns T·v for a lower triangle, 00, 11, 22, 10, 20, 21, and lowerT Tᵀ·v.
func (x lanes) lower(v three) three {
	return three{
		product(x.at(0), v[0]),
		sumOf([]Op{x.at(3), x.at(1)}, v[:2]),
		sumOf([]Op{x.at(4), x.at(5), x.at(2)}, v[:]),
	}
}

func (x lanes) lowerT(v three) three {
	return three{
		sumOf([]Op{x.at(0), x.at(3), x.at(4)}, v[:]),
		sumOf([]Op{x.at(1), x.at(5)}, v[1:]),
		product(x.at(2), v[2]),
	}
}

// cross returns a×b.
func cross(a, b three) (out three) {
	for i := range out {
		j, k := (i+1)%3, (i+2)%3
		out[i] = product(a[j], b[k])
		VFNMADD231PD(a[k], b[j], out[i])
	}
	return out
}

// add and sub change v.
func (v three) add(a three) {
	for i, r := range v {
		VADDPD(a[i], r, r)
	}
}

func (v three) sub(a three) {
	for i, r := range v {
		VSUBPD(a[i], r, r)
	}
}

// centripetal returns w×(w×r).
func centripetal(w, r three) three { return cross(w, cross(w, r)) }

// constant returns a number in memory.
func constant(name string, x float64) Mem { return ConstData(name, F64(x)) }

// storeMaxAbs stores the largest magnitude of numbers, which change, or NaN if one of them is.
func (x lanes) storeMaxAbs(list []reg.VecVirtual, minusZero Mem) {
	largest, bad, sign := YMM(), YMM(), broadcast(minusZero)
	VXORPD(largest, largest, largest)
	VXORPD(bad, bad, bad)
	for _, r := range list {
		isBad := YMM()
		VCMPPD(U8(3), r, r, isBad) // unordered
		VORPD(isBad, bad, bad)
		VANDNPD(r, sign, r)
		VMAXPD(r, largest, largest)
	}
	VORPD(bad, largest, largest)
	VMOVUPD(largest, x.at(0))
}

// gatherLanes writes Gather, or Scatter, for n numbers of eight places: blocks of four, of which the last may
// overlap the one before, or one after the other if there are fewer.
func gatherLanes(scatter bool) {
	name := "gatherAVX2"
	signature := "func(dst, src *float64, at *int32, n int)"
	doc := "gatherAVX2 is Gather with AVX2 for n ≥ 1."
	rows, table := "src", "dst"
	if scatter {
		name, doc = "scatterAVX2", "scatterAVX2 is Scatter with AVX2 for n ≥ 1."
		rows, table = "dst", "src"
	}
	function(name, signature, doc)
	// The places, as pointers.
	base := reg.RAX
	load(rows, base)
	at := reg.RBX
	load("at", at)
	place := []reg.Register{reg.RSI, reg.RDI, reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13}
	for l, r := range place {
		MOVLQSX(Mem{Base: at, Disp: 4 * l}, r)
		LEAQ(Mem{Base: base, Index: r, Scale: 8}, r)
	}
	lane, n, i := reg.RAX, reg.RCX, reg.RDX
	load(table, lane)
	load("n", n)
	XORQ(i, i)
	row := func(l int) Mem { return Mem{Base: place[l], Index: i, Scale: 8} }
	y := func(r int) reg.VecPhysical { return vec[r].AsY().(reg.VecPhysical) }
	x := func(r int) reg.VecPhysical { return vec[r].AsX().(reg.VecPhysical) }
	CMPQ(n, I8(4))
	JL(LabelRef("one"))
	Label("four")
	for h := range 2 {
		side := func(k int) Mem { return Mem{Base: lane, Disp: laneBytes*k + halfBytes*h} }
		from, to := func(k int) Mem { return row(4*h + k) }, side
		if scatter {
			from, to = to, from
		}
		// A transposition of four by four.
		for k := range 2 {
			VMOVUPD(from(k), x(k))
			VINSERTF128(U8(1), from(k+2), y(k), y(k))
			second := func(m Mem) Mem { m.Disp += 16; return m }
			VMOVUPD(second(from(k)), x(2+k))
			VINSERTF128(U8(1), second(from(k+2)), y(2+k), y(2+k))
		}
		for k := range 2 {
			VUNPCKLPD(y(2*k+1), y(2*k), y(4))
			VUNPCKHPD(y(2*k+1), y(2*k), y(5))
			VMOVUPD(y(4), to(2*k))
			VMOVUPD(y(5), to(2*k+1))
		}
	}
	// The next block begins four further, but no later than at n−4.
	ADDQ(I8(4), i)
	CMPQ(i, n)
	JGE(LabelRef("done"))
	ADDQ(I32(4*laneBytes), lane)
	LEAQ(Mem{Base: n, Disp: -4}, reg.RBX)
	SUBQ(i, reg.RBX) // how far the block is from there
	JGE(LabelRef("four"))
	ADDQ(reg.RBX, i)
	SHLQ(U8(6), reg.RBX)
	ADDQ(reg.RBX, lane)
	JMP(LabelRef("four"))
	Label("one")
	for l := range Lanes {
		if scatter {
			VMOVSD(Mem{Base: lane, Disp: 8 * l}, x(l))
			VMOVSD(x(l), row(l))
		} else {
			VMOVSD(row(l), x(l))
			VMOVSD(x(l), Mem{Base: lane, Disp: 8 * l})
		}
	}
	ADDQ(I8(laneBytes), lane)
	INCQ(i)
	CMPQ(i, n)
	JL(LabelRef("one"))
	Label("done")
	VZEROUPPER()
	RET()
}

// Lanes is the number of them.
const Lanes = 8

// laneFunction writes a function of pointers to lanes, AVX2 behind its name.
func laneFunction(name string, body func(), params ...string) {
	signature := "func("
	for i, p := range params {
		if i > 0 {
			signature += ", "
		}
		signature += p
	}
	function(name+"AVX2", signature+" *float64)", name+"AVX2 is "+upper(name)+" with AVX2.")
	body()
	VZEROUPPER()
	RET()
}

// upper returns the exported name.
func upper(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// laneLoad256 writes Load.
func laneLoad256() {
	function("loadAVX2", "func(t, c, down *float64) int", "loadAVX2 is Load with AVX2; it returns 1 for true.")
	t, c := lanesOf("t"), lanesOf("c")
	g := Load(Param("down"), GP64())
	one, minusZero := constant("one", 1), constant("minusZero", math.Copysign(0, -1))
	below, above := constant("below", 1-unitLimit), constant("above", 1+unitLimit)
	good := GP32()
	MOVL(U32(15), good)
	state, E := t.field(bodyState), t.field(bodyE)
	halves(func() {
		// Zero times a number is zero unless the number is not finite.
		zero, rest := YMM(), YMM()
		VXORPD(zero, zero, zero)
		VXORPD(rest, rest, rest)
		for _, i := range []int{0, 1, 2, 7, 8, 9, 10, 11, 12} {
			VFMADD231PD(state.at(i), zero, rest)
		}
		VCMPPD(U8(0), zero, rest, rest)
		var q [4]reg.VecVirtual
		for i := range q {
			q[i] = copied(state.at(3 + i))
		}
		norm := sumOf([]Op{q[0], q[1], q[2], q[3]}, q[:])
		limit := YMM()
		VCMPPD(U8(0x1e), broadcast(below), norm, limit) // greater
		VANDPD(limit, rest, rest)
		VCMPPD(U8(0x11), broadcast(above), norm, limit) // less
		VANDPD(limit, rest, rest)
		mask := GP32()
		VMOVMSKPD(rest, mask)
		ANDL(mask, good)

		w, x, y, z := q[0], q[1], q[2], q[3]
		twice := func(a reg.VecVirtual) reg.VecVirtual {
			r := YMM()
			VADDPD(a, a, r)
			return r
		}
		x2, y2, z2 := twice(x), twice(y), twice(z)
		// plus stores a·b + c·d, minus a·b − c·d, and left 1 − (a·b + c·d).
		plus := func(i int, a, b, c, d reg.VecVirtual) {
			r := product(a, b)
			VFMADD231PD(c, d, r)
			VMOVUPD(r, E.at(i))
		}
		minus := func(i int, a, b, c, d reg.VecVirtual) {
			r := product(a, b)
			VFNMADD231PD(c, d, r)
			VMOVUPD(r, E.at(i))
		}
		left := func(i int, a, b, c, d reg.VecVirtual) {
			s := product(a, b)
			VFMADD231PD(c, d, s)
			r := broadcast(one)
			VSUBPD(s, r, r)
			VMOVUPD(r, E.at(i))
		}
		left(0, y, y2, z, z2)
		minus(1, x, y2, w, z2)
		plus(2, x, z2, w, y2)
		plus(3, x, y2, w, z2)
		left(4, x, x2, z, z2)
		minus(5, y, z2, w, x2)
		minus(6, x, z2, w, y2)
		plus(7, y, z2, w, x2)
		left(8, x, x2, y, y2)

		E.times(c.field(constCom).three()).store(t.field(bodyCom))
		u := E.timesT(state.field(10).three())
		u.store(t.field(bodySpin))
		h := c.field(constL).lower(c.field(constL).lowerT(u))
		moment := c.field(constInv).lower(cross(h, u))
		moment.store(t.field(bodyLoad))
		var down three
		for i := range down {
			down[i] = broadcast(Mem{Base: g, Disp: 8 * i})
		}
		down = E.timesT(down)
		root := copied(c.field(constRoot).at(0))
		for i := range down {
			VMULPD(root, down[i], down[i])
		}
		down.store(t.field(bodyLoad + 3))
		t.field(bodyFree).storeMaxAbs(append(moment[:], down[:]...), minusZero)
	})
	out := GP64()
	XORQ(out, out)
	CMPL(good, U32(15))
	SETEQ(out.As8())
	Store(out, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// laneHinges256 writes Rotate, HingeBias, HingeBiasWorld, Turn and TurnBack.
func laneHinges256() {
	laneFunction("rotate", func() {
		t, up := lanesOf("t"), lanesOf("up")
		E, F, R := t.field(bodyE), up.field(bodyE), t.field(bodyR)
		halves(func() {
			for k := range 3 {
				column := three{copied(F.at(k)), copied(F.at(3 + k)), copied(F.at(6 + k))}
				for i, r := range E.timesT(column) {
					VMOVUPD(r, R.at(3*i+k))
				}
			}
		})
	}, "t", "up")
	laneFunction("hingeBias", func() {
		t, c, up := lanesOf("t"), lanesOf("c"), lanesOf("up")
		R := t.field(bodyR)
		halves(func() {
			spin := up.field(bodySpin).three()
			a := R.times(centripetal(spin, c.field(constArmP).three()))
			spin = R.times(spin)
			own := t.field(bodySpin).three()
			cross(spin, own).store(t.field(bodyRel))
			a.sub(centripetal(own, c.field(constArmC).three()))
			a.store(t.field(bodyRel + 3))
		})
	}, "t", "c", "up")
	laneFunction("hingeBiasWorld", func() {
		t, c := lanesOf("t"), lanesOf("c")
		halves(func() {
			a := centripetal(t.field(bodySpin).three(), c.field(constArmC).three())
			zero := YMM()
			VXORPD(zero, zero, zero)
			three{zero, zero, zero}.store(t.field(bodyRel))
			for _, r := range a {
				VSUBPD(r, zero, r)
			}
			a.store(t.field(bodyRel + 3))
		})
	}, "t", "c")
	laneFunction("turn", func() {
		out, R, v := lanesOf("out"), lanesOf("R"), lanesOf("v")
		halves(func() { R.times(v.three()).store(out) })
	}, "out", "R", "v")
	laneFunction("turnBack", func() {
		out, E, v := lanesOf("out"), lanesOf("E"), lanesOf("v")
		halves(func() { E.timesT(v.three()).store(out) })
	}, "out", "E", "v")
}

// laneMoves256 writes Particular, ParticularWorld, OwnDirection and CarriedDirection.
func laneMoves256() {
	// move writes the way down from the parents, and stores how the bodies move.
	move := func(out, t, c lanes, up *lanes, turn, linear *lanes) {
		var w, v three
		if up != nil {
			R, a := t.field(bodyR), up.field(bodyAt).three()
			v = cross(a, c.field(constArmP).three())
			for i, r := range v {
				VADDPD(up.field(bodyAt+3).at(i), r, r)
			}
			v = R.times(v)
			w = R.times(a)
			if turn != nil {
				w.add(turn.three())
			}
		} else {
			w = turn.three()
		}
		arm := c.field(constArmC).three()
		x := cross(w, arm)
		if up == nil {
			v = three{YMM(), YMM(), YMM()}
			for i, r := range v {
				if linear != nil {
					VMOVUPD(linear.at(i), r)
				} else {
					VXORPD(r, r, r)
				}
			}
		} else if linear != nil {
			v.add(linear.three())
		}
		v.sub(x)
		w.store(t.field(bodyAt))
		v.store(t.field(bodyAt + 3))
		c.field(constL).lowerT(w).store(out)
		root := copied(c.field(constRoot).at(0))
		for i, r := range v {
			VMULPD(root, r, r)
			VMOVUPD(r, out.at(3+i))
		}
	}
	// rest writes what is left of the loads.
	rest := func(out, t lanes) {
		size := YMM()
		VXORPD(size, size, size)
		load := t.field(bodyLoad)
		for i := range 6 {
			x, y := copied(out.at(i)), copied(load.at(i))
			VFMADD231PD(x, x, size)
			VSUBPD(x, y, y)
			VMOVUPD(y, load.at(i))
		}
		VMOVUPD(size, t.field(bodySize).at(0))
	}
	laneFunction("particular", func() {
		out, t, c, up := lanesOf("rest"), lanesOf("t"), lanesOf("c"), lanesOf("up")
		turn, linear := t.field(bodyRel), t.field(bodyRel+3)
		halves(func() {
			move(out, t, c, &up, &turn, &linear)
			rest(out, t)
		})
	}, "rest", "t", "c", "up")
	laneFunction("particularWorld", func() {
		out, t, c := lanesOf("rest"), lanesOf("t"), lanesOf("c")
		turn, linear := t.field(bodyRel), t.field(bodyRel+3)
		halves(func() {
			move(out, t, c, nil, &turn, &linear)
			rest(out, t)
		})
	}, "rest", "t", "c")
	laneFunction("ownDirection", func() {
		out, t, c := lanesOf("col"), lanesOf("t"), lanesOf("c")
		axis := t.field(bodyAxis)
		halves(func() { move(out, t, c, nil, &axis, nil) })
	}, "col", "t", "c")
	laneFunction("carriedDirection", func() {
		out, t, c, up := lanesOf("col"), lanesOf("t"), lanesOf("c"), lanesOf("up")
		halves(func() { move(out, t, c, &up, nil, nil) })
	}, "col", "t", "c", "up")
}
