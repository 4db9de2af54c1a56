package urdf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestTruth holds robots of others to the accelerations of another engine.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		dir, file, truth string
		o                source.Options
	}{
		{"urdf-5bar", "robot.urdf", "5bar_linkage_iso3d.rigid.truth.json", source.Options{Loops: "robot.yaml"}},
		{"urdf-strandbeest", "Strandbeest.urdf", "strandbeest.rigid.truth.json", source.Options{}},
		{"urdfplus-four-bar", "four_bar.urdf", "grbda_four_bar.rigid.truth.json", source.Options{}},
	} {
		t.Run(c.dir, func(t *testing.T) {
			truth := formatstest.ReadTruth(t, c.dir, c.truth)
			r, report, err := urdf.Read(formatstest.Files(t, c.dir), source.Name{Path: c.file}, &c.o)
			for k := range report.Entries {
				t.Log(report.Entries[k].String())
			}
			t.Logf("%+v", report.Counts)
			require.NoError(t, err)
			truth.Check(t, r)
		})
	}
}

// TestRuns closes a machine with 42 loops, and a gripper with couplings, and lets them move.
func TestRuns(t *testing.T) {
	t.Run("strandbeest", func(t *testing.T) {
		r, _, err := urdf.Read(formatstest.Files(t, "urdf-strandbeest"), source.Name{Path: "Strandbeest.urdf"}, &source.Options{})
		require.NoError(t, err)
		formatstest.Run(t, r.Model, 10, true)
	})
	t.Run("gripper", func(t *testing.T) {
		r, _ := read(t, "gripper.urdf", source.Options{Pose: map[string]float64{"wrist": 0.7}})
		formatstest.Run(t, r.Model, 10, true)
	})
}
