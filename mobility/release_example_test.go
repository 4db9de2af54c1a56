package mobility_test

import (
	"fmt"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mobility"
)

// A four-bar window in space has three redundant rows: its rods lie in parallel planes whatever their length. With a
// looser joint it fits when its parts are not exact.
func ExampleFindReleases() {
	m, _ := bench.NFourBar(1, 0.5, 1)
	p, _ := rung.NewPlan(m, rung.Options{})
	n, err := mobility.Compare(p, p.Initial())
	if err != nil {
		panic(err)
	}
	r, err := mobility.FindReleases(m, n.At)
	if err != nil {
		panic(err)
	}
	for _, j := range r.Releases {
		fmt.Printf("%s: %s instead of %s\n", j.Joint, j.Suggest, j.Type)
	}
	fmt.Printf("%d rows, %d redundant, mobility %d\n", r.Counts.Rows, r.Counts.Redundant, r.Counts.Mobility)
	// Output:
	// r0: sphere_in_cylinder instead of revolute
	// 17 rows, 0 redundant, mobility 1
}

// The loops of a window, with their own counts.
func ExampleClusters() {
	m, _ := bench.NFourBar(3, 0.5, 1)
	p, _ := rung.NewPlan(m, rung.Options{})
	rows, err := p.RedundantRows(p.Initial())
	if err != nil {
		panic(err)
	}
	list := mobility.Clusters(p.Mechanism(), rows)
	for _, c := range list {
		fmt.Printf("%d loops of %d joints: mobility %d, %d redundant rows\n", c.Loops, len(c.Joints), c.Mobility, c.Redundant)
	}
	// Output:
	// 3 loops of 10 joints: mobility 1, 9 redundant rows
}
