package batch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/spatial"
)

// twoBalls is a ball that turns about its centre in the world, with a pin, and a free one, both of mass and inertia 1.
func twoBalls(t *testing.T) *Batch {
	t.Helper()
	d, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{1, 1, 1})
	require.NoError(t, err)
	b := rung.NewBuilder("balls").Gravity(0, 0, 0)
	b.Spherical("pin", rung.World, b.Body("pinned", d, rung.At(0, 0, 0)), spatial.Vec3{})
	b.Body("free", d, rung.At(1, 0, 0))
	m, err := b.Model()
	require.NoError(t, err)
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	batch, err := New(p, Options{})
	require.NoError(t, err)
	return batch
}

// TestNearEnds: a spring-damper whose ends are as near as rounding makes them is left to the solver, which says so.
func TestNearEnds(t *testing.T) {
	d, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{1, 1, 1})
	require.NoError(t, err)
	b := rung.NewBuilder("tied").Gravity(0, 0, 0)
	ball := b.Body("ball", d, rung.At(1, 0, 0))
	b.SpringDamper("tie", rung.World, ball, spatial.Vec3{1, 0, 0}, spatial.Vec3{1, 0, 0}, rung.Spring{Stiffness: 1})
	m, err := b.Model()
	require.NoError(t, err)
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	batch, err := New(p, Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		apart float64 // m, of points 1 m from the origin: the roots of nearPart and of the sum of their squares are 1e-13 and 1.4
		alone bool
	}{{1e-14, true}, {0.9e-13, true}, {2e-13, false}, {1e-12, false}} {
		s, r, st := batch.NewStates(1), batch.NewResults(1), p.Initial()
		st.Bodies[0].Position[1] = c.apart
		s.Set(0, st)
		batch.Solve(s, r)
		require.Equal(t, c.alone, len(r.OneByOne()) == 1, "%g m", c.apart)
	}
}

// TestBegin: a step of a state alone begins where the state is, unless that is off its joints by as much as steps in lanes leave.
func TestBegin(t *testing.T) {
	b := twoBalls(t)
	s := b.workers[0].alone()
	for _, c := range []struct {
		part  float64 // of what steps in lanes take back
		stays bool
	}{{0, true}, {0.9e-6, true}, {1.1e-6, false}, {0.1, false}} {
		s.at.Bodies[0].Position = spatial.Vec3{0, c.part * b.drift, 0}
		at := s.at.Bodies[0].Position
		require.NoError(t, s.begin())
		require.Equal(t, c.stays, at == s.at.Bodies[0].Position, "%g", c.part)
	}
}
