package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/sim"
)

const (
	// PartsEnding is the ending that is appended to the name of a trajectory for the folder
	// of its parts during the run.
	PartsEnding = ".parts"
	// groupBytes is the size of the values of a row group.
	groupBytes = 16 << 20
)

// Options choose the size of row groups and the check of Resume. The zero value is the default.
type Options struct {
	GroupRows int    // number of rows of a row group; 0 stands for as many as fit in 16 MiB, at least one
	Sum       string // Resume: the Recorder.Sum at the position (sim.Checkpoint.Sum); empty: not compared
}

// Recorder is a sim.Recorder that writes a Parquet file. It belongs to one
// goroutine. The caller ensures that a file has only one Recorder at a time.
type Recorder struct {
	path    string // path of the file, links followed
	columns *sim.Columns
	format  *layout

	rows   int       // number of rows of a full group
	group  int       // number of the group that is being filled
	fill   int       // number of its rows so far
	marked int       // number of its rows that its part has already
	values []float64 // values of the group: column c starts at c·rows
	sum    uint64    // checksum of the rows
	row    []byte    // bits of one row

	kept int  // number of full groups that are in the file at path and have no parts
	done bool // the file at path holds all rows
}

// New begins a trajectory. An older file remains until Close; if there is none, New writes an
// empty trajectory. It removes the parts that another recording has left, and no other files of
// their folder.
//
// It returns errors of the file system, and an error if a file in the folder
// has the name of a part but is none. It panics if an option is negative.
func New(path string, columns *sim.Columns, o Options) (*Recorder, error) {
	target, err := outfile.Target(path)
	if err != nil {
		return nil, err
	}
	r := newRecorder(target, columns, o)
	if err := r.removeParts(true); err != nil {
		return nil, err
	}
	if _, err := os.Stat(target); errors.Is(err, fs.ErrNotExist) {
		if err := r.replace(outfile.NewName(target), target, nil); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Resume continues a trajectory, closed or not, at the position of a Mark. It drops rows after the position.
//
// Cost: as reading all rows. It returns an error, which names the file or the part, in four cases: the file or a part is damaged; the
// file or its parts have other columns or another number of rows in a group; they have fewer rows than position; or the
// checksum of their rows differs from Options.Sum. It panics if an option is negative.
func Resume(path string, columns *sim.Columns, position int64, o Options) (*Recorder, error) {
	target, err := outfile.Target(path)
	if err != nil {
		return nil, err
	}
	r := newRecorder(target, columns, o)
	r.group, r.fill = int(position/int64(r.rows)), int(position%int64(r.rows))
	if err := r.resume(position, o.Sum); err != nil {
		return nil, err
	}
	return r, nil
}

// newRecorder allocates a recorder that has no file yet.
func newRecorder(path string, columns *sim.Columns, o Options) *Recorder {
	if o.GroupRows < 0 {
		panic("sim/parquet: number of rows out of range")
	}
	n := columns.Len()
	if o.GroupRows == 0 {
		o.GroupRows = max(1, groupBytes/(8*n))
	}
	return &Recorder{
		path: path, columns: columns, format: newLayout(columns),
		rows: o.GroupRows, values: make([]float64, n*o.GroupRows), row: make([]byte, 8*n),
	}
}

// Record implements sim.Recorder.
//
// Cost: allocates only when a row group is full; plus the cost of sim.Reactions.
func (r *Recorder) Record(row *sim.Row) error {
	if err := r.columns.Fill(row); err != nil {
		return err
	}
	done, sum := r.done, r.sum
	r.done = false
	for c, x := range r.columns.Values {
		r.values[c*r.rows+r.fill] = x
	}
	r.note(r.fill)
	if r.fill++; r.fill < r.rows {
		return nil
	}
	if err := r.keep(); err != nil {
		r.done, r.sum = done, sum // the row is not added
		r.fill--
		return err
	}
	r.group, r.fill, r.marked = r.group+1, 0, 0
	return nil
}

// Mark implements sim.Recorder: the position is the number of rows.
//
// Cost: as writing the group that is being filled; allocates.
func (r *Recorder) Mark() (int64, error) {
	if !r.done && r.fill > r.marked {
		if err := r.keep(); err != nil {
			return 0, err
		}
		r.marked = r.fill
	}
	return int64(r.group)*int64(r.rows) + int64(r.fill), nil
}

// note adds row i of values to the checksum.
func (r *Recorder) note(i int) {
	for c := range r.columns.Len() {
		binary.LittleEndian.PutUint64(r.row[8*c:], math.Float64bits(r.values[c*r.rows+i]))
	}
	r.sum = crc64.Update(r.sum, document.SumTable, r.row)
}

// Sum implements sim.Summed: the checksum of the bits of all rows.
func (r *Recorder) Sum() string { return document.SumText(r.sum) }

// keep writes the group that is being filled to its part.
func (r *Recorder) keep() error {
	if err := outfile.MakeFolder(r.folder()); err != nil {
		return err
	}
	return r.replace(filepath.Join(r.folder(), newPart), r.part(r.group), func(w *writer) error { return w.group(r.values, r.rows, r.fill) })
}

// replace writes a sealed trajectory under the name temp and then renames it to path.
func (r *Recorder) replace(temp, path string, fill func(w *writer) error) error {
	return outfile.ReplaceBy(temp, path, outfile.Sealed(func(w io.Writer) error { return r.format.write(w, fill) }))
}

// Close writes the trajectory, replaces the older file atomically, and removes the parts. The
// Recorder cannot be used afterwards.
//
// Cost: as reading and writing all rows, one group in memory at a time. After an error the
// parts are still there. It returns an error that names a damaged part, and errors of the file system.
func (r *Recorder) Close() error {
	if !r.done {
		if err := r.join(); err != nil {
			return err
		}
	}
	return r.removeParts(false)
}

// Leave ends the recording with all rows in parts; the file itself does not change. Resume can continue.
func (r *Recorder) Leave() error {
	_, err := r.Mark()
	return err
}

// join writes all groups to the file at path.
func (r *Recorder) join() error {
	return r.replace(outfile.NewName(r.path), r.path, func(w *writer) error {
		if err := r.copyGroups(w); err != nil || r.fill == 0 {
			return err
		}
		return w.group(r.values, r.rows, r.fill)
	})
}

// copyGroups writes the full groups.
func (r *Recorder) copyGroups(w *writer) error {
	if r.group == 0 {
		return nil
	}
	if err := r.checkKept(r.kept > 0); err != nil {
		return err
	}
	values := make([]float64, len(r.values))
	for g := range r.group {
		if err := r.readGroup(values, g); err != nil {
			return err
		}
		if err := w.group(values, r.rows, r.rows); err != nil {
			return err
		}
	}
	return nil
}

// checkKept returns an error if needed is set and the file at path has been changed since it was written (its seal). needed tells that
// rows will be read from it.
func (r *Recorder) checkKept(needed bool) error {
	if !needed {
		return nil
	}
	if err := outfile.CheckSealOf(r.path); err != nil {
		return fault.Errorf("sim/parquet: %w", err)
	}
	return nil
}

// readGroup reads full group g from its part, or from the file at path if g is below kept.
func (r *Recorder) readGroup(values []float64, g int) error {
	path, at, open := r.path, g, r.format.open // checkKept has checked the seal of the file
	if g >= r.kept {
		path, at, open = r.part(g), 0, r.format.openPart
	}
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.rows(at) != r.rows {
		return fmt.Errorf("sim/parquet: %s: %w", path, errShort)
	}
	return f.readTo(values, r.rows, at, r.rows)
}
