package model

import (
	"fmt"
	"strconv"

	"github.com/rung-mbd/rung/internal/document"
)

var frameFields = []string{"name", "body", "pose"}

const (
	frameName = iota
	frameBody
	framePose
)

var visualFields = []string{"body", "pose", "kind", "size", "file", "scale", "color", "source"}

const (
	visualBody = iota
	visualPose
	visualKind
	visualSize
	visualFile
	visualScale
	visualColor
	visualSource
)

var visualSources = []string{"visual", "collision"}

var sourceFields = []string{"file", "format", "version", "sha256", "report"} // the four texts come first

const sourceReport = 4

var noteFields = []string{"severity", "line", "column", "count", "file", "element", "what", "why", "consequence"} // the texts come last

const (
	noteSeverity = iota
	noteLine
	noteColumn
	noteCount
	noteFile
)

// frame reads a frame after its opening brace.
func (d *decoder) frame(f *Frame) {
	f.Pose.Orientation[0] = 1
	var seen uint32
	for k := range d.Members(frameFields, &seen) {
		switch k {
		case frameName:
			f.Name = d.name()
		case frameBody:
			f.Body = d.reference()
		case framePose:
			d.pose(&f.Pose)
		}
	}
	d.Require(frameFields, seen, frameName, frameBody)
}

// visual reads a visual after its opening brace.
func (d *decoder) visual(v *Visual) {
	v.Pose.Orientation[0] = 1
	var seen uint32
	var size []float64
	for k := range d.Members(visualFields, &seen) {
		switch k {
		case visualBody:
			v.Body = d.reference()
		case visualPose:
			d.pose(&v.Pose)
		case visualKind:
			v.Kind = VisualKind(d.Choice(visualNames[:]...))
		case visualSize:
			size = d.Numbers(size, len(v.Size))
		case visualFile:
			v.File = d.name()
		case visualScale:
			d.Vector(v.Scale[:])
		case visualColor:
			d.Vector(v.Color[:])
		case visualSource:
			v.Collision = d.Choice(visualSources...) == 1
		}
	}
	d.Require(visualFields, seen, visualBody, visualKind)
	if d.Fatal || d.Flaw.Has(visualKind) {
		return
	}
	copy(v.Size[:], size)
	if n := visualSizes[v.Kind]; len(size) != n && !d.Flaw.Has(visualSize) {
		d.ProblemAt(visualFields, visualSize, "", fmt.Sprintf("wrong length %d, kind %s has %d entries", len(size), v.Kind, n))
	}
	if v.Kind == MeshVisual {
		d.Require(visualFields, seen, visualFile)
		if v.Scale == [3]float64{} && seen>>visualScale&1 != 0 && !d.Flaw.Has(visualScale) {
			d.ProblemAt(visualFields, visualScale, "[0,0,0]", "is zero")
		} else if v.Scale == [3]float64{} {
			v.Scale = [3]float64{1, 1, 1}
		}
		return
	}
	d.Refuse(visualFields, seen, meaningless("kind", v.Kind.String()), visualFile, visualScale)
	v.File, v.Scale = "", [3]float64{}
}

// source reads the source of the model. If reading reports a problem in it, its rules are not applied.
func (d *decoder) source() {
	if !d.OpenObject() {
		return
	}
	before := d.Len()
	d.At = document.Place{Section: secSource}
	s := new(Source)
	texts := [...]*string{&s.File, &s.Format, &s.Version, &s.SHA256}
	var seen uint32
	for k := range d.Members(sourceFields, &seen) {
		if k < sourceReport {
			*texts[k] = d.name()
		} else {
			d.readReport(&s.Report)
		}
	}
	if d.Len() > before {
		d.flaws[d.At] = ^document.Flaws(0)
	}
	d.At, d.m.Source = document.Place{}, s
}

// readReport reads the report of a source, a list of notes. It skips entries beyond d.most and reports them.
func (d *decoder) readReport(list *[]SourceNote) {
	if !d.OpenArray() {
		return
	}
	n := 0
	for ; d.Element(n); n++ {
		if n >= d.most || d.Full() {
			d.Skip()
			continue
		}
		*list = append(*list, SourceNote{})
		if d.OpenObject() {
			d.readNote(&(*list)[n])
		}
	}
	d.Bound(n, d.most)
}

// readNote reads an entry of the report after its opening brace.
func (d *decoder) readNote(e *SourceNote) {
	texts := [...]*string{&e.File, &e.Element, &e.What, &e.Why, &e.Consequence}
	var seen uint32
	for k := range d.Members(noteFields, &seen) {
		switch k {
		case noteSeverity:
			e.Severity = Severity(d.Choice(severityNames[:]...))
		case noteLine:
			e.Line = d.place()
		case noteColumn:
			e.Column = d.place()
		case noteCount:
			e.Count = d.place()
		default:
			*texts[k-noteFile] = d.name()
		}
	}
	d.Require(noteFields, seen, noteSeverity)
}

// place reads a line, a column or a count. It returns 0 after a problem.
func (d *decoder) place() int {
	n := d.Integer()
	if !isPlace(n) {
		d.Problem(document.Number(float64(n)), rulePlace)
		return 0
	}
	return int(n)
}

// frame writes the fields of a frame, without braces.
func (o *writer) frame(f *Frame) {
	o.text(`"name": `, f.Name)
	o.text(`, "body": `, f.Body)
	o.pose("pose", &f.Pose)
}

// visual writes the fields of a shape, without braces: the size of its kind, and fields that differ from the default.
func (o *writer) visual(v *Visual) {
	o.text(`"body": `, v.Body)
	o.pose("pose", &v.Pose)
	o.text(`, "kind": `, v.Kind.String())
	if n := visualSizes[v.Kind]; n > 0 {
		o.vector(`, "size": `, v.Size[:n])
	}
	o.given(`, "file": `, v.File)
	if v.Scale != [3]float64{1, 1, 1} {
		o.list(`, "scale": `, v.Scale[:])
	}
	o.list(`, "color": `, v.Color[:])
	if v.Collision {
		o.text(`, "source": `, visualSources[1])
	}
}

// source writes the source with its report, each note on a line by itself.
func (o *writer) source(s *Source) {
	o.b = append(o.b, ",\n \"source\": {"...)
	before := `"`
	for k, text := range [...]string{s.File, s.Format, s.Version, s.SHA256} {
		if text != "" {
			o.text(before+sourceFields[k]+`": `, text)
			before = `, "`
		}
	}
	if len(s.Report) > 0 {
		o.b = append(o.b, before+"report\": ["...)
		for i := range s.Report {
			if i > 0 {
				o.b = append(o.b, ',')
			}
			o.b = append(o.b, "\n  {"...)
			o.sourceNote(&s.Report[i])
			o.b = append(o.b, '}')
			o.flush(1 << 16)
		}
		o.b = append(o.b, "\n ]"...)
	}
	o.b = append(o.b, '}')
}

// sourceNote writes the fields of a note, without braces: its severity, and the fields that are neither 0 nor empty.
func (o *writer) sourceNote(e *SourceNote) {
	o.text(`"severity": `, e.Severity.String())
	for k, n := range [...]int{e.Line, e.Column, e.Count} {
		if n != 0 {
			o.b = strconv.AppendInt(append(o.b, `, "`+noteFields[noteLine+k]+`": `...), int64(n), 10)
		}
	}
	for k, text := range [...]string{e.File, e.Element, e.What, e.Why, e.Consequence} {
		o.given(`, "`+noteFields[noteFile+k]+`": `, text)
	}
}
