package mjcf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

func truth(t *testing.T, folder, name, file string) {
	t.Helper()
	r, report, err := mjcf.Read(formatstest.Files(folder), source.Name{Path: name}, &source.Options{})
	for k := range report.Entries {
		t.Log(report.Entries[k].String())
	}
	t.Logf("%+v", report.Counts)
	require.NoError(t, err)
	formatstest.Sound(t, report)
	formatstest.ReadTruth(t, folder, file).Check(t, r)
}

// TestTruth holds own models to the accelerations of a program with other coordinates.
func TestTruth(t *testing.T) {
	for name, file := range map[string]string{
		"connect": "connect.xml", "weld": "weld.xml", "sites": "sites.xml", "biped.rigid": "biped.xml", "biped.full": "biped.xml",
	} {
		t.Run(name, func(t *testing.T) { truth(t, formatstest.Truths(t), file, name+".truth.json") })
	}
}

// TestTruthOfOthers holds models of others to the accelerations of another engine.
func TestTruthOfOthers(t *testing.T) {
	for _, c := range []struct{ dir, file, truth string }{
		{"mjcf-equality", "weld.xml", "mj_weld.rigid.truth.json"},
		{"mjcf-equality", "equality_site_body_compare.xml", "mj_site_body.rigid.truth.json"},
		{"mjcf-equality", "jdotv_connect_3d.xml", "mj_jdotv_connect.rigid.truth.json"},
		{"mjcf-equality", "jdotv_weld_3d.xml", "mj_jdotv_weld.rigid.truth.json"},
		{"mjcf-cassie", "cassie.xml", "cassie.rigid.truth.json"},
		{"mjcf-cassie", "cassie.xml", "cassie.full.truth.json"},
	} {
		t.Run(c.truth, func(t *testing.T) { truth(t, formatstest.Others(t, c.dir), c.file, c.truth) })
	}
}

// runs lets a robot with springs, rotors and loops fall and kick, with its dampers and without.
func runs(t *testing.T, folder, name, key string, seconds float64) {
	t.Helper()
	for _, damped := range []bool{false, true} {
		r, _, err := mjcf.Read(formatstest.Files(folder), source.Name{Path: name}, &source.Options{Key: key})
		require.NoError(t, err)
		for k := range r.Model.Joints {
			if !damped {
				r.Model.Joints[k].Damping = nil
			}
		}
		formatstest.Run(t, r.Model, seconds, !damped)
	}
}

func TestRuns(t *testing.T) { runs(t, formatstest.Truths(t), "biped.xml", "", 5) }

func TestRunsOfOthers(t *testing.T) {
	runs(t, formatstest.Others(t, "mjcf-cassie"), "cassie.xml", "home", 10)
}
