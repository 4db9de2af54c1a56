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

// Schedule returns a tape with the same results, bit by bit, in an order in which instructions wait less for each other.
// The next instruction is one whose operands are ready, or will be ready first: of several, the one whose last operand is
// newest, and then the one with the longest chain of dependent instructions. The tape has to stay in a workspace of n
// places (Check).
//
// Cost: O(places touched + instructions·ready ones), of which there are at most 2048; allocates.
func Schedule(list []Op, n int) []Op {
	m := len(list) - 1 // without End
	s := scheduler{list: list[:m], chain: make([]int, m), start: make([]int, m)}
	s.after, s.wait = dependencies(list[:m], n)
	out := make([]Op, 0, len(list))
	for lo := 0; lo < m; lo += together {
		out = s.append(out, lo, min(lo+together, m))
	}
	return append(out, list[m])
}

// scheduler is the work of Schedule, by instruction.
type scheduler struct {
	list  []Op
	after [][]int32 // those that come after it
	wait  []int     // for how many it waits
	chain []int     // cycles from its start to the end of the longest chain that hangs on it
	start []int     // when its operands are there
}

// cost returns the cycles of an instruction.
func (s *scheduler) cost(i int) int { return startCycles + spans[s.list[i].Code].lines/linesACycle }

// before reports whether i is to come before j. Of two whose operands are there, it is the one whose operands have been
// there for less time: they are in the first cache.
func (s *scheduler) before(i, j, now int) bool {
	if x, y := max(s.start[i], now), max(s.start[j], now); x != y {
		return x < y
	}
	if s.start[i] != s.start[j] {
		return s.start[i] > s.start[j]
	}
	if s.chain[i] != s.chain[j] {
		return s.chain[i] > s.chain[j]
	}
	return i < j
}

// append appends the instructions lo ≤ i < hi to out.
func (s *scheduler) append(out []Op, lo, hi int) []Op {
	var ready []int
	for i := hi - 1; i >= lo; i-- {
		for _, j := range s.after[i] {
			s.chain[i] = max(s.chain[i], s.chain[j])
		}
		s.chain[i] += s.cost(i) + resultCycles
		if s.wait[i] == 0 {
			ready = append(ready, i)
		}
	}
	for now := 0; len(ready) > 0; {
		best := 0
		for k := range ready {
			if s.before(ready[k], ready[best], now) {
				best = k
			}
		}
		i := ready[best]
		ready[best] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		out = append(out, s.list[i])
		now = max(now, s.start[i]) + s.cost(i)
		for _, j := range s.after[i] {
			s.start[j] = max(s.start[j], now+resultCycles)
			if s.wait[j]--; s.wait[j] == 0 {
				ready = append(ready, int(j))
			}
		}
	}
	return out
}

// dependencies returns for each instruction those that have to come after it, and for how many each has to wait, of those
// that are put in order together.
func dependencies(list []Op, n int) (after [][]int32, wait []int) {
	after, wait = make([][]int32, len(list)), make([]int, len(list))
	writer, readers := make([]int32, n), make([][]int32, n) // of each place: the last writer, or −1, and the readers since
	for p := range writer {
		writer[p] = -1
	}
	link := func(a, b int32) {
		if a < 0 || a == b || a/together != b/together {
			return
		}
		if l := after[a]; len(l) > 0 && l[len(l)-1] == b {
			return
		}
		after[a] = append(after[a], b)
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
					readers[p] = append(readers[p], int32(i))
				}
			}
		}
		for k := range operands {
			if w := &s.writes[k]; w.used {
				first, last := w.of(o, operands[k])
				for p := first; p <= last; p++ {
					link(writer[p], int32(i))
					for _, r := range readers[p] {
						link(r, int32(i))
					}
					writer[p], readers[p] = int32(i), readers[p][:0]
				}
			}
		}
	}
	return after, wait
}
