package main

import (
	"fmt"
	"strings"
)

// span is what a kernel reads or writes of an operand, in lanes: from lo to hi, and beyond hi with each of N lanes, of F
// bytes and of loops.
type span struct {
	used   bool
	lo, hi int
	n, f   int // multiples of N and of F
	step   int // lanes of a loop but the first
	stepF  int // multiples of F of a loop but the first
}

// spansOf returns those of the operands A to F that a kernel reads, and those that it writes.
func (k *kernel) spansOf() (reads, writes [6]span) {
	widen := func(s *span, m mem) {
		if !s.used {
			*s = span{used: true, lo: m.off, hi: m.off}
		}
		s.lo, s.hi = min(s.lo, m.off), max(s.hi, m.off)
		switch m.stride {
		case 'K':
			s.n = max(s.n, m.times)
		case 'L':
			s.f = max(s.f, m.times)
		}
	}
	for _, l := range k.lines {
		for i, a := range l.args {
			m, ok := a.(mem)
			switch {
			case !ok || k.isShared(m):
			case l.op == "st" && i == 1:
				widen(&writes[m.ptr-'A'], m)
			default:
				widen(&reads[m.ptr-'A'], m)
			}
		}
	}
	for _, l := range k.lines {
		for _, list := range []*[6]span{&reads, &writes} {
			switch l.op {
			case "step":
				list[l.ptr-'A'].step += l.lanes
			case "stepL":
				list[l.ptr-'A'].stepF++
			}
		}
	}
	return reads, writes
}

// spansText returns the table of all kernels in Go.
func spansText(list []*kernel) string {
	var b strings.Builder
	b.WriteString("\n// spans are what the instructions read and write of their operands, and how many lines they have.\nvar spans = [numCodes]spanOf{\n")
	for _, k := range list {
		reads, writes := k.spansOf()
		fmt.Fprintf(&b, "\t%s: {lines: %d", k.name, len(k.lines))
		for i, side := range [2][6]span{reads, writes} {
			fmt.Fprintf(&b, ", %s: [6]span{", [2]string{"reads", "writes"}[i])
			for o, s := range side {
				if s.used {
					fmt.Fprintf(&b, "%d: {true, %d, %d, %d, %d, %d, %d}, ", o, s.lo, s.hi, s.n, s.f, s.step, s.stepF)
				}
			}
			b.WriteString("}")
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return b.String()
}
