package simulate

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// draw makes w collect what the picture of f needs.
func (w *watcher) draw(f *Flags) error {
	if f.plot == "" {
		return nil
	}
	names := w.columns.Names()
	c := &curves{energy: slices.Index(names, "energy.kinetic"), stride: 1, names: f.plotColumns}
	if len(c.names) == 0 && c.energy > 1 { // there is a body
		c.names = names[1:4]
	}
	for _, name := range c.names {
		i := slices.Index(names, name)
		if i < 0 {
			return shell.UseErrorf("--plot-columns: no column %s in the trajectory", fault.Name(name))
		}
		c.chosen = append(c.chosen, i)
	}
	w.curves = c
	return nil
}

// writePlot draws the picture, if one is wanted and there are rows.
func (w *watcher) writePlot(f *Flags, model string) error {
	if w.curves == nil {
		return nil
	}
	if len(w.curves.points) == 0 {
		return w.picture.Drop()
	}
	return w.picture.Close(w.curves.write(w.picture, model, strings.ToLower(filepath.Ext(f.plot))[1:]))
}

// watcher is the recorder of a run, which looks at energy and drift of the rows.
type watcher struct {
	trajectory
	columns *sim.Columns
	mech    *mechanism.Mechanism
	kin     mechanism.Kinematics
	curves  *curves       // nil unless there will be a picture
	picture *shell.Output // which is there before the run begins
	ground  *groundFiles

	seen         bool
	first, last  float64   // total energy, J
	change       float64   // largest one from the first
	kinetic      float64   // largest
	drift        sim.Drift // largest of a row
	rows         int64
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
	if err := w.ground.record(row); err != nil {
		return err
	}
	if err := w.trajectory.Record(row); err != nil || w.curves == nil {
		return err
	}
	w.curves.Add(w.columns.Values)
	return nil
}

// see notes the energy of a state that is no row.
func (w *watcher) see(st *mechanism.State) {
	if w.mech.KinematicsTo(&w.kin, st) == nil {
		w.note(w.mech.EnergyAt(&w.kin, st))
	}
}

func (w *watcher) note(e mechanism.Energy) {
	w.last = e.Kinetic + e.Potential()
	if !w.seen {
		w.first, w.seen = w.last, true
	}
	w.change = max(w.change, math.Abs(w.last-w.first))
	w.kinetic = max(w.kinetic, e.Kinetic)
}
