package sim_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// ball is a free body at a height of 1 m, in gravity along −z, that moves up with 1 m/s.
func ball() *model.Model {
	return &model.Model{
		Name: "ball", Gravity: spatial.Vec3{2: -10},
		Bodies: []model.Body{{
			Name: "ball", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1},
			Pose:     model.Pose{Position: spatial.Vec3{2: 1}, Orientation: spatial.IdentityQuat()},
			Velocity: model.Velocity{Linear: spatial.Vec3{2: 1}},
		}},
	}
}

func height(st *mechanism.State) float64 { return st.Bodies[0].Position[2] }
func climb(st *mechanism.State) float64  { return st.Bodies[0].Velocity[2] }

// eventTol is the error of a time at which a polynomial of degree 2 has a root.
const eventTol = 1e-14

// fall is the time from a height of 1 m, with 1 m/s upwards, to the ground.
var fall = (1 + math.Sqrt(21)) / 10

func TestEventTimes(t *testing.T) {
	r := newRig(t, ball())
	var log []string
	var times []float64
	note := func(name string) func(*mechanism.State) (sim.Response, error) {
		return func(st *mechanism.State) (sim.Response, error) {
			log, times = append(log, name), append(times, st.Time)
			return sim.Continue, nil
		}
	}
	s := r.simulate(sim.DormandPrince(), 1e-10, sim.Options{Projector: sim.NoProjector, Step: 0.7, Events: []sim.Event{
		{Name: "ground", Function: height, Direction: sim.Falling, Action: func(st *mechanism.State) (sim.Response, error) {
			check.Close(t, height(st), 0, eventTol, 10, "height")
			log, times = append(log, "ground"), append(times, st.Time)
			return sim.Stop, nil
		}},
		{Name: "upwards through 1.04", Function: func(st *mechanism.State) float64 { return height(st) - 1.04 }, Direction: sim.Rising, Action: note("up")},
		{Name: "top", Function: climb, Action: note("top")},
		{Name: "top again", Function: climb, Action: note("top again")},
		{Name: "not in this direction", Function: climb, Direction: sim.Rising, Action: note("never")},
		{Name: "half past", Function: func(st *mechanism.State) float64 { return st.Time - 0.5 }, Action: note("clock")},
		{Name: "silent", Function: func(st *mechanism.State) float64 { return st.Time - 0.2 }},
	}, EventSamples: 8})
	require.NoError(t, s.Run(5))
	assert.Equal(t, []string{"up", "top", "top again", "clock", "ground"}, log)
	check.CloseVec(t, times, []float64{(1 - math.Sqrt(0.2)) / 10, 0.1, 0.1, 0.5, fall}, eventTol, 1, "times")
	assert.Equal(t, "ground", s.Stopped())
	check.Close(t, s.State().Time, fall, eventTol, 1, "end")
	check.Close(t, height(s.State()), 0, eventTol, 10, "height at the end")
	for i, want := range []int64{1, 1, 1, 1, 0, 1, 1} {
		assert.Equal(t, want, s.Fired(i), "event %d", i)
	}
	before := s.State().Clone()
	require.NoError(t, s.Run(6), "a stopped run stays")
	assert.Equal(t, before, s.State())
}

// TestBounce lets the ball lose half of its speed at each impact: rows before and
// after, times and number of impacts are known.
func TestBounce(t *testing.T) {
	r := newRig(t, ball())
	for _, step := range []float64{0, 0.05} {
		var impacts []float64
		rec := &memory{}
		s := r.simulate(sim.DormandPrince(), 1e-10, sim.Options{Projector: sim.NoProjector, Step: step, MaxStep: 0.05, Recorder: rec, Every: 0.01, Events: []sim.Event{{
			Name: "impact", Function: height, Direction: sim.Falling,
			Action: func(st *mechanism.State) (sim.Response, error) {
				impacts = append(impacts, st.Time)
				st.Bodies[0].Velocity[2] *= -0.5
				return sim.Restart, nil
			},
		}}})
		require.NoError(t, s.Run(1.3))
		speed := math.Sqrt(21)
		want := []float64{fall, fall + speed/10, fall + speed/10 + speed/20}
		check.CloseVec(t, impacts, want, 10*eventTol, 1, "impacts")
		require.Len(t, rec.states, 131)
		for i, st := range rec.states {
			at, z := float64(i)*0.01, 0.0
			switch {
			case at <= want[0]:
				z = 1 + at - 5*at*at
			case at <= want[1]:
				z = speed/2*(at-want[0]) - 5*(at-want[0])*(at-want[0])
			case at <= want[2]:
				z = speed/4*(at-want[1]) - 5*(at-want[1])*(at-want[1])
			default:
				z = speed/8*(at-want[2]) - 5*(at-want[2])*(at-want[2])
			}
			check.Close(t, height(st), z, 100*eventTol, 1, "height at %v", at)
		}
	}
}

// switched is a Dynamics whose accelerations are scaled by a parameter.
type switched struct {
	sim.Dynamics
	scale float64
}

func (d *switched) Accelerations(a []float64, st *mechanism.State) error {
	err := d.Dynamics.Accelerations(a, st)
	for i := range a {
		a[i] *= d.scale
	}
	return err
}

// TestEventChangesParameter turns gravity off at the top of the flight.
func TestEventChangesParameter(t *testing.T) {
	r := newRig(t, ball())
	d := &switched{r.dyn, 1}
	r.dyn = d
	s := r.simulate(sim.DormandPrince(), 1e-10, sim.Options{Projector: sim.NoProjector, Events: []sim.Event{{
		Name: "top", Function: climb,
		Action: func(*mechanism.State) (sim.Response, error) {
			d.scale = 0
			return sim.Restart, nil
		},
	}}})
	require.NoError(t, s.Run(2))
	assert.Equal(t, int64(1), s.Fired(0))
	check.Close(t, height(s.State()), 1.05, eventTol, 1, "height")
}

var errAction, errBlownUp = errors.New("action"), errors.New("blown up")

func TestEventErrorNamesEventAndTime(t *testing.T) {
	s := newRig(t, ball()).simulate(sim.RungeKutta4(), 0, sim.Options{Projector: sim.NoProjector, Step: 0.5, Events: []sim.Event{{
		Name: "top", Function: climb, Action: func(*mechanism.State) (sim.Response, error) { return sim.Stop, errAction },
	}}})
	err := s.Run(1)
	require.ErrorIs(t, err, errAction)
	assert.Contains(t, err.Error(), `event "top" at t = 0.1`)
	assert.Zero(t, s.State().Time, "the state before the step")
}

// TestEventNotANumber: a function that is not a number has crossed nothing. The run ends where it is found out, and names the event: at
// the start, at a sample, between two samples, and behind a crossing in the same step.
func TestEventNotANumber(t *testing.T) {
	after := func(from float64, value func(t float64) float64) func(*mechanism.State) float64 {
		return func(st *mechanism.State) float64 {
			if st.Time > from && st.Time < from+0.3 {
				return math.NaN()
			}
			return value(st.Time)
		}
	}
	one := func(float64) float64 { return 1 }
	for name, c := range map[string]struct {
		function  func(*mechanism.State) float64
		direction sim.Direction
	}{
		"at the start": {after(-0.1, one), sim.Either}, "at a sample": {after(0.4, one), sim.Either},
		"of no direction": {after(0.4, one), sim.Rising}, "between samples": {after(0.1, func(t float64) float64 { return 0.3 - t }), sim.Either},
		"behind a crossing": {after(0.76, func(t float64) float64 { return 0.6 - t }), sim.Rising},
	} {
		t.Run(name, func(t *testing.T) {
			for _, x := range []struct {
				step    float64
				samples int
			}{{0, 8}, {0.5, 1}} {
				called := false
				s := newRig(t, ball()).simulate(sim.DormandPrince(), 1e-6, sim.Options{
					Projector: sim.NoProjector, Step: x.step, MaxStep: 0.5, EventSamples: x.samples,
					Events: []sim.Event{{Name: "far", Function: c.function, Direction: c.direction, Action: func(*mechanism.State) (sim.Response, error) {
						called = true
						return sim.Stop, nil
					}}},
				})
				require.ErrorContains(t, s.Run(1.5), `event "far" at t = `)
				assert.False(t, called)
			}
		})
	}
}

// TestZeroAtStartDoesNotCount holds the rule for functions that start at zero, and
// for one that is zero at a sample.
func TestZeroAtStartDoesNotCount(t *testing.T) {
	s := newRig(t, ball()).simulate(sim.DormandPrince(), 0, sim.Options{Projector: sim.NoProjector, Step: 0.25, Events: []sim.Event{
		{Name: "start", Function: func(st *mechanism.State) float64 { return st.Time }},
		{Name: "sample", Function: func(st *mechanism.State) float64 { return st.Time - 0.5 }},
	}})
	require.NoError(t, s.Run(1))
	assert.Zero(t, s.Fired(0))
	assert.Equal(t, int64(1), s.Fired(1))
}
