//go:build !small

package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLooks: no two lines look alike, as far as there are colours.
func TestLooks(t *testing.T) {
	all := []Line{
		{Family: "ladder", Method: "sparse"}, {Family: "ladder", Method: "tree-direct"}, {Family: "chain", Method: "sparse"}, {Family: "chain", Method: "tree-aba"},
	}
	list := looks(all)
	assert.Equal(t, list[0].color, list[1].color, "a colour a family")
	assert.Equal(t, list[0].glyph, list[2].glyph, "a glyph a method")
	for _, lines := range [][]Line{all, all[:2], {all[0], all[2]}} {
		list := looks(lines)
		for i := range list {
			for j := range i {
				assert.False(t, list[i].color == list[j].color && list[i].glyph == list[j].glyph)
			}
		}
	}
	var families []Line
	for i := range 2 * len(plotColors) {
		families = append(families, Line{Family: strconv.Itoa(i), Method: "tree-aba"})
	}
	list = looks(families)
	assert.Equal(t, list[0].color, list[len(plotColors)].color)
	assert.NotEqual(t, list[0].glyph, list[len(plotColors)].glyph)
}

// requireXML checks that a text is well-formed XML.
func requireXML(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

// TestLegendBeside: many lines have their legend beside the plot.
func TestLegendBeside(t *testing.T) {
	var lines []Line
	for i := range legendLines {
		lines = append(lines, Line{Name: strconv.Itoa(i), Family: strconv.Itoa(i), Method: "sparse", Bodies: []float64{10}, Time: []float64{1000}})
	}
	width := func(lines []Line) string {
		var out strings.Builder
		require.NoError(t, Growth(&out, "svg", lines))
		requireXML(t, out.String())
		return regexp.MustCompile(`width="[^"]*"`).FindString(out.String())
	}
	few, many := width(lines[1:]), width(lines)
	require.NotEmpty(t, few)
	assert.NotEqual(t, few, many)
}
