package model_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

// FuzzReadModel: no input panics, what is refused has clear problems, and what
// is accepted passes Check and survives a round trip.
func FuzzReadModel(tf *testing.F) {
	f := check.NewFuzz(tf)
	files := referenceModels(f)
	invalid, err := filepath.Glob(filepath.Join("..", "reference", "invalid", "*.model.json"))
	require.NoError(f, err)
	for _, file := range append(files, invalid...) {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		if len(data) < 10_000 {
			f.Add(data)
		}
	}
	f.Add([]byte(write(f, sample())))
	f.Add([]byte(`{"format": "rung-model/1", "bodies": []}`))
	for _, law := range []string{
		table + `"ends": "clamped", "slopes": [1, -2], ` + ofOne, grid + ofTwo,
		`"kind": "table", "of": [{"joint": "h", "periodic": true, "advance": 3}], "x": [0, 1, 2], "values": [0, 1, 3]`,
		function + `"expression": "x*cos(y)", "of": [{"joint": "h", "range": [-1, 2]}, {"joint": "c", "range": [0, 6.283185307179586], "periodic": true}]`,
		function + `"expression": "abs(x-0.3)", ` + ofOne, `"kind": "grid", "x": [0, 1], "y": [0, 1], "values": [[0, 1], 3], ` + ofTwo,
	} {
		f.Add([]byte(lawful(law)))
	}
	for _, terrains := range []string{
		`{"name": "hills", "type": "plane", "normal": [0.1, 0, 1]}`, gridded("spline", "stop"), gridded("linear", "stop"), gridded("spline", "level"),
		`{"name": "hills", "type": "function", "expression": "0.1*sin(x)*y"}`, `{"name": "hills", "type": "function", "expression": "abs(x)"}`,
	} {
		f.Add([]byte(rolls(terrains, `"hills"`)))
		f.Add([]byte(rolls(terrains+`, {"name": "all", "type": "sum", "parts": ["hills", "hills"]}`, `"all", "slip": "both"`)))
	}
	stop := `, "limits": [{"upper": 0, "stop": {"stiffness": 1e8}}]`
	f.Add([]byte(joint("curve_on_curve", circles("", "")+`, "lifts_off": true, "stiffness": [3]`+stop)))
	f.Add([]byte(joint("point_on_curve", `, "curve": {"kind": "circle", "radius": 1}, "force": [0, 0, 0, 1], "armature": [0, 0, 0, 2]`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := model.Read(bytes.NewReader(data), "fuzz")
		if err != nil {
			var all *model.Problems
			require.Nil(t, m)
			require.True(t, errors.As(err, &all) && len(all.List) > 0, "%v", err)
			for _, p := range all.List {
				require.NotContains(t, p.Error(), "\n")
				require.Equal(t, byte('$'), p.Path[0])
			}
			return
		}
		require.NoError(t, model.Check(m))
		again, err := model.Read(bytes.NewReader([]byte(write(t, m))), "again")
		require.NoError(t, err)
		require.Equal(t, m, again)
	})
}
