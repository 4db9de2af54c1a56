package simulate

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// drawing is a picture of a run.
type drawing struct {
	path string
	out  *shell.Output // opened before the run begins, so that a bad path shows at once
	draw func(w io.Writer, format string) error
}

// pictures are the pictures of a run, with the data that they collect from its rows.
type pictures struct {
	mech     *mechanism.Mechanism
	columns  *sim.Columns
	curves   *curves // nil without a picture of curves
	drive    *drive  // nil without a picture of the vehicle on terrain
	drawings []*drawing
	rows     int64 // of the trajectory so far
}

// add collects the data for the pictures from a row of the trajectory and the values of its columns. A nil w does nothing.
func (w *pictures) add(row *sim.Row, values []float64) {
	if w == nil {
		return
	}
	w.rows++
	if w.curves != nil {
		w.curves.Add(row, values)
	}
	if w.drive != nil {
		w.drive.Add(row.State)
	}
}

// between adds the end of a step, which is between two rows, to the curves, if the last point of the curves is at least a
// curveSteps-th of the span of the run, s, away.
func (w *pictures) between(s *runs.Simulation, span float64) {
	if w == nil || w.curves == nil || s.Time()-w.curves.last < span/curveSteps {
		return
	}
	if row, values, err := s.Row(); err == nil { // on an error the curves have their points at the rows only
		w.curves.Add(row, values)
	}
}

// choose prepares the pictures that the flags f ask for, and the collection of their data.
func (w *pictures) choose(f *Flags) error {
	if err := w.drawCurves(f); err != nil {
		return err
	}
	return w.drawDrive(f)
}

// drawDrive prepares the pictures of --view, --side and --relief. A model without contacts is an error if one is asked for.
func (w *pictures) drawDrive(f *Flags) error {
	add := func(path string, draw func(out io.Writer, format string) error) {
		if path != "" {
			w.drawings = append(w.drawings, &drawing{path: path, draw: draw})
		}
	}
	before := len(w.drawings)
	add(f.view, func(out io.Writer, format string) error {
		const relief = false
		return picture.Map(out, format, w.drive.above(w.mech.Name, f.gradient, relief))
	})
	add(f.side, func(out io.Writer, format string) error {
		return picture.Side(out, format, w.drive.profile(w.mech.Name))
	})
	add(f.relief, func(out io.Writer, format string) error {
		const gradient, relief = false, true
		return picture.Relief(out, format, w.drive.above(w.mech.Name, gradient, relief))
	})
	if len(w.drawings) == before {
		return nil
	}
	surface, wheels := wheelsOf(w.mech)
	if len(wheels) == 0 {
		return shell.UseErrorf("--view, --side and --relief draw wheels on a terrain: the model has no contact")
	}
	w.drive = newDrive(w.mech, surface, wheels)
	return nil
}

// drawCurves prepares the picture of --plot, of the columns in --plot-columns, or else of the columns that change most.
func (w *pictures) drawCurves(f *Flags) error {
	if f.plot == "" {
		return nil
	}
	names, units := w.columns.Names(), w.columns.Units()
	c := &curves{stride: 1}
	for _, name := range f.plotColumns {
		i := slices.Index(names, name)
		if i < 0 {
			return shell.UseErrorf("--plot-columns: no column %s in the trajectory%s", fault.Name(name), fault.Meant(name, names...))
		}
		c.choose(i, names, units)
	}
	switch {
	case len(f.plotColumns) > 0:
	case len(f.chosen) > 0:
		c.farthest(names, units)
	default:
		c.moving(names, units)
	}
	w.curves = c
	w.drawings = append(w.drawings, &drawing{path: f.plot, draw: func(out io.Writer, format string) error {
		return c.write(out, w.mech.Name, format)
	}})
	return nil
}

// open creates the files of the pictures. After an error, drop removes those already created.
func (w *pictures) open(stdout io.Writer) (err error) {
	for _, d := range w.drawings {
		if d.out, err = shell.Create(d.path, stdout); err != nil {
			return err
		}
	}
	return nil
}

// write draws the pictures into their files, or drops the files if the trajectory has no rows. It goes on after an error and
// returns the first one.
func (w *pictures) write() error {
	var first error
	for _, d := range w.drawings {
		err := error(nil)
		if w.rows == 0 {
			err = d.out.Drop()
		} else {
			err = d.out.Close(d.draw(d.out, strings.ToLower(filepath.Ext(d.path))[1:]))
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// drop gives up the files of the pictures that are still open, so that nothing half written stays and others may write them.
func (w *pictures) drop() {
	for _, d := range w.drawings {
		if d.out != nil {
			_ = d.out.Drop()
		}
	}
}
