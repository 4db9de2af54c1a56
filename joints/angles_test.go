package joints_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints"
)

// TestAngles compares with the table of rows in docs/theory.md, f a force and m a moment.
func TestAngles(t *testing.T) {
	for kind, rows := range map[joints.Kind]string{
		joints.Fixed: "mmmfff", joints.Revolute: "fffmm", joints.Prismatic: "mmmff", joints.Cylindrical: "ffmm",
		joints.Universal: "fffm", joints.Planar: "fmm", joints.Spherical: "fff", joints.SphereInCylinder: "ff",
		joints.PointOnPlane: "f", joints.Distance: "f", joints.Free: "", joints.Helical: "ffmmf",
	} {
		s := joints.Spec{Kind: kind, Pitch: 0.1, Length: 1}
		require.Equal(t, len(rows), s.NumRows(), kind)
		for k := range 8 {
			require.Equal(t, k < len(rows) && rows[k] == 'm', s.Angles()>>k&1 != 0, "%v, row %d", kind, k)
		}
	}
}
