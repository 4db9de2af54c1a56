package state

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
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
