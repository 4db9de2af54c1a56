package kkt

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestRoughStates: twice the digits of a state that violates its joints mean nothing.
func TestRoughStates(t *testing.T) {
	s := solvedGolden(t, "four-bar")
	require.NoError(t, s.refineMore())
	require.NoError(t, s.more.solve(s.st, 0.9e-6))
	require.Equal(t, tauOf(0.9e-6), s.more.tau)
	for _, noise := range []float64{2e-6, 1, math.NaN()} {
		require.ErrorIs(t, s.more.solve(s.st, noise), errRough)
	}
}

// TestVerifyComparesDoubles: what a Report says of accelerations in doubles, and which it keeps, goes by how far they
// are from those with twice the digits. The accelerations of a solution are changed by a part of the largest.
func TestVerifyComparesDoubles(t *testing.T) {
	s := solvedGolden(t, "four-bar")
	exact := slices.Clone(s.x)
	size := 0.0
	for i := range s.plan.mech.NumBodies() {
		size = max(size, spatial.Vec3(exact[6*i+3:6*i+6]).Norm())
	}
	for _, c := range []struct {
		part       float64
		kept, lost bool
	}{{0, true, false}, {0.9e-9, true, false}, {1.1e-9, false, false}, {0.9e-6, false, false}, {1.1e-6, false, true}} {
		require.NoError(t, s.Solve(s.st))
		way := s.way
		s.x[3] += c.part * size
		was := slices.Clone(s.x)
		r := s.explainer().newReport()
		s.explainer().verify(r)
		require.Equal(t, c.lost, r.IllScaled != nil, "%+v: %+v", c, r.IllScaled)
		if c.lost {
			require.Contains(t, r.IllScaled.Text, "doubles lose its acceleration")
			require.Equal(t, 0, r.IllScaled.Body)
		}
		if c.kept {
			require.Equal(t, was, s.x)
			require.Equal(t, way, s.way)
		} else {
			require.Equal(t, TwiceTheDigits, s.way)
			check.CloseVec(t, s.x[:6], exact[:6], 1e-12, size, "accelerations")
		}
	}
}

// TestProbedComponents: a component of a wrench is undetermined where a null vector reaches it by more than rounding, and so are the
// load of a bearing and the reaction of a coupling.
func TestProbedComponents(t *testing.T) {
	const above, below = 2e-8, 0.5e-8
	friction := []model.Friction{{Coefficient: 0.3, Radius: 0.05, Speed: 1e-3}}
	p := arm(t, 2, func(m *model.Model) {
		m.Joints[1].Friction = friction
		m.Couplings = []model.Coupling{{Name: "gears", Terms: []model.CouplingTerm{
			{Coupled: model.Coupled{Joint: "hinge0"}, Factor: 1}, {Coupled: model.Coupled{Joint: "hinge1"}, Factor: -3},
		}}}
	})
	s := solvedAt(t, p)
	probe := func(v []float64) *Report {
		r := s.explainer().newReport()
		s.explainer().probeJoint(r, 1, v)
		s.explainer().probeCoupling(r, 0, v)
		return r
	}
	pattern := p.layout.Pattern
	node := p.layout.JointNode(1)
	length := max(p.length[0], p.length[1])
	bearings := 0
	for i := pattern.Off[node]; i < pattern.Off[node+1]; i++ {
		v := make([]float64, len(s.x))
		v[i] = 1
		w := s.wrench(1, v[pattern.Off[node]:pattern.Off[node+1]])
		for c, x := range w {
			if x = math.Abs(x); c < 3 {
				x /= length
			}
			if x < 1e-3 {
				continue
			}
			v[i] = above / x
			require.NotZero(t, probe(v).Undetermined[1]&componentBit(c), "row %d, component %d", i, c)
			v[i] = below / x
			require.Zero(t, probe(v).Undetermined[1]&componentBit(c), "row %d, component %d", i, c)
		}
		if load := math.Hypot(w[3], w[4]); load > 1e-3 { // the hinge is about z
			bearings++
			v[i] = above / load
			require.NotZero(t, probe(v).Undetermined[1]&bearingBit)
			v[i] = below / load
			require.Zero(t, probe(v).Undetermined[1]&bearingBit)
		}
	}
	require.Equal(t, 2, bearings)
	v := make([]float64, len(s.x))
	o := pattern.Off[p.layout.CouplingNode(0)]
	v[o] = above / math.Sqrt(s.sys.Scale[o])
	require.True(t, probe(v).UndeterminedCouplings[0])
	v[o] = below / math.Sqrt(s.sys.Scale[o])
	require.False(t, probe(v).UndeterminedCouplings[0])
}

// TestCancelledLoads: differences of accelerations that the loads almost cancel in are relative to a part of those that the loads alone
// would make, and so are corrections with twice the digits.
func TestCancelledLoads(t *testing.T) {
	p := one(t, model.Revolute, func(m *model.Model) {
		m.Gravity = spatial.Vec3{9.81} // along the link, which hangs
	})
	s := solvedAt(t, p)
	require.NoError(t, s.refineMore())
	require.Less(t, s.more.error, preciseTol)
	was := slices.Clone(s.x)
	const off = 1e-12
	s.x[4] += off
	body, by, own := s.explainer().change(was)
	require.Equal(t, 0, body)
	require.InEpsilon(t, off/(1e-8*9.81), by, 1e-3)
	require.InEpsilon(t, by, own, 1e-9)
}

// TestShakeComparesAccelerations: the data determine accelerations that change by no more than lostTol where directions of rows are rounded
// in another way.
func TestShakeComparesAccelerations(t *testing.T) {
	s := solvedGolden(t, "four-bar")
	require.NoError(t, s.refineMore())
	exact, size := slices.Clone(s.x), 0.0
	for i := range s.plan.mech.NumBodies() {
		size = max(size, spatial.Vec3(exact[6*i+3:6*i+6]).Norm())
	}
	for part, lost := range map[float64]bool{0: false, 0.9e-6: false, 1.1e-6: true} {
		copy(s.x, exact)
		s.x[9] += part * size
		r := s.explainer().newReport()
		s.explainer().shake(r)
		require.Equal(t, lost, r.IllScaled != nil, "%g: %+v", part, r.IllScaled)
		require.False(t, r.NearSingular)
		if lost {
			require.Contains(t, r.IllScaled.Text, "the data do not determine its acceleration")
			require.Equal(t, 1, r.IllScaled.Body)
		}
	}
}

// TestLostDigitsAreNearSingular: errors and residuals that only a nearly singular system leaves say that a pose is one, unless twice the
// digits have been used. So do doubts of twice the digits.
func TestLostDigitsAreNearSingular(t *testing.T) {
	for name, c := range map[string]struct {
		error, inconsistency float64
		large                bool // for twice the digits
		want                 bool
	}{
		"nothing":                 {},
		"nothing, large":          {large: true},
		"error":                   {error: 1.1e-11},
		"small error, large":      {error: 0.9e-11, large: true},
		"error, large":            {error: 1.1e-11, large: true, want: true},
		"small residual":          {inconsistency: 0.9e-11},
		"residual":                {inconsistency: 1.1e-11},
		"small residual, large":   {inconsistency: 0.9e-11, large: true},
		"residual, large":         {inconsistency: 1.1e-11, large: true, want: true},
		"error and digits, small": {error: 1e-7},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
			require.NoError(t, err)
			p := planOf(t, m)
			if c.large {
				symbolic := *p.symbolic
				symbolic.Counts.Flops = 1e12
				p.symbolic = &symbolic
			}
			s := solvedAt(t, p)
			s.ref.Error, s.inconsistency = c.error, c.inconsistency
			require.Equal(t, c.want, reportOf(t, s).NearSingular)
		})
	}
}

// TestRowsNextToRedundant: a row whose pivot under the proximal term is neither that of a redundant row nor that of a true one makes a pose
// nearly singular, also where the state is too rough for orthogonal factors to tell.
func TestRowsNextToRedundant(t *testing.T) {
	for angle, want := range map[float64]bool{0: false, 1e-6: true} {
		p := one(t, model.Revolute, func(m *model.Model) {
			m.Gravity = spatial.Vec3{}
			tilt := model.Pose{Orientation: spatial.Exp(spatial.Vec3{angle}), Position: [3]float64{0, 0, 1e-5}}
			k := model.Joint{Name: "k", Type: model.Revolute, Predecessor: model.World, Successor: "a", PredecessorFrame: tilt, SuccessorFrame: tilt}
			k.SuccessorFrame.Position[2] = 0
			m.Joints = append(m.Joints, k)
		})
		symbolic := *p.symbolic
		symbolic.Counts.Flops = 1e12 // too many for twice the digits
		p.symbolic = &symbolic
		s := solvedAt(t, p)
		r := reportOf(t, s)
		require.Equal(t, 5, r.Redundant, "%g", angle)
		require.Equal(t, want, r.NearSingular, "%g: distance %g of joint %d, inconsistency %g", angle, r.Distance, r.WeakestJoint, s.inconsistency)
	}
}

// TestTurningOfReactions: the derivative of reactions along a motion is that of larger steps, extrapolated, up to what rounding and the
// next order leave of a difference with the step between.
func TestTurningOfReactions(t *testing.T) {
	const step, tol = 1e-3, 3e-10
	s := solvedGolden(t, "bricard-6r")
	s.sys.GeometricTo(make([]float64, s.plan.mech.NumBodies()))
	require.NoError(t, s.explainer().geometricPivots(s.sys, make([]float64, len(s.x)), make([]float64, len(s.x))))
	rng := check.Rand(1)
	y := make([]float64, len(s.x))
	for i := s.plan.first(); i < len(y); i++ {
		y[i] = rng.NormFloat64()
	}
	v := s.explainer().newAllowed().random(rng)
	require.NotNil(t, v)
	got, reaction, _, _ := s.explainer().turning(y, v)
	require.Positive(t, reaction)
	p := s.plan.layout.Pattern
	product := func(h float64) []float64 { // Jᵀ·y at a pose
		at, ok := s.explainer().geometricAt(v, h)
		require.True(t, ok)
		out := make([]float64, len(y))
		at.Matrix.MulVecTo(out, y)
		return out[:p.Off[p.Positive()]]
	}
	d := [4][]float64{product(-2 * step), product(-step), product(step), product(2 * step)}
	want := make([]float64, len(d[0]))
	for i := range want {
		want[i] = (8*(d[2][i]-d[1][i]) - (d[3][i] - d[0][i])) / (12 * step)
	}
	check.CloseVec(t, got[:len(want)], want, tol, check.MaxAbs(want), "(dJ/dv)ᵀ·y")
}

// TestSoftIsNotAsked: what is known to be nearly singular is not called soft, nor what has no small distance.
func TestSoftIsNotAsked(t *testing.T) {
	m, err := bench.Generate("hoberman-sphere", 4, 1)
	require.NoError(t, err)
	s := solvedAt(t, planOf(t, m))
	k, err := s.explainer().rank(s.explainer().newReport(), nil)
	require.NoError(t, err)
	const small = 0.04
	require.True(t, s.explainer().soft(&Report{Distance: small}, k))
	require.False(t, s.explainer().soft(&Report{Distance: small, NearSingular: true}, k))
	require.False(t, s.explainer().soft(&Report{Distance: 0.06}, k))
}

// closeHinges returns bodies on two hinges each, whose axes differ by the given angles, without loads.
func closeHinges(t *testing.T, angles ...float64) *Plan {
	t.Helper()
	m := model.New("close hinges")
	m.Gravity = spatial.Vec3{}
	for i, angle := range angles {
		name := string(rune('a' + i))
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Com: spatial.Vec3{1}, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
		tilt := model.Pose{Orientation: spatial.Exp(spatial.Vec3{angle})}
		m.Joints = append(m.Joints,
			model.Joint{Name: "first " + name, Type: model.Revolute, Predecessor: model.World, Successor: name},
			model.Joint{Name: "second " + name, Type: model.Revolute, Predecessor: model.World, Successor: name, PredecessorFrame: tilt, SuccessorFrame: tilt})
	}
	return planOf(t, m)
}

// TestPivotsThatAreNotApart: with twice the digits a solution does not count where a pivot that passes for that of a redundant row is
// close to one that does not, even if all rows hold. Whether the first is redundant goes by how rough the state is.
func TestPivotsThatAreNotApart(t *testing.T) {
	s := solvedAt(t, closeHinges(t, 1e-6, 1e-5))
	require.NoError(t, s.refineMore())
	require.Equal(t, 8, count(s.more.redundant()))
	require.NoError(t, s.more.solve(s.st, 0))
	require.ErrorIs(t, s.more.solve(s.st, 3e-8), errImprecise, "between them")

	s = solvedAt(t, closeHinges(t, 1e-6, 1e-3))
	require.NoError(t, s.refineMore())
	require.NoError(t, s.more.solve(s.st, 3e-8), "far apart")
	require.Equal(t, 9, count(s.more.redundant()))
}

// TestFailuresOfTwiceTheDigits: what a Report makes of a solution that twice the digits have not confirmed.
func TestFailuresOfTwiceTheDigits(t *testing.T) {
	s := solvedGolden(t, "four-bar")
	require.NoError(t, s.refineMore())
	for _, c := range []struct {
		err        error
		correction float64
		want       bool
	}{{&factor.PivotError{}, 0, true}, {errImprecise, 1, true}, {errImprecise, 0, false}, {errRough, 0, false}} {
		require.NoError(t, s.Solve(s.st))
		s.imprecise, s.more.error = c.err, c.correction
		rows, doubt := s.explainer().verify(s.explainer().newReport())
		require.Nil(t, rows)
		require.Equal(t, c.want, doubt, "%+v", c)
	}
}

// TestMultipliersThatDoNotHold: multipliers that do not satisfy the equations are not reported as the multipliers of least norm.
func TestMultipliersThatDoNotHold(t *testing.T) {
	s := solvedGolden(t, "four-bar")
	r := reportOf(t, s)
	require.True(t, r.LeastNorm)
	was := r.BackwardError
	require.True(t, s.explainer().holds(r))
	s.x[s.plan.first()] += 1e-6 * check.MaxAbs(s.x)
	require.False(t, s.explainer().holds(r))
	require.Equal(t, was, r.BackwardError)
}

// TestOrthogonalContradictions: an orthogonal factorization finds no solution of rows that contradict each other, and those of rows that do
// not.
func TestOrthogonalContradictions(t *testing.T) {
	for part, want := range map[float64]bool{0: true, 1e-6: false} {
		p := one(t, model.Revolute, func(m *model.Model) {
			m.Joints = append(m.Joints, m.Joints[0])
			m.Joints[1].Name = "k"
			for i := range m.Joints {
				m.Joints[i].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 0, 1 + float64(i)*part}}}
			}
		})
		s := solvedAt(t, p)
		require.Equal(t, want, s.orthogonal(), "%g", part)
		_, redundant := s.Nearness()
		require.Equal(t, 6, redundant, "of two drives of one body")
	}
}

// TestNothingMoves: what joints leave of a random motion of a rigid structure is rounding, and no motion.
func TestNothingMoves(t *testing.T) {
	for kind, moves := range map[model.JointType]bool{model.Fixed: false, model.Revolute: true} {
		s := solvedAt(t, one(t, kind, func(m *model.Model) {
			m.Joints = append(m.Joints, m.Joints[0])
			m.Joints[1].Name = "k"
		}))
		s.sys.GeometricTo(make([]float64, 1))
		require.NoError(t, s.explainer().geometricPivots(s.sys, make([]float64, len(s.x)), make([]float64, len(s.x))))
		require.Equal(t, moves, s.explainer().newAllowed().random(check.Rand(1)) != nil, "%v", kind)
	}
}

// TestResponseConverges: a response that refinement does not find is none.
func TestResponseConverges(t *testing.T) {
	s := solvedGolden(t, "four-bar")
	k, err := s.explainer().rank(s.explainer().newReport(), nil)
	require.NoError(t, err)
	x := make([]float64, len(s.x))
	x[s.plan.first()] = 1
	require.True(t, s.explainer().response(x, k))
	x[s.plan.first()] = math.NaN()
	require.False(t, s.explainer().response(x, k))
}

// TestDoubtNeedsOrthogonalFactors: doubts of twice the digits make a pose nearly singular unless orthogonal factors are sure of the rank.
func TestDoubtNeedsOrthogonalFactors(t *testing.T) {
	s := solvedGolden(t, "four-bar")
	r := s.explainer().newReport()
	k, err := s.explainer().rank(r, nil)
	require.NoError(t, err)
	require.True(t, k.sure)
	for _, c := range []struct{ doubt, sure, want bool }{
		{false, true, false}, {false, false, false}, {true, true, false}, {true, false, true},
	} {
		now := *r
		k.sure = c.sure
		s.explainer().distance(&now, k, c.doubt)
		require.Equal(t, c.want, now.NearSingular, "%+v", c)
	}
}
