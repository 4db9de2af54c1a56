package objective

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// branch is a part of the mechanism whose force follows different laws on different sides of a corner.
type branch struct {
	name, what string
	at         func(st *mechanism.State) side // the law at a state
	jumps      func(was, now *side) bool      // reports whether the force jumps from one law to the other; nil: never
}

// side identifies the law of a part at a state: by a number, or for a contact by its piece.
type side struct {
	law     int
	contact contact.Piece
}

// branches watches for corners of forces between the ends of steps.
type branches struct {
	list  []branch
	last  []side  // at the last state
	count []int64 // number of changes, by part
	begun bool    // there is a last state
	leaps int     // index of the first part whose force has jumped, −1 if there is none
}

// newBranches lists the parts of a mechanism whose forces have corners.
func newBranches(m *mechanism.Mechanism) *branches {
	b := &branches{leaps: -1}
	add := func(what, name string, at func(st *mechanism.State) int) {
		b.list = append(b.list, branch{name: name, what: what, at: func(st *mechanism.State) side { return side{law: at(st)} }})
	}
	k := m.NewKinematics()
	b.touching(m, k, add)
	name := func(j, i int) string {
		if m.Joints[j].Kind.Freedoms() == 1 {
			return "joint " + fault.Name(m.JointName(j))
		}
		return fmt.Sprintf("joint %s, freedom %d", fault.Name(m.JointName(j)), i)
	}
	for i := range m.NumResistors() {
		f, stops := m.Resistor(i)
		set := m.ResistorSettings(i)
		if set.ImpactSpeed > 0 && set.Stop.Damping == 0 {
			continue // touching is an event with a derivative of its own
		}
		if stops {
			add("stop", name(f.Joint, f.Freedom), func(st *mechanism.State) int {
				q, _ := m.Coordinate(f, st)
				return cmp.Compare(q, max(q, set.Lower)) + cmp.Compare(q, min(q, set.Upper))
			})
			if set.Stop.Damping > 0 && set.ImpactSpeed == 0 {
				b.list[len(b.list)-1].jumps = func(_, now *side) bool { return now.law != 0 }
			}
			continue
		}
		add("friction", name(f.Joint, f.Freedom), func(st *mechanism.State) int {
			_, rate := m.Coordinate(f, st)
			return cmp.Compare(rate, 0)
		})
	}
	for j := range m.Joints {
		drive := m.Drive(j)
		for i := range m.Joints[j].Kind.Freedoms() {
			if drive == nil || drive.Law(i) == nil || !drive.Law(i).Bent() {
				continue
			}
			law, rest, f := drive.Law(i), drive.Rest[i], mechanism.Freedom{Joint: j, Freedom: i}
			add("table", name(j, i), func(st *mechanism.State) int {
				q, rate := m.Coordinate(f, st)
				return law.Piece(q-rest, rate)
			})
		}
	}
	b.lawful(m, k, add)
	for i := range m.Forces {
		if m.Forces[i].Kind == model.SpringDamper && m.SpringLaw(i) != nil && m.SpringLaw(i).Bent() {
			add("table", "force "+fault.Name(m.ForceName(i)), springPiece(m, k, i))
		}
	}
	b.last, b.count = make([]side, len(b.list)), make([]int64, len(b.list))
	return b
}

// lawful adds couplings and curves whose third derivatives may jump: there accelerations have corners.
func (b *branches) lawful(m *mechanism.Mechanism, k *mechanism.Kinematics, add adds) {
	for i := range m.Couplings {
		c := &m.Couplings[i]
		if c.Law == nil || !c.Law.Bent() {
			continue
		}
		legs := c.Legs[c.Bent():]
		add("law", "coupling "+fault.Name(m.CouplingName(i)), func(st *mechanism.State) int {
			var x [2]float64
			for n := range legs {
				x[n], _ = m.Coordinate(legs[n].Freedom, st)
			}
			return c.Law.Piece(x)
		})
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		first, second := jt.Curve != nil && jt.Curve.Bent(), jt.SuccessorCurve != nil && jt.SuccessorCurve.Bent()
		if !first && !second {
			continue
		}
		add("curve", "joint "+fault.Name(m.JointName(j)), func(st *mechanism.State) (piece int) {
			for _, body := range [2]int32{jt.Pred, jt.Succ} {
				if body >= 0 && !m.BodyTo(&k.Bodies[body], st, int(body)) {
					return 0
				}
			}
			var kin mechanism.JointKinematics
			var near [6]float64
			m.FramesTo(&kin, jt, k, st)
			jt.NearTo(&near, &kin.Frames)
			if first {
				piece = jt.Curve.Piece(near[0])
			}
			if second {
				piece += curves.MaxPoints * jt.SuccessorCurve.Piece(near[1])
			}
			return piece
		})
	}
}

// adds adds a part, whose law at a state is the number at.
type adds func(what, name string, at func(st *mechanism.State) int)

// touching adds contacts and cables.
func (b *branches) touching(m *mechanism.Mechanism, k *mechanism.Kinematics, add adds) {
	for i := range m.NumContacts() {
		c, body, element := m.Contact(i)
		x := branch{what: "contact", name: "force " + fault.Name(m.ForceName(element)), at: func(st *mechanism.State) (s side) {
			if !m.BodyTo(&k.Bodies[body], st, body) {
				return s
			}
			if r, err := m.ContactAt(i, k, st); err == nil { // else the dynamics tell
				s.contact = c.Piece(r)
			}
			return s
		}}
		if c.Law.Normal.Damping > 0 {
			x.jumps = func(was, now *side) bool { return now.contact.Adds(&was.contact) }
		}
		b.list = append(b.list, x)
	}
	for _, e := range sim.CableEvents(m, nil) {
		add("cable", "force "+fault.Name(e.Name), func(st *mechanism.State) int { return cmp.Compare(e.Function(st), 0) })
	}
}

// springPiece returns the function that tells on which pieces of its tables spring-damper i is.
func springPiece(m *mechanism.Mechanism, k *mechanism.Kinematics, i int) func(st *mechanism.State) int {
	e, law := &m.Forces[i], m.SpringLaw(i)
	return func(st *mechanism.State) int {
		for _, end := range [2]*mechanism.Attachment{&e.A, &e.B} {
			if end.Body >= 0 && !m.BodyTo(&k.Bodies[end.Body], st, int(end.Body)) {
				return 0
			}
		}
		var q mechanism.SpringState
		_ = m.SpringAt(&q, i, k, st) // the run refuses states in which the spring has no force
		return law.Piece(q.Length-e.RestLength, q.Rate)
	}
}

// see looks at the next state, and reports whether some part is on another side than at the last one, so that its force has had a corner.
func (b *branches) see(st *mechanism.State) (bent bool) {
	for i := range b.list {
		now := b.list[i].at(st)
		if x := &b.list[i]; b.begun && now != b.last[i] {
			bent = true
			b.count[i]++
			if x.jumps != nil && b.leaps < 0 && x.jumps(&b.last[i], &now) {
				b.leaps = i
			}
		}
		b.last[i] = now
	}
	b.begun = true
	return bent
}

// on reports whether all parts are on the sides of list at a state.
func (b *branches) on(list []side, st *mechanism.State) bool {
	for i := range b.list {
		if b.list[i].at(st) != list[i] {
			return false
		}
	}
	return true
}

// at stores the sides of all parts at a state in list.
func (b *branches) at(list []side, st *mechanism.State) {
	for i := range b.list {
		list[i] = b.list[i].at(st)
	}
}

// jumped returns an error if a force has jumped: the time of the jump moves with the parameters, and so does the motion after it.
func (b *branches) jumped() error {
	if b.leaps < 0 {
		return nil
	}
	x := &b.list[b.leaps]
	return fmt.Errorf("%w: %s %s: its force jumps where it touches, by its damping (law linear)", ErrNotDifferentiable, x.what, x.name)
}

// told returns the parts that have had corners, the most frequent first. rough says that steps are not taken apart at corners.
func (b *branches) told(rough bool) (list []Kink) {
	for i, n := range b.count {
		if n > 0 {
			list = append(list, Kink{b.list[i].name, b.list[i].what, n, rough})
		}
	}
	slices.SortStableFunc(list, func(x, y Kink) int { return cmp.Compare(y.Count, x.Count) })
	return list
}
