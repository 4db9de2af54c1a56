package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels in this file take eight vectors at a time, side by side: eight consecutive numbers are one row of the eight vectors. A
// coefficient is read once for all eight vectors, and no vector has an effect on another.

const (
	// eightBytes is the size of a row of eight vectors.
	eightBytes = 8 * 8
	// mostRows is the number of rows that subMul8 has in registers.
	mostRows = 6
)

// Signatures of the functions of this file, the same for both sets.
const (
	subMul8Signature   = "func(x, a *float64, row, column, n, k int, y *float64)"
	triangle8Signature = "func(y, l *float64, step, down, next, n int)"
)

// eights are registers for rows of eight vectors. A row is one register of AVX-512 if wide is set, and two registers of AVX2
// otherwise.
type eights struct{ wide bool }

// load loads row i from m.
func (e eights) load(i int, m Mem) {
	if e.wide {
		VMOVUPD(m, vec[i].AsZ())
		return
	}
	VMOVUPD(m, vec[2*i].AsY())
	VMOVUPD(m.Offset(32), vec[2*i+1].AsY())
}

// store stores row i at m.
func (e eights) store(i int, m Mem) {
	if e.wide {
		VMOVUPD(vec[i].AsZ(), m)
		return
	}
	VMOVUPD(vec[2*i].AsY(), m)
	VMOVUPD(vec[2*i+1].AsY(), m.Offset(32))
}

// subtract subtracts from row i the product of row j and the number at a.
func (e eights) subtract(i int, a Mem, j int) {
	if e.wide {
		VFNMADD231PD_BCST(a, vec[j].AsZ(), vec[i].AsZ())
		return
	}
	times := vec[14].AsY()
	VBROADCASTSD(a, times)
	VFNMADD231PD(times, vec[2*j].AsY(), vec[2*i].AsY())
	VFNMADD231PD(times, vec[2*j+1].AsY(), vec[2*i+1].AsY())
}

// subMul8 writes SubMul8 with the registers e. It takes up to six rows at a time, and all sums are in registers.
func subMul8(e eights, name, doc string) {
	function(name, subMul8Signature, doc)
	x, y, base := reg.RDI, reg.RBX, reg.R12
	a := columns{reg.RSI, reg.R9, reg.R8} // rows of A here
	column, n, k, yp := reg.R10, reg.R11, reg.RCX, reg.RDX
	load("x", x)
	load("a", base)
	loadBytes("row", a.lead)
	loadBytes("column", column)
	load("n", n)
	load("y", y)
	Label("block")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	MOVQ(base, a.first)
	a.setFourth()
	MOVQ(y, yp)
	load("k", k)
	rowsLabel := func(m int) string { return fmt.Sprintf("rows%d", m) }
	CMPQ(n, I8(mostRows))
	JGE(LabelRef(rowsLabel(mostRows)))
	dispatch(n, 1, mostRows-1, "rows", rowsLabel)
	for m := 1; m <= mostRows; m++ {
		Label(rowsLabel(m))
		for i := range m {
			e.load(i, Mem{Base: x, Disp: eightBytes * i})
		}
		TESTQ(k, k)
		JLE(LabelRef(rowsLabel(m) + "_store"))
		Label(rowsLabel(m) + "_loop")
		e.load(mostRows, Mem{Base: yp})
		for i := range m {
			e.subtract(i, a.at(i, 0), mostRows)
		}
		ADDQ(column, a.first)
		ADDQ(column, a.fourth)
		ADDQ(I32(eightBytes), yp)
		DECQ(k)
		JNZ(LabelRef(rowsLabel(m) + "_loop"))
		Label(rowsLabel(m) + "_store")
		for i := range m {
			e.store(i, Mem{Base: x, Disp: eightBytes * i})
		}
		if m < mostRows {
			JMP(LabelRef("done"))
			continue
		}
		ADDQ(I32(eightBytes*mostRows), x)
		LEAQ(Mem{Base: base, Index: a.lead, Scale: 4}, base)
		LEAQ(Mem{Base: base, Index: a.lead, Scale: 2}, base)
		SUBQ(I8(mostRows), n)
		JMP(LabelRef("block"))
	}
	Label("done")
	VZEROUPPER()
	RET()
}

// triangle8 writes the solution with a unit triangle. The rows of y are step apart. Each row in turn is multiplied by coefficients
// and subtracted from all rows that follow it. The coefficients of one row in l are down apart, and the coefficients of
// the next row begin next after those of this row. The three distances are in numbers.
func triangle8(e eights, name, doc string) {
	function(name, triangle8Signature, doc)
	y, l, step, down, next, n := reg.RDI, reg.RSI, reg.R8, reg.R9, reg.R10, reg.R11
	yp, lp, left := reg.RAX, reg.RBX, reg.RCX
	load("y", y)
	load("l", l)
	loadBytes("step", step)
	loadBytes("down", down)
	loadBytes("next", next)
	load("n", n)
	DECQ(n)
	JLE(LabelRef("done"))
	Label("source")
	e.load(0, Mem{Base: y})
	MOVQ(y, yp)
	MOVQ(l, lp)
	MOVQ(n, left)
	Label("row")
	ADDQ(step, yp)
	e.load(1, Mem{Base: yp})
	e.subtract(1, Mem{Base: lp}, 0)
	e.store(1, Mem{Base: yp})
	ADDQ(down, lp)
	DECQ(left)
	JNZ(LabelRef("row"))
	ADDQ(step, y)
	ADDQ(next, l)
	DECQ(n)
	JNZ(LabelRef("source"))
	Label("done")
	VZEROUPPER()
	RET()
}
