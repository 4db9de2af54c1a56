package batch

import (
	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// States are states of one mechanism, each with its own gravity, forces and parameters. They are stored in groups of eight, number by
// number. Several goroutines may set different groups at the same time.
type States struct {
	of   *setup
	n    int
	data []float64 // by group: the places of a state (mechanics.State), eight numbers each

	wrench             []float64 // by state: six numbers a body, force before moment; nil without
	angles, internal   []float64 // by state, as in mechanism.State
	known              []uint8   // by lane: whether the state can be solved in a lane
	nAngles, nInternal int       // numbers of angles and internal states of a state
	held               []bool    // by lane: Rollout has found that the state satisfies its joints
}

// Whether a state can be solved in a lane with its parameters: no inertias are too different for doubles (kkt.Plan.WhyOneByOne).
const (
	unknown uint8 = iota
	together
	apart
)

// carrying returns st, or if it has too few angles a copy of it that carries the angles of the states, read from its poses.
func (s *States) carrying(st *mechanism.State) *mechanism.State {
	if len(st.Angles) >= s.nAngles {
		return st
	}
	st = st.Clone()
	if m := s.of.plan.Mechanism(); s.of.options.Angles {
		m.CarryAngles(st)
	} else {
		m.FollowAngles(m.NewKinematics(), st)
	}
	return st
}

// Len returns the number of states.
func (s *States) Len() int { return s.n }

// at returns the address of the number of state i at a place.
func (s *States) at(i, place int) *float64 {
	return &s.data[(i/lanes*s.of.at.Length+place)*lanes+i%lanes]
}

// put stores a list as the numbers of state i from the place at on.
func (s *States) put(i, at int, list ...float64) {
	for k, x := range list {
		*s.at(i, at+k) = x
	}
}

// take copies the numbers of state i from the place at on to a list.
func (s *States) take(i, at int, list []float64) {
	for k := range list {
		list[k] = *s.at(i, at+k)
	}
}

// mustHave panics unless there is a state i.
func (s *States) mustHave(i int) {
	if uint(i) >= uint(s.n) {
		panic("batch: state out of range")
	}
}

// Set copies st to state i.
//
// Cost: O(bodies), no allocation unless there are angles that st does not carry. It panics if i is out of range or st is of
// another mechanism.
func (s *States) Set(i int, st *mechanism.State) {
	s.mustHave(i)
	m := s.of.plan.Mechanism()
	if !m.Owns(st) {
		panic("batch" + fault.ForeignState)
	}
	st = s.carrying(st)
	s.set(i, st)
	s.held[i] = false
}

// set stores st as state i. It may stand behind the last one, in the last group; then it has no angles and internal states.
func (s *States) set(i int, st *mechanism.State) {
	*s.at(i, 0) = st.Time
	for k := range st.Bodies {
		b, at := &st.Bodies[k], mechanics.Bodies+bodyPlaces*k
		for j := range 3 {
			*s.at(i, at+atPosition+j), *s.at(i, at+atVelocity+j), *s.at(i, at+atOmega+j) = b.Position[j], b.Velocity[j], b.Omega[j]
		}
		for j := range 4 {
			*s.at(i, at+atRotation+j) = b.Rotation[j]
		}
	}
	if i >= s.n {
		return
	}
	set := func(dst, src []float64, n int) {
		dst = dst[i*n:][:n]
		clear(dst)
		copy(dst, src)
	}
	set(s.angles, st.Angles, s.nAngles)
	set(s.internal, st.Internal, s.nInternal)
}

// To copies state i to st, which is of the mechanism (kkt.Plan.Initial).
//
// Cost: O(bodies); it allocates only for angles that st did not have. It panics if i is out of range or st is of another
// mechanism.
func (s *States) To(st *mechanism.State, i int) {
	s.mustHave(i)
	if !s.of.plan.Mechanism().Owns(st) {
		panic("batch" + fault.ForeignState)
	}
	if len(st.Angles) < s.nAngles {
		st.Angles = append(st.Angles[:0:0], s.angles[i*s.nAngles:][:s.nAngles]...)
	}
	s.to(st, i)
}

// to is To for a state that has its angles.
func (s *States) to(st *mechanism.State, i int) {
	st.Time = *s.at(i, 0)
	for k := range st.Bodies {
		b, at := &st.Bodies[k], mechanics.Bodies+bodyPlaces*k
		for j := range 3 {
			b.Position[j], b.Velocity[j], b.Omega[j] = *s.at(i, at+atPosition+j), *s.at(i, at+atVelocity+j), *s.at(i, at+atOmega+j)
		}
		for j := range 4 {
			b.Rotation[j] = *s.at(i, at+atRotation+j)
		}
	}
	copy(st.Angles, s.angles[i*s.nAngles:][:s.nAngles])
	copy(st.Internal, s.internal[i*s.nInternal:][:s.nInternal])
}

// SetGravity sets the acceleration of gravity in state i, m/s², world axes. It panics if i is out of range.
func (s *States) SetGravity(i int, g spatial.Vec3) {
	s.mustHave(i)
	for k, x := range g {
		*s.at(i, 1+k) = x
	}
}

// SetForce sets in state i the generalized force of freedom k of Options.Forces, N or N m. It replaces the Force of the
// model; springs and dampers of the joint stay.
//
// It panics if i or k is out of range.
func (s *States) SetForce(i, k int, force float64) {
	s.mustHave(i)
	if uint(k) >= uint(len(s.of.options.Forces)) {
		panic("batch: force out of range")
	}
	*s.at(i, s.of.forcePlace(k)) = force
}

// SetWrench sets in state i a force, N, and a moment about the centre of mass, N m, world axes, that act on a
// body in addition to the loads of the model.
//
// It panics if i or the body is out of range, or without Options.Wrenches.
func (s *States) SetWrench(i, body int, force, moment spatial.Vec3) {
	s.mustHave(i)
	nb := s.of.plan.Mechanism().NumBodies()
	switch {
	case s.wrench == nil:
		panic("batch: no wrenches; use Options.Wrenches")
	case uint(body) >= uint(nb):
		panic("batch: body out of range")
	}
	w := s.wrench[6*(i*nb+body):][:6]
	copy(w, force[:])
	copy(w[3:], moment[:])
}
