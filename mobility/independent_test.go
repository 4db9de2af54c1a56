package mobility_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/plantest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// basisTol is the error of velocities and rates of a basis, relative to the largest, for well conditioned freedoms.
const basisTol = 1e-10

// forbidden returns how much of velocities the joints do not allow, relative to the largest.
func forbidden(t *testing.T, p *kkt.Plan, v []float64) float64 {
	t.Helper()
	allowed := slices.Clone(v)
	require.NoError(t, closing.NewCloser(p, closing.Options{}).AllowMotion(allowed, p.Initial()))
	off := 0.0
	for i, x := range allowed {
		off = max(off, math.Abs(x-v[i]))
	}
	return off / check.MaxAbs(v)
}

// TestIndependent: the freedoms are as many as the motions that they tell, columns have the rate 1 of one of them and are allowed
// by the joints, all other velocities that the joints allow are combinations of them, and rates come back.
func TestIndependent(t *testing.T) {
	models := map[string]*model.Model{}
	for _, name := range []string{"four-bar", "bricard-6r", "slider-crank-spatial", "stewart-6ups", "ball-ladder-5", "n-four-bar-40", "type-helical-loop", "type-universal"} {
		models[name] = golden(t, name)
	}
	for _, family := range []string{"tree", "random", "gear-train", "nfourbar", "jansen"} {
		models[family] = plantest.Generate(t, family, 9, 1)
	}
	for name, m := range models {
		t.Run(name, func(t *testing.T) {
			p := plantest.New(t, m, order.Auto)
			s := p.NewSolver()
			require.NoError(t, s.Solve(p.Initial()))
			n, want := 6*p.Mechanism().NumBodies(), plantest.Report(t, s).Mobility
			x, err := mobility.Independent(p, p.Initial(), nil)
			require.NoError(t, err)
			require.Equal(t, want, x.Mobility)
			require.Len(t, x.Basis, n*x.Mobility)
			require.LessOrEqual(t, len(x.Freedoms), x.Mobility)
			for k := range x.Mobility {
				require.Less(t, forbidden(t, p, x.Basis[k*n:][:n]), basisTol*x.Condition, "column %d", k)
			}
			for i, f := range x.Freedoms {
				one := make([]float64, x.Mobility)
				one[i] = 1
				check.CloseVec(t, x.Dependence(f), one, basisTol, x.Condition, "%v", f)
			}
			if x.Mobility == 0 {
				return
			}

			rng := check.Rand(4)
			v, back, y := make([]float64, n), make([]float64, n), make([]float64, x.Mobility)
			for i := range v {
				v[i] = rng.Float64() - 0.5
			}
			require.NoError(t, closing.NewCloser(p, closing.Options{}).AllowMotion(v, p.Initial()))
			x.RatesTo(y, v)
			x.VelocitiesTo(back, y)
			check.CloseVec(t, back, v, basisTol*x.Condition, check.MaxAbs(v), "velocities")
		})
	}
}

// crank returns the plan of a slider-crank, crank of 1 m and rod of 2 m, at a crank angle, with the crank's hinge and the slider.
func crank(t testing.TB, angle float64) (p *kkt.Plan, hinge, slider mechanism.Freedom) {
	t.Helper()
	b := rung.NewBuilder("slider-crank")
	z, pin := spatial.Vec3{0, 0, 1}, spatial.Vec3{math.Cos(angle), math.Sin(angle)}
	end := spatial.Vec3{pin[0] + math.Sqrt(4-pin[1]*pin[1])}
	c, r := b.Rod("crank", 1, 0.01, spatial.Vec3{}, pin), b.Rod("rod", 2, 0.01, pin, end)
	block := b.Rod("block", 1, 0.1, end.Sub(spatial.Vec3{0.2}), end.Add(spatial.Vec3{0.2}))
	hinge.Joint = b.Revolute("main", rung.World, c, spatial.Vec3{}, z).Index()
	b.Revolute("crank pin", c, r, pin, z)
	b.Revolute("wrist", r, block, end, z)
	slider.Joint = b.Prismatic("guide", rung.World, block, end, spatial.Vec3{1}).Index()
	m, err := b.Model()
	require.NoError(t, err)
	return plantest.New(t, m, order.Auto), hinge, slider
}

// TestIndependentSliderCrank: the rate of the slider over that of the crank has a closed form. Next to the dead centre the slider is a bad
// choice, and Weakest falls with the angle; the crank is chosen at any pose.
func TestIndependentSliderCrank(t *testing.T) {
	for _, angle := range []float64{1.2, 0.3, 1e-3, 1e-6} {
		p, hinge, slider := crank(t, angle)
		x, err := mobility.Independent(p, p.Initial(), nil)
		require.NoError(t, err)
		require.Equal(t, 1, x.Mobility)
		require.NotEqual(t, []mechanism.Freedom{slider}, x.Freedoms)

		x, err = mobility.Independent(p, p.Initial(), []mechanism.Freedom{hinge})
		require.NoError(t, err)
		sin, cos := math.Sincos(angle)
		want := -sin - sin*cos/math.Sqrt(4-sin*sin)
		require.InDelta(t, want, x.Dependence(slider)[0], 1e-12)
		require.InDelta(t, 1, x.Condition, 1e-15)
		good := x.Weakest

		x, err = mobility.Independent(p, p.Initial(), []mechanism.Freedom{slider})
		require.NoError(t, err)
		require.Equal(t, []mechanism.Freedom{slider}, x.Freedoms)
		require.InEpsilon(t, 1/want, x.Dependence(hinge)[0], 1e-8)
		require.InEpsilon(t, math.Abs(want)/0.5, x.Weakest/good, 1e-6, "the crank has a length of 0.5 m, from its centre to its joints")
	}
	p, hinge, slider := crank(t, 0) // the dead centre itself
	x, err := mobility.Independent(p, p.Initial(), []mechanism.Freedom{slider})
	require.NoError(t, err)
	require.Empty(t, x.Freedoms)
	require.Equal(t, 1, x.Mobility)
	require.Len(t, x.Basis, 18)
	require.Greater(t, math.Abs(x.Dependence(hinge)[0]), 0.1)
	require.InDelta(t, 0, x.Dependence(slider)[0], 1e-12)
}

// TestIndependentCondition: two sliding joints at an angle carry a block in the plane. The singular values of its rates have a closed form,
// √(1 ± |cos|), if a block that moves by 1 m moves them by its components along both axes.
func TestIndependentCondition(t *testing.T) {
	for _, angle := range []float64{math.Pi / 2, 1, 0.01} {
		b := rung.NewBuilder("axes")
		block := b.Rod("block", 1, 0.1, spatial.Vec3{-0.1}, spatial.Vec3{0.1})
		var list []mechanism.Freedom
		for i, a := range []float64{0, angle} {
			// A slide along the axis and one across it: the first tells the component.
			sin, cos := math.Sincos(a)
			shoe := b.Rod(fmt.Sprint("shoe ", i), 1e-3, 0.1, spatial.Vec3{-0.1}, spatial.Vec3{0.1})
			list = append(list, mechanism.Freedom{Joint: b.Prismatic(fmt.Sprint("along ", i), rung.World, shoe, spatial.Vec3{}, spatial.Vec3{cos, sin}).Index()})
			b.Prismatic(fmt.Sprint("across ", i), shoe, block, spatial.Vec3{}, spatial.Vec3{-sin, cos})
		}
		m, err := b.Model()
		require.NoError(t, err)
		p := plantest.New(t, m, order.Auto)
		x, err := mobility.Independent(p, p.Initial(), list)
		require.NoError(t, err)
		require.Equal(t, list, x.Freedoms, "in the order of the candidates")
		// With u and w the rates along both axes, the block has v = (u, (w − u·cos)/sin), and the sum of squares is u² + w² + v².
		cos, sin := math.Cos(angle), math.Sin(angle)
		one, off := 1+1/(sin*sin), -cos/(sin*sin)
		high, low := 1/math.Sqrt(one-math.Abs(off)), 1/math.Sqrt(one+math.Abs(off))
		require.InEpsilon(t, high/low, x.Condition, 1e-9)
		require.InEpsilon(t, low, x.Weakest, 1e-9)

		back, err := mobility.Independent(p, p.Initial(), []mechanism.Freedom{list[1], list[0]})
		require.NoError(t, err)
		require.Equal(t, []mechanism.Freedom{list[1], list[0]}, back.Freedoms)
		require.InEpsilon(t, x.Condition, back.Condition, 1e-9)
	}
}

// TestIndependentBalls: motions of ball joints have no scalar freedom. Their columns are orthonormal in the metric.
func TestIndependentBalls(t *testing.T) {
	p := plantest.New(t, golden(t, "ball-ladder-5"), order.Auto)
	x, err := mobility.Independent(p, p.Initial(), nil)
	require.NoError(t, err)
	require.Empty(t, x.Freedoms)
	require.Equal(t, 1.0, x.Condition)
	n, length := 6*p.Mechanism().NumBodies(), make([]float64, p.Mechanism().NumBodies())
	p.Layout().LengthsTo(length)
	for a := range x.Mobility {
		for b := range x.Mobility {
			sum, want := 0.0, 0.0
			for i := range n {
				u := 1.0
				if i%6 < 3 {
					u = length[i/6] * length[i/6]
				}
				sum += u * x.Basis[a*n+i] * x.Basis[b*n+i]
			}
			if a == b {
				want = 1
			}
			require.InDelta(t, want, sum, 1e-12)
		}
	}
}

// TestIndependentMoved: the choice does not depend on where the mechanism is, nor on loads and velocities.
func TestIndependentMoved(t *testing.T) {
	p := plantest.New(t, golden(t, "stewart-6ups"), order.Auto)
	want, err := mobility.Independent(p, p.Initial(), nil)
	require.NoError(t, err)
	moved := *golden(t, "stewart-6ups")
	st := p.Initial()
	for i := range st.Bodies {
		st.Bodies[i].Velocity, st.Bodies[i].Omega = spatial.Vec3{1, 2, 3}, spatial.Vec3{4, 5}
	}
	moved.Gravity = [3]float64{9, 9, 9}
	got, err := mobility.Independent(plantest.New(t, &moved, order.Banded), st, nil)
	require.NoError(t, err)
	require.Equal(t, want.Freedoms, got.Freedoms)
	require.InEpsilon(t, want.Condition, got.Condition, 1e-9)
	check.CloseVec(t, got.Basis[:len(want.Freedoms)*6*len(st.Bodies)], want.Basis[:len(want.Freedoms)*6*len(st.Bodies)], 1e-9, check.MaxAbs(want.Basis), "basis")
}

// TestIndependentRefuses: what a caller could know is a panic, the end of a context and a bad state are errors; VelocitiesTo and RatesTo do not
// allocate.
func TestIndependentRefuses(t *testing.T) {
	p, hinge, _ := crank(t, 1)
	st := p.Initial()
	for text, call := range map[string]func(){
		"mobility: no plan":  func() { _, _ = mobility.Independent(nil, st, nil) },
		"mobility: no state": func() { _, _ = mobility.Independent(p, nil, nil) },
		"mobility: freedom out of range": func() {
			_, _ = mobility.Independent(p, st, []mechanism.Freedom{{Joint: hinge.Joint, Freedom: 1}})
		},
	} {
		require.PanicsWithValue(t, text, call)
	}
	require.PanicsWithValue(t, "mobility: freedom out of range", func() { _, _ = mobility.Independent(p, st, []mechanism.Freedom{{Joint: 4}}) })
	ended, end := context.WithCancel(t.Context())
	end()
	_, err := mobility.IndependentContext(ended, p, st, nil)
	require.ErrorIs(t, err, context.Canceled)
	bad := st.Clone()
	bad.Bodies[1].Position[0] = math.NaN()
	_, err = mobility.Independent(p, bad, nil)
	require.ErrorIs(t, err, mechanism.ErrNotFinite)

	x, err := mobility.Independent(p, st, []mechanism.Freedom{})
	require.NoError(t, err)
	require.Empty(t, x.Freedoms)
	v, y := make([]float64, 18), []float64{2}
	require.Zero(t, testing.AllocsPerRun(5, func() { x.VelocitiesTo(v, y); x.RatesTo(y, v) }))
	require.InDelta(t, 2, y[0], 1e-14)
	require.PanicsWithValue(t, "mobility: length mismatch", func() { x.VelocitiesTo(v, nil) })
	require.PanicsWithValue(t, "mobility: length mismatch", func() { x.RatesTo(y, v[1:]) })
	require.PanicsWithValue(t, "mobility: freedom out of range", func() { x.Dependence(mechanism.Freedom{Joint: 4}) })
}
