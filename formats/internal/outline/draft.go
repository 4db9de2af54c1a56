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
	// Open is the largest error of a joint in the written pose, m and rad, that is not reported: formats take that pose as closed.
	Open = 1e-9
	// Far is the largest distance of a joint from the origin of its body, m. Farther away, rounding would make a
	// rotation about its axis indistinguishable from a translation.
	Far = 1e12
	// Ground is the name of the world in the formats.
	Ground = "world"
)

// Draft is a file that is being written: its text, and the report on losses.
type Draft struct {
	Model   *model.Model
	Report  *source.Report
	Bodies  map[string]int // indices by name
	Joints  map[string]int // indices by name
	Visuals [][]int        // indices of the visuals of each body; of the world last
	Text    strings.Builder

	overflow bool // Numbers has got a number that is not finite
}

// New returns the empty draft of m, which must pass model.Check. It refuses joints farther than Far from the origin of their body.
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

// Number returns the index of a body; for the world it returns the number of bodies.
func (d *Draft) Number(body string) int {
	if body == model.World {
		return len(d.Model.Bodies)
	}
	return d.Bodies[body]
}

// Pose returns the pose of a body; the identity for the world.
func (d *Draft) Pose(body string) assembly.Pose {
	if body == model.World {
		return assembly.Identity()
	}
	return Of(d.Model.Bodies[d.Bodies[body]].Pose)
}

// Flush writes the text to w, unless something was refused.
//
// It returns *source.Problems if something was refused, or the error of w.
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

// Line writes a formatted line. It escapes arguments of type string for XML, in args itself.
func (d *Draft) Line(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = Escaped(s)
		}
	}
	fmt.Fprintf(&d.Text, format+"\n", args...)
}

// Raw writes pieces of text without escaping, and ends the line.
func (d *Draft) Raw(pieces ...string) {
	for _, s := range pieces {
		d.Text.WriteString(s)
	}
	d.Text.WriteByte('\n')
}

// Escaped returns s escaped for a text or an attribute of XML.
func Escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a Builder does not fail
	return b.String()
}

// Numbers returns numbers separated by blanks, with the fewest digits that are exact. A number that is not finite,
// such as a product that overflows, makes Flush fail.
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

// Names makes names of one kind of element unique within a file.
type Names struct {
	report *source.Report
	clean  func(string) string
	taken  map[string]bool
	next   map[string]int
}

// NewNames returns Names in which the given names are taken already. clean
// turns a name into one that the format allows; nil changes nothing.
func (d *Draft) NewNames(clean func(string) string, taken ...string) *Names {
	n := &Names{report: d.Report, clean: clean, taken: map[string]bool{}, next: map[string]int{}}
	for _, name := range taken {
		n.taken[name] = true
	}
	return n
}

// Add returns a unique, valid name like the given one, and reports
// a name that had to be changed.
func (n *Names) Add(kind, name string) string {
	out := n.Make(name)
	if out != name {
		n.report.Change(nil, kind+" "+fault.Name(name), "the format does not take the name, or something else has it", "it is called "+fault.Name(out))
	}
	return out
}

// Make is Add without a report, for a name that does not come from the model. Control characters become underscores; a name that is taken
// gets a number.
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
