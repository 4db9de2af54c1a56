package batch

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Vary names what of the model differs from state to state. All that is not named stays a constant of the batch, at
// no cost.
type Vary struct {
	Bodies   []int               // mass, centre of mass and inertia (States.SetBody)
	Joints   []int               // frames in the bodies, and so lengths; length of a distance joint, pitch of a helical one (States.SetFrames, SetLength, SetPitch)
	Armature []mechanism.Freedom // of freedoms that have some in the model (States.SetArmature)
	Drives   []mechanism.Freedom // stiffness, damping and rest of freedoms that have a spring or damper in the model (States.SetDrive)
	Springs  []int               // stiffness, damping and rest length of force elements that are spring-dampers (States.SetSpring)
	Friction []mechanism.Freedom // dry friction of freedoms that have some in the model, of a ball at its first rotation (States.SetFriction)
}

// Places of the numbers of a joint, of an armature, of a drive and of a spring in a state.
const (
	atFrameP    = 0 // axes, then origin
	atFrameS    = 12
	atLength    = 24
	atPitch     = 25 // with the other sign
	atTurn      = 26 // turnOf the frames
	jointPlaces = 30

	atGear     = 0 // −1/√I
	atInverse  = 1 // 1/I
	atArmature = 2
	gearPlaces = 3

	atStiffness = 0
	atTension   = 1 // stiffness·rest
	atDamping   = 2
	atRest      = 3
	drivePlaces = 4

	springPlaces = 3 // stiffness, damping, rest length

	frictionPlaces = 6 // force, coefficient, radius, speed, static, stribeck
)

// variables are the places in a state of what differs from state to state; 0 for what does not.
type variables struct {
	first               int // place of the first of them
	length              int // places of a state
	body, joint, spring []int
	gear, drive, rub    []int // of freedom i of joint j: 6·j + i
	own                 bool  // bodies and joints are among them
	any                 bool
}

// newVariables checks o.Vary and lays it out after the first places of a state.
func newVariables(m *mechanism.Mechanism, o *Vary, first int) (*variables, error) {
	v := &variables{first: first, length: first, body: make([]int, m.NumBodies()), joint: make([]int, m.NumJoints()),
		spring: make([]int, len(m.Forces)), gear: make([]int, 6*m.NumJoints()), drive: make([]int, 6*m.NumJoints()), rub: make([]int, 6*m.NumJoints())}
	// take gives number i of a list n places, unless it is refused.
	take := func(list []int, i, n int, refused string, at func(error) error) error {
		if refused == "" && list[i] > 0 {
			refused = "it is given twice"
		}
		if refused != "" {
			return fault.Errorf("batch: %w", at(fmt.Errorf("%w: %s", ErrOptions, refused)))
		}
		list[i] = v.length
		v.length += n
		return nil
	}
	for _, i := range o.Bodies {
		if i < 0 || i >= m.NumBodies() {
			return nil, fault.Errorf("%w: body %d is out of range", ErrOptions, i)
		}
		refused := ""
		if _, n := m.Bodies[i].Null(); n > 0 {
			refused = "it has no inertia in some direction"
		}
		if err := take(v.body, i, bodyData, refused, func(err error) error { return m.AtBody(i, err) }); err != nil {
			return nil, err
		}
	}
	for _, j := range o.Joints {
		if j < 0 || j >= m.NumJoints() {
			return nil, fault.Errorf("%w: joint %d is out of range", ErrOptions, j)
		}
		if err := take(v.joint, j, jointPlaces, "", func(err error) error { return m.AtJoint(j, -1, err) }); err != nil {
			return nil, err
		}
	}
	for k, list := range [3][]mechanism.Freedom{o.Armature, o.Drives, o.Friction} {
		for _, f := range list {
			if f.Joint < 0 || f.Joint >= m.NumJoints() {
				return nil, fault.Errorf("%w: joint %d is out of range", ErrOptions, f.Joint)
			}
			jt, to, n, refused := &m.Joints[f.Joint], v.gear, gearPlaces, ""
			in := f.Freedom >= 0 && f.Freedom < jt.Kind.Freedoms()
			switch {
			case !in:
				refused = fmt.Sprintf("freedom %d is out of range, the joint has %d", f.Freedom, jt.Kind.Freedoms())
			case k == 0 && !jt.Geared(f.Freedom):
				refused = fmt.Sprintf("freedom %d has no armature in the model, or is prescribed", f.Freedom)
			case k == 1 && !m.Sprung(f.Joint, f.Freedom):
				refused = fmt.Sprintf("freedom %d has no stiffness or damping in the model", f.Freedom)
			case k == 2 && !hasFriction(m, f):
				refused = fmt.Sprintf("freedom %d has no friction in the model, or is not the first rotation of a ball", f.Freedom)
			}
			switch k {
			case 1:
				to, n = v.drive, drivePlaces
			case 2:
				to, n = v.rub, frictionPlaces
			}
			if err := take(to, max(0, 6*f.Joint+f.Freedom), n, refused, func(err error) error { return m.AtJoint(f.Joint, -1, err) }); err != nil {
				return nil, err
			}
		}
	}
	for _, i := range o.Springs {
		if i < 0 || i >= len(m.Forces) {
			return nil, fault.Errorf("%w: force element %d is out of range", ErrOptions, i)
		}
		refused := ""
		if k := m.Forces[i].Kind; k != model.SpringDamper {
			refused = fmt.Sprintf("it is a %v and no spring_damper", k)
		}
		if err := take(v.spring, i, springPlaces, refused, func(err error) error { return m.AtForce(i, err) }); err != nil {
			return nil, err
		}
	}
	v.own = len(o.Bodies)+len(o.Joints)+len(o.Armature) > 0
	v.any = v.length > first
	return v, nil
}

// dataPlace returns the constants of a body: in the state, or in the workspace.
func (c *compiler) dataPlace(i int) place {
	if at := c.at.body[i]; at > 0 {
		return c.input.at(at)
	}
	return c.shared(c.bodyNumbers(int32(i))...)
}

// bodyNumbers returns the constants of a body of the model.
func (c *compiler) bodyNumbers(body int32) []float64 {
	var data [bodyData]float64
	dataTo(&data, &c.mech.Bodies[body])
	return data[:]
}

// side is one of the two frames of a joint.
type side int

const (
	sideP side = atFrameP
	sideS side = atFrameS
)

func (s side) of(jt *joint) (body int32, f *mechanism.Frame) {
	if s == sideP {
		return jt.Pred, &jt.P
	}
	return jt.Succ, &jt.S
}

// axesIn returns the axes of a frame of joint j in its body.
func (c *compiler) axesIn(j int, s side) place {
	if at := c.at.joint[j]; at > 0 {
		return c.input.at(at + int(s))
	}
	_, f := s.of(&c.mech.Joints[j])
	return c.shared(f.E[:]...)
}

// originIn returns the origin of a frame of joint j in its body.
func (c *compiler) originIn(j int, s side) place {
	if at := c.at.joint[j]; at > 0 {
		return c.input.at(at + int(s) + 9)
	}
	_, f := s.of(&c.mech.Joints[j])
	return c.shared(f.Origin[:]...)
}

// armIn returns the arm from the centre of mass to the origin of a frame of joint j, in the axes of its body.
func (c *compiler) armIn(j int, s side) place {
	body, f := s.of(&c.mech.Joints[j])
	if c.at.joint[j] > 0 || c.at.body[body] > 0 {
		return c.difference(c.originIn(j, s), c.comOf(body))
	}
	return c.shared(vec(f.Origin.Sub(c.mech.Bodies[body].Com))...)
}

// varies reports whether the frames of joint j, or the body that it hangs on, differ from state to state.
func (c *compiler) varies(j int) bool {
	b := c.mech.Joints[j].Pred
	return c.at.joint[j] > 0 || b >= 0 && c.at.body[b] > 0
}

// comOf returns the centre of mass of a body in its frame.
func (c *compiler) comOf(body int32) place { return c.bodies[body].data.at(atCom) }

// scalarIn returns a number of joint j: in the state at offset at, or a constant.
func (c *compiler) scalarIn(j, at int, x float64) place {
	if k := c.at.joint[j]; k > 0 {
		return c.input.at(k + at)
	}
	return c.shared(x)
}

// hasPitch and hasLength report whether a type has that number.
func hasPitch(jt *joint) bool  { return jt.Kind == joints.Helical && jt.Axes == nil }
func hasLength(jt *joint) bool { return jt.Kind == joints.Distance && jt.Axes == nil }

// hasFriction reports whether a freedom has dry friction, or is the first rotation of a ball that has.
func hasFriction(m *mechanism.Mechanism, f mechanism.Freedom) bool {
	_, ok := m.Friction(f.Joint, f.Freedom)
	return ok && (m.Joints[f.Joint].Kind.Scalar(f.Freedom) || f.Freedom == 0)
}
