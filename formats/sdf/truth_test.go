package sdf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/sdf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestTruth holds a model of others to the accelerations of another engine.
func TestTruth(t *testing.T) {
	files := formatstest.Files(t, "sdf-biglide")
	r, report, err := sdf.Read(files, source.Name{Path: "biglide_closed.sdf"}, &source.Options{})
	require.NoError(t, err)
	for _, e := range report.Entries {
		t.Log(e.String())
	}
	formatstest.ReadTruth(t, "sdf-biglide", "biglide.rigid.truth.json").Check(t, r)
}
