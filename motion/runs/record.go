package runs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// Record is the recorder of a run. It writes the files, and looks at energies and drift of the rows. A Simulation has one;
// programs with a sim.Simulation of their own, such as that of a mechanism in pieces, make theirs. It belongs to one
// goroutine.
type Record struct {
	mech    *mechanism.Mechanism
	files   Files
	columns *sim.Columns
	touch   *sim.Columns // of the file of contacts
	onRow   func(row *sim.Row, values []float64) error
	keeps   bool // rows, in memory
	rows    [][]float64

	out      trajectory // nil before Open, and if rows go nowhere
	contacts *lines     // nil: not wanted
	events   *lines
	left     []string
	broken   bool // a file could not be written
	owed     bool // files have the row that comes next, which OnRow has refused

	kin  mechanism.Kinematics
	told Told
	seen bool
}

// Told is what the rows of a run have told since it was made or resumed, and the states before and after.
type Told struct {
	Rows   int64
	Last   float64   // time of the last row, s
	Drift  sim.Drift // largest of a row
	Energy Energy
}

// Energy is about the total energy of a run, J.
type Energy struct {
	Start        float64 `json:"start"`
	End          float64 `json:"end"`
	Change       float64 `json:"largest_change"`
	Kinetic      float64 `json:"largest_kinetic"`
	Conservative bool    `json:"conservative"` // nothing does work that the energy leaves out

	Contacts *float64 `json:"taken_by_contacts,omitempty"` // where there are contacts
	Joints   *float64 `json:"taken_by_joints,omitempty"`   // by stops and friction, where there are some; impulses included
	Balance  *float64 `json:"balance,omitempty"`           // End − Start + Contacts + Joints, where nothing else does work
}

// NewRecord returns a recorder that writes rows of these columns. It touches no file before Open. onRow, which may be
// nil, is told of each row after it has been written.
//
// It returns an *OptionError for files of what the mechanism has not.
func NewRecord(m *mechanism.Mechanism, columns *sim.Columns, files Files, onRow func(row *sim.Row, values []float64) error) (*Record, error) {
	if m == nil || columns == nil {
		panic("motion/runs: no mechanism or no columns")
	}
	if m.NumContacts() == 0 && files.Contacts != "" {
		return nil, wrong("Files.Contacts", "{Files.Contacts} writes what touches the ground: the model has no contact")
	}
	if m.NumContacts() == 0 && !hasStops(m) && files.Events != "" {
		return nil, wrong("Files.Events", "{Files.Events} writes what touches the ground or its stops: the model has no contact and no stop")
	}
	r := &Record{mech: m, files: files, columns: columns, onRow: onRow, contacts: newLines(files.Contacts), events: newLines(files.Events)}
	r.told.Energy.Conservative = m.Conservative()
	r.kin.Bodies = make([]mechanism.BodyKinematics, m.NumBodies())
	if r.contacts != nil {
		r.touch = sim.NewContactColumns(m)
	}
	return r, nil
}

// hasStops reports whether a joint of m has stops.
func hasStops(m *mechanism.Mechanism) bool {
	for i := range m.NumResistors() {
		if _, stops := m.Resistor(i); stops {
			return true
		}
	}
	return false
}

// Names of the checksums in a checkpoint.
const (
	contactsSum = "contacts"
	eventsSum   = "events"
)

// Open begins the files, or those that are there are cut to what the checkpoint, if it is not nil, knows of.
//
// It returns errors of the system, a *FileError where a file could be opened but not written, and one that wraps
// sim.ErrCheckpoint for files that are not those of the checkpoint.
func (r *Record) Open(check *sim.Checkpoint) (err error) {
	var contacts, events *lineMark
	if check != nil {
		contacts, events = &lineMark{check.Rows, check.Beside[contactsSum]}, &lineMark{0, check.Beside[eventsSum]}
		for i := range check.Events {
			events.lines += check.Events[i].Fired
		}
	}
	var header []string
	if r.contacts != nil {
		for _, name := range r.touch.Names() {
			header = append(header, fault.Escape(name)) // lines stay whole
		}
	}
	if err := r.contacts.open(header, contacts); err != nil {
		return err
	}
	if err := r.events.open([]string{"time", "contact", "event"}, events); err != nil {
		return err
	}
	r.out, err = r.files.openTrajectory(r.columns, check)
	return err
}

// Record implements sim.Recorder.
func (r *Record) Record(row *sim.Row) error { return r.notice(r.record(row)) }

// notice notes whether an error is that of a file.
func (r *Record) notice(err error) error {
	r.broken = r.broken || errors.As(err, new(*FileError))
	return err
}

// record is Record, whose error has not been noticed yet.
func (r *Record) record(row *sim.Row) error {
	r.Note(row.Energy)
	r.told.Drift.Position = max(r.told.Drift.Position, row.Drift.Position)
	r.told.Drift.Velocity = max(r.told.Drift.Velocity, row.Drift.Velocity)
	if err := r.write(row); err != nil {
		return err
	}
	if r.onRow != nil {
		if err := r.onRow(row, r.columns.Values); err != nil {
			return err
		}
	}
	if r.keeps {
		r.rows = append(r.rows, slices.Clone(r.columns.Values))
	}
	r.owed = false
	r.told.Rows++
	r.told.Last = row.State.Time
	return nil
}

// write fills the columns and writes the files, unless they have the row from a time when OnRow has refused it.
func (r *Record) write(row *sim.Row) error {
	if r.owed || r.out == nil {
		if err := r.columns.Fill(row); err != nil {
			return err
		}
	}
	if r.owed {
		return nil
	}
	if r.contacts != nil {
		if err := r.touch.Fill(row); err != nil {
			return err
		}
		if err := r.contacts.numbers(r.touch.Values); err != nil {
			return err
		}
	}
	if r.out != nil {
		if err := r.out.Record(row); err != nil {
			return err
		}
	}
	r.owed = r.onRow != nil
	return nil
}

// Mark implements sim.Recorder.
func (r *Record) Mark() (int64, error) {
	if r.out == nil {
		return r.told.Rows, nil
	}
	return r.out.Mark()
}

// Sum implements sim.Summed.
func (r *Record) Sum() string {
	if r.out == nil {
		return ""
	}
	return r.out.Sum()
}

// MarkLines makes the files of contacts and events durable, and notes their checksums in a checkpoint.
func (r *Record) MarkLines(c *sim.Checkpoint) error {
	for _, f := range [...]struct {
		name string
		*lines
	}{{contactsSum, r.contacts}, {eventsSum, r.events}} {
		if f.lines == nil {
			continue
		}
		sum, err := f.mark()
		if err != nil {
			return err
		}
		if c.Beside == nil {
			c.Beside = make(map[string]string)
		}
		c.Beside[f.name] = sum
	}
	return nil
}

// Event writes what a contact or a stop has done.
func (r *Record) Event(e *Event) error {
	if r.events == nil {
		return nil
	}
	return r.notice(r.events.words(strconv.FormatFloat(e.Time, 'g', 17, 64), fault.Escape(e.Name), e.What.String()))
}

// see notes the energy of a state that is no row.
func (r *Record) see(st *mechanism.State) {
	if r.mech.KinematicsTo(&r.kin, st) == nil {
		r.Note(r.mech.EnergyAt(&r.kin, st))
	}
}

// Note notes an energy. One that is not a number, where a contact has left the terrain, is none.
func (r *Record) Note(e mechanism.Energy) {
	total := e.Kinetic + e.Potential()
	if math.IsNaN(total) {
		return
	}
	t := &r.told.Energy
	t.End = total
	if !r.seen {
		t.Start, r.seen = total, true
	}
	t.Change = max(t.Change, math.Abs(total-t.Start))
	t.Kinetic = max(t.Kinetic, e.Kinetic)
}

// Told returns what the rows have told, with what contacts, and stops and friction of joints, have taken, J.
func (r *Record) Told(contacts, joints float64) Told {
	t, m := r.told, r.mech
	if m.NumContacts() > 0 {
		t.Energy.Contacts = &contacts
	}
	if m.NumResistors() > 0 {
		t.Energy.Joints = &joints
	}
	if m.NumContacts()+m.NumResistors() > 0 && m.ConservativeButContacts() {
		balance := t.Energy.End - t.Energy.Start + contacts + joints
		t.Energy.Balance = &balance
	}
	return t
}

// flush writes the lines that are in memory.
func (r *Record) flush() error {
	if err := r.contacts.flush(); err != nil {
		return err
	}
	return r.events.flush()
}

// Close ends the files. Those that are complete, and those with which a run can go on, take their places; where neither
// is so, what was there before stays, and Left says where the rows are. Files that replace nothing are left in their places.
//
// It returns the first error of the system, a *FileError.
func (r *Record) Close(complete, resumable bool) error {
	err := r.notice(r.flush())
	for _, l := range [2]*lines{r.contacts, r.events} {
		left, e := l.close(complete || resumable && !r.broken)
		if left != "" {
			r.left = append(r.left, left)
		}
		if r.notice(e); err == nil {
			err = e
		}
	}
	if e := r.closeTrajectory(complete, resumable); err == nil && e != nil {
		err = &FileError{e}
	}
	r.Release()
	return err
}

// closeTrajectory lets the trajectory take its place if it is complete, or if a run may go on with it; else it notes where the rows are
// left.
func (r *Record) closeTrajectory(complete, resumable bool) error {
	t := r.out
	if t == nil {
		return nil
	}
	r.out = nil
	defer t.release()
	if complete || !r.broken && (resumable || t.fresh()) {
		return t.finish()
	}
	where, err := t.leave()
	if where != "" {
		r.left = append(r.left, fmt.Sprintf("%s is as it was, the rows so far are in %s", r.files.Trajectory, where))
	}
	return err
}

// Left says where rows and lines are that have not taken their places.
func (r *Record) Left() []string { return r.left }

// Release lets others write the files, complete or not.
func (r *Record) Release() {
	if r.out != nil {
		r.out.release()
		r.out = nil
	}
	r.contacts.release()
	r.events.release()
}
