package main

import (
	"go/importer"
	"os"
	"path/filepath"
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
