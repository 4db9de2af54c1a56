package derive_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/study"
)

// grounds has terrains of all types under balls and wheels of all shapes and laws, pressed in and moving.
const grounds = `{"format": "rung-model/1", "name": "grounds", "gravity": [0, 0, -9.81],
 "terrains": [
  {"name": "slope", "type": "plane", "point": [0, 0, 0], "normal": [0.1, 0.05, 1]},
  {"name": "grid", "type": "grid", "origin": [-2, -2], "spacing": [1, 1], "heights": [[0.1, 0, 0.05, 0, 0.1], [0, 0.02, 0, 0.03, 0],
   [0.03, 0, 0.02, 0, 0.05], [0, 0.1, 0, 0.02, 0], [0.1, 0, 0.03, 0, 0.1]]},
  {"name": "noise", "type": "random", "kind": "gaussian", "origin": [-3, -3], "spacing": [0.5, 0.5], "size": [16, 16], "rms": 0.01, "length": 1.2, "seed": 3},
  {"name": "fractal", "type": "random", "kind": "fractal", "origin": [-3, -3], "spacing": [0.5, 0.5], "size": [16, 16], "rms": 0.01, "hurst": 0.7, "seed": 4},
  {"name": "all", "type": "sum", "parts": ["slope", "grid", "noise", "fractal"]},
  {"name": "grip", "type": "function", "expression": "1 + 0.1*sin(x)"}],
 "bodies": [
  {"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0.2, 0.1, 0.18]}, "velocity": {"linear": [0.3, 0.2, -0.1], "angular": [0.3, 2, 0.4]}},
  {"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0.3, -0.4, 0.3], "orientation": [0.9924344502669058, 0.10024590406736422, 0.05012295203368211, 0.05012295203368211]}, "velocity": {"linear": [0.5, 0.2, -0.1], "angular": [0.3, 4, 0.4]}},
  {"name": "c", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [-0.3, 0.4, 0.26]}, "velocity": {"linear": [0.5, 0.2, -0.1], "angular": [0.3, 4, 0.4]}},
  {"name": "d", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0.1, 0.5, 0.26]}, "velocity": {"linear": [0.5, 0.2, -0.1], "angular": [0.3, 4, 0.4]}}],
 "forces": [
  {"name": "ball", "type": "contact", "body": "a", "terrain": "all", "shape": {"type": "sphere", "radius": 0.25, "center": [0.01, 0.02, 0.01], "axis": [0.1, 1, 0.2]},
   "normal": {"stiffness": 2e4, "exponent": 1.5, "dissipation": 0.4},
   "friction": {"type": "coulomb", "map": "grip", "coefficient": [0.7, 0.5], "slip_speed": 0.1, "hold": {"travel": 0.01, "damping": 0.02}},
   "rolling": {"coefficient": 0.02, "speed": 0.5}, "drilling": {"coefficient": 0.03, "speed": 0.5}},
  {"name": "tyre", "type": "contact", "body": "b", "terrain": "all", "shape": {"type": "torus", "radius": 0.32, "tyre_radius": 0.08, "axis": [0, 1, 0]},
   "normal": {"law": "linear", "stiffness": 3e3, "damping": 30},
   "friction": {"type": "tyre", "coefficient": [0.9, 0.8], "long": {"b": 9, "c": 1.6, "e": 0.2}, "lat": {"b": 8, "c": 1.3, "e": -0.4}, "low_speed": 0.2}},
  {"name": "wheel", "type": "contact", "body": "c", "terrain": "grid", "shape": {"type": "cylinder", "radius": 0.25, "width": 0.1, "discs": 3},
   "friction": {"type": "soil", "cohesive_modulus": 1e3, "frictional_modulus": 1.5e6, "exponent": 1.1, "cohesion": 200, "angle": 0.5, "shear": 0.02,
    "c0": 0.3, "c1": 0.2, "recovery": 0.1, "width": 0.05, "low_speed": 0.2}, "normal": {"damping": 20}},
  {"name": "rim", "type": "contact", "body": "d", "terrain": "slope", "contacts": "distributed", "samples": 40, "shape": {"type": "disc", "radius": 0.3},
   "normal": {"stiffness": 2e4}, "friction": {"type": "coulomb", "coefficient": 0.6, "slip_speed": 0.2}}
 ]}`

// driven has actuators with motions of all kinds, coupling laws with all their numbers, a stop with restitution and a tyre that relaxes.
const driven = `{"format": "rung-model/1", "name": "driven", "gravity": [0, 0, -9.81], "time": 0.3,
 "terrains": [{"name": "road", "type": "plane"}],
 "bodies": [
  {"name": "a", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "com": [0.3, 0, 0.1], "velocity": {"angular": [0, 0, 0.4]}},
  {"name": "b", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "com": [0.1, 0.2, 0], "pose": {"position": [3, 0, 0]}, "velocity": {"linear": [0, 0, 0.3]}},
  {"name": "c", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "com": [0.1, 0.3, 0], "pose": {"position": [6, 0, 0]}, "velocity": {"angular": [0, 0, 0.7]}},
  {"name": "d", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "com": [0.1, 0.3, 0], "pose": {"position": [9, 0, 0]}, "velocity": {"angular": [0, 0, -0.5]}},
  {"name": "e", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "pose": {"position": [0, 5, 0.27]}, "velocity": {"linear": [0.5, 0.2, -0.1], "angular": [0.3, 4, 0.4]}}],
 "joints": [
  {"name": "A", "type": "revolute", "predecessor": "world", "successor": "a",
   "limits": [{"lower": -2, "upper": 2, "rate": 5, "stop": {"stiffness": 2e3, "restitution": 0.5, "impact_speed": 0.1}}]},
  {"name": "B", "type": "prismatic", "predecessor": "world", "successor": "b", "predecessor_frame": {"position": [3, 0, 0]}},
  {"name": "C", "type": "revolute", "predecessor": "world", "successor": "c", "predecessor_frame": {"position": [6, 0, 0]}},
  {"name": "D", "type": "revolute", "predecessor": "world", "successor": "d", "predecessor_frame": {"position": [9, 0, 0]}}],
 "couplings": [
  {"name": "cam", "terms": [{"joint": "B", "factor": 1}], "law": {"kind": "table", "of": [{"joint": "A"}],
   "x": [-1, 0, 1, 2], "values": [0.3, 0.1, 0.2, 0.5], "ends": "clamped", "slopes": [-0.3, 0.2]}},
  {"name": "map", "terms": [{"joint": "D", "factor": 1}], "law": {"kind": "grid", "of": [{"joint": "A"}, {"joint": "C"}],
   "x": [-1, 0, 1, 2], "y": [-1, 0, 1, 2], "values": [[0, 0.1, 0.2, 0.1], [0.1, 0.3, 0.2, 0.2], [0.3, 0.1, 0, 0.2], [0.2, 0.1, 0.1, 0.4]]}}],
 "forces": [
  {"name": "table", "type": "actuator", "joint": "A", "law": "position", "gain": 20, "damping": 2,
   "value": {"kind": "table", "times": [0, 0.5, 1], "accelerations": [1, 2, -1], "value": 0.1, "rate": 0.3}},
  {"name": "polynomial", "type": "actuator", "joint": "C", "law": "speed", "gain": 20, "value": {"kind": "polynomial", "coefficients": [0.1, 0.2, 0.3]}},
  {"name": "spline", "type": "actuator", "joint": "C", "law": "torque",
   "value": {"kind": "spline", "times": [0, 0.4, 1], "values": [1, 2, 0], "ends": "clamped", "rates": [0.1, 0.2]}},
  {"name": "tyre", "type": "contact", "body": "e", "terrain": "road", "shape": {"type": "disc", "radius": 0.3}, "normal": {"stiffness": 3e3},
   "friction": {"type": "tyre", "coefficient": [0.9, 0.8], "long": {"b": 9, "c": 1.6, "e": 0.2}, "lat": {"b": 8, "c": 1.3, "e": -0.4},
    "low_speed": 0.2, "relaxation": 0.3}}
 ]}`

// folders holds the folder of the files that a model names, by model.
var folders = map[*model.Model]string{}

// everyModel returns models that have all joints, couplings, forces and grounds.
func everyModel(t *testing.T) (list []*model.Model) {
	for _, pattern := range []string{
		"../reference/truth/*/model.json", "../reference/joints/*.model.json", "../reference/golden/type-*.model.json",
		"../reference/derivatives/*.model.json", "../reference/ground/*.model.json", "../docs/*.model.json",
	} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			m, err := model.ReadFile(file)
			require.NoError(t, err, file)
			if m.Name = strings.TrimSuffix(filepath.Base(file), ".model.json"); m.Name == "model.json" {
				m.Name = filepath.Base(filepath.Dir(file))
			}
			folders[m] = filepath.Dir(file)
			list = append(list, m)
		}
	}
	for _, text := range []string{grounds, driven, pressed} {
		m, err := model.Read(strings.NewReader(text), "m.json")
		require.NoError(t, err)
		list = append(list, m)
	}
	rng := rand.New(rand.NewPCG(1, 3))
	sprung := modeltest.Composites(1, 4, 1)
	modeltest.AddSprings(sprung, rng)
	return append(list, sprung, modeltest.Rolling(1), modeltest.Bowls(1), modeltest.Beads(1), modeltest.Cams(1),
		modeltest.Follow(t, modeltest.Composites(1, 4, 0), rng, 1), modeltest.Couple(t, modeltest.Composites(2, 4, 0), rng, 1))
}

// bracketed is an entry of a path.
var bracketed = regexp.MustCompile(`\[[^\]]*\]`)

// TestEveryNumber: each number of the models that a sweep can name has a derivative, or an error with the reason. For each kind of number
// of each model one derivative is compared with differences; make more compares more of them.
func TestEveryNumber(t *testing.T) {
	compared, kinds := map[string]int{}, derive.Numbers()
	refused := map[string]string{}
	for n, m := range check.Some(everyModel(t), 8) {
		t.Run(m.Name, func(t *testing.T) {
			text, err := json.Marshal(m)
			require.NoError(t, err)
			inputs, err := study.NewInputs(text, m.Name)
			require.NoError(t, err)
			d, st := closed(t, m)
			all := inputs.All()
			rng := check.Rand(uint64(n))
			rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
			here := map[string]int{}
			for _, x := range all {
				kind := bracketed.ReplaceAllString(x.Path, "[]")
				p, err := d.Parameter(x.Path)
				if err != nil {
					require.ErrorIs(t, err, derive.ErrParameter, x.Path)
					require.NotContains(t, err.Error(), "has no entry", x.Path)
					require.NotContains(t, err.Error(), "is no number of a model", x.Path)
					refused[kind] = err.Error()
					continue
				}
				require.Contains(t, kinds, kind)
				if here[kind] == check.Random(1, 1) {
					continue
				}
				here[kind]++
				if everySlope(t, m, d, st, inputs, x, p) {
					compared[kind]++
				}
			}
		})
	}
	t.Logf("%d kinds of numbers are compared", len(compared))
	for _, kind := range kinds {
		if compared[kind] == 0 && !testing.Short() {
			t.Errorf("%s: no derivative was compared; refused: %q", kind, refused[kind])
		}
	}
}

// everySlope compares the derivatives by one number with differences, and reports whether there are any.
func everySlope(
	t *testing.T, m *model.Model, d *derive.Derivatives, st *mechanism.State, inputs *study.Inputs, x study.Input, p *derive.Parameter,
) bool {
	was := inputs.All()
	in, out := d.NewDirections(1), d.NewChanges(1)
	scale := max(0.03, math.Abs(x.Value))
	in.SetFollow(0, true)
	in.AddParameter(0, p, scale)
	err := d.ForwardTo(out, in, derive.Options{})
	for _, reason := range []error{derive.ErrBreaksLoop, derive.ErrNoDerivatives, derive.ErrSingularPose, kkt.ErrInaccurate} {
		if errors.Is(err, reason) {
			require.Regexp(t, `joint|coupling|body|force`, err.Error())
			return false
		}
	}
	require.NoError(t, err, x.Path)
	time := 0.0
	if x.Path == "time" {
		time = scale
	}
	side := 0.0 // direction in which a number at the end of its range can change
	for _, h := range [2]float64{step, -step} {
		set(t, inputs, x.Path, x.Value+h*scale)
		_, err := inputs.Model()
		reset(t, inputs, was)
		switch {
		case err != nil && side != 0:
			return false
		case err != nil:
			side = -math.Copysign(1, h)
		}
	}
	at := func(h float64) []float64 {
		set(t, inputs, x.Path, x.Value+h*scale)
		other, err := inputs.Model()
		require.NoError(t, err)
		reset(t, inputs, was)
		require.NoError(t, other.Load(t.Context(), model.Folder(folders[m])))
		mech, err := mechanism.New(other)
		require.NoError(t, err)
		return results(t, d, kkt.NewPlan(mech, kkt.Options{}).NewSolver(), moved(d, st, out, in, h, time))
	}
	if side != 0 {
		// One-sided differences of order 4.
		values := [5][]float64{}
		for k := range values {
			values[k] = at(side * step / 2 * float64(k))
		}
		one := func(h float64) []float64 {
			y := make([]float64, len(values[0]))
			for i := range y {
				slope := 0.0
				for k, w := range [5]float64{-25. / 12, 4, -3, 4. / 3, -1. / 4} {
					slope += w * values[k][i]
				}
				y[i] = values[0][i] + h*slope*side/(step/2)
			}
			return y
		}
		requireSlopeOf(t, m, x, changesOf(d, out), one)
		return true
	}
	got := changesOf(d, out)
	if number, _, _ := slopeMiss(got, at); number < 0 {
		return true
	}
	// A step may cross a corner, or half a turn; a shorter one does not.
	requireSlopeOf(t, m, x, got, nearby(at))
	return true
}

// shorter is the factor of a step after one that fails.
const shorter = 0.1

// nearby returns the function whose differences equal the differences of at with shorter steps.
func nearby(at func(h float64) []float64) func(h float64) []float64 {
	middle := at(0)
	return func(h float64) []float64 {
		y := at(shorter * h)
		for i := range y {
			y[i] = middle[i] + (y[i]-middle[i])/shorter
		}
		return y
	}
}

func requireSlopeOf(t *testing.T, m *model.Model, x study.Input, got []float64, at func(h float64) []float64) {
	defer func() {
		if t.Failed() {
			t.Logf("%s of %s, %v", x.Path, m.Name, x.Value)
		}
	}()
	requireSlope(t, got, at)
}
