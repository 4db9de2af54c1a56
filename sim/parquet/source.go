package parquet

import (
	"errors"
	"io"
	"sync"

	pq "github.com/parquet-go/parquet-go"

	"github.com/rung-mbd/rung/internal/fault"
)

// Source is a trajectory that is read, a table for package sim/replay. It keeps the row group last asked for in memory, and is safe for concurrent use.
type Source struct {
	name  string
	names []string
	file  *pq.File
	first []int // row of each group, and the number of rows

	mu     sync.Mutex
	group  int // in values; −1: none
	values []float64
}

// NewSource returns the trajectory in the first size bytes of r; name is what messages call it.
//
// Cost: that of the footer. It returns an error if r is no Parquet file in the format of a trajectory.
func NewSource(r io.ReaderAt, size int64, name string) (*Source, error) {
	p, err := pq.OpenFile(r, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, fault.Errorf("sim/parquet: %s %w: %w", name, errFormat, err)
	}
	if v, _ := p.Lookup(FormatKey); v != Format {
		return nil, fault.Errorf("sim/parquet: %s %w", name, errFormat)
	}
	s := &Source{name: name, file: p, group: -1, first: []int{0}}
	for _, c := range p.Root().Columns() {
		if !c.Leaf() || !c.Required() || c.Type().Kind() != pq.Double {
			return nil, fault.Errorf("sim/parquet: %s: column %s has no numbers of double precision: %w", name, fault.Name(c.Name()), errFormat)
		}
		s.names = append(s.names, c.Name())
	}
	for g, rg := range p.RowGroups() {
		s.first = append(s.first, s.first[g]+int(rg.NumRows()))
	}
	return s, nil
}

// Names returns the names of the columns. They are not to be changed.
func (s *Source) Names() []string { return s.names }

// Rows returns the number of rows.
func (s *Source) Rows() int { return s.first[len(s.first)-1] }

// ColumnTo stores column k of all rows in dst, which has an entry a row.
//
// Cost: that of reading the column. It returns errors of reading. It panics if k is out of range or dst has another length.
func (s *Source) ColumnTo(dst []float64, k int) error {
	if k < 0 || k >= len(s.names) {
		panic("sim/parquet: column out of range")
	}
	if len(dst) != s.Rows() {
		panic("sim/parquet: length mismatch")
	}
	cells := make([]pq.Value, cellBlock)
	for g, rg := range s.file.RowGroups() {
		if err := s.chunk(dst[s.first[g]:s.first[g+1]], rg, k, cells); err != nil {
			return err
		}
	}
	return nil
}

func (s *Source) chunk(dst []float64, rg pq.RowGroup, k int, cells []pq.Value) error {
	if err := readColumn(dst, rg.ColumnChunks()[k], cells); err != nil {
		if errors.Is(err, io.EOF) {
			err = errShort
		}
		return fault.Errorf("sim/parquet: %s: column %s: %w", s.name, fault.Name(s.names[k]), err)
	}
	return nil
}

// RowTo stores row i in dst.
//
// Cost: that of reading a row group, nothing if it is that of the last call. It returns errors of reading. It panics if i is out of range or dst has another length.
func (s *Source) RowTo(dst []float64, i int) error {
	if i < 0 || i >= s.Rows() {
		panic("sim/parquet: row out of range")
	}
	if len(dst) != len(s.names) {
		panic("sim/parquet: length mismatch")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := 0
	for i >= s.first[g+1] {
		g++
	}
	rows := s.first[g+1] - s.first[g]
	if g != s.group {
		if err := s.load(g, rows); err != nil {
			return err
		}
	}
	for k := range dst {
		dst[k] = s.values[k*rows+i-s.first[g]]
	}
	return nil
}

// load reads group g.
func (s *Source) load(g, rows int) error {
	s.group = -1
	if need := rows * len(s.names); cap(s.values) < need {
		s.values = make([]float64, need)
	}
	cells := make([]pq.Value, cellBlock)
	rg := s.file.RowGroups()[g]
	for k := range s.names {
		if err := s.chunk(s.values[:cap(s.values)][k*rows:(k+1)*rows], rg, k, cells); err != nil {
			return err
		}
	}
	s.values = s.values[:cap(s.values)]
	s.group = g
	return nil
}
