package objective

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/timetable"
)

// record is a column of a file over time; empty cells are left out.
type record struct {
	times, values []float64
	lines         []int // line numbers in the file
}

// records are the records of an objective that have been read, by file and column.
type records map[[2]string]*record

// of returns a column of a file in folder, and reads it at the first call.
func (all records) of(folder fs.FS, file, column string) (*record, error) {
	key := [2]string{file, column}
	if r, ok := all[key]; ok {
		return r, nil
	}
	if folder == nil {
		return nil, errors.New("derive/objective: there is no folder for files of data")
	}
	f, err := folder.Open(file)
	if err != nil {
		if inner := new(fs.PathError); errors.As(err, &inner) {
			err = inner.Err
		}
		return nil, fmt.Errorf("derive/objective: %s: %w", fault.Name(file), err)
	}
	defer f.Close()
	r, err := readRecord(f, column)
	if err != nil {
		return nil, fault.Errorf("derive/objective: %s: %w", fault.Name(file), err)
	}
	all[key] = r
	return r, nil
}

// readRecord reads a column of comma-separated values. The first line has the names of the columns, among them time (package timetable). It
// skips lines without a value.
func readRecord(r io.Reader, column string) (*record, error) {
	t, err := timetable.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("derive/objective: %w", err)
	}
	var places [2]int
	for i, name := range [2]string{timetable.Time, column} {
		if places[i], err = t.Column(name); err != nil {
			return nil, fmt.Errorf("derive/objective: %w", err)
		}
	}
	all := new(record)
	for err = t.Next(); err == nil; err = t.Next() {
		if t.Empty(places[1]) {
			continue
		}
		if err = all.add(t, places[0], places[1]); err != nil {
			break
		}
	}
	switch {
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("derive/objective: %w", err)
	case len(all.times) == 0:
		return nil, fmt.Errorf("derive/objective: column %s has no values", fault.Name(column))
	}
	return all, nil
}

// add adds the present line of t; time and value are the indices of its columns.
func (r *record) add(t *timetable.Reader, time, value int) error {
	at, err := t.After(time)
	if err != nil {
		return err
	}
	x, err := t.Number(value)
	if err != nil {
		return err
	}
	r.times, r.values, r.lines = append(r.times, at), append(r.values, x), append(r.lines, t.Line())
	return nil
}

// within returns an error that names the first time that is outside the run, or too close to the one before it for a step.
func (r *record) within(from, until float64) error {
	least := leastStep * (until - from)
	for i, t := range r.times {
		switch {
		case t < from-least || t > until+least:
			return fmt.Errorf("derive/objective: line %d: the time %v is not in the run, from %v to %v s", r.lines[i], t, from, until)
		case i > 0 && t-r.times[i-1] <= least:
			return fmt.Errorf("derive/objective: line %d: from the time %v to %v is too short for a step", r.lines[i], r.times[i-1], t)
		}
	}
	return nil
}
