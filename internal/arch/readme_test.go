package arch_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadmeFigures: what README.md says of peers is what docs/benchmarks.md has measured.
func TestReadmeFigures(t *testing.T) {
	readme, benchmarks := page(t, "README.md"), page(t, "docs/benchmarks.md")
	measured := map[string][]string{} // by mechanism and step
	mechanism := ""
	for _, cells := range tableRows(t, benchmarks, "### Beside MuJoCo") {
		if cells[0] != "" {
			mechanism = cells[0]
		}
		measured[mechanism+", "+cells[1]] = cells[2:]
	}
	compared, rows := 0, tableRows(t, readme, "## Beside others")
	for i, row := range rows {
		name, step, ok := strings.Cut(strings.TrimSuffix(row[0], ": time"), ", step of ")
		if !ok {
			continue
		}
		known := map[string]string{"four-bar": "four-bar", "Andrews' mechanism": "Andrews", "Stewart platform": "Stewart"}[name]
		m := measured[known+", RK4, "+step]
		require.NotEmpty(t, m, row[0])
		compared++
		number := strings.NewReplacer(" ns", "", " m", "", " ", "", "·10⁻", "e-", "¹", "1", "⁹", "9", "³", "3", "⁴", "4", "⁵", "5")
		assert.Equal(t, []string{m[2], m[0]}, []string{number.Replace(row[1]), number.Replace(row[3])}, row[0])
		errors := rows[i+1]
		assert.Equal(t, []string{m[3], m[1]}, []string{number.Replace(errors[1]), number.Replace(errors[3])}, errors[0])
	}
	assert.Equal(t, 3, compared)

	least, most := map[string]float64{}, map[string]float64{}
	for _, cells := range tableRows(t, benchmarks, "## Figures") {
		figure, _, _ := strings.Cut(cells[0], ":")
		v, err := strconv.ParseFloat(cells[2], 64)
		require.NoError(t, err)
		if least[figure] == 0 {
			least[figure], most[figure] = v, v
		}
		least[figure], most[figure] = min(least[figure], v), max(most[figure], v)
	}
	ldl, all := "factor + solve / SuiteSparse LDL", "factor / fastest of all solvers"
	assert.Contains(t, strings.Join(strings.Fields(readme), " "), fmt.Sprintf("in %.2f to %.2f of the time of SuiteSparse LDL, and factors a net in %.2f to %.2f of the time of the fastest",
		least[ldl], most[ldl], least[all], most[all]))
}

// TestEveryPageIsListed: README.md and the index of docs lead to every page.
func TestEveryPageIsListed(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	require.NoError(t, err)
	for _, p := range pages {
		name := filepath.Base(p)
		assert.True(t, strings.Contains(page(t, "README.md"), "](docs/"+name+")"), "README.md does not link docs/%s", name)
		assert.True(t, name == "README.md" || strings.Contains(page(t, "docs/README.md"), "]("+name+")"), "docs/README.md does not link %s", name)
	}
}
