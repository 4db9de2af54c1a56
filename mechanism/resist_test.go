package mechanism_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// resisted is a body on a joint from the world with stops or friction on freedom 0.
func resisted(t testing.TB, kind model.JointType, limit *model.Limit, f model.Friction) *mechanism.Mechanism {
	t.Helper()
	m := model.New("resisted")
	m.Bodies = []model.Body{{Name: "body", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	j := model.Joint{Name: "joint", Type: kind, Predecessor: model.World, Successor: "body"}
	if limit != nil {
		j.Limits = make([]*model.Limit, kind.Freedoms())
		j.Limits[0] = limit
	}
	j.Friction = make([]model.Friction, kind.Freedoms())
	j.Friction[0] = f
	if kind == model.Spherical {
		j.Friction[1], j.Friction[2] = f, f
	}
	m.Joints = []model.Joint{j}
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

// at returns the resistances at a coordinate, a rate and internal states, and the wrench of everything applied.
func at(t testing.TB, m *mechanism.Mechanism, q float64, rate spatial.Vec3, internal []float64) ([]mechanism.Resistance, spatial.Force) {
	t.Helper()
	s := m.Initial()
	s.Internal, s.Bearings = internal, make([]float64, m.NumBearings())
	for i := range s.Bearings {
		s.Bearings[i] = 40
	}
	b := &s.Bodies[0]
	if m.Joints[0].Kind == model.Prismatic {
		b.Position, b.Velocity = spatial.Vec3{0, 0, q}, rate
	} else {
		b.Rotation, b.Omega = spatial.Exp(spatial.Vec3{0, 0, q}), rate
		if m.NumSprung() > 0 {
			s.Angles = []float64{q}
		}
	}
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, s))
	var jk mechanism.JointKinematics
	m.JointTo(&jk, 0, k, s)
	var list []mechanism.Resistance
	var w spatial.Force
	for i := range m.NumResistors() {
		list = append(list, m.ResistanceAt(i, &jk, s))
	}
	m.AddResistanceTo(&w, 0, &jk, s)
	f := make([]spatial.Force, 1)
	require.NoError(t, m.AddAppliedTo(f, k, s))
	assert.Equal(t, w, f[0])
	return list, w
}

// TestResistanceDerivatives: stiffness, damping and the derivatives of bristles
// against differences, the power against force and energy, for all laws.
func TestResistanceDerivatives(t *testing.T) {
	stop := func(n contact.Normal) *model.Limit {
		return &model.Limit{Lower: -0.2, Upper: 0.3, Stop: model.Stop{Normal: n}}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	z := func(x float64) spatial.Vec3 { return spatial.Vec3{0, 0, x} }
	for _, kind := range []model.JointType{model.Prismatic, model.Revolute} {
		for i, m := range []*mechanism.Mechanism{
			resisted(t, kind, stop(contact.Normal{Stiffness: 1000, Exponent: 1, Dissipation: 0.3}), model.Friction{}),
			resisted(t, kind, stop(contact.Normal{Stiffness: 1000, Exponent: 1.5, Dissipation: 0.3}), model.Friction{}),
			resisted(t, kind, stop(contact.Normal{Stiffness: 1000, Type: contact.Linear, Damping: 20}), model.Friction{}),
			resisted(t, kind, nil, model.Friction{Force: 3, Speed: 0.1}),
			resisted(t, kind, nil, model.Friction{Force: 3, Speed: 0.1, Static: 1.7, Stribeck: 0.4}),
			resisted(t, kind, nil, model.Friction{Force: 3, Hold: contact.Hold{Travel: 0.01, Damping: 0.2}}),
			resisted(t, kind, nil, model.Friction{Force: 3, Static: 1.7, Stribeck: 0.4, Hold: contact.Hold{Travel: 0.01, Damping: 0.2}}),
		} {
			for range 50 {
				q, v, xi := 2*rng.Float64()-1, 2*rng.Float64()-1, []float64{0.01 * (2*rng.Float64() - 1)}
				if m.NumInternal() == 0 {
					xi = nil
				}
				const h = 1e-6
				one := func(q, v float64, xi []float64) mechanism.Resistance {
					r, w := at(t, m, q, z(v), xi)
					assert.InDelta(t, r[0].Force, w[2]+w[5], 1e-12)
					return r[0]
				}
				p := one(q, v, xi)
				near := 1e-4 * max(1, math.Abs(p.Stiffness))
				if math.Abs(p.Depth) < 2*h {
					continue
				}
				assert.InDelta(t, -(one(q+h, v, xi).Force-one(q-h, v, xi).Force)/(2*h), p.Stiffness, near, "law %d", i)
				assert.InDelta(t, -(one(q, v+h, xi).Force-one(q, v-h, xi).Force)/(2*h), p.Damping, 1e-4*max(1, math.Abs(p.Damping)), "law %d", i)
				change := v * (one(q+h, v, xi).Energy - one(q-h, v, xi).Energy) / (2 * h)
				assert.InDelta(t, -p.Force*v-change, p.Power, 1e-4*max(1, math.Abs(p.Force)), "law %d", i)
				if xi == nil {
					assert.GreaterOrEqual(t, p.Power, -1e-12)
					continue
				}
				up, down := []float64{xi[0] + h}, []float64{xi[0] - h}
				assert.InDelta(t, -(one(q, v, up).Force-one(q, v, down).Force)/(2*h), p.Bristle, 1e-3, "law %d", i)
				// The rate of the bend, which is linear in it.
				rate := func(v, xi float64) float64 {
					s := m.Initial()
					s.Bodies[0].Velocity, s.Bodies[0].Omega = z(v), spatial.Vec3{}
					if kind == model.Revolute {
						s.Bodies[0].Velocity, s.Bodies[0].Omega = spatial.Vec3{}, z(v)
					}
					k := m.NewKinematics()
					require.NoError(t, m.KinematicsTo(k, s))
					a, b, size := make([]float64, 1), make([]float64, 1), make([]float64, 1)
					require.NoError(t, m.InternalTo(a, b, size, k, s))
					assert.Equal(t, 0.01, size[0])
					m.HoldDampingTo(b)
					assert.Equal(t, 0.2, b[0])
					require.PanicsWithValue(t, "mechanism: length mismatch", func() { m.HoldDampingTo(nil) })
					return a[0] + b[0]*xi
				}
				assert.InDelta(t, (rate(v+h, xi[0])-rate(v-h, xi[0]))/(2*h), p.ByRate, 1e-4)
				assert.InDelta(t, (rate(v, up[0])-rate(v, down[0]))/(2*h), p.ByState, 1e-4)
			}
		}
	}
}

// TestBallFriction: the friction of a ball is opposite to the angular velocity, with the size of its reaction.
func TestBallFriction(t *testing.T) {
	m := resisted(t, model.Spherical, nil, model.Friction{Coefficient: 0.2, Radius: 0.05, Speed: 0.1})
	rng := rand.New(rand.NewPCG(1, 3))
	for range 20 {
		w := spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		_, got := at(t, m, rng.Float64(), w, nil)
		want := w.Scale(-0.2 * 0.05 * 40 / math.Hypot(w.Norm(), 0.1))
		for k := range 3 {
			assert.InDelta(t, want[k], got[k], 1e-14)
		}
	}
}

// TestBeyondLimits names freedoms beyond their limits, with and without a stop.
func TestBeyondLimits(t *testing.T) {
	l := &model.Limit{Lower: -0.2, Upper: 0.3}
	for q, bound := range map[float64]float64{-0.25: -0.2, 0.31: 0.3, 0.3: 0, 0: 0} {
		m := resisted(t, model.Prismatic, l, model.Friction{})
		s, k := m.Initial(), m.NewKinematics()
		s.Bodies[0].Position[2] = q
		require.NoError(t, m.KinematicsTo(k, s))
		list := m.BeyondLimits(k, s)
		if bound == 0 {
			assert.Empty(t, list)
			continue
		}
		assert.Equal(t, []mechanism.BeyondLimit{{Coordinate: q, Bound: bound}}, list)
	}
}

// TestBeyondLimitsOverTurns: an angle without a stop counts the turns that a state carries, as everybody who reads coordinates does.
func TestBeyondLimitsOverTurns(t *testing.T) {
	m := resisted(t, model.Revolute, &model.Limit{Lower: -4, Upper: 9}, model.Friction{})
	for q, bound := range map[float64]float64{5: 0, 9.5: 9, -4.5: -4, 3 * math.Pi: 9} {
		s, k := m.Initial(), m.NewKinematics()
		m.CarryAngles(s)
		s.Bodies[0].Rotation, s.Angles[0] = spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, q), q
		require.NoError(t, m.KinematicsTo(k, s))
		list := m.BeyondLimits(k, s)
		if bound == 0 {
			assert.Empty(t, list)
			continue
		}
		require.Len(t, list, 1)
		assert.InDelta(t, q, list[0].Coordinate, 1e-12)
		assert.Equal(t, bound, list[0].Bound)
	}
}

// TestStopTurns: an angle with a stop is followed over whole turns.
func TestStopTurns(t *testing.T) {
	m := resisted(t, model.Revolute, &model.Limit{Lower: -9, Upper: 10, Stop: model.Stop{Normal: contact.Normal{Stiffness: 100}}}, model.Friction{})
	require.Equal(t, 1, m.NumSprung())
	r, _ := at(t, m, 10.5, spatial.Vec3{}, nil)
	assert.InDelta(t, -50, r[0].Force, 1e-10)
	assert.InDelta(t, 12.5, r[0].Energy, 1e-10)
}

// TestResistanceAllocations: nothing is allocated.
func TestResistanceAllocations(t *testing.T) {
	m := resisted(t, model.Revolute, &model.Limit{Lower: -1, Upper: 1, Stop: model.Stop{Normal: contact.Normal{Stiffness: 100}}},
		model.Friction{Force: 3, Hold: contact.Hold{Travel: 0.01}})
	s, k, f := m.Initial(), m.NewKinematics(), make([]spatial.Force, 1)
	s.Internal = make([]float64, m.NumInternal())
	require.NoError(t, m.KinematicsTo(k, s))
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = m.AddAppliedTo(f, k, s) }))
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = m.EnergyAt(k, s) }))
}

// FuzzResistance: whatever the numbers, a model is refused or its
// forces are numbers, and friction without bristles never drives.
func FuzzResistance(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add(uint8(0), 3.0, 0.1, 1.5, 0.2, 0.01, 0.3, 1000.0, 1.5, 0.2, -0.1, 0.1, 0.15, 0.4, 0.005)
	f.Add(uint8(1), 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1000.0, 1.0, 0.0, 0.0, 1.0, -1e-9, -4.0, 0.0)
	f.Add(uint8(2), 0.2, 0.02, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 1e-30, 0.0)
	f.Fuzz(func(t *testing.T, kind uint8, size, speed, static, stribeck, travel, damping, stiffness, exponent, dissipation, lower, upper, q, rate, xi float64) {
		for _, x := range []float64{size, speed, static, stribeck, travel, damping, stiffness, exponent, dissipation, lower, upper, q, rate, xi} {
			if a := math.Abs(x); !(a < 1e15) || a > 0 && a < 1e-15 || exponent > 10 {
				return // their products overflow
			}
		}
		m := model.New("fuzz")
		m.Bodies = []model.Body{{Name: "body", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
		j := model.Joint{Name: "joint", Type: [...]model.JointType{model.Prismatic, model.Revolute, model.Spherical}[kind%3], Predecessor: model.World, Successor: "body"}
		n := j.Type.Freedoms()
		j.Friction = make([]model.Friction, n)
		for i := range j.Friction {
			if n == 1 {
				j.Friction[i] = model.Friction{Force: size, Speed: speed, Static: static, Stribeck: stribeck, Hold: contact.Hold{Travel: travel, Damping: damping}}
			} else {
				j.Friction[i] = model.Friction{Coefficient: size, Radius: 0.1, Speed: speed, Static: static, Stribeck: stribeck}
			}
		}
		if n == 1 && stiffness != 0 {
			l := &model.Limit{Lower: lower, Upper: upper}
			l.Stop.Stiffness, l.Stop.Exponent, l.Stop.Dissipation = stiffness, exponent, dissipation
			j.Limits = []*model.Limit{l}
		}
		m.Joints = []model.Joint{j}
		mech, err := mechanism.New(m)
		if err != nil {
			return
		}
		var internal []float64
		if mech.NumInternal() > 0 {
			internal = []float64{xi}
		}
		list, w := at(t, mech, q, spatial.Vec3{0, 0, rate}, internal)
		for i, p := range list {
			if math.IsInf(p.Force, 0) || math.IsInf(p.Energy, 0) {
				return // a large power of the depth
			}
			for _, x := range []float64{p.Stiffness, p.Damping, p.Secant, p.Step(0.01)} {
				require.False(t, math.IsNaN(x), "%+v", p)
			}
			if !mech.Bristles(i) {
				require.GreaterOrEqual(t, p.Power, -1e-9*math.Abs(p.Force*rate), "%+v", p)
			}
		}
		for _, x := range w {
			require.False(t, math.IsNaN(x))
		}
	})
}
