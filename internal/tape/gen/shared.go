package main

import (
	"log"
	"strings"
)

// withShared are the instructions that have a second form, Shared, and which operands are shared numbers there: constants of
// bodies, and points, axes and frames that are fixed in them. Eight of these numbers stand in a line of the caches, and not
// one of them.
var withShared = []struct{ names, operands string }{
	{"Body Mul3 MulVec Snap Pull", "C"},
	{"Weigh Unweigh Wrench Torque Twist Thrust Forces Moments", "D"},
	{"HangFree Hang Carry Point Pin TurnedPin Unpin Uncross Unslide Tilt", "D"},
	{"Rate Euler EulerRoot EulerPin", "D"},
	{"Moved MovedRoot", "D"},
	{"Root RootHolds", "DE"},
	{"Swing", "BC"},
}

// onlyShared are the instructions whose operand C is shared numbers always: limits.
var onlyShared = []string{"Verdict", "Wanting"}

// addShared appends the second forms.
func addShared(list []*kernel) []*kernel {
	all := list
	for _, name := range onlyShared {
		k := find(list, name)
		k.shared, k.mayShare = "C", "C"
		if k.narrow != nil {
			log.Fatalf("%s: a form for few registers", name)
		}
	}
	for _, x := range withShared {
		for _, name := range strings.Fields(x.names) {
			k := find(list, name)
			all = append(all, sharedForm(k, x.operands))
			k.mayShare = x.operands
		}
	}
	return all
}

func find(list []*kernel, name string) *kernel {
	for _, k := range list {
		if k.name == name {
			return k
		}
	}
	log.Fatalf("%s: no such instruction", name)
	return nil
}

// sharedName ends the names of second forms.
const sharedName = "Shared"

// sharedForm returns a kernel with the same lines.
func sharedForm(k *kernel, operands string) *kernel {
	out := *k
	out.name, out.shared = k.name+sharedName, operands
	out.doc = "is " + k.name + " with shared numbers at " + strings.Join(strings.Split(operands, ""), " and ") + "."
	if k.narrow != nil {
		out.narrow = sharedForm(k.narrow, operands)
	}
	return &out
}

// isShared reports whether a place is a shared number.
func (k *kernel) isShared(m mem) bool { return m.ptr == 'Z' || strings.IndexByte(k.shared, m.ptr) >= 0 }

// reads reports whether the kernel reads an operand.
func (k *kernel) reads(ptr byte) bool {
	for _, l := range k.lines {
		for i, a := range l.args {
			if m, ok := a.(mem); ok && m.ptr == ptr && (l.op != "st" || i == 0) {
				return true
			}
		}
	}
	return false
}

// sharedText returns in Go which codes have a second form, and which operands of it are shared, a bit each.
func sharedText(list []*kernel) string {
	text := "\n// sharedForms are the codes of the second forms, and sharedOperands the operands A to F of a code that are shared numbers, a bit each.\n"
	forms, operands := "var sharedForms = [numCodes]Code{\n", "var sharedOperands = [numCodes]uint8{\n"
	for _, k := range list {
		if k.shared == "" {
			continue
		}
		// An instruction that is always on shared numbers is its own second form.
		forms += "\t" + strings.TrimSuffix(k.name, sharedName) + ": " + k.name + ",\n"
		var bits []string
		for _, p := range k.shared {
			bits = append(bits, "1<<"+string('0'+p-'A'))
		}
		operands += "\t" + k.name + ": " + strings.Join(bits, "|") + ",\n"
	}
	return text + "var (\n" + strings.TrimPrefix(forms, "var ") + "}\n" + strings.TrimPrefix(operands, "var ") + "}\n)\n"
}
