package model_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/model"
)

// TestReadAxes: what is wrong with the axes of a composite joint is named
// with its place, and the schema refuses it as far as one place shows it.
func TestReadAxes(t *testing.T) {
	const J = "$.joints[0]"
	const z, x = `{"kind": "revolute", "axis": [0, 0, 1]}`, `{"kind": "prismatic", "axis": [1, 0, 0]}`
	s := schematest.Compile(t, model.Schema())
	composite := func(axes string, more ...string) string {
		return joint("composite", `, "axes": [`+axes+`]`+strings.Join(more, ""))
	}
	for _, c := range []struct{ name, doc, path, rule string }{
		{"missing", joint("composite", ""), J + ".axes", "missing"},
		{"no list", joint("composite", `, "axes": {}`), J + ".axes", "is not a list"},
		{"empty", composite(""), J + ".axes", "has no entries"},
		{"six", composite(strings.Join([]string{z, x, z, x, z, x}, ",")), J + ".axes", "wrong length 6, must have at most 5"},
		{"no object", composite(z + ", 1"), J + ".axes[1]", "is not an object"},
		{"unknown field", composite(`{"kind": "revolute", "axis": [0, 0, 1], "spin": 1}`), J + ".axes[0].spin", "unknown field"},
		{"no kind", composite(`{"axis": [0, 0, 1]}`), J + ".axes[0].kind", "missing"},
		{"no axis", composite(`{"kind": "revolute"}`), J + ".axes[0].axis", "missing"},
		{"kind", composite(x + `, {"kind": "spherical", "axis": [0, 0, 1]}`), J + ".axes[1].kind", `must be`},
		{"zero", composite(`{"kind": "revolute", "axis": [0, 0, 0]}`), J + ".axes[0].axis", "is zero"},
		{"short", composite(`{"kind": "revolute", "axis": [0, 1]}`), J + ".axes[0].axis", "wrong length 2"},
		{"point", composite(`{"kind": "revolute", "axis": [0, 1, 0], "point": [1, 2]}`), J + ".axes[0].point", "wrong length 2"},
		{"pitch of a turn", composite(`{"kind": "revolute", "axis": [0, 1, 0], "pitch": 0.1}`), J + ".axes[0].pitch", "no meaning"},
		{"pitch of a slide", composite(`{"kind": "prismatic", "axis": [0, 1, 0], "pitch": 0.1}`), J + ".axes[0].pitch", "no meaning"},
		{"no pitch", composite(`{"kind": "helical", "axis": [0, 1, 0]}`), J + ".axes[0].pitch", "is zero"},
		{"pitch of the joint", composite(z, `, "pitch": 1`), J + ".pitch", "no meaning"},
		{"force", composite(z+","+x, `, "force": [1]`), J + ".force", "wrong length 1, joint type composite has 2"},
		{"turns", composite(z+","+x, `, "turns": [1]`), J + ".turns", "wrong length 1"},
		{"limits", composite(z, `, "limits": [null, null]`), J + ".limits", "wrong length 2"},
		{"motion", composite(z+","+x, `, "motion": [{"kind": "polynomial", "coefficients": [0]}]`), J + ".motion", "wrong length 1"},
		{"armature", composite(z+","+x, `, "armature": [1, -1]`), J + ".armature[1]", "negative"},
		{"axes of another", joint("revolute", `, "axes": [`+z+`]`), J + ".axes", "no meaning for joint type revolute"},
		{"one line twice", composite(z + "," + z), J + ".axes[1]", "follows from the axes before it"},
		{"turns of a slide", composite(z+","+x, `, "turns": [1, 1]`), J + ".turns[1]", "slides"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := model.Read(strings.NewReader(c.doc), "m")
			var p *model.Problems
			require.True(t, errors.As(err, &p), "%v", err)
			found := false
			for _, one := range p.List {
				found = found || one.Path == c.path && strings.Contains(one.Rule, c.rule)
			}
			assert.True(t, found, "%v", err)
			switch c.name {
			case "force", "turns", "limits", "motion", "one line twice", "turns of a slide": // which need two places
			default:
				assert.Error(t, schematest.Validate(t, s, c.doc))
			}
		})
	}
	good := composite(z+`, {"kind": "helical", "axis": [0, 2, 0], "point": [0, 0, 0.5], "pitch": -0.25}, `+x,
		`, "force": [1, 2, 3], "turns": [2, 0, 0], "limits": [{"lower": -1, "upper": 1}, null, null]`)
	require.NoError(t, schematest.Validate(t, s, good))
	m, err := model.Read(strings.NewReader(good), "m")
	require.NoError(t, err)
	text := write(t, m)
	require.NoError(t, schematest.Validate(t, s, text))
	again, err := model.Read(strings.NewReader(text), "m")
	require.NoError(t, err)
	require.Equal(t, m, again)
	require.Equal(t, 3, m.Joints[0].Kind().Freedoms())
	require.Equal(t, model.Revolute, (&model.Joint{Type: model.Revolute}).Kind())
}
