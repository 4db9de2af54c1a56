package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rows512 is a block of rows for AVX-512: full vectors of 8 rows and, if half
// is set, one vector of 4 rows. The mask K1 has a bit for each row that the
// last vector has.
type rows512 struct {
	full int  // number of vectors of 8 rows
	half bool // a vector of 4 rows follows
}

// rows512s are the blocks of up to 4, 8, … 24 rows.
var rows512s = []rows512{{0, true}, {1, false}, {1, true}, {2, false}, {2, true}, {3, false}}

// vectors returns the number of vectors.
func (b rows512) vectors() int {
	if b.half {
		return b.full + 1
	}
	return b.full
}

// last reports whether vector r is the last one, which the mask K1 belongs to.
func (b rows512) last(r int) bool { return r == b.vectors()-1 }

// view returns the part of the register v that holds vector r.
func (b rows512) view(r int, v reg.VecPhysical) reg.Register {
	if b.half && b.last(r) {
		return v.AsY()
	}
	return v.AsZ()
}

// load loads vector r of the block from m into v.
func (b rows512) load(r int, m Mem, v reg.VecPhysical) {
	if b.last(r) {
		VMOVUPD_Z(m, reg.K1, b.view(r, v))
	} else {
		VMOVUPD(m, b.view(r, v))
	}
}

// masks512 holds masks in 9 rows of 8 bytes: byte j of row t is the mask of elements j…t−1 of a vector.
var masks512 Mem

// widths512 holds, for m ≤ 24 columns that are left, the number of columns of the next
// group. After the first group the number of columns left is a multiple of four, the
// number of rows of half a vector.
var widths512 Mem

// defineTables512 writes masks512 and widths512.
func defineTables512() {
	masks512 = GLOBL("masks512", RODATA|NOPTR)
	for t := range 9 {
		for j := range 8 {
			DATA(8*t+j, U8((0xff<<j)&(1<<t-1)&0xff))
		}
	}
	widths512 = GLOBL("widths512", RODATA|NOPTR)
	for m, width := range []uint8{0, 1, 2, 3, 4, 5, 6, 4, 4, 5, 6, 4, 4, 5, 6, 4, 4, 5, 6, 4, 4, 5, 6, 4, 4} {
		DATA(m, U8(width))
	}
}

// mask512 makes K1 the mask of the last vector of a block. The register rows holds the
// number of rows that are left, which may be more than the block has. It leaves in tmp the
// address of the mask's row in masks512, and changes RCX.
func mask512(b rows512, rows, tmp reg.Register) {
	LEAQ(masks512, tmp)
	LEAQ(Mem{Base: rows, Disp: -8 * (b.vectors() - 1)}, reg.RCX)
	if b.full >= 3 { // there may be more rows than the block has
		fits := uniqueLabel("fits")
		CMPQ(reg.RCX, I8(8))
		JLE(LabelRef(fits))
		MOVL(U32(8), reg.ECX)
		Label(fits)
	}
	LEAQ(Mem{Base: tmp, Index: reg.RCX, Scale: 8}, tmp)
	KMOVB(Mem{Base: tmp}, reg.K1)
}

// update512 writes updateAVX512. With step 0 the matrix C is a rectangle, with step
// 1 a lower trapezoid. A tile has up to six columns and 24 rows, and all its sums are in registers.
func update512() {
	// Narrow groups compute fewer elements above the diagonal, wide groups read A less often.
	const wide = 6
	defineTables512()
	function("updateAVX512", updateSignature,
		"updateAVX512 is Update with AVX-512 for step 1; for step 0 all of C is changed, not only what is below its diagonal.")
	var (
		group  = columns{reg.RDI, reg.RSI, reg.R8}
		a, lda = reg.R9, reg.R10
		b, ldb = reg.R11, reg.R12
		rows   = reg.R13
		cGroup = reg.R14
		aGroup = reg.R15
		p      = reg.RAX
		ap, bp = reg.RBX, reg.RCX
		tmp    = reg.RDX
		count  = reg.RDX
		local  = AllocLocal(16)
		diag   = local
		width  = local.Offset(8)
		left   = argument("m")
		height = argument("n")
	)
	load("c", cGroup)
	loadBytes("ldc", group.lead)
	load("a", aGroup)
	loadBytes("lda", lda)
	load("b", b)
	loadBytes("ldb", ldb)
	load("k", p)
	TESTQ(p, p)
	JLE(LabelRef("done"))

	Label("group")
	CMPQ(left, I8(0))
	JLE(LabelRef("done"))
	load("n", rows)
	MOVQ(left, count)
	MOVL(U32(wide), reg.EAX)
	CMPQ(rows, I8(24))
	JG(LabelRef("many"))
	CMPQ(count, I8(24))
	JG(LabelRef("many"))
	LEAQ(widths512, reg.RAX)
	MOVBLZX(Mem{Base: reg.RAX, Index: count, Scale: 1}, reg.EAX)
	JMP(LabelRef("chosen"))
	Label("many")
	CMPQ(count, reg.RAX)
	CMOVQLT(count, reg.RAX)
	Label("chosen")
	MOVQ(reg.RAX, width)
	MOVQ(cGroup, group.first)
	MOVQ(aGroup, a)
	load("step", tmp)
	MOVQ(tmp, diag)

	Label("block")
	group.setFourth()
	MOVQ(a, ap)
	load("k", p)
	MOVQ(width, count)
	dispatch(count, 1, wide, "columns", func(j int) string { return fmt.Sprintf("columns%d", j) })
	for j := 1; j <= wide; j++ {
		Label(fmt.Sprintf("columns%d", j))
		for i := range rows512s[:len(rows512s)-1] {
			CMPQ(rows, I8(4*(i+1)))
			JLE(LabelRef(fmt.Sprintf("tile%d_%d", j, i)))
		}
		JMP(LabelRef(fmt.Sprintf("tile%d_%d", j, len(rows512s)-1)))
	}
	for j := 1; j <= wide; j++ {
		for i, block := range rows512s {
			tile512(fmt.Sprintf("tile%d_%d", j, i), block, j, group, ap, lda, b, bp, ldb, p, rows, tmp, diag)
		}
	}

	Label("next")
	SUBQ(I8(24), rows)
	JLE(LabelRef("groupEnd"))
	ADDQ(I32(24*8), group.first)
	ADDQ(I32(24*8), a)
	MOVQ(I32(0), diag)
	JMP(LabelRef("block"))

	Label("groupEnd")
	// Go to the right by the columns done. In a trapezoid, go down by as many rows.
	MOVQ(width, count)
	SUBQ(count, left)
	LEAQ(Mem{Base: b, Index: count, Scale: 8}, b)
	MOVQ(count, p)
	IMULQ(group.lead, p)
	ADDQ(p, cGroup)
	load("step", p)
	TESTQ(p, p)
	JE(LabelRef("group"))
	LEAQ(Mem{Base: cGroup, Index: count, Scale: 8}, cGroup)
	LEAQ(Mem{Base: aGroup, Index: count, Scale: 8}, aGroup)
	SUBQ(count, height)
	JMP(LabelRef("group"))

	Label("done")
	VZEROUPPER()
	RET()
}

// tile512 subtracts the product of the rows of A and the columns of B from a block of rows and columns of C.
func tile512(name string, block rows512, width int, c columns, ap, lda, b, bp, ldb, p, rows, tmp reg.Register, diag Mem) {
	n := block.vectors()
	sum := func(j, r int) reg.VecPhysical { return vec[j*n+r] }

	Label(name)
	mask512(block, rows, tmp)
	MOVQ(b, bp)
	for j := range width {
		for r := range n {
			block.load(r, c.at(j, 64*r), sum(j, r))
		}
	}
	// A turn of the loop does two terms. An odd number of terms begins with the second half of a turn.
	TESTB(U8(1), p.(reg.GP).As8())
	JE(LabelRef(name + "_loop"))
	SUBQ(lda, ap)
	SUBQ(ldb, bp)
	INCQ(p)
	JMP(LabelRef(name + "_second"))
	Label(name + "_loop")
	for term := range 2 {
		am, bm := Mem{Base: ap}, Mem{Base: bp}
		if term == 1 {
			Label(name + "_second")
			am.Index, am.Scale = lda, 1
			bm.Index, bm.Scale = ldb, 1
		}
		col := vec[width*n+n*term:][:n]
		for r := range n {
			block.load(r, am.Offset(64*r), col[r])
		}
		for j := range width {
			for r := range n {
				VFNMADD231PD_BCST(bm.Offset(8*j), block.view(r, col[r]), block.view(r, sum(j, r)))
			}
		}
	}
	LEAQ(Mem{Base: ap, Index: lda, Scale: 2}, ap)
	LEAQ(Mem{Base: bp, Index: ldb, Scale: 2}, bp)
	SUBQ(I8(2), p)
	JNZ(LabelRef(name + "_loop"))

	store := func(r int, v reg.VecPhysical, m Mem) {
		if block.last(r) {
			VMOVUPD(block.view(r, v), reg.K1, m)
		} else {
			VMOVUPD(block.view(r, v), m)
		}
	}
	if width > 1 {
		CMPQ(diag, I8(0))
		JE(LabelRef(name + "_store"))
	}
	for j := range width {
		for r := range n {
			v, m := block.view(r, sum(j, r)), c.at(j, 64*r)
			if r > 0 || j == 0 {
				store(r, sum(j, r), m)
				continue
			}
			// Store from the diagonal on.
			k := []reg.Register{reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}[j]
			if n == 1 {
				KMOVB(Mem{Base: tmp, Disp: j}, k)
			} else {
				KMOVB(masks512.Offset(64+j), k)
			}
			VMOVUPD(v, k, m)
		}
	}
	JMP(LabelRef("next"))
	if width > 1 {
		Label(name + "_store")
		for j := range width {
			for r := range n {
				store(r, sum(j, r), c.at(j, 64*r))
			}
		}
		JMP(LabelRef("next"))
	}
}

// subMul512 writes subMulAVX512, which takes 32 rows and two columns at a time.
func subMul512() {
	function("subMulAVX512", subMulSignature, "subMulAVX512 is SubMul with AVX-512.")
	x, a, lda, rows, y := reg.RDI, reg.RSI, reg.R8, reg.R9, reg.R10
	k, ap, yp, tmp := reg.R11, reg.RAX, reg.RBX, reg.RDX
	load("x", x)
	load("a", a)
	loadBytes("lda", lda)
	load("n", rows)
	load("y", y)
	Label("block")
	TESTQ(rows, rows)
	JLE(LabelRef("done"))
	load("k", k)
	MOVQ(a, ap)
	MOVQ(y, yp)
	for r := 1; r < 4; r++ {
		CMPQ(rows, I8(8*r))
		JLE(LabelRef(fmt.Sprintf("rows%d", r)))
	}
	for _, n := range []int{4, 1, 2, 3} {
		block := rows512{full: n}
		name := fmt.Sprintf("rows%d", n)
		Label(name)
		mask512(block, rows, tmp)
		for r := range n {
			block.load(r, Mem{Base: x, Disp: 64 * r}, vec[r])
			VPXORQ(vec[4+r].AsZ(), vec[4+r].AsZ(), vec[4+r].AsZ())
		}
		SUBQ(I8(2), k)
		JL(LabelRef(name + "_odd"))
		Label(name + "_loop")
		for c := range 2 {
			if n > 1 {
				VBROADCASTSD(Mem{Base: yp, Disp: 8 * c}, vec[8+c].AsZ())
			}
			for r := range n {
				m := Mem{Base: ap, Disp: 64 * r}
				if c == 1 {
					m.Index, m.Scale = lda, 1
				}
				block.load(r, m, vec[10+4*c+r])
				if n == 1 {
					VFNMADD231PD_BCST(Mem{Base: yp, Disp: 8 * c}, vec[10+4*c].AsZ(), vec[4*c].AsZ())
				} else {
					VFNMADD231PD(vec[8+c].AsZ(), vec[10+4*c+r].AsZ(), vec[4*c+r].AsZ())
				}
			}
		}
		LEAQ(Mem{Base: ap, Index: lda, Scale: 2}, ap)
		ADDQ(I8(16), yp)
		SUBQ(I8(2), k)
		JGE(LabelRef(name + "_loop"))
		Label(name + "_odd")
		CMPQ(k, I8(-1))
		JL(LabelRef(name + "_sum"))
		VBROADCASTSD(Mem{Base: yp}, vec[8].AsZ())
		for r := range n {
			block.load(r, Mem{Base: ap, Disp: 64 * r}, vec[10+r])
			VFNMADD231PD(vec[8].AsZ(), vec[10+r].AsZ(), vec[r].AsZ())
		}
		Label(name + "_sum")
		for r := range n {
			VADDPD(vec[4+r].AsZ(), vec[r].AsZ(), vec[r].AsZ())
			if block.last(r) {
				VMOVUPD(vec[r].AsZ(), reg.K1, Mem{Base: x, Disp: 64 * r})
			} else {
				VMOVUPD(vec[r].AsZ(), Mem{Base: x, Disp: 64 * r})
			}
		}
		if n == 4 {
			ADDQ(I32(256), x)
			ADDQ(I32(256), a)
			SUBQ(I8(32), rows)
			JMP(LabelRef("block"))
		} else {
			JMP(LabelRef("done"))
		}
	}
	Label("done")
	VZEROUPPER()
	RET()
}

// subMulT512 writes subMulTAVX512, which takes four columns and 8 rows at a time.
func subMulT512() {
	function("subMulTAVX512", subMulTSignature, "subMulTAVX512 is SubMulT with AVX-512.")
	y, a, x := reg.RDI, columns{reg.RSI, reg.R12, reg.R8}, reg.R10
	k, rows, xp, tmp := reg.R11, reg.RBX, reg.RCX, reg.RDX
	base := reg.R13
	load("y", y)
	load("a", base)
	loadBytes("lda", a.lead)
	load("x", x)
	load("k", k)
	load("n", rows)
	TESTQ(rows, rows)
	JLE(LabelRef("done"))
	XORL(reg.EDX, reg.EDX)
	NOTQ(tmp)
	LEAQ(Mem{Base: rows, Disp: -1}, xp)
	ANDQ(I8(7), xp)
	INCQ(xp)
	BZHIQ(xp, tmp, tmp)
	KMOVB(reg.EDX, reg.K1) // the last 1…8 rows
	Label("group")
	TESTQ(k, k)
	JLE(LabelRef("done"))
	MOVQ(base, a.first)
	a.setFourth()
	load("n", rows)
	MOVQ(x, xp)
	for j := 1; j < 4; j++ {
		CMPQ(k, I8(j))
		JE(LabelRef(fmt.Sprintf("columns%d", j)))
	}
	for _, n := range []int{4, 1, 2, 3} {
		name := fmt.Sprintf("columns%d", n)
		Label(name)
		for j := range 4 {
			VPXORQ(vec[j].AsZ(), vec[j].AsZ(), vec[j].AsZ())
		}
		SUBQ(I8(8), rows)
		JLE(LabelRef(name + "_last"))
		Label(name + "_loop")
		VMOVUPD(Mem{Base: xp}, vec[8].AsZ())
		for j := range n {
			VFMADD231PD(a.at(j, 0), vec[8].AsZ(), vec[j].AsZ())
		}
		ADDQ(I8(64), xp)
		ADDQ(I8(64), a.first)
		ADDQ(I8(64), a.fourth)
		SUBQ(I8(8), rows)
		JG(LabelRef(name + "_loop"))
		Label(name + "_last")
		VMOVUPD_Z(Mem{Base: xp}, reg.K1, vec[8].AsZ())
		for j := range n {
			VMOVUPD_Z(a.at(j, 0), reg.K1, vec[9+j].AsZ())
			VFMADD231PD(vec[9+j].AsZ(), vec[8].AsZ(), vec[j].AsZ())
		}
		for j := range n {
			VEXTRACTF64X4(U8(1), vec[j].AsZ(), vec[9+j].AsY())
			VADDPD(vec[9+j].AsY(), vec[j].AsY(), vec[j].AsY())
		}
		sumFour(vec[0], vec[1], vec[2], vec[3], vec[9], vec[10])
		switch n {
		case 4:
			VMOVUPD(Mem{Base: y}, vec[8].AsY())
			VSUBPD(vec[0].AsY(), vec[8].AsY(), vec[8].AsY())
			VMOVUPD(vec[8].AsY(), Mem{Base: y})
			ADDQ(I8(32), y)
			LEAQ(Mem{Base: base, Index: a.lead, Scale: 4}, base)
			SUBQ(I8(4), k)
			JMP(LabelRef("group"))
		default:
			MOVL(U32(1<<n-1), reg.EDX)
			KMOVB(reg.EDX, reg.K2)
			VMOVUPD_Z(Mem{Base: y}, reg.K2, vec[8].AsY())
			VSUBPD(vec[0].AsY(), vec[8].AsY(), vec[8].AsY())
			VMOVUPD(vec[8].AsY(), reg.K2, Mem{Base: y})
			JMP(LabelRef("done"))
		}
	}
	Label("done")
	VZEROUPPER()
	RET()
}

// sumFour sets element i of v0 to the sum of the four elements of vi, i = 0 … 3. It changes t0 and t1.
func sumFour(v0, v1, v2, v3, t0, t1 reg.VecPhysical) {
	VHADDPD(v1.AsY(), v0.AsY(), t0.AsY())
	VHADDPD(v3.AsY(), v2.AsY(), t1.AsY())
	VPERM2F128(U8(0x20), t1.AsY(), t0.AsY(), v0.AsY())
	VPERM2F128(U8(0x31), t1.AsY(), t0.AsY(), v1.AsY())
	VADDPD(v1.AsY(), v0.AsY(), v0.AsY())
}
