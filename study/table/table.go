package table

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
)

// Kind is the type of a column.
type Kind int

// The kinds. Floats and texts may be missing.
const (
	Int Kind = iota
	Float
	Text
)

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
}

// Cell is a value of a row, in the field of the kind of its column.
type Cell struct {
	Int   int64
	Float float64
	Text  string
	Null  bool // of floats and texts
}

const (
	// partsEnding ends the name of the folder of parts, which begins with the name of the table.
	partsEnding = ".parts"
	// groupRows is the number of rows of a row group.
	groupRows = 1 << 16

	formatKey  = "rung.format"
	sumKey     = "rung.sum"  // checksum of the inputs on which the rows depend (sweep.Sweep.Sum)
	sealKey    = "rung.seal" // of the bytes of the file
	partKey    = "rung.part" // number of a part
	partEnding = ".parquet"
)

// table is a Parquet file of rows and its parts, which come in any
// order. write may be called by many goroutines with different parts.
type table struct {
	place   *outfile.Place
	format  string
	sum     string
	columns []Column
	schema  *pq.Schema
}

// newTable returns the table whose file is path, which nobody else can write until release. Format names the kind of the table,
// such as rung-runs/1, and sum is a checksum of the inputs on which its rows depend: a file with another format or sum is
// another table.
//
// It returns an error if the file cannot be written or is no regular file, so that it cannot have parts beside it.
func newTable(path, format, sum string, columns []Column) (*table, error) {
	place, err := outfile.Hold(path)
	if err != nil {
		return nil, err
	}
	if place.Direct() {
		return nil, errors.Join(fmt.Errorf("study/table: %s is no regular file: a table has parts beside it", path), place.Release())
	}
	root := ordered{fields: make([]pq.Field, len(columns))}
	for i, c := range columns {
		var n pq.Node
		switch c.Kind {
		case Int:
			n = pq.Leaf(pq.Int64Type)
		case Float:
			n = pq.Optional(pq.Leaf(pq.DoubleType))
		default:
			n = pq.Optional(pq.String())
		}
		root.fields[i] = &field{n, c.Name}
	}
	return &table{place, format, sum, columns, pq.NewSchema("table", root)}, nil
}

// release lets others write the file.
func (t *table) release() error { return t.place.Release() }

// ordered is a group of columns that keep their order. A pq.Group sorts its columns by name.
type ordered struct {
	pq.Group
	fields []pq.Field
}

func (o ordered) Fields() []pq.Field   { return o.fields }
func (o ordered) GoType() reflect.Type { return reflect.TypeFor[struct{}]() }
func (o ordered) String() string       { return "table" }

// field is a column. Value is never called, as rows are made cell by cell and not from Go structs.
type field struct {
	pq.Node
	name string
}

func (f *field) Name() string                      { return f.name }
func (f *field) Value(reflect.Value) reflect.Value { return reflect.Value{} }

// folder returns the path of the folder of parts.
func (t *table) folder() string { return t.place.Path() + partsEnding }

// part returns the path of part k.
func (t *table) part(k int) string {
	return filepath.Join(t.folder(), fmt.Sprintf("%08d"+partEnding, k))
}

// partName reports whether name is the name of a part, or of a part that is being written.
func partName(name string) bool {
	digits, ok := strings.CutSuffix(name, partEnding)
	if !ok {
		digits, ok = strings.CutSuffix(name, partEnding+newEnding)
	}
	return ok && len(digits) == 8 && strings.Trim(digits, "0123456789") == ""
}

// newEnding ends the name of a part that is being written.
const newEnding = ".rung-new"

// write writes part k, in one move. It returns a *fs.PathError with the name of the part.
func (t *table) write(k int, rows [][]Cell) error {
	if err := outfile.MakeFolder(t.folder()); err != nil {
		return err
	}
	return outfile.ReplaceBy(t.part(k)+newEnding, t.part(k), t.sealed(strconv.Itoa(k), func(p *pq.GenericWriter[any]) error {
		_, err := p.WriteRows(t.rows(rows))
		return err
	}))
}

// rows returns rows in the form of the Parquet library. The repetition level of all cells is 0. The definition level of a cell in a
// column of Float or Text is 1 with a value and 0 without. Columns of Int are not optional, and have level 0.
func (t *table) rows(rows [][]Cell) []pq.Row {
	list := make([]pq.Row, len(rows))
	for i, cells := range rows {
		if len(cells) != len(t.columns) {
			panic("study/table: a row of another length")
		}
		list[i] = make(pq.Row, len(cells))
		for k := range cells {
			c := &cells[k]
			switch {
			case t.columns[k].Kind == Int:
				list[i][k] = pq.Int64Value(c.Int).Level(0, 0, k)
			case c.Null:
				list[i][k] = pq.NullValue().Level(0, 0, k)
			case t.columns[k].Kind == Float:
				list[i][k] = pq.DoubleValue(c.Float).Level(0, 1, k)
			default:
				list[i][k] = pq.ByteArrayValue([]byte(c.Text)).Level(0, 1, k)
			}
		}
	}
	return list
}

// noPart stands for the number of a part in a file that is the whole table.
const noPart = ""

// sealed returns a function that writes the table (noPart), or the part with the given number, with a seal. fill writes the rows.
func (t *table) sealed(part string, fill func(p *pq.GenericWriter[any]) error) func(w io.Writer) error {
	return outfile.Sealed(func(w io.Writer) error {
		o := []pq.WriterOption{t.schema, pq.Compression(&pq.Snappy), pq.KeyValueMetadata(formatKey, t.format), pq.KeyValueMetadata(sumKey, t.sum),
			pq.KeyValueMetadata(sealKey, outfile.Unsealed()), pq.CreatedBy("rung", "", ""), pq.MaxRowsPerRowGroup(groupRows)}
		if part != noPart {
			o = append(o, pq.KeyValueMetadata(partKey, part))
		}
		p := pq.NewGenericWriter[any](w, o...)
		if err := fill(p); err != nil {
			return err
		}
		return p.Close()
	})
}

// errOther says that a file belongs to another table.
var errOther = errors.New("is not of this sweep: the study, its model or its share is another one")

// open opens the file of the table (noPart), or of the part with a number. A file of another part is damage.
func (t *table) open(path, part string) (*os.File, *pq.File, error) {
	f, p, format, sum, err := openAny(path)
	if err != nil {
		return nil, nil, err
	}
	switch is, _ := p.Lookup(partKey); {
	case format != t.format || sum != t.sum:
		err = fmt.Errorf("study/table: %s %w", path, errOther)
	case is != part:
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: those of another part are in its place", outfile.ErrDamaged)}
	default:
		return f, p, nil
	}
	return nil, nil, errors.Join(err, f.Close())
}

// openAny opens a table of any kind whose seal is intact, and returns its format and its checksum. Errors name the file.
func openAny(path string) (f *os.File, p *pq.File, format, sum string, err error) {
	if err := outfile.CheckSealOf(path); err != nil {
		return nil, nil, "", "", err
	}
	if f, err = os.Open(path); err != nil {
		return nil, nil, "", "", err
	}
	info, err := f.Stat()
	if err == nil {
		p, err = pq.OpenFile(f, info.Size(), pq.SkipPageIndex(true), pq.SkipBloomFilters(true))
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, "", "", fault.Errorf("study/table: %s: %w", path, err)
	}
	format, _ = p.Lookup(formatKey)
	sum, _ = p.Lookup(sumKey)
	return f, p, format, sum, nil
}

// errNone is the error of a file that has the name of a part of a table but is none.
var errNone = errors.New("is in the way of a part of the sweep, but is none")

// magic begins every Parquet file.
const magic = "PAR1"

// notAPart returns the error for a file that has the name of a part and no intact seal: damage if the file was once a part,
// else errNone.
func notAPart(path string, damage error) error {
	was, err := outfile.Remnant(path, magic)
	if err != nil {
		return err
	}
	if was {
		return damage
	}
	return fmt.Errorf("study/table: %s %w", path, errNone)
}

// has reports whether part k is there.
//
// Cost: as reading the part. It returns an error that names the part if a file of that name is no part of this table. The error
// wraps outfile.ErrDamaged if the file is a damaged part, of this table or another; write then replaces it.
func (t *table) has(k int) (bool, error) {
	f, _, err := t.open(t.part(k), strconv.Itoa(k))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, outfile.ErrDamaged):
		return false, notAPart(t.part(k), err)
	case err != nil:
		return false, err
	}
	return true, f.Close()
}

// whole reports whether the file of the table exists and holds this table, undamaged.
func (t *table) whole() bool {
	f, _, err := t.open(t.place.Path(), noPart)
	return err == nil && f.Close() == nil
}

// Read calls row for each row of the file at path, a table of the given format, with the cells of columns in their order. The
// cells are valid until row returns.
//
// Cost: as reading all columns. It returns an error for a file that is no such table or is damaged, that lacks a column,
// or that has a column of another kind, and the error of row.
func Read(path, format string, columns []Column, row func(cells []Cell) error) error {
	f, p, is, _, err := openAny(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if is != format {
		return fmt.Errorf("study/table: %s is no table of %s", path, format)
	}
	places := make([]int, len(columns))
	for i, c := range columns {
		leaf, ok := p.Schema().Lookup(c.Name)
		if !ok {
			return fmt.Errorf("study/table: %s has no column %s", path, fault.Name(c.Name))
		}
		if kind := kinds[c.Kind]; leaf.Node.Type().Kind() != kind {
			return fmt.Errorf("study/table: %s: column %s is of type %v, not %v", path, fault.Name(c.Name), leaf.Node.Type().Kind(), kind)
		}
		places[i] = leaf.ColumnIndex
	}
	cells, list := make([]Cell, len(columns)), make([]pq.Row, 256)
	for _, g := range p.RowGroups() {
		if err := readGroup(g, list, func(r pq.Row) error {
			for i, place := range places {
				cells[i] = cellOf(r[place], columns[i].Kind)
			}
			return row(cells)
		}); err != nil {
			return fault.Errorf("study/table: %s: %w", path, err)
		}
	}
	return nil
}

// kinds are the Parquet types of the kinds.
var kinds = [...]pq.Kind{Int: pq.Int64, Float: pq.Double, Text: pq.ByteArray}

// readGroup calls use for each row of a group. list is memory for rows.
func readGroup(g pq.RowGroup, list []pq.Row, use func(r pq.Row) error) (err error) {
	rows := g.Rows()
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		n, err := rows.ReadRows(list)
		for _, r := range list[:n] {
			if err := use(r); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// cellOf returns the cell of a value in a column of a kind.
func cellOf(v pq.Value, kind Kind) Cell {
	switch {
	case v.IsNull():
		return Cell{Null: true}
	case kind == Int:
		return Cell{Int: v.Int64()}
	case kind == Float:
		return Cell{Float: v.Double()}
	}
	return Cell{Text: string(v.ByteArray())}
}

// join writes parts 0 to n − 1 to the file, in one move.
//
// Cost: as reading and writing all rows; a row group is in memory. It returns an error that names the part if one is
// damaged or not there.
func (t *table) join(n int, done func()) error {
	return t.place.Replace(t.sealed(noPart, func(p *pq.GenericWriter[any]) error {
		for k := range n {
			if err := t.copy(p, k); err != nil {
				return err
			}
			done()
		}
		return nil
	}))
}

// copy writes the rows of part k.
func (t *table) copy(w *pq.GenericWriter[any], k int) error {
	f, p, err := t.open(t.part(k), strconv.Itoa(k))
	if err != nil {
		return err
	}
	defer f.Close()
	for _, g := range p.RowGroups() {
		rows := g.Rows()
		_, err := pq.CopyRows(w, rows)
		if err = errors.Join(err, rows.Close()); err != nil {
			return fault.Errorf("study/table: %s: %w", t.part(k), err)
		}
	}
	return nil
}

// isPart returns an error unless the file at path is a part of a table of the format, or was one and is damaged.
func (t *table) isPart(path string) error {
	f, _, format, _, err := openAny(path)
	if errors.Is(err, outfile.ErrDamaged) {
		if err = notAPart(path, err); errors.Is(err, outfile.ErrDamaged) {
			return nil
		}
	}
	if err != nil {
		return err
	}
	_ = f.Close() // it was read only
	if format != t.format {
		return fmt.Errorf("study/table: %s %w", path, errNone)
	}
	return nil
}

// remove removes the parts, and their folder if nothing else is in it.
//
// If a file has the name of a part but is not a part of a table of this format, it returns an error and removes nothing.
func (t *table) remove() error {
	entries, err := os.ReadDir(t.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var own []string
	for _, e := range entries {
		path := filepath.Join(t.folder(), e.Name())
		if !partName(e.Name()) {
			continue
		}
		if !strings.HasSuffix(e.Name(), newEnding) {
			if err := t.isPart(path); err != nil {
				return err
			}
		}
		own = append(own, path)
	}
	for _, path := range own {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	if info, err := os.Lstat(t.folder()); err != nil || len(own) < len(entries) || !info.IsDir() {
		return nil // the folder is gone, has other files, or is a link
	}
	return os.Remove(t.folder())
}
