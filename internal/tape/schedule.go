package tape

// span is the range of places of an operand that an instruction reads or writes; see of. Places are relative to the begin of the operand.
type span struct {
	used        bool
	lo, hi      int // first and last place for N = 0 and F = 0
	n, f        int // largest multiples of N places and of F bytes in an address
	step, stepF int // places, and multiples of F bytes, by which a turn of the loop moves the operand
}

// spanOf holds properties of an instruction.
type spanOf struct {
	lines         int     // number of lines
	loops         bool    // some lines are a loop of N ≥ 1 turns
	reads, writes [6]span // of the operands A to F
}

// of returns the first and the last place in the workspace of a span of instruction o, whose operand begins at byte p.
func (s *span) of(o *Op, p uint32) (first, last int) {
	n, f, turns := int(o.N), int(o.F)/(8*Lanes), max(int(o.N)-1, 0)
	at := int(p) / (8 * Lanes)
	return at + s.lo, at + s.hi + s.n*n + s.f*f + turns*(s.step+s.stepF*f)
}

// Constants of Schedule: a model of the processor's time, and the size of a block.
const (
	startCycles  = 8    // cycles of an instruction without its lines
	resultCycles = 40   // cycles from the end of an instruction until its results can be read
	linesACycle  = 3    // lines per cycle
	together     = 2048 // number of instructions that are reordered together
)

// linksAnOp is the expected number of instructions that wait for one, and of places that it reads. Another value costs time only.
const linksAnOp = 4

// Schedule returns a program with the same results, bit for bit, in an order in which instructions wait less for each other.
// The next instruction is one whose operands are ready, or else will be ready first. Among several, it is the one whose last operand
// was computed last, and then the one with the longest chain of dependent instructions. The program has to stay in a workspace of n
// places (Check).
//
// Cost: O(places touched + instructions·log 2048); allocates.
func Schedule(list []Op, n int) []Op {
	s := newScheduler(list, n)
	s.ready.before, s.due.before = s.newer, s.earlier
	return append(s.inBlocks(s.takeReady), list[len(list)-1])
}

// ScheduleRuns is Schedule with another order, for long programs: instructions of one code stand one behind the other, in runs. A
// processor foresees the jump from an instruction to the next one if it remembers the jumps of a whole program, and that is some 1500
// between different codes (AMD EPYC with AVX-512). A jump that it does not foresee takes longer than many an instruction.
//
// The next instruction has the code of the last one, if there is one whose operands have been computed. Else it has the code that has
// most of these. Among several, it is the first one of the list, so that parts of a mechanism that are alike have orders that are alike.
//
// Cost: that of Schedule, and a look at all codes for each jump.
func ScheduleRuns(list []Op, n int) []Op {
	s := newScheduler(list, n)
	return append(s.inBlocks(s.takeRuns), list[len(list)-1])
}

// Jumps returns the number of instructions of a program whose code is not the one of the instruction before.
func Jumps(list []Op) (n int) {
	for i := range list[1:] {
		if list[i].Code != list[i+1].Code {
			n++
		}
	}
	return n
}

// scheduler is the state of Schedule and ScheduleRuns. Slices are by instruction.
type scheduler struct {
	list  []Op
	after lists   // instructions that have to come after this one
	wait  []int32 // number of instructions that this one waits for
	chain []int   // cycles from its start to the end of the longest chain of instructions that depend on it
	start []int   // cycle at which its operands are ready
	ready queue   // instructions whose operands are ready
	due   queue   // instructions whose operands are being computed
}

// newScheduler returns the state before the first instruction, for a workspace of n places.
func newScheduler(list []Op, n int) *scheduler {
	m := len(list) - 1 // without End
	s := &scheduler{list: list[:m], chain: make([]int, m), start: make([]int, m)}
	s.after, s.wait = dependencies(list[:m], n)
	return s
}

// inBlocks returns the instructions, with room for End, in the order in which take appends those of a block, lo ≤ i < hi, to out.
func (s *scheduler) inBlocks(take func(out []Op, lo, hi int) []Op) []Op {
	m := len(s.list)
	out := make([]Op, 0, m+1)
	for lo := 0; lo < m; lo += together {
		out = take(out, lo, min(lo+together, m))
	}
	return out
}

// cost returns the cycles of an instruction.
func (s *scheduler) cost(i int32) int { return startCycles + spans[s.list[i].Code].lines/linesACycle }

// newer reports whether i is to come before j if the operands of both are ready. Operands that were computed later
// are still in the first-level cache.
func (s *scheduler) newer(i, j int32) bool {
	if s.start[i] != s.start[j] {
		return s.start[i] > s.start[j]
	}
	return s.longer(i, j)
}

// earlier reports whether i is to come before j if the operands of neither are ready.
func (s *scheduler) earlier(i, j int32) bool {
	if s.start[i] != s.start[j] {
		return s.start[i] < s.start[j]
	}
	return s.longer(i, j)
}

// longer reports whether i is to come before j if their operands are ready at the same time: the longer chain first, then the order
// of the list.
func (s *scheduler) longer(i, j int32) bool {
	if s.chain[i] != s.chain[j] {
		return s.chain[i] > s.chain[j]
	}
	return i < j
}

// takeReady appends the instructions lo ≤ i < hi to out in the order of Schedule.
func (s *scheduler) takeReady(out []Op, lo, hi int) []Op {
	for i := int32(hi) - 1; i >= int32(lo); i-- {
		for j := range s.after.of(i) {
			s.chain[i] = max(s.chain[i], s.chain[j])
		}
		s.chain[i] += s.cost(i) + resultCycles
	}
	for i := int32(lo); i < int32(hi); i++ {
		if s.wait[i] == 0 {
			s.ready.push(i)
		}
	}
	for now := 0; len(s.ready.list)+len(s.due.list) > 0; {
		from := &s.ready
		if len(from.list) == 0 {
			from = &s.due
		}
		i := from.pop()
		out = append(out, s.list[i])
		now = max(now, s.start[i]) + s.cost(i)
		for j := range s.after.of(i) {
			s.start[j] = max(s.start[j], now+resultCycles)
			if s.wait[j]--; s.wait[j] == 0 {
				s.due.push(j)
			}
		}
		for len(s.due.list) > 0 && s.start[s.due.list[0]] <= now {
			s.ready.push(s.due.pop())
		}
	}
	return out
}

// takeRuns is takeReady for the order of ScheduleRuns.
func (s *scheduler) takeRuns(out []Op, lo, hi int) []Op {
	var ready [numCodes]queue // by code: instructions whose operands have been computed
	for c := range ready {
		ready[c].before = func(i, j int32) bool { return i < j }
	}
	for i := int32(lo); i < int32(hi); i++ {
		if s.wait[i] == 0 {
			ready[s.list[i].Code].push(i)
		}
	}
	code := End
	if lo > 0 {
		code = out[lo-1].Code
	}
	for len(out) < hi {
		if len(ready[code].list) == 0 {
			code = fullest(&ready)
		}
		i := ready[code].pop()
		out = append(out, s.list[i])
		for j := range s.after.of(i) {
			if s.wait[j]--; s.wait[j] == 0 {
				ready[s.list[j].Code].push(j)
			}
		}
	}
	return out
}

// fullest returns the code with most instructions; of several, the code of the first instruction.
func fullest(ready *[numCodes]queue) (code Code) {
	for c := range ready {
		list, best := ready[c].list, ready[code].list
		if len(list) > len(best) || len(list) > 0 && len(list) == len(best) && list[0] < best[0] {
			code = Code(c)
		}
	}
	return code
}

// dependencies returns, for each instruction, the instructions that have to come after it, and the number of instructions that it waits
// for. Only instructions that are reordered together count.
func dependencies(list []Op, n int) (after lists, wait []int32) {
	after, wait = newLists(len(list), linksAnOp*len(list)), make([]int32, len(list))
	writer, readers := make([]int32, n), newLists(n, linksAnOp*len(list)) // by place: the last writer, or −1, and the readers since
	for p := range writer {
		writer[p] = -1
	}
	link := func(a, b int32) {
		if a < 0 || a == b || a/together != b/together || after.last(a) == b {
			return
		}
		after.add(a, b)
		wait[b]++
	}
	for i := range list {
		o := &list[i]
		s, operands := &spans[o.Code], o.operands()
		for k := range operands {
			if r := &s.reads[k]; r.used {
				first, last := r.of(o, operands[k])
				for p := first; p <= last; p++ {
					link(writer[p], int32(i))
					readers.add(int32(p), int32(i))
				}
			}
		}
		for k := range operands {
			if w := &s.writes[k]; w.used {
				first, last := w.of(o, operands[k])
				for p := first; p <= last; p++ {
					link(writer[p], int32(i))
					for r := range readers.of(int32(p)) {
						link(r, int32(i))
					}
					writer[p] = int32(i)
					readers.clear(int32(p))
				}
			}
		}
	}
	return after, wait
}
