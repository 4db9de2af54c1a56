package fik_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	recurrenceTol = 1e-9 // of reference/ik
	continuousTol = 1e-7 // the same, for steps of one's own
	restTol       = 1e-5 // of q at a rest that rounding leaves, by reference/ik
)

// setup is a file NAME.setup.json of reference/ik.
type setup struct {
	Rows     []int
	Tool     [3]float64
	Target   []float64
	Feedback float64
	A        float64
	P        float64
	Alpha    float64
	PUsed    [][]float64 `json:"P_used"`
	H, Dt    float64
	Rest     []float64
	Gain     []float64
	Design   design
	Circle   struct {
		Centre         [2]float64
		Radius, Period float64
	}
	Path struct {
		P0, P1, P2, Move []float64
		Orientation      [4]float64
		T                float64
		C, A, F, Ph      []float64
	}
}

// options returns the filter's options as the file gives them, with the design of fik.Riccati.
func (s *setup) options(t *testing.T) fik.Options {
	o := fik.Options{A: []float64{s.A}, H: s.H, P: []float64{s.P}}
	if s.Alpha != 0 {
		o.Form, o.A, o.P = fik.FormF, []float64{s.Alpha}, flat(s.PUsed)
	} else if d := &s.Design; d.J0 != nil {
		P, _, err := fik.Riccati(fik.NewDense(len(d.J0), len(d.J0[0]), flat(d.J0)), fik.RiccatiOptions{W: d.W, M: d.M, V: d.V})
		require.NoError(t, err)
		o.P = P
	}
	return o
}

// run is one file of reference/ik: its setup, lines and arm.
type run struct {
	*setup
	lines *table
	arm   *arm
}

func readRun(t *testing.T, name string) *run {
	t.Helper()
	r := &run{setup: new(setup), lines: readTable(t, name+".csv")}
	readJSON(t, name+".setup.json", r.setup)
	if len(r.Rows) == 2 {
		r.Tool = [3]float64{0.3, 0, 0}
	}
	r.arm = readArm(t, name+".model.json", r.Tool, r.Rows)
	return r
}

// quintic is s(u) of the paths, and its derivative.
func quintic(u float64) (s, ds float64) {
	u = min(max(u, 0), 1)
	return u * u * u * (10 + u*(-15+6*u)), u * u * (30 + u*(-60+30*u))
}

// wanted stores in e the error at the time t, in dxd rate + feedback·e.
func (r *run) wanted(dxd, e []float64, t float64) {
	place, turn, rate := spatial.Vec3{}, r.arm.rotation, make([]float64, len(e))
	switch {
	case r.Target != nil:
		place = spatial.Vec3{r.Target[0], r.Target[1]}
	case r.Circle.Period > 0:
		c, w := &r.Circle, 2*math.Pi/r.Circle.Period
		place = spatial.Vec3{c.Centre[0] + c.Radius*math.Cos(w*t), c.Centre[1] + c.Radius*math.Sin(w*t)}
		rate[0], rate[1] = -c.Radius*w*math.Sin(w*t), c.Radius*w*math.Cos(w*t)
	case r.Path.Move != nil:
		s, ds := quintic(t / r.Path.T)
		place, turn = spatial.Vec3(r.Path.P0), r.Path.Orientation
		for i, x := range r.Path.Move {
			place[i] += s * x
			rate[3+i] = ds / r.Path.T * x
		}
	default:
		a, b, u := r.Path.P0, r.Path.P1, t/r.Path.T
		if u > 1 {
			a, b, u = b, r.Path.P2, u-1
		}
		s, ds := quintic(u)
		for i := range rate {
			place[i] = a[i] + s*(b[i]-a[i])
			rate[i] = ds / r.Path.T * (b[i] - a[i])
		}
	}
	r.arm.errorTo(e, place, turn)
	for i := range dxd {
		dxd[i] = rate[i] + r.Feedback*e[i]
	}
}

// TestRecurrences goes through the recurrences of reference/ik line by line.
func TestRecurrences(t *testing.T) {
	for _, name := range []string{"fik-3r-reach", "fik-3r-null", "fik-3r-track", "fik-3r-straight-full", "fik-3r-straight-scalar", "fik-6r-line"} {
		t.Run(name, func(t *testing.T) {
			r := readRun(t, name)
			tol := recurrenceTol
			if name == "fik-3r-straight-scalar" {
				tol = restTol
			}
			q := r.lines.columns(t, "q", 0)
			r.arm.set(q)
			f, err := fik.New(r.arm.J, r.options(t))
			require.NoError(t, err)
			m, n := r.arm.J.Dims()
			dq, dxd, e, dq0, z := make([]float64, n), make([]float64, m), make([]float64, m), make([]float64, n), make([]float64, m)
			worst := 0.0
			for k := range r.lines.rows {
				r.arm.set(q)
				r.wanted(dxd, e, r.lines.columns(t, "t", k)[0])
				copy(z, f.Z())
				for i, rest := range r.Rest {
					dq0[i] = r.Gain[i] * (rest - q[i])
				}
				column := "dq"
				if r.Rest != nil {
					column = "dqfull"
					require.NoError(t, f.StepNullTo(dq, dxd, dq0))
				} else {
					require.NoError(t, f.StepTo(dq, dxd))
				}
				for i, want := range r.lines.columns(t, "q", k) {
					worst = max(worst, math.Abs(q[i]-want))
				}
				check.CloseVec(t, q, r.lines.columns(t, "q", k), tol, 1, "q, line %d", k)
				check.CloseVec(t, z, r.lines.columns(t, "z", k), tol, 1, "z, line %d", k)
				check.CloseVec(t, dq, r.lines.columns(t, column, k), 10*tol, 1, "dq, line %d", k)
				missing := "e"
				if r.Alpha != 0 {
					missing = "position_error"
				}
				check.CloseVec(t, e, r.lines.columns(t, missing, k), tol, 1, "e, line %d", k)
				if t.Failed() {
					return
				}
				for i := range q {
					q[i] += r.Dt * dq[i]
				}
			}
			t.Logf("largest difference of q: %.2g", worst)
		})
	}
}

// TestContinuous integrates the continuous limit with each method of sim.
func TestContinuous(t *testing.T) {
	t.Run("fik-3r-stretch", func(t *testing.T) { readRun(t, "fik-3r-stretch").continuous(t) })
	t.Run("fik-6r-wrist", func(t *testing.T) {
		r := readRun(t, "fik-6r-wrist")
		goal := readArm(t, "fik-6r-wrist.model.json", r.Tool, r.Rows)
		r.continuous(t, goal)
	})
}

// continuous compares runs with the lines. goal is an arm whose tool is to be followed.
func (r *run) continuous(t *testing.T, goal ...*arm) {
	m, n := r.arm.J.Dims()
	e, want, rate := make([]float64, m), make([]float64, n), make([]float64, n)
	r.arm.set(r.lines.columns(t, "q", 0))
	o := r.options(t)
	f, err := fik.New(r.arm.J, o)
	require.NoError(t, err)
	flow := f.Flow(func(dxd, q []float64, at float64) error {
		r.arm.set(q)
		if goal == nil {
			r.wanted(dxd, e, at)
			return nil
		}
		p := &r.Path
		for i := range want {
			phase := 2*math.Pi*p.F[i]*at + p.Ph[i]
			want[i] = p.C[i] + p.A[i]*math.Sin(phase)
			rate[i] = 2 * math.Pi * p.F[i] * p.A[i] * math.Cos(phase)
		}
		goal[0].set(want)
		goal[0].J.MulTo(dxd, rate)
		r.arm.errorTo(e, goal[0].position, goal[0].rotation)
		for i := range dxd {
			dxd[i] += r.Feedback * e[i]
		}
		return nil
	})
	for _, c := range []struct {
		tab    *sim.Tableau
		h, tol float64
	}{{sim.DormandPrince(), 0, continuousTol}, {sim.RungeKutta4(), 1. / 800, continuousTol}, {sim.Euler(), 1. / 800, 0.02}} {
		ode := sim.NewODE(m+n, flow, c.tab)
		y := make([]float64, m+n)
		copy(y[m:], r.lines.columns(t, "q", 0))
		worst := 0.0
		for k := range r.lines.rows {
			if k > 0 {
				from, to := r.lines.columns(t, "t", k-1)[0], r.lines.columns(t, "t", k)[0]
				if c.h > 0 {
					require.NoError(t, ode.Fixed(context.Background(), y, from, to, c.h))
				} else {
					require.NoError(t, ode.Within(context.Background(), y, from, to, 1e-10))
				}
			}
			for i, x := range append(r.lines.columns(t, "z", k), r.lines.columns(t, "q", k)...) {
				worst = max(worst, math.Abs(y[i]-x))
			}
		}
		require.Less(t, worst, c.tol, c.tab.Name)
		t.Logf("%s: %d steps, largest difference %.2g", c.tab.Name, ode.Steps(), worst)
	}
}
