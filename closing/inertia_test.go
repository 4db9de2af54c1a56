package closing_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// standard reads a model of the standard benchmarks.
func standard(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := rung.Open(check.Reference(t, "standard", name+".model.json"))
	require.NoError(t, err)
	return m
}

// scaleInertias multiplies the rotational inertias of m.
func scaleInertias(m *model.Model, s float64) {
	for i := range m.Bodies {
		I := &m.Bodies[i].Inertia
		for _, x := range []*float64{&I.XX, &I.YY, &I.ZZ, &I.XY, &I.XZ, &I.YZ} {
			*x *= s
		}
	}
}

// TestCloseSmallInertias closes the standard benchmarks that have bodies with inertias of 1e-9 m·L²
// and the like, displaced by up to a tenth of their size. The nearest assembly is not farther
// away than where they were displaced from.
func TestCloseSmallInertias(t *testing.T) {
	for _, name := range []string{"a01-pendulum", "a04-bricard-slender", "a05-flyball-governor"} {
		p := newPlan(t, standard(t, name), order.Auto)
		mech, before := p.Mechanism(), p.Initial()
		plain, nearest := closing.NewCloser(p, closing.Options{}), closing.NewCloser(p, closing.Options{Nearest: true})
		for seed := range uint64(100) {
			part := []float64{0.01, 0.05, 0.1}[seed%3]
			start := before.Clone()
			displace(mech, start, part, seed)
			st, what := start.Clone(), fmt.Sprintf("%s, %g, seed %d", name, part, seed)
			requireClosed(t, plain, mech, st, what)
			copy(st.Bodies, start.Bodies)
			require.NoError(t, nearest.ClosePositions(st), what)
			position, _ := jointErrors(t, mech, st)
			require.LessOrEqual(t, position, shutTol, what)
			require.LessOrEqual(t, nearest.Closing().Distance, farFrom(mech, start, before, nil, 0)*(1+nearestTol), what)
		}
	}
}

// TestCloseStiffened closes loops and trees of bodies that turn nearly for free, from
// near and from far: steps of least displacement are too long for some of them.
func TestCloseStiffened(t *testing.T) {
	check.Long(t)
	for _, family := range []string{"random", "tree"} {
		for _, s := range []float64{1e-4, 1e-6} {
			for seed := range uint64(20) {
				m := generate(t, family, 5+2*int(seed), seed)
				scaleInertias(m, s)
				p := newPlan(t, m, order.Auto)
				mech, c := p.Mechanism(), closing.NewCloser(p, closing.Options{})
				for _, part := range []float64{0.1, 0.3} {
					st, name := p.Initial(), fmt.Sprintf("%s, %g, %g, seed %d", family, s, part, seed)
					displace(mech, st, part, seed)
					require.NoError(t, c.ClosePositions(st), name)
					position, _ := jointErrors(t, mech, st)
					require.LessOrEqual(t, position, shutTol, name)
				}
			}
		}
	}
}

// TestCloseTreesFromFar closes trees whose bodies are anywhere: they have no loops, so
// that they can be closed from everywhere.
func TestCloseTreesFromFar(t *testing.T) {
	check.Long(t)
	for seed := range uint64(60) {
		p := newPlan(t, generate(t, "tree", 5+int(seed), seed), order.Auto)
		mech, c, st := p.Mechanism(), closing.NewCloser(p, closing.Options{}), p.Initial()
		displace(mech, st, 3, seed)
		name := fmt.Sprintf("seed %d", seed)
		require.NoError(t, c.ClosePositions(st), name)
		position, _ := jointErrors(t, mech, st)
		require.LessOrEqual(t, position, shutTol, name)
	}
}

// TestCloseTolerance has hinges that are parallel only to ten decimals: in other poses
// than its own, the redundant loop cannot be closed any further.
func TestCloseTolerance(t *testing.T) {
	const tilt = 5e-11
	m := modeltest.TiltedHinges(t, tilt)
	p := newPlan(t, m, order.Auto)
	moved := func() *mechanism.State {
		st := p.Initial()
		st.Bodies[0].Rotation = spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, 0.3).Mul(st.Bodies[0].Rotation)
		return st
	}
	failed := new(closing.CloseError)
	require.ErrorAs(t, closing.NewCloser(p, closing.Options{}).ClosePositions(moved()), &failed)
	require.Less(t, failed.Off, tilt)
	c := closing.NewCloser(p, closing.Options{Tolerance: tilt})
	require.NoError(t, c.ClosePositions(moved()))
	require.Less(t, c.Closing().After, tilt)
	require.Greater(t, c.Closing().After, 1e-12)
	require.NoError(t, closing.NewCloser(p, closing.Options{Tolerance: tilt}).ClosePositions(p.Initial()))
	require.PanicsWithValue(t, "closing: tolerance out of range", func() { closing.NewCloser(p, closing.Options{Tolerance: -1}) })

	d := motion.NewDynamics(p)
	s := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{}), p.Initial(), sim.Options{Projector: d})
	require.NoError(t, s.Run(1))
}
