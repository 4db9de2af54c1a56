package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows256 is a block of rows for AVX2, in vectors of 4 rows. The last vector may have fewer rows if tail is
// set. Then tail256 has put the number of its rows in RDX and their mask in Y15.
type rows256 struct {
	vectors int  // number of vectors
	tail    bool // the last vector may have fewer than 4 rows
}

// masked reports whether vector r is the one that is read and written with the mask.
func (b rows256) masked(r int) bool { return b.tail && r == b.vectors-1 }

// load loads vector r of the block from m into v.
func (b rows256) load(r int, m Mem, v reg.VecPhysical) {
	if b.masked(r) {
		VMASKMOVPD(m, reg.Y15, v.AsY())
	} else {
		VMOVUPD(m, v.AsY())
	}
}

// store stores v at m as vector r of the block. Masked stores of AVX2 are slow on some
// processors, so the elements of a vector with fewer than 4 rows are stored one or two at
// a time. tmp may be changed.
func (b rows256) store(r int, v reg.VecPhysical, m Mem, tmp reg.VecPhysical) {
	if !b.masked(r) {
		VMOVUPD(v.AsY(), m)
		return
	}
	part, one, out := uniqueLabel("part"), uniqueLabel("one"), uniqueLabel("out")
	CMPQ(reg.RDX, I8(4))
	JL(LabelRef(part))
	VMOVUPD(v.AsY(), m)
	JMP(LabelRef(out))
	Label(part)
	CMPQ(reg.RDX, I8(2))
	JL(LabelRef(one))
	VMOVUPD(v.AsX(), m)
	JE(LabelRef(out))
	VEXTRACTF128(U8(1), v.AsY(), tmp.AsX())
	VMOVSD(tmp.AsX(), m.Offset(16))
	JMP(LabelRef(out))
	Label(one)
	VMOVSD(v.AsX(), m)
	Label(out)
}

// tail256 loads the mask of the last vector of a block into Y15, and the number of rows of this vector into RDX. The register
// rows holds the number of rows that are left. It changes RCX. It does nothing if the block has only full vectors.
func tail256(b rows256, rows reg.Register, masks Mem) {
	if !b.tail {
		return
	}
	MOVL(U32(4), reg.EDX)
	LEAQ(Mem{Base: rows, Disp: -4 * (b.vectors - 1)}, reg.RCX)
	CMPQ(reg.RCX, reg.RDX)
	CMOVQGT(reg.RDX, reg.RCX)
	NEGQ(reg.RCX)
	LEAQ(masks.Offset(32), reg.RDX)
	VMOVUPD(Mem{Base: reg.RDX, Index: reg.RCX, Scale: 8}, reg.Y15)
	MOVQ(reg.RCX, reg.RDX)
	NEGQ(reg.RDX)
}

// masks256 holds the masks of 0 to 4 rows: the mask of t rows begins 8·t bytes before the middle of the table.
var masks256 Mem

// defineMasks256 writes masks256.
func defineMasks256() {
	masks256 = GLOBL("masks256", RODATA|NOPTR)
	for i := range 8 {
		mask := U64(0)
		if i < 4 {
			mask = ^mask
		}
		DATA(8*i, mask)
	}
}

// panel256 writes panelAVX2 for up to six columns. The first 8 rows are
// factored in registers. The other rows follow, 8 at a time.
func panel256() {
	const width = 6
	one := ConstData("oneAVX2", F64(1))
	function("panelAVX2", panelSignature, "panelAVX2 is Panel with AVX2 for 1 ≤ w ≤ 6 from column 0.")
	var (
		f           = columns{reg.RDI, reg.RSI, reg.R8}
		ld          = columns{reg.R9, reg.R10, reg.R11}
		dinv, limit = reg.R12, reg.R13
		w, rows     = reg.R14, reg.R15
		done        = reg.RAX
		top         = columns{reg.RBX, reg.R13, reg.R11} // R13 is free once no limit is needed any more
	)
	load("f", f.first)
	loadBytes("ldf", f.lead)
	load("ld", ld.first)
	loadBytes("ldd", ld.lead)
	load("dinv", dinv)
	load("limit", limit)
	load("w", w)
	load("n", rows)
	f.setFourth()
	ld.setFourth()
	CMPQ(rows, I8(4))
	JLE(LabelRef("top1"))
	factor256("top2", rows256{2, true}, width, f, ld, dinv, limit, w, rows, done, one)
	CMPQ(rows, I8(8))
	JLE(LabelRef("end"))
	TESTQ(done, done)
	JZ(LabelRef("end"))
	MOVQ(ld.first, top.first)
	MOVQ(ld.fourth, top.fourth)

	Label("blockNext")
	SUBQ(I8(8), rows)
	JLE(LabelRef("end"))
	ADDQ(I8(64), f.first)
	ADDQ(I8(64), f.fourth)
	ADDQ(I8(64), ld.first)
	ADDQ(I8(64), ld.fourth)
	CMPQ(rows, I8(4))
	JLE(LabelRef("rest1"))
	follow256("rest2", rows256{2, true}, width, f, ld, top, dinv, w, rows, done)
	JMP(LabelRef("blockNext"))
	follow256("rest1", rows256{1, true}, width, f, ld, top, dinv, w, rows, done)
	JMP(LabelRef("end"))

	factor256("top1", rows256{1, true}, 4, f, ld, dinv, limit, w, rows, done, one)
	Label("end")
	Store(done, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// loadColumns256 loads columns 0 to w−1 into the registers sum(j, r), column j from vector first(j) on.
// The columns from w to width−1 become zeros.
func loadColumns256(name string, block rows256, width int, f columns, w reg.Register, first func(j int) int, sum func(j, r int) reg.VecPhysical) {
	for j := range width {
		if j > 0 {
			CMPQ(w, I8(j))
			JE(LabelRef(fmt.Sprintf("%s_zero%d", name, j)))
		}
		for r := first(j); r < block.vectors; r++ {
			block.load(r, f.at(j, 32*r), sum(j, r))
		}
	}
	JMP(LabelRef(name + "_loaded"))
	for j := 1; j < width; j++ {
		Label(fmt.Sprintf("%s_zero%d", name, j))
		for r := first(j); r < block.vectors; r++ {
			VXORPD(sum(j, r).AsY(), sum(j, r).AsY(), sum(j, r).AsY())
		}
	}
	Label(name + "_loaded")
}

// factor256 factors the first rows of a panel. At a pivot p above its limit the code jumps
// to the label name_above with p appended. There the pivot is shifted. If the shifted pivot
// is taken, the factorization goes on; otherwise the columns from p on are stored, from the
// label name_store with p appended.
func factor256(name string, block rows256, width int, f, ld columns, dinv, limit, w, rows, done reg.Register, one Mem) {
	n := block.vectors
	diagonal := func(j int) int { return j / 4 }
	// The columns from 4 on are above the diagonal in the first vector, and have no register for it.
	sum := func(j, r int) reg.VecPhysical {
		if n == 2 && j >= 4 {
			return vec[4+j]
		}
		return vec[j*n+r]
	}
	scaled, row, d, r := vec[10:12], vec[12], vec[13], vec[14]

	Label(name)
	tail256(block, rows, masks256)
	loadColumns256(name, block, width, f, w, diagonal, sum)
	VBROADCASTSD(sum(0, 0).AsX(), d.AsY())
	for p := range width {
		top, lane := diagonal(p), p%4
		VMOVSD(Mem{Base: limit, Disp: 8 * p}, row.AsX())
		VUCOMISD(d.AsX(), row.AsX())
		JCS(LabelRef(fmt.Sprintf("%s_above%d", name, p)))
		Label(fmt.Sprintf("%s_pivot%d", name, p))
		VBROADCASTSD(one, r.AsY())
		VDIVPD(d.AsY(), r.AsY(), r.AsY())
		VMOVSD(r.AsX(), Mem{Base: dinv, Disp: 8 * p})
		VBLENDPD(U8(1<<lane), d.AsY(), sum(p, top).AsY(), sum(p, top).AsY())

		if p+1 < width {
			// Broadcast the next pivot to all elements before the rest of its column is updated.
			broadcast256(sum(p, diagonal(p+1)), (p+1)%4, row)
			VMULPD(row.AsY(), row.AsY(), row.AsY())
			broadcast256(sum(p+1, diagonal(p+1)), (p+1)%4, d)
			VFNMADD231PD(r.AsY(), row.AsY(), d.AsY())
		}
		for i := top; i < n; i++ {
			VMULPD(r.AsY(), sum(p, i).AsY(), scaled[i].AsY())
		}
		for j := p + 1; j < width; j++ {
			broadcast256(sum(p, diagonal(j)), j%4, row)
			for i := diagonal(j); i < n; i++ {
				VFNMADD231PD(row.AsY(), scaled[i].AsY(), sum(j, i).AsY())
			}
		}

		// Elements above the diagonal keep their values in memory, and the diagonal is the pivot.
		VBLENDPD(U8(2<<lane-1), sum(p, top).AsY(), scaled[top].AsY(), scaled[top].AsY())
		if lane > 0 {
			block.load(top, f.at(p, 32*top), row)
			VBLENDPD(U8(1<<lane-1), row.AsY(), scaled[top].AsY(), scaled[top].AsY())
		}
		for i := top; i < n; i++ {
			block.store(i, scaled[i], f.at(p, 32*i), r)
		}
		CMPQ(rows, I8(p+1))
		JE(LabelRef(name + "_done")) // there are no rows below
		if lane < 3 {
			block.load(top, ld.at(p, 32*top), row)
			VBLENDPD(U8(2<<lane-1), row.AsY(), sum(p, top).AsY(), row.AsY())
			block.store(top, row, ld.at(p, 32*top), r)
		}
		for i := top + 1; i < n; i++ {
			block.store(i, sum(p, i), ld.at(p, 32*i), r)
		}
		if p+1 < width {
			CMPQ(w, I8(p+1))
			JE(LabelRef(name + "_done"))
		}
	}
	Label(name + "_done")
	MOVQ(w, done)
	JMP(LabelRef(name + "_end"))

	// Shift the pivot. If the shifted pivot is refused, the columns from it on are stored.
	for p := range width {
		top, lane := diagonal(p), p%4
		Label(fmt.Sprintf("%s_above%d", name, p))
		MOVQ(I32(p), done)
		VBLENDPD(U8(1<<lane), d.AsY(), sum(p, top).AsY(), sum(p, top).AsY())
		shiftPivot(p, d, row, r, limit, reg.RCX)
		JLS(LabelRef(fmt.Sprintf("%s_store%d", name, p)))
		VBROADCASTSD(d.AsX(), d.AsY())
		JMP(LabelRef(fmt.Sprintf("%s_pivot%d", name, p)))
	}
	for j := range width {
		Label(fmt.Sprintf("%s_store%d", name, j))
		top, lane := diagonal(j), j%4
		if lane > 0 {
			block.load(top, f.at(j, 32*top), row)
			VBLENDPD(U8(1<<lane-1), row.AsY(), sum(j, top).AsY(), sum(j, top).AsY())
		}
		for i := top; i < n; i++ {
			block.store(i, sum(j, i), f.at(j, 32*i), r)
		}
		if j+1 < width {
			CMPQ(w, I8(j+1))
			JE(LabelRef(name + "_end"))
		}
	}
	Label(name + "_end")
}

// broadcast256 sets all elements of to to element lane of v.
func broadcast256(v reg.VecPhysical, lane int, to reg.VecPhysical) {
	VPERMPD(U8(lane*0x55), v.AsY(), to.AsY())
}

// follow256 applies the first done columns, which factor256 has factored, to a block of rows below.
func follow256(name string, block rows256, width int, f, ld, top columns, dinv, w, rows, done reg.Register) {
	n := block.vectors
	sum := func(j, r int) reg.VecPhysical { return vec[j*n+r] }
	row, r, tmp := vec[12], vec[13], vec[14]

	Label(name)
	tail256(block, rows, masks256)
	loadColumns256(name, block, width, f, w, func(int) int { return 0 }, sum)
	for p := range width {
		VBROADCASTSD(Mem{Base: dinv, Disp: 8 * p}, r.AsY())
		for i := range n {
			block.store(i, sum(p, i), ld.at(p, 32*i), tmp)
			VMULPD(r.AsY(), sum(p, i).AsY(), sum(p, i).AsY())
			block.store(i, sum(p, i), f.at(p, 32*i), tmp)
		}
		if p+1 == width {
			break
		}
		CMPQ(w, I8(p+1))
		JE(LabelRef(name + "_end"))
		for j := p + 1; j < width; j++ {
			VBROADCASTSD(top.at(p, 8*j), row.AsY())
			for i := range n {
				VFNMADD231PD(row.AsY(), sum(p, i).AsY(), sum(j, i).AsY())
			}
		}
		CMPQ(done, I8(p+1))
		JE(LabelRef(fmt.Sprintf("%s_store%d", name, p+1)))
	}
	JMP(LabelRef(name + "_end"))
	for j := 1; j < width; j++ {
		Label(fmt.Sprintf("%s_store%d", name, j))
		for i := range n {
			block.store(i, sum(j, i), f.at(j, 32*i), tmp)
		}
		if j+1 < width {
			CMPQ(w, I8(j+1))
			JE(LabelRef(name + "_end"))
		}
	}
	Label(name + "_end")
}
