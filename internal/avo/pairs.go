package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of kernel.Pair, and its size, in bytes.
const (
	pairW1    = 0
	pairW2    = 8
	pairX1    = 16
	pairX2    = 20
	pairRow   = 24
	pairN     = 28
	pairBytes = 32
)

// pairFields is the layout of kernel.Pair that the assembly assumes.
var pairFields = structure{"Pair", pairBytes, []field{
	{"W1", pairW1}, {"W2", pairW2}, {"X1", pairX1}, {"X2", pairX2}, {"Row", pairRow}, {"N", pairN},
}}

// firstLarge256 writes firstLargeAVX2. Only a row's own comparison waits for the row's sum.
func firstLarge256() {
	function("firstLargeAVX2", "func(b, w, x, squares, scale *float64, rest, limit float64, pairs *byte, count int) int",
		"firstLargeAVX2 is FirstLarge with AVX2 for at least one pair.")
	b, w, x, squares, scale, pair, count := reg.RDX, reg.RSI, reg.RDI, reg.R9, reg.R8, reg.RBX, reg.RCX
	n, at, rest, limit := reg.R12, reg.R13, vec[14], vec[15]
	row := pairRegisters{reg.R10, reg.R11, reg.RAX, reg.R15, [2]six{{vec[0], vec[1]}, {vec[2], vec[3]}}, vec[8]}
	load("b", b)
	load("w", w)
	load("x", x)
	load("squares", squares)
	load("scale", scale)
	load("rest", rest.AsX())
	load("limit", limit.AsX())
	load("pairs", pair)
	load("count", count)
	Label("pair")
	VMOVAPD(rest.AsX(), row.most.AsX())
	for i, field := range []int{pairX1, pairX2} {
		MOVLQSX(Mem{Base: pair, Disp: field}, at)
		VADDSD(Mem{Base: squares, Index: at, Scale: 8}, row.most.AsX(), row.most.AsX())
		LEAQ(Mem{Base: at, Index: at, Scale: 2}, at)
		SHLQ(U8(4), at)
		VMOVUPD(Mem{Base: x, Index: at, Scale: 1}, row.x[i].four.AsY())
		VMOVUPD(Mem{Base: x, Index: at, Scale: 1, Disp: 32}, row.x[i].two.AsX())
	}
	VMULSD(limit.AsX(), row.most.AsX(), row.most.AsX())
	MOVQ(Mem{Base: pair, Disp: pairW1}, row.first)
	LEAQ(Mem{Base: w, Index: row.first, Scale: 8}, row.first)
	MOVQ(Mem{Base: pair, Disp: pairW2}, row.second)
	LEAQ(Mem{Base: w, Index: row.second, Scale: 8}, row.second)
	MOVLQSX(Mem{Base: pair, Disp: pairRow}, at)
	LEAQ(Mem{Base: b, Index: at, Scale: 8}, row.right)
	LEAQ(Mem{Base: scale, Index: at, Scale: 8}, row.scale)
	MOVLQSX(Mem{Base: pair, Disp: pairN}, n)
	Label("row")
	row.compare("found")
	DECQ(n)
	JNE(LabelRef("row"))
	ADDQ(I8(pairBytes), pair)
	DECQ(count)
	JNE(LabelRef("pair"))
	Label("found")
	load("count", reg.RAX)
	SUBQ(count, reg.RAX)
	Store(reg.RAX, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// pairRegisters are the registers for a row of a pair.
type pairRegisters struct {
	first, second, right, scale reg.Register    // addresses of the row in both blocks, in b and in scale
	x                           [2]six          // unknowns of both blocks
	most                        reg.VecPhysical // bound of the squared residual over the row's scale
}

// compare jumps to the label found if the residual of the row is large. Otherwise it goes to the next row. It changes vec[4:7].
func (p *pairRegisters) compare(found string) {
	four, two, half := vec[4], vec[5], vec[6]
	VMULPD(Mem{Base: p.first}, p.x[0].four.AsY(), four.AsY())
	VMULPD(Mem{Base: p.first, Disp: 32}, p.x[0].two.AsX(), two.AsX())
	VFMADD231PD(Mem{Base: p.second}, p.x[1].four.AsY(), four.AsY())
	VFMADD231PD(Mem{Base: p.second, Disp: 32}, p.x[1].two.AsX(), two.AsX())
	VEXTRACTF128(U8(1), four.AsY(), half.AsX())
	VADDPD(half.AsX(), four.AsX(), four.AsX())
	VADDPD(two.AsX(), four.AsX(), four.AsX())
	VHADDPD(four.AsX(), four.AsX(), four.AsX())
	VMOVSD(Mem{Base: p.right}, two.AsX())
	VSUBSD(four.AsX(), two.AsX(), two.AsX())
	VMULSD(two.AsX(), two.AsX(), two.AsX())
	VMULSD(Mem{Base: p.scale}, p.most.AsX(), half.AsX())
	VUCOMISD(two.AsX(), half.AsX())
	JCS(LabelRef(found))
	ADDQ(I8(rowBytes), p.first)
	ADDQ(I8(rowBytes), p.second)
	ADDQ(I8(8), p.right)
	ADDQ(I8(8), p.scale)
}
