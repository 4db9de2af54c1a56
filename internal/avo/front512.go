package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A front that AVX-512 eliminates at once has nine to 16 rows, the last of which is that of a right side, up to frontColumns512 columns
// and narrowestFront512 to shortWidth512 pivots.
const (
	narrowestFront512 = 3
	frontColumns512   = 15
)

// front512 writes Front of AVX-512. All columns of the front are in registers from the products of its leaves on until they
// are factored: rows 0 to 7 of the first eight columns, and rows 8 to 15 of all.
func front512() {
	function("frontAVX512", "func(f *float64, u *float64, n, w int, t *float64, k int, dinv, limit, shift *float64) int",
		"frontAVX512 is Front with AVX-512 for 9 ≤ n ≤ 16 and 3 ≤ w ≤ 10, and returns 1 if all pivots have been taken.")
	t := &tops512{
		f: reg.RDI, ldf: reg.R8, dinv: reg.R12, limit: reg.R13, w: reg.R14, done: reg.RAX, tmp: reg.RDX,
		lanes: lanesOf512, one: oneOf512, vectors: 2,
	}
	rows, terms, k := reg.R15, reg.R9, reg.R10
	load("n", rows)
	load("t", terms)
	load("k", k)
	t.multiply(terms, k)
	load("f", t.f)
	load("dinv", t.dinv)
	load("limit", t.limit)
	load("w", t.w)
	mask512(rows512{full: 2}, rows, t.tmp)
	loadBytes("n", t.ldf)
	MOVQ(rows, reg.R11)
	SUBQ(t.w, reg.R11)
	SHLQ(U8(3), reg.R11)
	load("u", reg.RBX)
	dispatch(t.w, narrowestFront512, shortWidth512, "width", func(w int) string { return fmt.Sprintf("w%d", w) })
	for w := narrowestFront512; w <= shortWidth512; w++ {
		name := fmt.Sprintf("w%d", w)
		Label(name)
		t.addFront(name, w, rows)
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

// multiply makes the columns minus the product of k terms.
func (t *tops512) multiply(terms, k reg.Register) {
	each := func(f func(j, i int, v reg.VecPhysical)) {
		for j := range frontColumns512 {
			for i := j / 8; i < 2; i++ {
				f(j, i, t.column(j, i))
			}
		}
	}
	each(func(_, _ int, v reg.VecPhysical) { VPXORQ(v.AsZ(), v.AsZ(), v.AsZ()) })
	TESTQ(k, k)
	JLE(LabelRef("sum"))
	Label("term")
	for i := range 2 {
		VMOVUPD(Mem{Base: terms, Disp: 64 * i}, vec[23+i].AsZ())
	}
	each(func(j, i int, v reg.VecPhysical) {
		VFNMADD231PD_BCST(Mem{Base: terms, Disp: 8 * j}, vec[23+i].AsZ(), v.AsZ())
	})
	ADDQ(I32(128), terms)
	DECQ(k)
	JNZ(LabelRef("term"))
	Label("sum")
}

// eachBelow calls f for each vector of the columns behind the w pivots, with its place and its mask. It ends at the label
// name_end behind the last column that there is.
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

// addFront adds what is in memory to the columns: the pivots' and those behind them.
func (t *tops512) addFront(name string, w int, rows reg.Register) {
	add := func(m Mem, mask reg.Register, v reg.VecPhysical) { VADDPD(m, v.AsZ(), mask, v.AsZ()) }
	MOVQ(t.f, reg.RSI)
	for j := range w {
		if j < 8 {
			VADDPD(Mem{Base: reg.RSI}, t.column(j, 0).AsZ(), t.column(j, 0).AsZ())
		}
		add(Mem{Base: reg.RSI, Disp: 64}, reg.K1, t.column(j, 1))
		if j == 0 {
			VMOVAPD(t.column(0, 0).AsX(), pivot512.AsX())
		}
		if j+1 < w {
			ADDQ(t.ldf, reg.RSI)
		}
	}
	t.eachBelow(name+"_added", w, rows, add)
}

// storeFront stores the columns behind the pivots.
func (t *tops512) storeFront(name string, w int, rows reg.Register) {
	t.eachBelow(name+"_stored", w, rows, func(m Mem, mask reg.Register, v reg.VecPhysical) { VMOVUPD(v.AsZ(), mask, m) })
	JMP(LabelRef("end"))
}
