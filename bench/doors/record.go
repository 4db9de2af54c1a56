package main

import (
	"fmt"
	"io"
	"math"

	"github.com/rung-mbd/rung/bench/internal/beside"
)

// recordFormat is the name of the record's format.
const recordFormat = "rung-doors/1"

// record has the results of one call of the command.
type record struct {
	Format  string      `json:"format"`
	Machine beside.Host `json:"machine"`
	Python  string      `json:"python"` // versions; "" if the program is not there
	NumPy   string      `json:"numpy"`
	Node    string      `json:"node"`
	Rounds  int         `json:"rounds"`
	Figures []figure    `json:"figures"`
}

// figure is one measured number, or the reason for which it is missing.
type figure struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Unit    string   `json:"unit"`
	Kind    kind     `json:"kind"`
	Value   *float64 `json:"value,omitempty"`
	AtMost  *float64 `json:"at_most,omitempty"` // largest wanted value
	Missing string   `json:"missing,omitempty"`
}

// missed reports whether the value of a figure is above the largest wanted one.
func (f *figure) missed() bool { return f.Value != nil && f.AtMost != nil && *f.Value > *f.AtMost }

// figures are the values of figures that are known so far, by name, and the reasons for which others are missing.
type figures struct {
	values  map[string]float64
	missing map[string]string
}

// newFigures returns figures without values.
func newFigures() *figures { return &figures{map[string]float64{}, map[string]string{}} }

// take adds values by name. If a figure has a value already, the lesser or the larger one stays (kind.largest). A name without a
// subject is an error, and so is a value that is negative or not finite.
func (f *figures) take(list map[string]float64) error {
	for name, x := range list {
		s := subjectOf(name)
		if s == nil || math.IsNaN(x) || math.IsInf(x, 0) || x < 0 {
			return fmt.Errorf("figure %q: %v", name, x)
		}
		if old, known := f.values[name]; known && (old > x) == s.kind.largest() {
			continue
		}
		f.values[name] = x
	}
	return nil
}

// miss stores err as the reason for which the figures with the names are missing.
func (f *figures) miss(err error, names ...string) {
	for _, n := range names {
		f.missing[n] = err.Error()
	}
}

// subjectOf returns the subject with a name; nil if there is none.
func subjectOf(name string) *subject {
	for i := range subjects {
		if subjects[i].name == name {
			return &subjects[i]
		}
	}
	return nil
}

// list returns all figures in the order of subjects. A figure with neither a value nor a reason is an error.
func (f *figures) list() (list []figure, err error) {
	for i := range subjects {
		s := &subjects[i]
		x := figure{Name: s.name, Title: s.title, Unit: s.unit, Kind: s.kind}
		if s.most > 0 || s.none {
			x.AtMost = &s.most
		}
		if v, known := f.values[s.name]; known {
			x.Value = &v
		} else if x.Missing = f.missing[s.name]; x.Missing == "" {
			return nil, fmt.Errorf("figure %q was not measured", s.name)
		}
		list = append(list, x)
	}
	return list, nil
}

// readRecord reads the record at path. It returns an error if the file has no valid record (check).
func readRecord(path string) (*record, error) { return beside.ReadRecord(path, decodeRecord) }

// decodeRecord reads and checks a record.
func decodeRecord(f io.Reader) (*record, error) {
	r := &record{}
	if err := beside.DecodeRecord(r, f); err != nil {
		return nil, err
	}
	return r, r.check()
}

// check returns an error unless the record has exactly the figures in subjects, each with a value or a reason.
func (r *record) check() error {
	if err := beside.IsFormat(r.Format, recordFormat); err != nil {
		return err
	}
	if len(r.Figures) != len(subjects) {
		return fmt.Errorf("figures: %d, not %d", len(r.Figures), len(subjects))
	}
	for i := range r.Figures {
		x, s := &r.Figures[i], &subjects[i]
		if x.Name != s.name || x.Title != s.title || x.Unit != s.unit || x.Kind != s.kind {
			return fmt.Errorf("figures[%d]: %q is not %q as it is measured now", i, x.Name, s.name)
		}
		if (x.AtMost != nil) != (s.most > 0 || s.none) || x.AtMost != nil && *x.AtMost != s.most {
			return fmt.Errorf("figures[%d]: %q: at most is not %v", i, x.Name, s.most)
		}
		if (x.Value == nil) == (x.Missing == "") || x.Value != nil && !(*x.Value >= 0) {
			return fmt.Errorf("figures[%d]: %q has neither a value nor a reason, or both", i, x.Name)
		}
	}
	return nil
}
