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

// Record is the recorder of a run. It writes the files, and summarizes energies and drift of the rows. A Simulation has one.
// Programs with a sim.Simulation of their own, for example of a mechanism in pieces, create one by NewRecord. Only one goroutine may
// use it.
type Record struct {
	mech    *mechanism.Mechanism
	files   Files
	columns *sim.Columns
	touch   *sim.Columns // columns of the file of contacts
	onRow   func(row *sim.Row, values []float64) error
	keeps   bool        // rows are kept in memory
	rows    [][]float64 // in memory

	out      trajectory // nil before Open, and without a trajectory
	contacts *lines     // nil without a file of contacts
	events   *lines     // nil without a file of events
	left     []string   // texts of Left
	broken   bool       // a file could not be written
	owed     bool       // the files already have the next row, which OnRow has refused

	kin  mechanism.Kinematics
	told Told
	seen bool // told.Energy.Start is set
}

// Told is the summary of the rows of a run since it was created or resumed, and of the states at both ends of each Run.
type Told struct {
	Rows   int64     // number of rows
	Last   float64   // time of the last row, s
	Drift  sim.Drift // largest drift of a row
	Energy Energy
}

// Energy is the summary of the total energy of a run, J.
type Energy struct {
	Start        float64 `json:"start"`
	End          float64 `json:"end"`
	Change       float64 `json:"largest_change"`  // largest |energy − Start|
	Kinetic      float64 `json:"largest_kinetic"` // largest kinetic energy
	Conservative bool    `json:"conservative"`    // no force does work that is not in the energy

	Contacts *float64 `json:"taken_by_contacts,omitempty"` // energy dissipated by contacts; nil without contacts
	Joints   *float64 `json:"taken_by_joints,omitempty"`   // energy dissipated by stops and friction, with impacts; nil without these
	Balance  *float64 `json:"balance,omitempty"`           // End − Start + Contacts + Joints; nil if other forces do work, too
}

// NewRecord returns a recorder that writes rows with these columns. It touches no file before Open. onRow, which may be
// nil, is called for each row after it has been written.
//
// It returns an *OptionError for a file of contacts or events if the mechanism has no contacts or stops. It panics without a mechanism or
// columns.
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

// Keys of the checksums in sim.Checkpoint.Beside.
const (
	contactsSum = "contacts"
	eventsSum   = "events"
)

// Open creates the files, or, if check is not nil, opens the existing ones and cuts them off after their content at the checkpoint.
//
// It returns errors of the operating system, a *FileError if a file could be opened but not written, and an error that wraps
// sim.ErrCheckpoint if a file does not have the content of the checkpoint.
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
			header = append(header, fault.Escape(name)) // without line breaks
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
func (r *Record) Record(row *sim.Row) error { return r.setBroken(r.record(row)) }

// setBroken sets r.broken if err is a *FileError. It returns err.
func (r *Record) setBroken(err error) error {
	r.broken = r.broken || errors.As(err, new(*FileError))
	return err
}

// record is Record without setting r.broken.
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

// write computes the columns of a row and writes it to the files, unless they already have it because OnRow has refused it before.
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

// MarkLines writes the files of contacts and events to disk, and stores their checksums in a checkpoint.
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

// Event writes an event to the file of events, if there is one.
func (r *Record) Event(e *Event) error {
	if r.events == nil {
		return nil
	}
	return r.setBroken(r.events.words(strconv.FormatFloat(e.Time, 'g', 17, 64), fault.Escape(e.Name), e.What.String()))
}

// noteState adds the energy of a state that is no row to the summary.
func (r *Record) noteState(st *mechanism.State) {
	if r.mech.KinematicsTo(&r.kin, st) == nil {
		r.Note(r.mech.EnergyAt(&r.kin, st))
	}
}

// Note adds an energy to the summary. It ignores NaN, which the energy is when a contact has left the terrain.
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

// Told returns the summary of the rows, with the energies, J, that contacts, and stops and friction of joints, have dissipated.
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

// flush writes the buffered lines of contacts and events to their files.
func (r *Record) flush() error {
	if err := r.contacts.flush(); err != nil {
		return err
	}
	return r.events.flush()
}

// Close closes the files. New files replace old ones if the run is complete, or resumable: it can continue from a checkpoint and no file
// is broken. Else the old files stay, and Left names the files with the rows. Files that replace nothing stay at their places.
//
// It returns the first error of the operating system, a *FileError.
func (r *Record) Close(complete, resumable bool) error {
	err := r.setBroken(r.flush())
	for _, l := range [2]*lines{r.contacts, r.events} {
		left, e := l.close(complete || resumable && !r.broken)
		if left != "" {
			r.left = append(r.left, left)
		}
		if r.setBroken(e); err == nil {
			err = e
		}
	}
	if e := r.closeTrajectory(complete, resumable); err == nil && e != nil {
		err = &FileError{e}
	}
	r.Release()
	return err
}

// closeTrajectory is Close for the trajectory.
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

// Left returns, for each new file that has not replaced the old one, a text with the names of both.
func (r *Record) Left() []string { return r.left }

// Release gives the files free for other writers, complete or not.
func (r *Record) Release() {
	if r.out != nil {
		r.out.release()
		r.out = nil
	}
	r.contacts.release()
	r.events.release()
}
