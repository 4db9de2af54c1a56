package linear_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// TestCamEquilibrium: a cam with a torsion spring k lifts a weight m by p(θ). It rests where k·θ + m·g·p′(θ) = 0, and
// oscillates there with ω² = (k + m·g·p″)/(I + m·p′²); of the stiffness, m·g·p″ is that of the coupling.
func TestCamEquilibrium(t *testing.T) {
	const k, m, I, g = 3.0, 0.8, 0.2, 9.81
	p := []float64{0, 0.3, 0.25, -0.02, 0.01}
	slope := func(q float64) float64 { return p[1] + q*(2*p[2]+q*(3*p[3]+q*4*p[4])) }
	curve := func(q float64) float64 { return 2*p[2] + q*(6*p[3]+q*12*p[4]) }
	rest := 0.0
	for range 50 { // Newton's method
		rest -= (k*rest + m*g*slope(rest)) / (k + m*g*curve(rest))
	}
	b := rung.NewBuilder("cam").Gravity(0, 0, -g)
	body := func(name string, mass, inertia, x float64) rung.Body {
		d, err := bodies.New(mass, spatial.Vec3{}, spatial.Sym3{inertia, inertia, inertia})
		require.NoError(t, err)
		return b.Body(name, d, rung.At(x, 0, 0))
	}
	axis := spatial.Vec3{0, 0, 1}
	cam := b.Revolute("cam", rung.World, body("cam", 1, I, 0), spatial.Vec3{}, axis)
	cam.Stiffness = []float64{k}
	weight := b.Prismatic("weight", rung.World, body("weight", m, 1, 1), spatial.Vec3{1, 0, 0}, axis)
	b.Couple("profile", rung.Term{Joint: weight, Factor: 1}).Follow(cam, 0, p...)
	plan := built(t, b)
	st := plan.Initial()
	e, err := linear.Equilibrate(plan, st, linear.EquilibriumOptions{})
	require.NoError(t, err)
	require.Equal(t, linear.Stable, e.Stability)
	check.Close(t, st.Angles[plan.Mechanism().AnglePlace(mechanism.Freedom{})], rest, 1, 1e-9, "angle")
	modes, err := linearized(t, plan, st).Modes(linear.ModeOptions{})
	require.NoError(t, err)
	require.Len(t, modes.List, 1)
	omega := math.Sqrt((k + m*g*curve(rest)) / (I + m*slope(rest)*slope(rest)))
	check.Close(t, modes.List[0].AngularFrequency(), omega, omega, 1e-8, "frequency")
	check.Close(t, modes.List[0].Stiffness, omega*omega, omega*omega, 1e-8, "stiffness")
}

// TestLawOfThreeBodies: two cams on torsion springs k lift a weight m by c·x·y + p·(x + y), a law over three bodies. Where it rests, its
// stiffness has m·g·c between the cams, and so a part that is negative: by both methods the modes are those of the closed form.
func TestLawOfThreeBodies(t *testing.T) {
	const k, m, I, g, c, p = 4.0, 0.8, 0.2, 9.81, 0.3, 0.1
	q := -m * g * p / (k + m*g*c) // both angles at rest: k·q + m·g·(c·q + p) = 0
	b := rung.NewBuilder("two cams").Gravity(0, 0, -g)
	body := func(name string, mass, inertia, x float64) rung.Body {
		d, err := bodies.New(mass, spatial.Vec3{}, spatial.Sym3{inertia, inertia, inertia})
		require.NoError(t, err)
		return b.Body(name, d, rung.At(x, 0, 0))
	}
	axis := spatial.Vec3{0, 0, 1}
	first := b.Revolute("first", rung.World, body("first", 1, I, 0), spatial.Vec3{}, axis)
	second := b.Revolute("second", rung.World, body("second", 1, I, 1), spatial.Vec3{1, 0, 0}, axis)
	first.Stiffness, second.Stiffness = []float64{k}, []float64{k}
	weight := b.Prismatic("weight", rung.World, body("weight", m, 1, 2), spatial.Vec3{2, 0, 0}, axis)
	law := couplings.Law{Kind: couplings.Function, Expression: "0.3*x*y + 0.1*(x + y)", Spans: make([]couplings.Span, 2)}
	b.Couple("lift", rung.Term{Joint: weight, Factor: 1}).FollowLaw(law, rung.Coordinate{Joint: first}, rung.Coordinate{Joint: second})
	plan := built(t, b)
	e, st := balanced(t, plan, linear.EquilibriumOptions{})
	require.Equal(t, linear.Stable, e.Stability)
	check.Close(t, st.Angles[plan.Mechanism().AnglePlace(mechanism.Freedom{})], q, 1, 1e-9, "angle")
	// In the sum and in the difference of the angles: the weight moves with the sum alone.
	slope := c*q + p
	want := []float64{math.Sqrt((k - m*g*c) / I), math.Sqrt((k + m*g*c) / (I + 2*m*slope*slope))}
	slices.Sort(want)
	for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
		modes, err := linearized(t, plan, st).Modes(linear.ModeOptions{Method: method})
		require.NoError(t, err, "%v", method)
		require.Len(t, modes.List, 2, "%v", method)
		for i, omega := range want {
			check.Close(t, modes.List[i].AngularFrequency(), omega, omega, 1e-8, "%v: frequency %d", method, i)
		}
	}
}
