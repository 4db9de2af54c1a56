package main

import (
	"encoding/json"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/require"
)

// truth is an expected.json of reference/truth; the README there has the kinds.
type truth struct {
	Kind      string
	Tolerance float64
	Bodies    map[string]struct{ Angular, Com []float64 }
	Joints    map[string]struct{ Force, Moment []float64 }
	Kinetic   float64
	Potential float64
	Last      map[string]float64                        // columns of the last row
	Final     map[string]struct{ P, Q, V, W []float64 } // bodies in the last row
	Forces    map[string]float64                        // actuators, JOINT.FREEDOM
	Values    [][2]float64                              `json:"eigenvalues"`
	Name      string
	Torque    []float64
	Force     []float64
	Length    float64
}

// truthModes is what the tests read of the document of modes.
type truthModes struct {
	Damped bool
	Modes  []struct{ Eigenvalue [2]float64 }
}

// truthAnswer is what the tests read of the documents of accel and inverse.
type truthAnswer struct {
	Bodies []struct {
		Name    string
		Com     []float64 `json:"com_acceleration"`
		Angular []float64 `json:"angular_acceleration"`
	}
	Joints []struct {
		Name   string
		Unique bool                              `json:"wrench_unique"`
		Wrench struct{ Force, Moment []float64 } `json:"total_wrench"`
	}
	Energy struct{ Kinetic, Potential float64 }
	Forces []struct {
		Name          string
		Length        float64
		Force, Torque []float64
	}
	Actuators []struct {
		Joint   string
		Freedom json.Number
		Force   float64
	}
}

// manySteps are cases of reference/truth that take many steps, and which runs have them.
var manySteps = map[string]func(testing.TB){
	"ga-bearing-fixed-step": check.Nightly, "ga-sim-bear-0-1e-9": check.Long, "ga-sim-bear-0-1e-10": check.Nightly,
	"ga-stop-pendulum": check.Long, "sim-bear-0": check.Long, "ga-bearing-pendulum": check.Long,
}

// TestTruth runs the cases of reference/truth, computed by programs that share no code with this one.
func TestTruth(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(reference, "truth", "*", "command.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, path := range folders {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if leave := manySteps[filepath.Base(dir)]; leave != nil {
				leave(t)
			}
			line, err := os.ReadFile(path)
			require.NoError(t, err)
			args := strings.Fields(string(line))
			for i, a := range args {
				if at := filepath.Join(dir, a); strings.HasSuffix(a, ".json") {
					args[i] = at
				}
			}
			text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
			require.NoError(t, err)
			var want truth
			require.NoError(t, json.Unmarshal(text, &want))
			r := rungRun(args...)
			require.Equal(t, shell.ExitDone, r.Status, r.Err)
			require.LessOrEqual(t, want.error(t, r.Out), want.Tolerance)
		})
	}
}

// error returns the largest error of the output, relative to 1 or, where it is larger, the scale of the quantity.
func (w *truth) error(t *testing.T, out string) float64 {
	switch w.Kind {
	case "simulate", "columns":
		return w.ofRow(t, out)
	case "modes":
		var have truthModes
		require.NoError(t, json.Unmarshal([]byte(out), &have))
		return w.ofModes(&have)
	case "accel", "wrench", "bushing-torque", "inverse":
		var have truthAnswer
		require.NoError(t, json.Unmarshal([]byte(out), &have))
		return w.ofAnswer(t, &have)
	}
	t.Fatalf("no kind %q", w.Kind)
	return 0
}

// ofRow is error of a trajectory.
func (w *truth) ofRow(t *testing.T, out string) (e float64) {
	columns, rows := readTrajectory(t, out)
	row := map[string]float64{}
	for i, c := range columns {
		row[c] = rows[len(rows)-1][i]
	}
	get := func(body string, names ...string) (v []float64) {
		for _, n := range names {
			x, ok := row[body+"."+n]
			require.True(t, ok, n)
			v = append(v, x)
		}
		return v
	}
	for c, v := range w.Last {
		x, ok := row[c]
		require.True(t, ok, c)
		e = worse(e, math.Abs(x-v)/max(1, math.Abs(v)))
	}
	for b, v := range w.Final {
		e = worse(e, apart(get(b, "px", "py", "pz"), v.P, 1), apart(get(b, "vx", "vy", "vz"), v.V, 1), apart(get(b, "wx", "wy", "wz"), v.W, 1))
		q := get(b, "qw", "qx", "qy", "qz")
		minus := []float64{-q[0], -q[1], -q[2], -q[3]}
		e = worse(e, min(apart(q, v.Q, 1), apart(minus, v.Q, 1)))
	}
	require.Positive(t, len(w.Last)+len(w.Final))
	return e
}

// ofAnswer is error of a document.
func (w *truth) ofAnswer(t *testing.T, have *truthAnswer) (e float64) {
	switch w.Kind {
	case "accel":
		scale := 1.0
		for _, b := range w.Bodies {
			scale = max(scale, largest(b.Com), largest(b.Angular))
		}
		require.Len(t, have.Bodies, len(w.Bodies))
		for _, b := range have.Bodies {
			e = worse(e, apart(b.Com, w.Bodies[b.Name].Com, scale), apart(b.Angular, w.Bodies[b.Name].Angular, scale))
		}
	case "wrench":
		scale := 1.0
		for _, j := range w.Joints {
			scale = max(scale, largest(j.Force), largest(j.Moment))
		}
		require.Len(t, have.Joints, len(w.Joints))
		for _, j := range have.Joints {
			if j.Unique {
				e = worse(e, apart(j.Wrench.Force, w.Joints[j.Name].Force, scale), apart(j.Wrench.Moment, w.Joints[j.Name].Moment, scale))
			}
		}
		e = worse(e, math.Abs(have.Energy.Kinetic-w.Kinetic)/max(1, math.Abs(w.Kinetic)), math.Abs(have.Energy.Potential-w.Potential)/max(1, math.Abs(w.Potential)))
	case "bushing-torque":
		require.Len(t, have.Forces, 1)
		f := have.Forces[0]
		require.Equal(t, w.Name, f.Name)
		e = worse(apart(f.Torque, w.Torque, max(1, largest(w.Torque))), apart(f.Force, w.Force, max(1, largest(w.Force))), math.Abs(f.Length-w.Length))
	case "inverse":
		require.Len(t, have.Actuators, len(w.Forces))
		for _, a := range have.Actuators {
			v, ok := w.Forces[a.Joint+"."+a.Freedom.String()]
			require.True(t, ok)
			e = worse(e, math.Abs(a.Force-v)/max(1, math.Abs(v)))
		}
	}
	return e
}

// ofModes returns how far eigenvalues are from the nearest one of the others, both ways. Of a pair the answer has one,
// and without damping one of ±λ. Small ones are squares that rounding moves: they count as such.
func (w *truth) ofModes(have *truthModes) (e float64) {
	var want, list, all []complex128
	scale := 0.0
	for _, v := range w.Values {
		want = append(want, complex(v[0], v[1]))
		scale = max(scale, math.Hypot(v[0], v[1]))
	}
	for _, m := range have.Modes {
		l := complex(m.Eigenvalue[0], m.Eigenvalue[1])
		list = append(list, l)
		all = append(all, l, cmplx.Conj(l))
		if !have.Damped {
			all = append(all, -l, -cmplx.Conj(l))
		}
	}
	from := func(a complex128, list []complex128) float64 {
		least := math.Inf(1)
		for _, z := range list {
			least = min(least, cmplx.Abs(z-a)/max(cmplx.Abs(a), 1e-2*scale), cmplx.Abs(z*z-a*a)/(scale*scale))
		}
		return least
	}
	for _, l := range list {
		e = worse(e, from(l, want))
	}
	for _, l := range want {
		e = worse(e, from(l, all))
	}
	return e
}

// worse returns the largest; a NaN stays.
func worse(list ...float64) (e float64) {
	for _, x := range list {
		e = max(e, x)
	}
	return e
}

// apart returns the largest difference over scale, +Inf for vectors of different lengths.
func apart(a, b []float64, scale float64) (e float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for i := range a {
		e = max(e, math.Abs(a[i]-b[i])/scale)
	}
	return e
}

func largest(v []float64) (most float64) {
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	return most
}
