package model_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// TestLongLists: lists that no model can have are refused without being stored.
func TestLongLists(t *testing.T) {
	check.Long(t)
	const entries = 2_000_000
	list := "[" + strings.Repeat("0,", entries-1) + "0]"
	start := `{"format": "rung-model/1", "bodies": [{"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
"joints": [{"name": "j", "type": "revolute", "predecessor": "world", "successor": "a", `
	for field, c := range map[string]struct{ text, path, rule string }{
		"force":  {`"force": ` + list, "$.joints[0].force", "wrong length 2000000, must have at most 64 entries"},
		"turns":  {`"turns": ` + list, "$.joints[0].turns", "wrong length 2000000, must have at most 64 entries"},
		"motion": {`"motion": ` + list, "$.joints[0].motion", "wrong length 2000000, must have at most 64 entries"},
		"coefficients": {
			`"motion": [{"kind": "polynomial", "coefficients": ` + list + `}]`,
			"$.joints[0].motion[0].coefficients", "wrong length 2000000, must have at most 1000 entries",
		},
	} {
		t.Run(field, func(t *testing.T) {
			doc := strings.NewReader(start + c.text + "}]}")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := model.Read(doc, "f")
			runtime.ReadMemStats(&after)
			got := problems(t, err)
			require.Equal(t, c.path, got[len(got)-1].Path)
			require.Equal(t, c.rule, got[len(got)-1].Rule)
			// A number of the list takes eight bytes.
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*entries))
		})
	}
	m := sample()
	m.Joints[0] = model.Joint{
		Name: "j", Type: model.Revolute, Predecessor: model.World, Successor: m.Bodies[0].Name,
		Motion: []*model.Motion{{Kind: model.Polynomial, Coefficients: make([]float64, joints.MaxCoefficients+1)}},
	}
	require.ErrorContains(t, model.Check(m), "$.joints[0].motion[0].coefficients: wrong length 1001, must have at most 1000 entries")
}

// TestNamesInMessages: a problem is one line that no terminal obeys, whatever the names are.
func TestNamesInMessages(t *testing.T) {
	m := sample()
	m.Joints[0].Predecessor = "no\x1b[2Jsuch\n\u202ebody" + strings.Repeat("x", 1000)
	text := model.Check(m).Error()
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "\u202e")
	require.Contains(t, text, `"no\x1b[2Jsuch\n\u202ebodyx`)
	require.Less(t, len(text), 2000)
}
