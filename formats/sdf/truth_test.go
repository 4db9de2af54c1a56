package sdf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/sdf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

func truth(t *testing.T, folder, name, file string) {
	t.Helper()
	r, report, err := sdf.Read(formatstest.Files(folder), source.Name{Path: name}, &source.Options{})
	require.NoError(t, err)
	formatstest.Sound(t, report)
	for _, e := range report.Entries {
		t.Log(e.String())
	}
	formatstest.ReadTruth(t, folder, file).Check(t, r)
}

// TestTruth holds an own model to the accelerations of a program with other coordinates.
func TestTruth(t *testing.T) {
	truth(t, formatstest.Truths(t), "biglide.sdf", "biglide.truth.json")
}

// TestTruthOfOthers holds a model of others to the accelerations of another engine.
func TestTruthOfOthers(t *testing.T) {
	truth(t, formatstest.Others(t, "sdf-biglide"), "biglide_closed.sdf", "biglide.rigid.truth.json")
}
