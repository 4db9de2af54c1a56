package parquet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"

	pq "github.com/parquet-go/parquet-go"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
)

const (
	// FormatKey is the key of the metadata that names the format, and Format its value.
	FormatKey = "rung.format"
	Format    = "rung-trajectory/1"
	// ModelKey is the key of the name of the model.
	ModelKey = "rung.model"
	sealKey  = "rung.seal" // key of the checksum of the file
	magic    = "PAR1"      // first bytes of every Parquet file
)

// layout is the model and the columns of the file and the parts of a trajectory.
type layout struct {
	model  string
	names  []string
	schema *pq.Schema
}

// newLayout returns the layout of a file of the columns. All are doubles, in the given order.
func newLayout(columns *sim.Columns) *layout {
	l := &layout{model: columns.Model(), names: columns.Names()}
	root := ordered{fields: make([]pq.Field, len(l.names))}
	for i, name := range l.names {
		root.fields[i] = &column{pq.Leaf(pq.DoubleType), name}
	}
	l.schema = pq.NewSchema("trajectory", root)
	return l
}

// ordered is a group whose columns keep their order; pq.Group sorts columns by
// name.
type ordered struct {
	pq.Group
	fields []pq.Field
}

func (o ordered) Fields() []pq.Field   { return o.fields }
func (o ordered) GoType() reflect.Type { return reflect.TypeFor[struct{}]() }
func (o ordered) String() string       { return "trajectory" }

// column is a column of doubles. Value is empty, as values are written by column and not from Go structs.
type column struct {
	pq.Node
	name string
}

func (c *column) Name() string                      { return c.name }
func (c *column) Value(reflect.Value) reflect.Value { return reflect.Value{} }

// writer writes row groups.
type writer struct {
	w     *pq.GenericWriter[any]
	cells []pq.Value
}

// cellBlock is the number of values that are passed to the library at once.
const cellBlock = 1024

// write writes a trajectory without its seal. fill writes the row groups; nil writes none.
// The compression is Snappy, which all readers of the format know.
func (l *layout) write(f io.Writer, fill func(w *writer) error) error {
	w := &writer{w: pq.NewGenericWriter[any](f, l.schema,
		pq.Compression(&pq.Snappy), pq.KeyValueMetadata(FormatKey, Format), pq.KeyValueMetadata(ModelKey, l.model),
		pq.KeyValueMetadata(sealKey, outfile.Unsealed()), pq.CreatedBy("rung", "", ""), pq.MaxRowsPerRowGroup(1<<62),
	), cells: make([]pq.Value, cellBlock)}
	if fill != nil {
		if err := fill(w); err != nil {
			return err
		}
	}
	return w.w.Close()
}

// group writes a row group with the first n values of each column. Column c starts at
// values[c·rows].
func (w *writer) group(values []float64, rows, n int) error {
	for c, to := range w.w.ColumnWriters() {
		list := values[c*rows : c*rows+n]
		for len(list) > 0 {
			k := min(len(list), cellBlock)
			for i, x := range list[:k] {
				w.cells[i] = pq.DoubleValue(x).Level(0, 0, c)
			}
			if _, err := to.WriteRowValues(w.cells[:k]); err != nil {
				return err
			}
			list = list[k:]
		}
	}
	return w.w.Flush()
}

// file is a trajectory that is open for reading.
type file struct {
	f      *os.File
	groups []pq.RowGroup
}

// open opens a trajectory of the layout.
func (l *layout) open(path string) (*file, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := l.opened(f)
	if err != nil {
		return nil, errors.Join(fault.Errorf("sim/parquet: %s %w", path, err), f.Close())
	}
	return r, nil
}

// openPart is open for a part, whose seal it checks.
func (l *layout) openPart(path string) (*file, error) {
	if err := outfile.CheckSealOf(path); err != nil {
		return nil, fault.Errorf("sim/parquet: %w", err)
	}
	return l.open(path)
}

var (
	errShort   = errors.New("a group has a different number of rows")
	errFormat  = errors.New("is no trajectory in the format " + Format)
	errColumns = errors.New("is not a trajectory of these bodies and joints")
)

// opened returns the trajectory in f. It returns an error if f has another format, model or columns than the layout.
func (l *layout) opened(f *os.File) (*file, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	p, err := pq.OpenFile(f, info.Size(), pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFormat, err)
	}
	if v, _ := p.Lookup(FormatKey); v != Format {
		return nil, errFormat
	}
	if v, _ := p.Lookup(ModelKey); v != l.model {
		return nil, errColumns
	}
	if err := l.checkColumns(p.Root().Columns()); err != nil {
		return nil, err
	}
	return &file{f, p.RowGroups()}, nil
}

// checkColumns returns an error if columns have other names than in the layout, or are not required doubles.
func (l *layout) checkColumns(columns []*pq.Column) error {
	same := slices.EqualFunc(columns, l.names, func(c *pq.Column, name string) bool { return c.Name() == name })
	if !same {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.Name()
		}
		return fmt.Errorf("%w: %s", errColumns, fault.OtherNames("columns", names, l.names))
	}
	for _, c := range columns {
		if !c.Leaf() || !c.Required() || c.Type().Kind() != pq.Double {
			return fmt.Errorf("%w: column %s is not of numbers", errColumns, fault.Name(c.Name()))
		}
	}
	return nil
}

// Close closes the file.
func (f *file) Close() error { return f.f.Close() }

// rows returns the number of rows of group g, 0 if there is no such group or f is nil.
func (f *file) rows(g int) int {
	if f == nil || g >= len(f.groups) {
		return 0
	}
	return int(f.groups[g].NumRows())
}

// total returns the number of rows, 0 if f is nil.
func (f *file) total() (n int64) {
	if f == nil {
		return 0
	}
	for _, g := range f.groups {
		n += g.NumRows()
	}
	return n
}

// readTo stores in values the first n values of each column of group g. Column c starts at
// values[c·rows].
func (f *file) readTo(values []float64, rows, g, n int) error {
	if f.rows(g) < n {
		return fmt.Errorf("sim/parquet: %s: %w", f.f.Name(), errShort)
	}
	cells := make([]pq.Value, cellBlock)
	for c, chunk := range f.groups[g].ColumnChunks() {
		if err := readColumn(values[c*rows:c*rows+n], 0, chunk, cells); err != nil {
			return fault.Errorf("sim/parquet: %s: %w", f.f.Name(), err)
		}
	}
	return nil
}

// readColumn fills dst with the values of a column from row from of the chunk on. cells is scratch.
func readColumn(dst []float64, from int, chunk pq.ColumnChunk, cells []pq.Value) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	if from > 0 {
		if err := pages.SeekToRow(int64(from)); err != nil {
			return err
		}
	}
	for len(dst) > 0 {
		page, err := pages.ReadPage()
		if err != nil {
			return err
		}
		if page.Dictionary() == nil && page.NumNulls() == 0 && page.Type().Kind() == pq.Double {
			data := page.Data()
			dst = dst[copy(dst, data.Double()):]
		} else if dst, err = readPage(dst, page.Values(), cells); err != nil {
			return err
		}
		pq.Release(page)
	}
	return nil
}

// readPage fills the head of dst with values and returns the rest.
func readPage(dst []float64, values pq.ValueReader, cells []pq.Value) ([]float64, error) {
	for len(dst) > 0 {
		n, err := values.ReadValues(cells[:min(len(cells), len(dst))])
		for i := range n {
			dst[i] = cells[i].Double()
		}
		dst = dst[n:]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}
