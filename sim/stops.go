package sim

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// StopChange is what happens at a stop.
type StopChange uint8

// The changes.
const (
	StopTouch  StopChange = iota // the freedom reaches the spring of its stop
	StopLeave                    // the freedom leaves the spring
	StopImpact                   // an impulse reverses the freedom
)

// String returns the name in the output of the command line.
func (c StopChange) String() string {
	if names := [...]string{"touch", "leave", "impact"}; int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("StopChange(%d)", uint8(c))
}

// ErrStuck is wrapped by the error of an impact on a freedom that other joints lock.
var ErrStuck = errors.New("sim: the joints leave the freedom of a stop no motion")

// Stops has the events of the stops of a mechanism: a freedom touches a stop or leaves it. If the stop has an impact speed
// and there is a Responder, an impulse reverses a faster freedom. It belongs to one Simulation.
//
// An impulse p along the freedom changes the velocities of all bodies so that all joints hold,
// docs/stops-and-friction.md (J4). The change is computed with the same system as the accelerations. So momentum is
// balanced, armature and couplings are included, and redundant joints do not matter. Stops that are struck at the same
// instant act one after the other, in the order of the joints, and again until no freedom moves towards its stop; act is
// called for the first stop only. Springs, also of other stops, have no effect in an impulse.
type Stops struct {
	mech  *mechanism.Mechanism
	hit   Responder
	act   func(resistor int, what StopChange, st *mechanism.State) error
	kin   *mechanism.Kinematics
	list  []int            // numbers of the resistors that are stops
	unit  []float64        // change of velocities by a unit impulse, six numbers for each body
	still *mechanism.State // scratch of strike

	taken   float64 // energy taken by impulses, J
	impacts int64
}

// NewStops returns the events of the stops of m. With a nil Responder there are no impulses, and the springs act at any rate.
// act, unless it is nil, is called before each change.
func NewStops(m *mechanism.Mechanism, r Responder, act func(resistor int, what StopChange, st *mechanism.State) error) *Stops {
	mustHaveMechanism(m)
	s := &Stops{mech: m, hit: r, act: act}
	for i := range m.NumResistors() {
		if _, stops := m.Resistor(i); stops {
			s.list = append(s.list, i)
		}
	}
	if len(s.list) > 0 {
		s.kin, s.unit, s.still = m.NewKinematics(), make([]float64, 6*m.NumBodies()), m.Initial()
	}
	return s
}

// Arm stores in st.Internal, for the start of a run, which stops are in flight: the stops with impulses that do not touch.
// A run that continues from a Checkpoint has these values from there.
func (s *Stops) Arm(st *mechanism.State) error {
	if len(s.list) == 0 || s.hit == nil {
		return nil
	}
	if err := s.mech.KinematicsTo(s.kin, st); err != nil {
		return err
	}
	if n := s.mech.NumInternal(); len(st.Internal) != n {
		st.Internal = make([]float64, n)
	}
	for _, i := range s.list {
		if speed, _ := s.mech.ImpactSpeed(i); speed > 0 {
			depth, _ := s.depthAt(i, st)
			s.fly(i, st, depth < 0)
		}
	}
	return nil
}

// Len returns the number of freedoms with stops.
func (s *Stops) Len() int { return len(s.list) }

// fly stores in st whether stop i, one with impulses, is in flight, where its spring has no force.
func (s *Stops) fly(i int, st *mechanism.State, on bool) {
	x := 0.0
	if on {
		x = 1
	}
	st.Internal[s.mech.ResistorState(i)] = x
}

// Taken returns the energy that impulses have taken, J, and their number, since s was made.
func (s *Stops) Taken() (energy float64, impacts int64) { return s.taken, s.impacts }

// depthAt returns the depth of stop i at st and the rate of the depth, NaN if a body is not finite.
func (s *Stops) depthAt(i int, st *mechanism.State) (depth, rate float64) {
	var jk mechanism.JointKinematics
	if !s.joint(&jk, i, st) {
		return math.NaN(), math.NaN()
	}
	depth, rate = s.mech.ResistanceAt(i, &jk, st).Depth, s.rateOf(i, &jk)
	if s.mech.AtLower(i, &jk) {
		rate = -rate
	}
	return depth, rate
}

// joint stores in jk the motion of the joint of stop i at st. It returns false if a body is not finite.
func (s *Stops) joint(jk *mechanism.JointKinematics, i int, st *mechanism.State) bool {
	f, _ := s.mech.Resistor(i)
	jt := &s.mech.Joints[f.Joint]
	for _, b := range [2]int32{jt.Pred, jt.Succ} {
		if b >= 0 && !s.mech.BodyTo(&s.kin.Bodies[b], st, int(b)) {
			return false
		}
	}
	s.mech.JointTo(jk, f.Joint, s.kin, st)
	return true
}

// rateOf returns the rate of the freedom of stop i.
func (s *Stops) rateOf(i int, jk *mechanism.JointKinematics) float64 {
	var qd [6]float64
	f, _ := s.mech.Resistor(i)
	s.mech.Joints[f.Joint].RatesTo(&qd, &jk.Frames)
	return qd[f.Freedom]
}

// ImpactSamples is a suitable value of Options.EventSamples with impulses: as no force acts on a freedom in flight, a long step
// may pass a stop and return.
const ImpactSamples = 8

// Events returns an event for each stop, named JOINT.FREEDOM. Steps by error control end where the freedom touches or leaves, as
// for ContactEvents.
func (s *Stops) Events() []Event {
	events := make([]Event, len(s.list))
	for n, i := range s.list {
		f, _ := s.mech.Resistor(i)
		events[n] = Event{
			Name: fmt.Sprintf("%s.%d", s.mech.JointName(f.Joint), f.Freedom), Land: len(events) <= MostLandings,
			Function: func(st *mechanism.State) float64 { depth, _ := s.depthAt(i, st); return depth },
			Action:   func(st *mechanism.State) (Response, error) { return s.change(i, st) },
		}
	}
	return events
}

// change handles stop i, whose depth is 0 at st: it calls act, and does the impulses if there are any.
func (s *Stops) change(i int, st *mechanism.State) (Response, error) {
	_, rate := s.depthAt(i, st)
	speed, e := s.mech.ImpactSpeed(i)
	hard := speed > 0 && s.hit != nil
	what := StopLeave
	switch {
	case hard && rate > speed:
		what = StopImpact
	case rate > 0:
		what = StopTouch
	}
	if s.act != nil {
		if err := s.act(i, what, st); err != nil {
			return Continue, err
		}
	}
	if !hard {
		return Continue, nil
	}
	if what == StopImpact {
		if err := s.strike(i, e, st); err != nil {
			return Continue, err
		}
		if err := s.strikeOthers(st); err != nil {
			return Continue, err
		}
		_, rate = s.depthAt(i, st)
	}
	s.fly(i, st, rate < -speed) // a freedom that leaves more slowly may return before it has left
	return Restart, nil
}

const (
	strikes = 1000  // largest number of rounds of impulses at one instant
	stuck   = 1e-13 // response of the rate to an impulse, relative to free bodies, that counts as rounding
	touches = 1e-9  // rad or m: a stop so near at the instant of another impulse counts as touching
)

// errStrikes is returned if impulses at one instant do not end, as stops strike each other.
var errStrikes = fmt.Errorf("sim: more than %d impulses at one instant", strikes)

// strikeOthers does the impulses of other stops in flight that touch, in rounds until no freedom moves towards its stop faster than its
// impact speed. Slower freedoms leave flight.
func (s *Stops) strikeOthers(st *mechanism.State) error {
	for n := 0; ; n++ {
		struck := false
		for _, i := range s.list {
			speed, e := s.mech.ImpactSpeed(i)
			if speed == 0 || st.Internal[s.mech.ResistorState(i)] == 0 {
				continue
			}
			depth, rate := s.depthAt(i, st)
			switch {
			case depth < -touches || rate <= 0:
			case rate <= speed:
				s.fly(i, st, false)
			default:
				if err := s.strike(i, e, st); err != nil {
					return err
				}
				struck = true
			}
		}
		if !struck {
			return nil
		}
		if n == strikes {
			return errStrikes
		}
	}
}

// strike changes the velocities of st by the impulse at stop i that reverses the rate of its freedom and multiplies it by e.
func (s *Stops) strike(i int, e float64, st *mechanism.State) error {
	f, _ := s.mech.Resistor(i)
	if err := s.mech.KinematicsTo(s.kin, st); err != nil {
		return err
	}
	var jk mechanism.JointKinematics
	s.joint(&jk, i, st)
	rate := s.rateOf(i, &jk)
	free, err := s.hit.RespondTo(s.unit, st, f)
	if err != nil {
		return fault.Errorf("sim: impact: %w", s.mech.AtJoint(f.Joint, -1, err))
	}
	// answer is the rate of the freedom by a unit impulse. It is zero but for rounding if the joints lock the freedom.
	s.still.Time, s.still.Angles, s.still.Internal = st.Time, st.Angles, st.Internal
	for b := range st.Bodies {
		s.still.Bodies[b] = st.Bodies[b]
		s.still.Bodies[b].SetComVelocity((*[6]float64)(s.unit[6*b:]), &s.kin.Bodies[b].Com)
	}
	s.joint(&jk, i, s.still)
	answer := s.rateOf(i, &jk)
	if !(answer > stuck*free) {
		return fault.Errorf("sim: impact: %w", s.mech.AtJoint(f.Joint, -1, ErrStuck))
	}
	p := -(1 + e) * rate / answer
	for b := range st.Bodies {
		st.Bodies[b].AddComVelocity(p, (*[6]float64)(s.unit[6*b:]), &s.kin.Bodies[b].Com)
	}
	s.taken += (1 - e*e) * rate * rate / (2 * answer)
	s.impacts++
	return nil
}
