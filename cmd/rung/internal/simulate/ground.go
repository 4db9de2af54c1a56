package simulate

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// groundFiles are the files of --contacts and --events. Both have whole lines, one a row of the trajectory and one an
// event, so that a run that is resumed knows how many to keep. The zero one writes nothing.
type groundFiles struct {
	mech     *mechanism.Mechanism
	columns  *sim.Columns
	contacts *lines // nil: not wanted
	events   *lines
}

// lines is a file of lines: in its place, where nothing else was, or beside it until the run ends.
type lines struct {
	path   string
	place  *outfile.Place
	file   *os.File
	beside *outfile.File // file, or nil if that is in its place
	out    *bufio.Writer
	sum    uint64 // checksum of what is in the file
}

// lineSums is the table of the checksums of lines: CRC-64 of ECMA-182, as of trajectories.
var lineSums = crc64.MakeTable(crc64.ECMA)

// text returns the checksum as a checkpoint has it.
func (l *lines) text() string { return fmt.Sprintf("%016x", l.sum) }

// Write writes to the file what out has collected.
func (l *lines) Write(b []byte) (int, error) {
	n, err := l.file.Write(b)
	l.sum = crc64.Update(l.sum, lineSums, b[:n])
	return n, err
}

// checkGround is check for --contacts and --events.
func (f *Flags) checkGround(model string) error {
	others := []string{model, f.output, f.checkpoint}
	for _, x := range [...]struct{ flag, path string }{{"contacts", f.contacts}, {"events", f.events}} {
		if x.path == "" {
			continue
		}
		if !strings.EqualFold(filepath.Ext(x.path), CSVEnding) {
			return shell.UseErrorf("--%s %s: the file ends in %s", x.flag, x.path, CSVEnding)
		}
		if err := shell.Apart(x.path, "the file of --"+x.flag+" would replace this file", others...); err != nil {
			return err
		}
		others = append(others, x.path)
	}
	return nil
}

func newGroundFiles(mech *mechanism.Mechanism, f *Flags) (*groundFiles, error) {
	g := &groundFiles{mech: mech}
	if mech.NumContacts() == 0 && f.contacts != "" {
		return nil, shell.UseErrorf("--contacts writes what touches the ground: the model has no contact")
	}
	if mech.NumContacts() == 0 && !hasStops(mech) && f.events != "" {
		return nil, shell.UseErrorf("--events writes what touches the ground or its stops: the model has no contact and no stop")
	}
	if f.contacts != "" {
		g.columns, g.contacts = sim.NewContactColumns(mech), &lines{path: f.contacts}
	}
	if f.events != "" {
		g.events = &lines{path: f.events}
	}
	return g, nil
}

// open begins the files, or those that are there are cut to what the checkpoint knows of.
func (g *groundFiles) open(check *sim.Checkpoint) error {
	rows, fired := int64(0), int64(0)
	if check != nil {
		rows = check.Rows
		for i := range check.Events {
			fired += check.Events[i].Fired
		}
	}
	var header []string
	if g.contacts != nil {
		for _, name := range g.columns.Names() {
			header = append(header, fault.Escape(name)) // lines stay whole
		}
	}
	var contacts, events *lineMark
	if check != nil {
		contacts, events = &lineMark{rows, check.Beside[contactsSum]}, &lineMark{fired, check.Beside[eventsSum]}
	}
	if err := g.contacts.open(header, contacts); err != nil {
		return err
	}
	return g.events.open([]string{"time", "contact", "event"}, events)
}

// Names of the checksums in a checkpoint.
const (
	contactsSum = "contacts"
	eventsSum   = "events"
)

// lineMark is what a checkpoint knows of a file: how many lines there are behind the header, and the checksum of all, empty
// if it does not know.
type lineMark struct {
	lines int64
	sum   string
}

// mark makes what has been written durable, and notes its checksums in a checkpoint.
func (g *groundFiles) mark(c *sim.Checkpoint) error {
	for _, f := range [...]struct {
		name string
		*lines
	}{{contactsSum, g.contacts}, {eventsSum, g.events}} {
		if f.lines == nil {
			continue
		}
		if err := f.flush(); err != nil {
			return err
		}
		if !f.place.Direct() {
			if err := f.failed(f.file.Sync()); err != nil {
				return err
			}
		}
		if c.Beside == nil {
			c.Beside = make(map[string]string)
		}
		c.Beside[f.name] = f.text()
	}
	return nil
}

// open begins a file with a header, or goes on behind what a checkpoint knows of it.
func (l *lines) open(header []string, keep *lineMark) (err error) {
	if l == nil {
		return nil
	}
	if l.place, err = outfile.Hold(l.path); err != nil {
		return shell.InputError(l.path, err)
	}
	if keep != nil {
		err = l.reopen(keep)
	} else {
		err = l.create()
	}
	if err != nil {
		if e := shell.InputError(l.path, err); e != err {
			return e
		}
		return fmt.Errorf("%s: %w", fault.Line(l.path), err)
	}
	l.out = bufio.NewWriterSize(l, 1<<16)
	if keep != nil {
		return nil
	}
	w := csv.NewWriter(l.out)
	_ = w.Write(header) // errors stay in l.out
	w.Flush()
	return l.flush()
}

// create begins the file.
func (l *lines) create() (err error) {
	l.file, err = os.OpenFile(l.place.Path(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		if l.beside, err = l.place.Create(); err == nil {
			l.file = l.beside.File
		}
		return err
	}
	if err != nil {
		return err
	}
	if err := os.Remove(l.place.New()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // what a killed run has left
	}
	return nil
}

// reopen goes on with the file of a checkpoint, where a killed run has left it: beside its place or there.
func (l *lines) reopen(keep *lineMark) error {
	if l.place.Direct() {
		return errNotResumable
	}
	f, err := l.place.Reopen()
	if err == nil {
		if err = l.cut(f.File, keep); err == nil {
			l.file, l.beside = f.File, f
			return nil
		}
		_ = f.Close()
	}
	there, e := os.OpenFile(l.place.Path(), os.O_RDWR, 0)
	if errors.Is(e, fs.ErrNotExist) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if e != nil {
		return e
	}
	if err := l.cut(there, keep); err != nil {
		_ = there.Close()
		return err
	}
	l.file = there
	return nil
}

// cut cuts a file behind its header and the lines of a checkpoint, and goes there. A file in which they are not is not changed.
func (l *lines) cut(f *os.File, keep *lineMark) error {
	end, in := int64(0), bufio.NewReaderSize(f, 1<<16)
	l.sum = 0
	for n := int64(0); n <= keep.lines; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%d lines, the checkpoint goes on behind %d", n, keep.lines+1)
		}
		if err != nil {
			return err
		}
		end += int64(len(line))
		l.sum = crc64.Update(l.sum, lineSums, line)
	}
	if keep.sum != "" && keep.sum != l.text() {
		return fmt.Errorf("%w: the checksum of its first %d lines is %s, that of the lines of the run %s", sim.ErrCheckpoint, keep.lines+1, l.text(), keep.sum)
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	_, err := f.Seek(end, io.SeekStart)
	return err
}

// record writes the contacts of a row.
func (g *groundFiles) record(row *sim.Row) error {
	if g.contacts == nil {
		return nil
	}
	if err := g.columns.Fill(row); err != nil {
		return err
	}
	b := g.contacts.out.AvailableBuffer()
	for i, x := range g.columns.Values {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, x, 'g', 17, 64)
	}
	_, err := g.contacts.out.Write(append(b, '\n'))
	return g.contacts.failed(err)
}

// event writes that a contact touches or leaves.
func (g *groundFiles) event(contact int, touches bool, st *mechanism.State) error {
	if g.events == nil {
		return nil
	}
	_, _, element := g.mech.Contact(contact)
	what := sim.StopLeave
	if touches {
		what = sim.StopTouch
	}
	return g.write(g.mech.ForceName(element), what, st)
}

// stop writes what happens at a stop.
func (g *groundFiles) stop(resistor int, what sim.StopChange, st *mechanism.State) error {
	if g.events == nil {
		return nil
	}
	f, _ := g.mech.Resistor(resistor)
	return g.write(fmt.Sprintf("%s.%d", g.mech.JointName(f.Joint), f.Freedom), what, st)
}

// write writes an event.
func (g *groundFiles) write(name string, what sim.StopChange, st *mechanism.State) error {
	w := csv.NewWriter(g.events.out)
	_ = w.Write([]string{strconv.FormatFloat(st.Time, 'g', 17, 64), fault.Escape(name), what.String()}) // errors stay in w
	w.Flush()
	return g.events.failed(w.Error())
}

// flush writes what is in memory.
func (g *groundFiles) flush() error {
	if err := g.contacts.flush(); err != nil {
		return err
	}
	return g.events.flush()
}

func (l *lines) flush() error {
	if l == nil || l.out == nil {
		return nil
	}
	return l.failed(l.out.Flush())
}

// failed makes an error of writing a failure.
func (l *lines) failed(err error) error {
	if err == nil {
		return nil
	}
	return shell.Failed("", shell.InputError(l.path, err))
}

// fresh reports whether nothing was there that the file replaces.
func (l *lines) fresh() bool { return l.beside == nil || l.place.Direct() }

// close ends the files. With keep they take their places, and so does a file that replaces nothing; else what was there
// before stays, and left names where the lines are.
func (g *groundFiles) close(keep bool) (left []string, err error) {
	for _, l := range [2]*lines{g.contacts, g.events} {
		if l == nil || l.file == nil {
			continue
		}
		e := l.flush()
		switch {
		case e == nil && l.beside != nil && (keep || l.fresh()):
			e = l.failed(l.beside.Commit())
		default:
			if c := l.failed(l.file.Close()); e == nil {
				e = c
			}
			if !l.fresh() {
				left = append(left, fmt.Sprintf("%s is as it was, the lines so far are in %s", l.path, l.place.New()))
			}
		}
		if err == nil {
			err = e
		}
		l.file = nil
	}
	return left, err
}

// release lets others write the files.
func (g *groundFiles) release() {
	for _, l := range [2]*lines{g.contacts, g.events} {
		if l == nil || l.place == nil {
			continue
		}
		if l.file != nil {
			_ = l.file.Close()
		}
		_ = l.place.Release()
	}
}
