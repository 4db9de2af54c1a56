package urdf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

func robot(t *testing.T, folder, name string, o source.Options) *source.Result {
	t.Helper()
	r, report, err := urdf.Read(formatstest.Files(folder), source.Name{Path: name}, &o)
	for k := range report.Entries {
		t.Log(report.Entries[k].String())
	}
	t.Logf("%+v", report.Counts)
	require.NoError(t, err)
	formatstest.Sound(t, report)
	return r
}

// TestTruth holds own robots to the accelerations of a program with other coordinates.
func TestTruth(t *testing.T) {
	for name, o := range map[string]source.Options{"five-bar": {Loops: "five-bar.yaml"}, "walker": {}, "plus-four-bar": {}} {
		t.Run(name, func(t *testing.T) {
			folder := formatstest.Truths(t)
			formatstest.ReadTruth(t, folder, name+".truth.json").Check(t, robot(t, folder, name+".urdf", o))
		})
	}
}

// TestTruthOfOthers holds robots of others to the accelerations of another engine.
func TestTruthOfOthers(t *testing.T) {
	for _, c := range []struct {
		dir, file, truth string
		o                source.Options
	}{
		{"urdf-5bar", "robot.urdf", "5bar_linkage_iso3d.rigid.truth.json", source.Options{Loops: "robot.yaml"}},
		{"urdf-strandbeest", "Strandbeest.urdf", "strandbeest.rigid.truth.json", source.Options{}},
		{"urdfplus-four-bar", "four_bar.urdf", "grbda_four_bar.rigid.truth.json", source.Options{}},
	} {
		t.Run(c.dir, func(t *testing.T) {
			folder := formatstest.Others(t, c.dir)
			formatstest.ReadTruth(t, folder, c.truth).Check(t, robot(t, folder, c.file, c.o))
		})
	}
}

// TestRuns closes a machine with 18 loops, and a gripper with couplings, and lets them move.
func TestRuns(t *testing.T) {
	t.Run("walker", func(t *testing.T) {
		formatstest.Run(t, robot(t, formatstest.Truths(t), "walker.urdf", source.Options{}).Model, 10, true)
	})
	t.Run("gripper", func(t *testing.T) {
		r, _ := read(t, "gripper.urdf", source.Options{Pose: map[string]float64{"wrist": 0.7}})
		formatstest.Run(t, r.Model, 10, true)
	})
}

// TestRunsOfOthers closes a machine of others with 42 loops and lets it move.
func TestRunsOfOthers(t *testing.T) {
	formatstest.Run(t, robot(t, formatstest.Others(t, "urdf-strandbeest"), "Strandbeest.urdf", source.Options{}).Model, 10, true)
}
