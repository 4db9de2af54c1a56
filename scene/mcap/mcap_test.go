package mcap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"testing"

	foxglove "github.com/foxglove/mcap/go/mcap"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/schematest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/mcap"
	"github.com/rung-mbd/rung/spatial"
)

// turning is a motion made here: every body goes round the world's z axis, by its own rate, and turns over on the way.
type turning struct {
	rest  *mechanism.State
	times []float64
}

func (m *turning) Times() []float64 { return m.times }

func (m *turning) StateTo(st *mechanism.State, i int) error {
	for k := range st.Bodies {
		q := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, 3*m.times[i]*float64(k+1))
		b, from := &st.Bodies[k], &m.rest.Bodies[k]
		b.Position, b.Rotation = q.Rotate(from.Position), q.Mul(from.Rotation)
	}
	st.Time = m.times[i]
	return nil
}

func mechanismOf(t testing.TB, family string, n int) *mechanism.Mechanism {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

// message is one of the file, as Foxglove's reader gives it.
type message struct {
	topic string
	time  uint64
	data  map[string]any
}

// read returns all messages in the order of their times, each checked against its schema.
func read(t testing.TB, data []byte) (all []message) {
	t.Helper()
	r, err := foxglove.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	defer r.Close()
	info, err := r.Info()
	require.NoError(t, err)
	schemas := map[uint16]*jsonschema.Schema{}
	for id, s := range info.Schemas {
		require.Equal(t, "jsonschema", s.Encoding)
		schemas[id] = schematest.Compile(t, s.Data)
	}
	it, err := r.Messages()
	require.NoError(t, err)
	var m foxglove.Message
	for {
		schema, channel, _, err := it.NextInto(&m)
		if err != nil {
			break
		}
		require.Equal(t, "json", channel.MessageEncoding)
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(m.Data))
		require.NoError(t, err)
		require.NoError(t, schemas[schema.ID].Validate(v), channel.Topic)
		one := message{topic: channel.Topic, time: m.LogTime}
		require.NoError(t, json.Unmarshal(m.Data, &one.data))
		all = append(all, one)
	}
	require.EqualValues(t, info.Statistics.MessageCount, len(all))
	return all
}

func (m *message) at(path ...any) any {
	var v any = m.data
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

func numbers(v any, names ...string) (out []float64) {
	for _, n := range names {
		out = append(out, v.(map[string]any)[n].(float64))
	}
	return out
}

// Foxglove's reader finds the frame of each body where the motion has
// it, at each time, near the world's origin and far from it.
func TestPositions(t *testing.T) {
	const digits = 1e-6 // m; in fact all are there
	mech := mechanismOf(t, "stewart", 1)
	for _, far := range []float64{0, 1e6} {
		rest := mech.Initial()
		for i := range rest.Bodies {
			rest.Bodies[i].Position = rest.Bodies[i].Position.Add(spatial.Vec3{far, -far, far})
		}
		run := &turning{rest: rest, times: []float64{0.5, 0.6, 1, 1.999999999, 7.25}}
		var b bytes.Buffer
		require.NoError(t, mcap.Write(context.Background(), &b, scene.New(mech, scene.Options{}), rest, run))
		k, want := 0, mech.Initial()
		for _, m := range read(t, b.Bytes()) {
			if m.topic != "/tf" {
				continue
			}
			require.NoError(t, run.StateTo(want, k))
			require.EqualValues(t, math.Round(1e9*run.times[k]), m.time)
			list := m.at("transforms").([]any)
			require.Len(t, list, mech.NumBodies())
			for i := range list {
				require.Equal(t, mcap.World, m.at("transforms", i, "parent_frame_id"))
				require.Equal(t, mech.BodyName(i), m.at("transforms", i, "child_frame_id"))
				s := &want.Bodies[i]
				assert.InDeltaSlice(t, s.Position[:], numbers(m.at("transforms", i, "translation"), "x", "y", "z"), digits)
				assert.InDeltaSlice(t, s.Rotation[:], numbers(m.at("transforms", i, "rotation"), "w", "x", "y", "z"), digits)
				stamp := numbers(m.at("transforms", i, "timestamp"), "sec", "nsec")
				assert.Equal(t, float64(m.time), stamp[0]*1e9+stamp[1])
			}
			k++
		}
		require.Equal(t, len(run.times), k)
	}
}

// The shapes of a body are in an entity of its frame, each with its
// whole size; a capsule is a cylinder and two balls at its ends.
func TestShapes(t *testing.T) {
	mech := mechanismOf(t, "stewart", 1)
	s := scene.New(mech, scene.Options{})
	var b bytes.Buffer
	require.NoError(t, mcap.Write(context.Background(), &b, s, mech.Initial(), nil))
	all := read(t, b.Bytes())
	m := all[0]
	require.Equal(t, "/mechanism", m.topic)
	lists := map[scene.Kind]string{scene.Box: "cubes", scene.Sphere: "spheres", scene.Cylinder: "cylinders", scene.Capsule: "cylinders"}
	frames := map[string]int{}
	for i, e := range m.at("entities").([]any) {
		frames[e.(map[string]any)["frame_id"].(string)] = i
	}
	require.Len(t, frames, mech.NumBodies()+1)
	find := func(entity int, list string, at spatial.Vec3, size [3]float64) bool {
		for k := range m.at("entities", entity, list).([]any) {
			p := numbers(m.at("entities", entity, list, k, "pose", "position"), "x", "y", "z")
			d := numbers(m.at("entities", entity, list, k, "size"), "x", "y", "z")
			if at.Sub(spatial.Vec3(p)).Norm() < 1e-12 && spatial.Vec3(size).Sub(spatial.Vec3(d)).Norm() < 1e-12 {
				return true
			}
		}
		return false
	}
	capsules := 0
	for i := range s.Shapes {
		sh := &s.Shapes[i]
		name := mcap.World
		if sh.Body != mechanism.World {
			name = mech.BodyName(int(sh.Body))
		}
		size := [3]float64{2 * sh.Size[0], 2 * sh.Size[1], 2 * sh.Size[2]}
		assert.True(t, find(frames[name], lists[sh.Kind], sh.At.Origin, size), "shape %d of %s", i, name)
		if sh.Kind == scene.Capsule {
			capsules++
			for _, end := range []float64{-1, 1} {
				at := sh.At.Origin.Add(sh.At.E.MulVec(spatial.Vec3{0, 0, end * sh.Size[2]}))
				assert.True(t, find(frames[name], "spheres", at, [3]float64{size[0], size[0], size[0]}), "end of shape %d", i)
			}
		}
	}
	require.Positive(t, capsules)
	require.NotEmpty(t, s.Links)
	link := all[len(all)-1]
	require.Equal(t, "/links", link.topic)
	for i := range s.Links {
		from, to := s.Links[i].Ends(mech.Initial())
		p := numbers(link.at("entities", 0, "cylinders", i, "pose", "position"), "x", "y", "z")
		middle := from.Add(to).Scale(0.5)
		assert.InDeltaSlice(t, middle[:], p, 1e-12)
	}
}

// A ground comes as triangles whose corners are on it.
func TestGround(t *testing.T) {
	check.Long(t)
	mech := mechanismOf(t, "rover", 1)
	s := scene.New(mech, scene.Options{})
	require.NotEmpty(t, s.Surfaces)
	var b bytes.Buffer
	require.NoError(t, mcap.Write(context.Background(), &b, s, mech.Initial(), nil))
	m := read(t, b.Bytes())[0]
	list := m.at("entities", mech.NumBodies(), "triangles", 0)
	points := list.(map[string]any)["points"].([]any)
	require.NotEmpty(t, points)
	for _, p := range points {
		v := numbers(p, "x", "y", "z")
		z, err := s.Surfaces[0].Height(v[0], v[1])
		require.NoError(t, err)
		require.InDelta(t, z, v[2], 1e-12)
	}
	for _, k := range list.(map[string]any)["indices"].([]any) {
		require.Less(t, int(k.(float64)), len(points))
	}
}

// The same motion gives the same bytes.
func TestSameBytes(t *testing.T) {
	mech := mechanismOf(t, "scissor", 3)
	run := &turning{rest: mech.Initial(), times: make([]float64, 200)}
	for i := range run.times {
		run.times[i] = 0.01 * float64(i)
	}
	s := scene.New(mech, scene.Options{})
	var a, b bytes.Buffer
	require.NoError(t, mcap.Write(context.Background(), &a, s, mech.Initial(), run))
	require.NoError(t, mcap.Write(context.Background(), &b, s, mech.Initial(), run))
	assert.True(t, bytes.Equal(a.Bytes(), b.Bytes()))
}

func TestRefused(t *testing.T) {
	mech := mechanismOf(t, "chain", 3)
	s := scene.New(mech, scene.Options{})
	write := func(times ...float64) error {
		return mcap.Write(context.Background(), &bytes.Buffer{}, s, mech.Initial(), &turning{rest: mech.Initial(), times: times})
	}
	assert.NoError(t, write(0, 4294967294))
	assert.ErrorContains(t, write(-0.5, 1), "mcap: time -0.5 s is not from 0 to 2³² s")
	assert.ErrorContains(t, write(0, 4294967295), "time 4.294967295e+09 s is not from 0 to 2³² s")
	assert.ErrorContains(t, write(0, 1, 1.0000000001), "row 3, time 1.0000000001 s: in the same nanosecond as the row before")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, mcap.Write(ctx, &bytes.Buffer{}, s, mech.Initial(), nil), context.Canceled)
	far := mech.Initial()
	far.Bodies[1].Position[2] = math.NaN()
	assert.ErrorContains(t, mcap.Write(context.Background(), &bytes.Buffer{}, s, far, nil), "body "+mech.BodyName(1)+" has no finite pose")
}

// The surface of a mesh is a list of triangles with its corners.
func TestMesh(t *testing.T) {
	m := model.New("one")
	m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Canonicalize()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	mesh := scene.NewMesh(scene.Box, 6)
	s := &scene.Scene{Mechanism: mech, Unit: 1, Meshes: []*scene.Mesh{mesh}, Shapes: []scene.Shape{{Kind: scene.Surface, Body: 0, Joint: -1, Size: spatial.Vec3{1, 1, 1},
		At: mechanism.Frame{E: spatial.Identity3(), Origin: spatial.Vec3{1, 2, 3}}}}}
	var b bytes.Buffer
	require.NoError(t, mcap.Write(context.Background(), &b, s, mech.Initial(), nil))
	first := read(t, b.Bytes())[0]
	assert.Len(t, first.at("entities", 0, "triangles", 0, "points"), len(mesh.Points))
	assert.Len(t, first.at("entities", 0, "triangles", 0, "indices"), 3*len(mesh.Triangles))
	assert.Equal(t, []float64{1, 2, 3}, numbers(first.at("entities", 0, "triangles", 0, "pose", "position"), "x", "y", "z"))
}
