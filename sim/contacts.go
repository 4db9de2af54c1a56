package sim

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// ContactEvents returns an event for each contact of m, with the name of the contact: the contact touches the ground, or leaves
// it. act, unless it is nil, is called at each event.
//
// The force has a kink there, and explicit methods lose their order in a step over a kink. So steps by error control end there
// (Event.Land), at the cost of some steps for each event, unless there are more than MostLandings contacts.
//
// Cost of an event function: as contact.Contact.EvalTo. It panics if m is nil.
func ContactEvents(m *mechanism.Mechanism, act func(contact int, touches bool, st *mechanism.State) error) []Event {
	mustHaveMechanism(m)
	events := make([]Event, m.NumContacts())
	k := m.NewKinematics()
	at := func(i int, st *mechanism.State) (depth, rate float64) {
		_, body, _ := m.Contact(i)
		if !m.BodyTo(&k.Bodies[body], st, body) {
			return math.NaN(), math.NaN()
		}
		r, err := m.ContactAt(i, k, st)
		if err != nil {
			return math.NaN(), math.NaN() // the dynamics tell
		}
		b, n := &st.Bodies[body], &r.Nearest
		v := b.Velocity.Add(b.Omega.Cross(n.P.Sub(b.Position)))
		return r.Depth, -v.Dot(n.N)
	}
	for i := range events {
		_, _, element := m.Contact(i)
		events[i] = Event{
			Name: m.ForceName(element), Land: len(events) <= MostLandings, dynamicsTell: true,
			Function: func(st *mechanism.State) float64 { depth, _ := at(i, st); return depth },
			Action: func(st *mechanism.State) (Response, error) {
				if act == nil {
					return Continue, nil
				}
				_, rate := at(i, st)
				return Continue, act(i, rate > 0, st)
			},
		}
	}
	return events
}

// CableEvents returns an event for each cable of m, with the name of the cable: the cable becomes taut, or slack. act,
// unless it is nil, is called at each event.
//
// The tension has a kink there. So steps by error control end there, as for
// ContactEvents, unless there are more than MostLandings cables.
//
// Cost of an event function: O(points). It panics if m is nil.
func CableEvents(m *mechanism.Mechanism, act func(cable int, taut bool, st *mechanism.State) error) []Event {
	mustHaveMechanism(m)
	events := make([]Event, m.NumCables())
	k := m.NewKinematics()
	at := func(i int, st *mechanism.State) (stretch, rate float64) {
		bodies, element := m.Cable(i)
		for _, b := range bodies {
			if !m.BodyTo(&k.Bodies[b], st, int(b)) {
				return math.NaN(), math.NaN()
			}
		}
		c, err := m.CableAt(i, k, st)
		if err != nil {
			return math.NaN(), math.NaN() // the dynamics tell
		}
		return c.Length - m.Forces[element].RestLength, c.Rate
	}
	for i := range events {
		_, element := m.Cable(i)
		events[i] = Event{
			Name: m.ForceName(element), Land: len(events) <= MostLandings, dynamicsTell: true,
			Function: func(st *mechanism.State) float64 { stretch, _ := at(i, st); return stretch },
			Action: func(st *mechanism.State) (Response, error) {
				if act == nil {
					return Continue, nil
				}
				_, rate := at(i, st)
				return Continue, act(i, rate > 0, st)
			},
		}
	}
	return events
}
