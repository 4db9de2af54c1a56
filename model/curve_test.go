package model_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestCurveFile: the points of a curve come from a table in the folder of the document; what is wrong in it is a problem of the field, and a
// document that is written again names the file.
func TestCurveFile(t *testing.T) {
	doc := joint("point_on_curve", `, "curve": {"kind": "spline", "file": "track.csv", "closed": true}`)
	read := func(table string) (*model.Model, error) {
		return model.ReadIn(t.Context(), strings.NewReader(doc), "doc", fstest.MapFS{"track.csv": {Data: []byte(table)}})
	}
	const rows = "u,x,y\n0,0,0\n1,2,0\n2,2,1\n4,0,0\n"
	m, err := read(rows)
	require.NoError(t, err)
	require.Equal(t, []spatial.Vec3{{}, {2}, {2, 1}}, m.Joints[0].Curve.Points)
	require.Equal(t, []float64{0, 1, 2, 4}, m.Joints[0].Curve.Parameters)
	require.NotContains(t, write(t, m), "points")
	require.Contains(t, write(t, m), `"file": "track.csv"`)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	_, to := mech.Joints[0].Curve.Span()
	require.Equal(t, 4.0, to)

	// Without its folder the document is read, and who needs the curve says what is missing.
	m, err = model.Read(strings.NewReader(doc), "doc")
	require.NoError(t, err)
	_, err = mechanism.New(m)
	require.ErrorContains(t, err, `joint "j": `)
	require.ErrorContains(t, err, `the file of a curve has not been loaded: "track.csv" (model.ReadFile, Model.Load)`)
	require.NoError(t, m.Load(t.Context(), fstest.MapFS{"track.csv": {Data: []byte(rows)}}))
	_, err = mechanism.New(m)
	require.NoError(t, err)

	for table, want := range map[string]string{
		"x y\n0 zero\n":                "not a table of points: line 2: \"zero\" is no finite number",
		"0 0\n1 0\n":                   "points: wrong length 2, from 3 to 100000 points",
		"":                             "points: wrong length 0",
		"0 0\n1 0\n1 0\n":              "points[2]: is the point before it",
		"u x y\n0 0 0\n0 1 0\n0 1 1\n": "not the first point again",
	} {
		_, err := read(table)
		require.ErrorContains(t, err, "$.joints[0].curve.file", table)
		require.ErrorContains(t, err, want)
	}
	_, err = model.ReadIn(t.Context(), strings.NewReader(doc), "doc", fstest.MapFS{})
	require.ErrorContains(t, err, "cannot be opened")
}

// TestManyCurves: a formula that many joints have is looked through once.
func TestManyCurves(t *testing.T) {
	m := modeltest.Beads(1)
	for range 500 {
		m.Joints = append(m.Joints, m.Joints[5])
		m.Joints[len(m.Joints)-1].Name += strings.Repeat("x", len(m.Joints))
	}
	require.NoError(t, model.Check(m))
}
