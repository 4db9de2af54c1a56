package state

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/results"
)

func TestDependentText(t *testing.T) {
	row := func(joint, row string) results.Row { return results.Row{Joint: joint, Row: row} }
	for _, c := range []struct {
		of   results.DependentRow
		want string
	}{
		{results.DependentRow{Row: row("hub", "along z"), From: []results.Row{row("a", "touch"), row("axle", "along z"), row("b", "touch")}},
			"touch of a, b; along z of hub, axle: each follows from the others"},
		{results.DependentRow{Row: results.Row{Coupling: "belt"}, From: []results.Row{{Coupling: "mesh"}}}, "coupling belt, mesh: each follows from the others"},
		{results.DependentRow{Row: row("a", "about x"), From: []results.Row{row("b", "about x"), row("c", "about x"), row("d", "about x"), row("e", "about x")}},
			"about x of a, b, c, d and 1 more: each follows from the others"},
		{results.DependentRow{Row: row("a", "touch")}, "touch of a demands nothing here"},
	} {
		assert.Equal(t, c.want, dependentText(&c.of))
	}
}
