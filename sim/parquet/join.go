package parquet

import (
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// Joined joins the trajectories of the ranks of a run, each with its own bodies, to one trajectory. It
// is a table for package sim/replay, and as safe for concurrent use as a Source.
type Joined struct {
	names   []string
	parts   []*Source
	from    [][]int // for each part, its columns that are used
	dropped []string
}

// Join joins parts, in their order: the time once, then the columns of each part. If there is more than one part, it leaves out
// energies and drifts (energy.*, drift.*), as these belong to the piece of a rank with its halo (Dropped).
//
// Cost: as reading all times. It returns an error if there is no part, if two have a column of the same name, or if a part
// has another number of rows, or another time in a row, than the first part.
func Join(parts ...*Source) (*Joined, error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("sim/parquet: no parts")
	}
	j := &Joined{parts: parts}
	of := make(map[string]int)
	var times, other []float64
	for i, p := range parts {
		if len(p.names) == 0 || p.names[0] != timeColumn {
			return nil, fault.Errorf("sim/parquet: %s: the first column is not %s", p.name, timeColumn)
		}
		if p.Rows() != parts[0].Rows() {
			return nil, fault.Errorf("sim/parquet: %s has %d rows, and %s has %d", p.name, p.Rows(), parts[0].name, parts[0].Rows())
		}
		other = append(other[:0], make([]float64, p.Rows())...)
		if err := p.ColumnTo(other, 0); err != nil {
			return nil, err
		}
		if i == 0 {
			times = append(times, other...)
		}
		for row, t := range other {
			if math.Float64bits(t) != math.Float64bits(times[row]) {
				return nil, fault.Errorf("sim/parquet: %s: row %d is at %g s, and that of %s at %g s", p.name, row, t, parts[0].name, times[row])
			}
		}
		var from []int
		for c, name := range p.names {
			k, twice := of[name]
			switch {
			case c == 0 && i > 0:
				continue
			case len(parts) > 1 && (strings.HasPrefix(name, "energy.") || strings.HasPrefix(name, "drift.")):
				if !twice {
					j.dropped = append(j.dropped, name)
				}
				of[name] = i
				continue
			case twice:
				return nil, fault.Errorf("sim/parquet: %s and %s have the column %s", parts[k].name, p.name, fault.Name(name))
			}
			of[name] = i
			j.names, from = append(j.names, name), append(from, c)
		}
		j.from = append(j.from, from)
	}
	return j, nil
}

// timeColumn is the first column of trajectories.
const timeColumn = "time"

// Dropped returns the names of the columns that Join has left out.
func (j *Joined) Dropped() []string { return j.dropped }

// Names returns the names of the columns. The list must not be changed.
func (j *Joined) Names() []string { return j.names }

// Rows returns the number of rows.
func (j *Joined) Rows() int { return j.parts[0].Rows() }

// ColumnTo is as Source.ColumnTo.
func (j *Joined) ColumnTo(dst []float64, k int) error {
	for i, from := range j.from {
		if k >= 0 && k < len(from) {
			return j.parts[i].ColumnTo(dst, from[k])
		}
		k -= len(from)
	}
	panic("sim/parquet: column out of range")
}

// RowTo is as Source.RowTo.
func (j *Joined) RowTo(dst []float64, i int) error {
	if len(dst) != len(j.names) {
		panic("sim/parquet: length mismatch")
	}
	var row []float64
	at := 0
	for k, p := range j.parts {
		row = append(row[:0], make([]float64, len(p.names))...)
		if err := p.RowTo(row, i); err != nil {
			return err
		}
		for _, c := range j.from[k] {
			dst[at] = row[c]
			at++
		}
	}
	return nil
}
