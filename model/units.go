package model

import (
	"strconv"

	"github.com/rung-mbd/rung/internal/document"
)

// fieldUnits has the units of numbers by section and field.
var fieldUnits = map[string]string{
	"time.time": "s",
	"bodies.xx": "kg m²", "bodies.yy": "kg m²", "bodies.zz": "kg m²", "bodies.xy": "kg m²", "bodies.xz": "kg m²", "bodies.yz": "kg m²",
	"bodies.linear": "m/s", "bodies.angular": "rad/s", "joints.pitch": "m/rad", "joints.point": "m", "forces.point": "m", "forces.points": "m",
	"forces.rest_length": "m", "forces.torque": "N m",
}

// turningUnits and slidingUnits have the units of the fields of a rotational and of a translational freedom.
var (
	turningUnits = map[string]string{
		"stiffness": "N m/rad", "damping": "N m s/rad", "rest": "rad", "force": "N m", "armature": "kg m²",
		"lower": "rad", "upper": "rad", "rate": "rad/s",
	}
	slidingUnits = map[string]string{
		"stiffness": "N/m", "damping": "N s/m", "rest": "m", "force": "N", "armature": "kg",
		"lower": "m", "upper": "m", "rate": "m/s",
	}
)

// Unit returns the unit of the number at a path, such as $.joints[3].stiffness[0], in which elements are given by index. It is empty
// for a dimensionless number, for a number whose unit depends on other fields, and for a path that cannot be parsed. If the model
// has no such element, Unit returns the unit that follows from the field alone.
//
// Cost: O(length of the path); allocates.
func (m *Model) Unit(path string) string {
	steps, err := document.ParsePath(path)
	if err != nil {
		return ""
	}
	section, field := steps[0].Key, ""
	for _, s := range steps {
		if !s.Entry {
			field = s.Key
		}
	}
	if section == "joints" && len(steps) > 3 {
		if unit := freedomUnit(steps, field, m); unit != "" {
			return unit
		}
	}
	if section == "forces" && len(steps) > 1 {
		if unit := springUnit(steps, field, m); unit != "" {
			return unit
		}
	}
	for _, key := range [...]string{section + "." + field, field} {
		if unit := fieldUnits[key]; unit != "" {
			return unit
		}
	}
	return keyUnits[field]
}

// freedomUnit is Unit for joints[i].FIELD[k] and joints[i].limits[k].FIELD; empty for other paths and missing joints.
func freedomUnit(steps []document.Step, field string, m *Model) string {
	list := steps[2].Key
	direct := len(steps) == 4 && field != "limits"
	limit := len(steps) == 5 && list == "limits"
	if !direct && !limit || !steps[3].Entry {
		return ""
	}
	j, k := number(steps[1]), number(steps[3])
	if j < 0 || j >= len(m.Joints) || k < 0 {
		return ""
	}
	if m.Joints[j].Kind().Rotational(k) {
		return turningUnits[field]
	}
	return slidingUnits[field]
}

// springUnit is Unit for forces[i].FIELD: the numbers of springs and dampers between two points, and the force of a wrench.
func springUnit(steps []document.Step, field string, m *Model) string {
	i := number(steps[1])
	if i < 0 || i >= len(m.Forces) {
		return ""
	}
	if t := m.Forces[i].Type; len(steps) == 3 && (t == SpringDamper || t == CableForce) {
		switch field {
		case "stiffness":
			return "N/m"
		case "damping":
			return "N s/m"
		}
	}
	if m.Forces[i].Type == Wrench && field == "force" {
		return "N"
	}
	return ""
}

// number returns the index of a step that is an entry of a list, −1 for other steps.
func number(s document.Step) int {
	i, err := strconv.Atoi(s.Key)
	if err != nil || !s.Entry {
		return -1
	}
	return i
}

// keyUnits has the units of fields whose name has the same meaning everywhere in a model.
var keyUnits = map[string]string{"mass": "kg", "com": "m", "position": "m", "gravity": "m/s²", "length": "m", "radius": "m"}
