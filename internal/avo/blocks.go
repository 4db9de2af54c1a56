package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of kernel.Block, and its size, in bytes.
const (
	blockW     = 0
	blockRow   = 8
	blockRes   = 12
	blockNode  = 16
	blockN     = 20
	blockBytes = 24
)

// blockFields is the layout of kernel.Block that the assembly assumes.
var blockFields = []structure{{"Block", blockBytes, []field{
	{"W", blockW}, {"Row", blockRow}, {"Res", blockRes}, {"Node", blockNode}, {"N", blockN},
}}}

// subBlocksT256 writes subBlocksTAVX2. It keeps two sums: one over the even rows of the blocks,
// and one over the odd rows.
func subBlocksT256() {
	function("subBlocksTAVX2", "func(x, w, y *float64, blocks *byte, count int)", "subBlocksTAVX2 is SubBlocksT with AVX2 for at least one block.")
	x, w, y, block, count := reg.RDI, reg.RSI, reg.RDX, reg.RBX, reg.RCX
	load("x", x)
	load("w", w)
	load("y", y)
	load("blocks", block)
	load("count", count)
	rows, at, n := reg.R8, reg.R9, reg.R10
	sums := loadSums(x)
	Label("block")
	blockRows(block, w, rows, n)
	MOVLQSX(Mem{Base: block, Disp: blockRow}, at)
	LEAQ(Mem{Base: y, Index: at, Scale: 8}, at)
	sums.subtract(rows, at, n, "next")
	ADDQ(I8(blockBytes), block)
	DECQ(count)
	JNE(LabelRef("block"))
	sums.store(x)
	VZEROUPPER()
	RET()
}

// subBlocks256 writes subBlocksAVX2.
func subBlocks256() {
	function("subBlocksAVX2", "func(r, w, x *float64, blocks *byte, count int)", "subBlocksAVX2 is SubBlocks with AVX2 for at least one block.")
	r, w, x, block, count := reg.RDI, reg.RSI, reg.RDX, reg.RBX, reg.RCX
	load("r", r)
	load("w", w)
	load("x", x)
	load("blocks", block)
	load("count", count)
	rows, at, n := reg.R8, reg.R9, reg.R10
	product := loadSix(x)
	Label("block")
	MOVLQSX(Mem{Base: block, Disp: blockRes}, at)
	TESTQ(at, at)
	JL(LabelRef("next"))
	LEAQ(Mem{Base: r, Index: at, Scale: 8}, at)
	blockRows(block, w, rows, n)
	product.subtract(at, rows, n)
	Label("next")
	ADDQ(I8(blockBytes), block)
	DECQ(count)
	JNE(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// spreadBlocks256 writes spreadBlocksAVX2.
func spreadBlocks256() {
	function("spreadBlocksAVX2", "func(dst *float64, ld int, w *float64, blocks *byte, count int)", "spreadBlocksAVX2 is SpreadBlocks with AVX2 for at least one block.")
	dst, rows, n := columns{reg.RDI, reg.R8, reg.RSI}, reg.RDX, reg.RCX
	block, count, first, w := reg.RBX, argument("count"), reg.R14, reg.R15
	load("dst", first)
	loadBytes("ld", dst.lead)
	load("w", w)
	load("blocks", block)
	Label("block")
	MOVLQSX(Mem{Base: block, Disp: blockRow}, dst.first)
	LEAQ(Mem{Base: first, Index: dst.first, Scale: 8}, dst.first)
	blockRows(block, w, rows, n)
	transposeRows(dst, rows, n)
	ADDQ(I8(blockBytes), block)
	DECQ(count)
	JNE(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// leaf256 writes solveLeafAVX2: SubBlocksT from b, then SubBlocks with the result, which is still in registers.
func leaf256() {
	function("solveLeafAVX2", "func(x, b, w, y, r, squares *float64, blocks *byte, count int) float64",
		"solveLeafAVX2 is SolveLeaf with AVX2 for at least one block; it leaves r and squares alone if r is nil.")
	w, y, block, count := reg.RSI, reg.RDX, reg.RBX, reg.RCX
	rows, at, n := reg.R8, reg.R9, reg.R10
	load("b", at)
	load("w", w)
	load("y", y)
	load("blocks", block)
	load("count", count)
	x, square := loadSums(at).leaf(w, y, block, count, rows, at, n), vec[8]
	load("x", at)
	x.store(at)
	x.squareTo(square)
	Store(square.AsX(), ReturnIndex(0))
	x.residuals(square, w, block, count, rows, at, n)
	VZEROUPPER()
	RET()
}

// correctLeaf256 writes correctLeafAVX2, which is solveLeafAVX2 for zeros in place of b, whose result is added to x.
func correctLeaf256() {
	function("correctLeafAVX2", "func(x, w, y, r, squares *float64, blocks *byte, count int) (step, size float64)",
		"correctLeafAVX2 is CorrectLeaf with AVX2 for at least one block; it leaves r and squares alone if r is nil.")
	w, y, block, count := reg.RSI, reg.RDX, reg.RBX, reg.RCX
	rows, at, n := reg.R8, reg.R9, reg.R10
	load("w", w)
	load("y", y)
	load("blocks", block)
	load("count", count)
	x, square := noSums().leaf(w, y, block, count, rows, at, n), vec[8]
	x.squareTo(square)
	Store(square.AsX(), Return("step"))
	load("x", at)
	VADDPD(Mem{Base: at}, x.four.AsY(), x.four.AsY())
	VADDPD(Mem{Base: at, Disp: 32}, x.two.AsX(), x.two.AsX())
	x.store(at)
	x.squareTo(square)
	Store(square.AsX(), Return("size"))
	x.residuals(square, w, block, count, rows, at, n)
	VZEROUPPER()
	RET()
}

// leaf subtracts the products of the blocks and y from the sums, and returns the result. It changes block, count, rows, at
// and n.
func (s sixSums) leaf(w, y, block, count, rows, at, n reg.Register) six {
	Label("block")
	blockRows(block, w, rows, n)
	MOVLQSX(Mem{Base: block, Disp: blockRow}, at)
	LEAQ(Mem{Base: y, Index: at, Scale: 8}, at)
	CMPQ(n, I8(3)) // the block of a ball joint
	JNE(LabelRef("other"))
	for r := range 3 {
		s.row(rows, at, r, r%2)
	}
	JMP(LabelRef("next"))
	Label("other")
	s.subtract(rows, at, n, "next")
	ADDQ(I8(blockBytes), block)
	DECQ(count)
	JNE(LabelRef("block"))
	VADDPD(vec[1].AsY(), vec[0].AsY(), vec[0].AsY())
	VADDPD(vec[3].AsX(), vec[2].AsX(), vec[1].AsX())
	return six{vec[0], vec[1]}
}

// residuals writes SubBlocks for x, and adds square to the element of squares of each block's node. The code does nothing if
// r is nil.
func (x six) residuals(square reg.VecPhysical, w, block, count, rows, at, n reg.Register) {
	r, squares := reg.RDI, reg.RDX
	load("r", r)
	TESTQ(r, r)
	JE(LabelRef("end"))
	load("squares", squares)
	load("blocks", block)
	load("count", count)
	Label("residual")
	MOVLQSX(Mem{Base: block, Disp: blockRes}, at)
	TESTQ(at, at)
	JL(LabelRef("done"))
	MOVLQSX(Mem{Base: block, Disp: blockNode}, n)
	LEAQ(Mem{Base: squares, Index: n, Scale: 8}, n)
	VADDSD(Mem{Base: n}, square.AsX(), vec[9].AsX())
	VMOVSD(vec[9].AsX(), Mem{Base: n})
	LEAQ(Mem{Base: r, Index: at, Scale: 8}, at)
	blockRows(block, w, rows, n)
	CMPQ(n, I8(3))
	JNE(LabelRef("more"))
	x.subtractTwo(at, rows, 0)
	x.subtractOne(at, rows, 2)
	JMP(LabelRef("done"))
	Label("more")
	x.subtract(at, rows, n)
	ADDQ(I8(blockBytes), block)
	DECQ(count)
	JNE(LabelRef("residual"))
	Label("end")
}

// blockRows puts the address of the block's rows in w into the register rows, and the number of the rows into n.
func blockRows(block, w, rows, n reg.Register) {
	MOVQ(Mem{Base: block, Disp: blockW}, rows)
	LEAQ(Mem{Base: w, Index: rows, Scale: 8}, rows)
	MOVLQSX(Mem{Base: block, Disp: blockN}, n)
}
