package state

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

const (
	listed = 20    // largest number of bodies, and of joints, in a table without --all
	noise  = 1e-12 // a value below this part of the largest one in its table is shown as 0
)

// printResult writes r: tables of the first bodies and joints, at most most of each, then the summary (printSummary).
func printResult(p *sheet.Page, r *rung.Result, e entries, most int) {
	title := fmt.Sprintf("%s at %s s: %s, %s", sheet.ModelTitle(r.Name), sheet.Short(r.Time), sheet.Plural(e.numBodies, "body"), sheet.Plural(e.numJoints, "joint"))
	if r.Ranks != nil {
		title += ", in " + sheet.Plural(r.Ranks.Ranks, "piece")
	}
	p.Line("%s", title)
	printBodies(p, e, most)
	joints := newJointDigest(e.joints, min(e.numJoints, most))
	if r.Knows("joints.total_wrench") {
		printTable(p, "joint", [2]string{"force, N", "moment, N m"}, joints.rows, joints.scale)
		printMore(p, e.numJoints-len(joints.rows), "joint")
		printCouplings(p, r.Couplings, most)
	}
	printSummary(p, r, joints)
}

// printBodies writes the table of the accelerations of the first bodies, at most most of them.
func printBodies(p *sheet.Page, e entries, most int) {
	var rows []row
	var scale [2]float64
	for b := range e.bodies {
		v := [2]spatial.Vec3{b.ComAcceleration, b.AngularAcceleration}
		enlarge(&scale, &v)
		if len(rows) < most {
			rows = append(rows, row{name: b.Name, v: v})
		}
	}
	printTable(p, "body", [2]string{"com acceleration, m/s²", "angular acceleration, rad/s²"}, rows, scale)
	printMore(p, e.numBodies-len(rows), "body")
}

// printCouplings writes the table of the first couplings, at most most of them: multipliers, whose units depend on the coupling,
// and the residuals at the state.
func printCouplings(p *sheet.Page, list []results.Coupling, most int) {
	if len(list) == 0 {
		return
	}
	p.Blank()
	t := p.Table(sheet.Group{Title: "coupling", Columns: []sheet.Column{{Width: sheet.NameWidth, Left: true}}},
		sheet.Group{Title: "", Columns: []sheet.Column{{Head: "multiplier ", Width: 12}, {Head: "off by ", Width: 11}, {Head: "rate off by ", Width: 13}}})
	for i := range list[:min(len(list), most)] {
		c := &list[i]
		mark := " "
		if !c.MultiplierUnique {
			mark = "*"
		}
		t.Row(fault.Text(c.Name, sheet.NameWidth-1), sheet.Narrow(c.Multiplier)+mark, sheet.Narrow(c.PositionResidual)+" ", sheet.Narrow(c.VelocityResidual)+" ")
	}
	printMore(p, len(list)-min(len(list), most), "coupling")
}

// printTable writes rows of two vectors each, with an asterisk behind marked numbers. scale has the largest magnitude in each
// of the two columns of vectors. A number below noise times its scale is shown as 0.
func printTable(p *sheet.Page, kind string, heads [2]string, rows []row, scale [2]float64) {
	if len(rows) == 0 {
		return
	}
	p.Blank()
	groups := []sheet.Group{{Title: kind, Columns: []sheet.Column{{Width: sheet.NameWidth, Left: true}}}}
	for _, head := range heads { // a blank or mark behind each number
		groups = append(groups, sheet.Group{Title: head + " ", Columns: []sheet.Column{{Head: "x ", Width: 11}, {Head: "y ", Width: 11}, {Head: "z ", Width: 11}}})
	}
	t := p.Table(groups...)
	for i := range rows {
		cells := []string{fault.Text(rows[i].name, sheet.NameWidth-1)}
		for k := range 6 {
			mark := " "
			if rows[i].mark>>k&1 == 1 {
				mark = "*"
			}
			x := rows[i].v[k/3][k%3]
			if math.Abs(x) < noise*scale[k/3] {
				x = 0
			}
			cells = append(cells, sheet.Narrow(x)+mark)
		}
		t.Row(cells...)
	}
}

// printMore writes how many bodies, joints or couplings (kind) the table above leaves out; nothing if n is not above 0.
func printMore(p *sheet.Page, n int, kind string) {
	p.More(n, " "+strings.TrimPrefix(sheet.Plural(n, kind), strconv.Itoa(n)+" ")+" (--all lists them)")
}
