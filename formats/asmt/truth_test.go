package asmt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/asmt"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

func truth(t *testing.T, folder, name string) {
	t.Helper()
	r, report, err := asmt.Read(formatstest.Files(folder), source.Name{Path: name + ".asmt"}, &source.Options{})
	require.NoError(t, err)
	formatstest.Sound(t, report)
	require.Zero(t, report.Counts.Dropped)
	formatstest.ReadTruth(t, folder, name+".truth.json").Check(t, r)
}

// TestTruth holds own assemblies to the motions and accelerations of a program with other coordinates.
func TestTruth(t *testing.T) {
	for _, name := range []string{"piston", "four-bar-driven"} {
		t.Run(name, func(t *testing.T) { truth(t, formatstest.Truths(t), name) })
	}
}

// TestTruthOfOthers holds models of others to the motions and accelerations that another solver computed.
func TestTruthOfOthers(t *testing.T) {
	for _, name := range []string{"piston", "fourbar"} {
		t.Run(name, func(t *testing.T) { truth(t, formatstest.Others(t, "asmt-"+name), name) })
	}
}
