package objective

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
)

// timeColumn is the name of the times in files of data, as in a trajectory.
const timeColumn = "time"

// byteOrder is what some programs write in front of a text in UTF-8.
const byteOrder = "\ufeff"

// record is a column of a file over time: cells that are not empty.
type record struct {
	times, values []float64
	lines         []int // of the file
}

// records are those of an objective that have been read, by file and column.
type records map[[2]string]*record

// of returns a column of a file below a folder.
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

// readRecord reads comma-separated values with a row of names, among them time.
func readRecord(r io.Reader, column string) (*record, error) {
	text := bufio.NewReader(r)
	if b, _ := text.Peek(len(byteOrder)); string(b) == byteOrder {
		_, _ = text.Discard(len(b)) // it is there
	}
	c := csv.NewReader(text)
	c.Comment, c.ReuseRecord, c.TrimLeadingSpace = '#', true, true
	head, err := c.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("derive/objective: the file is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("derive/objective: %w", err)
	}
	names := slices.Clone(head)
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	places := [2]int{slices.Index(names, timeColumn), slices.Index(names, column)}
	for i, name := range [2]string{timeColumn, column} {
		if places[i] < 0 {
			return nil, fmt.Errorf("derive/objective: the file has no column %s%s", fault.Name(name), fault.Meant(name, names...))
		}
		if slices.Contains(names[places[i]+1:], name) {
			return nil, fmt.Errorf("derive/objective: the file has two columns %s", fault.Name(name))
		}
	}
	all := new(record)
	for {
		row, err := c.Read()
		switch {
		case errors.Is(err, io.EOF) && len(all.times) == 0:
			return nil, fmt.Errorf("derive/objective: column %s has no values", fault.Name(column))
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("derive/objective: %w", err)
		}
		line, _ := c.FieldPos(0)
		if err := all.add(row[places[0]], row[places[1]], line); err != nil {
			return nil, err
		}
	}
}

// add adds a row, if it has a value.
func (r *record) add(time, value string, line int) error {
	if value = strings.TrimSpace(value); value == "" {
		return nil
	}
	var x [2]float64
	for i, cell := range [2]string{strings.TrimSpace(time), value} {
		var err error
		if x[i], err = strconv.ParseFloat(cell, 64); err != nil || !algebra.Finite(x[i]) {
			return fmt.Errorf("derive/objective: line %d: %s is no finite number", line, fault.Name(cell))
		}
	}
	if n := len(r.times); n > 0 && !(x[0] > r.times[n-1]) {
		return fmt.Errorf("derive/objective: line %d: the time %v is not after the one before, %v", line, x[0], r.times[n-1])
	}
	r.times, r.values, r.lines = append(r.times, x[0]), append(r.values, x[1]), append(r.lines, line)
	return nil
}

// within returns an error that names the first time that is not in a run, or too near to the one before it for a step.
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
