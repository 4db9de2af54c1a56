package ik

import "github.com/rung-mbd/rung/mechanism"

// trail makes the states of a path carry all angles (mechanism.Mechanism.CarryAngles), so that coordinates of driven and other freedoms go
// on past half a turn.
type trail struct {
	last *mechanism.State // state of the sample before; nil before the first
}

// begin starts a path from st, with the angles that st carries.
func (t *trail) begin(m *mechanism.Mechanism, st *mechanism.State) {
	if t.last == nil {
		t.last = st.Clone()
	}
	t.last.Time, t.last.Angles = st.Time, append(t.last.Angles[:0], st.Angles...)
	copy(t.last.Bodies, st.Bodies)
	m.CarryAngles(t.last)
}

// windTo stores in st, for the driven angles that it carries, the coordinates q, whose whole turns a method has counted step by step.
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

// follow gives st, the state of the next sample, all angles with their turns: the driven coordinates q, and others within half a turn of
// the sample before.
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
