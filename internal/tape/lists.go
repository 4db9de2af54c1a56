package tape

import "iter"

// lists are linked lists of instructions in one array. The instruction added last to a list comes first.
type lists struct {
	head []int32 // by list: index of its first entry, −1 if it is empty
	all  []entry
}

// entry is an instruction i of a list, with the index of the next entry of the list, or −1.
type entry struct{ i, next int32 }

// newLists returns n empty lists. The array has room for this many entries before it has to grow.
func newLists(n, room int) lists {
	l := lists{head: make([]int32, n), all: make([]entry, 0, room)}
	for k := range l.head {
		l.head[k] = -1
	}
	return l
}

// add adds i to list k.
func (l *lists) add(k, i int32) {
	l.all = append(l.all, entry{i, l.head[k]})
	l.head[k] = int32(len(l.all)) - 1
}

// last returns the instruction added last to list k, or −1 if the list is empty.
func (l *lists) last(k int32) int32 {
	if l.head[k] < 0 {
		return -1
	}
	return l.all[l.head[k]].i
}

// clear makes list k empty.
func (l *lists) clear(k int32) { l.head[k] = -1 }

// of returns the instructions of list k, the one added last first.
func (l *lists) of(k int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for at := l.head[k]; at >= 0; at = l.all[at].next {
			if !yield(l.all[at].i) {
				return
			}
		}
	}
}
