package mjcf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
)

// massTol is the rounding of a mass of 1 kg that is summed over four faces.
const massTol = 1e-12

// TestMeshFolders: the picture of a mesh is of the file whose mass counts, with the folders that the settings of the file name.
func TestMeshFolders(t *testing.T) {
	const corner = "solid x\n" +
		"facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n" +
		"facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n" +
		"facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n" +
		"facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid x\n"
	for settings, file := range map[string]string{
		``:                               "sub/corner.stl",
		`meshdir="parts"`:                "parts/sub/corner.stl",
		`assetdir="parts"`:               "parts/sub/corner.stl",
		`meshdir="parts" assetdir="x"`:   "parts/sub/corner.stl",
		`strippath="true"`:               "corner.stl",
		`assetdir="a" strippath="true"`:  "a/corner.stl",
		`meshdir="a/b" strippath="true"`: "a/b/corner.stl",
	} {
		m, _, err := from(map[string]string{file: corner, "main.xml": `<mujoco>
  <compiler ` + settings + ` inertiafromgeom="true"/>
  <asset><mesh name="m" file="sub/corner.stl" inertia="exact"/></asset>
  <worldbody><body name="b"><joint type="hinge"/><geom type="mesh" mesh="m" density="6"/></body></worldbody>
</mujoco>`}, source.Options{})
		require.NoError(t, err, settings)
		require.InDelta(t, 1, m.Bodies[0].Mass, massTol, settings)
		require.Len(t, m.Visuals, 1, settings)
		require.Equal(t, file, m.Visuals[0].File, settings)
	}
}

// TestMeshWithoutFile: a mesh whose vertices stand in the model has a mass and no picture, which the report says, whatever folder the
// settings name.
func TestMeshWithoutFile(t *testing.T) {
	for _, settings := range []string{``, `meshdir="parts"`, `assetdir="parts" strippath="true"`} {
		m, report, err := from(map[string]string{"main.xml": `<mujoco>
  <compiler ` + settings + `/>
  <asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 3 2 0 1 3 1 2 3" inertia="exact"/></asset>
  <worldbody><body name="b"><joint type="hinge"/><geom type="mesh" mesh="m" density="6"/></body></worldbody>
</mujoco>`}, source.Options{})
		require.NoError(t, err, settings)
		require.InDelta(t, 1, m.Bodies[0].Mass, massTol, settings)
		require.Empty(t, m.Visuals, settings)
		require.Len(t, report.Entries, 1, settings)
		require.Equal(t, "shapes are left out", report.Entries[0].What, settings)
	}
}
