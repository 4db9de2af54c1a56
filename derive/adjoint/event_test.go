package adjoint_test

import (
	"context"
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// eventTol allows for rounding of a few hundred products of numbers up to 10.
const eventTol = 1e-12

// thrown is a ball under gravity. Its parameters are gravity, restitution and the height of the floor.
type thrown struct {
	p  [3]float64
	st *mechanism.State
}

func (f *thrown) At(a []float64, st *mechanism.State) error {
	clear(a)
	a[5], f.st = -f.p[0], st
	return nil
}

// number is the function entry k of the coordinates of a body, or 1 if k is negative.
type number struct{ k int }

func (f *thrown) PullTo(x, p, w []float64, of *number, scale float64) (float64, error) {
	p[0] -= w[5]
	switch {
	case of == nil:
		return 0, nil
	case of.k < 0:
		return 1, nil
	}
	x[of.k] += scale
	b := &f.st.Bodies[0]
	return [...]float64{0, 0, 0, b.Position[0], b.Position[1], b.Position[2], 0, 0, 0, b.Velocity[0], b.Velocity[1], b.Velocity[2]}[of.k], nil
}

// floor is the event of the ball on the floor.
type floor struct{ *thrown }

func (floor) Name() string { return "floor" }

func (floor) FunctionTo(x, p []float64, _ *mechanism.State, scale float64) (float64, error) {
	x[5] += scale
	p[2] -= scale
	return 0, nil
}

func (e floor) JumpTo(x, p, y []float64, before *mechanism.State) error {
	copy(x, y)
	x[11] = -e.p[1] * y[11]
	p[1] -= y[11] * before.Bodies[0].Velocity[2]
	return nil
}

// flight is a ball in closed form: time, position x, z and velocity u, v.
type flight struct{ t, x, z, u, v complex128 }

// until returns the flight after a time.
func (f flight) until(t, g complex128) flight {
	h := t - f.t
	return flight{t, f.x + f.u*h, f.z + f.v*h - g*h*h/2, f.u, f.v - g*h}
}

// lands returns the flight when it comes down to the height c.
func (f flight) lands(g, c complex128) flight {
	return f.until(f.t+(f.v+cmplx.Sqrt(f.v*f.v+2*g*(f.z-c)))/g, g)
}

// bounces follows a ball over n bounces, up to the time T, or to the last landing if T is zero.
func bounces(q [7]complex128, n int, T float64) (end flight, landings []flight) {
	g, e, c := q[4], q[5], q[6]
	f := flight{0, q[0], q[1], q[2], q[3]}
	for range n {
		f = f.lands(g, c)
		landings = append(landings, f)
		f.v *= -e
	}
	if T == 0 {
		return landings[n-1], landings
	}
	return f.until(complex(T, 0), g), landings
}

// ball is the mechanism.
func ball(t *testing.T) *mechanism.Mechanism {
	t.Helper()
	mech, err := mechanism.New(&model.Model{Bodies: []model.Body{{Name: "ball", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}})
	require.NoError(t, err)
	return mech
}

func stateOf(mech *mechanism.Mechanism, f flight) *mechanism.State {
	st := mech.Initial()
	st.Time = real(f.t)
	b := &st.Bodies[0]
	b.Position[0], b.Position[2], b.Velocity[0], b.Velocity[2] = real(f.x), real(f.z), real(f.u), real(f.v)
	return st
}

// thrownOn fills a tape with the flights of a ball, some steps each.
func thrownOn(t *testing.T, mech *mechanism.Mechanism, e adjoint.Event, q [7]complex128, n int, T float64) *adjoint.Tape {
	t.Helper()
	const steps = 3
	tape := adjoint.NewTape(mech)
	f := flight{0, q[0], q[1], q[2], q[3]}
	require.NoError(t, tape.Add(stateOf(mech, f)))
	end, landings := bounces(q, n, T)
	if T != 0 {
		landings = append(landings, end)
	}
	for k, to := range landings {
		for i := 1; i < steps; i++ {
			require.NoError(t, tape.Add(stateOf(mech, f.until(f.t+(to.t-f.t)*complex(float64(i)/steps, 0), q[4]))))
		}
		if f = to; k < n && (T != 0 || k < n-1) {
			tape.Jump(e, stateOf(mech, to))
			f.v *= -q[5]
		}
		require.NoError(t, tape.Add(stateOf(mech, f)))
	}
	if T == 0 {
		tape.Stop(e)
	}
	return tape
}

// TestEvents: gradients through a ballistic landing that ends the run, and through bounces with restitution, equal complex-step derivatives
// of the closed forms.
func TestEvents(t *testing.T) {
	mech, tab := ball(t), sim.RungeKutta4()
	start := [7]float64{0.3, 1.2, 0.7, 2.1, 9.81, 0.8, -0.2} // x, z, u, v, gravity, restitution, floor
	places := [4]int{3, 5, 9, 11}                            // of x, z, u and v among the cotangents
	for name, c := range map[string]struct {
		n int
		T float64
	}{"landing": {1, 0}, "bounce": {1, 1.0}, "two bounces": {2, 1.6}, "second landing": {2, 0}} {
		t.Run(name, func(t *testing.T) {
			var q [7]complex128
			for i, x := range start {
				q[i] = complex(x, 0)
			}
			f := &thrown{p: [3]float64(start[4:])}
			var fields []adjoint.Field[number]
			for range tab.B {
				fields = append(fields, &thrown{p: f.p})
			}
			tape := thrownOn(t, mech, floor{f}, q, c.n, c.T)
			of := []adjoint.Objective[number]{
				{Final: &number{3}}, {Final: &number{5}}, {Final: &number{11}}, {Rate: &number{-1}}, {Rate: &number{5}},
			}
			g := make([]adjoint.Gradient, len(of))
			for i := range g {
				g[i].Parameters = make([]float64, 3)
			}
			require.NoError(t, adjoint.NewSweep(mech, tab, fields).Run(context.Background(), tape, of, g))
			for k := range start {
				moved := q
				moved[k] += complex(0, 1e-30)
				end, landings := bounces(moved, c.n, c.T)
				area, from := complex128(0), flight{0, moved[0], moved[1], moved[2], moved[3]}
				for i, to := range append(landings, end) {
					if i == len(landings) && c.T == 0 {
						break
					}
					h := to.t - from.t
					area += from.z*h + from.v*h*h/2 - moved[4]*h*h*h/6
					from = to
					from.v *= -moved[5]
				}
				for i, want := range []complex128{end.x, end.z, end.v, end.t, area} {
					got := 0.0
					if k < 4 {
						got = g[i].Start[places[k]]
					} else {
						got = g[i].Parameters[k-4]
					}
					assert.InDelta(t, imag(want)/1e-30, got, eventTol*(1+math.Abs(got))*10, "objective %d by number %d", i, k)
					assert.InDelta(t, real(want), g[i].Final+g[i].Integral, eventTol*10)
				}
			}
		})
	}
}

// TestEventsRefused: events that graze, or take place at once, have no derivative.
func TestEventsRefused(t *testing.T) {
	mech, tab := ball(t), sim.RungeKutta4()
	run := func(tape *adjoint.Tape) error {
		var fields []adjoint.Field[number]
		for range tab.B {
			fields = append(fields, &thrown{p: [3]float64{0, 1, 0}})
		}
		g := []adjoint.Gradient{{Parameters: make([]float64, 3)}}
		return adjoint.NewSweep(mech, tab, fields).Run(context.Background(), tape, []adjoint.Objective[number]{{Final: &number{3}}}, g)
	}
	e := floor{&thrown{p: [3]float64{0, 1, 0}}}
	tape := adjoint.NewTape(mech)
	require.PanicsWithValue(t, "derive/adjoint: an empty tape", func() { tape.Jump(e, mech.Initial()) })
	require.NoError(t, tape.Add(stateOf(mech, flight{u: 1})))
	require.PanicsWithValue(t, "derive/adjoint: a tape without a step", func() { tape.Stop(e) })
	require.NoError(t, tape.Add(stateOf(mech, flight{t: 1, x: 1, u: 1})))
	tape.Stop(e)
	graze := new(adjoint.GrazingError)
	require.ErrorAs(t, run(tape), &graze)
	require.Equal(t, "floor", graze.Name)
	require.Contains(t, graze.Error(), `event "floor" at t = 1 only grazes`)

	tape = adjoint.NewTape(mech)
	require.NoError(t, tape.Add(stateOf(mech, flight{v: -1, z: 1})))
	tape.Jump(e, stateOf(mech, flight{t: 1, v: -1}))
	tape.Jump(e, stateOf(mech, flight{t: 1, v: 1}))
	require.NoError(t, tape.Add(stateOf(mech, flight{t: 1, v: -1})))
	require.ErrorContains(t, run(tape), "take place at one instant")
}
