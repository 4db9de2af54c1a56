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
	out  *shell.Output // which is there before the run begins
	draw func(w io.Writer, format string) error
}

// pictures are those of a run. They collect what they need of its rows.
type pictures struct {
	mech     *mechanism.Mechanism
	columns  *sim.Columns
	curves   *curves // nil unless there will be a picture of them
	drive    *drive  // likewise
	drawings []*drawing
	rows     int64
}

// add takes in a row and its values, which may change by whole turns (the Add of curves). Of no pictures there is nothing to add.
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

// between takes in the end of a step of a run over a span, s, for the curves.
func (w *pictures) between(s *runs.Simulation, span float64) {
	if w == nil || w.curves == nil || s.Time()-w.curves.last < span/curveSteps {
		return
	}
	if row, values, err := s.Row(); err == nil { // what has no value there is drawn from row to row
		w.curves.Add(row, values)
	}
}

// choose makes w collect what the pictures of f need.
func (w *pictures) choose(f *Flags) error {
	if err := w.drawCurves(f); err != nil {
		return err
	}
	return w.drawDrive(f)
}

// drawDrive makes w collect what pictures of a drive need.
func (w *pictures) drawDrive(f *Flags) error {
	add := func(path string, draw func(out io.Writer, format string) error) {
		if path != "" {
			w.drawings = append(w.drawings, &drawing{path: path, draw: draw})
		}
	}
	before := len(w.drawings)
	add(f.view, func(out io.Writer, format string) error {
		return picture.Map(out, format, w.drive.above(w.mech.Name, f.gradient, false))
	})
	add(f.side, func(out io.Writer, format string) error {
		return picture.Side(out, format, w.drive.profile(w.mech.Name))
	})
	add(f.relief, func(out io.Writer, format string) error {
		return picture.Relief(out, format, w.drive.above(w.mech.Name, false, true))
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

// drawCurves makes w collect what the picture of --plot needs.
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

// open begins the files of the pictures.
func (w *pictures) open(stdout io.Writer) (err error) {
	for _, d := range w.drawings {
		if d.out, err = shell.Create(d.path, stdout); err != nil {
			return err
		}
	}
	return nil
}

// write draws the pictures, if there are rows.
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

// drop lets others write the files of the pictures.
func (w *pictures) drop() {
	for _, d := range w.drawings {
		if d.out != nil {
			_ = d.out.Drop()
		}
	}
}
