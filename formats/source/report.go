package source

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// Class is the treatment of an element or an attribute.
type Class uint8

// The classes.
const (
	Unread  Class = iota // no class yet
	Used                 // part of the model
	Visual               // kept for viewers
	Ignored              // without effect on the motion of rigid bodies
	Dropped              // physics that the model lacks
	Refused              // an error

	numClasses
)

var classNames = [numClasses]string{"unread", "used", "visual", "ignored", "dropped", "error"}

// String returns the name of c in the report.
func (c Class) String() string {
	if c < numClasses {
		return classNames[c]
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

// Severity is the severity of an Entry.
type Severity uint8

// The severities, the gravest first.
const (
	Error  Severity = iota // the file is not read
	Loss                   // physics of the file that the model lacks
	Change                 // a value of the model differs from the value in the file
	Note                   // information
)

var severityNames = [...]string{Error: "error", Loss: "dropped", Change: "changed", Note: "note"}

// String returns the name of s in the report.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// MarshalText returns the name of s.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets s to the severity with a name, and returns an error for an unknown name.
func (s *Severity) UnmarshalText(text []byte) error {
	for k, name := range severityNames {
		if name == string(text) {
			*s = Severity(k)
			return nil
		}
	}
	return fmt.Errorf("formats/source: unknown severity %s", fault.Name(string(text)))
}

// Location is a position in a file. Lines and columns count from 1; 0 means unknown.
type Location struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Element string `json:"element,omitempty"` // such as /robot/joint[3]/mimic
}

// Location returns p, so that a Location is Located.
func (p Location) Location() Location { return p }

// Located is implemented by things with a position in a file.
type Located interface{ Location() Location }

// Entry is one line of a report.
type Entry struct {
	Severity Severity `json:"severity"`
	Location
	What        string `json:"what"`
	Why         string `json:"why,omitempty"`
	Consequence string `json:"consequence,omitempty"`
	Count       int    `json:"count,omitempty"` // number of entries that differ only in Location, if more than one
}

// String returns the entry on one line.
func (e *Entry) String() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Severity.String() + ": ")
	if e.Element != "" {
		b.WriteString(e.Element + ": ")
	}
	b.WriteString(e.What)
	if e.Why != "" {
		b.WriteString(": " + e.Why)
	}
	if e.Consequence != "" {
		b.WriteString("; " + e.Consequence)
	}
	if e.Count > 1 {
		fmt.Fprintf(&b, " (and %d more like it)", e.Count-1)
	}
	return fault.Line(b.String())
}

const (
	// MaxEntries is the largest number of losses that a report keeps, and of changes and notes together. Further ones are only
	// counted.
	MaxEntries = 2000
	// maxErrors is the number of errors of a file that are kept.
	maxErrors = 100
)

// Report describes the treatment of a file. The zero Report is ready to use.
type Report struct {
	File    string  `json:"file"`
	Format  string  `json:"format"`            // mjcf, urdf, sdf, asmt or usd
	Version string  `json:"version,omitempty"` // as stated in the file
	Entries []Entry `json:"entries"`
	More    int     `json:"more,omitempty"` // entries beyond MaxEntries
	Counts  Counts  `json:"counts"`

	settled func(at Location, attribute string, class Class)

	keys    map[key]int // index of the entry for each key
	lines   [3]int      // numbers of entries that are kept: errors; losses; changes and notes
	errors  int         // number of all errors
	dropped int         // number of all losses
	sparing bool        // within Spare
	spared  *Entry      // the first refusal within Spare
}

// key has the parts in which entries with the same count agree: all except the position.
type key struct {
	severity               Severity
	what, why, consequence string
}

// Counts are numbers of elements and attributes by class.
type Counts struct {
	Used    int `json:"used"`
	Visual  int `json:"visual"`
	Ignored int `json:"ignored"`
	Dropped int `json:"dropped"`
	Refused int `json:"error"`
}

// Tell makes r call f for each element, with attribute "", and for each attribute,
// with the position of its element, as soon as its class is final.
func (r *Report) Tell(f func(at Location, attribute string, class Class)) { r.settled = f }

// Settle counts an element or, if attribute is not "", an attribute of it, with its final class.
func (r *Report) Settle(at Located, attribute string, c Class) {
	r.Tally(c, 1)
	if r.settled != nil {
		r.settled(at.Location(), attribute, c)
	}
}

// Tally counts n elements or attributes of a class.
func (r *Report) Tally(c Class, n int) {
	switch c {
	case Used:
		r.Counts.Used += n
	case Visual:
		r.Counts.Visual += n
	case Ignored:
		r.Counts.Ignored += n
	case Dropped:
		r.Counts.Dropped += n
	case Refused:
		r.Counts.Refused += n
	}
}

// place returns the position of at, which may be nil.
func place(at Located) Location {
	if at == nil {
		return Location{}
	}
	return at.Location()
}

// add records an entry with the position of at. If an earlier entry is equal except for the position, its count is increased instead.
// The position is determined only if the entry is kept, as the path of an element among many takes time.
func (r *Report) add(at Located, e Entry) {
	k := key{e.Severity, e.What, e.Why, e.Consequence}
	if i, ok := r.keys[k]; ok {
		r.Entries[i].Count = max(r.Entries[i].Count, 1) + 1
		return
	}
	kind, most := min(e.Severity, Change), MaxEntries // notes are counted with changes
	if e.Severity == Error {
		most = maxErrors
	}
	if r.lines[kind] == most {
		if e.Severity != Error { // errors are counted in r.errors
			r.More++
		}
		return
	}
	r.lines[kind]++
	e.Location = place(at)
	if e.File == "" {
		e.File = r.File
	}
	if r.keys == nil {
		r.keys = map[key]int{}
	}
	r.keys[k] = len(r.Entries)
	r.Entries = append(r.Entries, e)
}

// Refuse records an error, after which no model is made. Within Spare it only notes the first one.
func (r *Report) Refuse(at Located, what, why string) {
	e := Entry{Severity: Error, What: what, Why: why}
	if !r.sparing {
		r.errors++
		r.add(at, e)
	} else if r.spared == nil {
		r.spared = &e
	}
}

// Spare calls read, which reads dispensable parts, such as shapes for viewers. A refusal within read is no error
// of the file: Spare records the first one as a loss of what, and returns false.
func (r *Report) Spare(at Located, what, consequence string, read func()) bool {
	sparing, before := r.sparing, r.spared
	r.sparing, r.spared = true, nil
	read()
	e := r.spared
	r.sparing, r.spared = sparing, before
	if e == nil {
		return true
	}
	r.Drop(at, what, e.What+" "+e.Why, consequence)
	return false
}

// Bad returns the class for a refused element or attribute: Refused, or Dropped within Spare.
func (r *Report) Bad() Class {
	if r.sparing {
		return Dropped
	}
	return Refused
}

// Drop records a loss: physics of the file that the model lacks, with the reason and the consequence.
func (r *Report) Drop(at Located, what, why, consequence string) {
	r.dropped++
	r.add(at, Entry{Severity: Loss, What: what, Why: why, Consequence: consequence})
}

// Change records that a value of the model differs from the value in the file.
func (r *Report) Change(at Located, what, why, consequence string) {
	r.add(at, Entry{Severity: Change, What: what, Why: why, Consequence: consequence})
}

// DropUsed is Drop for a part that Settle has counted as used. It moves the part to the count of dropped ones.
func (r *Report) DropUsed(at Located, what, why, consequence string) {
	r.Tally(Used, -1)
	r.Tally(Dropped, 1)
	r.Drop(at, what, why, consequence)
}

// Note records information.
func (r *Report) Note(at Located, what, why string) {
	r.add(at, Entry{Severity: Note, What: what, Why: why})
}

// Dropped returns the number of all recorded losses, kept or not.
func (r *Report) Dropped() int { return r.dropped }

// Failed reports whether an error was recorded.
func (r *Report) Failed() bool { return r.errors > 0 }

// Err returns the recorded errors as *Problems, or nil. If strict is set, losses count as errors.
func (r *Report) Err(strict bool) error {
	p := &Problems{More: r.errors}
	if strict {
		p.More += r.dropped
	}
	for _, e := range r.Entries {
		if e.Severity == Error || strict && e.Severity == Loss {
			p.List = append(p.List, e)
			p.More -= max(e.Count, 1)
		}
	}
	if len(p.List) == 0 {
		return nil
	}
	return p
}

// SyntaxError is an error by which a file cannot be parsed.
type SyntaxError struct {
	Location
	Rule string
}

// Error returns the error on one line.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fault.Line("formats/source: " + e.File + ": " + e.Rule)
	}
	return fault.Line(fmt.Sprintf("formats/source: %s:%d:%d: %s", e.File, e.Line, e.Column, e.Rule))
}

// Problems are the errors of a file, at least one.
type Problems struct {
	List []Entry
	More int // number of further errors, which were not kept
}

// Error returns a line for each error.
func (p *Problems) Error() string {
	var b strings.Builder
	for k := range p.List {
		if k > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.List[k].String())
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "\n%d more errors", p.More)
	}
	return b.String()
}
