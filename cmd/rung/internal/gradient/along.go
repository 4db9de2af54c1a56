package gradient

import (
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/directions"
	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// AlongResult is the document that rung gradient --along prints with --json.
type AlongResult struct {
	Format     string               `json:"format"`
	Name       string               `json:"name"`
	Time       float64              `json:"time"`
	Directions []derive.NamedChange `json:"directions"`
	Accuracy   float64              `json:"accuracy"`
}

// runAlong prints the derivatives at the state of a model along directions.
func runAlong(cmd *cobra.Command, path string, f *gradientFlags) error {
	from, stdout, stderr := shell.Streams(cmd)
	p := shell.NewProgress(stderr)
	defer p.End()
	m, err := shell.ReadModel(path, from, p)
	if err != nil {
		return err
	}
	list, err := readDirections(f.along)
	if err != nil {
		return err
	}
	p.Stage("analysing", 0)
	plan, err := rung.NewPlan(m, rung.Options{Ordering: f.ordering.Ordering})
	if err != nil {
		return err
	}
	d, st := derive.New(plan, m), plan.Initial()
	if err := plan.Mechanism().Holds(st); err != nil {
		return shell.Failed(m.Name, err)
	}
	p.Stage("solving", 0)
	if err := d.At(st); err != nil {
		return shell.Failed(m.Name, err)
	}
	p.Stage("differentiating", int64(len(list)))
	r := &AlongResult{Format: objective.ResultFormat, Name: m.Name, Time: st.Time}
	in, err := d.Named(list)
	if err != nil {
		return fmt.Errorf("%s: %w", f.along, err)
	}
	err = d.ForwardEach(in, derive.Options{Untried: f.untried}, func(out *derive.Changes, _ int) error {
		r.Directions = append(r.Directions, out.Named(0))
		r.Accuracy = max(r.Accuracy, out.Accuracy())
		p.Add(1)
		return nil
	})
	if err != nil {
		return shell.Failed(m.Name, err)
	}
	p.End()
	if f.json {
		return shell.WriteJSON(stdout, r)
	}
	return shell.Print(stdout, func(p *sheet.Page) { printAlong(p, r) })
}

// readDirections reads a document of directions.
func readDirections(path string) ([]derive.NamedDirection, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, shell.InputError(path, err)
	}
	defer file.Close()
	list, err := directions.Read(file, path)
	if err != nil {
		return nil, shell.InputError(path, err)
	}
	return list, nil
}

// printAlong writes r for people: for each direction a table of the changes of the bodies' accelerations.
func printAlong(p *sheet.Page, r *AlongResult) {
	p.Line("%s: derivatives along %s", sheet.ModelTitle(r.Name), sheet.Plural(len(r.Directions), "direction"))
	axes := func(what, unit string) sheet.Group {
		return sheet.Group{Columns: []sheet.Column{{Head: what + " x\n" + unit, Width: 10}, {Head: "y", Width: 10}, {Head: "z", Width: 10}}}
	}
	for k := range r.Directions {
		x := &r.Directions[k]
		p.Blank()
		p.Line("%s", fault.Name(x.Name))
		if x.Corrected > 0 {
			p.Line("the state follows the joints: its direction is corrected by %s", sheet.Short(x.Corrected))
		}
		body := sheet.Group{Columns: []sheet.Column{{Head: "body", Width: sheet.NameWidth, Left: true}}}
		t := p.Table(body, axes("com", "m/s²"), axes("turn", "rad/s²"))
		var most [2]float64
		for i := range x.Bodies {
			b := &x.Bodies[i]
			most[0], most[1] = max(most[0], b.ComAcceleration.Norm()), max(most[1], b.AngularAcceleration.Norm())
		}
		for i := range x.Bodies {
			b := &x.Bodies[i]
			row := []string{fault.Text(b.Name, sheet.NameWidth)}
			for k, v := range [2]spatial.Vec3{b.ComAcceleration, b.AngularAcceleration} {
				for _, c := range v {
					if math.Abs(c) <= roundTol*most[k] {
						c = 0
					}
					row = append(row, sheet.Narrow(c))
				}
			}
			t.Row(row...)
		}
	}
}

// roundTol is the size of a component, relative to the largest vector of all bodies, up to which it is printed as zero.
const roundTol = 1e-12
