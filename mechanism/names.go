package mechanism

import (
	"errors"
	"math"
	"strings"
)

// errNames reports names that are too long for a value of type names, or for a string on a 32-bit machine.
var errNames = errors.New("mechanism: names take more than 4 GiB (2 GiB on 32-bit machines)")

// names holds many names in one string. A name takes four bytes besides its own, and
// no pointer that the garbage collector has to follow.
type names struct {
	text string
	ends []uint32 // end of each name in text
}

// newNames returns copies of the names name(0) … name(n−1), or errNames.
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
