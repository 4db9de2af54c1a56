package main

import (
	"flag"
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// main writes one set of kernels, and the assertions about the layouts of the structures that the kernels read.
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

// writeKernel writes the assembly of package kernel.
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
	correctLeaf256()
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

// vec holds the 32 vector registers of AVX-512; AVX2 has the first 16.
var vec = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// function begins an assembly function with its name, Go signature and comment.
func function(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

// load loads the argument with this name into r.
func load(name string, r reg.Register) { Load(Param(name), r) }

// loadBytes loads the argument with this name, a distance in numbers, into r and converts it to bytes.
func loadBytes(name string, r reg.Register) {
	Load(Param(name), r)
	SHLQ(U8(3), r)
}

// argument returns the memory operand of the argument with this name.
func argument(name string) Op {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// columns holds the address of a block of up to six columns: the address of column 0 in first,
// the address of column 3 in fourth, and the distance of two columns in bytes in lead.
type columns struct {
	first, fourth, lead reg.Register
}

// at returns the address in column j that is offset bytes behind the column's begin.
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

// setFourth computes the address of column 3 from the address of column 0.
func (c columns) setFourth() {
	LEAQ(Mem{Base: c.first, Index: c.lead, Scale: 2}, c.fourth)
	ADDQ(c.lead, c.fourth)
}

// dispatch jumps to label(v), where v is the value of r, from lo to hi. It searches by halves. Its own labels begin with unique,
// which differs from the unique of any other dispatch of the same assembly function.
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

// symbols counts the labels that uniqueLabel has returned.
var symbols int

// uniqueLabel returns name with a number appended that no other call appends.
func uniqueLabel(name string) string {
	symbols++
	return fmt.Sprintf("%s_%d", name, symbols)
}

// minusQuarter is the memory operand of the constant −1/4.
var minusQuarter Mem

// shiftPivot subtracts its shift s from pivot p, which is in d. The value d − s is taken if it is
// below −s/4; the pivot's limit then becomes infinity. Otherwise d keeps its value. The flags are
// set as in a comparison of unsigned numbers: "higher" if the value is taken. It changes v, t and tmp.
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
