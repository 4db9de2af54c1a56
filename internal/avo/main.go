package main

import (
	"flag"
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// main writes one set of kernels and the assertions about the layouts that the kernels read.
func main() {
	set := flag.String("set", "kernel", "kernel, or pin of package lanes")
	layout := flag.String("layout", "layout.go", "file for the assertions of layouts")
	flag.Parse()
	ConstraintExpr("!noasm")
	ConstraintExpr("!purego")
	switch *set {
	case "kernel":
		writeKernel()
		writeLayout(*layout, *set, append(blockFields, pairFields))
	case "pin":
		pinRows256("pinBallAVX2", false, "pinBallAVX2 is PinRows of a Ball with AVX2; p points to a Pin.")
		pinRows256("pinHingeAVX2", true, "pinHingeAVX2 is PinRows of a Hinge with AVX2; p points to a Pin.")
		writeLayout(*layout, "lanes", []structure{pinFields})
	default:
		panic("no set " + *set)
	}
	Generate()
}

// writeKernel writes package kernel.
func writeKernel() {
	minusQuarter = ConstData("minusQuarter", F64(-0.25))

	update512()
	panel512()
	front512()
	subMul512()
	subMulT512()

	update256()
	panel256()
	subMul256()
	subMulT256()

	subBlocks256()
	subBlocksT256()
	spreadBlocks256()
	leaf256()
	firstLarge256()
	add256("addLowerAVX2", true, "addLowerAVX2 is AddLower with AVX2.")
	add256("addBlockAVX2", false, "addBlockAVX2 is AddBlock with AVX2.")
	solve256("solveLowerAVX2", false, "solveLowerAVX2 is SolveLower with AVX2 for n ≤ 15.")
	solve256("solveLowerTAVX2", true, "solveLowerTAVX2 is SolveLowerT with AVX2 for n ≤ 15.")

	for _, set := range []string{"AVX512", "AVX2"} {
		e := eights{wide: set == "AVX512"}
		subMul8(e, "subMul8"+set, fmt.Sprintf("subMul8%s is SubMul8 with %s.", set, set))
		triangle8(e, "triangle8"+set, fmt.Sprintf("triangle8%s is triangle8Plain with %s, y from its first source on.", set, set))
	}
}

// Signatures of the functions, the same for both sets.
const (
	updateSignature  = "func(c *float64, ldc int, a *float64, lda int, b *float64, ldb, n, m, k, step int)"
	panelSignature   = "func(f *float64, ldf, n, w int, ld *float64, ldd int, dinv, limit, shift *float64) int"
	subMulSignature  = "func(x, a *float64, lda, n, k int, y *float64)"
	subMulTSignature = "func(y, a *float64, lda, n, k int, x *float64)"
)

// vec holds the vector registers.
var vec = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// function begins a function.
func function(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

// load loads an argument.
func load(name string, r reg.Register) { Load(Param(name), r) }

// loadBytes loads a leading dimension and makes bytes of it.
func loadBytes(name string, r reg.Register) {
	Load(Param(name), r)
	SHLQ(U8(3), r)
}

// argument returns the place of an argument in memory.
func argument(name string) Op {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// columns is the address of a block of up to six columns: those of first, then
// those of fourth, lead bytes apart.
type columns struct {
	first, fourth, lead reg.Register
}

// at returns the address of an offset in bytes in column j.
func (c columns) at(j, offset int) Mem {
	m := Mem{Base: c.first, Disp: offset}
	if j >= 3 {
		m.Base = c.fourth
	}
	if j %= 3; j > 0 {
		m.Index, m.Scale = c.lead, uint8(j)
	}
	return m
}

// setFourth computes the address of the fourth column.
func (c columns) setFourth() {
	LEAQ(Mem{Base: c.first, Index: c.lead, Scale: 2}, c.fourth)
	ADDQ(c.lead, c.fourth)
}

// dispatch jumps to label(v) for the value v of r in lo…hi, by halves. Its own labels begin with unique, which no other dispatch of the
// function has.
func dispatch(r reg.Register, lo, hi int, unique string, label func(v int) string) {
	if lo == hi {
		JMP(LabelRef(label(lo)))
		return
	}
	mid := (lo + hi) / 2
	above := unique + "_above_" + label(mid)
	CMPQ(r, I32(mid))
	JG(LabelRef(above))
	dispatch(r, lo, mid, unique, label)
	Label(above)
	dispatch(r, mid+1, hi, unique, label)
}

// symbols counts the labels of uniqueLabel.
var symbols int

// uniqueLabel returns a label that no other call returns.
func uniqueLabel(name string) string {
	symbols++
	return fmt.Sprintf("%s_%d", name, symbols)
}

// minusQuarter holds −1/4.
var minusQuarter Mem

// shiftPivot subtracts from pivot p, in d, its shift s: d − s is taken if it is
// below −s/4, and its limit is then infinity. The flags tell the result as for
// unsigned numbers: higher if it is taken. It changes v, t and tmp.
func shiftPivot(p int, d, v, t reg.VecPhysical, limit, tmp reg.Register) {
	refused := uniqueLabel("refused")
	load("shift", tmp)
	VMOVSD(Mem{Base: tmp, Disp: 8 * p}, v.AsX())
	VMULSD(minusQuarter, v.AsX(), t.AsX())
	VSUBSD(v.AsX(), d.AsX(), v.AsX())
	VUCOMISD(v.AsX(), t.AsX())
	JLS(LabelRef(refused))
	VMOVAPD(v.AsX(), d.AsX())
	MOVQ(U64(math.Float64bits(math.Inf(1))), tmp)
	MOVQ(tmp, Mem{Base: limit, Disp: 8 * p})
	Label(refused)
}
