package objective

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
)

// rattleCases are reference models with columns and paths.
var rattleCases = map[string]struct{ columns, paths []string }{
	"pendulum":              {[]string{"joint.pin1.q", "link1.vx"}, []string{"bodies[0].mass", "joints[pin1].predecessor_frame.position[1]"}},
	"driven-mixed":          {[]string{"joint.m2.q0", "joint.m2.qd0"}, []string{"bodies[0].mass", "bodies[1].com[0]"}},
	"springs":               {[]string{"joint.close.q3"}, []string{"bodies[1].mass", "forces[0].stiffness"}},
	"four-bar":              {[]string{"joint.p2.q", "coupler.vy", "joint.p2.qdd"}, []string{"bodies[coupler].com[1]", "gravity[1]"}},
	"gear-pair":             {[]string{"joint.ja.q"}, []string{"bodies[0].mass"}},
	"floating-slider-crank": {[]string{"base.px"}, []string{"bodies[0].mass"}},
	"stewart-6ups":          {[]string{"platform.pz"}, []string{"bodies[platform].mass"}},
	"bricard-6r":            {[]string{"link1.px"}, []string{"bodies[0].mass"}},
	"armature-four-bar":     {[]string{"joint.p1.q", "coupler.vy"}, []string{"bodies[coupler].mass", "joints[p0].armature[0]", "joints[p2].armature[0]"}},
}

func rattleProblem(t *testing.T, name string, o runs.Options) *Problem {
	t.Helper()
	c := rattleCases[name]
	g := alphaProblem(t, name, o, c.columns, c.paths...)
	g.o.Run.Integrator = runs.Rattle
	return g
}

// TestRattleBothWays: gradients of runs of RATTLE are the transpose of tangents.
func TestRattleBothWays(t *testing.T) {
	for name := range rattleCases {
		if testing.Short() && name != "four-bar" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			// The joints hold to rounding: redundant rows contradict each other by as much as they are open.
			g := rattleProblem(t, name, runs.Options{Until: 0.05, Step: 0.005, Rattle: motion.RattleOptions{Tolerance: 1e-14}})
			r, err := g.Gradient(context.Background())
			require.NoError(t, err)
			assert.Less(t, r.Run.Projection, 1e-8)
			bothWays(t, g, r)
		})
	}
}

// TestRattleDifference compares gradients of runs of RATTLE with differences of the same runs.
func TestRattleDifference(t *testing.T) {
	const h, tol = 1e-3, 1e-7
	for name := range rattleCases {
		if testing.Short() && name != "four-bar" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			g := rattleProblem(t, name, runs.Options{Until: 0.1, Step: 0.004, Rattle: motion.RattleOptions{Tolerance: 1e-14}})
			r, err := g.Gradient(context.Background())
			require.NoError(t, err)
			differences(t, g, r, h, tol)
		})
	}
}

// TestRattleRevolve: gradients of runs of RATTLE whose states do not fit in memory have the same bits.
func TestRattleRevolve(t *testing.T) {
	g := rattleProblem(t, "four-bar", runs.Options{Until: 0.2, Step: 0.002})
	whole, err := g.Gradient(context.Background())
	require.NoError(t, err)
	g.memory = 60_000
	c, err := g.run(context.Background())
	require.NoError(t, err)
	require.Equal(t, 100, c.pieces[0].Steps())
	require.Less(t, c.pieces[0].Bytes(), int64(100*8*58), "not all states are there")
	parts, err := g.Gradient(context.Background())
	require.NoError(t, err)
	assert.Equal(t, whole, parts)
}

// TestRattleOrder: gradients converge with the order 2 of the method to those of an explicit method with small steps.
func TestRattleOrder(t *testing.T) {
	gradient := func(step float64, integrator runs.Integrator) float64 {
		g := rattleProblem(t, "four-bar", runs.Options{Until: 0.1, Step: step})
		g.o.Run.Integrator = integrator
		r, err := g.Gradient(context.Background())
		require.NoError(t, err)
		return r.Parameters[0].Gradient
	}
	want := gradient(0.001, runs.RungeKutta4)
	coarse, fine := gradient(0.01, runs.Rattle)-want, gradient(0.005, runs.Rattle)-want
	assert.InDelta(t, 2, math.Log2(coarse/fine), 0.2, "%v %v", coarse, fine)
}

// TestRattleRefused: steps that are not steps of RATTLE, and parts without an adjoint, are refused.
func TestRattleRefused(t *testing.T) {
	g := rattleProblem(t, "pendulum", runs.Options{Until: 1.5, Step: 0.5, Rattle: motion.RattleOptions{Damp: true, Turn: 1e-3}})
	_, err := g.Gradient(context.Background())
	require.ErrorIs(t, err, ErrNotDifferentiable)
	require.ErrorContains(t, err, "none of RATTLE")
}

// TestRattleRotor: a pendulum with a rotor at its pin has one coordinate, whose momentum RATTLE conserves, so that its gradient has a
// closed form, which complex steps differentiate: by armature, stiffness, mass, moment of inertia and gravity.
func TestRattleRotor(t *testing.T) {
	const (
		angle, rate = 0.4, 1.3
		com         = 0.6
		until, h    = 0.1, 0.01
		tol         = 1e-10 // joints hold to 1e-14; divided by the step
	)
	text := fmt.Sprintf(`{"format": "rung-model/1", "name": "rotor", "gravity": [0, -9.81, 0],
 "bodies": [{"name": "rod", "mass": 1.5, "com": [%v, 0, 0], "inertia": {"xx": 0.1, "yy": 0.3, "zz": 0.25},
  "pose": {"orientation": [%.17g, 0, 0, %.17g]}, "velocity": {"angular": [0, 0, %v]}}],
 "joints": [{"name": "pin", "type": "revolute", "predecessor": "world", "successor": "rod", "stiffness": [20], "armature": [0.7]}]}`,
		com, math.Cos(angle/2), math.Sin(angle/2), rate)
	p := &Objective{At: AtRun, Run: runs.Options{Until: until, Step: h, Integrator: runs.Rattle, Rattle: motion.RattleOptions{Tolerance: 1e-14}}}
	for _, c := range []string{"joint.pin.q", "joint.pin.qd"} {
		p.Terms = append(p.Terms, Term{Name: c, Column: c, Weight: 1, Power: 1})
	}
	for _, path := range []string{"joints[pin].armature[0]", "joints[pin].stiffness[0]", "bodies[rod].mass", "bodies[rod].inertia.zz", "gravity[1]"} {
		p.Parameters = append(p.Parameters, Parameter{Name: path, Paths: []string{path}})
	}
	g, err := NewProblem(p, "o.json", Source{Text: []byte(text), Name: "m.json"})
	require.NoError(t, err)
	r, err := g.Gradient(context.Background())
	require.NoError(t, err)
	form := func(p []complex128) (q, qd complex128) {
		turns, slides := p[0]+p[3], p[2]*com*com // inertias about the centre of mass and by its distance from the pin
		torque := func(q complex128) complex128 { return p[2]*com*p[4]*cmplx.Cos(q) - p[1]*q }
		q, qd = angle, rate
		for range 10 {
			half := (turns+slides)*qd + h/2*torque(q)
			by := h * half / (turns + slides)
			for range 20 { // (turns·by + slides·sin by)/h = half, by Newton's method
				by -= (turns*by + slides*cmplx.Sin(by) - h*half) / (turns + slides*cmplx.Cos(by))
			}
			q += by
			qd = (half + h/2*torque(q)) / (turns + slides)
		}
		return q, qd
	}
	const step = 1e-30
	for k, path := range r.Parameters {
		var at [5]complex128
		for i, x := range g.Values() {
			at[i] = complex(x, 0)
		}
		at[k] += complex(0, step)
		q, qd := form(at[:])
		assert.InDelta(t, real(q), r.Terms[0].Value, tol)
		assert.InDelta(t, real(qd), r.Terms[1].Value, tol)
		assert.InDelta(t, imag(q)/step, path.Terms[0], tol, path.Name)
		assert.InDelta(t, imag(qd)/step, path.Terms[1], tol, path.Name)
	}
}

// TestRattleHeld: bodies without inertia in some direction move over a step with the inertia they are held by. Gradients once left that
// out, and were wrong by 0.5 %.
func TestRattleHeld(t *testing.T) {
	const h, tol = 1e-3, 1e-7
	text, err := os.ReadFile(filepath.Join("..", "..", "reference", "joints", "slender-slider-crank.model.json"))
	require.NoError(t, err)
	bare := regexp.MustCompile(`,\s*"armature": \[[^]]*\]`).ReplaceAll(text, nil)
	require.Less(t, len(bare), len(text))
	for _, text := range [][]byte{text, bare} {
		p := &Objective{At: AtRun, Run: runs.Options{Until: 0.02, Step: 0.004, Integrator: runs.Rattle, Rattle: motion.RattleOptions{Tolerance: 1e-14}}}
		p.Terms = []Term{{Name: "qx", Column: "crank.qx", Weight: 1e3, Power: 1}}
		p.Parameters = []Parameter{{Name: "mass", Paths: []string{"bodies[0].mass"}}, {Name: "gravity", Paths: []string{"gravity[1]"}}}
		g, err := NewProblem(p, "o.json", Source{Text: text, Name: "m.json"})
		require.NoError(t, err)
		r, err := g.Gradient(context.Background())
		require.NoError(t, err)
		differences(t, g, r, h, tol)
	}
}

// TestRattleOutOfPlane: motions that the joints forbid have cotangents of rounding only. Steps of RATTLE have a derivative then, too; they
// were once refused with ErrChord.
func TestRattleOutOfPlane(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "four-bar.model.json"))
	require.NoError(t, err)
	p := &Objective{At: AtRun, Run: runs.Options{Until: 0.2, Step: 0.001, Integrator: runs.Rattle}}
	for _, c := range []string{"crank.pz", "coupler.qx", "rocker.pz"} {
		p.Terms = append(p.Terms, Term{Name: c, Column: c, Weight: 1, Power: 1})
	}
	p.Parameters = []Parameter{{Name: "com", Paths: []string{"bodies[2].com[0]"}}, {Name: "gravity", Paths: []string{"gravity[1]"}}}
	g, err := NewProblem(p, "o.json", Source{Text: text, Name: "four-bar.model.json"})
	require.NoError(t, err)
	r, err := g.Gradient(context.Background())
	require.NoError(t, err)
	for _, x := range r.Parameters {
		for _, slope := range x.Terms {
			assert.InDelta(t, 0, slope, 1e-12, x.Name)
		}
	}
}
