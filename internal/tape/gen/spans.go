package main

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/internal/tape/lines"
)

// span is the part of an operand that a kernel reads or writes, in vectors. It reaches from lo to
// hi + n·N + f·F in the first turn of the kernel's loop, where F counts in vectors too. Each further turn moves the operand.
type span struct {
	used   bool
	lo, hi int
	n, f   int // largest multiples of N and of F in an address
	step   int // vectors by which a turn moves the operand
	stepF  int // multiples of F by which a turn moves the operand
}

// spansOf returns the spans of the operands A to F that a kernel reads, and the spans that it writes.
func spansOf(k *lines.Kernel) (reads, writes [6]span) {
	widen := func(s *span, m lines.Mem) {
		if !s.used {
			*s = span{used: true, lo: m.Off, hi: m.Off}
		}
		s.lo, s.hi = min(s.lo, m.Off), max(s.hi, m.Off)
		switch m.Stride {
		case 'K':
			s.n = max(s.n, m.Times)
		case 'L':
			s.f = max(s.f, m.Times)
		}
	}
	for _, l := range k.Lines {
		for i, a := range l.Args {
			m, ok := a.(lines.Mem)
			switch {
			case !ok || k.IsShared(m):
			case l.Op == "st" && i == 1:
				widen(&writes[m.Ptr-'A'], m)
			default:
				widen(&reads[m.Ptr-'A'], m)
			}
		}
	}
	for _, l := range k.Lines {
		for _, list := range []*[6]span{&reads, &writes} {
			switch l.Op {
			case "step":
				list[l.Ptr-'A'].step += l.Lanes
			case "stepL":
				list[l.Ptr-'A'].stepF++
			}
		}
	}
	return reads, writes
}

// spansText returns the Go table spans of package tape.
func spansText(list []*lines.Kernel) string {
	var b strings.Builder
	b.WriteString("\n// spans are what the instructions read and write of their operands, how many lines they have, and whether these are a loop.\nvar spans = [numCodes]spanOf{\n")
	for _, k := range list {
		reads, writes := spansOf(k)
		fmt.Fprintf(&b, "\t%s: {lines: %d", k.Name, len(k.Lines))
		if k.From >= 0 {
			b.WriteString(", loops: true")
		}
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
