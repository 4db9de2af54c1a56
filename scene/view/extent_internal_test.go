package view

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// Of what stands still the ball that fills the window has all corners of all shapes in it and is no larger than one of
// them needs, and the grid touches the lowest of them.
func TestExtent(t *testing.T) {
	const sagitta = 0.01 // of round solids with 48 corners, of their size
	for _, family := range []string{"scissor", "excavator", "stewart", "hoberman", "tracked"} {
		m, err := bench.Generate(family, 2, 1)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		s, st := scene.New(mech, scene.Options{Visuals: m.Visuals}), mech.Initial()
		v, err := NewViewer(s, st, "", Options{})
		require.NoError(t, err)
		_, loose := s.Bounds(st)
		assert.LessOrEqual(t, v.radius, loose, family)
		solids, far, low, up := scene.NewMeshes(48), 0.0, 0.0, scene.Upright(s.Mechanism).Col(2)
		for i := range s.Shapes {
			sh := &s.Shapes[i]
			at, mesh := sh.Place(st), s.Mesh(sh, solids)
			for k := range mesh.Points {
				var p spatial.Vec3
				mesh.PointTo(&p, sh, k)
				d := at.Origin.Add(at.E.MulVec(p)).Sub(v.center)
				far, low = max(far, d.Norm()), min(low, d.Dot(up))
			}
		}
		assert.GreaterOrEqual(t, v.radius, far-1e-9, family)
		assert.Less(t, v.radius, 1.1*far, "%s: a ball at the end of a cylinder is a little more than its disc", family)
		assert.InDelta(t, low, v.low(), sagitta*far, family)
		assert.LessOrEqual(t, v.low(), low+1e-9, family)
	}
}
