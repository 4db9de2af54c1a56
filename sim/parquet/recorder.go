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
	// PartsEnding is appended to the name of a trajectory for the folder of what has
	// been recorded while the run goes on.
	PartsEnding = ".parts"
	// groupBytes is the size of the values of a row group.
	groupBytes = 16 << 20
)

// Options choose how rows are kept. The zero value is the default.
type Options struct {
	GroupRows int    // rows of a row group; 0 stands for as many as fit in 16 MiB, at least one
	Sum       string // of Resume: what Recorder.Sum was at the position (sim.Checkpoint.Sum); empty: not compared
}

// Recorder is a sim.Recorder that writes a Parquet file. It belongs to one
// goroutine, and the file to one Recorder at a time, which the caller sees to.
type Recorder struct {
	path    string // links followed
	columns *sim.Columns
	format  *layout

	rows   int       // of a full group
	group  int       // number of the group that is being filled
	fill   int       // rows in it
	marked int       // of them, those in its part already
	values []float64 // of the group, column by column, each with room for rows
	sum    uint64    // checksum of the rows
	row    []byte    // bits of one row

	kept int  // full groups at the head of the file at path, which have no parts
	done bool // the file at path holds all
}

// New begins a trajectory. An older file stays until Close; where there is none, New writes an
// empty trajectory. It removes the parts that another recording has left, and nothing else in
// their folder.
//
// It returns errors of the file system. It also returns an error if the folder has a file that
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

// Resume goes on with a trajectory, ended or not, at the position of a Mark. Rows after it are
// dropped.
//
// Cost: as reading all rows. It returns an error in four cases: the file or a part is damaged, the file or its parts
// have other columns or another number of rows a group, they do not reach to position, or their
// rows are not those of Options.Sum. It names the file or the part. It panics if an option is negative.
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
// Cost: no allocation but when a row group is full, and what sim.Reactions take.
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
		r.done, r.sum = done, sum // without the row
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

// note takes a row of the group that is being filled into the checksum.
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

// replace writes a trajectory with a seal and gives it the name path in one move. It begins under the name temp.
func (r *Recorder) replace(temp, path string, fill func(w *writer) error) error {
	return outfile.ReplaceBy(temp, path, outfile.Sealed(func(w io.Writer) error { return r.format.write(w, fill) }))
}

// Close writes the trajectory, replaces the older file in one move, and removes the parts. The
// Recorder has ended then.
//
// Cost: as reading and writing all rows, a group in memory at a time. After an error the
// parts are still there. It returns an error that names the part if one is damaged.
func (r *Recorder) Close() error {
	if !r.done {
		if err := r.join(); err != nil {
			return err
		}
	}
	return r.removeParts(false)
}

// Leave ends the recording with all rows in parts; the file at path stays as it is. Resume can go on.
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

// checkKept returns an error unless the file at path is as it was written, if rows are to be read from it.
func (r *Recorder) checkKept(needed bool) error {
	if !needed {
		return nil
	}
	if err := outfile.CheckSealOf(r.path); err != nil {
		return fault.Errorf("sim/parquet: %w", err)
	}
	return nil
}

// readGroup reads a full group from the file at path or its part.
func (r *Recorder) readGroup(values []float64, g int) error {
	path, at, open := r.path, g, r.format.open // checkKept has looked at the seal of the file
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
