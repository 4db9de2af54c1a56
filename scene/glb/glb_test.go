package glb_test

import (
	"bytes"
	"context"
	"math"
	"testing"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/glb"
	"github.com/rung-mbd/rung/spatial"
)

// turning is a motion made here: every body goes round the world's z axis, by its own rate, and turns over on the way.
type turning struct {
	rest  *mechanism.State
	times []float64
}

func (m *turning) Times() []float64 { return m.times }

func (m *turning) StateTo(st *mechanism.State, i int) error {
	copy(st.Bodies, m.rest.Bodies)
	for k := range st.Bodies {
		q := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, 3*m.times[i]*float64(k+1))
		b := &st.Bodies[k]
		b.Position, b.Rotation = q.Rotate(b.Position), q.Mul(b.Rotation)
	}
	st.Time = m.times[i]
	return nil
}

// Positions and orientations of the nodes, turned back from glTF's axes, are those of the motion to 1e-6 of the size of
// the mechanism, however far away it is.
func TestPositions(t *testing.T) {
	for _, far := range []float64{0, 1e6} {
		m, err := bench.Stewart(1, 1)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		s := scene.New(mech, scene.Options{})
		rest := mech.Initial()
		run := &turning{rest: mech.Initial(), times: []float64{5, 5.1, 5.25, 5.5, 6}}
		shift := spatial.Vec3{far, -far, far}
		moved := &shifted{run, shift}
		for i := range rest.Bodies {
			rest.Bodies[i].Position = rest.Bodies[i].Position.Add(shift)
		}
		doc := written(t, s, rest, moved)
		_, size := s.Bounds(rest)
		want := mech.Initial()
		for k := range run.times {
			require.NoError(t, moved.StateTo(want, k))
			for i := range want.Bodies {
				p, E := pose(t, doc, i, k)
				d := p.Sub(want.Bodies[i].Position)
				// the motion leaves the middle by a few sizes, and single precision has 6e-8
				assert.Less(t, d.Norm(), 1e-6*size+1e-9*far, "body %d at time %d", i, k)
				R := want.Bodies[i].Rotation.Mat()
				for c := range E {
					assert.InDelta(t, R[c], E[c], 1e-6, "axes of body %d at time %d", i, k)
				}
			}
		}
	}
}

type shifted struct {
	*turning
	by spatial.Vec3
}

func (m *shifted) StateTo(st *mechanism.State, i int) error {
	err := m.turning.StateTo(st, i)
	for k := range st.Bodies {
		st.Bodies[k].Position = st.Bodies[k].Position.Add(m.by)
	}
	return err
}

func written(t *testing.T, s *scene.Scene, rest *mechanism.State, m scene.Recording) *gltf.Document {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, glb.Write(context.Background(), &b, s, rest, m))
	doc := new(gltf.Document)
	require.NoError(t, gltf.NewDecoder(&b).Decode(doc))
	return doc
}

// pose returns where body i is at time k, in the axes of Rung: the
// root's transform times the animated one, turned from y up to z up.
func pose(t *testing.T, doc *gltf.Document, i, k int) (spatial.Vec3, spatial.Mat3) {
	t.Helper()
	root := doc.Nodes[doc.Scenes[0].Nodes[0]]
	p, q := spatial.Vec3(doc.Nodes[i].Translation), quat(doc.Nodes[i].Rotation)
	a := doc.Animations[0]
	for _, c := range a.Channels {
		if *c.Target.Node != i {
			continue
		}
		data, err := modeler.ReadAccessor(doc, doc.Accessors[a.Samplers[c.Sampler].Output], nil)
		require.NoError(t, err)
		switch v := data.(type) {
		case [][3]float32:
			p = spatial.Vec3{float64(v[k][0]), float64(v[k][1]), float64(v[k][2])}
		case [][4]float32:
			q = quat([4]float64{float64(v[k][0]), float64(v[k][1]), float64(v[k][2]), float64(v[k][3])})
		}
	}
	up := quat(root.Rotation)
	p, q = up.Rotate(p).Add(root.Translation), up.Mul(q)
	back := spatial.FromAxisAngle(spatial.Vec3{1}, math.Pi/2)
	return back.Rotate(p), back.Mul(q).Mat()
}

func quat(q [4]float64) spatial.Quat { return spatial.Quat{q[3], q[0], q[1], q[2]}.Normalize() }

// Each mesh is that of a node, also where springs and dampers have meshes of their own.
func TestMeshes(t *testing.T) {
	m, err := model.ReadFile("../../reference/golden/springs.model.json")
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	doc := written(t, scene.New(mech, scene.Options{}), mech.Initial(), nil)
	uses := make([]int, len(doc.Meshes))
	looks := 0
	for _, n := range doc.Nodes {
		if n.Mesh == nil {
			continue
		}
		uses[*n.Mesh]++
		if doc.Meshes[*n.Mesh].Name == scene.Strut.String() {
			looks++
		}
	}
	require.NotContains(t, uses, 0)
	require.Positive(t, looks)
}

// Neighbouring orientations are on the same side, so that what plays the file takes the short way.
func TestShortWay(t *testing.T) {
	m, err := bench.Chain(3, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	run := &turning{rest: mech.Initial()}
	for k := range 60 {
		run.times = append(run.times, 0.05*float64(k))
	}
	doc := written(t, scene.New(mech, scene.Options{}), mech.Initial(), run)
	checked := 0
	for _, c := range doc.Animations[0].Channels {
		data, err := modeler.ReadAccessor(doc, doc.Accessors[doc.Animations[0].Samplers[c.Sampler].Output], nil)
		require.NoError(t, err)
		if q, ok := data.([][4]float32); ok {
			for k := 1; k < len(q); k++ {
				dot := 0.0
				for i := range q[k] {
					dot += float64(q[k][i]) * float64(q[k-1][i])
				}
				require.Positive(t, dot)
				checked++
			}
		}
	}
	assert.Equal(t, 3*59, checked)
}

func TestRefused(t *testing.T) {
	m, err := bench.Chain(3, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	s, st := scene.New(mech, scene.Options{}), mech.Initial()
	var b bytes.Buffer
	long := &turning{rest: st, times: make([]float64, 20_000_000)}
	assert.ErrorContains(t, glb.Write(context.Background(), &b, s, st, long), "20000000 times of 3 bodies and 0 links take 1.7 GB, more than 1.1; choose fewer times")
	far := st.Clone()
	far.Bodies[1].Position[2] = math.NaN()
	assert.ErrorContains(t, glb.Write(context.Background(), &b, s, far, nil), "no finite extent")
	assert.Zero(t, b.Len())
}

// The up of the scene is the y of the file, whichever axis of the world it is, and what is at the right is at x.
func TestUpright(t *testing.T) {
	for _, g := range []spatial.Vec3{{0, -9.81, 0}, {0, 0, -9.81}, {5, 0, 0}} {
		m, err := bench.Generate("scissor", 2, 1)
		require.NoError(t, err)
		m.Gravity = g
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		s := scene.New(mech, scene.Options{})
		doc := written(t, s, mech.Initial(), nil)
		root := doc.Nodes[doc.Scenes[0].Nodes[0]]
		turn, up := quat(root.Rotation), scene.Upright(s.Mechanism)
		for k, want := range map[int]spatial.Vec3{0: {1, 0, 0}, 1: {0, 0, -1}, 2: {0, 1, 0}} {
			assert.Less(t, turn.Rotate(up.Col(k)).Sub(want).Norm(), 1e-7, "gravity %v, axis %d", g, k)
		}
		body := spatial.Vec3(doc.Nodes[1].Translation)
		at := turn.Rotate(body).Add(root.Translation)
		assert.Less(t, at.Sub(turn.Rotate(mech.Initial().Bodies[1].Position)).Norm(), 1e-6, "gravity %v", g)
	}
}
