package simulate

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// drawing is a picture of a run.
type drawing struct {
	path string
	out  *shell.Output // which is there before the run begins
	draw func(w io.Writer, format string) error
}

// draw makes w collect what the pictures of f need.
func (w *watcher) draw(f *Flags) error {
	if err := w.drawCurves(f); err != nil {
		return err
	}
	return w.drawDrive(f)
}

// drawDrive makes w collect what pictures of a drive need.
func (w *watcher) drawDrive(f *Flags) error {
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
func (w *watcher) drawCurves(f *Flags) error {
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

// openPictures begins the files of the pictures.
func (w *watcher) openPictures(stdout io.Writer) (err error) {
	for _, d := range w.drawings {
		if d.out, err = shell.Create(d.path, stdout); err != nil {
			return err
		}
	}
	return nil
}

// writePictures draws the pictures, if there are rows.
func (w *watcher) writePictures() error {
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

// dropPictures lets others write the files of the pictures.
func (w *watcher) dropPictures() {
	for _, d := range w.drawings {
		if d.out != nil {
			_ = d.out.Drop()
		}
	}
}

// watcher is the recorder of a run, which looks at energy and drift of the rows.
type watcher struct {
	trajectory
	columns  *sim.Columns
	mech     *mechanism.Mechanism
	kin      mechanism.Kinematics
	curves   *curves // nil unless there will be a picture of them
	drive    *drive  // likewise
	drawings []*drawing
	ground   *groundFiles

	seen         bool
	first, last  float64   // total energy, J
	change       float64   // largest one from the first
	kinetic      float64   // largest
	drift        sim.Drift // largest of a row
	rows         int64
	lastRow      float64 // s
	conservative bool
}

func newWatcher(mech *mechanism.Mechanism, columns *sim.Columns) *watcher {
	w := &watcher{mech: mech, columns: columns, conservative: mech.Conservative()}
	w.kin.Bodies = make([]mechanism.BodyKinematics, mech.NumBodies())
	return w
}

// Record implements sim.Recorder.
func (w *watcher) Record(row *sim.Row) error {
	w.note(row.Energy)
	w.drift.Position = max(w.drift.Position, row.Drift.Position)
	w.drift.Velocity = max(w.drift.Velocity, row.Drift.Velocity)
	w.rows++
	w.lastRow = row.State.Time
	if err := w.ground.record(row); err != nil {
		return err
	}
	if err := w.trajectory.Record(row); err != nil {
		return err
	}
	if w.curves != nil {
		w.curves.Add(row, w.columns.Values)
	}
	if w.drive != nil {
		w.drive.Add(row.State)
	}
	return nil
}

// see notes the energy of a state that is no row.
func (w *watcher) see(st *mechanism.State) {
	if w.mech.KinematicsTo(&w.kin, st) == nil {
		w.note(w.mech.EnergyAt(&w.kin, st))
	}
}

func (w *watcher) note(e mechanism.Energy) {
	if total := e.Kinetic + e.Potential(); !math.IsNaN(total) { // where a contact has left the terrain, there is none, and the run ends
		w.last = total
	} else {
		return
	}
	if !w.seen {
		w.first, w.seen = w.last, true
	}
	w.change = max(w.change, math.Abs(w.last-w.first))
	w.kinetic = max(w.kinetic, e.Kinetic)
}
