package reach

import (
	"fmt"
	"math"
	"strconv"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/fault"
)

// rows is the largest number of rows of a table.
const rows = 20

// print writes the result for people.
func (r *posing) print(p *sheet.Page, result *ik.Result) {
	if result.Path != nil {
		r.printPath(p, result)
		return
	}
	r.head(p, result)
	p.Blank()
	printTargets(p, "", result.Targets)
	p.Blank()
	r.printDriven(p, result)
	p.Blank()
	printJacobian(p, result)
	printSolutions(p, result)
}

// head writes the outcome of the search and, if it failed, the reason.
func (r *posing) head(p *sheet.Page, result *ik.Result) {
	mech := r.plan.Mechanism()
	found := "targets reached"
	if result.Status != ik.Reached {
		found = "targets not reached"
	}
	again := ""
	if result.Restarts > 0 {
		again = " and " + sheet.Plural(result.Restarts, "restart")
	}
	p.Line("%s: %s, %s, %s after %s%s", sheet.ModelTitle(mech.Name), sheet.Plural(mech.NumBodies(), "body"),
		sheet.Plural(mech.NumJoints(), "joint"), found, sheet.Plural(result.Steps, "step"), again)
	if text := r.explain(result); text != "" {
		p.Line("%s", text)
	}
}

// printTargets writes the errors of targets. most goes before the heads of their columns, "most\n" for the largest errors of a path.
func printTargets(p *sheet.Page, most string, targets []ik.TargetResult) {
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "target", Width: 17, Left: true}}},
		sheet.Group{Columns: []sheet.Column{{Head: most + "off, m", Width: 10}, {Head: most + "off, rad", Width: 10}, {Head: "level", Width: 6}, {Width: 2}, {Width: 11, Left: true}}},
	)
	for i := range targets {
		if i == rows {
			p.More(len(targets)-i, "")
			return
		}
		g := &targets[i]
		met := "reached"
		if !g.Reached {
			met = "not reached"
		}
		t.Row("  "+fault.Text(g.Name, sheet.NameWidth), sheet.Narrow(g.Linear), sheet.Narrow(g.Angular), strconv.Itoa(g.Priority), "", met)
	}
}

// printDriven writes the coordinates of the driven freedoms, and the limits that they are at.
func (r *posing) printDriven(p *sheet.Page, result *ik.Result) {
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "driven", Width: 17, Left: true}, {Width: 11}, {Width: 1}, {Width: 5, Left: true}}},
		sheet.Group{Columns: []sheet.Column{{Width: len(sides[-1]), Left: true}}},
	)
	for i := range result.Driven {
		if i == rows {
			p.More(len(result.Driven)-i, "")
			return
		}
		d := &result.Driven[i]
		t.Row("  "+r.freedom(i), sheet.Short(d.Value), "", r.unit(i), sides[d.Limit])
	}
}

// unit returns the unit of driven freedom i.
func (r *posing) unit(i int) string {
	f := r.problem.Driven()[i]
	if r.plan.Mechanism().Joints[f.Joint].Kind.Rotational(f.Freedom) {
		return "rad"
	}
	return "m"
}

// printJacobian writes the method, the singular values and the rank, and the warnings of the result.
func printJacobian(p *sheet.Page, result *ik.Result) {
	s := result.SingularValues
	text := "none"
	switch {
	case len(s) == 1:
		text = sheet.Digits3(s[0])
	case len(s) > 1:
		text = sheet.Digits3(s[0]) + " … " + sheet.Digits3(s[len(s)-1])
	}
	p.Item("method", fmt.Sprintf("%v, engine %v", result.Method, result.Engine))
	if result.Rank != ik.NotComputed {
		p.Item("singular", fmt.Sprintf("values %s of the Jacobian, rank %d", text, result.Rank))
		p.Item("free", sheet.Plural(result.NullMotions, "motion")+" of the driven freedoms that the targets leave")
	}
	p.Item("joints", "closed to "+sheet.Digits2(result.ClosingError))
	if len(result.Outside) > 0 {
		p.Item("warning", "outside their limits at the start, to which the first step went: "+fault.List(result.Outside))
	}
	if len(result.Following) > 0 {
		p.Item("following", followers(result.Following))
	}
}

// followers returns the text about driven freedoms that follow from the others.
func followers(list []ik.DrivenResult) string {
	names := make([]string, len(list))
	for i, d := range list {
		if names[i] = fmt.Sprintf("%s.%d", d.Joint, d.Freedom); d.Limit != 0 {
			names[i] += " (" + sides[d.Limit] + " or beyond)"
		}
	}
	return "more freedoms are driven than the mechanism moves: " + fault.List(names)
}

// printSolutions writes the distinct solutions of --all.
func printSolutions(p *sheet.Page, result *ik.Result) {
	if len(result.Solutions) == 0 {
		return
	}
	p.Blank()
	p.Line("%s", sheet.Plural(len(result.Solutions), "distinct solution"))
	for i, q := range result.Solutions {
		if i == rows {
			p.More(len(result.Solutions)-i, "")
			return
		}
		text := ""
		for _, x := range q {
			text += sheet.Short(x) + " "
		}
		p.Item(fmt.Sprintf("  %d", i+1), text)
	}
}

// printPath writes the result of a path.
func (r *posing) printPath(p *sheet.Page, result *ik.Result) {
	mech, all := r.plan.Mechanism(), result.Path
	path := "path followed to " + sheet.Short(all.End) + " s"
	if r.log.ended {
		path = fmt.Sprintf("path left at %s s of %s s", sheet.Short(all.End), sheet.Short(r.task.Path.Times[len(r.task.Path.Times)-1]))
	}
	p.Line("%s: %s, %s, %s in %s", sheet.ModelTitle(mech.Name), sheet.Plural(mech.NumBodies(), "body"),
		sheet.Plural(mech.NumJoints(), "joint"), path, sheet.Plural(all.Samples, "sample"))
	switch {
	case all.Missed == 0:
	case r.log.ended:
		p.Line("%s", r.explain(result))
	case r.task.Path.Exact:
		p.Line("off by more than the tolerances at %s, where the nearest pose is taken", sheet.Plural(all.Missed, "sample"))
	default:
		p.Line("off by more than the tolerances at %s; \"exact\": true in the path meets all targets at each", sheet.Plural(all.Missed, "sample"))
	}
	p.Blank()
	printTargets(p, "most\n", all.Largest)
	p.Blank()
	r.printMotions(p)
	p.Blank()
	p.Item("method", fmt.Sprintf("%v, engine %v", result.Method, result.Engine))
	if !math.IsNaN(all.SigmaMin) {
		p.Item("singular", "least singular value "+sheet.Digits3(all.SigmaMin))
	}
}

// printMotions writes the range of the coordinate and the largest rate of each driven freedom.
func (r *posing) printMotions(p *sheet.Page) {
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "driven", Width: 17, Left: true}}},
		sheet.Group{Columns: []sheet.Column{{Head: "least", Width: 10}, {Head: "greatest", Width: 10}, {Head: "rate", Width: 11}, {Width: 1}, {Width: 5, Left: true}}},
	)
	for i := range r.problem.Driven() {
		if i == rows {
			p.More(len(r.problem.Driven())-i, "")
			return
		}
		lo, hi, rate := math.Inf(1), math.Inf(-1), 0.0
		for _, s := range r.log.samples {
			lo, hi, rate = min(lo, s.q[i]), max(hi, s.q[i]), max(rate, math.Abs(s.rate[i]))
		}
		t.Row("  "+r.freedom(i), sheet.Narrow(lo), sheet.Narrow(hi), sheet.Narrow(rate), "", r.unit(i)+"/s")
	}
}
