package outline_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/internal/outline"
	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/sdf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

// most is the number of bodies, joints and so on of a model that is written.
const most = 100

// FuzzWrite holds that every model is written or refused, and that every file that is written is read, by its own reader.
func FuzzWrite(fz *testing.F) {
	f := check.NewFuzz(fz)
	f.Limit = 20 * time.Second
	for _, pattern := range []string{"golden/type-*.model.json", "golden/four-bar.model.json", "golden/springs.model.json", "golden/islands.model.json", "joints/*.model.json"} {
		files, err := filepath.Glob(filepath.Join(check.Root(f), "reference", filepath.FromSlash(pattern)))
		require.NoError(f, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(data)
		}
	}
	// Names that XML has not, that become the same, and that look like what the formats keep for themselves.
	f.Add([]byte(`{"format": "rung-model/1", "name": "\"<&>'\n", "bodies": [
		{"name": "a\u0001", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}, {"name": "a\u0002", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
		{"name": "a_", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}, {"name": "__model__", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
		{"name": "x::y", "mass": 2, "inertia": {"xx": 0, "yy": 0, "zz": 0}}, {"name": "World", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 0}}],
		"joints": [{"name": "\"", "type": "revolute", "predecessor": "world", "successor": "a\u0001"}, {"name": "'", "type": "fixed", "predecessor": "a\u0001", "successor": "a\u0002"},
		{"name": "a_", "type": "universal", "predecessor": "a_", "successor": "world"}, {"name": " ", "type": "spherical", "predecessor": "__model__", "successor": "x::y", "damping": [1, 1, 1]},
		{"name": "float a_", "type": "prismatic", "predecessor": "a_", "successor": "World"}],
		"frames": [{"name": "a_", "body": "a_"}, {"name": "a\u0003", "body": "world"}],
		"visuals": [{"body": "a_", "kind": "mesh", "file": "\" & <.stl"}, {"body": "world", "kind": "ellipsoid", "size": [1, 2, 3]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := model.Read(bytes.NewReader(data), "m")
		if err != nil || max(len(m.Bodies), len(m.Joints), len(m.Couplings), len(m.Forces), len(m.Frames), len(m.Visuals)) > most {
			return
		}
		type reader func(*source.Files, source.Name, *source.Options) (*source.Result, *source.Report, error)
		for name, format := range map[string]struct {
			write func(io.Writer, *model.Model) (*source.Report, error)
			read  reader
		}{"m.xml": {mjcf.Write, mjcf.Read}, "m.sdf": {sdf.Write, sdf.Read}, "m.urdf": {urdf.Write, urdf.Read}} {
			var b bytes.Buffer
			report, err := format.write(&b, m)
			require.NotNil(t, report)
			for i := range report.Entries {
				require.NotContains(t, report.Entries[i].String(), "\n")
			}
			if err != nil {
				require.Empty(t, b.Bytes())
				continue
			}
			if len(m.Bodies) == 0 {
				continue // a file without bodies is no model for some
			}
			o := source.Options{KeepFixed: true, Massless: source.GiveMass, Snap: -1}
			if strings.Contains(b.String(), "<keyframe>") {
				o.Key = "state"
			}
			r, _, err := format.read(source.NewFiles(fstest.MapFS{name: {Data: b.Bytes()}}, nil), source.Name{Path: name}, &o)
			if err != nil && strings.Contains(err.Error(), "is not finite") {
				continue // products of numbers beyond 1e150
			}
			require.NoError(t, err, "%s", b.String())
			require.GreaterOrEqual(t, len(r.Model.Bodies), len(m.Bodies), "%s", b.String())
		}
	})
}

// A joint so far from its body that a turn about it is a slide is refused by name, by every writer.
func TestTooFar(t *testing.T) {
	m := model.New("far")
	m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{{Name: "pin", Type: model.Revolute, Predecessor: model.World, Successor: "b"}}
	for _, at := range []float64{outline.Far, 2 * outline.Far} {
		m.Joints[0].PredecessorFrame.Position[1], m.Joints[0].SuccessorFrame.Position[1] = at, at
		for _, write := range []func(io.Writer, *model.Model) (*source.Report, error){mjcf.Write, sdf.Write, urdf.Write} {
			_, err := write(io.Discard, m)
			if at > outline.Far {
				require.ErrorContains(t, err, `"pin"`)
				require.ErrorContains(t, err, "2e+12 m from the origin")
			} else {
				require.NoError(t, err)
			}
		}
	}
}
