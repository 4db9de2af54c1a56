package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Bounds of a front that frontAVX512 eliminates as a whole. It has nine to 16 rows, and its last row is the transposed right
// side.
const (
	narrowestFront512 = 3  // smallest number of pivots; the largest is shortWidth512
	frontColumns512   = 15 // largest number of columns
)

// front512 writes frontAVX512. The columns of the front are in registers from the products of its leaves until they are factored:
// rows 0 to 7 of the first eight columns, and rows 8 to 15 of all columns.
func front512() {
	function("frontAVX512",
		"func(f, u *float64, n, w int, t, loads *float64, groups *byte, k int, dinv, limit, shift, right, child *float64, below int) int",
		"frontAVX512 is Front with AVX-512 for 9 ≤ n ≤ 16 and 3 ≤ w ≤ 10, and returns 1 if all pivots have been taken.")
	t := &tops512{
		f: reg.RDI, ldf: reg.R8, dinv: reg.R12, limit: reg.R13, w: reg.R14, done: reg.RAX, tmp: reg.RDX,
		lanes: lanesOf512, one: oneOf512, vectors: 2,
	}
	rows, terms, k := reg.R15, reg.R9, reg.R10
	load("n", rows)
	load("t", terms)
	load("k", k)
	mask512(rows512{full: 2}, rows, t.tmp)
	const last = 9 // the last row of a front of nine rows is the first element of the second vector
	KMOVB(Mem{Base: t.tmp, Index: rows, Scale: 1, Disp: -last}, reg.K3)
	load("loads", reg.RSI)
	load("groups", reg.R11)
	t.multiply(terms, k)
	load("f", t.f)
	load("dinv", t.dinv)
	load("limit", t.limit)
	load("w", t.w)
	loadBytes("n", t.ldf)
	MOVQ(rows, reg.R11)
	SUBQ(t.w, reg.R11)
	SHLQ(U8(3), reg.R11)
	load("u", reg.RBX)
	load("right", reg.RSI)
	TESTQ(reg.RSI, reg.RSI)
	JE(LabelRef("memory"))
	t.addBare(rows)
	dispatch(t.w, narrowestFront512, shortWidth512, "bare", func(w int) string { return fmt.Sprintf("w%d_bare", w) })
	Label("memory")
	dispatch(t.w, narrowestFront512, shortWidth512, "width", func(w int) string { return fmt.Sprintf("w%d", w) })
	for w := narrowestFront512; w <= shortWidth512; w++ {
		name := fmt.Sprintf("w%d", w)
		Label(name)
		t.addFront(name, w, rows)
		Label(name + "_bare")
		VMOVAPD(t.column(0, 0).AsX(), pivot512.AsX())
		t.eliminate(name, w, frontColumns512)
		t.storeFront(name, w, rows)
		t.shifts(name, w)
	}
	Label("end")
	MOVL(U32(1), reg.EAX)
	Store(reg.RAX, ReturnIndex(0))
	VZEROUPPER()
	RET()
	Label("refused")
	XORL(reg.EAX, reg.EAX)
	Store(reg.RAX, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// groupColumns512 is the number of columns that share a bit: the bit is set if a term has nonzero elements in these columns.
const groupColumns512 = 3

// multiply sets the columns to minus the sum of the products of k terms. A term is a vector of 16 numbers at terms, whose
// element in the last row, the one with the mask K3, is replaced by a number at RSI. The bits of the groups of columns in which the
// term has nonzero elements are a byte at R11.
func (t *tops512) multiply(terms, k reg.Register) {
	each := func(from, to int, f func(j, i int, v reg.VecPhysical)) {
		for j := from; j < to; j++ {
			for i := j / 8; i < 2; i++ {
				f(j, i, t.column(j, i))
			}
		}
	}
	each(0, frontColumns512, func(_, _ int, v reg.VecPhysical) { VPXORQ(v.AsZ(), v.AsZ(), v.AsZ()) })
	TESTQ(k, k)
	JLE(LabelRef("sum"))
	Label("term")
	for i := range 2 {
		VMOVUPD(Mem{Base: terms, Disp: 64 * i}, vec[23+i].AsZ())
	}
	VBROADCASTSD(Mem{Base: reg.RSI}, reg.K3, vec[24].AsZ())
	MOVBLZX(Mem{Base: reg.R11}, reg.EAX)
	for g := 0; g*groupColumns512 < frontColumns512; g++ {
		skip := fmt.Sprintf("group%d", g)
		TESTB(U8(1<<g), reg.AL)
		JZ(LabelRef(skip))
		each(g*groupColumns512, (g+1)*groupColumns512, func(j, i int, v reg.VecPhysical) {
			VFNMADD231PD_BCST(Mem{Base: terms, Disp: 8 * j}, vec[23+i].AsZ(), v.AsZ())
		})
		Label(skip)
	}
	ADDQ(I32(128), terms)
	ADDQ(I8(8), reg.RSI)
	INCQ(reg.R11)
	DECQ(k)
	JNZ(LabelRef("term"))
	Label("sum")
}

// eachBelow calls f for each vector of the columns behind the w pivots, with the vector's address, mask and register. The code
// ends at the label name, which it also jumps to behind the front's last column.
func (t *tops512) eachBelow(name string, w int, rows reg.Register, f func(m Mem, mask reg.Register, v reg.VecPhysical)) {
	at := Mem{Base: reg.RSI, Disp: -8 * w}
	MOVQ(reg.RBX, reg.RSI)
	for j := w; j < frontColumns512; j++ {
		if j >= 8 {
			CMPQ(rows, I8(j+1))
			JLE(LabelRef(name))
			if j == 8 {
				f(at.Offset(64), reg.K1, t.column(j, 1))
			} else {
				KMOVB(Mem{Base: t.tmp, Disp: j - 8}, reg.K2)
				f(at.Offset(64), reg.K2, t.column(j, 1))
			}
		} else {
			KMOVB(masks512.Offset(64+j), reg.K2)
			f(at, reg.K2, t.column(j, 0))
			f(at.Offset(64), reg.K1, t.column(j, 1))
		}
		if j+1 < frontColumns512 {
			ADDQ(reg.R11, reg.RSI)
		}
	}
	Label(name)
}

// addFront adds the elements of the front in memory to the columns, both to the columns of the pivots and to the columns behind.
func (t *tops512) addFront(name string, w int, rows reg.Register) {
	add := func(m Mem, mask reg.Register, v reg.VecPhysical) { VADDPD(m, v.AsZ(), mask, v.AsZ()) }
	MOVQ(t.f, reg.RSI)
	for j := range w {
		if j < 8 {
			VADDPD(Mem{Base: reg.RSI}, t.column(j, 0).AsZ(), t.column(j, 0).AsZ())
		}
		add(Mem{Base: reg.RSI, Disp: 64}, reg.K1, t.column(j, 1))
		if j+1 < w {
			ADDQ(t.ldf, reg.RSI)
		}
	}
	t.eachBelow(name+"_added", w, rows, add)
}

// addBare is addFront for a front that is not in memory. It adds the right side of the pivots, which is at RSI, to the last row, and the
// update matrix of a child, if there is one, to the first rows and to the last row.
func (t *tops512) addBare(rows reg.Register) {
	for j := range shortWidth512 {
		if j >= narrowestFront512 {
			CMPQ(t.w, I8(j))
			JLE(LabelRef("right"))
		}
		VADDPD_BCST(Mem{Base: reg.RSI, Disp: 8 * j}, t.column(j, 1).AsZ(), reg.K3, t.column(j, 1).AsZ())
	}
	Label("right")
	child, below, lead, masks := reg.RSI, reg.R9, reg.R10, reg.RCX
	load("child", child)
	TESTQ(child, child)
	JE(LabelRef("child"))
	load("below", below)
	LEAQ(Mem{Base: below, Disp: 1}, lead)
	SHLQ(U8(3), lead)
	LEAQ(masks512, masks)
	LEAQ(Mem{Base: masks, Index: below, Scale: 8}, masks)
	for j := range 8 {
		CMPQ(below, I8(j))
		JLE(LabelRef("child"))
		KMOVB(Mem{Base: masks, Disp: j}, reg.K2)
		VADDPD(Mem{Base: child}, t.column(j, 0).AsZ(), reg.K2, t.column(j, 0).AsZ())
		VADDPD_BCST(Mem{Base: child, Index: below, Scale: 8}, t.column(j, 1).AsZ(), reg.K3, t.column(j, 1).AsZ())
		ADDQ(lead, child)
	}
	Label("child")
}

// storeFront stores the columns behind the pivots, and jumps to the end.
func (t *tops512) storeFront(name string, w int, rows reg.Register) {
	t.eachBelow(name+"_stored", w, rows, func(m Mem, mask reg.Register, v reg.VecPhysical) { VMOVUPD(v.AsZ(), mask, m) })
	JMP(LabelRef("end"))
}
