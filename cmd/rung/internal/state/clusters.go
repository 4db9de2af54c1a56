package state

import (
	"strconv"
	"unicode/utf8"

	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mobility"
)

// ClustersShown is the largest number of clusters in the table.
const ClustersShown = 10

// printClusters prints a table of the first clusters: their loops, joints, bodies, mobility and redundant rows, and names
// of joints as far as the line has room. It prints nothing for an empty list.
func printClusters(p *sheet.Page, list []mobility.Cluster) {
	if len(list) == 0 {
		return
	}
	p.Blank()
	t := p.Table(
		sheet.Group{Columns: []sheet.Column{{Head: "cluster", Width: 8, Left: true}, {Head: "loops", Width: 7}, {Head: "joints", Width: 8}, {Head: "bodies", Width: 8}}},
		sheet.Group{Columns: []sheet.Column{{Head: "mobility", Width: 10}, {Head: "redundant", Width: 11}}},
		sheet.Group{Columns: []sheet.Column{{Width: 2}, {Head: "joints", Left: true}}},
	)
	for i := range list[:min(ClustersShown, len(list))] {
		c := &list[i]
		t.Row(strconv.Itoa(i+1), strconv.Itoa(c.Loops), strconv.Itoa(len(c.Joints)), strconv.Itoa(len(c.Bodies)),
			strconv.Itoa(c.Mobility), strconv.Itoa(c.Redundant), "", SomeNames(c.Joints, t.Rest()))
	}
	p.More(len(list)-ClustersShown, "")
}

// SomeNames joins the first names with commas, as many as fit into width characters, and adds an ellipsis if some are left out.
// The first name is cut to fit if it is too long itself.
func SomeNames(names []string, width int) string {
	const more = ", …"
	text := ""
	for i, n := range names {
		room := width - utf8.RuneCountInString(text)
		if i < len(names)-1 {
			room -= utf8.RuneCountInString(more)
		}
		n = fault.Text(n, sheet.TextWidth)
		if i == 0 {
			n = fault.Text(names[0], room)
		} else {
			n = ", " + n
		}
		if utf8.RuneCountInString(n) > room {
			return text + more
		}
		text += n
	}
	return text
}
