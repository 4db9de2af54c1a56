package kkt

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// solvedAt is a solution of a model at its initial state.
func solvedAt(t *testing.T, p *Plan) *Solver {
	t.Helper()
	s := p.newSolver()
	require.NoError(t, s.Solve(p.Initial()))
	return s
}

// solvedGolden is a solution of a model of reference/golden.
func solvedGolden(t *testing.T, name string) *Solver {
	t.Helper()
	m, err := model.ReadFile(check.ModelPath(t, name))
	require.NoError(t, err)
	return solvedAt(t, planOf(t, m))
}

// arm returns a chain of links of 1 m along x on hinges about z, which change may change.
func arm(t *testing.T, n int, change func(m *model.Model)) *Plan {
	t.Helper()
	m := model.New("arm")
	m.Gravity = spatial.Vec3{0, -9.81, 0}
	last := model.World
	for i := range n {
		name, at := fmt.Sprint("link", i), float64(i)
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Com: spatial.Vec3{0.5}, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: model.Pose{Position: [3]float64{at}}})
		j := model.Joint{Name: fmt.Sprint("hinge", i), Type: model.Revolute, Predecessor: last, Successor: name}
		if i > 0 {
			j.PredecessorFrame.Position = [3]float64{1}
		}
		m.Joints = append(m.Joints, j)
		last = name
	}
	change(m)
	return planOf(t, m)
}

// TestInertiasThatMeet: from which ratios on twice the digits are taken: of masses and moments of inertia that meet in a joint, and of
// the mass at the distance of the joints to the least moment of inertia of a body. Moments of three equal axes count three times, on
// both sides of a ratio.
func TestInertiasThatMeet(t *testing.T) {
	for name, c := range map[string]struct {
		mass, inertia, least float64
		wide                 bool
		joint                bool
	}{
		"alike":                   {mass: 1, inertia: 1, least: 1},
		"a heavy one":             {mass: 0.9e7, inertia: 1e7, least: 1e7},
		"one too heavy":           {mass: 1.1e7, inertia: 1e7, least: 1e7, wide: true, joint: true},
		"a large one":             {mass: 1, inertia: 1e9, least: 1e9},
		"one too large":           {mass: 1, inertia: 1.2e9, least: 1.2e9, wide: true, joint: true},
		"a slender one":           {mass: 1, inertia: 1, least: 0.4e-9},
		"one too slender":         {mass: 100, inertia: 1, least: 1e-9, wide: true},
		"as small as one, and so": {mass: 1e-6, inertia: 1e-6, least: 1e-6},
	} {
		t.Run(name, func(t *testing.T) {
			p := arm(t, 2, func(m *model.Model) {
				b := &m.Bodies[1]
				b.Mass, b.Inertia = c.mass, model.Inertia{XX: c.least, YY: c.inertia, ZZ: c.inertia}
			})
			require.Equal(t, c.wide, p.spread.wide(), "%+v", p.spread)
			if c.wide {
				require.Equal(t, c.joint, p.spread.joint == 1, "%+v", p.spread)
				require.Equal(t, !c.joint, p.spread.body == 1)
			}
		})
	}
}

// TestNextToNoInertia: a rod on a ball has next to no inertia about its axis but that of a disk: down to 1e-9 of the held inertia its
// acceleration is found, to the digits that are left. Below that it is undetermined.
func TestNextToNoInertia(t *testing.T) {
	rod := func(part float64) *Plan {
		m := modeltest.Rods(2, 1, false) // two rods with disks of the held inertia, about
		for i := range m.Bodies {
			if b := &m.Bodies[i]; b.Name == "disk1" {
				b.Inertia = model.Inertia{XX: part * 1e-4, YY: part * 1e-4, ZZ: part * 1e-4}
			}
		}
		for i := range m.Forces {
			if f := &m.Forces[i]; f.Name == "turnrod1" {
				f.Torque = [3]float64{part * 1e-4}
			}
		}
		return planOf(t, m)
	}
	for _, part := range []float64{1, 1e-3, 1e-6, 1e-8} {
		s := solvedAt(t, rod(part))
		for i := range s.plan.mech.NumBodies() {
			require.InDelta(t, 1, s.x[6*i], 1e-9/min(1, part*1e5), "%g: %s", part, s.plan.mech.BodyName(i))
		}
	}
	for _, part := range []float64{1e-10, 1e-11} {
		p := rod(part)
		err := p.newSolver().Solve(p.Initial())
		require.ErrorIs(t, err, mechanism.ErrUndetermined, "%g", part)
		require.ErrorContains(t, err, `"rod1"`)
	}
}

// TestRodsAtRest: without loads nothing moves, whatever has no inertia.
func TestRodsAtRest(t *testing.T) {
	m := modeltest.Rods(3, 1e-2, false)
	m.Gravity, m.Forces = spatial.Vec3{}, nil
	s := solvedAt(t, planOf(t, m))
	require.Equal(t, make([]float64, len(s.x)), s.x)
}

// TestReactionsOfBearings: the reaction in a bearing and the friction that it makes agree to rounding, where each solve leaves a good
// part of the difference.
func TestReactionsOfBearings(t *testing.T) {
	const mu, radius, speed, omega = 0.6, 0.8, 1e-3, 2.0
	p := one(t, model.Revolute, func(m *model.Model) {
		m.Gravity = spatial.Vec3{0, -9.81, 0}
		m.Bodies[0].Velocity.Angular = spatial.Vec3{0, 0, omega}
		m.Joints[0].Friction = []model.Friction{{Coefficient: mu, Radius: radius, Speed: speed}}
	})
	s := solvedAt(t, p)
	// A link along x with its centre of mass at 1 m and the mass and inertia one.
	load, alpha := 0.0, 0.0
	for range 1000 {
		alpha = (-9.81 - mu*radius*load*omega/math.Hypot(omega, speed)) / 2
		load = math.Hypot(omega*omega, alpha+9.81)
	}
	got := make([]float64, 1)
	s.BearingsTo(got)
	require.InEpsilon(t, load, got[0], 2e-12)
	require.InEpsilon(t, alpha, s.x[2], 2e-12)
	for off, agrees := range map[float64]bool{0: true, 0.9e-13: true, 2e-13: false, 1e-9: false, math.NaN(): false} {
		s.bearings.settle.Begin()
		s.bearings.load[0] = load * (1 + off)
		require.Equal(t, agrees, s.bearings.take(p.mech, s.now.kin, func(int) spatial.Force { return spatial.Force{4: load} }), "%g", off)
	}
}

// TestIdleMultipliers: in the norm of the forces the multipliers of joints weigh so little that one step leaves some 1e-11 of what they do,
// and so much that it is above rounding. A second step leaves nothing.
func TestIdleMultipliers(t *testing.T) {
	m, err := model.ReadFile(check.ModelPath(t, "four-bar"))
	require.NoError(t, err)
	p := planOf(t, m)
	v, err := p.NewInverse([]mechanism.Freedom{{Joint: 0}, {Joint: 3}})
	require.NoError(t, err)
	require.NoError(t, v.Solve(p.Initial(), nil))
	require.True(t, v.LeastNorm())
	metric, driven := v.idleMetric()
	q, x, y := v.driven.newSpan(), slices.Clone(v.driven.x), make([]float64, len(v.driven.x))
	require.True(t, v.driven.factorSpan(q, metric, 0, 0))
	for _, bounds := range [][2]float64{{1e-13, 1e-10}, {0, 1e-15}, {0, 1e-15}} {
		require.True(t, v.idle(x, y, q, driven))
		worst := 0.0
		for k, r := range v.rows {
			worst = max(worst, math.Abs(x[r]+v.force[k])/check.MaxAbs(v.force))
		}
		require.GreaterOrEqual(t, worst, bounds[0])
		require.LessOrEqual(t, worst, bounds[1])
	}
}

// TestMissedAccelerations: actuators that leave wanted accelerations off by more than rounding are too few.
func TestMissedAccelerations(t *testing.T) {
	solve := func(part float64) (*Inverse, error) {
		torque := 0.0
		free := solvedAt(t, arm(t, 2, func(m *model.Model) {}))
		wanted := slices.Clone(free.x[:12])
		torque = part * 9.81
		other := solvedAt(t, arm(t, 2, func(m *model.Model) { m.Joints[1].Force = []float64{torque} }))
		for i := range wanted {
			wanted[i] = other.x[i]
		}
		p := arm(t, 2, func(m *model.Model) {})
		v, err := p.NewInverse([]mechanism.Freedom{{Joint: 0}})
		require.NoError(t, err)
		return v, v.Solve(p.Initial(), wanted)
	}
	for _, c := range []struct {
		part float64
		err  bool
	}{{0, false}, {1e-10, false}, {1e-8, true}, {1e-3, true}} {
		v, err := solve(c.part)
		var under *mechanism.UnderactuatedError
		if c.err {
			require.ErrorAs(t, err, &under, "%g", c.part)
			continue
		}
		require.NoError(t, err, "%g", c.part)
		require.Less(t, v.Residual(), 1e-9)
	}
}

// TestFreedomsThatMove: freedoms without an actuator that move by more than a small part of the fastest are named.
func TestFreedomsThatMove(t *testing.T) {
	for ratio, want := range map[float64]int{1e-3: 2, 1e-6: 2, 1e-8: 1} {
		p := arm(t, 3, func(m *model.Model) {
			m.Couplings = []model.Coupling{{Name: "gears", Terms: []model.CouplingTerm{
				{Coupled: model.Coupled{Joint: "hinge1"}, Factor: 1}, {Coupled: model.Coupled{Joint: "hinge2"}, Factor: -ratio},
			}}}
		})
		v, err := p.NewInverse([]mechanism.Freedom{{Joint: 0}})
		require.NoError(t, err)
		_ = v.Solve(p.Initial(), nil)
		require.Len(t, v.free, want, "%g: %v", ratio, v.free)
		require.Equal(t, 2, v.free[len(v.free)-1].Joint)
	}
}

// TestWhatIsNoResult: which refinements have a result, by the error that they predict, by the rows that do not hold, and by what the state
// explains of these where an accuracy is enough.
func TestWhatIsNoResult(t *testing.T) {
	s := solvedGolden(t, "four-bar")
	closed := s.st
	open := closed.Clone()
	open.Bodies[0].Position[0] += 1e-9
	for name, c := range map[string]struct {
		error, inconsistency, doubt float64
		way                         Way
		reduced                     bool
		enough                      float64
		st                          *mechanism.State
		want                        error
	}{
		"a result":                        {},
		"nearly accurate":                 {error: 0.9e-6},
		"not accurate":                    {error: 1.1e-6, want: ErrInaccurate},
		"overflow":                        {error: math.NaN(), want: ErrInaccurate},
		"overflow of a row":               {inconsistency: math.NaN(), want: ErrInaccurate},
		"rows hold":                       {inconsistency: 0.9e-12},
		"a row does not":                  {inconsistency: 1.1e-12, want: ErrInconsistent},
		"least squares":                   {inconsistency: 0.9e-4, way: KeepAll},
		"least squares of contradiction":  {inconsistency: 1.1e-4, way: KeepAll, want: ErrInconsistent},
		"doubt":                           {doubt: 1.1e-12, reduced: true, want: errDoubt},
		"no doubt":                        {doubt: 0.9e-12, reduced: true},
		"doubt of the whole":              {doubt: 1},
		"nothing explains it":             {inconsistency: 1e-11, enough: 1e-8, want: ErrInconsistent},
		"the state explains it":           {inconsistency: 1e-11, enough: 1e-8, st: open},
		"but nobody asked":                {inconsistency: 1e-11, st: open, want: ErrInconsistent},
		"the state explains only so much": {inconsistency: 1e-5, enough: 1e-8, st: open, want: ErrInconsistent},
	} {
		t.Run(name, func(t *testing.T) {
			if s.st = c.st; c.st == nil {
				s.st = closed
			}
			require.NoError(t, s.sys.FillTo(s.st))
			s.now = s.whole
			if c.reduced {
				s.now = &system{}
			}
			s.ref.Error, s.ref.Doubt, s.inconsistency, s.way, s.enough = c.error, c.doubt, c.inconsistency, c.way, c.enough
			require.Equal(t, c.want, s.failure())
		})
	}
}

// TestTrueRowsAreKept: a row that differs from others by 1e-4 rad counts as a true one with the default proximal term: the first way to
// factor has the result. Two hinges with axes so close hold a body still.
func TestTrueRowsAreKept(t *testing.T) {
	for angle, want := range map[float64]Way{1e-4: DropWeak, 1e-3: DropWeak, 1e-6: KeepAll} {
		s := solvedAt(t, one(t, model.Revolute, func(m *model.Model) {
			m.Gravity = spatial.Vec3{0, -9.81, 0}
			tilt := model.Pose{Orientation: spatial.Exp(spatial.Vec3{angle})}
			m.Joints = append(m.Joints, model.Joint{Name: "k", Type: model.Revolute, Predecessor: model.World, Successor: "a", PredecessorFrame: tilt, SuccessorFrame: tilt})
		}))
		require.Equal(t, want, s.way, "%g", angle)
		require.InDelta(t, 0, s.x[2], 1e-6, "%g", angle)
	}
}
