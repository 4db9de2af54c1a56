package many_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/many"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// agreeTol is the difference of gradients in lanes and by package derive, relative to the largest number of one: rounding of two solves.
const agreeTol = 1e-10

// leastSize is the least size of a gradient in comparisons, for weights of about 1: gradients of mechanisms that cannot move are rounding.
const leastSize = 1e-2

// states returns n moving states on the joints, next to the pose of the model.
func states(t testing.TB, p *kkt.Plan, n int, seed uint64, reach float64) (list []*mechanism.State) {
	rng, m := check.Rand(seed), p.Mechanism()
	c, k, first := closing.NewCloser(p, closing.Options{}), m.NewKinematics(), m.Initial()
	x, v := make([]float64, 6*m.NumBodies()), make([]float64, 6*m.NumBodies())
	for tries := 0; len(list) < n; tries++ {
		require.Less(t, tries, 20*n+1000, "no closed states")
		st := m.Initial()
		for i := range x {
			x[i], v[i] = reach*(rng.Float64()-0.5), 4*(rng.Float64()-0.5)
		}
		m.DisplaceTo(st, first, 1, x)
		if c.ClosePositions(st) != nil || m.KinematicsTo(k, st) != nil {
			continue
		}
		for i := range st.Bodies {
			st.Bodies[i].SetComVelocity((*[6]float64)(v[6*i:]), &k.Bodies[i].Com)
		}
		if c.ProjectVelocities(st) == nil {
			list = append(list, st)
		}
	}
	return list
}

// planOf returns the plan of a model.
func planOf(t testing.TB, m *model.Model) *kkt.Plan {
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return kkt.NewPlan(mech, kkt.Options{})
}

// agree compares all gradients with those of package derive, at n states on the joints.
func agree(t *testing.T, m *model.Model, p *kkt.Plan, n int) (alone int, why string) {
	return agreeAt(t, m, p, states(t, p, n, 3, 0.3))
}

// agreeAt compares all gradients with those of package derive.
func agreeAt(t *testing.T, m *model.Model, p *kkt.Plan, list []*mechanism.State) (alone int, why string) {
	var forces []mechanism.Freedom
	for j := range p.Mechanism().Joints {
		jt := &p.Mechanism().Joints[j]
		for i := range jt.Kind.Freedoms() {
			if !jt.Prescribed(i) {
				forces = append(forces, mechanism.Freedom{Joint: j, Freedom: i})
			}
		}
	}
	b, err := many.New(p, m, batch.Options{Forces: forces})
	require.NoError(t, err)
	n, rng := len(list), check.Rand(5)
	s, g := b.NewStates(n), b.NewGradients(n)
	nb := p.Mechanism().NumBodies()
	in := p.Mechanism().NewInputs()
	d := derive.New(p.With(in), m)
	w, want := d.NewWeights(), d.NewGradient()
	weights := make([][]derive.BodyWeight, n)
	values := make([][]float64, n)
	for i, st := range list {
		s.Set(i, st)
		for k := range nb {
			x := derive.BodyWeight{ComAcceleration: random(rng), AngularAcceleration: random(rng)}
			weights[i] = append(weights[i], x)
			g.SetWeights(i, k, x.AngularAcceleration, x.ComAcceleration)
		}
		for k := range forces {
			values[i] = append(values[i], rng.NormFloat64())
			s.SetForce(i, k, values[i][k])
		}
	}
	for range 2 { // the second time with the memory of the first
		b.AdjointTo(g, s)
	}
	loads, others := make([]float64, 6*nb), make([]float64, 6*nb)
	x, y := make([]float64, 12*nb), make([]float64, 12*nb)
	for i, st := range list {
		for k, f := range forces {
			require.NoError(t, in.SetForce(f.Joint, f.Freedom, values[i][k]))
		}
		for k, v := range weights[i] {
			*w.Body(k) = v
		}
		err := d.At(st)
		if err == nil {
			err = d.AdjointTo(want, w, derive.Options{})
		}
		if err != nil {
			require.EqualError(t, g.Error(i), err.Error(), "state %d", i)
			continue
		}
		require.NoError(t, g.Error(i), "state %d", i)
		for k := range nb {
			u := want.Body(k)
			force, moment := g.Load(i, k)
			copy(loads[6*k:], append(u.Force[:], u.Torque[:]...))
			copy(others[6*k:], append(force[:], moment[:]...))
		}
		near(t, loads, others, "loads in state %d", i)
		var p, q []float64
		for k, f := range forces {
			p, q = append(p, want.Force(f.Joint, f.Freedom)), append(q, g.Force(i, k))
		}
		near(t, p, q, "forces in state %d", i)
		clear(x)
		want.TakeMotion(x)
		g.MotionTo(y, i)
		if d.Redundancy().Rows > 0 {
			allowed(t, d, x)
			allowed(t, d, y)
		}
		near(t, x, y, "motion in state %d", i)
	}
	return len(g.OneByOne()), b.AdjointOneByOne()
}

// allowed projects x onto the directions that the joints allow.
func allowed(t *testing.T, d *derive.Derivatives, x []float64) {
	g := d.NewGradient()
	require.NoError(t, d.FollowMotion(g, x))
	clear(x)
	g.TakeMotion(x)
}

func random(rng interface{ NormFloat64() float64 }) spatial.Vec3 {
	return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
}

// near requires that two lists are equal but for rounding.
func near(t *testing.T, want, got []float64, format string, args ...any) {
	t.Helper()
	most := leastSize
	for _, x := range want {
		most = math.Max(most, math.Abs(x))
	}
	for k := range want {
		require.InDelta(t, want[k], got[k], agreeTol*most, append([]any{format}, args...)...)
	}
}

// TestFamilies: gradients in lanes equal those by package derive, for generated families.
func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
	}{{"nfourbar", 1}, {"nfourbar", 3}, {"chain", 5}, {"stewart", 1}, {"grid", 2}, {"ladder", 3}} {
		t.Run(c.family, func(t *testing.T) {
			m, err := bench.Generate(c.family, c.n, 1)
			require.NoError(t, err)
			_, why := agree(t, m, planOf(t, m), check.Few(11, 3))
			require.Empty(t, why)
		})
	}
}

// TestRandom is TestFamilies for random mechanisms, with springs, dampers and armature.
func TestRandom(t *testing.T) {
	lanes := 0
	for seed := range check.Random[uint64](20, 3) {
		m, err := bench.Random(4+int(seed), seed)
		require.NoError(t, err)
		if seed%2 == 1 {
			modeltest.AddSprings(m, check.Rand(seed))
		}
		if seed%3 != 0 {
			m = modeltest.Gear(m, check.Rand(seed))
		}
		alone, why := agree(t, m, planOf(t, m), check.Few(9, 2))
		if why == "" {
			lanes += check.Few(9, 2) - alone
		}
	}
	require.Positive(t, lanes)
}

// TestOpenJoints: gradients in lanes are those of package derive where joints are open, too, by 1e-3 rad and m and as much of rates: as rows
// take the part of R and V that a joint allows, theory.md (9), both differentiate that.
func TestOpenJoints(t *testing.T) {
	const open = 1e-3
	lanes := 0
	try := func(m *model.Model) {
		p := planOf(t, m)
		list, rng := states(t, p, check.Few(9, 2), 3, 0.3), check.Rand(7)
		d := derive.New(p, m)
		for _, st := range list {
			for i := range st.Bodies {
				b := &st.Bodies[i]
				b.Rotation = spatial.Exp(random(rng).Scale(open)).Mul(b.Rotation)
				b.Position = b.Position.Add(random(rng).Scale(open))
				b.Omega, b.Velocity = b.Omega.Add(random(rng).Scale(open)), b.Velocity.Add(random(rng).Scale(open))
			}
			if d.At(st) != nil || d.Redundancy().Rows > 0 {
				return // rows contradict each other
			}
		}
		if alone, why := agreeAt(t, m, p, list); why == "" {
			lanes += len(list) - alone
		}
	}
	for seed := range check.Random[uint64](12, 6) {
		m, err := bench.Random(4+int(seed), seed)
		require.NoError(t, err)
		if seed%2 == 1 {
			m = modeltest.Gear(m, check.Rand(seed))
		}
		try(m)
	}
	for _, name := range []string{
		"type-distance", "type-planar", "type-cylindrical", "type-helical-chain", "type-prismatic", "type-universal", "type-sphere-in-cylinder",
		"type-point-on-plane", "stewart-6ups", "springs",
	} {
		try(referenceOf(t, name))
	}
	require.Positive(t, lanes)
}

// TestRowsOnOneLine: multipliers add up where rows are along the same line: of a screw, of motion, and of armature.
func TestRowsOnOneLine(t *testing.T) {
	for _, kind := range []model.JointType{model.Helical, model.Revolute, model.Cylindrical} {
		for _, c := range []struct{ moved, geared bool }{{true, false}, {false, true}, {true, true}} {
			m, err := bench.Generate("chain", 4, 1)
			require.NoError(t, err)
			jt := &m.Joints[2]
			jt.Type = kind
			if kind == model.Helical {
				jt.Pitch = 0.3
			}
			if c.geared {
				jt.Armature = make([]float64, kind.Freedoms())
				jt.Armature[0] = 0.4
			}
			if c.moved {
				jt.Motion = make([]*model.Motion, kind.Freedoms())
				jt.Motion[0] = &model.Motion{Kind: model.Polynomial, Coefficients: []float64{0, 1, 2}}
			}
			alone, why := agree(t, m, planOf(t, m), 3)
			require.Zero(t, alone, "%s %v %s", kind, c, why)
		}
	}
}

// TestReferences is TestFamilies for the reference models.
func TestReferences(t *testing.T) {
	lanes := 0
	for _, folder := range []string{"golden", "joints", "standard", "derivatives"} {
		files, err := filepath.Glob(filepath.Join(check.Reference(t, folder), "*.model.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range check.Some(files, 3) {
			t.Run(folder+"/"+strings.TrimSuffix(filepath.Base(file), ".model.json"), func(t *testing.T) {
				m, err := model.ReadFile(file)
				require.NoError(t, err)
				if len(m.Bodies) > mostBodies {
					return // package derive takes long
				}
				if alone, why := agree(t, m, planOf(t, m), check.Few(11, 2)); why == "" {
					lanes += check.Few(11, 2) - alone
				}
			})
		}
	}
	require.Greater(t, lanes, check.Few(400, 20)) // states in lanes
}

// mostBodies is the largest number of bodies of a mechanism in TestReferences.
const mostBodies = 40
