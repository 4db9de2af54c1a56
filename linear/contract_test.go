package linear_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
)

func TestNames(t *testing.T) {
	assert.Equal(t, "flutter", linear.Flutter.String())
	assert.Equal(t, "Kind(9)", linear.Kind(9).String())
	assert.Equal(t, "immobile", linear.Immobile.String())
	assert.Equal(t, "unknown", new(linear.Equilibrium).Stability.String(), "an empty result promises nothing")
	assert.Equal(t, "Stability(7)", linear.Stability(7).String())
	assert.Equal(t, "Method(5)", linear.Method(5).String())
	for _, m := range []linear.Method{linear.Auto, linear.Dense, linear.Sparse} {
		got, err := linear.ParseMethod(m.String())
		require.NoError(t, err)
		assert.Equal(t, m, got)
	}
	_, err := linear.ParseMethod("best")
	assert.EqualError(t, err, `linear: unknown method "best"`)
}

func TestPanics(t *testing.T) {
	p := built(t, chain(t, 2, 1))
	s := linearized(t, p, resting(p))
	x := make([]float64, s.Dim())
	assert.PanicsWithValue(t, "linear: length mismatch", func() { s.StiffnessTo(x[1:], x) })
	assert.PanicsWithValue(t, "linear: length mismatch", func() { s.DampingTo(x, x[1:]) })
	assert.PanicsWithValue(t, "linear: length mismatch", func() { s.MassTo(x[1:], x) })
	assert.PanicsWithValue(t, "linear: length mismatch", func() { s.JacobianTo(x, x) })
	assert.PanicsWithValue(t, "linear: length mismatch", func() { s.MultipliersTo(x) })
	assert.PanicsWithValue(t, "linear: negative number of modes", func() {
		_, err := s.Modes(linear.ModeOptions{Count: -1})
		assert.NoError(t, err)
	})
	assert.PanicsWithValue(t, "linear: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { assert.NoError(t, s.Linearize(&mechanism.State{})) })
	assert.PanicsWithValue(t, "linear: foreign state: Mechanism.Adopt takes one of another mechanism over", func() {
		_, err := linear.Equilibrate(p, &mechanism.State{}, linear.EquilibriumOptions{})
		assert.NoError(t, err)
	})
	s = linearized(t, p, resting(p))
	assert.PanicsWithValue(t, "linear: unknown method", func() {
		_, err := s.Modes(linear.ModeOptions{Method: 9})
		assert.NoError(t, err)
	})
	assert.PanicsWithValue(t, "linear: negative number of steps", func() {
		_, err := linear.Equilibrate(p, resting(p), linear.EquilibriumOptions{Steps: -1})
		assert.NoError(t, err)
	})
}

// TestNotLinearized uses a system without a linearized state: before Linearize, and after a Linearize
// that has failed for the state or for a force element.
func TestNotLinearized(t *testing.T) {
	b, bars := chainOf(t, 2, 1)
	b.SpringDamper("damper", rung.World, bars[1], vec{0, 0, 5}, vec{0, 0, -1}, rung.Spring{Stiffness: 3, Damping: 1})
	p := built(t, b)
	s := linear.NewSystem(p)
	x, rows := make([]float64, s.Dim()), make([]float64, s.Rows())
	none := func() {
		t.Helper()
		for _, read := range []func(){
			func() { s.MassTo(x, x) }, func() { s.StiffnessTo(x, x) }, func() { s.DampingTo(x, x) },
			func() { s.JacobianTo(rows, x) }, func() { s.MultipliersTo(rows) }, func() { s.Matrices() },
			func() { s.Unbalanced() }, func() { _, _ = s.Modes(linear.ModeOptions{}) },
		} {
			assert.PanicsWithValue(t, "linear: not linearized", read)
		}
	}
	none()
	notFinite, coinciding := resting(p), resting(p)
	notFinite.Bodies[1].Position[0] = math.NaN()
	e := &p.Mechanism().Forces[0]
	coinciding.Bodies[1].Rotation = [4]float64{1}
	for i := range 3 {
		coinciding.Bodies[1].Position[i] = e.A.Point[i] - e.B.Point[i]
	}
	for _, c := range []struct {
		st *mechanism.State
		is error
	}{{notFinite, mechanism.ErrNotFinite}, {coinciding, mechanism.ErrNoDirection}} {
		require.NoError(t, s.Linearize(resting(p)))
		s.MassTo(x, x)
		require.ErrorIs(t, s.LinearizeAsItIs(c.st), c.is)
		none()
	}
}

func TestErrors(t *testing.T) {
	p := built(t, chain(t, 2, 1))
	s, st := linear.NewSystem(p), p.Initial()
	st.Bodies[1].Position[0] = math.NaN()
	assert.ErrorIs(t, s.Linearize(st), mechanism.ErrNotFinite)

	// A damper whose ends coincide has no direction.
	b, bars := chainOf(t, 1, 1)
	b.SpringDamper("short", rung.World, bars[0], vec{0, 0, -1}, vec{0, 0, -1}, rung.Spring{Stiffness: 3, Damping: 1})
	p = built(t, b)
	err := linear.NewSystem(p).Linearize(resting(p))
	assert.ErrorIs(t, err, mechanism.ErrNoDirection)
	assert.ErrorContains(t, err, `"short"`)

	// The same up to rounding.
	b = chain(t, 1, 1)
	link := b.Rod("link", 1, 0.1, vec{0.3, 0.2, 0.1}, vec{1, -2, 0.7})
	b.SpringDamper("rounded", rung.World, link, vec{1, -2, 0.7}, vec{1, -2, 0.7}, rung.Spring{Damping: 1})
	p = built(t, b)
	e := &p.Mechanism().Forces[0]
	at := p.Initial().Bodies[1]
	require.NotEqual(t, e.A.Point, at.Position.Add(at.Rotation.Rotate(e.B.Point)))
	err = linear.NewSystem(p).Linearize(resting(p))
	assert.ErrorIs(t, err, mechanism.ErrNoDirection)
	assert.ErrorContains(t, err, `"rounded"`)

	// Joints that cannot be closed: the state stays.
	m, err := parallelogram(t, 0).Model()
	require.NoError(t, err)
	m.Joints[1].PredecessorFrame.Position[0] = 9
	p = planned(t, m)
	st = p.Initial()
	_, err = linear.Equilibrate(p, st, linear.EquilibriumOptions{})
	assert.ErrorIs(t, err, closing.ErrCannotClose)
	assert.Equal(t, p.Initial(), st)
}

// TestPointSpring has a spring without length between coinciding points, which is the
// same in all directions.
func TestPointSpring(t *testing.T) {
	b := rung.NewBuilder("point").Gravity(0, 0, 0)
	body := b.Body("mass", brick(t, 2, 0.1), rung.At(1, 2, 3))
	b.SpringDamper("spring", rung.World, body, vec{1, 2, 3}, vec{1, 2, 3}, rung.Spring{Stiffness: 50})
	m := modes(t, built(t, b), linear.ModeOptions{})
	require.Equal(t, 6, len(m.List))
	for i, want := range []float64{0, 0, 0, 25, 25, 25} {
		assert.InDelta(t, want, m.List[i].Stiffness, closedTol)
	}
}

// TestNoAllocations holds the products to their contract.
func TestNoAllocations(t *testing.T) {
	p := golden(t, "springs")
	s := linearized(t, p, resting(p))
	x, y := make([]float64, s.Dim()), make([]float64, s.Dim())
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		s.MassTo(y, x)
		s.StiffnessTo(y, x)
		s.DampingTo(y, x)
	}))
}

// TestSameBits computes modes and an equilibrium twice.
//
//rung:race
func TestSameBits(t *testing.T) {
	for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
		var first *linear.Modes
		for range 2 {
			p := golden(t, "springs")
			st := p.Initial()
			_, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
			require.NoError(t, err)
			m, err := linearized(t, p, st).Modes(linear.ModeOptions{Method: method})
			require.NoError(t, err)
			if first == nil {
				first = m
			}
			assert.Equal(t, first, m)
		}
	}
}

// TestEmpty has no bodies.
func TestEmpty(t *testing.T) {
	p := planned(t, emptyModel())
	m := modes(t, p, linear.ModeOptions{})
	assert.Empty(t, m.List)
	assert.True(t, m.All)
	e, err := linear.Equilibrate(p, p.Initial(), linear.EquilibriumOptions{})
	require.NoError(t, err)
	assert.Equal(t, linear.Immobile, e.Stability)
	assert.Equal(t, -1, e.TravelBody)
}

// TestZeroValues: the panic of a zero value names its constructor.
func TestZeroValues(t *testing.T) {
	for text, call := range map[string]func(){
		"linear: zero System; use NewSystem": func() { _ = new(linear.System).Linearize(nil) },
		"linear: no plan":                    func() { linear.NewSystem(nil) },
		"linear: not linearized":             func() { (*linear.System)(nil).MassTo(nil, nil) },
	} {
		require.PanicsWithValue(t, text, call)
	}
	require.PanicsWithValue(t, "linear: zero System; use NewSystem", func() { _, _ = (*linear.System)(nil).Modes(linear.ModeOptions{}) })
	require.PanicsWithValue(t, "linear: no plan", func() { _, _ = linear.Equilibrate(nil, nil, linear.EquilibriumOptions{}) })
}
