package tables

import (
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	pq "github.com/parquet-go/parquet-go"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
)

// table is a table with rows of type T.
type table[T any] struct {
	name   string
	file   *outfile.PartFile
	pq     *pq.File
	first  []int64  // first row of each row group, and last the number of rows
	fields []int    // columns of numbers
	labels []string // names of these columns
}

// openTable reads the footer of a table.
func openTable[T any](f *outfile.PartFile, kind string) (*table[T], error) {
	t := &table[T]{name: f.Name(), file: f, first: []int64{0}}
	if err := t.begin(kind); err != nil {
		return nil, fault.Errorf("formats/tables: %s: %w", t.name, err)
	}
	return t, nil
}

// begin opens a table of a kind, "bodies" or "joints". It returns an error if the file is no such table, or if its columns or row groups
// do not conform to the format.
func (t *table[T]) begin(kind string) error {
	p, err := pq.OpenFile(t.file, t.file.Size(), pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("no table of %s: %w", kind, err)
	}
	if v, _ := p.Lookup(formatKey); v != Format+" "+kind {
		return fmt.Errorf("no table of %s in the format %s", kind, Format)
	}
	want, have := pq.SchemaOf(*new(T)).Fields(), p.Schema().Fields()
	if len(want) != len(have) {
		return fmt.Errorf("%d columns in place of %d", len(have), len(want))
	}
	for i, c := range want {
		h := have[i]
		switch {
		case h.Name() != c.Name():
			return fmt.Errorf("column %d is %s, not %s", i, fault.Name(h.Name()), c.Name())
		case !h.Leaf() || !h.Required() || h.Type().Kind() != c.Type().Kind():
			return fmt.Errorf("column %s has another type, %s", c.Name(), h)
		}
	}
	t.pq = p
	t.fields, t.labels = numbers[T]()
	for g, rg := range p.RowGroups() {
		n := rg.NumRows()
		if n < 0 || n > math.MaxInt64-t.first[g] {
			return fmt.Errorf("row group %d has %d rows", g, n)
		}
		for c, chunk := range rg.ColumnChunks() {
			if k := chunk.NumValues(); k != n {
				return fmt.Errorf("row group %d, column %s: %d values in place of %d", g, want[c].Name(), k, n)
			}
		}
		t.first = append(t.first, t.first[g]+n)
	}
	return nil
}

// rows returns the number of rows.
func (t *table[T]) rows() int64 { return t.first[len(t.first)-1] }

// at adds the row group and the row to an error.
func (t *table[T]) at(g int, row int64, err error) error {
	return fault.Errorf("formats/tables: %s: row group %d, row %d: %w", t.name, g, row, err)
}

// blockRows is the largest number of rows that are read at once.
const blockRows = 512

// read calls visit for the rows from lo to hi−1, which must be in group g. Rows are numbered in the whole table.
func (t *table[T]) read(g int, lo, hi int64, visit func(row int64, r *T) error) error {
	r := pq.NewGenericRowGroupReader[T](t.pq.RowGroups()[g])
	err := t.readFrom(r, g, lo, hi, visit)
	return errors.Join(err, r.Close())
}

// readFrom is read with a reader of group g. It returns an error, with the row, for a number that is not finite
// and for missing rows.
func (t *table[T]) readFrom(r *pq.GenericReader[T], g int, lo, hi int64, visit func(row int64, r *T) error) error {
	if lo > t.first[g] {
		if err := r.SeekToRow(lo - t.first[g]); err != nil {
			return t.at(g, lo, err)
		}
	}
	block := make([]T, min(blockRows, hi-lo))
	for row := lo; row < hi; {
		n, err := r.Read(block[:min(int64(len(block)), hi-row)])
		for i := range n {
			if err := t.finite(&block[i]); err != nil {
				return t.at(g, row, err)
			}
			if err := visit(row, &block[i]); err != nil {
				return t.at(g, row, err)
			}
			row++
		}
		if row < hi && (err != nil || n == 0) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return t.at(g, row, err)
		}
	}
	return nil
}

// finite returns an error with the column if a number of a row is not finite.
func (t *table[T]) finite(r *T) error {
	v := reflect.ValueOf(r).Elem()
	for i, f := range t.fields {
		if x := v.Field(f).Float(); !algebra.Finite(x) {
			return fmt.Errorf("column %s: %g", t.labels[i], x)
		}
	}
	return nil
}

// pick calls visit for the rows in an ascending list.
func (t *table[T]) pick(list []int64, visit func(row int64, r *T) error) error {
	for g := 0; g+1 < len(t.first) && len(list) > 0; g++ {
		end := t.first[g+1]
		n, _ := slices.BinarySearch(list, end)
		if n == 0 {
			continue
		}
		mine := list[:n]
		list = list[n:]
		k := 0
		err := t.read(g, mine[0], mine[n-1]+1, func(row int64, r *T) error {
			if row != mine[k] {
				return nil
			}
			k++
			return visit(row, r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
