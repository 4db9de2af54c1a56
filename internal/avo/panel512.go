package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Numbers of columns of a panel that panelAVX512 factors. Panels with more columns
// are halved, which was measured to be as fast (docs/benchmarks.md). For panels with
// fewer than narrowest512 columns, panelAVX2 was measured to be as fast.
const (
	panelWidth512 = 8  // largest number, for more than two vectors of rows
	shortWidth512 = 10 // largest number, for one or two vectors of rows
	narrowest512  = 7  // smallest number
)

// panel512 writes panelAVX512 for seven or eight columns, and for nine or ten columns of up to
// 16 rows. The first 24 rows are factored in registers; every number of vectors and of
// columns has its own code. The other rows follow, 24 at a time. At a refused pivot the
// columns behind it keep their values in memory.
func panel512() {
	lanesOf512, oneOf512 = lanes512(), ConstData("one", F64(1))
	function("panelAVX512", panelSignature,
		"panelAVX512 is Panel with AVX-512 from column 0, for 7 ≤ w ≤ 8, or 7 ≤ w ≤ 10 and n ≤ 16, but at a stop the columns behind it are left as they were.")
	t := &tops512{
		f: reg.RDI, ldf: reg.R8, ld: reg.R9, ldd: reg.R11,
		dinv: reg.R12, limit: reg.R13, w: reg.R14, done: reg.RAX, tmp: reg.RDX,
		lanes: lanesOf512, one: oneOf512,
	}
	rows := reg.R15
	load("f", t.f)
	loadBytes("ldf", t.ldf)
	load("ld", t.ld)
	loadBytes("ldd", t.ldd)
	load("dinv", t.dinv)
	load("limit", t.limit)
	load("w", t.w)
	load("n", rows)
	CMPQ(rows, I8(8))
	JLE(LabelRef("top1"))
	CMPQ(rows, I8(16))
	JLE(LabelRef("top2"))
	for _, n := range []int{3, 2, 1} {
		Label(fmt.Sprintf("top%d", n))
		mask512(rows512{full: n}, rows, t.tmp)
		t.vectors = n
		t.write()
	}
	// A refused pivot is stored, and the columns behind it keep their values.
	Label("refused")
	VMOVSD(pivot512.AsX(), Mem{Base: t.f, Index: t.done, Scale: 8})
	JMP(LabelRef("rows"))
	Label("factored")
	MOVQ(t.w, t.done)
	Label("rows")
	CMPQ(rows, I8(24))
	JG(LabelRef("more"))
	Label("end")
	Store(t.done, ReturnIndex(0))
	VZEROUPPER()
	RET()

	Label("more")
	TESTQ(t.done, t.done)
	JZ(LabelRef("end"))
	below := &follow512{
		f: reg.RDI, ldf: reg.R8, ld: reg.R9, ldd: reg.R11, top: reg.RBX,
		fp: reg.RSI, ldp: reg.R10, topp: reg.R13, dinv: reg.R12, done: reg.RAX, tmp: reg.RDX,
	}
	load("f", below.f)
	load("ld", below.top)
	MOVQ(below.top, below.ld)
	Label("blockNext")
	SUBQ(I8(24), rows)
	JLE(LabelRef("end"))
	ADDQ(I32(24*8), below.f)
	ADDQ(I32(24*8), below.ld)
	CMPQ(rows, I8(8))
	JLE(LabelRef("rest1"))
	CMPQ(rows, I8(16))
	JLE(LabelRef("rest2"))
	for _, n := range []int{3, 1, 2} {
		name := fmt.Sprintf("rest%d", n)
		Label(name)
		mask512(rows512{full: n}, rows, below.tmp)
		below.write(name, rows512{full: n})
		if n == 3 {
			JMP(LabelRef("blockNext"))
		} else {
			JMP(LabelRef("end"))
		}
	}
}

// lanesOf512 is the table of lanes512, and oneOf512 is the constant 1.
var lanesOf512, oneOf512 Mem

// lanes512 returns a table of the integers 1 to 7. Each is an index vector for VPERMPD once it is broadcast to all elements.
func lanes512() Mem {
	m := GLOBL("lanes512", RODATA|NOPTR)
	for i := range 7 {
		DATA(8*i, U64(i+1))
	}
	return m
}

// tops512 writes the code that factors the first rows of a panel. K1 is the mask
// of the last vector.
type tops512 struct {
	f, ldf, ld, ldd, dinv, limit, w, done reg.Register // ld is nil for a front

	tmp        reg.Register // address of the mask's row in masks512
	lanes, one Mem          // lanesOf512 and oneOf512
	vectors    int          // vectors of a column
}

// column returns the register of vector i of column j. With two vectors, the columns from 8 on have no
// register for the first vector, which is above the diagonal.
func (t *tops512) column(j, i int) reg.VecPhysical {
	if t.vectors == 2 && j >= 8 {
		return vec[8+j]
	}
	return vec[j*t.vectors+i]
}

// Registers that hold no column of the panel.
var (
	pivot512   = vec[31]    // the pivot
	inverse512 = vec[30]    // its reciprocal
	beside512  = vec[29]    // the element below the pivot, in all elements
	times512   = vec[28]    // some element of the pivot's column, in all elements
	scaled512  = vec[25:28] // the first two columns of L
)

// widest returns the largest number of columns of a panel with t.vectors vectors.
func (t *tops512) widest() int {
	if t.vectors == 2 {
		return shortWidth512
	}
	return panelWidth512
}

// write writes the code for every number of columns. The code jumps to the label factored or
// refused.
func (t *tops512) write() {
	prefix := fmt.Sprintf("top%d", t.vectors)
	dispatch(t.w, narrowest512, t.widest(), prefix, func(w int) string { return fmt.Sprintf("%s_w%d", prefix, w) })
	for w := narrowest512; w <= t.widest(); w++ {
		t.factor(fmt.Sprintf("%s_w%d", prefix, w), w)
	}
}

// factor writes the code for w columns. Let r be the reciprocal of a pivot, x the
// element below the pivot, and f the element to the right of x. The reciprocal of the
// next pivot is q = 1/(f − x²·r). Since x² and f are taken from their columns before
// r is known, only a product and a division lie between r and q. A column is subtracted
// from the farther columns only after the next column has been subtracted from the two
// columns that the next pivots wait for.
//
// At a pivot p above its limit the code jumps to the label name_above with p appended. There
// the pivot is shifted. If the shifted pivot is taken, the elimination goes on; otherwise the
// code jumps to refused.
func (t *tops512) factor(name string, w int) {
	Label(name)
	MOVQ(t.f, reg.RSI)
	for j := range w {
		for i := j / 8; i < t.vectors; i++ {
			m := Mem{Base: reg.RSI, Disp: 64 * i}
			if i == t.vectors-1 {
				VMOVUPD_Z(m, reg.K1, t.column(j, i).AsZ())
			} else {
				VMOVUPD(m, t.column(j, i).AsZ())
			}
		}
		if j == 0 {
			VMOVAPD(t.column(0, 0).AsX(), pivot512.AsX())
		}
		if j+1 < w {
			ADDQ(t.ldf, reg.RSI)
		}
	}
	t.eliminate(name, w, w)
	JMP(LabelRef("factored"))
	t.shifts(name, w)
}

// eliminate writes the code that eliminates the first w of the columns in registers. They are subtracted from all columns
// behind them, up to column columns−1. The first pivot is in pivot512.
func (t *tops512) eliminate(name string, w, columns int) {
	used := 0
	for j := range columns {
		used += t.vectors - j/8
	}
	lane := map[int]reg.VecPhysical{}
	for k := 1; k < min(columns, 8) && used < 25; k++ {
		lane[k] = vec[used]
		VPBROADCASTQ(t.lanes.Offset(8*(k-1)), lane[k].AsZ())
		used++
	}
	// spread sets all elements of to to element row of column j.
	spread := func(j, row int, to reg.VecPhysical) {
		from, k := t.column(j, row/8), row%8
		if k == 0 {
			VBROADCASTSD(from.AsX(), to.AsZ())
			return
		}
		index, there := lane[k]
		if !there {
			VPBROADCASTQ(t.lanes.Offset(8*(k-1)), to.AsZ())
			index = to
		}
		VPERMPD(from.AsZ(), index.AsZ(), to.AsZ())
	}

	// element sets the first element of to to element row of column j.
	element := func(j, row int, to reg.VecPhysical) {
		from := t.column(j, row/8)
		switch k := row % 8; {
		case k == 0:
			VMOVAPD(from.AsX(), to.AsX())
		case k == 1:
			VPERMILPD(U8(1), from.AsX(), to.AsX())
		case k < 4:
			VALIGNQ(U8(k), from.AsY(), from.AsY(), to.AsY())
		default:
			VALIGNQ(U8(k), from.AsZ(), from.AsZ(), to.AsZ())
		}
	}
	// scaled returns the register of vector i of column p of L. From p = 2 on it is the register of column p−2, which has
	// been subtracted from all other columns.
	scaled := func(p, i int) reg.VecPhysical {
		if p < 2 {
			return scaled512[i]
		}
		return t.column(p-2, i)
	}
	// update subtracts from column j the product of column p of L and times.
	update := func(p, j int, times reg.VecPhysical) {
		for i := j / 8; i < t.vectors; i++ {
			VFNMADD231PD(times.AsZ(), scaled(p, i).AsZ(), t.column(j, i).AsZ())
		}
	}
	for p := range w {
		// The rows below the pivot begin in vector first, with the mask K2 if that is the pivot's vector.
		first := (p + 1) / 8
		masked := first == p/8
		d, r := pivot512, inverse512
		if p > 0 {
			ADDQ(t.ldf, t.f)
			if t.ld != nil {
				ADDQ(t.ldd, t.ld)
			}
		}
		VMOVSD(Mem{Base: t.limit, Disp: 8 * p}, times512.AsX())
		VUCOMISD(d.AsX(), times512.AsX())
		JCS(LabelRef(fmt.Sprintf("%s_above%d", name, p)))
		Label(fmt.Sprintf("%s_pivot%d", name, p))
		VMOVSD(t.one, r.AsX())
		VDIVSD(d.AsX(), r.AsX(), r.AsX())
		VMOVSD(d.AsX(), Mem{Base: t.f, Disp: 8 * p})
		if p+1 < w {
			// Compute the next pivot before the rest of its column.
			element(p, p+1, beside512)
			VMULSD(beside512.AsX(), beside512.AsX(), times512.AsX())
			element(p+1, p+1, d)
			VFNMADD231SD(r.AsX(), times512.AsX(), d.AsX())
			VBROADCASTSD(beside512.AsX(), beside512.AsZ())
		}
		VMOVSD(r.AsX(), Mem{Base: t.dinv, Disp: 8 * p})
		if masked {
			t.below(p+1, reg.K2)
		}
		VBROADCASTSD(r.AsX(), r.AsZ())
		for i := first; i < t.vectors; i++ {
			VMULPD(r.AsZ(), t.column(p, i).AsZ(), scaled(p, i).AsZ())
		}
		// Update the two columns that the next pivots need, before the previous column is subtracted from the
		// farther columns.
		lag := 2
		if p == 0 {
			lag = columns
		}
		for j := p + 1; j < min(columns, p+1+lag); j++ {
			if j == p+1 && j < w {
				update(p, j, beside512)
			} else {
				spread(p, j, times512)
				update(p, j, times512)
			}
		}
		for j := p + 2; p > 1 && j < columns; j++ {
			spread(p-1, j, times512)
			update(p-1, j, times512)
		}
		for i := first; i < t.vectors; i++ {
			if t.ld != nil {
				t.put(t.column(p, i), t.ld, i, i == first && masked)
			}
			t.put(scaled(p, i), t.f, i, i == first && masked)
		}
	}
	for j := w + 2; w > 1 && j < columns; j++ {
		spread(w-1, j, times512)
		update(w-1, j, times512)
	}
}

// shifts writes the code for pivots above their limits.
func (t *tops512) shifts(name string, w int) {
	for p := range w {
		Label(fmt.Sprintf("%s_above%d", name, p))
		shiftPivot(p, pivot512, times512, beside512, t.limit, reg.RCX)
		JHI(LabelRef(fmt.Sprintf("%s_pivot%d", name, p)))
		MOVL(U32(p), t.done.(reg.GPPhysical).As32())
		JMP(LabelRef("refused"))
	}
}

// below makes k the mask of the rows from row on in the vector of this row.
func (t *tops512) below(row int, k reg.Register) {
	if row/8 == t.vectors-1 {
		KMOVB(Mem{Base: t.tmp, Disp: row % 8}, k)
	} else {
		KMOVB(masks512.Offset(64+row%8), k)
	}
}

// put stores v as vector i of the column at base. A vector with rows above the diagonal is masked and stored with K2, and the
// last vector is stored with K1.
func (t *tops512) put(v reg.VecPhysical, base reg.Register, i int, masked bool) {
	m := Mem{Base: base, Disp: 64 * i}
	switch {
	case masked:
		VMOVUPD(v.AsZ(), reg.K2, m)
	case i == t.vectors-1:
		VMOVUPD(v.AsZ(), reg.K1, m)
	default:
		VMOVUPD(v.AsZ(), m)
	}
}

// follow512 writes the code that applies the factored columns of a panel to a
// block of rows below.
type follow512 struct {
	f, ldf, ld, ldd, top reg.Register // top is the address of LD in the first rows
	fp, ldp, topp        reg.Register // current column of f, ld and top
	dinv, done, tmp      reg.Register // done is the number of factored columns
}

// write writes the code for a block of rows, for any number of factored columns.
func (b *follow512) write(name string, block rows512) {
	const width = panelWidth512
	n := block.vectors()
	column := func(j, i int) reg.VecPhysical { return vec[j*n+i] }
	r, times := vec[24], vec[25]
	put := func(v reg.VecPhysical, base reg.Register, i int) {
		m := Mem{Base: base, Disp: 64 * i}
		if block.last(i) {
			VMOVUPD(v.AsZ(), reg.K1, m)
		} else {
			VMOVUPD(v.AsZ(), m)
		}
	}
	MOVQ(b.f, b.fp)
	for j := range width {
		if j > 0 {
			CMPQ(b.done, I8(j))
			JE(LabelRef(fmt.Sprintf("%s_zero%d", name, j)))
			ADDQ(b.ldf, b.fp)
		}
		for i := range n {
			block.load(i, Mem{Base: b.fp, Disp: 64 * i}, column(j, i))
		}
	}
	JMP(LabelRef(name + "_loaded"))
	for j := 1; j < width; j++ {
		Label(fmt.Sprintf("%s_zero%d", name, j))
		for i := range n {
			VPXORQ(column(j, i).AsZ(), column(j, i).AsZ(), column(j, i).AsZ())
		}
	}
	Label(name + "_loaded")
	MOVQ(b.f, b.fp)
	MOVQ(b.ld, b.ldp)
	MOVQ(b.top, b.topp)
	for p := range width {
		VBROADCASTSD(Mem{Base: b.dinv, Disp: 8 * p}, r.AsZ())
		for i := range n {
			put(column(p, i), b.ldp, i)
			VMULPD(r.AsZ(), column(p, i).AsZ(), column(p, i).AsZ())
			put(column(p, i), b.fp, i)
		}
		if p+1 == width {
			break
		}
		CMPQ(b.done, I8(p+1))
		JE(LabelRef(name + "_end"))
		for j := p + 1; j < width; j++ {
			VBROADCASTSD(Mem{Base: b.topp, Disp: 8 * j}, times.AsZ())
			for i := range n {
				VFNMADD231PD(times.AsZ(), column(p, i).AsZ(), column(j, i).AsZ())
			}
		}
		ADDQ(b.ldf, b.fp)
		ADDQ(b.ldd, b.ldp)
		ADDQ(b.ldd, b.topp)
	}
	Label(name + "_end")
}
