package sim

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// The state of a run carries all angles, also angles without springs, so that coordinates do not jump at half a turn. Only readers of
// coordinates depend on the latter, and coordinates are right as long as the angles are up to date within half a turn. So their turns are
// counted only after bodies may have turned by countAfter, and, in a step that turns further, at its end and at samples inside.

// countAfter is the angle of a body, rad, after which turns are counted. One body turns relative to another by at most twice as
// much, which is far below half a turn. It affects only speed.
const countAfter = 0.5

// turns counts the turns of angles without springs.
type turns struct {
	mech    *mechanism.Mechanism
	none    bool      // there are no such angles
	turned  float64   // largest angle, rad, by which a body may have turned since turns were counted
	step    float64   // largest angle, rad, by which a body has turned in the step last tried
	far     bool      // turned + step has reached countAfter
	samples []float64 // mechanism.State.Angles of samples inside such a step
}

// newTurns makes st carry all angles, and returns a counter of their turns.
func newTurns(m *mechanism.Mechanism, st *mechanism.State) turns {
	m.CarryAngles(st)
	if m.NumAngles() == m.NumSprung() {
		return turns{none: true}
	}
	return turns{mech: m, samples: make([]float64, m.NumAngles())}
}

// noteTurns estimates the angle by which bodies turn in the step from st to next, from their angular velocities.
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

// followSample counts the turns of a sample, a state inside the step from st, if bodies turn far in the step. Angles with springs, which
// come first in State.Angles, are as the stepper has set them.
func (t *turns) followSample(sample, st *mechanism.State) {
	if t.none || !t.far {
		return
	}
	copy(t.samples, st.Angles)
	copy(t.samples, sample.Angles)
	sample.Angles = t.samples
	t.mech.FollowTurns(sample, st)
}

// followEnd counts the turns of next, the end of the step from st, before the run copies it to st.
func (t *turns) followEnd(next, st *mechanism.State) {
	if t.none {
		return
	}
	carried := len(next.Angles) == len(st.Angles)
	if !carried { // the stepper does not carry these angles
		t.mech.CarryAngles(next)
	}
	if !t.far && carried {
		t.turned += t.step
		return
	}
	t.mech.FollowTurns(next, st)
	t.turned = 0
	if &next.Angles[0] == &t.samples[0] { // next is a sample, at which an event restarts the run: exchange the memory
		t.samples = st.Angles
	}
}
