package state

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// Cluster is a minimal loop cluster (RBDA §8.9): loops that share joints with each
// other and with no other loop, so that its counts are its own.
type Cluster struct {
	Joints    []string `json:"joints"`
	Bodies    []string `json:"bodies"`
	Loops     int      `json:"loops"`
	Mobility  int      `json:"mobility"` // of its bodies against each other, and against the world if it is in it
	Redundant int      `json:"redundant"`

	rows int // of its joints
	free int // freedoms of its bodies against each other, and the world, without joints
}

// clustersOf names the clusters of loops. Their mobility is that without
// constraints until count enters these.
func clustersOf(mech *mechanism.Mechanism) ([]Cluster, error) {
	plan, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		return nil, err
	}
	list := []Cluster{}
	for _, c := range plan.Clusters() {
		k := Cluster{Joints: []string{}, Bodies: []string{}, Loops: c.Loops, free: 6 * (len(c.Bodies) - 1)}
		if c.Ground {
			k.free += 6
		}
		for _, j := range c.Joints {
			k.Joints = append(k.Joints, mech.JointName(int(j)))
			k.rows += int(mech.Joints[j].Rows)
		}
		for _, b := range c.Bodies {
			k.Bodies = append(k.Bodies, mech.BodyName(int(b)))
		}
		list = append(list, k)
	}
	return list, nil
}

// countClusters enters the redundant rows of each cluster, those of its joints,
// and the mobility that remains: all redundancy is within loops.
func countClusters(list []Cluster, redundant []rung.RedundantJoint) {
	rows := make(map[string]int, len(redundant))
	for _, j := range redundant {
		rows[j.Name] = j.Rows
	}
	for i := range list {
		c := &list[i]
		c.Redundant = 0
		for _, j := range c.Joints {
			c.Redundant += rows[j]
		}
		c.Mobility = c.free - (c.rows - c.Redundant)
	}
}

// ClustersShown is how many clusters the table lists.
const ClustersShown = 10

func clusterText(a *Analysis) string {
	if len(a.Clusters) == 0 {
		return "none: no loops"
	}
	return fmt.Sprintf("%d, with %s", len(a.Clusters), sheet.Plural(a.Loops, "loop"))
}

// printClusters writes the first clusters with what is in them.
func printClusters(p *sheet.Page, list []Cluster) {
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

// SomeNames joins as many of the names as go into width columns.
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
