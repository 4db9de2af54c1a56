package state

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/results"
)

const (
	namedDependent = 4 // largest number of dependent sets of rows that are explained
	namedPartners  = 4 // largest number of joints and couplings that are named for each kind of row
)

// printDependent writes a line for each of the first sets of linearly dependent rows.
func printDependent(p *sheet.Page, list []results.DependentRow) {
	for i := range list {
		if i == namedDependent {
			p.Item("", fmt.Sprintf("and %s more, which --json explains", sheet.Plural(len(list)-i, "row")))
			return
		}
		p.Item("", dependentText(&list[i]))
	}
}

// dependentText names the rows of a linearly dependent set by kind: rows of touch, of rolling and of couplings come first. Rows along and
// about the axes of joints follow, as they often only connect the first ones. A set of one row is a row that constrains nothing.
func dependentText(d *results.DependentRow) string {
	type group struct {
		row   string
		names []string
	}
	var groups []group
	for _, r := range append([]results.Row{d.Row}, d.From...) {
		k := slices.IndexFunc(groups, func(g group) bool { return g.row == r.Row })
		if k < 0 {
			k = len(groups)
			groups = append(groups, group{row: r.Row})
		}
		groups[k].names = append(groups[k].names, fault.Text(r.Joint+r.Coupling, sheet.TextWidth))
	}
	slices.SortStableFunc(groups, func(a, b group) int { return plainRow(a.row) - plainRow(b.row) })
	texts := make([]string, len(groups))
	for i, g := range groups {
		texts[i] = g.row + " of "
		if g.row == "" {
			texts[i] = "coupling "
		}
		texts[i] += strings.Join(g.names[:min(len(g.names), namedPartners)], ", ")
		if more := len(g.names) - namedPartners; more > 0 {
			texts[i] += fmt.Sprintf(" and %d more", more)
		}
	}
	text := strings.Join(texts, "; ")
	if len(d.From) == 0 {
		return text + " demands nothing here"
	}
	return text + ": each follows from the others"
}

// plainRow returns 1 for a row along or about an axis of a joint, else 0: a key to sort by.
func plainRow(row string) int {
	if strings.HasPrefix(row, "along ") || strings.HasPrefix(row, "about ") {
		return 1
	}
	return 0
}
