package mjcf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestTruth holds models of others to the accelerations of another engine.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		dir, file, truth string
		o                source.Options
	}{
		{"mjcf-equality", "weld.xml", "mj_weld.rigid.truth.json", source.Options{}},
		{"mjcf-equality", "equality_site_body_compare.xml", "mj_site_body.rigid.truth.json", source.Options{}},
		{"mjcf-equality", "jdotv_connect_3d.xml", "mj_jdotv_connect.rigid.truth.json", source.Options{}},
		{"mjcf-equality", "jdotv_weld_3d.xml", "mj_jdotv_weld.rigid.truth.json", source.Options{}},
		{"mjcf-cassie", "cassie.xml", "cassie.rigid.truth.json", source.Options{}},
		{"mjcf-cassie", "cassie.xml", "cassie.full.truth.json", source.Options{}},
	} {
		t.Run(c.truth, func(t *testing.T) {
			truth := formatstest.ReadTruth(t, c.dir, c.truth)
			r, report, err := mjcf.Read(formatstest.Files(t, c.dir), source.Name{Path: c.file}, &c.o)
			for k := range report.Entries {
				t.Log(report.Entries[k].String())
			}
			t.Logf("%+v", report.Counts)
			require.NoError(t, err)
			truth.Check(t, r)
		})
	}
}

// TestRuns lets a robot with springs, rotors and loops fall and kick, with its dampers and without.
func TestRuns(t *testing.T) {
	for _, damped := range []bool{false, true} {
		r, _, err := mjcf.Read(formatstest.Files(t, "mjcf-cassie"), source.Name{Path: "cassie.xml"}, &source.Options{Key: "home"})
		require.NoError(t, err)
		for k := range r.Model.Joints {
			if !damped {
				r.Model.Joints[k].Damping = nil
			}
		}
		formatstest.Run(t, r.Model, 10, !damped)
	}
}
