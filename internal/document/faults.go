package document

import (
	"math"
	"slices"
	"strings"
)

// MaxFaults is the largest number of faults of one document that are kept. Further
// faults are only counted.
const MaxFaults = 1000

// Texts that readers and rules share.
const (
	RuleMissing   = "missing field"
	RuleNotFinite = "is not finite"
	RuleInteger   = "is not an integer within ±2^53"
)

// MaxInteger is the largest magnitude of an integer: beyond it float64 skips some.
const MaxInteger = 1 << 53

// Last is the section of a fault that ends the reading.
const Last = math.MaxInt

// Place is a place in the order of a document: an element of a section. Section 0 is the document itself.
type Place struct{ Section, Index int }

// PlaceOf returns the place of a JSON path in the order of a document. The section is 1 plus the position of the path's first key in
// fields, and 0 if it is not among them. In a list the index is the index of the entry, otherwise 0.
func PlaceOf(fields []string, path string) Place {
	rest := strings.TrimPrefix(path, "$")
	key := strings.TrimPrefix(rest, ".")
	if i := strings.IndexAny(key, ".["); i >= 0 {
		key, rest = key[:i], key[i:]
	}
	at := Place{Section: 1 + slices.Index(fields, key)}
	if n, ok := strings.CutPrefix(rest, "["); ok {
		for i := 0; i < len(n) && '0' <= n[i] && n[i] <= '9'; i++ {
			at.Index = 10*at.Index + int(n[i]-'0')
		}
	}
	return at
}

// Fault is one rule broken at one place of a document.
type Fault struct {
	Place
	Path  string // JSON path, such as $.bodies[1].mass
	Value string // the value there, cut short; empty if there is none
	Rule  string // the broken rule
}

// Faults collects the faults of one document.
type Faults struct {
	list []Fault
	more int // number of faults that are not kept
}

// Full reports whether further faults are only counted.
func (f *Faults) Full() bool { return len(f.list) >= MaxFaults }

// Add records one fault.
func (f *Faults) Add(at Place, path, value, rule string) {
	if f.Full() {
		f.more++
		return
	}
	f.list = append(f.list, Fault{at, path, value, rule})
}

// Len returns the number of faults, kept or not.
func (f *Faults) Len() int { return len(f.list) + f.more }

// Append adds copies of the faults of other, each at the place that place returns for its path. Faults of section Last stay there.
func (f *Faults) Append(other *Faults, place func(path string) Place) {
	f.more += other.more
	for _, o := range other.list {
		if o.Section != Last {
			o.Place = place(o.Path)
		}
		f.Add(o.Place, o.Path, o.Value, o.Rule)
	}
}

// Sorted returns the kept faults in the document's order, and the number of faults that are not kept.
func (f *Faults) Sorted() (list []Fault, more int) {
	slices.SortStableFunc(f.list, func(a, b Fault) int {
		if a.Section != b.Section {
			return a.Section - b.Section
		}
		return a.Index - b.Index
	})
	return f.list, f.more
}
