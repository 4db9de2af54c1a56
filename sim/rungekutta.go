package sim

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// ErrHalfTurn is wrapped by the error of a step in which a body would turn by half a turn or more, a HalfTurnError: the
// step is too long for exponential coordinates. With couplings, which count turns of two bodies against each other, a
// quarter of a turn is too much.
var ErrHalfTurn = errors.New("sim: half a turn or more in one step")

// HalfTurnError tells which body turns too far. It wraps ErrHalfTurn.
type HalfTurnError struct {
	At    mechanism.Error // the body
	Time  float64         // at the start of the step, s
	Angle float64         // rad, by which the body would turn
	Span  float64         // s, in which it would do so: the step or the part of it up to a stage

	elsewhere error // of the rank that has the body (Ranks)
}

// Error implements error.
func (e *HalfTurnError) Error() string {
	if e.elsewhere != nil {
		return e.elsewhere.Error()
	}
	if e.Angle < math.Pi {
		return fmt.Sprintf("sim: step from t = %v: body %s would turn by %.3g rad in %.3g s: a quarter of a turn or more, by which the turns of coupled angles are lost", e.Time, fault.Name(e.At.Body), e.Angle, e.Span)
	}
	return fmt.Sprintf("sim: step from t = %v: body %s would turn by %.3g rad in %.3g s: %v", e.Time, fault.Name(e.At.Body), e.Angle, e.Span, fault.Plain(ErrHalfTurn))
}

// Unwrap returns the place, which wraps ErrHalfTurn.
func (e *HalfTurnError) Unwrap() error { return &e.At }

// Stepper computes steps of one method. The caller owns the state. It tries a step and looks at
// it. Then it tries again with another end, or it settles on a state to go on from, at the end
// of the step or near it, and accepts the step.
type Stepper interface {
	// Order returns the order of the method, and that of the solution its error
	// estimate compares with, 0 if it has none.
	Order() (order, embedded int)
	// Try computes a step from st to the time t and returns its estimated error
	// in units of the tolerance, 0 without an estimate. st is not changed.
	Try(st *mechanism.State, t float64) (err float64, e error)
	// AtTo stores in dst the state at the fraction theta in [0, 1] of the step last
	// tried.
	AtTo(dst *mechanism.State, theta float64)
	// Lead prepares the step after the one last tried. That step will start from next, which is
	// AtTo(1) unless changed says that it has been moved. An error means that no step can start
	// there.
	Lead(next *mechanism.State, changed bool) error
	// Accept ends the step; the next Try is from the state of Lead.
	Accept()
	// CloseStages makes the following tries compute accelerations at states that p has closed;
	// nil ends that. Implicit methods ignore it, as their steps satisfy the joints anyway.
	CloseStages(p Projector)
	// Restart forgets what is known about the state the next Try starts from. It
	// has to be called when state or dynamics have changed without Lead.
	Restart()
	// Kept returns what the next step takes over from the last one, nil if there
	// is nothing.
	Kept() []float64
	// Keep makes the storage of Kept valid and returns it, to be filled.
	Keep() []float64
	// Evaluations returns how often the accelerations have been computed.
	Evaluations() int64
	// Settings names the method and all that decides about its results. A run is
	// resumed only under equal settings.
	Settings() string
}

// Tolerance is the size of error that a step may make. The estimate is, over all
// bodies, the largest of
//
//	|δΘ|, |δc|/Length, |δω|/(Rate + |ω|), |δċ|/(Length·Rate + |ċ|)
//
// relative to Relative: rotation and displacement of the centre of mass, angular velocity and velocity of the centre of
// mass. Explicit methods count internal states of contacts too, relative to their size. It depends neither on the
// number of bodies nor on where the mechanism is.
type Tolerance struct {
	Relative float64 // 0 stands for DefaultTolerance
	Length   float64 // m; 0 stands for mechanism.Mechanism.TypicalLength
	Rate     float64 // 1/s; 0 stands for 1
}

// DefaultTolerance is the relative tolerance where none is given.
const DefaultTolerance = 1e-8

// withDefaults returns t with its zeros replaced.
func (t Tolerance) withDefaults(typical float64) Tolerance {
	if t.Relative == 0 {
		t.Relative = DefaultTolerance
	}
	if t.Length == 0 {
		t.Length = typical
	}
	if t.Rate == 0 {
		t.Rate = 1
	}
	return t
}

// RungeKutta is an explicit Runge–Kutta method in exponential coordinates
// around the start of each step. It is a Stepper.
type RungeKutta struct {
	halt team.Watch
	mech *mechanism.Mechanism
	all  *ranks
	most float64 // turnBound of the whole
	live bool    // there are internal states on some rank
	dyn  Dynamics
	size stepSizer   // dyn, if it wants to know the step
	near *onManifold // dyn at closed states
	tab  *Tableau
	tol  Tolerance

	start    []anchor
	vel, acc [][]float64 // a stage: six a body, rates of the chart's x and of its v; those of internal states come after those of v
	inner    *internals
	lead     []float64 // accelerations at the state of Lead, if they are not those of the last stage
	weights  []float64 // bᵢ(θ) of AtTo
	some     struct {  // result of chosen
		vel, acc [][]float64
		weights  []float64
	}
	stage  mechanism.State
	end    mechanism.State
	t0, t1 float64

	gauge       Gauge    // dyn, if it is one
	nearness    [2]place // at the first state after Restart, and at the end of the step last tried
	turned      float64  // largest angle of a body in the step last tried, rad
	moved       bool     // Lead has filled lead
	kept        bool     // acc[0] holds the accelerations at the state the next step starts from
	tried       bool
	evaluations int64
}

// leastRelative is the relative tolerance below which rounding shows in the estimates of the
// error. Next to singular poses steps would become shorter without end.
const leastRelative = 1e-13

// NewRungeKutta returns an integrator with its memory.
//
// Zeros in tol stand for the defaults, and a Relative below rounding,
// 1e-13, counts as that much. It panics if tol is negative, or without a mechanism, dynamics or stages of the tableau.
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
		most: all.least(turnBound(m)), live: all.some(m.NumInternal() > 0),
		start:   make([]anchor, n),
		vel:     make([][]float64, s),
		acc:     make([][]float64, s),
		inner:   newInternals(m),
		lead:    make([]float64, 6*n+m.NumInternal()),
		weights: make([]float64, s),
		stage:   mechanism.State{Bodies: make([]mechanism.BodyState, n)},
		end:     mechanism.State{Bodies: make([]mechanism.BodyState, n)},
	}
	k.stage.Internal, k.end.Internal = make([]float64, m.NumInternal()), make([]float64, m.NumInternal())
	k.some.vel, k.some.acc, k.some.weights = make([][]float64, s), make([][]float64, s), make([]float64, s)
	k.tol.Relative = max(k.tol.Relative, leastRelative)
	k.size, _ = d.(stepSizer)
	k.gauge, _ = d.(Gauge)
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

// Settings implements Stepper.
func (k *RungeKutta) Settings() string {
	return fmt.Sprintf("%s, relative tolerance %v, length %v, rate %v", k.tab.Name, k.tol.Relative, k.tol.Length, k.tol.Rate)
}

// CloseStages implements Stepper.
func (k *RungeKutta) CloseStages(p Projector) { k.near.proj = p }

// Restart implements Stepper.
func (k *RungeKutta) Restart() { k.kept, k.tried = false, false }

// Kept implements Stepper: the accelerations, and rates of internal states, at the start of the next step, of
// methods whose last stage they are.
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

// Try implements Stepper.
//
// Cost: one evaluation of the accelerations a stage, the first one only where
// nothing was kept; no allocation of its own.
// It returns what wraps ErrHalfTurn, and errors of the dynamics. It panics if st is of
// another mechanism.
func (k *RungeKutta) Try(st *mechanism.State, t float64) (float64, error) {
	if len(st.Bodies) != len(k.start) {
		panic("sim" + fault.ForeignState)
	}
	k.tried = false
	k.stage.Angles, k.end.Angles = st.Angles, st.Angles
	k.t0, k.t1 = st.Time, t
	h := t - st.Time
	if k.size != nil {
		k.size.setStep(h)
	}
	if err := k.first(st); err != nil {
		return 0, err
	}
	last := len(k.tab.B) - 1
	for i := 1; i <= last; i++ {
		y := &k.stage
		if k.tab.FSAL && i == last {
			y = &k.end
		}
		y.Time = k.t0 + k.tab.C[i]*h
		if k.tab.C[i] == 1 {
			y.Time = t
		}
		if err := k.turnedTo(y, k.tab.A[i], h, k.vel[i]); err != nil {
			return 0, err
		}
		if err := k.evaluate(k.acc[i], y); err != nil {
			return 0, err
		}
	}
	if k.tab.FSAL {
		k.measure(1)
	} else {
		k.end.Time = t
		if err := k.turnedTo(&k.end, k.tab.B, h, nil); err != nil {
			return 0, err
		}
	}
	k.tried = true
	if p, ok := k.near.proj.(*exactly); ok {
		return k.allowedError(h, p.p)
	}
	return k.errorNorm(h), nil
}

// first sets the chart at st and the first stage.
func (k *RungeKutta) first(st *mechanism.State) error {
	if !k.kept {
		if err := k.evaluate(k.acc[0], st); err != nil {
			return err
		}
		k.measure(0)
		k.kept = true
	}
	k.inner.start(st)
	for i := range k.start {
		a := &k.start[i]
		a.set(&st.Bodies[i], &k.mech.Bodies[i].Com)
		*(*[6]float64)(k.vel[0][6*i:]) = a.velocity
	}
	return nil
}

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

// turnedTo is combineTo for stages and ends. It returns a HalfTurnError if a rotation does
// not stay below half a turn.
func (k *RungeKutta) turnedTo(y *mechanism.State, w []float64, h float64, rate []float64) error {
	if err := k.halt.Err(); err != nil {
		return err
	}
	body, own := k.combineTo(y, w, h, rate)
	square := k.all.largest(own)
	k.turned = math.Sqrt(square)
	if square >= k.most*k.most {
		return k.all.halfTurn(k.mech, body, own == square, HalfTurnError{Time: k.t0, Angle: k.turned, Span: y.Time - k.t0})
	}
	return nil
}

// turnBound returns the angle, rad, that the rotation of a body in a step has to stay below: half a turn, or a quarter of
// a turn if there are couplings, which count the turns of one body relative to another, or composite joints.
func turnBound(m *mechanism.Mechanism) float64 {
	if m.NumCouplings() > 0 || m.HasComposites() {
		return math.Pi / 2
	}
	return math.Pi
}

// furthest returns the largest angle of a body in the step last tried, at its end.
func (k *RungeKutta) furthest() float64 { return k.turned }

// combineTo stores in y the state y₀ + h Σ wⱼ·kⱼ, and in rate, if it is not
// nil, the rates of rotation vectors and centres of mass there. It returns the
// body that turns furthest and the square of its angle.
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

// chosen returns the stages with weights w other than zero, and these weights.
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

// sumTo stores Σ wⱼ·kⱼ in x, for the six numbers from place i on.
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

// errorNorm returns the estimated error of the step in units of the tolerance
// (Tolerance); it is not finite if an acceleration is not.
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
		worst = max(worst, length(x[:3]), length(x[3:])/L, length(v[:3])/angular, length(v[3:])/linear) // a NaN stays
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

// ranked returns the ranks that take the steps together.
func (k *RungeKutta) ranked() *ranks { return k.all }

func length(v []float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }

// AtTo implements Stepper.
//
// Cost: O(bodies·stages), no allocation. It panics without a step, or if theta
// is not in [0, 1].
func (k *RungeKutta) AtTo(dst *mechanism.State, theta float64) {
	k.mustHave()
	if !(theta >= 0 && theta <= 1) {
		panic("sim: theta out of range")
	}
	if theta == 1 {
		copyTo(dst, &k.end)
		return
	}
	for i, p := range k.tab.P {
		s := 0.0
		for j := len(p) - 1; j >= 0; j-- {
			s = theta * (p[j] + s)
		}
		k.weights[i] = s
	}
	h := k.t1 - k.t0
	dst.Time, dst.Angles = k.t0+theta*h, k.end.Angles
	k.combineTo(dst, k.weights, h, nil)
}

// Lead implements Stepper: it computes the accelerations at next, unless they are
// those of the last stage.
func (k *RungeKutta) Lead(next *mechanism.State, changed bool) error {
	k.mustHave()
	k.moved = changed || !k.tab.FSAL
	if !k.moved {
		return nil
	}
	if err := k.evaluate(k.lead, next); err != nil {
		return err
	}
	k.measure(1)
	return nil
}

// Accept implements Stepper. It panics without a step.
func (k *RungeKutta) Accept() {
	k.mustHave()
	k.tried = false
	first, last := &k.acc[0], &k.acc[len(k.acc)-1]
	if k.moved {
		last = &k.lead
	}
	*first, *last = *last, *first
}

func (k *RungeKutta) mustHave() {
	if !k.tried {
		panic("sim: no step")
	}
}

// copyTo stores src in dst, which has room for it. Both share the angles with springs: the run
// sets them at the end of every step.
func copyTo(dst, src *mechanism.State) {
	if len(dst.Bodies) != len(src.Bodies) {
		panic("sim" + fault.ForeignState)
	}
	dst.Time, dst.Angles = src.Time, src.Angles
	dst.Internal = append(dst.Internal[:0], src.Internal...)
	copy(dst.Bodies, src.Bodies)
}
