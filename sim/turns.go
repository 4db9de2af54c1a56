package sim

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// The state of a run carries all angles, those without springs too, so that coordinates do not jump at half a turn. Nothing
// but who reads a coordinate depends on them, and these are right within half a turn. So they are counted only once bodies
// may have turned by countAfter since, and at the end of a step that turns further by itself; then also inside of it.

// countAfter is the angle of a body, rad, after which turns are counted. Two bodies turn against each other by twice as
// much, which is far below half a turn. Another value costs time only.
const countAfter = 0.5

// turns counts the turns of angles without springs.
type turns struct {
	mech    *mechanism.Mechanism
	none    bool      // there are no such angles
	turned  float64   // angle, rad, by which a body may have turned since they were counted
	step    float64   // angle, rad, by which a body has turned in the step last tried
	far     bool      // the step takes a body further than countAfter from where turns were counted last
	samples []float64 // mechanism.State.Angles of samples inside such a step
}

// newTurns makes st carry all angles.
func newTurns(m *mechanism.Mechanism, st *mechanism.State) turns {
	m.CarryAngles(st)
	if m.NumAngles() == m.NumSprung() {
		return turns{none: true}
	}
	return turns{mech: m, samples: make([]float64, m.NumAngles())}
}

// noteTurns notes how far bodies turn in the step from st to next.
func (t *turns) noteTurns(st, next *mechanism.State) {
	if t.none {
		return
	}
	square := 0.0
	for i := range next.Bodies {
		a, b := &st.Bodies[i].Omega, &next.Bodies[i].Omega
		square = max(square, a.Dot(*a), b.Dot(*b))
	}
	h := next.Time - st.Time
	t.step = h * math.Sqrt(square)
	t.far = !(t.turned+t.step < countAfter)
}

// followSample counts the turns of a sample, a state inside the step from st, if bodies turn far in the step. The stepper has counted the
// angles with springs, which come first in State.Angles.
func (t *turns) followSample(sample, st *mechanism.State) {
	if t.none || !t.far {
		return
	}
	copy(t.samples, st.Angles)
	copy(t.samples, sample.Angles)
	sample.Angles = t.samples
	t.mech.FollowTurns(sample, st)
}

// followEnd counts the turns of next, which the run goes on from: st is going to be a copy.
func (t *turns) followEnd(next, st *mechanism.State) {
	if t.none {
		return
	}
	carried := len(next.Angles) == len(st.Angles)
	if !carried { // it is of a stepper that knows nothing of them
		t.mech.CarryAngles(next)
	}
	if !t.far && carried {
		t.turned += t.step
		return
	}
	t.mech.FollowTurns(next, st)
	t.turned = 0
	if &next.Angles[0] == &t.samples[0] { // of a sample at which an event restarts the run
		t.samples = st.Angles
	}
}
