package objective_test

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Gradients of documents whose values have closed forms. These are differentiated by complex steps, which are exact to rounding.

const (
	// closedFormTol is the tolerance for states and closed poses, relative to the largest derivative, and closedModesTol the one for modes,
	// whose derivatives are differences.
	closedFormTol, closedModesTol = 1e-10, 1e-7
	complexStep                   = 1e-30
)

// form returns the values of all terms for the values of all parameters.
type form func(p []complex128) []complex128

// holdTo compares an objective with terms of weight 1 with a closed form.
func holdTo(t *testing.T, o, text string, files fstest.MapFS, tol float64, f form) {
	t.Helper()
	read, err := objective.Read(strings.NewReader(o), "o.json")
	require.NoError(t, err)
	g, err := objective.NewProblem(read, "o.json", objective.Source{Text: []byte(text), Name: "m.json", Data: files})
	require.NoError(t, err)
	r, err := g.Gradient(context.Background())
	require.NoError(t, err)
	p := make([]complex128, len(r.Parameters))
	for k, x := range g.Values() {
		p[k] = complex(x, 0)
	}
	for i, y := range f(p) {
		require.InDelta(t, real(y), r.Terms[i].Value, tol*max(1, cmplx.Abs(y)), "value of %s", r.Terms[i].Name)
	}
	var want [][]float64
	size := 0.0
	for k := range p {
		x := p[k]
		p[k] += complex(0, complexStep)
		var row []float64
		for _, y := range f(p) {
			row = append(row, imag(y)/complexStep)
			size = max(size, math.Abs(imag(y)/complexStep))
		}
		p[k], want = x, append(want, row)
	}
	for k, row := range want {
		for i, x := range row {
			require.InDelta(t, x, r.Parameters[k].Terms[i], tol*size, "%s by %s", r.Terms[i].Name, r.Parameters[k].Name)
		}
	}
}

// stepped returns a function at a number with a complex step, which functions of cmplx would lose to rounding.
func stepped(z complex128, f, slope func(float64) float64) complex128 {
	return complex(f(real(z)), slope(real(z))*imag(z))
}

// parameters writes paths as parameters of an objective.
func parameters(paths ...string) string {
	for i, p := range paths {
		paths[i] = fmt.Sprintf(`{"path": %q}`, p)
	}
	return `"parameters": [` + strings.Join(paths, ", ") + `]`
}

// TestCartPole: a pole that swings on a cart, both moving, with a force on the cart.
func TestCartPole(t *testing.T) {
	const angle, spin, speed = 0.4, 1.3, -0.7
	text := fmt.Sprintf(`{"format": "rung-model/1", "name": "cart pole", "gravity": [0, 0, -9.81],
 "bodies": [
  {"name": "cart", "mass": 2, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}, "velocity": {"linear": [%[3]v, 0, 0]}},
  {"name": "pole", "mass": 0.5, "com": [0, 0, 0.6], "inertia": {"xx": 0.07, "yy": 0.07, "zz": 0.001},
   "pose": {"orientation": [%.17[4]g, 0, %.17[5]g, 0]}, "velocity": {"linear": [%[3]v, 0, 0], "angular": [0, %[2]v, 0]}}],
 "joints": [
  {"name": "slide", "type": "prismatic", "predecessor": "world", "successor": "cart", "force": [3],
   "predecessor_frame": {"orientation": [0.7071067811865476, 0, 0.7071067811865476, 0]},
   "successor_frame": {"orientation": [0.7071067811865476, 0, 0.7071067811865476, 0]}},
  {"name": "pin", "type": "revolute", "predecessor": "cart", "successor": "pole",
   "predecessor_frame": {"orientation": [0.7071067811865476, -0.7071067811865476, 0, 0]},
   "successor_frame": {"orientation": [0.7071067811865476, -0.7071067811865476, 0, 0]}}]}`,
		angle, spin, speed, math.Cos(angle/2), math.Sin(angle/2))
	o := `{"format": "rung-objective/1", "model": "m", "at": "state",
 "terms": [{"column": "joint.slide.qdd"}, {"column": "joint.pin.qdd"}], ` +
		parameters("bodies[cart].mass", "bodies[pole].mass", "bodies[pole].com[2]", "bodies[pole].inertia.yy", "gravity[2]",
			"joints[slide].force[0]") + `}`
	holdTo(t, o, text, nil, closedFormTol, func(p []complex128) []complex128 {
		M, m, l, I, g, F := p[0], p[1], p[2], p[3], -p[4], p[5]
		s, c := complex(math.Sin(angle), 0), complex(math.Cos(angle), 0)
		// (M + m) a + m l c α = F + m l s ω²,  m l c a + (I + m l²) α = m g l s
		A, B, D := M+m, m*l*c, I+m*l*l
		f, h := F+m*l*s*spin*spin, m*g*l*s
		det := A*D - B*B
		return []complex128{(D*f - B*h) / det, (A*h - B*f) / det}
	})
}

// TestPendulumFrequency: the frequency of a pendulum that hangs.
func TestPendulumFrequency(t *testing.T) {
	const text = `{"format": "rung-model/1", "name": "pendulum", "gravity": [0, 0, -9.81],
 "bodies": [{"name": "rod", "mass": 1.5, "com": [0, 0, -0.8], "inertia": {"xx": 0.25, "yy": 0.3, "zz": 0.1}}],
 "joints": [{"name": "pin", "type": "revolute", "predecessor": "world", "successor": "rod",
  "predecessor_frame": {"orientation": [0.7071067811865476, -0.7071067811865476, 0, 0]},
  "successor_frame": {"orientation": [0.7071067811865476, -0.7071067811865476, 0, 0]}}]}`
	o := `{"format": "rung-objective/1", "model": "m", "at": "modes", "terms": [{"column": "mode.1.frequency"}], ` +
		parameters("bodies[rod].mass", "bodies[rod].com[2]", "bodies[rod].inertia.yy", "gravity[2]") + `}`
	holdTo(t, o, text, nil, closedModesTol, func(p []complex128) []complex128 {
		m, l, I, g := p[0], -p[1], p[2], -p[3]
		return []complex128{cmplx.Sqrt(m*g*l/(I+m*l*l)) / (2 * math.Pi)}
	})
}

// TestFourBarClosed: the angle of the rocker of a four-bar whose crank is held, by the lengths of all bars.
func TestFourBarClosed(t *testing.T) {
	text, err := os.ReadFile("../../docs/four-bar.model.json")
	require.NoError(t, err)
	o := `{"format": "rung-objective/1", "model": "m", "at": "closed", "hold": ["crank"], "terms": [{"column": "joint.C.q"}], ` +
		parameters("joints[A].predecessor_frame.position[0]", "joints[B].successor_frame.position[0]", "joints[B].predecessor_frame.position[0]",
			"joints[C].predecessor_frame.position[0]") + `}`
	angle := 2 * math.Atan2(0.4472135954999579, 0.8944271909999159)
	holdTo(t, o, string(text), nil, closedFormTol, func(p []complex128) []complex128 {
		crank, coupler, rocker, ground := p[0], p[1], p[2], p[3]
		x, y := crank*complex(math.Cos(angle), 0)-ground, crank*complex(math.Sin(angle), 0)
		r := cmplx.Sqrt(x*x + y*y)
		at := complex(math.Pi, 0) + stepped(y/x, math.Atan, func(x float64) float64 { return 1 / (1 + x*x) }) // left of the rocker's pin
		cos := (r*r + rocker*rocker - coupler*coupler) / (2 * rocker * r)
		return []complex128{at - stepped(cos, math.Acos, func(x float64) float64 { return -1 / math.Sqrt(1-x*x) })}
	})
}

// TestStewartReach: the leg lengths of a platform with a target pose, by the position of the target and by the ends of the first leg.
func TestStewartReach(t *testing.T) {
	const file = "../../examples/reach/stewart.json"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	task, err := os.ReadFile("../../examples/reach/tilt.json")
	require.NoError(t, err)
	m, err := model.ReadFile(file)
	require.NoError(t, err)
	o := `{"format": "rung-objective/1", "model": "m", "at": "reach", "task": "tilt.json",
 "terms": [{"column": "joint.slide0.q"}, {"column": "joint.slide3.q"}], ` +
		parameters("task.targets[top].position[0]", "task.targets[top].position[1]", "task.targets[top].position[2]",
			"joints[base0].predecessor_frame.position[0]", "joints[base0].predecessor_frame.position[1]", "joints[top0].successor_frame.position[0]",
			"joints[top0].successor_frame.position[1]", "joints[top0].successor_frame.position[2]") + `}`
	R := spatial.Quat{0.9950041652780258, 0, 0.09983341664682815, 0}.Mat()
	holdTo(t, o, string(text), fstest.MapFS{"tilt.json": {Data: task}}, closedFormTol, func(p []complex128) []complex128 {
		length := func(leg int, base, ball [3]complex128) complex128 {
			square := complex(0, 0)
			for i := range 3 {
				x := p[i] - base[i]
				for j := range 3 {
					x += complex(R[3*i+j], 0) * ball[j]
				}
				square += x * x
			}
			slide, top := m.Joints[3*leg+1].PredecessorFrame.Position[0], m.Joints[3*leg+2].PredecessorFrame.Position[0]
			return cmplx.Sqrt(square) - complex(slide+top, 0)
		}
		of := func(v [3]float64) (z [3]complex128) {
			for i, x := range v {
				z[i] = complex(x, 0)
			}
			return z
		}
		base := of(m.Joints[0].PredecessorFrame.Position)
		base[0], base[1] = p[3], p[4]
		return []complex128{
			length(0, base, [3]complex128{p[5], p[6], p[7]}),
			length(3, of(m.Joints[9].PredecessorFrame.Position), of(m.Joints[11].SuccessorFrame.Position)),
		}
	})
}
