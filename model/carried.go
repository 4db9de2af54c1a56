package model

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

// Frame is a named frame that is fixed in a body or in the world: for a tool, a sensor, or a link that is part of
// another link.
type Frame struct {
	Name string
	Body string // body name or World
	Pose Pose   // of the frame in the body frame, or in the world
}

// VisualKind is the kind of a shape.
type VisualKind uint8

// The shapes of rung-model/1, with the entries of Size (m). They are centred at
// the origin of their frame; cylinders and capsules have their axis along z.
const (
	MeshVisual      VisualKind = iota // a file; no size
	BoxVisual                         // the three edges
	SphereVisual                      // radius
	CylinderVisual                    // radius, length
	CapsuleVisual                     // radius, length of the cylinder between the caps
	EllipsoidVisual                   // the three half axes
)

var visualNames = [...]string{
	MeshVisual: "mesh", BoxVisual: "box", SphereVisual: "sphere", CylinderVisual: "cylinder", CapsuleVisual: "capsule", EllipsoidVisual: "ellipsoid",
}

// visualSizes has the number of entries of Size for each kind.
var visualSizes = [...]int{MeshVisual: 0, BoxVisual: 3, SphereVisual: 1, CylinderVisual: 2, CapsuleVisual: 2, EllipsoidVisual: 3}

// valid reports whether k is a shape of the format.
func (k VisualKind) valid() bool { return int(k) < len(visualNames) }

// String returns the format's name of k.
func (k VisualKind) String() string {
	if !k.valid() {
		return fmt.Sprintf("VisualKind(%d)", uint8(k))
	}
	return visualNames[k]
}

// Visual is a shape of a body, or of the world, for drawing. It has neither mass nor contacts.
type Visual struct {
	Body      string // body name or World
	Pose      Pose   // of the shape in the body frame, or in the world
	Kind      VisualKind
	Size      [3]float64 // m; for entries see the kinds; the others are zero
	File      string     // file of a mesh, relative to the folder of the model
	Scale     [3]float64 // scale of a mesh; three zeros stand for three ones
	Color     [4]float64 // red, green, blue and opacity, from 0 to 1; zeros if unknown
	Collision bool       // the source has the shape for collisions, not for display
}

// Source describes the file that a model has been imported from.
type Source struct {
	File    string // base name of the file
	Format  string // such as "urdf"
	Version string // version of the format, as given in the file
	SHA256  string // digest of the file, as 64 lower-case hexadecimal digits
	Report  []SourceNote
}

// Severity is the severity of a SourceNote.
type Severity uint8

// The severities of rung-model/1.
const (
	SeverityError   Severity = iota // the import has failed there
	SeverityDropped                 // physics of the source is not in the model
	SeverityChanged                 // the model differs from the source
	SeverityNote                    // nothing is lost
)

var severityNames = [...]string{SeverityError: "error", SeverityDropped: "dropped", SeverityChanged: "changed", SeverityNote: "note"}

// valid reports whether s is a severity of the format.
func (s Severity) valid() bool { return int(s) < len(severityNames) }

// String returns the format's name of s.
func (s Severity) String() string {
	if !s.valid() {
		return fmt.Sprintf("Severity(%d)", uint8(s))
	}
	return severityNames[s]
}

// SourceNote describes the import of one element of the source, or of many elements of the same kind.
type SourceNote struct {
	Severity     Severity
	File         string // file with the element; empty: the file of the Source
	Line, Column int    // from 1; 0: not known
	Element      string // path of the element, such as /robot/joint[3]/mimic
	What         string // what the element is
	Why          string // why the model differs from the source there
	Consequence  string // the effect on the model
	Count        int    // number of such elements, of which Element is the first; 0 stands for 1
}

// canonicalizeCarried is Canonicalize for frames, visuals and source, which no computation uses.
func (m *Model) canonicalizeCarried() {
	for i := range m.Frames {
		m.Frames[i].Pose.canonicalize()
	}
	if len(m.Frames) == 0 {
		m.Frames = nil
	}
	for i := range m.Visuals {
		v := &m.Visuals[i]
		v.Pose.canonicalize()
		if v.Kind == MeshVisual && v.Scale == [3]float64{} {
			v.Scale = [3]float64{1, 1, 1}
		}
	}
	if len(m.Visuals) == 0 {
		m.Visuals = nil
	}
	if m.Source != nil && len(m.Source.Report) == 0 {
		m.Source.Report = nil
	}
}

// checkCarried applies the rules to frames, visuals and source.
func (c *checker) checkCarried() {
	c.unique(secFrames, len(c.m.Frames), func(i int) string { return c.m.Frames[i].Name })
	for i := range c.m.Frames {
		f, flaws := &c.m.Frames[i], c.at(secFrames, i)
		if !flaws.Has(frameName) {
			c.checkName(f.Name)
		}
		if !flaws.Has(frameBody) {
			c.reference(".body", &f.Body, 0)
		}
		if !flaws.Has(framePose) {
			c.checkPose(&f.Pose, ".pose.position", ".pose.orientation")
		}
	}
	for i := range c.m.Visuals {
		c.checkVisual(&c.m.Visuals[i], c.at(secVisuals, i))
	}
	if c.m.Source != nil && c.at(secSource, 0) == 0 {
		c.checkOrigin(c.m.Source)
	}
}

// checkVisual checks body, pose and kind of a shape, and that it has only the fields of its kind.
func (c *checker) checkVisual(v *Visual, f document.Flaws) {
	if !f.Has(visualBody) {
		c.reference(".body", &v.Body, 0)
	}
	if !f.Has(visualPose) {
		c.checkPose(&v.Pose, ".pose.position", ".pose.orientation")
	}
	if f.Has(visualKind) {
		return
	}
	if !v.Kind.valid() {
		c.report(".kind", v.Kind.String(), "unknown kind")
		return
	}
	if !f.Has(visualSize) {
		c.checkSize(v)
	}
	none := meaningless("kind", v.Kind.String())
	switch {
	case f.Has(visualFile):
	case v.Kind == MeshVisual && v.File == "":
		c.report(".file", `""`, "is empty")
	case v.Kind != MeshVisual && v.File != "":
		c.report(".file", fault.Name(v.File), none)
	case !utf8.ValidString(v.File):
		c.report(".file", fault.Name(v.File), "is not valid UTF-8")
	}
	for k, x := range v.Scale {
		switch {
		case f.Has(visualScale):
		case !algebra.Finite(x):
			c.report(document.Entry(".scale", k), document.Number(x), document.RuleNotFinite)
		case v.Kind != MeshVisual && x != 0:
			c.report(document.Entry(".scale", k), document.Number(x), none)
		case v.Scale != [3]float64{} && v.Kind == MeshVisual && x == 0:
			c.report(document.Entry(".scale", k), "0", "is zero")
		}
	}
	for k, x := range v.Color {
		if !f.Has(visualColor) && !(x >= 0 && x <= 1) {
			c.report(document.Entry(".color", k), document.Number(x), "is not between 0 and 1")
		}
	}
}

// checkSize checks that the entries of Size that the kind has are positive, and that the others are zero.
func (c *checker) checkSize(v *Visual) {
	n := visualSizes[v.Kind]
	for k, x := range v.Size {
		tail := document.Entry(".size", k)
		switch {
		case !algebra.Finite(x):
			c.report(tail, document.Number(x), document.RuleNotFinite)
		case k < n && !(x > 0):
			c.report(tail, document.Number(x), ruleNotPositive)
		case k >= n && x != 0:
			c.report(tail, document.Number(x), meaningless("kind", v.Kind.String()))
		}
	}
}

// checkOrigin checks the texts of a source, its digest, and the severities, positions and counts of its report.
func (c *checker) checkOrigin(s *Source) {
	c.texts("", sourceFields, s.File, s.Format, s.Version, s.SHA256)
	if s.SHA256 != "" && !hexadecimal(s.SHA256) {
		c.report(".sha256", fault.Name(s.SHA256), "is not 64 hexadecimal digits")
	}
	for i := range s.Report {
		n, tail := &s.Report[i], document.Entry(".report", i)
		if !n.Severity.valid() {
			c.report(tail+".severity", n.Severity.String(), "unknown severity")
		}
		for k, x := range [...]int{n.Line, n.Column, n.Count} {
			if !isPlace(int64(x)) {
				c.report(tail+"."+noteFields[noteLine+k], document.Number(float64(x)), rulePlace)
			}
		}
		c.texts(tail, noteFields[noteFile:], n.File, n.Element, n.What, n.Why, n.Consequence)
	}
}

const rulePlace = "is no line, column or count"

// isPlace reports whether n may be a line, a column or a count; 0 means unknown.
func isPlace(n int64) bool { return n >= 0 && n <= math.MaxInt32 }

// texts reports texts that are not valid UTF-8; texts[k] belongs to the field tail.fields[k].
func (c *checker) texts(tail string, fields []string, texts ...string) {
	for k, s := range texts {
		if !utf8.ValidString(s) {
			c.report(tail+"."+fields[k], fault.Name(s), "is not valid UTF-8")
		}
	}
}

// hexadecimal reports whether s is a SHA-256 digest: 64 lower-case hexadecimal digits.
func hexadecimal(s string) bool {
	if len(s) != 64 {
		return false
	}
	for _, r := range s {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'f') {
			return false
		}
	}
	return true
}
