package joints_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// randomAxes returns n axes of any kinds, anywhere.
func randomAxes(seed uint64, n int, helical bool) []joints.Axis {
	r := check.Rand(seed)
	vec := func() spatial.Vec3 {
		return spatial.Vec3{2*r.Float64() - 1, 2*r.Float64() - 1, 2*r.Float64() - 1}
	}
	for {
		list := make([]joints.Axis, n)
		for i := range list {
			a := &list[i]
			a.Kind, a.Axis, a.Point = joints.Revolute, vec(), vec()
			switch x := r.Float64(); {
			case x < 0.3:
				a.Kind = joints.Prismatic
			case x < 0.4 && helical:
				a.Kind, a.Pitch = joints.Helical, 0.3*(2*r.Float64()-1)
			}
			switch x := r.Float64(); { // axes as machines have them
			case x < 0.3:
				a.Axis = spatial.Vec3{}
				a.Axis[i%3] = 1
			case x < 0.6:
				a.Axis = spatial.Vec3{}
				a.Axis[r.IntN(3)] = 1
			}
			if r.Float64() < 0.3 {
				a.Point = spatial.Vec3{}
			}
		}
		if _, err := joints.NewAxes(list); err == nil {
			return list
		}
	}
}

// TestSearchFindsTheSmallestCoordinates compares with coordinates that
// make the pose: those found make it too, and are not larger.
func TestSearchFindsTheSmallestCoordinates(t *testing.T) {
	for seed := range check.Random[uint64](250, 150) {
		r := check.Rand(seed + 1<<32)
		axes, err := joints.NewAxes(randomAxes(seed, 1+int(seed%5), seed%5 < 2))
		require.NoError(t, err)
		s := joints.Spec{Kind: axes.Kind(), Axes: axes}
		var q, found, qd, e [6]float64
		want, size := 0.0, 0.0
		for i := range axes.Len() {
			if q[i] = math.Pi * (2*r.Float64() - 1); axes.At(i).Kind == joints.Prismatic {
				q[i] *= 0.3
			}
			want += q[i] * q[i]
		}
		E, x := chain(axes, &q)
		f := still(E, x)
		s.CoordinatesTo(&found, &qd, f)
		s.PositionErrorTo(&e, f, 0)
		worst := 0.0
		for i := range 6 {
			size += found[i] * found[i]
			worst = max(worst, math.Abs(e[i]))
			if s.Winds(i) {
				require.LessOrEqual(t, math.Abs(found[i]), math.Pi)
			}
		}
		require.LessOrEqual(t, worst, nearSingular, "seed %d", seed)
		require.LessOrEqual(t, size, want+nearSingular, "seed %d: %v for %v", seed, found, q)
	}
}

// nearSingular bounds the error of coordinates where two sets of them nearly meet: the root of rounding.
const nearSingular = 1e-7

// TestCompositeEqualsTypes compares composite joints with the types whose freedoms they have: coordinates and rates,
// what the rows leave free, and what they demand of accelerations.
func TestCompositeEqualsTypes(t *testing.T) {
	for _, c := range []struct {
		axes string
		of   []int // of each axis its freedom in the type
		spec joints.Spec
	}{
		{"R 0 0 1", []int{0}, joints.Spec{Kind: joints.Revolute}},
		{"P 0 0 1", []int{0}, joints.Spec{Kind: joints.Prismatic}},
		{"H 0.13 0 0 1", []int{0}, joints.Spec{Kind: joints.Helical, Pitch: 0.13}},
		{"H -0.4 0 0 1", []int{0}, joints.Spec{Kind: joints.Helical, Pitch: -0.4}},
		{"R 0 0 1, P 0 0 1", []int{0, 1}, joints.Spec{Kind: joints.Cylindrical}},
		{"P 0 0 1, R 0 0 1", []int{1, 0}, joints.Spec{Kind: joints.Cylindrical}},
		{"R 1 0 0, R 0 1 0", []int{0, 1}, joints.Spec{Kind: joints.Universal}},
		{"P 1 0 0, P 0 1 0, R 0 0 1", []int{1, 2, 0}, joints.Spec{Kind: joints.Planar}},
		{"P 0 1 0, P 1 0 0, R 0 0 3", []int{2, 1, 0}, joints.Spec{Kind: joints.Planar}},
	} {
		t.Run(c.axes, func(t *testing.T) {
			s := composite(c.axes)
			for seed := range uint64(numPaths) {
				p := randomPath(c.spec, seed)
				f := p.frames(0.1)
				own, typ := eval(t, &s, f, 0), eval(t, &c.spec, f, 0)
				require.Equal(t, typ.N, own.N)
				var q, qd, want, rates [6]float64
				s.CoordinatesTo(&q, &qd, f)
				c.spec.CoordinatesTo(&want, &rates, f)
				for i, k := range c.of {
					require.InDelta(t, want[k], q[i], roundTol)
					require.InDelta(t, rates[k], qd[i], roundTol)
				}
				for i := range 3 {
					require.InDelta(t, typ.Arm[i], own.Arm[i], roundTol)
					require.InDelta(t, typ.Slip[i], own.Slip[i], roundTol)
				}
				// Each row of the type is a sum of rows of the composite joint, and so is its velocity product.
				for k := range typ.N {
					left, product := typ.T[k], typ.TDot[k]
					for i := range own.N {
						w := 0.0
						for e := range left {
							w += typ.T[k][e] * own.T[i][e]
						}
						left = left.Sub(own.T[i].Scale(w))
						product -= w * own.TDot[i]
					}
					for e := range left {
						require.InDelta(t, 0, left[e], roundTol)
					}
					require.InDelta(t, 0, product, 20*roundTol)
				}
			}
		})
	}
}

// TestCompositeTurns counts turns without near coordinates, and continues from these with them.
func TestCompositeTurns(t *testing.T) {
	s := composite("R 0 0 1, P 1 0 0, R 0 0 1 at 0.4 0 0")
	s.Turns = &[6]int64{2, 0, -1}
	q := [6]float64{1, 0.3, -0.5}
	var found, qd [6]float64
	f := still(chain(s.Axes, &q))
	s.CoordinatesTo(&found, &qd, f)
	require.InDelta(t, 1+4*math.Pi, found[0], roundTol)
	require.InDelta(t, 0.3, found[1], roundTol)
	require.InDelta(t, -0.5-2*math.Pi, found[2], roundTol)
	f.Near = []float64{1.2 - 6*math.Pi, 0.25, -0.4 + 2e6*math.Pi}
	s.CoordinatesTo(&found, &qd, f)
	require.InDelta(t, 1-6*math.Pi, found[0], roundTol)
	require.InDelta(t, 0.3, found[1], roundTol)
	require.InDelta(t, -0.5+2e6*math.Pi, found[2], 1e-9)
	require.False(t, s.Winds(1))
	require.False(t, s.Winds(3))
}

// TestSingularPoses: rows are right until a pose does not tell them.
// The axes of a ball make the rows of a ball however near it is.
func TestSingularPoses(t *testing.T) {
	ball, skew := composite("R 1 0 0, R 0 1 0, R 0 0 1"), composite("R 0 0 1, P 0 0 1, R 1 0 0, R 0 0 1")
	var rows joints.Rows
	for _, gap := range []float64{1e-3, 1e-5, 1e-7, 0} {
		q := [6]float64{0.3, math.Pi/2 - gap, -0.8}
		f := still(chain(ball.Axes, &q))
		f.Near = q[:3]
		err := ball.EvalTo(&rows, f, 0)
		if gap < 1e-6 {
			require.ErrorIs(t, err, joints.ErrSingular)
			continue
		}
		require.NoError(t, err)
		for k := range rows.N {
			require.Zero(t, rows.T[k].Moment())
		}
	}
	// The first and the last axis of the other one are one line at q_3 = 0. What the others allow is not closed there,
	// so that the rows turn fast: by 1/gap times the error of the pose.
	for _, gap := range []float64{0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-7, 1e-9, 0} {
		q := [6]float64{0.3, 0.2, gap, -0.4}
		f := still(chain(skew.Axes, &q))
		f.Near = q[:4]
		err := skew.EvalTo(&rows, f, 0)
		require.Equal(t, gap < 1e-6, err != nil, "gap %v", gap)
		if err != nil {
			require.ErrorIs(t, err, joints.ErrSingular)
			continue
		}
		// The exact rows of these coordinates annihilate their motions.
		S := motionsOf(skew.Axes, &q)
		for k := range rows.N {
			for i := range S {
				T := spatial.NewForce(f.EP.TMulVec(rows.T[k].Moment()), f.EP.TMulVec(rows.T[k].Linear()))
				require.InDelta(t, 0, S[i].Dot(&T), 1e-9, "gap %v", gap)
			}
		}
	}
}

// motionsOf returns the columns of S of a composite joint in its coordinates q.
func motionsOf(a *joints.Axes, q *[6]float64) []spatial.Motion {
	_, x := chain(a, q)
	list := make([]spatial.Motion, a.Len())
	for k := range list {
		before := *q
		clear(before[k:])
		E, r := chain(a, &before)
		m := a.At(k)
		u := E.MulVec(m.Axis)
		if m.Kind == joints.Prismatic {
			list[k] = spatial.NewMotion(spatial.Vec3{}, u)
			continue
		}
		list[k] = spatial.NewMotion(u, u.Cross(x.Sub(r.Add(E.MulVec(m.Point)))).Add(u.Scale(m.Pitch)))
	}
	return list
}

// TestNewAxes refuses what is no row of axes.
func TestNewAxes(t *testing.T) {
	z := spatial.Vec3{0, 0, 1}
	turn, slide := joints.Axis{Kind: joints.Revolute, Axis: z}, joints.Axis{Kind: joints.Prismatic, Axis: z}
	for name, list := range map[string][]joints.Axis{
		"none":                    {},
		"six":                     {turn, slide, turn, slide, turn, slide},
		"kind":                    {{Kind: joints.Spherical, Axis: z}},
		"zero axis":               {{Kind: joints.Revolute}},
		"axis not finite":         {{Kind: joints.Revolute, Axis: spatial.Vec3{math.NaN()}}},
		"point not finite":        {{Kind: joints.Revolute, Axis: z, Point: spatial.Vec3{math.Inf(1)}}},
		"no pitch":                {{Kind: joints.Helical, Axis: z}},
		"pitch of a revolute":     {{Kind: joints.Revolute, Axis: z, Pitch: 1}},
		"pitch not finite":        {{Kind: joints.Helical, Axis: z, Pitch: math.NaN()}},
		"the same axis twice":     {turn, turn},
		"the same line":           {turn, slide, {Kind: joints.Revolute, Axis: z, Point: spatial.Vec3{0, 0, 3}}},
		"opposite":                {turn, {Kind: joints.Revolute, Axis: z.Neg()}},
		"four slides":             {slide, {Kind: joints.Prismatic, Axis: spatial.Vec3{1}}, {Kind: joints.Prismatic, Axis: spatial.Vec3{0, 1}}, {Kind: joints.Prismatic, Axis: spatial.Vec3{1, 1, 1}}},
		"screw, turn and slide":   {{Kind: joints.Helical, Axis: z, Pitch: 0.1}, turn, slide},
		"four turns at one point": {turn, {Kind: joints.Revolute, Axis: spatial.Vec3{1}}, {Kind: joints.Revolute, Axis: spatial.Vec3{0, 1}}, {Kind: joints.Revolute, Axis: spatial.Vec3{1, 1, 1}}},
	} {
		_, err := joints.NewAxes(list)
		require.ErrorIs(t, err, joints.ErrAxes, name)
	}
	// Axes that depend on each other where all coordinates are zero are a joint elsewhere.
	_, err := joints.NewAxes([]joints.Axis{turn, {Kind: joints.Revolute, Axis: spatial.Vec3{1}}, turn})
	require.NoError(t, err)
	a, err := joints.NewAxes([]joints.Axis{{Kind: joints.Prismatic, Axis: spatial.Vec3{0, 3e200, 4e200}}})
	require.NoError(t, err)
	require.InDelta(t, 0.8, a.At(0).Axis[2], roundTol)
	// The independent parts of axes are compared with the size of the axes: the axes of two hinges a metre apart, a thousand kilometres away.
	far, next := turn, turn
	far.Point, next.Point = spatial.Vec3{1e6}, spatial.Vec3{1e6, 1}
	_, err = joints.NewAxes([]joints.Axis{far, next})
	require.NoError(t, err)
}

// TestCompositeKinds: each has the facts of its axes, and the name of the type.
func TestCompositeKinds(t *testing.T) {
	seen := map[joints.Kind]bool{}
	for seed := range check.Few(uint64(2000), 500) {
		a, err := joints.NewAxes(randomAxes(seed, 1+int(seed%5), true))
		require.NoError(t, err)
		k := a.Kind()
		seen[k] = true
		require.Equal(t, joints.Composite, k.Type())
		require.Equal(t, "composite", k.String())
		require.True(t, k.Valid())
		require.Equal(t, []int{a.Len(), a.Len(), 6 - a.Len(), a.Len()}, []int{k.Dof(), k.Freedoms(), k.Constraints(), k.Turns()})
		for i := range 6 {
			require.Equal(t, i < a.Len(), k.Scalar(i))
			require.Equal(t, i < a.Len() && a.At(i).Kind != joints.Prismatic, k.Rotational(i))
		}
		s := joints.Spec{Kind: k, Axes: a}
		require.NoError(t, s.Check())
		require.Zero(t, s.Angles())
		s.Axes = nil
		require.ErrorIs(t, s.Check(), joints.ErrAxes)
	}
	require.Greater(t, len(seen), 45) // some of the 62 need four slides or more
}

// TestCompositeDoesNotAllocate covers poses with and without near coordinates.
func TestCompositeDoesNotAllocate(t *testing.T) {
	s := composite("R 0 0 1, P 1 0 0, R 0 1 0.2 at 0 0.3 0")
	q := [6]float64{0.4, 0.2, -0.7}
	f := still(chain(s.Axes, &q))
	var rows joints.Rows
	var x, y [6]float64
	var w spatial.Force
	for _, near := range [][]float64{nil, q[:3]} {
		f.Near = near
		require.Zero(t, testing.AllocsPerRun(10, func() {
			_ = s.EvalTo(&rows, f, 0)
			s.CoordinatesTo(&x, &y, f)
			s.PositionErrorTo(&x, f, 0)
			_ = s.VelocityErrorTo(&x, f, 0)
			s.WrenchTo(&w, &x, f)
			s.FreedomRowsTo(&rows, f)
		}))
	}
}
