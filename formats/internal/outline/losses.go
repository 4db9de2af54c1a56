package outline

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// Parts is the set of optional parts of a model that a format supports.
type Parts uint16

// The parts.
const (
	Gravity    Parts = 1 << iota // gravity other than the default
	Velocities                   // velocities of bodies
	Forces                       // constant forces along freedoms
	Springs                      // linear springs of freedoms
	Rotors                       // rotor inertias, Joint.Armature
	Rates                        // limits of rates
	Frames                       // named frames
	Balls                        // dampers of balls, with one number each
)

func short(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// nonzero reports whether an entry of list is not zero.
func nonzero(list []float64) bool {
	return slices.ContainsFunc(list, func(x float64) bool { return x != 0 })
}

// Held returns for each joint whether something acts on, limits or refers to its
// coordinates: forces, limits, couplings, actuators.
func (d *Draft) Held() []bool {
	m := d.Model
	out := make([]bool, len(m.Joints))
	for i := range m.Joints {
		j := &m.Joints[i]
		out[i] = nonzero(j.Force) || nonzero(j.Stiffness) || nonzero(j.Damping) || nonzero(j.Armature) ||
			slices.ContainsFunc(j.Motion, func(x *model.Motion) bool { return x != nil }) ||
			slices.ContainsFunc(j.Limits, func(x *model.Limit) bool { return x != nil }) ||
			slices.ContainsFunc(j.Friction, func(f model.Friction) bool { return f != model.Friction{} }) ||
			slices.ContainsFunc(j.Springs, func(x *model.SpringLaw) bool { return x != nil }) ||
			slices.ContainsFunc(j.Dampers, func(x *model.SpringLaw) bool { return x != nil })
	}
	for i := range m.Couplings {
		c := &m.Couplings[i]
		for k := range c.Terms {
			out[d.Joints[c.Terms[k].Joint]] = true
		}
		for _, of := range c.Of() {
			out[d.Joints[of.Joint]] = true
		}
	}
	for i := range m.Forces {
		if a := m.Forces[i].Actuator; a != nil {
			out[d.Joints[a.Joint]] = true
		}
	}
	return out
}

// Losses reports the parts of the model that are not written: parts that are not in has, and parts of
// joints for which coordinates returns false, as they have no coordinates in the file.
// motion and force return whether the motion of a freedom of a joint, or a force
// element, has been written or reported already; nil means that none has.
func (d *Draft) Losses(has Parts, coordinates func(joint int) bool, motion func(joint, freedom int) bool, force func(i int) bool) {
	m := d.Model
	lose := func(what string) { d.Report.Drop(nil, what, "the format has none", "") }
	if has&Gravity == 0 && m.Gravity != [3]float64{0, 0, -9.81} {
		lose(fmt.Sprintf("gravity %v", m.Gravity))
	}
	if has&Velocities == 0 {
		for i := range m.Bodies {
			if m.Bodies[i].Velocity != (model.Velocity{}) {
				d.Report.Note(nil, "velocities are lost", "the format has no state")
			}
		}
	}
	for i := range m.Joints {
		d.loseOf(i, has, coordinates(i), motion)
	}
	for i := range m.Forces {
		if force == nil || !force(i) {
			lose("force " + fault.Name(m.Forces[i].Name) + " of type " + m.Forces[i].Type.String())
		}
	}
	for i := range m.Terrains {
		lose("terrain " + fault.Name(m.Terrains[i].Name))
	}
	if has&Frames == 0 && len(m.Frames) > 0 {
		d.Report.Note(nil, "frames are left out", "the format has links for them")
	}
}

// loseOf reports the losses of joint i; coordinates tells that it has coordinates in the file.
func (d *Draft) loseOf(i int, has Parts, coordinates bool, motion func(joint, freedom int) bool) {
	j := &d.Model.Joints[i]
	name := " of joint " + fault.Name(j.Name)
	lose := func(part Parts, what string) {
		switch {
		case part != 0 && has&part == 0:
			d.Report.Drop(nil, what+name, "the format has none", "")
		case !coordinates:
			d.Report.Drop(nil, what+name, "it closes a loop, where the format has none", "")
		}
	}
	if nonzero(j.Force) {
		lose(Forces, "forces")
	}
	if nonzero(j.Stiffness) {
		lose(Springs, "springs")
	}
	if nonzero(j.Armature) {
		lose(Rotors, "rotor inertias")
	}
	d.loseDamping(j, name, has, lose)
	if slices.ContainsFunc(j.Friction, func(f model.Friction) bool { return f != model.Friction{} }) {
		lose(0, "friction")
	}
	limit := func(test func(l *model.Limit) bool) bool {
		return slices.ContainsFunc(j.Limits, func(l *model.Limit) bool { return l != nil && test(l) })
	}
	if limit(func(*model.Limit) bool { return true }) {
		lose(0, "limits")
	}
	if coordinates && has&Rates == 0 && limit(func(l *model.Limit) bool { return l.Rate != 0 }) {
		d.Report.Drop(nil, "limits of rates"+name, "the format has none", "")
	}
	for _, what := range beyond(j) {
		d.Report.Drop(nil, what+name, "the format has none", "")
	}
	for k, x := range j.Motion {
		if x != nil && (motion == nil || !motion(i, k)) {
			d.Report.Drop(nil, "motion"+name, "the format has none", "the coordinate is free")
		}
	}
}

// loseDamping calls lose for the damping of a joint, if any. For a ball with three different dampers, of which a format with Balls keeps
// one, it reports the loss itself.
func (d *Draft) loseDamping(j *model.Joint, name string, has Parts, lose func(part Parts, what string)) {
	switch {
	case !nonzero(j.Damping):
	case j.Type != model.Spherical && j.Type != model.SphereInCylinder || !nonzero(j.Damping[:3]):
		lose(0, "damping")
	case has&Balls != 0 && (j.Damping[1] != j.Damping[0] || j.Damping[2] != j.Damping[0]):
		d.Report.Drop(nil, "the difference of the dampers"+name, "the format has one for a ball", "it is "+d.Numbers(j.Damping[0]))
	default:
		lose(Balls, "damping of the ball")
	}
}

// beyond lists the features of a joint that no format has.
func beyond(j *model.Joint) (list []string) {
	for k := range j.Friction {
		if f := j.Friction[k]; f != (model.Friction{}) && f != (model.Friction{Force: f.Force}) {
			list = append(list, "all of friction but its size")
			break
		}
	}
	for _, l := range j.Limits {
		if l != nil && l.Stop != (model.Stop{}) {
			list = append(list, "stops")
			break
		}
	}
	for _, l := range append(append([]*model.SpringLaw(nil), j.Springs...), j.Dampers...) {
		if l != nil {
			list = append(list, "springs and dampers that are not linear")
			break
		}
	}
	return list
}
