package fik_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
)

// table is a CSV file of numbers.
type table struct {
	names []string
	rows  [][]float64
}

func readTable(t testing.TB, file string) *table {
	t.Helper()
	f, err := os.Open(check.Reference(t, "ik", file))
	require.NoError(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(lines), 1)
	tab := &table{names: lines[0]}
	for _, line := range lines[1:] {
		row := make([]float64, len(line))
		for i, s := range line {
			row[i], err = strconv.ParseFloat(s, 64)
			require.NoError(t, err)
		}
		tab.rows = append(tab.rows, row)
	}
	return tab
}

// columns returns the numbers of the columns name, or of name1, name2, …
func (tab *table) columns(t testing.TB, name string, row int) []float64 {
	t.Helper()
	var v []float64
	for i, n := range tab.names {
		if end, ok := strings.CutPrefix(n, name); ok && (end == "" || !slices.ContainsFunc([]rune(end), func(r rune) bool { return r < '0' || r > '9' })) {
			v = append(v, tab.rows[row][i])
		}
	}
	require.NotEmpty(t, v, "column %s", name)
	return v
}

func readJSON(t testing.TB, file string, v any) {
	t.Helper()
	b, err := os.ReadFile(check.Reference(t, "ik", file))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, v))
}

// numbers is a number or a list in JSON.
type numbers []float64

func (n *numbers) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '[' {
		*n = make(numbers, 1)
		return json.Unmarshal(b, &(*n)[0])
	}
	return json.Unmarshal(b, (*[]float64)(n))
}

// flat returns the rows of a matrix, one after the other.
func flat(rows [][]float64) []float64 { return slices.Concat(rows...) }
