package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// update256 writes updateAVX2. With step 0 the matrix C is a rectangle, with step 1 a
// lower trapezoid. A tile has up to four columns and 12 rows, and all its sums are in registers.
func update256() {
	const width = 4
	defineMasks256()
	function("updateAVX2", updateSignature,
		"updateAVX2 is Update with AVX2 for step 1; for step 0 all of C is changed, not only what is below its diagonal.")
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
		diag   = AllocLocal(8)
		left   = argument("m")
		height = argument("n")
		blocks = []rows256{{1, true}, {2, true}, {3, false}}
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
	MOVQ(cGroup, group.first)
	MOVQ(aGroup, a)
	load("step", tmp)
	MOVQ(tmp, diag)

	Label("block")
	group.setFourth()
	load("m", tmp)
	dispatch(tmp, 1, width, "columns", func(j int) string { return fmt.Sprintf("columns%d", j) })
	for j := 1; j <= width; j++ {
		Label(fmt.Sprintf("columns%d", j))
		CMPQ(rows, I8(4))
		JLE(LabelRef(fmt.Sprintf("tile%d_1", j)))
		CMPQ(rows, I8(12))
		JL(LabelRef(fmt.Sprintf("tile%d_2", j)))
		JMP(LabelRef(fmt.Sprintf("tile%d_3", j)))
	}
	for j := 1; j <= width; j++ {
		for _, block := range blocks {
			tile256(fmt.Sprintf("tile%d_%d", j, block.vectors), block, j, group, a, ap, lda, b, bp, ldb, p, rows, diag)
			SUBQ(I8(4*block.vectors), rows)
			ADDQ(I8(32*block.vectors), group.first)
			ADDQ(I8(32*block.vectors), a)
			JMP(LabelRef("next"))
		}
	}

	Label("next")
	MOVQ(I32(0), diag)
	TESTQ(rows, rows)
	JG(LabelRef("block"))

	// Go four columns to the right, and in a trapezoid also four rows down.
	SUBQ(I8(width), left)
	ADDQ(I8(8*width), b)
	LEAQ(Mem{Base: cGroup, Index: group.lead, Scale: width}, cGroup)
	load("step", tmp)
	TESTQ(tmp, tmp)
	JE(LabelRef("group"))
	ADDQ(I8(8*width), cGroup)
	ADDQ(I8(8*width), aGroup)
	SUBQ(I8(width), height)
	JMP(LabelRef("group"))

	Label("done")
	VZEROUPPER()
	RET()
}

// tile256 subtracts the product of the rows of A and the columns of B from a block of rows and columns of C.
func tile256(name string, block rows256, width int, c columns, a, ap, lda, b, bp, ldb, p, rows reg.Register, diag Mem) {
	n := block.vectors
	sum := func(j, r int) reg.VecPhysical { return vec[j*n+r] }
	col := vec[width*n:][:n]
	row := vec[width*n+n]

	Label(name)
	tail256(block, rows, masks256)
	MOVQ(a, ap)
	MOVQ(b, bp)
	load("k", p)
	for j := range width {
		for r := range n {
			block.load(r, c.at(j, 32*r), sum(j, r))
		}
	}
	Label(name + "_loop")
	for r := range n {
		block.load(r, Mem{Base: ap, Disp: 32 * r}, col[r])
	}
	for j := range width {
		VBROADCASTSD(Mem{Base: bp, Disp: 8 * j}, row.AsY())
		for r := range n {
			VFNMADD231PD(row.AsY(), col[r].AsY(), sum(j, r).AsY())
		}
	}
	ADDQ(lda, ap)
	ADDQ(ldb, bp)
	DECQ(p)
	JNZ(LabelRef(name + "_loop"))

	if width > 1 {
		// Elements above the diagonal keep their values.
		CMPQ(diag, I8(0))
		JE(LabelRef(name + "_store"))
		for j := 1; j < width; j++ {
			block.load(0, c.at(j, 0), row)
			VBLENDPD(U8(1<<j-1), row.AsY(), sum(j, 0).AsY(), sum(j, 0).AsY())
		}
		Label(name + "_store")
	}
	for j := range width {
		for r := range n {
			block.store(r, sum(j, r), c.at(j, 32*r), row)
		}
	}
}

// subMul256 writes subMulAVX2, which takes 16 rows and two columns at a time.
func subMul256() {
	function("subMulAVX2", subMulSignature, "subMulAVX2 is SubMul with AVX2.")
	x, a, lda, rows, y := reg.RDI, reg.RSI, reg.R8, reg.R9, reg.R10
	k, ap, yp := reg.R11, reg.RBX, reg.R12
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
		CMPQ(rows, I8(4*r))
		JLE(LabelRef(fmt.Sprintf("rows%d", r)))
	}
	for _, n := range []int{4, 1, 2, 3} {
		block := rows256{n, true}
		name := fmt.Sprintf("rows%d", n)
		Label(name)
		tail256(block, rows, masks256)
		for r := range n {
			block.load(r, Mem{Base: x, Disp: 32 * r}, vec[r])
			VXORPD(vec[4+r].AsY(), vec[4+r].AsY(), vec[4+r].AsY())
		}
		subtract := func(c int) {
			VBROADCASTSD(Mem{Base: yp, Disp: 8 * c}, vec[8].AsY())
			for r := range n {
				m := Mem{Base: ap, Disp: 32 * r}
				if c == 1 {
					m.Index, m.Scale = lda, 1
				}
				block.load(r, m, vec[9+r])
				VFNMADD231PD(vec[8].AsY(), vec[9+r].AsY(), vec[4*c+r].AsY())
			}
		}
		SUBQ(I8(2), k)
		JL(LabelRef(name + "_odd"))
		Label(name + "_loop")
		subtract(0)
		subtract(1)
		LEAQ(Mem{Base: ap, Index: lda, Scale: 2}, ap)
		ADDQ(I8(16), yp)
		SUBQ(I8(2), k)
		JGE(LabelRef(name + "_loop"))
		Label(name + "_odd")
		CMPQ(k, I8(-1))
		JL(LabelRef(name + "_sum"))
		subtract(0)
		Label(name + "_sum")
		for r := range n {
			VADDPD(vec[4+r].AsY(), vec[r].AsY(), vec[r].AsY())
			block.store(r, vec[r], Mem{Base: x, Disp: 32 * r}, vec[8])
		}
		if n == 4 {
			ADDQ(I32(128), x)
			ADDQ(I32(128), a)
			SUBQ(I8(16), rows)
			JMP(LabelRef("block"))
		} else {
			JMP(LabelRef("done"))
		}
	}
	Label("done")
	VZEROUPPER()
	RET()
}

// subMulT256 writes subMulTAVX2, which takes four columns and 4 rows at a time.
func subMulT256() {
	function("subMulTAVX2", subMulTSignature, "subMulTAVX2 is SubMulT with AVX2.")
	y, a, x := reg.RDI, columns{reg.RSI, reg.R12, reg.R8}, reg.R10
	k, rows, xp := reg.R11, reg.RBX, reg.RCX
	base := reg.R13
	block := rows256{1, true}
	load("y", y)
	load("a", base)
	loadBytes("lda", a.lead)
	load("x", x)
	load("k", k)
	load("n", rows)
	TESTQ(rows, rows)
	JLE(LabelRef("done"))
	DECQ(rows)
	ANDQ(I8(3), rows)
	INCQ(rows)
	tail256(block, rows, masks256) // the last 1…4 rows
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
			VXORPD(vec[j].AsY(), vec[j].AsY(), vec[j].AsY())
		}
		SUBQ(I8(4), rows)
		JLE(LabelRef(name + "_last"))
		Label(name + "_loop")
		VMOVUPD(Mem{Base: xp}, vec[8].AsY())
		for j := range n {
			VFMADD231PD(a.at(j, 0), vec[8].AsY(), vec[j].AsY())
		}
		ADDQ(I8(32), xp)
		ADDQ(I8(32), a.first)
		ADDQ(I8(32), a.fourth)
		SUBQ(I8(4), rows)
		JG(LabelRef(name + "_loop"))
		Label(name + "_last")
		block.load(0, Mem{Base: xp}, vec[8])
		for j := range n {
			block.load(0, a.at(j, 0), vec[9+j])
			VFMADD231PD(vec[9+j].AsY(), vec[8].AsY(), vec[j].AsY())
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
		case 1:
			VMOVSD(Mem{Base: y}, vec[8].AsX())
			VSUBSD(vec[0].AsX(), vec[8].AsX(), vec[8].AsX())
			VMOVSD(vec[8].AsX(), Mem{Base: y})
			JMP(LabelRef("done"))
		default:
			VMOVUPD(Mem{Base: y}, vec[8].AsX())
			VSUBPD(vec[0].AsX(), vec[8].AsX(), vec[8].AsX())
			VMOVUPD(vec[8].AsX(), Mem{Base: y})
			if n == 3 {
				VEXTRACTF128(U8(1), vec[0].AsY(), vec[0].AsX())
				VMOVSD(Mem{Base: y, Disp: 16}, vec[8].AsX())
				VSUBSD(vec[0].AsX(), vec[8].AsX(), vec[8].AsX())
				VMOVSD(vec[8].AsX(), Mem{Base: y, Disp: 16})
			}
			JMP(LabelRef("done"))
		}
	}
	Label("done")
	VZEROUPPER()
	RET()
}
