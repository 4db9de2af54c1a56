package sim

import (
	"context"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// RungeKutta is an explicit Runge–Kutta method in exponential coordinates
// around the start of each step. It is a Stepper.
type RungeKutta struct {
	halt team.Watch
	mech *mechanism.Mechanism
	all  *ranks
	live bool // there are internal states on some rank
	dyn  Dynamics
	size stepSizer   // dyn, if it is a stepSizer, else nil
	near *onManifold // dyn at projected states
	tab  *Tableau
	tol  Tolerance

	start    []anchor
	vel, acc [][]float64 // for each stage: rates of x and of v in the chart, six for each body; acc also has the rates of internal states
	inner    *internals
	lead     lead
	weights  []float64 // bᵢ(θ) of AtTo
	some     struct {  // memory for the result of chosen
		vel, acc [][]float64
		weights  []float64
	}
	stage  mechanism.State
	end    mechanism.State
	t0, t1 float64

	gauge       gauge
	turn        turn
	kept        bool // acc[0] holds the accelerations at the state from which the next step starts
	tried       bool
	evaluations int64
}

// gauge has the nearness of states to a singular pose.
type gauge struct {
	dyn    Gauge    // the dynamics, if they are a Gauge; else nil
	places [2]place // at the first state after Restart, and at the end of the step last tried
	rows   int      // expected number of redundant rows
}

// turn has the angles by which bodies turn in a step, rad.
type turn struct {
	bound float64 // turnBound of the whole mechanism
	most  float64 // largest angle of a body in the step last tried
}

// lead has the accelerations at the state of Lead.
type lead struct {
	acc   []float64 // accelerations there, if they differ from the last stage's
	moved bool      // acc is filled
}

// leastRelative is the smallest relative tolerance. Below it, rounding affects the error
// estimates, and next to singular poses steps would become shorter without end.
const leastRelative = 1e-13

// NewRungeKutta returns an integrator with its memory.
//
// Zeros in tol stand for the defaults, and a Relative below 1e-13 counts as 1e-13. It panics if a value of tol is negative, if m or d
// is nil, or if tab is invalid.
func NewRungeKutta(m *mechanism.Mechanism, d Dynamics, tab *Tableau, tol Tolerance) *RungeKutta {
	if !(tol.Relative >= 0 && tol.Length >= 0 && tol.Rate >= 0) {
		panic("sim: tolerance out of range")
	}
	mustHave(m, d == nil)
	tab.must()
	n, s := m.NumBodies(), len(tab.B)
	all := ranksOf(d)
	k := &RungeKutta{
		mech: m, dyn: d, all: all, near: newOnManifold(m, d, all), tab: tab, tol: tol.withDefaults(all.typicalLength(m)),
		turn: turn{bound: all.least(turnBound(m))}, live: all.some(m.NumInternal() > 0),
		start:   make([]anchor, n),
		vel:     make([][]float64, s),
		acc:     make([][]float64, s),
		inner:   newInternals(m),
		lead:    lead{acc: make([]float64, 6*n+m.NumInternal())},
		weights: make([]float64, s),
		stage:   mechanism.State{Bodies: make([]mechanism.BodyState, n)},
		end:     mechanism.State{Bodies: make([]mechanism.BodyState, n)},
	}
	k.stage.Internal, k.end.Internal = make([]float64, m.NumInternal()), make([]float64, m.NumInternal())
	k.some.vel, k.some.acc, k.some.weights = make([][]float64, s), make([][]float64, s), make([]float64, s)
	k.tol.Relative = max(k.tol.Relative, leastRelative)
	k.size, _ = d.(stepSizer)
	k.gauge.dyn, _ = d.(Gauge)
	for i := range s {
		k.vel[i] = make([]float64, 6*n)
		k.acc[i] = make([]float64, 6*n+m.NumInternal())
	}
	return k
}

// Order implements Stepper.
func (k *RungeKutta) Order() (order, embedded int) { return k.tab.Order, k.tab.ErrorOrder }

// Relative returns the relative tolerance in effect.
func (k *RungeKutta) Relative() float64 { return k.tol.Relative }

// Evaluations implements Stepper.
func (k *RungeKutta) Evaluations() int64 { return k.evaluations }

// Settings implements Stepper. Methods without error estimate have no tolerances, but use the length to recognize slow
// motions next to singular poses.
func (k *RungeKutta) Settings() string {
	if k.tab.E == nil {
		return fmt.Sprintf("%s, length %v", k.tab.Name, k.tol.Length)
	}
	return fmt.Sprintf("%s, relative tolerance %v, length %v, rate %v", k.tab.Name, k.tol.Relative, k.tol.Length, k.tol.Rate)
}

// CloseStages implements Stepper.
func (k *RungeKutta) CloseStages(p Projector) { k.near.proj = p }

// Restart implements Stepper.
func (k *RungeKutta) Restart() { k.kept, k.tried = false, false }

// Kept implements Stepper: the accelerations and rates of internal states at the start of the next step, if they are known.
func (k *RungeKutta) Kept() []float64 {
	if !k.kept {
		return nil
	}
	return k.acc[0]
}

// Keep implements Stepper.
func (k *RungeKutta) Keep() []float64 {
	k.kept, k.tried = true, false
	return k.acc[0]
}

// evaluate stores in a the accelerations at st, six for each body, followed by the rates of internal states.
func (k *RungeKutta) evaluate(a []float64, st *mechanism.State) error {
	k.evaluations++
	d := k.dyn
	if k.near.proj != nil {
		d = k.near
	}
	n := 6 * len(k.start)
	err := d.Accelerations(a[:n], st)
	if err == nil {
		if err = k.inner.ratesTo(a[n:], st); k.live {
			err = k.all.agree(err)
		}
	}
	if err != nil {
		return fault.Errorf("sim: accelerations at t = %v: %w", st.Time, err)
	}
	return nil
}

// turnedTo is combineTo for stages and ends. It returns a HalfTurnError if a body turns by turnBound or
// more, and the error of the context.
func (k *RungeKutta) turnedTo(y *mechanism.State, w []float64, h float64, rate []float64) error {
	if err := k.halt.Err(); err != nil {
		return err
	}
	body, own := k.combineTo(y, w, h, rate)
	square := k.all.largest(own)
	k.turn.most = math.Sqrt(square)
	if square >= k.turn.bound*k.turn.bound {
		return k.all.halfTurn(k.mech, body, own == square, HalfTurnError{Time: k.t0, Angle: k.turn.most, Span: y.Time - k.t0})
	}
	return nil
}

// furthest returns the largest angle by which a body turns in the step last tried, at its end, rad.
func (k *RungeKutta) furthest() float64 { return k.turn.most }

// combineTo stores in y the state y₀ + h Σ wⱼ·kⱼ, and in rate, if it is not
// nil, the rates of rotation vectors and centres of mass there. It returns the
// body that turns furthest and the square of its angle, rad².
func (k *RungeKutta) combineTo(y *mechanism.State, w []float64, h float64, rate []float64) (body int, square float64) {
	vel, acc, w := k.chosen(w)
	for i := range k.start {
		var x, v [6]float64
		sumTo(&x, w, vel, 6*i)
		sumTo(&v, w, acc, 6*i)
		for c := range 6 {
			x[c] *= h
			v[c] *= h
		}
		if s := x[0]*x[0] + x[1]*x[1] + x[2]*x[2]; s > square {
			body, square = i, s
		}
		b := &y.Bodies[i]
		k.start[i].bodyTo(b, &x, &v, &k.mech.Bodies[i].Com)
		if rate == nil {
			continue
		}
		r := (*[6]float64)(rate[6*i:])
		theta := spatial.Vec3{x[0], x[1], x[2]}
		spatial.DexpInvTo((*spatial.Vec3)(r[:3]), &theta, &b.Omega)
		r[3], r[4], r[5] = v[3], v[4], v[5]
	}
	if len(k.inner.at) > 0 {
		y.Internal = append(y.Internal[:0], k.inner.at...)
		for j := range y.Internal {
			for i, a := range acc {
				y.Internal[j] += h * w[i] * a[6*len(k.start)+j]
			}
		}
	}
	return body, square
}

// chosen returns the rates of the stages whose weights in w are not zero, and these weights.
func (k *RungeKutta) chosen(w []float64) (vel, acc [][]float64, weights []float64) {
	n := 0
	for j, wj := range w {
		if wj != 0 {
			k.some.vel[n], k.some.acc[n], k.some.weights[n] = k.vel[j], k.acc[j], wj
			n++
		}
	}
	return k.some.vel[:n], k.some.acc[:n], k.some.weights[:n]
}

// sumTo stores in x the six numbers of Σ wⱼ·kⱼ from index i on.
func sumTo(x *[6]float64, w []float64, k [][]float64, i int) {
	var a, b, c, d, e, f float64
	for j, s := range w {
		q := (*[6]float64)(k[j][i:])
		a += s * q[0]
		b += s * q[1]
		c += s * q[2]
		d += s * q[3]
		e += s * q[4]
		f += s * q[5]
	}
	x[0], x[1], x[2], x[3], x[4], x[5] = a, b, c, d, e, f
}

// errorNorm returns the estimated error of the step of length h in units of the tolerance
// (Tolerance), 0 without an estimate. It is not finite if an acceleration is not.
func (k *RungeKutta) errorNorm(h float64) float64 {
	if k.tab.E == nil {
		return 0
	}
	L, rate := k.tol.Length, k.tol.Rate
	worst := 0.0
	vel, acc, e := k.chosen(k.tab.E)
	for i := range k.start {
		var x, v [6]float64
		sumTo(&x, e, vel, 6*i)
		sumTo(&v, e, acc, 6*i)
		w := (*[6]float64)(k.vel[0][6*i:])
		angular, linear := rate+length(w[:3]), L*rate+length(w[3:])
		worst = max(worst, length(x[:3]), length(x[3:])/L, length(v[:3])/angular, length(v[3:])/linear) // max keeps a NaN
	}
	for j, size := range k.inner.scale {
		d := 0.0
		for i, a := range acc {
			d += e[i] * a[6*len(k.start)+j]
		}
		worst = max(worst, math.Abs(d)/size)
	}
	return math.Abs(h) * k.all.largest(worst) / k.tol.Relative
}

// ranked returns the ranks of the dynamics.
func (k *RungeKutta) ranked() *ranks { return k.all }

// Watch implements Watcher. It also watches the dynamics, if they are a Watcher.
func (k *RungeKutta) Watch(ctx context.Context) (end func()) { return watchBoth(ctx, &k.halt, k.dyn) }

func (k *RungeKutta) dynamics() any { return k.dyn }

// measure stores in k.gauge.places[i] the nearness to a singular pose at the state of the last evaluation; 0, which stands for unknown,
// if the dynamics returns infinity.
func (k *RungeKutta) measure(i int) {
	if k.gauge.dyn == nil {
		return
	}
	p := &k.gauge.places[i]
	if p.near, p.rows = k.gauge.dyn.Nearness(); math.IsInf(p.near, 1) {
		p.near = 0
	}
}
