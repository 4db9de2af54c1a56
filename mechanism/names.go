package mechanism

import (
	"errors"
	"math"
	"strings"
)

// errNames says that names do not fit into a names, or into a string of a 32-bit machine.
var errNames = errors.New("mechanism: names take more than 4 GiB (2 GiB on 32-bit machines)")

// names holds many names in one string: four bytes a name beside its own, and
// nothing for the garbage collector to follow.
type names struct {
	text string
	ends []uint32 // of each name in text
}

// newNames returns the names name(0) … name(n−1), which are copied.
func newNames(n int, name func(i int) string) (names, error) {
	size := uint64(0)
	for i := range n {
		size += uint64(len(name(i)))
	}
	if size > min(math.MaxUint32, math.MaxInt) {
		return names{}, errNames
	}
	var text strings.Builder
	text.Grow(int(size))
	list := names{ends: make([]uint32, n)}
	for i := range list.ends {
		text.WriteString(name(i))
		list.ends[i] = uint32(text.Len())
	}
	list.text = text.String()
	return list, nil
}

// at returns name i, without allocating.
func (l *names) at(i int) string {
	start := uint32(0)
	if i > 0 {
		start = l.ends[i-1]
	}
	return l.text[start:l.ends[i]]
}

// find returns the number of a name and whether there is one.
func (l *names) find(name string) (int, bool) {
	for i := range l.ends {
		if l.at(i) == name {
			return i, true
		}
	}
	return 0, false
}
