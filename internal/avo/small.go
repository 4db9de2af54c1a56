package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The kernels in this file are for a few numbers. A row of six numbers is a vector of
// four and a vector of two, which need no masks. So all these kernels are in AVX2, and serve
// AVX-512 too. With masks, a block of 5×5 was measured to take three times as long,
// because a masked load waits for the store to the column before.

// rowBytes is the size of a row of six numbers.
const rowBytes = 6 * 8

// sixSums are two sums of six numbers in registers. Each sum is a vector of four and a vector of two.
type sixSums struct{ four, two [2]reg.VecPhysical }

// loadSums loads the six numbers at x as the first sum; the second sum is zero.
func loadSums(x reg.Register) sixSums {
	s := sixSums{[2]reg.VecPhysical(vec[0:2]), [2]reg.VecPhysical(vec[2:4])}
	VMOVUPD(Mem{Base: x}, s.four[0].AsY())
	VMOVUPD(Mem{Base: x, Disp: 32}, s.two[0].AsX())
	VXORPD(s.four[1].AsY(), s.four[1].AsY(), s.four[1].AsY())
	VXORPD(s.two[1].AsX(), s.two[1].AsX(), s.two[1].AsX())
	return s
}

// noSums makes both sums zero.
func noSums() sixSums {
	s := sixSums{[2]reg.VecPhysical(vec[0:2]), [2]reg.VecPhysical(vec[2:4])}
	for i := range 2 {
		VXORPD(s.four[i].AsY(), s.four[i].AsY(), s.four[i].AsY())
		VXORPD(s.two[i].AsX(), s.two[i].AsX(), s.two[i].AsX())
	}
	return s
}

// row writes x −= Wᵀ·y for row number row of W, in sum number sum.
func (s sixSums) row(w, y reg.Register, row, sum int) {
	times := vec[4+row%4]
	VBROADCASTSD(Mem{Base: y, Disp: 8 * row}, times.AsY())
	VFNMADD231PD(Mem{Base: w, Disp: rowBytes * row}, times.AsY(), s.four[sum].AsY())
	VFNMADD231PD(Mem{Base: w, Disp: rowBytes*row + 32}, times.AsX(), s.two[sum].AsX())
}

// subtract writes x −= Wᵀ·y for the n rows at w. Even rows are subtracted from the first sum, odd
// rows from the second. The code ends at the label end. It changes w, y and n.
func (s sixSums) subtract(w, y, n reg.Register, end string) {
	row := func(row, sum int) { s.row(w, y, row, sum) }
	SUBQ(I8(2), n)
	JL(LabelRef("last"))
	Label("loop")
	row(0, 0)
	row(1, 1)
	ADDQ(I8(2*rowBytes), w)
	ADDQ(I8(16), y)
	SUBQ(I8(2), n)
	JGE(LabelRef("loop"))
	Label("last")
	CMPQ(n, I8(-1))
	JNE(LabelRef(end))
	row(0, 0)
	Label(end)
}

// store adds the two sums and stores the result at x.
func (s sixSums) store(x reg.Register) {
	VADDPD(s.four[1].AsY(), s.four[0].AsY(), s.four[0].AsY())
	VADDPD(s.two[1].AsX(), s.two[0].AsX(), s.two[0].AsX())
	VMOVUPD(s.four[0].AsY(), Mem{Base: x})
	VMOVUPD(s.two[0].AsX(), Mem{Base: x, Disp: 32})
}

// six is a vector of six numbers in two registers, one of four numbers and one of two.
type six struct{ four, two reg.VecPhysical }

// loadSix loads the six numbers at x.
func loadSix(x reg.Register) six {
	VMOVUPD(Mem{Base: x}, vec[0].AsY())
	VMOVUPD(Mem{Base: x, Disp: 32}, vec[1].AsX())
	return six{vec[0], vec[1]}
}

// store stores the six numbers at to.
func (x six) store(to reg.Register) {
	VMOVUPD(x.four.AsY(), Mem{Base: to})
	VMOVUPD(x.two.AsX(), Mem{Base: to, Disp: 32})
}

// multiply multiplies x by up to four rows at w, from row first on. The product with row first+r is the sum of the four elements
// of vec[2+r].
func (x six) multiply(w reg.Register, first, rows int) {
	for r := range rows {
		m := Mem{Base: w, Disp: rowBytes * (first + r)}
		VMULPD(m.Offset(32), x.two.AsX(), vec[2+r].AsX())
		VFMADD231PD(m, x.four.AsY(), vec[2+r].AsY())
	}
}

// subtractTwo writes y −= W·x for the two rows from row first on.
func (x six) subtractTwo(y, w reg.Register, first int) {
	sum, tmp, at := vec[2:6], vec[6:8], Mem{Base: y, Disp: 8 * first}
	x.multiply(w, first, 2)
	VHADDPD(sum[1].AsY(), sum[0].AsY(), sum[0].AsY())
	VEXTRACTF128(U8(1), sum[0].AsY(), tmp[0].AsX())
	VMOVUPD(at, tmp[1].AsX())
	VADDPD(tmp[0].AsX(), sum[0].AsX(), sum[0].AsX())
	VSUBPD(sum[0].AsX(), tmp[1].AsX(), tmp[1].AsX())
	VMOVUPD(tmp[1].AsX(), at)
}

// subtractOne writes y −= W·x for one row.
func (x six) subtractOne(y, w reg.Register, row int) {
	sum, tmp, at := vec[2:6], vec[6:8], Mem{Base: y, Disp: 8 * row}
	x.multiply(w, row, 1)
	VEXTRACTF128(U8(1), sum[0].AsY(), tmp[0].AsX())
	VMOVSD(at, tmp[1].AsX())
	VADDPD(tmp[0].AsX(), sum[0].AsX(), sum[0].AsX())
	VHADDPD(sum[0].AsX(), sum[0].AsX(), sum[0].AsX())
	VSUBSD(sum[0].AsX(), tmp[1].AsX(), tmp[1].AsX())
	VMOVSD(tmp[1].AsX(), at)
}

// subtract writes y −= W·x for the n rows at w. It changes y, w and n.
func (x six) subtract(y, w, n reg.Register) {
	sum, tmp := vec[2:6], vec[6:8]
	rowBlocks(n,
		func() {
			x.multiply(w, 0, 4)
			sumFour(sum[0], sum[1], sum[2], sum[3], tmp[0], tmp[1])
			VMOVUPD(Mem{Base: y}, tmp[0].AsY())
			VSUBPD(sum[0].AsY(), tmp[0].AsY(), tmp[0].AsY())
			VMOVUPD(tmp[0].AsY(), Mem{Base: y})
			ADDQ(I32(4*rowBytes), w)
			ADDQ(I8(32), y)
		},
		func() {
			x.subtractTwo(y, w, 0)
			ADDQ(I8(2*rowBytes), w)
			ADDQ(I8(16), y)
		},
		func() { x.subtractOne(y, w, 0) })
}

// squareTo sets the first element of to to the square xᵀx. It changes vec[2] and vec[3].
func (x six) squareTo(to reg.VecPhysical) {
	VMULPD(x.four.AsY(), x.four.AsY(), vec[2].AsY())
	VEXTRACTF128(U8(1), vec[2].AsY(), vec[3].AsX())
	VFMADD231PD(x.two.AsX(), x.two.AsX(), vec[2].AsX())
	VADDPD(vec[3].AsX(), vec[2].AsX(), vec[2].AsX())
	VHADDPD(vec[2].AsX(), vec[2].AsX(), to.AsX())
}

// rowBlocks writes a loop over n rows: four rows at a time while there are as many,
// then two rows, then one row. It changes n.
func rowBlocks(n reg.Register, four, two, one func()) {
	SUBQ(I8(4), n)
	JL(LabelRef("two"))
	Label("four")
	four()
	SUBQ(I8(4), n)
	JGE(LabelRef("four"))
	Label("two")
	n8 := n.(reg.GP).As8()
	TESTB(U8(2), n8)
	JE(LabelRef("one"))
	two()
	Label("one")
	TESTB(U8(1), n8)
	JE(LabelRef("done"))
	one()
	Label("done")
}

// transposeRows stores the n rows of six numbers at w in the six columns of dst. It changes w, n and dst.
func transposeRows(dst columns, w, n reg.Register) {
	dst.setFourth()
	down := func(rows int) {
		ADDQ(I32(rows*rowBytes), w)
		ADDQ(I8(8*rows), dst.first)
		ADDQ(I8(8*rows), dst.fourth)
	}
	row := func(r, column int) Mem { return Mem{Base: w, Disp: rowBytes*r + 8*column} }
	rowBlocks(n,
		func() {
			// Columns j and j+1 of the four rows are read by halves: rows 0 and 1, then rows 2 and 3.
			for j := 0; j < 6; j += 2 {
				for half := range 2 {
					VMOVUPD(row(half, j), vec[half].AsX())
					VINSERTF128(U8(1), row(2+half, j), vec[half].AsY(), vec[half].AsY())
				}
				VUNPCKLPD(vec[1].AsY(), vec[0].AsY(), vec[2].AsY())
				VUNPCKHPD(vec[1].AsY(), vec[0].AsY(), vec[3].AsY())
				VMOVUPD(vec[2].AsY(), dst.at(j, 0))
				VMOVUPD(vec[3].AsY(), dst.at(j+1, 0))
			}
			down(4)
		},
		func() {
			for j := 0; j < 6; j += 2 {
				VMOVUPD(row(0, j), vec[0].AsX())
				VMOVUPD(row(1, j), vec[1].AsX())
				VUNPCKLPD(vec[1].AsX(), vec[0].AsX(), vec[2].AsX())
				VUNPCKHPD(vec[1].AsX(), vec[0].AsX(), vec[3].AsX())
				VMOVUPD(vec[2].AsX(), dst.at(j, 0))
				VMOVUPD(vec[3].AsX(), dst.at(j+1, 0))
			}
			down(2)
		},
		func() {
			general := []reg.Register{reg.RAX, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13}
			for j := range 6 {
				MOVQ(row(0, j), general[j])
				MOVQ(general[j], dst.at(j, 0))
			}
		})
}

// unrolled is the largest number of rows of a column that add256 adds without
// a loop.
const unrolled = 16

// adder holds the registers of AddLower or AddBlock. It adds m columns of n rows at a to the columns at c. Columns are lda bytes apart
// at a, and ldc bytes apart at c.
type adder struct {
	c, ldc, a, lda, n, m reg.Register
	lower                bool // columns of a lower triangle: the next column has one row fewer
}

// add256 writes AddLower, or AddBlock if lower is not set. Each number of rows up to unrolled has code of its own. Longer columns are
// added by a loop.
func add256(name string, lower bool, doc string) {
	function(name, "func(c *float64, ldc int, a *float64, lda, n, m int)", doc)
	t := adder{reg.RDI, reg.R8, reg.RSI, reg.R9, reg.RCX, reg.RDX, lower}
	load("c", t.c)
	loadBytes("ldc", t.ldc)
	load("a", t.a)
	loadBytes("lda", t.lda)
	load("n", t.n)
	load("m", t.m)
	TESTQ(t.m, t.m)
	JLE(LabelRef("done"))
	if lower { // from one column's diagonal to the next
		ADDQ(I8(8), t.ldc)
		ADDQ(I8(8), t.lda)
	} else {
		TESTQ(t.n, t.n)
		JLE(LabelRef("done"))
	}
	CMPQ(t.n, I8(unrolled))
	JG(LabelRef("long"))
	t.short()
	t.long()
	Label("done")
	VZEROUPPER()
	RET()
}

// next goes to the next column. The flag Z is set if there is none.
func (t *adder) next() {
	ADDQ(t.ldc, t.c)
	ADDQ(t.lda, t.a)
	DECQ(t.m)
}

// short writes the code from the label short on, which adds columns of at most unrolled rows, and all columns behind them.
func (t *adder) short() {
	Label("short")
	dispatch(t.n, 1, unrolled, "rows", func(rows int) string { return fmt.Sprintf("rows%d", rows) })
	for rows := unrolled; rows > 0; rows-- {
		Label(fmt.Sprintf("rows%d", rows))
		addColumn256(t.c, t.a, rows)
		if t.lower && rows == 1 {
			break // the last row has no other column
		}
		t.next()
		if t.lower {
			JZ(LabelRef("done"))
			continue
		}
		JNZ(LabelRef(fmt.Sprintf("rows%d", rows)))
		JMP(LabelRef("done"))
	}
	JMP(LabelRef("done"))
}

// long writes the code from the label long on, which adds columns of more than unrolled rows in blocks of rows. In a
// lower triangle the code jumps to short once a column has at most unrolled rows.
func (t *adder) long() {
	c, a, left := reg.RAX, reg.RBX, reg.R10
	Label("long")
	MOVQ(t.c, c)
	MOVQ(t.a, a)
	MOVQ(t.n, left)
	blocks := func(rows int) {
		name := fmt.Sprintf("by%d", rows)
		SUBQ(I8(rows), left)
		JL(LabelRef(name + "_end"))
		Label(name)
		addColumn256(c, a, rows)
		ADDQ(I32(8*rows), c)
		ADDQ(I32(8*rows), a)
		SUBQ(I8(rows), left)
		JGE(LabelRef(name))
		Label(name + "_end")
		ADDQ(I8(rows), left)
	}
	blocks(unrolled)
	blocks(4)
	blocks(1)
	t.next()
	JZ(LabelRef("done"))
	if t.lower {
		DECQ(t.n)
		CMPQ(t.n, I8(unrolled))
		JLE(LabelRef("short"))
	}
	JMP(LabelRef("long"))
}

// addColumn256 adds the numbers at a to the numbers at c; rows is their count.
func addColumn256(c, a reg.Register, rows int) {
	at := func(r reg.Register, i int) Mem { return Mem{Base: r, Disp: 8 * i} }
	v, i := 0, 0
	for ; i+4 <= rows; i += 4 {
		VMOVUPD(at(c, i), vec[v].AsY())
		VADDPD(at(a, i), vec[v].AsY(), vec[v].AsY())
		VMOVUPD(vec[v].AsY(), at(c, i))
		v++
	}
	if rows&2 != 0 {
		VMOVUPD(at(c, i), vec[v].AsX())
		VADDPD(at(a, i), vec[v].AsX(), vec[v].AsX())
		VMOVUPD(vec[v].AsX(), at(c, i))
		v, i = v+1, i+2
	}
	if rows&1 != 0 {
		VMOVSD(at(c, i), vec[v].AsX())
		VADDSD(at(a, i), vec[v].AsX(), vec[v].AsX())
		VMOVSD(vec[v].AsX(), at(c, i))
	}
}

// triangle is the largest order of a triangle in solve256, which needs a register for each number of
// the vector.
const triangle = 15

// solve256 writes SolveLower, or SolveLowerT if transposed is set, for at most triangle unknowns. Each
// number of the vector has its own register, and each number of L is used by
// one multiplication. Only the multiplications by the number found last have to wait.
func solve256(name string, transposed bool, doc string) {
	function(name, "func(y, l *float64, ld, n int)", doc)
	y, ld, n := reg.RDI, reg.RDX, reg.RCX
	base := []reg.Register{reg.RSI, reg.R8, reg.R9, reg.R10, reg.R11} // of columns 0, 3, 6, …
	load("y", y)
	load("l", base[0])
	loadBytes("ld", ld)
	load("n", n)
	subtract := func(i, j int, known, unknown reg.VecPhysical) {
		m := Mem{Base: base[j/3], Disp: 8 * i}
		if j%3 > 0 {
			m.Index, m.Scale = ld, uint8(j%3)
		}
		VFNMADD231SD(m, known.AsX(), unknown.AsX())
	}
	at := func(i int) Mem { return Mem{Base: y, Disp: 8 * i} }
	CMPQ(n, I8(1))
	JLE(LabelRef("done"))
	dispatch(n, 2, triangle, "order", func(n int) string { return fmt.Sprintf("order%d", n) })
	for n := 2; n <= triangle; n++ {
		Label(fmt.Sprintf("order%d", n))
		if n > 4 { // columns up to n−2
			LEAQ(Mem{Base: ld, Index: ld, Scale: 2}, reg.RAX)
		}
		for k := 1; 3*k <= n-2; k++ {
			LEAQ(Mem{Base: base[k-1], Index: reg.RAX, Scale: 1}, base[k])
		}
		for i := range n {
			VMOVSD(at(i), vec[i].AsX())
		}
		for k := range n - 1 {
			if transposed {
				i := n - 1 - k
				for j := i - 1; j >= 0; j-- {
					subtract(i, j, vec[i], vec[j])
				}
				VMOVSD(vec[i-1].AsX(), at(i-1))
			} else {
				for i := k + 1; i < n; i++ {
					subtract(i, k, vec[k], vec[i])
				}
				VMOVSD(vec[k+1].AsX(), at(k+1))
			}
		}
		RET()
	}
	Label("done")
	RET()
}
