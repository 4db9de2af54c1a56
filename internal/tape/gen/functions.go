package main

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/internal/tape/lines"
)

// The functions of package lanes. Each function has code for both instruction sets: AVX-512 takes all eight lanes at once, AVX2 takes
// the first four lanes and then the other four.

// functionsFile returns the assembly of the functions for amd64.
func functionsFile(list []*lines.Function) string {
	var b strings.Builder
	b.WriteString(header + "//go:build !noasm && !purego\n\n#include \"textflag.h\"\n\n// The first numbers of package places.\n")
	for i, x := range []string{"0.0", "1.0", "0.5", "2.0"} {
		fmt.Fprintf(&b, "DATA constants<>+%d(SB)/8, $%s\n", 8*i, x)
	}
	b.WriteString("GLOBL constants<>(SB), RODATA, $32\n")
	for _, f := range list {
		both(&b, f.Name, f.Signature(), func(s isa) { functionBody(&b, f, s) })
	}
	for _, f := range copies {
		both(&b, f.name, copySignature, func(s isa) { f.body(&b, s) })
	}
	return b.String()
}

// both writes a function with both sets. body writes the code for one set. R8 is the offset in bytes of the first of the four lanes
// that AVX2 takes.
func both(b *strings.Builder, name, signature string, body func(s isa)) {
	fmt.Fprintf(b, "\n// func %s(%s)\n", name, signature)
	fmt.Fprintf(b, "TEXT ·%s(SB), NOSPLIT, $0-%d\n", name, 8*(1+strings.Count(signature, ",")))
	b.WriteString("\tCMPB ·wide(SB), $0\n\tJEQ  narrow\n")
	body(sets[0])
	b.WriteString("\tVZEROUPPER\n\tRET\n\nnarrow:\n\tXORQ R8, R8\n\nhalf:\n")
	body(sets[1])
	b.WriteString("\tADDQ $32, R8\n\tCMPQ R8, $64\n\tJNE  half\n\tVZEROUPPER\n\tRET\n")
}

// functionBody writes the body of a function for one set.
func functionBody(b *strings.Builder, f *lines.Function, s isa) {
	o := operandsOf(f.Kernel)
	for i, p := range f.Params {
		from := fmt.Sprintf("%s+%d(FP)", p.Name, 8*i)
		switch {
		case p.Operand == 'N':
			fmt.Fprintf(b, "\tMOVQ %s, R10\n", from)
		case p.Type == "int": // F as a stride
			fmt.Fprintf(b, "\tMOVQ %s, R13\n\tSHLQ $6, R13\n", from)
		default:
			fmt.Fprintf(b, "\tMOVQ %s, %s\n", from, pointers[p.Operand])
			if s.avx2 && !f.IsShared(lines.Mem{Ptr: p.Operand}) {
				fmt.Fprintf(b, "\tADDQ R8, %s\n", pointers[p.Operand])
			}
		}
	}
	if o.used['Z'] {
		b.WriteString("\tLEAQ constants<>(SB), R14\n")
	}
	bodyOf(b, f.Kernel, s, o, "loop"+s.name)
}

// copySignature is the signature of a function that copies n consecutive numbers at each of eight places to or from the eight lanes of n
// vectors.
const copySignature = "lanes *Vector, numbers *float64, at *[8]int32, n int"

// copyOf is a function with copySignature. It moves two numbers of each place at a time; in lanes they are two vectors. If n is odd, it
// moves the last number together with the one before it, which is moved twice. If n is 1, it moves the number alone.
type copyOf struct {
	name string
	pair func(b *strings.Builder, s isa) // writes the code that moves two numbers between the vectors at AX and the places
	one  func(b *strings.Builder, s isa) // writes the code that moves one number
}

// copies are the functions that copy between places and lanes.
var copies = []copyOf{{"gather", gatherPair, gatherOne}, {"scatter", scatterPair, scatterOne}}

// places are the registers that point to the places of the lanes.
var places = []string{"SI", "DI", "R9", "R10", "R11", "R12", "R13", "BX"}

// body writes the function for one set of instructions. CX counts the numbers of a lane that have been moved; R14 is n − 2.
func (f copyOf) body(b *strings.Builder, s isa) {
	b.WriteString("\tMOVQ at+16(FP), DX\n")
	if s.avx2 {
		b.WriteString("\tMOVQ R8, AX\n\tSHRQ $1, AX\n\tADDQ AX, DX\n") // a place has half as many bytes as a lane
	}
	b.WriteString("\tMOVQ numbers+8(FP), AX\n")
	for l, r := range places[:s.lanes()] {
		fmt.Fprintf(b, "\tMOVLQSX %d(DX), %s\n\tLEAQ (AX)(%s*8), %s\n", 4*l, r, r, r)
	}
	b.WriteString("\tMOVQ lanes+0(FP), AX\n")
	if s.avx2 {
		b.WriteString("\tADDQ R8, AX\n")
	}
	fmt.Fprintf(b, "\tMOVQ n+24(FP), R14\n\tXORQ CX, CX\n\tSUBQ $2, R14\n\tJLT  one%s\n\npair%s:\n", s.name, s.name)
	f.pair(b, s)
	fmt.Fprintf(b, "\tADDQ $2, CX\n\tADDQ $128, AX\n\tCMPQ CX, R14\n\tJLE  pair%s\n", s.name)
	fmt.Fprintf(b, "\tDECQ CX\n\tCMPQ CX, R14\n\tJNE  done%s\n\tSUBQ $64, AX\n\tJMP  pair%s\n\none%s:\n", s.name, s.name, s.name)
	f.one(b, s)
	fmt.Fprintf(b, "\ndone%s:\n", s.name)
}

// lanes returns the number of lanes in a register.
func (s isa) lanes() int {
	if s.avx2 {
		return 4
	}
	return 8
}

// quarter returns the instruction that inserts or extracts two lanes; name is VINSERT or VEXTRACT.
func (s isa) quarter(name string) string {
	if s.avx2 {
		return name + "F128"
	}
	return name + "F64X2"
}

// gatherPair writes the code that moves two numbers of each place to two vectors. It loads the pairs of the even places into one register
// and the pairs of the odd places into another, then collects the first numbers of the pairs and the second ones.
func gatherPair(b *strings.Builder, s isa) {
	for odd := range 2 {
		fmt.Fprintf(b, "\tVMOVUPD (%s)(CX*8), X%d\n", places[odd], odd)
		for l := odd + 2; l < s.lanes(); l += 2 {
			fmt.Fprintf(b, "\t%s $%d, (%s)(CX*8), %c%d, %c%d\n", s.quarter("VINSERT"), l/2, places[l], s.reg, odd, s.reg, odd)
		}
	}
	unpack(b, s)
	fmt.Fprintf(b, "\tVMOVUPD %c2, (AX)\n\tVMOVUPD %c3, 64(AX)\n", s.reg, s.reg)
}

// scatterPair writes the code that moves two vectors to two numbers of each place.
func scatterPair(b *strings.Builder, s isa) {
	fmt.Fprintf(b, "\tVMOVUPD (AX), %c0\n\tVMOVUPD 64(AX), %c1\n", s.reg, s.reg)
	unpack(b, s)
	for odd := range 2 {
		fmt.Fprintf(b, "\tVMOVUPD X%d, (%s)(CX*8)\n", 2+odd, places[odd])
		for l := odd + 2; l < s.lanes(); l += 2 {
			fmt.Fprintf(b, "\t%s $%d, %c%d, (%s)(CX*8)\n", s.quarter("VEXTRACT"), l/2, s.reg, 2+odd, places[l])
		}
	}
}

// unpack writes the code that collects, from each pair of lanes of registers 0 and 1, the lower numbers in register 2 and the upper
// numbers in register 3.
func unpack(b *strings.Builder, s isa) {
	for i, name := range []string{"VUNPCKLPD", "VUNPCKHPD"} {
		fmt.Fprintf(b, "\t%s %c1, %c0, %c%d\n", name, s.reg, s.reg, s.reg, 2+i)
	}
}

// gatherOne writes the code that moves one number of each place to the lanes of the vector at AX.
func gatherOne(b *strings.Builder, s isa) {
	for l := 0; l < s.lanes(); l += 2 {
		fmt.Fprintf(b, "\tVMOVSD (%s), X%d\n\tVMOVHPD (%s), X%d, X%d\n", places[l], l/2, places[l+1], l/2, l/2)
		if l > 0 {
			fmt.Fprintf(b, "\t%s $%d, X%d, %c0, %c0\n", s.quarter("VINSERT"), l/2, l/2, s.reg, s.reg)
		}
	}
	fmt.Fprintf(b, "\tVMOVUPD %c0, (AX)\n", s.reg)
}

// scatterOne writes the code that moves the lanes of the vector at AX to one number of each place.
func scatterOne(b *strings.Builder, s isa) {
	fmt.Fprintf(b, "\tVMOVUPD (AX), %c0\n", s.reg)
	for l := 0; l < s.lanes(); l += 2 {
		if l > 0 {
			fmt.Fprintf(b, "\t%s $%d, %c0, X1\n", s.quarter("VEXTRACT"), l/2, s.reg)
		}
		r := min(l/2, 1)
		fmt.Fprintf(b, "\tVMOVSD X%d, (%s)\n\tVMOVHPD X%d, (%s)\n", r, places[l], r, places[l+1])
	}
}

// declarations returns the Go declarations of the functions: without bodies if there is assembly, and otherwise with bodies that
// panic.
func declarations(list []*lines.Function, assembly bool) string {
	var b strings.Builder
	constraint := "!amd64 || noasm || purego"
	if assembly {
		constraint = "!noasm && !purego"
	}
	fmt.Fprintf(&b, "%s//go:build %s\n\npackage lanes\n", header, constraint)
	declare := func(name, signature, doc string) {
		comment := strings.NewReplacer("\n\n\t", "\n//\n//\t", "\n\n", "\n//\n// ", "\n", "\n// ").Replace(doc)
		fmt.Fprintf(&b, "\n// %s %s\n", name, comment)
		if assembly {
			fmt.Fprintf(&b, "//\n//go:noescape\nfunc %s(%s)\n", name, signature)
		} else {
			fmt.Fprintf(&b, "func %s(%s) { panic(noAssembly) }\n", name, signature)
		}
	}
	for _, f := range list {
		declare(f.Name, f.Signature(), f.Doc)
	}
	declare("gather", copySignature, "is Gather for n ≥ 1.")
	declare("scatter", copySignature, "is Scatter for n ≥ 1.")
	return b.String()
}

// structuresFile returns the structures of package lanes in Go.
func structuresFile() string {
	var b strings.Builder
	b.WriteString(header + "package lanes\n")
	for _, s := range lines.Structures() {
		fmt.Fprintf(&b, "\n// %s %s\ntype %s struct {\n", s.Name, strings.ReplaceAll(s.Doc, "\n", "\n// "), s.Name)
		for _, f := range s.Fields {
			fmt.Fprintf(&b, "\t%s ", f.Name)
			if f.Lanes > 1 {
				fmt.Fprintf(&b, "[%d]", f.Lanes)
			}
			b.WriteString(map[bool]string{false: "Vector", true: "float64"}[s.Shared])
			if f.Doc != "" {
				b.WriteString(" // " + f.Doc)
			}
			b.WriteString("\n")
		}
		b.WriteString("}\n")
	}
	return b.String()
}
