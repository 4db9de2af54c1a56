package rung_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

// A flat follower of mass m on an eccentric disc that turns at Ω, its middle at e·sin θ. A spring k presses it on, with the force F when
// the middle is at its mean height R. As long as it stays on, y = R + e·sin θ, and the disc presses by
//
//	N = m·(g − e·Ω²·sin θ) + k·e·sin θ + F.
//
// So it stays on at all angles up to Ω₀² = (F + m·g + k·e)/(m·e), and leaves beyond where sin θ = (F + m·g)/((m·Ω² − k)·e). Then it swings
// about y = R − (F + m·g)/k at ω = √(k/m), until it meets the disc again.
const (
	jumpMass, jumpSpring, jumpLoad = 0.3, 900.0, 12.0 // kg, N/m, N
	jumpBase, jumpThrow            = 0.04, 0.01       // R and e, m
	jumpHard                       = 2e8              // stiffness of the contact, N/m: it gives way by some 1e-7 m
)

// jumping returns a follower that starts at the lowest place, on the disc.
func jumping(t testing.TB, rate, restitution float64) *rung.Builder {
	t.Helper()
	z, y := spatial.Vec3{0, 0, 1}, spatial.Vec3{0, 1, 0}
	b := rung.NewBuilder("jump").Gravity(0, -gravity, 0)
	turned := rung.At(0, 0, 0).WithZX(z, spatial.Vec3{0, -1})
	n := jumpMass*(gravity+jumpThrow*rate*rate) - jumpSpring*jumpThrow + jumpLoad
	s := jumpBase - jumpThrow - n/jumpHard
	shaft := b.Body("cam", wheelOf(t, 2, 0.01, 0.01), turned)
	follower := b.Body("follower", wheelOf(t, jumpMass, 0.01, 0.01), rung.At(0, s, 0))
	b.Move(shaft, spatial.Vec3{}, z.Scale(rate))
	b.Revolute("shaft", rung.World, shaft, spatial.Vec3{}, z).Motion = []*joints.Motion{joints.NewPolynomial([]float64{0, rate})}
	guide := b.Prismatic("guide", rung.World, follower, spatial.Vec3{0, s, 0}, y)
	guide.Stiffness, guide.Rest = []float64{jumpSpring}, []float64{jumpBase - s - jumpLoad/jumpSpring}
	disc := &curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{jumpThrow}, Radius: jumpBase}
	face := &curves.Curve{Ends: [2]spatial.Vec3{{-0.05}, {0.05}}}
	touch := b.CurveOnCurve("touch", shaft, follower, turned, rung.At(0, s, 0), disc, face)
	touch.LiftsOff = true
	limit := model.NoLimit()
	limit.Upper = 0 // the follower is to the right of the disc, which goes around counterclockwise
	limit.Stop = model.Stop{Normal: contact.Normal{Stiffness: jumpHard, Exponent: 1, Dissipation: 5}}
	if restitution > 0 {
		limit.Stop.Restitution, limit.Stop.ImpactSpeed = restitution, 0.01
	}
	touch.Limits = []*model.Limit{&limit}
	return b
}

// change is what happened at the contact.
type change struct {
	what string
	at   float64 // s
}

// jumps runs a follower and returns what happens at its contact.
func jumps(t testing.TB, rate, restitution, until float64) (list []change) {
	p := planOf(t, jumping(t, rate, restitution))
	o := rung.SimulationOptions{Until: until, Tolerance: 1e-10}
	o.OnEvent = func(e runs.Event) error {
		list = append(list, change{what: e.What.String(), at: e.Time})
		return nil
	}
	s, err := rung.NewSimulation(p, o)
	require.NoError(t, err)
	require.NoError(t, s.Run(until))
	return list
}

// TestFollowerStaysOn: just below the speed Ω₀ nothing leaves, and just above it the follower does.
func TestFollowerStaysOn(t *testing.T) {
	check.Long(t)
	limit := math.Sqrt((jumpLoad + jumpMass*gravity + jumpSpring*jumpThrow) / (jumpMass * jumpThrow))
	turn := 2 * math.Pi / limit
	require.Empty(t, jumps(t, limit*0.999, 0, 1.2*turn))
	require.NotEmpty(t, jumps(t, limit*1.001, 0, 1.2*turn))
}

// TestFollowerJumps: when a follower leaves its cam and when it lands agree with formulas, up to the compression of the contact.
func TestFollowerJumps(t *testing.T) {
	check.Long(t)
	const tol = 1e-5 // s: how long a depth of 1e-7 m takes to go as the force does
	limit := math.Sqrt((jumpLoad + jumpMass*gravity + jumpSpring*jumpThrow) / (jumpMass * jumpThrow))
	for _, over := range []float64{1.1, 1.5} {
		rate := over * limit
		theta := math.Asin((jumpLoad + jumpMass*gravity) / ((jumpMass*rate*rate - jumpSpring) * jumpThrow))
		leaves := (theta + math.Pi/2) / rate
		// the flight, with the time from where it leaves
		w := math.Sqrt(jumpSpring / jumpMass)
		rest := jumpBase - (jumpLoad+jumpMass*gravity)/jumpSpring
		x0, v0 := jumpBase+jumpThrow*math.Sin(theta)-rest, jumpThrow*rate*math.Cos(theta)
		height := func(s float64) float64 { return rest + x0*math.Cos(w*s) + v0/w*math.Sin(w*s) }
		above := func(s float64) float64 { return height(s) - jumpBase - jumpThrow*math.Sin(theta+rate*s) }
		low, high := 1e-3, 1e-3
		for above(high) > 0 {
			low, high = high, high+1e-4
		}
		for range 100 {
			if middle := (low + high) / 2; above(middle) > 0 {
				low = middle
			} else {
				high = middle
			}
		}
		list := jumps(t, rate, 0.2, leaves+low+1e-3)
		require.GreaterOrEqual(t, len(list), 2, "%+v", list)
		require.Equal(t, "leave", list[0].what)
		require.InDelta(t, leaves, list[0].at, tol, "Ω = %v Ω₀", over)
		require.InDelta(t, leaves+low, list[1].at, tol)
	}
}

// TestContactOfCurvesByAllMethods: the force of the contact follows the law, on both bodies, and the accelerations are those which it
// makes by hand, by all methods; with a gap there is none.
func TestContactOfCurvesByAllMethods(t *testing.T) {
	for _, lifted := range []float64{0, 1e-4} {
		b := jumping(t, 3, 0)
		doc, err := b.Model()
		require.NoError(t, err)
		doc.Bodies[1].Pose.Position[1] += lifted
		p, err := rung.NewPlan(doc, rung.Options{})
		require.NoError(t, err)
		n := jumpMass*(gravity+jumpThrow*9) - jumpSpring*jumpThrow + jumpLoad
		want := jumpThrow*9 + jumpSpring*n/jumpHard/jumpMass // where the contact gives way, the spring is longer
		if lifted > 0 {
			n = 0
			want = -gravity - (jumpLoad+jumpSpring*(doc.Bodies[1].Pose.Position[1]-jumpBase))/jumpMass
		}
		for _, method := range motion.Methods() {
			r, err := compare.Accelerate(p, method, p.Initial())
			require.NoError(t, err)
			require.Nil(t, r.Violation)
			assert.InDelta(t, want, r.Bodies[1].ComAcceleration[1], 1e-6, "%v", method) // 1e-17 m of depth times the stiffness, over the mass
			closeVec3(t, r.Joints[0].ConstraintWrench.Force, spatial.Vec3{0, 2*gravity + n, 0}, 1e-6, 1, "%v", method)
		}
	}
}

// TestDropOnAnotherCurve: a ball that falls beside a round hill of the world bounces along the normal with the restitution; a roller on a
// hill in equilibrium and its modes follow from the curvature: with the radii R and r, an upright pendulum that falls as exp(√(g/(R +
// r))·t).
func TestDropOnAnotherCurve(t *testing.T) {
	const R, r = 0.8, 0.2
	hill := &curves.Curve{Kind: curves.Circle, Radius: R}
	b := rung.NewBuilder("drop").Gravity(0, -gravity, 0)
	const m, k = 2.0, 4e6
	ball := b.Body("ball", wheelOf(t, m, 0.03, 0.03), rung.At(0, R+r-m*gravity/k, 0))
	b.Planar("plane", rung.World, ball, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	touch := b.CurveOnCurve("touch", rung.World, ball, rung.At(0, 0, 0), rung.At(0, R+r-m*gravity/k, 0), hill, &curves.Curve{Kind: curves.Circle, Radius: r})
	touch.LiftsOff = true
	limit := model.NoLimit()
	limit.Upper = 0
	limit.Stop = model.Stop{Normal: contact.Normal{Stiffness: k, Exponent: 1, Dissipation: 0.1}}
	touch.Limits = []*model.Limit{&limit}
	p := planOf(t, b)
	s := linear.NewSystem(p)
	require.NoError(t, s.Linearize(p.Initial()))
	found, err := s.Modes(linear.ModeOptions{})
	require.NoError(t, err)
	fastest := 0.0
	for i := range found.List {
		fastest = max(fastest, real(found.List[i].Lambda))
	}
	assert.InEpsilon(t, math.Sqrt(gravity/(R+r-m*gravity/k)), fastest, 1e-7)
}

// TestPartedCurves: past the end of a curve a gap is no error, and a contact is one, with the joint and the place.
func TestPartedCurves(t *testing.T) {
	for _, depth := range []float64{-0.01, 0.01} {
		b := rung.NewBuilder("end").Gravity(0, -gravity, 0)
		ball := b.Body("ball", wheelOf(t, 1, 0.01, 0.01), rung.At(1.3, 0.2-depth, 0))
		b.Planar("plane", rung.World, ball, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
		touch := b.CurveOnCurve("touch", rung.World, ball, rung.At(0, 0, 0), rung.At(1.3, 0.2-depth, 0),
			&curves.Curve{Ends: [2]spatial.Vec3{{-1}, {1}}}, &curves.Curve{Kind: curves.Circle, Radius: 0.2})
		touch.LiftsOff = true
		limit := model.NoLimit()
		limit.Lower = 0
		limit.Stop = model.Stop{Normal: contact.Normal{Stiffness: 1e4, Exponent: 1}}
		touch.Limits = []*model.Limit{&limit}
		p := planOf(t, b)
		err := p.NewSolver().Solve(p.Initial())
		if depth < 0 {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, mechanism.ErrTouch)
		require.ErrorContains(t, err, fmt.Sprintf(`joint "touch": the curves do not touch: on the curve of the predecessor u = %.1f is not from 0 to 2`, 2.3))
	}
}

// TestPartedCurvesThatActOn: past the end of a curve a gap is an error where a load, a drive, a coupling or friction acts on it, and none where nothing does,
// with limits, stops or without.
func TestPartedCurvesThatActOn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *rung.Builder, touch, slide *rung.Joint)
		fails  bool
	}{
		"nothing": {func(_ *rung.Builder, touch, _ *rung.Joint) { touch.Limits = nil }, false},
		"stop":    {func(*rung.Builder, *rung.Joint, *rung.Joint) {}, false},
		"limit": {func(_ *rung.Builder, touch, _ *rung.Joint) {
			touch.Limits[0].Stop, touch.Limits[0].Lower = model.Stop{}, 1
		}, false},
		"force":    {func(_ *rung.Builder, touch, _ *rung.Joint) { touch.Force = []float64{1} }, true},
		"spring":   {func(_ *rung.Builder, touch, _ *rung.Joint) { touch.Stiffness = []float64{1} }, true},
		"friction": {func(_ *rung.Builder, touch, _ *rung.Joint) { touch.Friction = []model.Friction{{Force: 1}} }, true},
		"motion": {func(_ *rung.Builder, touch, _ *rung.Joint) {
			touch.Motion = []*model.Motion{{Kind: joints.Polynomial, Coefficients: []float64{0.05}}}
		}, true},
		"coupling": {func(b *rung.Builder, touch, slide *rung.Joint) {
			b.Couple("k", rung.Term{Joint: touch, Factor: 1}, rung.Term{Joint: slide, Factor: 1})
		}, true},
	} {
		b := rung.NewBuilder("end").Gravity(0, -gravity, 0)
		ball := b.Body("ball", wheelOf(t, 1, 0.01, 0.01), rung.At(1.3, 0.25, 0))
		other := b.Body("other", wheelOf(t, 1, 0.01, 0.01), rung.At(0, 0, 0))
		b.Planar("plane", rung.World, ball, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
		slide := b.Prismatic("slide", rung.World, other, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
		touch := b.CurveOnCurve("touch", rung.World, ball, rung.At(0, 0, 0), rung.At(1.3, 0.25, 0),
			&curves.Curve{Ends: [2]spatial.Vec3{{-1}, {1}}}, &curves.Curve{Kind: curves.Circle, Radius: 0.2})
		touch.LiftsOff = true
		limit := model.NoLimit()
		limit.Lower = 0
		limit.Stop = model.Stop{Normal: contact.Normal{Stiffness: 1e4, Exponent: 1}}
		touch.Limits = []*model.Limit{&limit}
		c.change(b, touch, slide)
		p := planOf(t, b)
		if err := p.NewSolver().Solve(p.Initial()); c.fails {
			require.ErrorIs(t, err, mechanism.ErrTouch, name)
		} else {
			require.NoError(t, err, name)
		}
	}
}

// TestCouplingOfAGap: a ball that falls towards a line and pulls a slide of the same mass along by its gap falls half as fast, by all
// methods: trees have no row of the joint, and a form of its freedom.
func TestCouplingOfAGap(t *testing.T) {
	b := rung.NewBuilder("gap").Gravity(0, -gravity, 0)
	ball := b.Body("ball", wheelOf(t, 1, 0.01, 0.01), rung.At(0.3, 0.25, 0))
	other := b.Body("other", wheelOf(t, 1, 0.01, 0.01), rung.At(0, 0, -0.05))
	b.Planar("plane", rung.World, ball, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	slide := b.Prismatic("slide", rung.World, other, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	touch := b.CurveOnCurve("touch", rung.World, ball, rung.At(0, 0, 0), rung.At(0.3, 0.25, 0),
		&curves.Curve{Ends: [2]spatial.Vec3{{-1}, {1}}}, &curves.Curve{Kind: curves.Circle, Radius: 0.2})
	touch.LiftsOff = true
	b.Couple("k", rung.Term{Joint: touch, Factor: 1}, rung.Term{Joint: slide, Factor: 1})
	p := planOf(t, b)
	for _, method := range motion.Methods() {
		r, err := compare.Accelerate(p, method, p.Initial())
		require.NoError(t, err)
		assert.InDelta(t, -gravity/2, r.Bodies[0].ComAcceleration[1], 1e-9, "%v", method)
		assert.InDelta(t, gravity/2, r.Bodies[1].ComAcceleration[2], 1e-9, "%v", method)
	}
}
