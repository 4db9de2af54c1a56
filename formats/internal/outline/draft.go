package outline

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

const (
	// Open is by how much a joint may be open in the pose that is written, m and rad: formats take that pose for closed.
	Open = 1e-9
	// Far is how far from the origin of its body a joint may be, m. Formats place it by sums with other lengths, and a
	// turn about an axis that is too far away cannot be told from a slide.
	Far = 1e12
	// Ground is the name of the world in the formats.
	Ground = "world"
)

// Draft is a file that is being written: its text, and the report on what the format lacks.
type Draft struct {
	Model   *model.Model
	Report  *source.Report
	Bodies  map[string]int // numbers by name
	Joints  map[string]int
	Visuals [][]int // by body, those of the world last
	Text    strings.Builder

	overflow bool // a number that is not finite has been written
}

// New returns the empty draft of m, which passes model.Check.
func New(m *model.Model, format, version string) *Draft {
	d := &Draft{
		Model: m, Report: &source.Report{Format: format, Version: version}, Bodies: map[string]int{}, Joints: map[string]int{},
		Visuals: make([][]int, len(m.Bodies)+1),
	}
	for i := range m.Bodies {
		d.Bodies[m.Bodies[i].Name] = i
	}
	for i := range m.Joints {
		j := &m.Joints[i]
		d.Joints[j.Name] = i
		for _, p := range [2][3]float64{j.PredecessorFrame.Position, j.SuccessorFrame.Position} {
			if far := max(math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2])); far > Far {
				d.Report.Refuse(nil, "joint "+fault.Name(j.Name), fmt.Sprintf("is %.3g m from the origin of its body, where places are no finer than %.2g m: turns about it are slides", far, far*0x1p-52))
			}
		}
	}
	for k := range m.Visuals {
		b := d.Number(m.Visuals[k].Body)
		d.Visuals[b] = append(d.Visuals[b], k)
	}
	return d
}

// Number returns the number of a body; that of the world is the number of bodies.
func (d *Draft) Number(body string) int {
	if body == model.World {
		return len(d.Model.Bodies)
	}
	return d.Bodies[body]
}

// Pose returns the pose of a body, or of the world.
func (d *Draft) Pose(body string) assembly.Pose {
	if body == model.World {
		return assembly.Identity()
	}
	return Of(d.Model.Bodies[d.Bodies[body]].Pose)
}

// Flush writes the text, unless something was refused.
//
// It returns *source.Problems, and the errors of w.
func (d *Draft) Flush(w io.Writer) error {
	if d.overflow {
		d.Report.Refuse(nil, "the model", "has numbers whose products are not finite")
	}
	if err := d.Report.Err(false); err != nil {
		return err
	}
	_, err := io.WriteString(w, d.Text.String())
	return err
}

// Line writes a line, in which the texts among the arguments are escaped.
func (d *Draft) Line(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = Escaped(s)
		}
	}
	fmt.Fprintf(&d.Text, format+"\n", args...)
}

// Raw writes pieces of text as they are, and ends the line.
func (d *Draft) Raw(pieces ...string) {
	for _, s := range pieces {
		d.Text.WriteString(s)
	}
	d.Text.WriteByte('\n')
}

// Escaped returns s as an XML file has it in a text or in an attribute.
func Escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes all
	return b.String()
}

// Numbers returns numbers with blanks between them, with as many digits as they need. One that is not finite, as
// products of numbers of the model may be, makes Flush fail.
func (d *Draft) Numbers(x ...float64) string {
	var b []byte
	for i, v := range x {
		d.overflow = d.overflow || !algebra.Finite(v)
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return string(b)
}

// Names are the names of one kind that a file has: no two are the same.
type Names struct {
	report *source.Report
	clean  func(string) string
	taken  map[string]bool
	next   map[string]int
}

// NewNames returns names without any but those that are taken. clean
// makes of a name one that the format takes; nil leaves all as they are.
func (d *Draft) NewNames(clean func(string) string, taken ...string) *Names {
	n := &Names{report: d.Report, clean: clean, taken: map[string]bool{}, next: map[string]int{}}
	for _, name := range taken {
		n.taken[name] = true
	}
	return n
}

// Add returns a name like the given one that nothing else has, without
// the characters that XML has not. A name that had to change is reported.
func (n *Names) Add(kind, name string) string {
	out := n.Make(name)
	if out != name {
		n.report.Change(nil, kind+" "+fault.Name(name), "the format does not take the name, or something else has it", "it is called "+fault.Name(out))
	}
	return out
}

// Make is Add of a name that the model does not have.
func (n *Names) Make(name string) string {
	base := strings.Map(func(r rune) rune {
		if r < ' ' || r == '\ufffe' || r == '\uffff' {
			return '_'
		}
		return r
	}, name)
	if n.clean != nil {
		base = n.clean(base)
	}
	out := base
	for n.taken[out] {
		n.next[base] = max(n.next[base], 1) + 1
		out = base + "_" + strconv.Itoa(n.next[base])
	}
	n.taken[out] = true
	return out
}
