package asmt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/asmt"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestTruth holds models of others to the motions and accelerations that another solver computed.
func TestTruth(t *testing.T) {
	for _, name := range []string{"piston", "fourbar"} {
		t.Run(name, func(t *testing.T) {
			files := formatstest.Files(t, "asmt-"+name)
			r, report, err := asmt.Read(files, source.Name{Path: name + ".asmt"}, &source.Options{})
			require.NoError(t, err)
			require.Zero(t, report.Counts.Dropped)
			formatstest.ReadTruth(t, "asmt-"+name, name+".truth.json").Check(t, r)
		})
	}
}
