package main

import (
	"go/importer"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `package sample

const (
	tol   = 1e-9 // how far off a row may be. A smaller value costs time only.
	drop  = 0.1
	steps = 20
	price = 1e6 // Another value costs time only.
	least = 64    // Another value costs time only.
	tiny  = 1e-99 // Any value as small does.
)

func enough(off, was float64, kept bool, work int64) bool {
	if off <= tol && !kept || work > least && work > price {
		return true
	}
	limit := tol*was + tiny
	return off < (1-drop)*was && limit > 0 && work < steps
}
`

// Conditions are what && and || join where one of them has a tolerance; a comment takes one side out, of the constant, of its comparison
// and of what is joined to that.
func TestCollect(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sample.go")
	require.NoError(t, os.WriteFile(file, []byte(sample), 0o644))
	g := &guards{edited: map[string][]byte{}}
	require.NoError(t, g.collect(modulePath+"/sample", []string{file}, importer.Default()))

	type line struct {
		text       string
		less, more bool
	}
	var conditions, constants []line
	for _, c := range g.conditions {
		conditions = append(conditions, line{c.text, c.cost.less, c.cost.more})
	}
	for _, c := range g.constants {
		constants = append(constants, line{c.text, c.cost.less, c.cost.more})
	}
	require.Equal(t, []line{
		{"off <= tol", true, false},
		{"kept", false, true},        // that it is true makes off <= tol && !kept false
		{"work > least", true, true}, // a whole number is no tolerance, but may cost time only
		{"work > price", true, true},
		{"off < (1-drop)*was", false, false},
		{"limit > 0", false, false},
		{"work < steps", false, false},
	}, conditions)
	require.Equal(t, []line{{"tol = 1e-09", true, false}, {"price = 1e+06", true, true}, {"tiny = 1e-99", true, true}, {"drop = 0.1", false, false}}, constants)
	require.Contains(t, string(g.edited[file]), "if probe_.Bool(0, off <= probe_.Value[float64](0, tol)) && !probe_.Bool(1, kept) || "+
		"probe_.Bool(2, work > least) && probe_.Bool(3, work > probe_.Value[int64](1, price)) {")
	require.Contains(t, string(g.edited[file]), `package sample; import probe_ "`+probePath+`"`)
}

// Changes are those of the guards that a pattern matches; a pattern that matches none gives none, which run refuses.
func TestChanges(t *testing.T) {
	g := &guards{
		conditions: []guard{{text: "off <= tol"}},
		constants:  []guard{{text: "tol = 1e-09"}, {text: "least = 64"}},
	}
	g.constants[0].cost.less = true
	names := func(pattern string) (list []string, costs int) {
		changes, costs := g.changes(regexp.MustCompile(pattern))
		for _, c := range changes {
			list = append(list, c.name+"="+c.value)
		}
		return list, costs
	}
	list, costs := names("")
	require.Equal(t, []string{"c0=false", "c0=true", "k0=1000", "k1=0.001", "k1=1000"}, list)
	require.Equal(t, 1, costs)
	list, costs = names("least")
	require.Equal(t, []string{"k1=0.001", "k1=1000"}, list)
	require.Zero(t, costs)
	list, costs = names("no such guard")
	require.Empty(t, list)
	require.Zero(t, costs)
}

// A test that cannot be run does not count as one that has noticed a change.
func TestFails(t *testing.T) {
	failed, err := fails(exec.Command(filepath.Join(t.TempDir(), "missing")))
	require.Error(t, err)
	require.False(t, failed)
	failed, err = fails(exec.Command("go", "version"))
	require.NoError(t, err)
	require.False(t, failed)
	failed, err = fails(exec.Command("go", "no-such-command"))
	require.NoError(t, err)
	require.True(t, failed)
}
