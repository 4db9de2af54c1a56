package state

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
)

// TestRankDiffers: the table and the document say so.
func TestRankDiffers(t *testing.T) {
	m, err := rung.Open(filepath.Join("..", "..", "..", "..", "reference", "golden", "four-bar.model.json"))
	require.NoError(t, err)
	res, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	r := res
	r.RankDiffers = &results.RankDiffers{Sparse: 18, Text: "tree-direct finds rank 17, the sparse method 18"}
	var text, doc bytes.Buffer
	page := sheet.NewPage(&text, sheet.Widest)
	printSummary(page, r, newJointDigest(each(r.Joints), 0))
	require.NoError(t, page.Flush())
	require.Contains(t, text.String(), "RANK DIFFERS: tree-direct finds rank 17, the sparse method 18")
	require.NoError(t, WriteResult(&doc, r))
	var back struct {
		RankDiffers *results.RankDiffers `json:"rank_differs"`
	}
	require.NoError(t, json.Unmarshal(doc.Bytes(), &back))
	require.Equal(t, r.RankDiffers, back.RankDiffers)
}

// TestSummaryHolds: what the summary says of the state is what mechanism.Mechanism.Holds does, for which rates of fast bodies may be
// further off, and lengths of small mechanisms less.
func TestSummaryHolds(t *testing.T) {
	const body = `{"format": "rung-model/1", "bodies": [{"name": "a", "mass": 1, "inertia": {"xx": 1e-4, "yy": 1e-4, "zz": 1e-4}, `
	const pin = `"joints": [{"name": "pin", "type": "revolute", "predecessor": "world", "successor": "a",
		"successor_frame": {"position": [-0.01, 0, 0]}}]}`
	for _, c := range []struct{ name, state, want string }{
		{"fast", `"pose": {"position": [0.01, 0, 0]}, "velocity": {"linear": [0, 10.00001, 0], "angular": [0, 0, 1000]}}], `, "joints closed to 0 in position, 1e-05 in velocity\n"},
		{"small", `"pose": {"position": [0.0100005, 0, 0]}}], `, "joints closed to 5e-07 in position, 0 in velocity; VIOLATES pin\n"},
		{"far", `"pose": {"position": [0.0101, 0, 0]}}], `, "VIOLATES joint pin by 0.0001 in position (m or rad)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := model.Read(strings.NewReader(body+c.state+pin), "doc")
			require.NoError(t, err)
			res, err := rung.Accelerate(m, rung.Options{})
			require.NoError(t, err)
			var text bytes.Buffer
			page := sheet.NewPage(&text, sheet.Widest)
			printSummary(page, res, newJointDigest(each(res.Joints), 0))
			require.NoError(t, page.Flush())
			require.Contains(t, text.String(), c.want)
		})
	}
}
