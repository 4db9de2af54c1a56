package parquet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sort"
	"sync"

	pq "github.com/parquet-go/parquet-go"

	"github.com/rung-mbd/rung/internal/fault"
)

// Source is a trajectory in a file that is read as a table for package sim/replay. It keeps the last window in memory: a
// row group of the size of Recorder, or a part of that size of a larger group. It is safe for concurrent use.
type Source struct {
	name    string
	names   []string
	file    *pq.File
	first   []int // number of the first row of each group, then the number of rows
	windows []window

	mu     sync.Mutex
	at     int // number of the window in values; −1: none
	values []float64
}

// window is a range of rows of a group that are read together; first is a row number of the file.
type window struct{ group, first, rows int }

// NewSource returns the trajectory in the first size bytes of r; name is its name in messages.
//
// Cost: as the footer. It returns an error if r is no Parquet file in the format of a trajectory.
func NewSource(r io.ReaderAt, size int64, name string) (*Source, error) {
	return newSource(r, size, name, groupBytes)
}

// newSource is NewSource with windows of the given number of bytes.
func newSource(r io.ReaderAt, size int64, name string, bytes int) (*Source, error) {
	p, err := pq.OpenFile(r, size, pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, fault.Errorf("sim/parquet: %s %w: %w", name, errFormat, err)
	}
	if v, _ := p.Lookup(FormatKey); v != Format {
		return nil, fault.Errorf("sim/parquet: %s %w", name, errFormat)
	}
	s := &Source{name: name, file: p, at: -1, first: []int{0}}
	for _, c := range p.Root().Columns() {
		if !c.Leaf() || !c.Required() || c.Type().Kind() != pq.Double {
			return nil, fault.Errorf("sim/parquet: %s: column %s has no numbers of double precision: %w", name, fault.Name(c.Name()), errFormat)
		}
		s.names = append(s.names, c.Name())
	}
	most := max(1, bytes/(8*max(1, len(s.names))))
	if slices.ContainsFunc(p.RowGroups(), func(rg pq.RowGroup) bool { return rg.NumRows() > int64(most) }) {
		// For large groups the index of pages is read too, so that windows are found without reading all before them.
		if s.file, err = pq.OpenFile(r, size, pq.SkipBloomFilters(true)); err != nil {
			return nil, fault.Errorf("sim/parquet: %s %w: %w", name, errFormat, err)
		}
	}
	if err := checkRows(p.RowGroups(), size); err != nil {
		return nil, fault.Errorf("sim/parquet: %s %w: %w", name, errFormat, err)
	}
	for g, rg := range p.RowGroups() {
		s.first = append(s.first, s.first[g]+int(rg.NumRows()))
		for at := s.first[g]; at < s.first[g+1]; at += most {
			s.windows = append(s.windows, window{g, at, min(most, s.first[g+1]-at)})
		}
	}
	return s, nil
}

// rowsPerByte is the largest possible number of rows for each byte of a file: the times of the rows differ, and no compression of the
// format makes eight different bytes so short. A footer that promises more is wrong.
const rowsPerByte = 1 << 12

// checkRows returns an error if a file of size bytes cannot have the number of rows that its groups claim. The number determines
// memory that is allocated for times.
func checkRows(groups []pq.RowGroup, size int64) error {
	total := int64(0)
	for g, rg := range groups {
		if n := rg.NumRows(); n < 0 || n > min(rowsPerByte*size, math.MaxInt)-total {
			return fmt.Errorf("group %d has %d rows, in a file of %d bytes", g, n, size)
		}
		total += rg.NumRows()
	}
	return nil
}

// Names returns the names of the columns. The list must not be changed.
func (s *Source) Names() []string { return s.names }

// Rows returns the number of rows.
func (s *Source) Rows() int { return s.first[len(s.first)-1] }

// ColumnTo stores column k of all rows in dst, which has an entry for each row.
//
// Cost: as reading the column. It returns errors of reading. It
// panics if k is out of range or dst has another length.
func (s *Source) ColumnTo(dst []float64, k int) error {
	if k < 0 || k >= len(s.names) {
		panic("sim/parquet: column out of range")
	}
	if len(dst) != s.Rows() {
		panic("sim/parquet: length mismatch")
	}
	cells := make([]pq.Value, cellBlock)
	for g, rg := range s.file.RowGroups() {
		if err := s.chunk(dst[s.first[g]:s.first[g+1]], 0, rg, k, cells); err != nil {
			return err
		}
	}
	return nil
}

// chunk fills dst with the values of column k of a group, from row from of the group on.
func (s *Source) chunk(dst []float64, from int, rg pq.RowGroup, k int, cells []pq.Value) error {
	if err := readColumn(dst, from, rg.ColumnChunks()[k], cells); err != nil {
		if errors.Is(err, io.EOF) {
			err = errShort
		}
		return fault.Errorf("sim/parquet: %s: column %s: %w", s.name, fault.Name(s.names[k]), err)
	}
	return nil
}

// RowTo stores row i in dst.
//
// Cost: reading a row group, or nothing if the last call was for a row of the same group. Of a group larger than 16 MiB, a part
// of that size is read. It returns errors of reading. It panics if i is out of range or dst
// has another length.
func (s *Source) RowTo(dst []float64, i int) error {
	if i < 0 || i >= s.Rows() {
		panic("sim/parquet: row out of range")
	}
	if len(dst) != len(s.names) {
		panic("sim/parquet: length mismatch")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := sort.Search(len(s.windows), func(k int) bool { return s.windows[k].first > i }) - 1
	w := &s.windows[at]
	if at != s.at {
		if err := s.load(at); err != nil {
			return err
		}
	}
	for k := range dst {
		dst[k] = s.values[k*w.rows+i-w.first]
	}
	return nil
}

// load reads window at into s.values.
func (s *Source) load(at int) error {
	s.at = -1
	w := &s.windows[at]
	if need := w.rows * len(s.names); len(s.values) < need {
		s.values = make([]float64, need)
	}
	rg := s.file.RowGroups()[w.group]
	readers := min(runtime.GOMAXPROCS(0), mostReaders, len(s.names))
	errs := make([]error, readers)
	var all sync.WaitGroup
	for r := range readers {
		all.Go(func() {
			cells := make([]pq.Value, cellBlock)
			for k := r; k < len(s.names) && errs[r] == nil; k += readers {
				errs[r] = s.chunk(s.values[k*w.rows:(k+1)*w.rows], w.first-s.first[w.group], rg, k, cells)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	s.at = at
	return nil
}

// mostReaders is the largest number of goroutines that read the columns of a window.
const mostReaders = 4
