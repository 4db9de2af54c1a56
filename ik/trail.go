package ik

import "github.com/rung-mbd/rung/mechanism"

// trail makes the states of a path carry all angles (mechanism.Mechanism.CarryAngles), so that coordinates go on past
// half a turn, those of joints that are not driven too.
type trail struct {
	last *mechanism.State // of the sample before; nil before the first
}

// begin starts from st.
func (t *trail) begin(m *mechanism.Mechanism, st *mechanism.State) {
	if t.last == nil {
		t.last = st.Clone()
	}
	t.last.Time, t.last.Angles = st.Time, append(t.last.Angles[:0], st.Angles...)
	copy(t.last.Bodies, st.Bodies)
	m.CarryAngles(t.last)
}

// windTo gives the driven angles that st carries the turns of their coordinates q, which a method has counted step by step.
//
// Cost: O(driven freedoms), no allocation.
func (p *Problem) windTo(st *mechanism.State, q []float64) {
	m := p.plan.Mechanism()
	for i, f := range p.driven {
		if at := m.AnglePlace(f); at >= 0 && at < len(st.Angles) && winds(m, f) {
			st.Angles[at] = q[i]
		}
	}
}

// follow counts the turns of st, the state of the next sample, whose driven coordinates are q.
//
// Cost: O(joints), no allocation but for the first time.
func (t *trail) follow(p *Problem, st *mechanism.State, q []float64) {
	m, last := p.plan.Mechanism(), t.last
	switch n := len(st.Angles); {
	case n < m.NumSprung():
		st.Angles = append(st.Angles[:0], last.Angles...)
	case n < len(last.Angles):
		st.Angles = append(st.Angles, last.Angles[n:]...)
	}
	m.FollowTurns(st, last)
	p.windTo(st, q)
	last.Time = st.Time
	copy(last.Bodies, st.Bodies)
	copy(last.Angles, st.Angles)
}
