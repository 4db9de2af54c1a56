package batch

import (
	"fmt"

	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// variables has the places in a state of the parameters that differ from state to state.
type variables struct {
	mechanics.State
	first int  // place of the first parameter
	own   bool // bodies, joints or armature vary
	any   bool // some parameter varies
}

// newVariables lays out the places of a state with forces and the parameters of o. It returns an error that wraps ErrOptions for a
// parameter that cannot vary.
func newVariables(m *mechanism.Mechanism, forces []mechanism.Freedom, o *Vary) (*variables, error) {
	v := &variables{}
	v.Length = mechanics.Bodies + bodyPlaces*m.NumBodies()
	v.Body, v.Joint, v.Spring = make([]int, m.NumBodies()), make([]int, m.NumJoints()), make([]int, len(m.Forces))
	for _, list := range [4]*[]int{&v.Forces, &v.Gear, &v.Drive, &v.Rub} {
		*list = make([]int, 6*m.NumJoints())
	}
	for _, f := range forces {
		v.Forces[6*f.Joint+f.Freedom] = v.Length
		v.Length++
	}
	v.first = v.Length
	for _, add := range []func(*mechanism.Mechanism, *Vary) error{v.addBodies, v.addJoints, v.addFreedoms, v.addSprings} {
		if err := add(m, o); err != nil {
			return nil, err
		}
	}
	v.own = len(o.Bodies)+len(o.Joints)+len(o.Armature) > 0
	v.any = v.Length > v.first
	return v, nil
}

// take gives entry i of a list n places. It returns an error that wraps ErrOptions if refused is a reason, or if the entry has places
// already; at adds the body, joint or force to the error.
func (v *variables) take(list []int, i, n int, refused string, at func(error) error) error {
	if refused == "" && list[i] > 0 {
		refused = "it is given twice"
	}
	if refused != "" {
		return fault.Errorf("batch: %w", at(fmt.Errorf("%w: %s", ErrOptions, refused)))
	}
	list[i] = v.Length
	v.Length += n
	return nil
}

// addBodies gives the bodies of o their places. It refuses a body out of range, and a body without inertia in some direction.
func (v *variables) addBodies(m *mechanism.Mechanism, o *Vary) error {
	for _, i := range o.Bodies {
		if i < 0 || i >= m.NumBodies() {
			return fault.Errorf("%w: body %d is out of range", ErrOptions, i)
		}
		refused := ""
		if _, n := m.Bodies[i].Null(); n > 0 {
			refused = "it has no inertia in some direction"
		}
		if err := v.take(v.Body, i, bodyData, refused, func(err error) error { return m.AtBody(i, err) }); err != nil {
			return err
		}
	}
	return nil
}

// addJoints gives the joints of o their places. It refuses a joint out of range.
func (v *variables) addJoints(m *mechanism.Mechanism, o *Vary) error {
	for _, j := range o.Joints {
		if j < 0 || j >= m.NumJoints() {
			return fault.Errorf("%w: joint %d is out of range", ErrOptions, j)
		}
		if err := v.take(v.Joint, j, mechanics.JointPlaces, "", func(err error) error { return m.AtJoint(j, -1, err) }); err != nil {
			return err
		}
	}
	return nil
}

// addFreedoms gives armature, drives and dry friction of o their places. It refuses freedoms that do not have them in the model.
func (v *variables) addFreedoms(m *mechanism.Mechanism, o *Vary) error {
	for _, kind := range []struct {
		list   []mechanism.Freedom
		places []int
		n      int
		has    func(f mechanism.Freedom) bool
		hasNot string
	}{
		{o.Armature, v.Gear, mechanics.GearPlaces, func(f mechanism.Freedom) bool { return m.Joints[f.Joint].Geared(f.Freedom) },
			"has no armature in the model, or is prescribed"},
		{o.Drives, v.Drive, mechanics.DrivePlaces, func(f mechanism.Freedom) bool { return m.Sprung(f.Joint, f.Freedom) },
			"has no stiffness or damping in the model"},
		{o.Friction, v.Rub, mechanics.FrictionPlaces, func(f mechanism.Freedom) bool { return hasFriction(m, f) },
			"has no friction in the model, or is not the first rotation of a ball"},
	} {
		for _, f := range kind.list {
			if f.Joint < 0 || f.Joint >= m.NumJoints() {
				return fault.Errorf("%w: joint %d is out of range", ErrOptions, f.Joint)
			}
			refused, n := "", m.Joints[f.Joint].Kind.Freedoms()
			switch {
			case f.Freedom < 0 || f.Freedom >= n:
				refused = fmt.Sprintf("freedom %d is out of range, the joint has %d", f.Freedom, n)
			case !kind.has(f):
				refused = fmt.Sprintf("freedom %d %s", f.Freedom, kind.hasNot)
			}
			at := func(err error) error { return m.AtJoint(f.Joint, -1, err) }
			if err := v.take(kind.places, max(0, 6*f.Joint+f.Freedom), kind.n, refused, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSprings gives the spring-dampers of o their places. It refuses other force elements.
func (v *variables) addSprings(m *mechanism.Mechanism, o *Vary) error {
	for _, i := range o.Springs {
		if i < 0 || i >= len(m.Forces) {
			return fault.Errorf("%w: force element %d is out of range", ErrOptions, i)
		}
		refused := ""
		if k := m.Forces[i].Kind; k != model.SpringDamper {
			refused = fmt.Sprintf("it is a %v and no spring_damper", k)
		}
		if err := v.take(v.Spring, i, mechanics.SpringPlaces, refused, func(err error) error { return m.AtForce(i, err) }); err != nil {
			return err
		}
	}
	return nil
}

// hasPitch reports whether a joint has a pitch.
func hasPitch(jt *mechanism.Joint) bool { return jt.Kind == joints.Helical && jt.Axes == nil }

// hasLength reports whether a joint has a length.
func hasLength(jt *mechanism.Joint) bool { return jt.Kind == joints.Distance && jt.Axes == nil }

// hasFriction reports whether a freedom has dry friction that may vary: a scalar freedom, or the first rotation of a ball for all three.
func hasFriction(m *mechanism.Mechanism, f mechanism.Freedom) bool {
	_, ok := m.Friction(f.Joint, f.Freedom)
	return ok && (m.Joints[f.Joint].Kind.Scalar(f.Freedom) || f.Freedom == 0)
}
