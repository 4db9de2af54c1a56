package objective

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// bouncing is a ball on a rail that falls onto a stop.
const bouncing = `{"format": "rung-model/1", "name": "ball", "gravity": [0, 0, -9.81],
 "bodies": [{"name": "ball", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "com": [0.1, 0.2, 0.3],
  "pose": {"position": [0, 0, 1.2]}, "velocity": {"linear": [0, 0, 0.7], "angular": [0, 0, 0]}}],
 "joints": [{"name": "rail", "type": "prismatic", "predecessor": "world", "successor": "ball",
  "predecessor_frame": {"position": [0, 0, 0.1]},
  "limits": [{"lower": -0.2, "stop": {"stiffness": 1e5, "restitution": 0.8, "impact_speed": 0.01}}]}]}`

// bounced returns the ball in closed form: height, velocity and the integral of the height at the time T.
func bounced(g, e, floor, z, v complex128, T float64) (z1, v1, area complex128) {
	t := complex128(0)
	for {
		h := (v + cmplx.Sqrt(v*v+2*g*(z-floor))) / g // until it lands
		end := real(t+h) > T
		if end {
			h = complex(T, 0) - t
		}
		area += z*h + v*h*h/2 - g*h*h*h/6
		if z, v = z+v*h-g*h*h/2, v-g*h; end {
			return z, v, area
		}
		t, z, v = t+h, floor, -e*v
	}
}

// impactProblem is an objective over a run of a model.
func impactProblem(t *testing.T, text string, o runs.Options, ends *Ending, terms []Term, paths ...string) *Problem {
	t.Helper()
	p := &Objective{At: AtRun, Run: o, Ends: ends, Terms: terms}
	for i := range p.Terms {
		x := &p.Terms[i]
		x.Name, x.Weight, x.Power = fmt.Sprint(x.Column, x.Take), 1, 1
	}
	for _, path := range paths {
		p.Parameters = append(p.Parameters, Parameter{Name: path, Paths: []string{path}})
	}
	g, err := NewProblem(p, "o.json", Source{Text: []byte(text), Name: "m.json"})
	require.NoError(t, err)
	return g
}

// TestBouncingBall: gradients over bounces with restitution equal those of the closed form.
func TestBouncingBall(t *testing.T) {
	const tol, T = 1e-9, 2.0
	for name, o := range map[string]runs.Options{
		"rk4": {Until: T, Step: 0.01, Integrator: runs.RungeKutta4}, "dopri5": {Until: T, Tolerance: 1e-9},
	} {
		t.Run(name, func(t *testing.T) {
			g := impactProblem(t, bouncing, o, nil, []Term{{Column: "ball.pz"}, {Column: "ball.vz"}, {Column: "ball.pz", Take: Integral}},
				"gravity[2]", "joints[rail].limits[0].stop.restitution", "joints[rail].limits[0].lower", "bodies[ball].pose.position[2]",
				"bodies[ball].velocity.linear[2]", "joints[rail].predecessor_frame.position[2]", "bodies[ball].mass", "bodies[ball].com[2]")
			r, err := g.Gradient(context.Background())
			require.NoError(t, err)
			q := [5]complex128{9.81, 0.8, -0.1, 1.2, 0.7} // gravity, restitution, floor (the lower limit and the position of the rail), height, velocity
			of := [8]int{0, 1, 2, 3, 4, 2, -1, -1}
			for k, i := range of {
				moved := q
				sign := 1.0
				if k == 0 {
					sign = -1 // gravity points down
				}
				if i >= 0 {
					moved[i] += complex(0, 1e-30)
				}
				z, v, area := bounced(moved[0], moved[1], moved[2], moved[3], moved[4], T)
				for j, want := range [3]complex128{z, v, area} {
					slope := sign * imag(want) / 1e-30
					assert.InDelta(t, real(want), r.Terms[j].Value, tol, r.Terms[j].Name)
					assert.InDelta(t, slope, r.Parameters[k].Terms[j], tol*max(1, math.Abs(slope)), "%s by %s", r.Terms[j].Name, r.Parameters[k].Name)
				}
			}
			bothWays(t, g, r)
		})
	}
}

// bothWays compares tangents with a gradient.
func bothWays(t *testing.T, g *Problem, r *Result) {
	t.Helper()
	const same = 1e-12
	a, err := g.ahead(context.Background(), true)
	require.NoError(t, err)
	values, slopes := a.sums(g)
	for i := range values {
		assert.InDelta(t, values[i], r.Terms[i].Value, same*max(1, math.Abs(values[i])), r.Terms[i].Name)
		for k, x := range slopes[i] {
			assert.InDelta(t, x, r.Parameters[k].Terms[i], same*max(1, math.Abs(x)), "%s by %s", r.Terms[i].Name, r.Parameters[k].Name)
		}
	}
	v, err := g.Value(context.Background())
	require.NoError(t, err)
	for i := range values {
		assert.InDelta(t, values[i], v.Terms[i].Value, same*max(1, math.Abs(values[i])))
	}
}

// struckFourBar is the four-bar with redundant hinges whose rocker meets a stop.
func struckFourBar(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/four-bar.model.json")
	require.NoError(t, err)
	const at = `"name": "C", "type": "revolute",`
	text := strings.Replace(string(b), at, at+`
   "limits": [{"lower": 0.4, "upper": 1.1, "stop": {"stiffness": 1e4, "restitution": 0.6, "impact_speed": 0.05}}],`, 1)
	require.NotEqual(t, string(b), text)
	return text
}

// TestStruckFourBar: gradients over impulses in a loop with redundant rows equal differences of whole runs.
func TestStruckFourBar(t *testing.T) {
	const (
		tol = 1e-7
		h   = 1e-4
	)
	plain := struckFourBar(t)
	geared := strings.Replace(plain, `"name": "O", "type": "revolute",`, `"name": "O", "type": "revolute", "armature": [2],`, 1)
	require.NotEqual(t, plain, geared)
	for name, text := range map[string]string{"plain": plain, "geared": geared} {
		t.Run(name, func(t *testing.T) {
			paths := []string{
				"bodies[coupler].mass", "bodies[coupler].com[1]", "joints[C].limits[0].lower", "joints[C].limits[0].stop.restitution", "gravity[1]",
				"joints[A].predecessor_frame.position[0]", "bodies[rocker].inertia.zz",
			}
			if name == "geared" {
				paths = append([]string{"joints[O].armature[0]"}, paths...)
			}
			g := impactProblem(t, text, runs.Options{Until: 1.3, Tolerance: 1e-11}, nil,
				[]Term{{Column: "joint.O.q"}, {Column: "coupler.vy"}, {Column: "joint.O.qd", Take: Integral}}, check.Some(paths, 4)...)
			s, err := runs.New(g.plan, g.o.Run)
			require.NoError(t, err)
			require.NoError(t, s.Run(1.3))
			require.Positive(t, s.Impacts())
			r, err := g.Gradient(context.Background())
			require.NoError(t, err)
			differences(t, g, r, h, tol)
			bothWays(t, g, r)
		})
	}
}

// differences compares a gradient with differences of order 4 of whole runs.
func differences(t *testing.T, g *Problem, r *Result, h, tol float64) {
	t.Helper()
	for k := range r.Parameters {
		at := func(by float64) []float64 {
			values := g.Values()
			values[k] += by
			p, err := g.With(values)
			require.NoError(t, err)
			v, err := p.Value(context.Background())
			require.NoError(t, err)
			list := make([]float64, len(v.Terms))
			for i := range list {
				list[i] = v.Terms[i].Value
			}
			return list
		}
		a, b, c, d := at(-2*h), at(-h), at(h), at(2*h)
		for i := range a {
			want := (8*(c[i]-b[i]) - (d[i] - a[i])) / (12 * h)
			assert.InDelta(t, want, r.Parameters[k].Terms[i], tol*max(1, math.Abs(want)), "%s by %s", r.Terms[i].Name, r.Parameters[k].Name)
		}
	}
}

// TestSlowTouch: a ball too slow for an impulse meets the spring of its stop, whose force jumps there by its damping: the change of the
// contact time counts.
func TestSlowTouch(t *testing.T) {
	const (
		tol = 1e-6 // of runs by error control
		h   = 1e-4
	)
	text := strings.Replace(bouncing, `"stiffness": 1e5, "restitution": 0.8, "impact_speed": 0.01`,
		`"law": "linear", "stiffness": 4000, "damping": 60, "restitution": 0.8, "impact_speed": 9`, 1)
	require.NotEqual(t, bouncing, text)
	g := impactProblem(t, text, runs.Options{Until: 0.62, Tolerance: 1e-11}, nil, []Term{{Column: "ball.pz"}, {Column: "ball.vz"}},
		"gravity[2]", "joints[rail].limits[0].stop.damping", "joints[rail].limits[0].lower", "bodies[ball].mass")
	r, err := g.Gradient(context.Background())
	require.NoError(t, err)
	differences(t, g, r, h, tol)
	bothWays(t, g, r)
}

// thrown is a body in the air.
const thrown = `{"format": "rung-model/1", "name": "thrown", "gravity": [0, 0, -9.81],
 "bodies": [{"name": "ball", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "com": [0.1, 0.2, 0.3],
  "pose": {"position": [0.3, 0, 1.2]}, "velocity": {"linear": [2.1, 0, 0.7], "angular": [0, 0, 0]}}]}`

// TestLanding: gradients of a flight that ends on the ground, and of its duration, equal those of the closed form.
func TestLanding(t *testing.T) {
	const tol = 1e-9
	for name, o := range map[string]runs.Options{
		"rk4": {Until: 5, Step: 0.01, Integrator: runs.RungeKutta4}, "dopri5": {Until: 5, Tolerance: 1e-9},
		"rows": {Until: 5, Step: 0.05, Every: 0.2, Integrator: runs.RungeKutta4},
	} {
		t.Run(name, func(t *testing.T) {
			g := impactProblem(t, thrown, o, &Ending{Column: "ball.pz", Value: -0.2, Direction: sim.Falling},
				[]Term{{Column: "ball.px"}, {Column: "ball.vz"}, {Column: "ball.pz", Take: Integral}, {Column: "time"}, {Column: "ball.pz", Take: Min}},
				"gravity[2]", "bodies[ball].pose.position[2]", "bodies[ball].velocity.linear[2]", "bodies[ball].velocity.linear[0]")
			g.o.Terms[3].Power, g.o.Terms[3].Weight = 2, 3
			r, err := g.Gradient(context.Background())
			require.NoError(t, err)
			q := [4]complex128{9.81, 1.2, 0.7, 2.1}
			for k := range q {
				moved, sign := q, 1.0
				if k == 0 {
					sign = -1 // gravity points down
				}
				moved[k] += complex(0, 1e-30)
				a, z, v, u := moved[0], moved[1], moved[2], moved[3]
				T := (v + cmplx.Sqrt(v*v+2*a*(z+0.2))) / a
				for j, want := range [5]complex128{0.3 + u*T, v - a*T, z*T + v*T*T/2 - a*T*T*T/6, 3 * T * T, -0.2} {
					slope := sign * imag(want) / 1e-30
					assert.InDelta(t, real(want), r.Terms[j].Value, tol, r.Terms[j].Name)
					assert.InDelta(t, slope, r.Parameters[k].Terms[j], tol*max(1, math.Abs(slope)), "%s by %s", r.Terms[j].Name, r.Parameters[k].Name)
				}
			}
			bothWays(t, g, r)
		})
	}
}

// TestImpactsRevolve: gradients over impulses whose states do not fit in memory have the same bits.
func TestImpactsRevolve(t *testing.T) {
	g := impactProblem(t, bouncing, runs.Options{Until: 3, Step: 0.005, Integrator: runs.RungeKutta4}, nil, []Term{{Column: "ball.pz"}},
		"gravity[2]", "joints[rail].limits[0].stop.restitution")
	whole, err := g.Gradient(context.Background())
	require.NoError(t, err)
	g.memory = 40_000
	parts, err := g.Gradient(context.Background())
	require.NoError(t, err)
	assert.Equal(t, whole, parts)
	c, err := g.run(context.Background())
	require.NoError(t, err)
	require.Less(t, c.pieces[0].Bytes(), int64(600*8*14), "not all states are there")
}

// TestEventsRefused: instants without a derivative are errors that name the event.
func TestEventsRefused(t *testing.T) {
	at := runs.Options{Until: 2, Step: 0.01, Integrator: runs.RungeKutta4}
	two := strings.NewReplacer(
		`"bodies": [`, `"bodies": [{"name": "twin", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "com": [0.1, 0.2, 0.3],
  "pose": {"position": [0, 0, 1.2]}, "velocity": {"linear": [0, 0, 0.7], "angular": [0, 0, 0]}},`,
		`"joints": [`, `"joints": [{"name": "rail2", "type": "prismatic", "predecessor": "world", "successor": "twin",
  "predecessor_frame": {"position": [0, 0, 0.1]},
  "limits": [{"lower": -0.2, "stop": {"stiffness": 1e5, "restitution": 0.8, "impact_speed": 0.01}}]},`).Replace(bouncing)
	for name, c := range map[string]struct {
		text string
		o    runs.Options
		term Term
		ends *Ending
		want string
	}{
		"at once": {two, at, Term{Column: "ball.pz"}, nil, `the stop of joint rail, freedom 0`},
		"lowest":  {bouncing, at, Term{Column: "ball.pz", Take: Min}, nil, "has its extreme at the instant at which a stop is met"},
		"implicit": {
			bouncing, runs.Options{Until: 1, Step: 0.01, Integrator: runs.GeneralizedAlpha}, Term{Column: "ball.pz"}, nil,
			`joint "rail": there is no derivative: impulses of a stop`,
		},
		"bristles": {
			strings.Replace(bouncing, `"limits"`, `"friction": [{"force": 1, "hold": {"travel": 1e-3}}], "limits"`, 1), at,
			Term{Column: "ball.pz"}, nil, `joint "rail": there is no derivative: bristles`,
		},
		"jumping force": {
			strings.Replace(bouncing, `"stiffness": 1e5, "restitution": 0.8, "impact_speed": 0.01`, `"law": "linear", "stiffness": 1e4, "damping": 20`, 1), at,
			Term{Column: "ball.pz"}, nil, `stop joint "rail": its force jumps`,
		},
		"end and stop": {
			bouncing, at, Term{Column: "ball.pz"}, &Ending{Column: "joint.rail.q", Value: -0.2}, "at one instant",
		},
		"never": {bouncing, at, Term{Column: "ball.pz"}, &Ending{Column: "ball.pz", Value: -3}, "before its column is at the value"},
		"falls": {
			thrown, runs.Options{Until: 1, Tolerance: 1e-9}, Term{Column: "ball.px"}, &Ending{Column: "ball.vz", Value: 0, Direction: sim.Rising},
			"before its column is at the value",
		},
		"implicit end": {
			thrown, runs.Options{Until: 1, Step: 0.01, Integrator: runs.GeneralizedAlpha}, Term{Column: "ball.px"},
			&Ending{Column: "ball.vz", Value: 0}, "ends_at",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := impactProblem(t, c.text, c.o, c.ends, []Term{c.term}, "gravity[2]")
			_, err := g.Gradient(context.Background())
			require.ErrorContains(t, err, c.want)
			if name != "never" && name != "falls" {
				require.ErrorIs(t, err, ErrNotDifferentiable)
			}
		})
	}
}
