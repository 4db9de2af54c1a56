package formats_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	mujoco "github.com/rung-mbd/rung/formats/mjcf"
	gazebo "github.com/rung-mbd/rung/formats/sdf"
	"github.com/rung-mbd/rung/formats/source"
	robot "github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/model"
)

// TestWritersRefuseCurves as wheels.
func TestWritersRefuseCurves(t *testing.T) {
	m := modeltest.Beads(2)
	m.Joints = append(m.Joints[:3], modeltest.Cams(2).Joints[3:]...)
	writersRefuse(t, m, "point_on_curve", "curve_on_curve")
}

// TestWritersRefuseWheels: no format has joints that roll or edges, so that nothing is written, and each is named.
func TestWritersRefuseWheels(t *testing.T) {
	writersRefuse(t, modeltest.Rolling(2), "rolling", "no_slip")
}

// writersRefuse holds that no writer writes anything of m, and that each names all joints of m and their types.
func writersRefuse(t *testing.T, m *model.Model, types ...string) {
	t.Helper()
	for name, write := range map[string]func(io.Writer, *model.Model) (*source.Report, error){"mjcf": mujoco.Write, "urdf": robot.Write, "sdf": gazebo.Write} {
		var out bytes.Buffer
		_, err := write(&out, m)
		require.Error(t, err, name)
		for i := range m.Joints {
			require.ErrorContains(t, err, `joint "`+m.Joints[i].Name+`"`, name)
		}
		for _, of := range types {
			require.ErrorContains(t, err, "no joint of type "+of, name)
		}
		require.Zero(t, out.Len(), name)
	}
}
