//go:build !small

package simulate

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/study"
	"github.com/rung-mbd/rung/study/table"
)

const (
	mostAxes  = 3  // largest number of table columns in a picture
	labelName = 40 // width of a name in the label of an axis, in characters
)

// axis is a parameter, an output or a gradient on an axis of a picture.
type axis struct {
	name  string
	label string
	list  []float64 // values of a parameter with a list, ascending, each once; nil for others
	value []float64 // by run; NaN where the run has none
}

// sweepPicture is the picture of the runs of a sweep: a histogram, points over one parameter or two outputs, or a field of
// colours.
type sweepPicture struct {
	title string
	study *study.Study
	axes  []*axis
	moved int // count of parameters that differ between runs
}

// newSweepPicture chooses the axes of the picture: those with the names, or without names the first output over the parameters
// that differ between runs, as the help of --plot says. It returns an error of bad use for a name that the runs do not have.
func newSweepPicture(model string, s *study.Study, columns *study.Columns, names []string) (*sweepPicture, error) {
	p := &sweepPicture{title: sheet.ModelTitle(model), study: s}
	all := axesOf(s, columns)
	find := func(name string) *axis {
		i := slices.IndexFunc(all, func(a *axis) bool { return a.name == name })
		if i < 0 {
			return nil
		}
		return all[i]
	}
	var moved []*axis
	lists := 0
	for i := range s.Parameters {
		if a := all[i]; len(a.list) != 1 {
			moved = append(moved, a)
			if a.list != nil {
				lists++
			}
		}
	}
	p.moved = len(moved)
	if len(names) == 0 {
		if len(s.Outputs) == 0 {
			return nil, shell.UseErrorf("--plot: the study has no outputs")
		}
		switch first := s.Outputs[0].Name; {
		case len(moved) == 1:
			names = []string{moved[0].name, first}
		case len(moved) == 2 && lists == 2:
			names = []string{moved[0].name, moved[1].name, first}
		default:
			names = []string{first}
		}
	}
	if len(names) > mostAxes {
		return nil, shell.UseErrorf("--plot-columns has %d names; a picture has at most %d", len(names), mostAxes)
	}
	for i, name := range names {
		a := find(name)
		if a == nil {
			var have []string
			for _, a := range all {
				have = append(have, a.name)
			}
			return nil, shell.UseErrorf("--plot-columns: the runs have no numbers %s; there are %s%s", fault.Name(name), fault.List(have), fault.AfterList(fault.Meant(name, have...)))
		}
		if slices.Contains(names[:i], name) {
			return nil, shell.UseErrorf("--plot-columns has %s twice", fault.Name(name))
		}
		p.axes = append(p.axes, a)
	}
	return p, nil
}

// axesOf returns the axes for all parameters, outputs and gradients of a study, in this order.
func axesOf(s *study.Study, columns *study.Columns) (list []*axis) {
	add := func(name, unit string, values []float64) {
		label := fault.Text(name, labelName)
		if unit != "" {
			label += ", " + fault.Text(unit, labelName)
		}
		list = append(list, &axis{name: name, label: label, list: values})
	}
	for i := range s.Parameters {
		p := &s.Parameters[i]
		var values []float64
		if p.Law == study.Values {
			values = slices.Clone(p.List)
			slices.Sort(values)
			values = slices.Compact(values)
		}
		add(p.Name, p.Unit, values)
	}
	for i := range s.Outputs {
		add(s.Outputs[i].Name, columns.Units[columns.Outputs[i]], nil)
	}
	for _, name := range s.GradientColumns() {
		add(name, "", nil)
	}
	return list
}

// load reads the runs in the tables into the axes, and completes the title. It returns an error for a run that is not of this
// study, by its number or its parameters, or that is there twice.
func (p *sweepPicture) load(draws *study.Draws, paths []string) error {
	s := p.study
	columns := []table.Column{{Name: study.RunColumn, Kind: table.Int}, {Name: study.StatusColumn, Kind: table.Text}}
	for i := range s.Parameters {
		columns = append(columns, table.Column{Name: s.Parameters[i].Name, Kind: table.Float})
	}
	first := len(columns)
	for _, a := range p.axes {
		columns = append(columns, table.Column{Name: a.name, Kind: table.Float})
	}
	seen := make([]bool, s.Runs())
	values := make([]float64, len(s.Parameters))
	found, failed := 0, 0
	for _, path := range paths {
		err := table.Read(path, study.RunsFormat, columns, func(row []table.Cell) error {
			run := row[0].Int
			if run < 0 || run >= int64(len(seen)) {
				return fmt.Errorf("run %d is none of the study, which has %d", run, len(seen))
			}
			if seen[run] {
				return fmt.Errorf("run %d is there twice", run)
			}
			seen[run] = true
			draws.ValuesTo(values, int(run))
			for i, x := range values {
				if c := row[2+i]; c.Null || math.Float64bits(c.Float) != math.Float64bits(x) {
					return fmt.Errorf("run %d is of another study: it has %s for %s, this one %v", run, cellText(c), fault.Name(columns[2+i].Name), x)
				}
			}
			found++
			if row[1].Text == study.Failed {
				failed++
			}
			for i, a := range p.axes {
				x := row[first+i].Float
				if row[first+i].Null {
					x = math.NaN()
				}
				a.value = append(a.value, x)
			}
			return nil
		})
		if err != nil {
			return shell.InputError(path, err)
		}
	}
	p.title += "\n" + sheet.Plural(found, "run")
	if failed > 0 {
		p.title += fmt.Sprintf(", %d failed", failed)
	}
	if missing := len(seen) - found; missing > 0 {
		p.title += fmt.Sprintf(", %d of the study not there", missing)
	}
	return nil
}

// cellText returns the number in c for messages.
func cellText(c table.Cell) string {
	if c.Null {
		return "nothing"
	}
	return fmt.Sprint(c.Float)
}

// write draws the runs in the format "svg" or "png". It returns an error if no run has numbers on all axes.
func (p *sweepPicture) write(w io.Writer, format string) error {
	shown := 0
	for i := range p.axes[0].value {
		if p.whole(i) {
			shown++
		}
	}
	if shown == 0 {
		return shell.Failed("", fmt.Errorf("nothing to draw: no run has %s", p.names()))
	}
	if err := p.drawable(); err != nil {
		return shell.Failed("", err)
	}
	a := p.axes
	switch {
	case len(a) == 1:
		return picture.Histogram(w, format, &picture.Sample{Title: p.title, Label: a[0].label, X: p.kept(0)})
	case len(a) == mostAxes && a[0].list != nil && a[1].list != nil:
		return picture.Response(w, format, p.field())
	}
	c := &picture.Cloud{Title: p.title, XLabel: a[0].label, YLabel: a[1].label, X: p.kept(0), Y: p.kept(1)}
	if len(a) == mostAxes {
		c.ZLabel, c.Z = a[2].label, p.kept(2)
	}
	for i, x := range a[0].value {
		if !p.whole(i) && x == x {
			c.Failed = append(c.Failed, x)
		}
	}
	if len(c.Failed) > 0 {
		c.Title += ", a cross for each at the lower edge"
	}
	// Points are joined by a line if the parameter on the first axis is all that differs between the runs.
	if c.Joined = len(a) == 2 && a[0].list != nil && p.moved == 1; c.Joined {
		order(c)
	}
	return picture.Scatter(w, format, c)
}

// mostDrawn is the largest magnitude of a number in a picture: extents with their margins, and sums of the numbers in a cell,
// must not overflow.
const mostDrawn = 1e300

// drawable returns an error that names the first finite number beyond mostDrawn, if there is one.
func (p *sweepPicture) drawable() error {
	for _, a := range p.axes {
		for i, x := range a.value {
			if math.Abs(x) > mostDrawn && algebra.Finite(x) {
				return fmt.Errorf("run %d has %s %.3g, a picture has room for numbers up to %g", i, fault.Name(a.name), x, mostDrawn)
			}
		}
	}
	return nil
}

// order sorts the points by X.
func order(c *picture.Cloud) {
	list := make([]int, len(c.X))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(i, k int) int { return cmp.Compare(c.X[i], c.X[k]) })
	x, y := make([]float64, len(list)), make([]float64, len(list))
	for k, i := range list {
		x[k], y[k] = c.X[i], c.Y[i]
	}
	c.X, c.Y = x, y
}

// names returns the names of the axes for messages.
func (p *sweepPicture) names() string {
	var list []string
	for _, a := range p.axes {
		list = append(list, fault.Name(a.name))
	}
	return strings.Join(list, " and ")
}

// whole reports whether the run i has finite numbers on all axes.
func (p *sweepPicture) whole(i int) bool {
	for _, a := range p.axes {
		if x := a.value[i]; !algebra.Finite(x) {
			return false
		}
	}
	return true
}

// kept returns the numbers on the axis k of the runs that are whole.
func (p *sweepPicture) kept(k int) (list []float64) {
	for i, x := range p.axes[k].value {
		if p.whole(i) {
			list = append(list, x)
		}
	}
	return list
}

// field returns the mean of the third axis over the runs at each point of the grid of the first two axes, which have lists.
// A cell where all runs failed is NaN and hatched.
func (p *sweepPicture) field() *picture.Field {
	x, y, z := p.axes[0], p.axes[1], p.axes[2]
	f := &picture.Field{Title: p.title, XLabel: x.label, YLabel: y.label, ZLabel: z.label, XEdges: picture.Edges(x.list), YEdges: picture.Edges(y.list), X: x.list, Y: y.list}
	n := len(x.list) * len(y.list)
	f.Z, f.Failed = make([]float64, n), make([]bool, n)
	counts := make([]int, n)
	most, failures := 0, false
	for i := range z.value {
		column, _ := slices.BinarySearch(x.list, x.value[i])
		row, _ := slices.BinarySearch(y.list, y.value[i])
		k := row*len(x.list) + column
		if !p.whole(i) {
			f.Failed[k] = true
			continue
		}
		counts[k]++
		most = max(most, counts[k])
		f.Z[k] += (z.value[i] - f.Z[k]) / float64(counts[k])
	}
	for k, n := range counts {
		if n == 0 {
			f.Z[k] = math.NaN()
			failures = failures || f.Failed[k]
		}
	}
	if most > 1 {
		f.Title += fmt.Sprintf("; means of up to %d a cell", most)
	}
	if failures {
		f.Title += "; hatched: all failed"
	}
	return f
}

// fromTables writes the picture of the runs in the tables to path.
func (p *sweepPicture) fromTables(draws *study.Draws, tables []string, path string, stdout io.Writer) error {
	if err := p.load(draws, tables); err != nil {
		return err
	}
	return shell.WriteFile(path, stdout, func(w io.Writer) error {
		return p.write(w, strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."))
	})
}
