package main

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPathWithoutSingularValues: along a path, a method that computes no singular values writes none; 0 is that of a singular pose.
func TestPathWithoutSingularValues(t *testing.T) {
	reach := func(name string) string { return filepath.Join("..", "..", "examples", "reach", name) }
	for method, computed := range map[string]bool{"sparse": false, "dls": true} {
		out := filepath.Join(t.TempDir(), "x.csv")
		args := []string{"ik", reach("stewart.json"), reach("circle.json"), "--method", method}
		page := ok(t, append(args, "--out", out)...)
		require.Equal(t, computed, strings.Contains(page, "least singular value"), method)
		rows, err := csv.NewReader(strings.NewReader(readText(t, out))).ReadAll()
		require.NoError(t, err)
		require.Greater(t, len(rows), 2)
		for _, name := range []string{"sigma.min", "manipulability"} {
			column := slices.Index(rows[0], name)
			for _, row := range rows[1:] {
				require.Equal(t, computed, row[column] != "", "%s, %s: %q", method, name, row[column])
			}
		}
		var doc struct {
			Path struct {
				Sigma *float64 `json:"sigma_min"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(ok(t, append(args, "--json")...)), &doc))
		require.Equal(t, computed, doc.Path.Sigma != nil, method)
		if computed {
			require.Positive(t, *doc.Path.Sigma)
		}
	}
}
