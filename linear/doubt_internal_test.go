package linear

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/spatial"
)

// TestCheckProducts: one product detects that products differ from those of the iteration, and passes if they do not.
func TestCheckProducts(t *testing.T) {
	s, off := columnOf(t, 3), 0.0
	k := s.newKrylov(12, func(dst, x []float64) error {
		for i := range x {
			dst[i] = x[i] / float64(i+1)
		}
		dst[11] += off * x[0] // a value does not show it
		return nil
	}, func(dst, x []float64) { copy(dst, x) })
	require.NoError(t, k.start(4))
	r, err := k.run(4, ritzTol)
	require.NoError(t, err)
	require.Len(t, r, 12)
	for _, c := range []struct {
		off float64
		ok  bool
	}{{0, true}, {relationTol / 100, true}, {100 * relationTol, false}} {
		off = c.off
		if err := k.checkProducts(r, 1, k.largest/bandReach); c.ok {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, ErrNoConvergence)
		}
	}
}

// TestForceless: in a space of rigid and other displacements, forceless finds the rigid ones, whatever basis the space has.
func TestForceless(t *testing.T) {
	d, err := bodies.New(2, spatial.Vec3{}, spatial.Sym3{1, 1, 1})
	require.NoError(t, err)
	b := rung.NewBuilder("floating").Gravity(0, 0, 0)
	j := b.Prismatic("guide", b.Body("one", d, rung.At(0, 0, 0)), b.Body("two", d, rung.At(1, 2, 2)), spatial.Vec3{}, spatial.Vec3{1, 2, 2})
	j.Stiffness = []float64{100}
	m, err := b.Model()
	require.NoError(t, err)
	s := systemOf(t, m)
	dense, err := s.Modes(ModeOptions{Method: Dense})
	require.NoError(t, err)
	require.Len(t, dense.List, 7)
	var space [][]float64
	for i := range dense.List {
		x := append([]float64(nil), dense.List[i].Shape...)
		for k := range x {
			x[k] += dense.List[6].Shape[k] // the vibration is in all
		}
		space = s.appendDirection(space, x)
	}
	require.Len(t, space, 7)
	g, err := s.quadratic(1)
	require.NoError(t, err)
	free, err := s.forceless(space, g)
	require.NoError(t, err)
	require.Len(t, free, 6)
	for _, x := range free {
		require.Equal(t, Rigid, s.undamped(x).Kind)
	}
}

// TestKnown: an eigenvalue is known if it is within the reach of a band, or if it is the eigenvalue nearest to a mode at the edge of a band.
func TestKnown(t *testing.T) {
	seen := []band{{sigma: 1, reach: 100}}
	lambda := []complex128{50i, 100.05i, 100.02i, 300i}
	list := []Mode{{}, {Lambda: 100.03i}, {Lambda: 50i}}
	require.Equal(t, []bool{true, false, true, false}, known(lambda, seen, list))
	require.Equal(t, []bool{true, true, true, false}, known(lambda, seen, append(list, Mode{Lambda: 100.04i})))
	require.Equal(t, []bool{true, false, false, false}, known(lambda, seen, []Mode{{Lambda: 299i}}))
	require.Equal(t, make([]bool, 4), known(lambda, nil, list))
}

// TestWithinReach: modes within the reach of a band, also to the right of its shift, stay inside when a later band does
// not reach them.
func TestWithinReach(t *testing.T) {
	seen := []band{{sigma: 1, reach: 100}}
	grown, back, left := Mode{Lambda: 100.5}, Mode{Lambda: -98}, Mode{Lambda: -99.5}
	near, far := withinReach([]Mode{grown, back, left}, seen)
	require.Equal(t, []Mode{grown, back}, near)
	require.Equal(t, []Mode{left}, far)
	near, far = withinReach([]Mode{grown, back, left}, append(seen, band{sigma: 100, reach: 150}))
	require.Equal(t, []Mode{grown, back}, near)
	require.Equal(t, []Mode{left}, far)
}
