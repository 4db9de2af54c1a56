package source

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// Class is what became of an element or an attribute.
type Class uint8

// The classes. What is Unread has none yet.
const (
	Unread  Class = iota
	Used          // part of the model
	Visual        // kept for viewers
	Ignored       // without effect on the motion of rigid bodies
	Dropped       // physics that the model lacks
	Refused       // an error

	numClasses
)

var classNames = [numClasses]string{"unread", "used", "visual", "ignored", "dropped", "error"}

// String returns the name of c as the report has it.
func (c Class) String() string {
	if c < numClasses {
		return classNames[c]
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

// Severity says how much an Entry matters.
type Severity uint8

// The severities, the gravest first.
const (
	Error  Severity = iota // the file is not read
	Loss                   // physics of the file that the model lacks
	Change                 // a value of the model differs from that of the file
	Note                   // what a reader might want to know
)

var severityNames = [...]string{Error: "error", Loss: "dropped", Change: "changed", Note: "note"}

// String returns the name of s as the report has it.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", uint8(s))
}

// MarshalText returns the name of s.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets s to the severity of that name.
func (s *Severity) UnmarshalText(text []byte) error {
	for k, name := range severityNames {
		if name == string(text) {
			*s = Severity(k)
			return nil
		}
	}
	return fmt.Errorf("formats/source: unknown severity %s", fault.Name(string(text)))
}

// Place is a place of a file. Lines and columns count from 1; 0 is unknown.
type Place struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Element string `json:"element,omitempty"` // such as /robot/joint[3]/mimic
}

// Place returns p, which makes it a Placed.
func (p Place) Place() Place { return p }

// Placed is what has a place in a file.
type Placed interface{ Place() Place }

// Entry is one line of a report.
type Entry struct {
	Severity Severity `json:"severity"`
	Place
	What        string `json:"what"`
	Why         string `json:"why,omitempty"`
	Consequence string `json:"consequence,omitempty"`
	Count       int    `json:"count,omitempty"` // how often, if more than once; the place is the first
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
		fmt.Fprintf(&b, " (%d times)", e.Count)
	}
	return fault.Line(b.String())
}

const (
	// MaxEntries is the number of entries of a report that are kept; of further ones only the count is.
	MaxEntries = 2000
	// maxErrors is the number of errors of a file that are kept.
	maxErrors = 100
)

// Report says what became of a file. The zero Report is ready to use.
type Report struct {
	File    string  `json:"file"`
	Format  string  `json:"format"`            // mjcf, urdf, sdf or asmt
	Version string  `json:"version,omitempty"` // that the file states
	Entries []Entry `json:"entries"`
	More    int     `json:"more,omitempty"` // entries beyond MaxEntries
	Counts  Counts  `json:"counts"`

	settled func(at Place, attribute string, class Class)

	keys    map[[2]string]int
	errors  int // and entries of other severities and losses, those that were not kept too
	others  int
	dropped int
}

// Counts are numbers of elements and attributes by class.
type Counts struct {
	Used    int `json:"used"`
	Visual  int `json:"visual"`
	Ignored int `json:"ignored"`
	Dropped int `json:"dropped"`
	Refused int `json:"error"`
}

// Tell makes r call f for each element, with attribute "", and each attribute,
// with the place of its element, when what becomes of it is settled.
func (r *Report) Tell(f func(at Place, attribute string, class Class)) { r.settled = f }

// Settle counts an element or, if it is not "", an attribute of it.
func (r *Report) Settle(at Placed, attribute string, c Class) {
	r.Tally(c, 1)
	if r.settled != nil {
		r.settled(at.Place(), attribute, c)
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

func place(at Placed) Place {
	if at == nil {
		return Place{}
	}
	return at.Place()
}

// add records an entry with the place of at, which is looked for only
// if there is room: that of one among many takes time.
func (r *Report) add(at Placed, e Entry) {
	if e.Severity == Error {
		if r.errors++; r.errors > maxErrors {
			return
		}
	} else if r.others++; r.others > MaxEntries {
		r.More++
		return
	}
	e.Place = place(at)
	if e.File == "" {
		e.File = r.File
	}
	r.Entries = append(r.Entries, e)
}

// Refuse records an error: the file is not read.
func (r *Report) Refuse(at Placed, what, why string) {
	r.add(at, Entry{Severity: Error, What: what, Why: why})
}

// Drop records physics of the file that the model lacks, and what follows from that.
func (r *Report) Drop(at Placed, what, why, consequence string) {
	r.dropped++
	r.add(at, Entry{Severity: Loss, What: what, Why: why, Consequence: consequence})
}

// Change records that a value of the model differs from that of the file.
func (r *Report) Change(at Placed, what, why, consequence string) {
	r.add(at, Entry{Severity: Change, What: what, Why: why, Consequence: consequence})
}

// Note records what a reader might want to know.
func (r *Report) Note(at Placed, what, why string) {
	r.add(at, Entry{Severity: Note, What: what, Why: why})
}

// Once records a note for the first of many things of one kind, and counts the others.
func (r *Report) Once(at Placed, what, why string) {
	key := [2]string{what, why}
	if k, ok := r.keys[key]; ok {
		if e := &r.Entries[k]; e.Count == 0 {
			e.Count = 2
		} else {
			e.Count++
		}
		return
	}
	n := len(r.Entries)
	if r.Note(at, what, why); len(r.Entries) > n {
		if r.keys == nil {
			r.keys = map[[2]string]int{}
		}
		r.keys[key] = n
	}
}

// Dropped returns the number of losses that were recorded, those that were not kept too.
func (r *Report) Dropped() int { return r.dropped }

// Failed reports whether an error was recorded.
func (r *Report) Failed() bool { return r.errors > 0 }

// Err returns the errors that were recorded as *Problems, or nil. With strict, what was dropped counts as an error.
func (r *Report) Err(strict bool) error {
	p := &Problems{}
	for _, e := range r.Entries {
		if e.Severity == Error || strict && e.Severity == Loss {
			p.List = append(p.List, e)
		}
	}
	if len(p.List) == 0 {
		return nil
	}
	p.More = max(0, r.errors-maxErrors)
	if strict {
		p.More = r.errors + r.dropped - len(p.List)
	}
	return p
}

// Problems are the errors of a file, at least one.
type Problems struct {
	List []Entry
	More int // errors beyond those that were kept
}

// Error returns a line an error.
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
