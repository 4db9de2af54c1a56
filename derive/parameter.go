package derive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Parameter is a number of the model, found by its path. It belongs to the Derivatives that found it.
type Parameter struct {
	path     string
	place    []int // indices in the path
	field    *field
	parts    []part
	geometry bool // with another value joints may not close
}

// Path returns the path of the parameter.
func (p *Parameter) Path() string { return p.path }

// OfVelocity reports whether the parameter is a number of the velocity of a body. At an equilibrium velocities are zero.
func (p *Parameter) OfVelocity() bool { return p.is(partLinear, partAngular) }

// Turns reports whether the parameter is a number of an orientation.
func (p *Parameter) Turns() bool { return p.is(partTurn, partPose) }

// Moves reports whether the parameter is a coordinate of a frame, a point or a centre of mass.
func (p *Parameter) Moves() bool { return p.is(partOrigin, partPosition, partCom) }

// is reports whether the parameter changes numbers of one of the kinds.
func (p *Parameter) is(kinds ...partKind) bool {
	return len(p.parts) > 0 && slices.Contains(kinds, p.parts[0].kind)
}

// Shapes reports whether p changes position errors of joints or couplings while bodies stay: it does unless it belongs to an inertia or a
// force.
func (d *Derivatives) Shapes(p *Parameter) bool {
	for _, t := range p.parts {
		switch t.kind {
		case partMass, partInertia, partGravity, partForce:
		case partScalar:
			i := slices.IndexFunc(d.active, func(a activeScalar) bool { return a.at == t.index })
			a := &d.active[i]
			forces := slotStiffness <= a.slot.kind && a.slot.kind <= slotTension && a.slot.kind != slotMotion
			if !forces && a.part < d.elementNumber(0) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// part is a number of a direction that changes by coefficient for a unit change of a parameter.
type part struct {
	kind        partKind
	index       int32
	component   uint8
	coefficient float64
}

type partKind uint8

const (
	partMass partKind = iota
	partCom
	partInertia
	partGravity
	partOrigin
	partTurn
	partScalar
	partForce
	partPosition
	partLinear
	partAngular // with the velocity of the origin held
	partPose    // a rotation about the origin
	partTime
)

// addTo adds the change x of the parameter to u.
func (t *part) addTo(u *direction, d *Derivatives, x float64) {
	x *= t.coefficient
	if t.kind == partAngular || t.kind == partPose {
		var e spatial.Vec3
		e[t.component] = x
		b, k := &u.bodies[t.index], &d.bodies[t.index]
		if t.kind == partAngular {
			b.Angular = b.Angular.Add(e)
			b.Linear = b.Linear.Add(e.Cross(k.k))
			return
		}
		moved := e.Cross(k.k)
		b.Rotation = b.Rotation.Add(e)
		b.Position = b.Position.Add(moved)
		b.Linear = b.Linear.Add(k.omega.Cross(moved))
		return
	}
	u.framed = u.framed || t.kind == partOrigin || t.kind == partTurn
	u.forced = u.forced || t.kind == partForce
	*t.number(u) += x
}

// of returns the derivative by the parameter from the cotangents g.
func (t *part) of(g *direction, d *Derivatives) float64 {
	if t.kind == partAngular || t.kind == partPose {
		b, k := &g.bodies[t.index], &d.bodies[t.index]
		v := b.Angular.Add(k.k.Cross(b.Linear))
		if t.kind == partPose {
			v = b.Rotation.Add(k.k.Cross(b.Position.Add(b.Linear.Cross(k.omega))))
		}
		return t.coefficient * v[t.component]
	}
	return t.coefficient * *t.number(g)
}

// number returns the number of u that the part changes.
func (t *part) number(u *direction) *float64 {
	c := t.component
	switch t.kind {
	case partMass:
		return &u.bodies[t.index].Mass
	case partCom:
		return &u.bodies[t.index].Com[c]
	case partInertia:
		return &u.bodies[t.index].Inertia[c]
	case partGravity:
		return &u.gravity[c]
	case partOrigin:
		return &u.frames[t.index].Origin[c]
	case partTurn:
		return &u.frames[t.index].Turn[c]
	case partScalar:
		return &u.scalars[t.index]
	case partForce:
		return &u.forces[t.index][c]
	case partPosition:
		return &u.bodies[t.index].Position[c]
	case partLinear:
		return &u.bodies[t.index].Linear[c]
	case partTime:
		return &u.time
	}
	panic("derive: no such part")
}

// field is a kind of number of a model, with i for the indices in its path.
type field struct {
	parts func(d *Derivatives, i []int) ([]part, error) // numbers of a direction that it changes
	// at returns the number in a model, for numbers with which joints may not close; nil for others.
	at      func(m *model.Model, i []int) *float64
	refused string // reason why there is no derivative; "" if there is one
}

// Parameter returns the number at a path of the model in the form of a study, such as bodies[crank].mass. Directions and gradients have to
// be allocated afterwards.
//
// Cost: O(numbers of the model with names), allocates. It returns an error that wraps ErrParameter if the path leads to no number, or to a
// number without derivative; its text has the reason.
func (d *Derivatives) Parameter(path string) (*Parameter, error) {
	steps, err := document.ParsePath(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %s %w", ErrParameter, fault.Name(path), err)
	}
	pattern, place, err := d.resolve(steps)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrParameter, fault.Name(path), err)
	}
	f, ok := fields[pattern]
	switch {
	case !ok:
		return nil, fmt.Errorf("%w: %s is no number of a model", ErrParameter, fault.Name(path))
	case f.refused != "":
		return nil, fmt.Errorf("%w: %s has no derivative: %s", ErrParameter, fault.Name(path), f.refused)
	}
	if f.at != nil && strings.HasPrefix(pattern, "joints") && d.integrates(place[0]) ||
		strings.HasPrefix(pattern, "bodies[].pose") && d.counted(int32(place[0])) || pattern == "time" && d.counted(everyBody) {
		return nil, fmt.Errorf(
			"%w: %s has no derivative: the integral of an actuator there counts from the state of the model", ErrParameter, fault.Name(path))
	}
	if strings.HasPrefix(pattern, "forces[].value") {
		if a := d.doc.Forces[place[0]].Actuator; a != nil && a.Integral != 0 {
			return nil, fmt.Errorf(
				"%w: %s has no derivative: the integral of the actuator is that of its value from the start on", ErrParameter, fault.Name(path))
		}
	}
	p := &Parameter{path: path, place: place, field: &f, geometry: f.at != nil}
	if p.parts, err = f.parts(d, place); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrParameter, fault.Name(path), err)
	}
	return p, nil
}

// resolve returns the keys of a path, with [] for each index, and the indices.
func (d *Derivatives) resolve(steps []document.Step) (pattern string, place []int, err error) {
	var s strings.Builder
	for i, step := range steps {
		if !step.Entry {
			if i > 0 {
				s.WriteByte('.')
			}
			s.WriteString(step.Key)
			continue
		}
		n, err := d.entry(s.String(), step.Key)
		if err != nil {
			return "", nil, err
		}
		place = append(place, n)
		s.WriteString("[]")
	}
	return s.String(), place, nil
}

// entry returns the index of an entry of a list; key is its name or its index.
func (d *Derivatives) entry(list, key string) (int, error) {
	m, n := d.doc, -1
	find := func(count int, name func(i int) string) {
		for i := range count {
			if name(i) == key && key != "" {
				n = i
				return
			}
		}
	}
	count := -1
	switch list {
	case "bodies":
		count = len(m.Bodies)
		find(count, func(i int) string { return m.Bodies[i].Name })
	case "joints":
		count = len(m.Joints)
		find(count, func(i int) string { return m.Joints[i].Name })
	case "couplings":
		count = len(m.Couplings)
		find(count, func(i int) string { return m.Couplings[i].Name })
	case "forces":
		count = len(m.Forces)
		find(count, func(i int) string { return m.Forces[i].Name })
	case "terrains":
		count = len(m.Terrains)
		find(count, func(i int) string { return m.Terrains[i].Name })
	case "frames":
		count = len(m.Frames)
		find(count, func(i int) string { return m.Frames[i].Name })
	}
	if n >= 0 {
		return n, nil
	}
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 || strconv.Itoa(i) != key || count >= 0 && i >= count {
		return 0, fmt.Errorf("derive: %s has no entry %s", list, fault.Name(key))
	}
	return i, nil
}

// quaternionTurns returns the rotation vector for a unit change of entry k of the quaternion q of any length: 2·Im(δq·q*)/|q|², as the
// model uses q/|q|.
func quaternionTurns(q [4]float64, k int) spatial.Vec3 {
	if q == ([4]float64{}) {
		q[0] = 1
	}
	n := q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]
	var unit spatial.Quat
	unit[k] = 1
	p := unit.Mul(spatial.Quat(q).Conj())
	return spatial.Vec3{2 * p[1] / n, 2 * p[2] / n, 2 * p[3] / n}
}

// everyBody stands for all bodies.
const everyBody = -2

// counted reports whether an actuator of a joint of the body has an integral; everyBody stands for any body.
func (d *Derivatives) counted(body int32) bool {
	for j := range d.motors {
		if jt := &d.mech.Joints[j]; (jt.Pred == body || jt.Succ == body || body == everyBody) && d.integrates(j) {
			return true
		}
	}
	return false
}

// integrates reports whether an actuator of joint j has an integral, which counts from the coordinate in the model.
func (d *Derivatives) integrates(j int) bool {
	for _, i := range d.motors[j] {
		if d.mech.ActuatorSettings(int(i)).Integral != 0 {
			return true
		}
	}
	return false
}

// StopBy returns the changes of the numbers of the stop of freedom f for a unit change of p: of its ends, rad or m, and of its restitution.
func (d *Derivatives) StopBy(p *Parameter, f mechanism.Freedom) (lower, upper, restitution float64) {
	for _, t := range p.parts {
		if t.kind != partScalar {
			continue
		}
		for _, a := range d.scalarsOf(f.Joint) {
			if a.at != t.index || int(a.slot.freedom) != f.Freedom {
				continue
			}
			switch a.slot.kind {
			case slotLower:
				lower += t.coefficient
			case slotUpper:
				upper += t.coefficient
			case slotStopRestitution:
				restitution += t.coefficient
			}
		}
	}
	return lower, upper, restitution
}
