package tape

// span is the range of places of an operand that an instruction reads or writes. It is from lo to hi, and longer by
// multiples of N and of the F bytes, and by the steps of all turns of the instruction's loop but the first.
type span struct {
	used        bool
	lo, hi      int
	n, f        int
	step, stepF int
}

// spanOf is what is known of an instruction: the spans of its operands A to F, the number of its lines, and whether some of them are a
// loop of N turns, at least one.
type spanOf struct {
	lines         int
	loops         bool
	reads, writes [6]span
}

// of returns the first and the last place of a span of an instruction whose operand is at p, bytes.
func (s *span) of(o *Op, p uint32) (first, last int) {
	n, f, turns := int(o.N), int(o.F)/(8*Lanes), max(int(o.N)-1, 0)
	at := int(p) / (8 * Lanes)
	return at + s.lo, at + s.hi + s.n*n + s.f*f + turns*(s.step+s.stepF*f)
}

// cycles that a processor takes for an instruction beside its lines, and until others can read its results; and the
// number of instructions that are put in order together.
const (
	startCycles  = 8
	resultCycles = 40
	linesACycle  = 3
	together     = 2048
)

// linksAnOp is about how many instructions wait for one, and how many places it reads. Another value costs time only.
const linksAnOp = 4

// Schedule returns a tape with the same results, bit by bit, in an order in which instructions wait less for each other.
// The next instruction is one whose operands are ready, or will be ready first: of several, the one whose last operand is
// newest, and then the one with the longest chain of dependent instructions. The tape has to stay in a workspace of n
// places (Check).
//
// Cost: O(places touched + instructions·log 2048); allocates.
func Schedule(list []Op, n int) []Op {
	m := len(list) - 1 // without End
	s := scheduler{list: list[:m], chain: make([]int, m), start: make([]int, m)}
	s.after, s.wait = dependencies(list[:m], n)
	s.ready.before, s.due.before = s.newer, s.earlier
	out := make([]Op, 0, len(list))
	for lo := 0; lo < m; lo += together {
		out = s.append(out, lo, min(lo+together, m))
	}
	return append(out, list[m])
}

// scheduler is the work of Schedule, by instruction.
type scheduler struct {
	list  []Op
	after lists   // those that come after it
	wait  []int32 // for how many it waits
	chain []int   // cycles from its start to the end of the longest chain that hangs on it
	start []int   // when its operands are there
	ready queue   // those whose operands are there
	due   queue   // those whose operands are being computed
}

// cost returns the cycles of an instruction.
func (s *scheduler) cost(i int32) int { return startCycles + spans[s.list[i].Code].lines/linesACycle }

// newer reports whether i is to come before j if the operands of both are there: those that have been there for less time
// are in the first cache.
func (s *scheduler) newer(i, j int32) bool {
	if s.start[i] != s.start[j] {
		return s.start[i] > s.start[j]
	}
	return s.longer(i, j)
}

// earlier reports whether i is to come before j if the operands of neither are there.
func (s *scheduler) earlier(i, j int32) bool {
	if s.start[i] != s.start[j] {
		return s.start[i] < s.start[j]
	}
	return s.longer(i, j)
}

// longer reports whether i is to come before j where their operands do not decide.
func (s *scheduler) longer(i, j int32) bool {
	if s.chain[i] != s.chain[j] {
		return s.chain[i] > s.chain[j]
	}
	return i < j
}

// append appends the instructions lo ≤ i < hi to out.
func (s *scheduler) append(out []Op, lo, hi int) []Op {
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

// dependencies returns for each instruction those that have to come after it, and for how many each has to wait, of those
// that are put in order together.
func dependencies(list []Op, n int) (after lists, wait []int32) {
	after, wait = newLists(len(list), linksAnOp*len(list)), make([]int32, len(list))
	writer, readers := make([]int32, n), newLists(n, linksAnOp*len(list)) // of each place: the last writer, or −1, and the readers since
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
