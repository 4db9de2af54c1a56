package model

import (
	"io/fs"
	"path"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/joints/curves"
)

// dots are files whose names may have dots in them, as in a Folder.
type dots struct{ fstest.MapFS }

func (d dots) Open(name string) (fs.File, error) { return d.MapFS.Open(path.Clean(name)) }

// TestReadAgain: what is read from a file again counts, whatever name it has, and terrains and curves count together.
func TestReadAgain(t *testing.T) {
	files := dots{fstest.MapFS{"h.csv": {Data: []byte("0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n")}, "track.csv": {Data: []byte("0 0\n1 0\n2 1\n")}}}
	for _, other := range []string{"h.csv", "./h.csv", "x/../h.csv"} {
		c := checker{faults: new(document.Faults), m: New(""), ctx: t.Context(), files: files, sec: secTerrains}
		terrain := Terrain{Type: CSVTerrain, File: "h.csv", Spacing: [2]float64{1, 1}, Scale: 1}
		c.load(&terrain)
		require.Zero(t, c.again)
		require.NotNil(t, terrain.Surface)

		terrain.File, terrain.Surface = other, nil
		c.load(&terrain)
		require.Equal(t, 24.0*16, c.again)
		require.NotNil(t, terrain.Surface)
	}
	c := checker{faults: new(document.Faults), m: New(""), ctx: t.Context(), files: files, sec: secJoints}
	curve := func(file string) bool {
		return c.loadCurve(".curve", &PointCurve{Curve: curves.Curve{Kind: curves.Spline, File: file}})
	}
	require.True(t, curve("track.csv"))
	require.True(t, curve("./track.csv"))
	require.Equal(t, 8.0*3*3, c.again)
	c.again = MaxTerrainBytes
	require.False(t, curve("track.csv"))
	list, _ := c.faults.Sorted()
	require.Equal(t, "$.joints[0].curve.file", list[0].Path)
	require.Contains(t, list[0].Rule, "the file is read again, and with the curves before it that takes")

	c = checker{faults: new(document.Faults), m: New(""), files: Folder("/models")}
	c.readAgain("/models/h.csv", 1)
	c.readAgain("h.csv", 1)
	c.readAgain("../models/h.csv", 1)
	require.Equal(t, 2.0, c.again)
}
