package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/sim"
)

const (
	// PartsEnding is appended to the name of a trajectory for the folder of what has
	// been recorded while the run goes on.
	PartsEnding = ".parts"
	// GroupBytes is the size of the values of a row group.
	GroupBytes = 16 << 20
)

// Options choose how rows are kept. The zero value is the default.
type Options struct {
	GroupRows int // rows of a row group; 0 stands for as many as fit in GroupBytes, at least one
}

// Recorder is a sim.Recorder that writes a Parquet file. It belongs to one
// goroutine.
type Recorder struct {
	path    string
	columns *sim.Columns
	format  *layout

	rows   int       // of a full group
	group  int       // number of the group that is being filled
	fill   int       // rows in it
	marked int       // of them, those in its part already
	values []float64 // of the group, column by column, each with room for rows

	kept int  // full groups at the head of the file at path, which have no parts
	done bool // the file at path holds all
}

// New replaces the file at path by an empty trajectory, and whatever parts there are.
//
// It returns errors of the file system. It panics if an option is negative.
func New(path string, columns *sim.Columns, o Options) (*Recorder, error) {
	r := newRecorder(path, columns, o)
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	// The joined file will take the place of what a link leads to.
	if r.path, err = filepath.EvalSymlinks(path); err == nil {
		err = errors.Join(os.RemoveAll(r.folder()), r.format.write(f, nil))
	}
	return r, errors.Join(err, f.Close())
}

// Resume goes on with a trajectory, ended or not, at the position of a Mark. Rows
// after it are dropped.
//
// It returns an error if the file or its parts are not of these columns and this
// number of rows a group, or do not reach to position. It panics if an option is
// negative.
func Resume(path string, columns *sim.Columns, position int64, o Options) (*Recorder, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	r := newRecorder(path, columns, o)
	r.group, r.fill = int(position/int64(r.rows)), int(position%int64(r.rows))
	whole, err := r.format.open(r.path)
	if err != nil {
		return nil, err
	}
	defer whole.Close()
	for r.kept < r.group && whole.rows(r.kept) == r.rows {
		r.kept++
	}
	for g := r.kept; g < r.group; g++ {
		if n, err := r.partRows(g); err != nil || n != r.rows {
			return nil, errors.Join(r.short(position), err)
		}
	}
	if r.fill > 0 {
		if err := r.refill(whole); err != nil {
			return nil, errors.Join(r.short(position), err)
		}
	}
	r.done = whole.total() == position
	return r, nil
}

// short says that a trajectory does not reach to where the checkpoint goes on.
func (r *Recorder) short(position int64) error {
	return fmt.Errorf("sim/parquet: %s and its parts do not have the %d rows at which the checkpoint goes on", r.path, position)
}

// refill reads the rows of the group that has begun, from its part or the file.
func (r *Recorder) refill(whole *file) error {
	if whole.rows(r.group) >= r.fill {
		return whole.readTo(r.values, r.rows, r.group, r.fill)
	}
	part, err := r.format.open(r.part(r.group))
	if err != nil {
		return err
	}
	defer part.Close()
	return part.readTo(r.values, r.rows, 0, r.fill)
}

// partRows returns the number of rows in part g.
func (r *Recorder) partRows(g int) (int, error) {
	part, err := r.format.open(r.part(g))
	if err != nil {
		return 0, err
	}
	return part.rows(0), part.Close()
}

func newRecorder(path string, columns *sim.Columns, o Options) *Recorder {
	if o.GroupRows < 0 {
		panic("sim/parquet: number of rows out of range")
	}
	n := columns.Len()
	if o.GroupRows == 0 {
		o.GroupRows = max(1, GroupBytes/(8*n))
	}
	return &Recorder{
		path: path, columns: columns, format: newLayout(columns),
		rows: o.GroupRows, values: make([]float64, n*o.GroupRows),
	}
}

// folder is where the parts are, part the file of one.
func (r *Recorder) folder() string { return r.path + PartsEnding }
func (r *Recorder) part(g int) string {
	return filepath.Join(r.folder(), fmt.Sprintf("%06d.parquet", g))
}

// Record implements sim.Recorder.
//
// Cost: no allocation but when a row group is full, and what sim.Wrenches takes.
func (r *Recorder) Record(row *sim.Row) error {
	if err := r.columns.Fill(row); err != nil {
		return err
	}
	r.done = false
	for c, x := range r.columns.Values {
		r.values[c*r.rows+r.fill] = x
	}
	if r.fill++; r.fill < r.rows {
		return nil
	}
	if err := r.keep(); err != nil {
		return err
	}
	r.group, r.fill, r.marked = r.group+1, 0, 0
	return nil
}

// Mark implements sim.Recorder: the position is the number of rows.
//
// Cost: that of writing the group that is being filled; allocates.
func (r *Recorder) Mark() (int64, error) {
	if !r.done && r.fill > r.marked {
		if err := r.keep(); err != nil {
			return 0, err
		}
		r.marked = r.fill
	}
	return int64(r.group)*int64(r.rows) + int64(r.fill), nil
}

// keep writes the group that is being filled to its part.
func (r *Recorder) keep() error {
	return r.replace(r.part(r.group), func(w *writer) error { return w.group(r.values, r.rows, r.fill) })
}

// replace writes a trajectory and gives it the name path in one move. The file
// begins in the folder of the parts, under a name that readers pass over.
func (r *Recorder) replace(path string, fill func(w *writer) error) error {
	if err := os.Mkdir(r.folder(), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.Create(filepath.Join(r.folder(), ".new"))
	if err != nil {
		return err
	}
	err = r.format.write(f, fill)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Close writes the trajectory, in the place of what was there in one move, and
// removes the parts. The Recorder has ended then.
//
// Cost: that of reading and writing all rows, a group in memory at a time.
// After an error the parts are still there.
func (r *Recorder) Close() error {
	if !r.done {
		if err := r.join(); err != nil {
			return err
		}
	}
	return os.RemoveAll(r.folder())
}

// join writes all groups to the file at path.
func (r *Recorder) join() error {
	return r.replace(r.path, func(w *writer) error {
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

// readGroup reads a full group from the file at path or its part.
func (r *Recorder) readGroup(values []float64, g int) error {
	path, at := r.path, g
	if g >= r.kept {
		path, at = r.part(g), 0
	}
	f, err := r.format.open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.readTo(values, r.rows, at, r.rows), f.Close())
}
