package main

import (
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/tape/lines"
)

// allocator assigns registers to values. Free registers keep numbers that have been loaded or stored, until they are
// read for the last time. Only a store to the same operand changes the number at a place: operands with different letters do
// not overlap if an instruction reads one after it has written to the other (tape.Op).
type allocator struct {
	isa    isa
	k      *lines.Kernel
	last   map[lines.Val]int     // last line that reads a value
	events map[lines.Mem][]event // lines that read or change the number at a place
	reg    map[lines.Val]int     // register of a value
	kept   map[lines.Mem]int     // register that keeps the number at a place
	fixed  map[lines.Mem]bool    // places whose numbers stay in registers throughout the loop
	users  []int                 // by register: number of values and places in it
	free   []int                 // registers without users
}

// event is a line that reads the number at a place, or stores another number there.
type event struct {
	line  int
	reads bool
}

// newAllocator returns an allocator for a kernel; all registers of the set are free.
func newAllocator(k *lines.Kernel, s isa) *allocator {
	a := &allocator{isa: s, k: k, last: map[lines.Val]int{}, events: map[lines.Mem][]event{}, reg: map[lines.Val]int{}, kept: map[lines.Mem]int{}, users: make([]int, s.regs)}
	for i, l := range k.Lines {
		for n, x := range l.Args {
			switch x := x.(type) {
			case lines.Val:
				a.last[x] = i
			case lines.Mem:
				a.events[x] = append(a.events[x], event{i, l.Op != "st" || n == 0})
			}
		}
	}
	for v := range k.Pinned {
		a.last[v] = len(k.Lines)
	}
	for r := range s.regs {
		a.free = append(a.free, r)
	}
	return a
}

// never is the result of nextRead if no line reads the number.
const never = 1 << 30

// hoist writes the loads, before the loop, of numbers that all turns of the loop read, as long as there are registers that the loop does
// not need.
func (a *allocator) hoist(b *strings.Builder) {
	a.forgetAll()
	k := a.k
	body := k.Lines[k.From:k.To]
	changes := map[byte]bool{}
	for _, l := range body {
		switch l.Op {
		case "step", "stepL":
			changes[l.Ptr] = true
		case "st":
			changes[l.Args[1].(lines.Mem).Ptr] = true
		}
	}
	left := len(a.free) - width(k)
	fixed := map[lines.Mem]bool{}
	for _, l := range body {
		for _, x := range l.Args {
			m, ok := x.(lines.Mem)
			if !ok || changes[m.Ptr] || fixed[m] || left <= 0 {
				continue
			}
			r := a.take(k.From, nil)
			fmt.Fprintf(b, "\t%s %s, %s\n", a.load(m), a.address(m), a.name(r))
			a.kept[m], fixed[m] = r, true
			left--
		}
	}
	a.fixed = fixed
}

// width returns the number of registers that the loop needs at a time: for its values, without values from before the loop, and one
// for a copy.
func width(k *lines.Kernel) int {
	last := map[lines.Val]int{}
	for i := k.From; i < k.To; i++ {
		for _, x := range k.Lines[i].Args {
			if v, ok := x.(lines.Val); ok {
				last[v] = i
			}
		}
	}
	live, most := map[lines.Val]bool{}, 0
	for i := k.From; i < k.To; i++ {
		if l := k.Lines[i]; l.Dst >= 0 && !l.InPlace {
			live[l.Dst] = true
		}
		most = max(most, len(live))
		for v := range live {
			if last[v] <= i {
				delete(live, v)
			}
		}
	}
	return most + 1
}

// nextRead returns the first line after i that reads the present number at a place, or never if there is none.
func (a *allocator) nextRead(m lines.Mem, i int) int {
	if a.fixed[m] {
		return i + 1 // it stays in its register
	}
	for _, e := range a.events[m] {
		if e.line <= i {
			continue
		}
		if !e.reads {
			return never
		}
		for _, end := range [2]int{a.k.From, a.k.To} { // registers are not kept across the begin and the end of the loop
			if a.k.From >= 0 && i < end && end <= e.line {
				return never
			}
		}
		for _, l := range a.k.Lines[i:e.line] {
			if (l.Op == "step" || l.Op == "stepL") && l.Ptr == m.Ptr || l.Op == "st" && mayMeet(l.Args[1].(lines.Mem), m) {
				return never
			}
		}
		return e.line
	}
	return never
}

// mayMeet reports whether two places with different strides may be the same.
func mayMeet(x, y lines.Mem) bool {
	return x.Ptr == y.Ptr && (x.Stride != y.Stride || x.Times != y.Times)
}

// drop removes one user of a register, and frees the register if it was the last user.
func (a *allocator) drop(r int) {
	if a.users[r]--; a.users[r] == 0 {
		a.free = append(a.free, r)
	}
}

// forget stops keeping the number at a place in a register.
func (a *allocator) forget(m lines.Mem) {
	if r, ok := a.kept[m]; ok {
		delete(a.kept, m)
		a.drop(r)
	}
}

// keep records that register r has the number at a place, if a line after i reads this number.
func (a *allocator) keep(m lines.Mem, r, i int) {
	a.forget(m)
	if a.nextRead(m, i) < never {
		a.kept[m] = r
		a.users[r]++
	}
}

// evict frees a register that keeps the number at a place and is not in inUse: the one whose number is read at the latest line, which is
// after next. It reports whether there was one.
func (a *allocator) evict(i, next int, inUse map[int]bool) bool {
	var worst lines.Mem
	found := false
	for m, r := range a.kept {
		n := a.nextRead(m, i)
		if inUse[r] || a.fixed[m] || a.users[r] > 1 || n < next || n == next && !(found && later(m, worst)) {
			continue
		}
		worst, next, found = m, n, true
	}
	if found {
		a.forget(worst)
	}
	return found
}

// later orders places that are read at the same line, so that evict always makes the same choice.
func later(x, y lines.Mem) bool {
	return fmt.Sprint(x) > fmt.Sprint(y)
}

// take returns a free register for line i. If there is none, it evicts a place.
func (a *allocator) take(i int, inUse map[int]bool) int {
	if len(a.free) == 0 && !a.evict(i, i-1, inUse) {
		log.Fatalf("%s: no register left for %s", a.k.Name, a.isa.name)
	}
	r := slices.Min(a.free)
	a.free = slices.DeleteFunc(a.free, func(x int) bool { return x == r })
	a.users[r] = 1
	return r
}

// name returns the name of register r.
func (a *allocator) name(r int) string { return fmt.Sprintf("%c%d", a.isa.reg, r) }

// load returns the name of the instruction that loads the number at a place.
func (a *allocator) load(m lines.Mem) string {
	if a.k.IsShared(m) {
		return "VBROADCASTSD"
	}
	return "VMOVUPD"
}

// address returns the address of a place in assembly.
func (a *allocator) address(m lines.Mem) string {
	if a.k.IsShared(m) {
		return fmt.Sprintf("%d(%s)", 8*m.Off, pointers[m.Ptr])
	}
	p, t := pointers[m.Ptr], m.Times
	if t > 2 {
		p, t = "R9", t-3
	}
	text := fmt.Sprintf("%d(%s)", 64*m.Off, p)
	if t > 0 {
		text += fmt.Sprintf("(%s*%d)", map[byte]string{'K': "R12", 'L': "R13"}[m.Stride], t)
	}
	return text
}

// print writes line i. Operands that are read again later are loaded into registers if some are free; far are the operands with more than
// three rows.
func (a *allocator) print(b *strings.Builder, i int, l lines.Line, far map[byte]bool) {
	if i == a.k.To {
		a.fixed = nil
		a.forgetAll()
	}
	switch l.Op {
	case "stepL":
		fmt.Fprintf(b, "\tADDQ R13, %s\n", pointers[l.Ptr])
		return
	case "step":
		fmt.Fprintf(b, "\tADDQ $%d, %s\n", 64*l.Lanes, pointers[l.Ptr])
		if far[l.Ptr] {
			fmt.Fprintf(b, "\tADDQ $%d, R9\n", 64*l.Lanes)
		}
		return
	}
	// Find the operands in registers. The others are read from memory, unless they are read again later.
	var text [4]string
	var passing []int // registers that only this line uses
	spread := ""      // ".BCST" if an operand is one number for all lanes
	inUse := map[int]bool{}
	for n, x := range l.Args {
		switch x := x.(type) {
		case lines.Val:
			r, ok := a.reg[x]
			if !ok {
				log.Fatalf("%s: value %d is gone", a.k.Name, x)
			}
			text[n], inUse[r] = a.name(r), true
		case lines.Mem:
			if r, ok := a.kept[x]; ok {
				inUse[r] = true
			}
		}
	}
	for n, x := range l.Args {
		m, ok := x.(lines.Mem)
		if !ok {
			continue
		}
		text[n] = a.address(m)
		if l.Op == "st" || l.Op == "ld" {
			continue
		}
		r, kept := a.kept[m]
		if next := a.nextRead(m, i); !kept && next < never && (len(a.free) > 0 || a.evict(i, next+1, inUse)) {
			r, kept = a.take(i, inUse), true
			fmt.Fprintf(b, "\t%s %s, %s\n", a.load(m), text[n], a.name(r))
			a.kept[m] = r
		}
		switch {
		case kept:
			text[n], inUse[r] = a.name(r), true
		case a.k.IsShared(m) && a.isa.avx2: // AVX2 cannot read one number for all lanes from memory
			r = a.take(i, inUse)
			fmt.Fprintf(b, "\t%s %s, %s\n", a.load(m), text[n], a.name(r))
			text[n], inUse[r] = a.name(r), true
			passing = append(passing, r)
		case a.k.IsShared(m):
			spread = ".BCST"
		}
	}
	// release frees the registers of operands that are read here for the last time.
	release := func() {
		for _, r := range passing {
			a.drop(r)
		}
		for _, x := range l.Args {
			switch x := x.(type) {
			case lines.Val:
				if r, ok := a.reg[x]; ok && a.last[x] == i {
					delete(a.reg, x)
					a.drop(r)
				}
			case lines.Mem:
				if l.Op != "st" && a.nextRead(x, i) == never {
					a.forget(x)
				}
			}
		}
	}
	switch l.Op {
	case "st":
		m := l.Args[1].(lines.Mem)
		fmt.Fprintf(b, "\tVMOVUPD %s, %s\n", text[0], text[1])
		for x := range a.kept {
			if mayMeet(m, x) {
				a.forget(x)
			}
		}
		a.keep(m, a.reg[l.Args[0].(lines.Val)], i)
		if a.k.Changes(l.Args[0].(lines.Val)) {
			a.forget(m)
		}
		release()
		return
	case "ld":
		m := l.Args[0].(lines.Mem)
		own := a.k.Changes(l.Dst)
		r, kept := a.kept[m]
		switch {
		case kept && !own:
			a.users[r]++
		case kept:
			r = a.take(i, inUse)
			fmt.Fprintf(b, "\tVMOVAPD %s, %s\n", a.name(a.kept[m]), a.name(r))
		default:
			r = a.take(i, inUse)
			fmt.Fprintf(b, "\t%s %s, %s\n", a.load(m), text[0], a.name(r))
			if !own {
				a.keep(m, r, i)
			}
		}
		a.reg[l.Dst] = r
		release()
		a.dead(l.Dst)
		return
	}
	fused := map[string]string{"fma": "VFMADD231PD", "fnma": "VFNMADD231PD"}[l.Op]
	if fused != "" {
		acc := l.Args[0].(lines.Val)
		dst := a.reg[acc]
		switch {
		case l.InPlace:
		case a.last[acc] == i && a.users[dst] == 1: // the last read of the addend: its register takes the result
			delete(a.reg, acc)
		default:
			dst = a.take(i, inUse)
			fmt.Fprintf(b, "\tVMOVAPD %s, %s\n", text[0], a.name(dst))
		}
		fmt.Fprintf(b, "\t%s%s %s, %s, %s\n", fused, spread, text[2], text[1], a.name(dst))
		release()
		a.reg[l.Dst] = dst
		a.dead(l.Dst)
		return
	}
	if l.Op == "more" { // its result is written before all operands have been read
		dst := a.take(i, inUse)
		if a.isa.avx2 {
			fmt.Fprintf(b, "\tVCMPPD $30, %s, %s, %s\n", text[1], text[0], a.name(dst))
			fmt.Fprintf(b, "\tVBLENDVPD %s, %s, %s, %s\n", a.name(dst), text[2], text[3], a.name(dst))
		} else {
			fmt.Fprintf(b, "\tVCMPPD%s $30, %s, %s, K1\n", spread, text[1], text[0])
			fmt.Fprintf(b, "\tVBLENDMPD %s, %s, K1, %s\n", text[2], text[3], a.name(dst))
		}
		release()
		a.reg[l.Dst] = dst
		return
	}
	if l.Op == "most" {
		fmt.Fprintf(b, "\tVMAXPD%s %s, %s, %s\n", spread, text[0], text[1], a.name(a.reg[l.Dst]))
		release()
		return
	}
	release()
	dst := a.take(i, nil)
	a.reg[l.Dst] = dst
	d := a.name(dst)
	switch l.Op {
	case "null":
		if a.isa.avx2 {
			fmt.Fprintf(b, "\tVXORPD %s, %s, %s\n", d, d, d)
		} else {
			fmt.Fprintf(b, "\tVPXORQ %s, %s, %s\n", d, d, d)
		}
	case "sqrt":
		fmt.Fprintf(b, "\tVSQRTPD%s %s, %s\n", spread, text[0], d)
	default:
		op := map[string]string{"add": "VADDPD", "sub": "VSUBPD", "mul": "VMULPD", "div": "VDIVPD", "max": "VMAXPD"}[l.Op]
		fmt.Fprintf(b, "\t%s%s %s, %s, %s\n", op, spread, text[1], text[0], d)
	}
	a.dead(l.Dst)
}

// forgetAll stops keeping numbers at places in registers.
func (a *allocator) forgetAll() {
	for m, r := range a.kept {
		delete(a.kept, m)
		a.drop(r)
	}
}

// dead frees the register of a value that no line reads.
func (a *allocator) dead(v lines.Val) {
	if _, read := a.last[v]; !read {
		a.drop(a.reg[v])
		delete(a.reg, v)
	}
}
