package main

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// cluster is a minimal loop cluster (RBDA §8.9): loops that share joints with each
// other and with no other loop, so that its counts are its own.
type cluster struct {
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
func clustersOf(mech *mechanism.Mechanism) ([]cluster, error) {
	plan, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		return nil, err
	}
	list := []cluster{}
	for _, c := range plan.Clusters() {
		k := cluster{Joints: []string{}, Bodies: []string{}, Loops: c.Loops, free: 6 * (len(c.Bodies) - 1)}
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
func countClusters(list []cluster, redundant []rung.RedundantJoint) {
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

// clustersShown is how many clusters the table lists.
const clustersShown = 10

func clusterText(a *analysis) string {
	if len(a.Clusters) == 0 {
		return "none: no loops"
	}
	return fmt.Sprintf("%d, with %s", len(a.Clusters), plural(a.Loops, "loop"))
}

// printClusters writes the first clusters with what is in them.
func printClusters(w io.Writer, list []cluster) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%-8s%7s%8s%8s%10s%11s  joints\n", "cluster", "loops", "joints", "bodies", "mobility", "redundant")
	for i := range list[:min(clustersShown, len(list))] {
		c := &list[i]
		line := fmt.Sprintf("%-8d%7d%8d%8d%10d%11d  ", i+1, c.Loops, len(c.Joints), len(c.Bodies), c.Mobility, c.Redundant)
		fmt.Fprintln(w, line+someNames(c.Joints, tableWidth-utf8.RuneCountInString(line)))
	}
	if n := len(list) - clustersShown; n > 0 {
		fmt.Fprintf(w, "… and %d more\n", n)
	}
}

// someNames joins as many of the names as go into width columns.
func someNames(names []string, width int) string {
	const more = ", …"
	text := ""
	for i, n := range names {
		room := width - utf8.RuneCountInString(text)
		if i < len(names)-1 {
			room -= utf8.RuneCountInString(more)
		}
		n = fault.Text(n, textWidth)
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
