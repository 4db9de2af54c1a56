package sim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// ballsAt are free bodies at rest at these heights, in gravity along −z.
func ballsAt(heights ...float64) *model.Model {
	m := &model.Model{Name: "balls", Gravity: spatial.Vec3{2: -10}}
	for i, z := range heights {
		m.Bodies = append(m.Bodies, model.Body{
			Name: fmt.Sprint("ball", i), Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1},
			Pose: model.Pose{Position: spatial.Vec3{float64(i) / 3, 0, z}, Orientation: spatial.IdentityQuat()},
		})
	}
	return m
}

// above is the height of body i.
func above(i int) func(st *mechanism.State) float64 {
	return func(st *mechanism.State) float64 { return st.Bodies[i].Position[2] }
}

// throwBack gives body i a part of its speed in the opposite direction.
func throwBack(i int, part float64) func(st *mechanism.State) (sim.Response, error) {
	return func(st *mechanism.State) (sim.Response, error) {
		st.Bodies[i].Velocity[2] *= -part
		return sim.Restart, nil
	}
}

// steppings are ways to do steps: by error control, and fixed ones.
var steppings = []struct {
	name  string
	alpha bool
	step  float64
}{{"dopri5", false, 0}, {"dopri5 fixed", false, 0.37}, {"generalized-alpha", true, 0}, {"generalized-alpha fixed", true, 0.37}}

// runBy returns a simulation of m by a way to do steps.
func runBy(t testing.TB, m *model.Model, alpha bool, o sim.Options) *sim.Simulation {
	t.Helper()
	r := newImplicit(t, m)
	if !alpha {
		return r.simulate(sim.DormandPrince(), 1e-8, o)
	}
	_, s := r.run(sim.GeneralizedAlphaOptions{Rho: 0.8}, o)
	return s
}

// TestSimultaneousImpacts drops balls from heights that are equal, or so up to rounding: each
// is thrown back every time, and what is logged of it too.
func TestSimultaneousImpacts(t *testing.T) {
	z := 1.0
	for _, heights := range [][]float64{
		{z, z, z},
		{z, math.Nextafter(z, 2), math.Nextafter(z, 0)},
		{math.Nextafter(z, 2), z, z},
		{z, z + 4e-15, z - 4e-15},
		{z - 1e-13, z, z + 1e-13},
	} {
		for _, by := range steppings {
			var events []sim.Event
			for i := range heights {
				events = append(events,
					sim.Event{Name: "impact", Function: above(i), Direction: sim.Falling, Action: throwBack(i, 0.5)},
					sim.Event{Name: "log", Function: above(i), Direction: sim.Falling})
			}
			s := runBy(t, ballsAt(heights...), by.alpha, sim.Options{Projector: sim.NoProjector, Step: by.step, Events: events})
			fall := math.Sqrt(0.2)
			until := 2.25 * fall // after the second impact, on the way up
			require.NoError(t, s.Run(until))
			for i := range heights {
				assert.Equal(t, int64(2), s.Fired(2*i), "%s, heights %v: impacts of ball %d", by.name, heights, i)
				assert.Equal(t, int64(2), s.Fired(2*i+1), "%s, heights %v: log of ball %d", by.name, heights, i)
				up := until - 2*fall
				check.Close(t, s.State().Bodies[i].Position[2], 10*fall/4*up-5*up*up, 1e-11, 1, "height")
			}
		}
	}
}

// TestResponsesAtOneInstant: all events act, in the order of the list, each on what the ones before have left, and the
// strongest response holds.
func TestResponsesAtOneInstant(t *testing.T) {
	for _, by := range steppings {
		for _, c := range []struct {
			responses []sim.Response
			stopped   string
			at        float64 // the end
		}{
			{[]sim.Response{sim.Continue, sim.Continue, sim.Continue, sim.Continue}, "", 1},
			{[]sim.Response{sim.Restart, sim.Continue, sim.Restart, sim.Continue}, "", 1},
			{[]sim.Response{sim.Continue, sim.Restart, sim.Stop, sim.Stop}, "2", 0.5},
			{[]sim.Response{sim.Stop, sim.Continue, sim.Restart, sim.Stop}, "0", 0.5},
		} {
			var log []string
			var mass []float64
			var events []sim.Event
			for i, response := range c.responses {
				name := fmt.Sprint(i)
				events = append(events, sim.Event{
					Name: name, Function: func(st *mechanism.State) float64 { return float64(1+i) * (st.Time - 0.5) },
					Action: func(st *mechanism.State) (sim.Response, error) {
						log, mass = append(log, name), append(mass, st.Bodies[0].Velocity[0])
						if response != sim.Continue {
							st.Bodies[0].Velocity[0]++
						}
						return response, nil
					},
				})
			}
			s := runBy(t, ballsAt(100), by.alpha, sim.Options{Projector: sim.NoProjector, Step: by.step, Events: events})
			require.NoError(t, s.Run(1))
			assert.Equal(t, []string{"0", "1", "2", "3"}, log)
			assert.Equal(t, c.stopped, s.Stopped())
			check.Close(t, s.State().Time, c.at, eventTol, 1, "end")
			moved := 0.0
			for i, response := range c.responses {
				assert.Equal(t, moved, mass[i], "%s, %v: event %d sees what is left", by.name, c.responses, i)
				if response != sim.Continue {
					moved++
				}
				assert.Equal(t, int64(1), s.Fired(i))
			}
			check.Close(t, s.State().Bodies[0].Velocity[0], moved, eventTol, 1, "speed")
		}
	}
}

// TestShortFlights: a ball that bounces is thrown back at every impact, though flights are shorter than the
// steps, and seen at their ends only.
func TestShortFlights(t *testing.T) {
	for _, by := range steppings {
		for _, part := range []float64{0.9, 0.5, 0.1} {
			for _, direction := range []sim.Direction{sim.Falling, sim.Either} {
				step := by.step
				if step > 0 {
					step = 5
				}
				var got, want []float64
				s := runBy(t, ballsAt(1), by.alpha, sim.Options{Projector: sim.NoProjector, Step: step, Events: []sim.Event{{
					Name: "floor", Function: above(0), Direction: direction,
					Action: func(st *mechanism.State) (sim.Response, error) {
						if got = append(got, st.Time); len(got) == 5 {
							return sim.Stop, nil
						}
						st.Bodies[0].Velocity[2] *= -part
						return sim.Restart, nil
					},
				}}})
				require.NoError(t, s.Run(5))
				at, flight := math.Sqrt(0.2), 2*math.Sqrt(0.2)
				for range 5 {
					want = append(want, at)
					flight *= part
					at += flight
				}
				require.Len(t, got, 5, "%s, restitution %v: impacts at %v", by.name, part, got)
				check.CloseVec(t, got, want, 1e-12, 1, "impacts")
			}
		}
	}
}

// TestRestartingClock: an action that sets its own function is seen again within the step, and one whose function
// jumps.
func TestRestartingClock(t *testing.T) {
	for _, by := range steppings {
		next, jumps := 0.25, 0
		s := runBy(t, ballsAt(1), by.alpha, sim.Options{Projector: sim.NoProjector, Step: by.step, Events: []sim.Event{
			{
				Name: "clock", Function: func(st *mechanism.State) float64 { return st.Time - next }, Direction: sim.Rising,
				Action: func(*mechanism.State) (sim.Response, error) {
					next += 0.25
					return sim.Restart, nil
				},
			},
			{
				Name:     "jump",
				Function: func(st *mechanism.State) float64 { return math.Copysign(1, math.Sin(20*(st.Time-0.01))) },
				Action: func(*mechanism.State) (sim.Response, error) {
					jumps++
					return sim.Restart, nil
				},
			},
		}, EventSamples: 8})
		require.NoError(t, s.Run(2.1))
		assert.Equal(t, int64(8), s.Fired(0), by.name)
		assert.Equal(t, 14, jumps, by.name)
	}
}

// TestProjectionMovesCrossings: rows and events of a coarse run are far off the joints, and projection
// moves them across the zeros of functions that differ by little. Each event acts once
// a crossing all the same.
func TestProjectionMovesCrossings(t *testing.T) {
	check.Long(t)
	for _, shift := range []float64{0, 1e-15, 1e-13, 1e-11, 1e-10, 1e-9, 3e-9} {
		r := golden(t, "four-bar")
		angle := func(st *mechanism.State) float64 {
			return st.Bodies[1].Position[0] - r.mech.Initial().Bodies[1].Position[0] - 0.01
		}
		var events []sim.Event
		for _, off := range []float64{0, shift, -shift, 2 * shift} {
			for _, response := range []sim.Response{sim.Continue, sim.Restart} {
				events = append(events, sim.Event{
					Name: fmt.Sprint(off), Function: func(st *mechanism.State) float64 { return angle(st) + off },
					Action: func(*mechanism.State) (sim.Response, error) { return response, nil },
				})
			}
		}
		s := r.simulate(sim.RungeKutta4(), 0, sim.Options{Step: 0.02, Projector: r.proj, Events: events})
		require.NoError(t, s.Run(6))
		want := s.Fired(0)
		require.Greater(t, want, int64(3))
		for i := range events {
			assert.Equal(t, want, s.Fired(i), "shift %v: event %d", shift, i)
		}
	}
}

// failsOnce is a recorder of rows that fails once.
type failsOnce struct {
	memory
	row int
}

var errDisk = errors.New("disk full")

func (f *failsOnce) Record(r *sim.Row) error {
	if len(f.states) == f.row {
		f.row = -1
		return errDisk
	}
	return f.memory.Record(r)
}

// TestFailedStepIsDoneAgain: an action or a recorder fails once, and Run is called again, or a new simulation goes
// on from a checkpoint. Rows, calls of actions, state and counts are those of a run where nothing fails.
func TestFailedStepIsDoneAgain(t *testing.T) {
	type outcome struct {
		calls []string
		rec   *failsOnce
		s     *sim.Simulation
	}
	for _, by := range steppings {
		for _, fails := range []string{"row", "log", "kick", "again"} {
			build := func(fail bool) *outcome {
				o := &outcome{rec: &failsOnce{row: -1}}
				if fail && fails == "row" {
					o.rec.row = 23
				}
				action := func(name string, response sim.Response) func(st *mechanism.State) (sim.Response, error) {
					return func(st *mechanism.State) (sim.Response, error) {
						if fail && name == fails && st.Time > 0.4 {
							fail = false
							return response, errDisk
						}
						if response != sim.Continue {
							st.Bodies[0].Velocity[0]++
						}
						o.calls = append(o.calls, fmt.Sprintf("%s at %v", name, st.Time))
						return response, nil
					}
				}
				clock := func(period, offset float64) func(st *mechanism.State) float64 {
					return func(st *mechanism.State) float64 { return math.Sin(math.Pi * (st.Time - offset) / period) }
				}
				m := ballsAt(1, 2)
				m.Bodies[0].Velocity.Angular = spatial.Vec3{1, 2, 3}
				o.s = runBy(t, m, by.alpha, sim.Options{Projector: sim.NoProjector,
					Step: by.step / 2, Every: 0.02, Recorder: o.rec, MaxStep: 0.1, EventSamples: 16,
					Events: []sim.Event{
						{Name: "early", Function: clock(0.05, 0.003), Action: action("early", sim.Continue)},
						{Name: "log", Function: clock(0.1, 0.017), Action: action("log", sim.Continue)},
						{Name: "kick", Function: clock(0.3, 0.117), Action: action("kick", sim.Restart)},
						{Name: "again", Function: clock(0.3, 0.117), Action: action("again", sim.Continue)},
					},
				})
				return o
			}
			whole := build(false)
			require.NoError(t, whole.s.Run(1))
			part := build(true)
			require.ErrorIs(t, part.s.Run(1), errDisk)
			require.Less(t, part.s.State().Time, 0.6)
			c, err := part.s.Checkpoint()
			require.NoError(t, err)
			data, err := json.Marshal(c)
			require.NoError(t, err)

			rest := build(false)
			c = new(sim.Checkpoint)
			require.NoError(t, json.Unmarshal(data, c))
			require.NoError(t, rest.s.Restore(c))
			rest.calls = append(rest.calls, part.calls...)
			rest.rec.states = append(rest.rec.states, part.rec.states...)
			for name, o := range map[string]*outcome{"same run": part, "checkpoint": rest} {
				require.NoError(t, o.s.Run(1))
				what := fmt.Sprintf("%s, %s fails, %s", by.name, fails, name)
				repeated := 0
				if fails == "again" { // the kick at the same instant is called again
					repeated = 1
				}
				require.Len(t, o.calls, len(whole.calls)+repeated, what)
				require.Equal(t, whole.calls, slices.Compact(o.calls), what)
				require.Equal(t, whole.rec.states, o.rec.states, what)
				require.Equal(t, whole.s.State(), o.s.State(), what)
				require.Equal(t, whole.s.Stats(), o.s.Stats(), what)
				for i := range 4 {
					require.Equal(t, whole.s.Fired(i), o.s.Fired(i), "%s: event %d", what, i)
				}
			}
		}
	}
}

// TestResumeImpacts continues from a checkpoint after each step of a run with simultaneous impacts, some of
// which restart it with functions that are about zero.
func TestResumeImpacts(t *testing.T) {
	check.Long(t)
	for _, by := range steppings {
		build := func(onStep func(*sim.Simulation) error) *sim.Simulation {
			var events []sim.Event
			for i := range 3 {
				events = append(events, sim.Event{Name: fmt.Sprint(i), Function: above(i), Action: throwBack(i, 0.7)})
			}
			m := ballsAt(1, 0.5, 1)
			m.Bodies[0].Velocity.Angular = spatial.Vec3{1, 2, 3}
			return runBy(t, m, by.alpha, sim.Options{Projector: sim.NoProjector, Step: by.step, Events: events, OnStep: onStep})
		}
		var checks [][]byte
		whole := build(func(s *sim.Simulation) error {
			c, err := s.Checkpoint()
			require.NoError(t, err)
			data, err := json.Marshal(c)
			checks = append(checks, data)
			return err
		})
		const until = 2
		require.NoError(t, whole.Run(until))
		require.Greater(t, whole.Fired(0), int64(2))
		for _, data := range checks {
			c := new(sim.Checkpoint)
			require.NoError(t, json.Unmarshal(data, c))
			rest := build(nil)
			require.NoError(t, rest.Restore(c))
			require.NoError(t, rest.Run(until))
			require.Equal(t, whole.State(), rest.State(), "%s, from t = %v", by.name, c.Time)
			require.Equal(t, whole.Stats(), rest.Stats())
			for i := range 3 {
				require.Equal(t, whole.Fired(i), rest.Fired(i))
			}
		}
	}
}
