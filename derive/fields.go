package derive

import (
	"errors"
	"slices"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// fields are the numbers of a model by path, with [] for each index.
var fields = allFields()

// allFields returns the fields of all numbers that have derivatives, and of all numbers that are refused with a reason.
func allFields() map[string]field {
	list := map[string]field{
		"bodies[].mass":       ofBody(partMass, 1, 0),
		"bodies[].com[]":      ofBody(partCom, 3, 0),
		"bodies[].inertia.xx": ofBody(partInertia, 1, 0), "bodies[].inertia.yy": ofBody(partInertia, 1, 1),
		"bodies[].inertia.zz": ofBody(partInertia, 1, 2),
		"bodies[].inertia.xy": ofBody(partInertia, 1, 3), "bodies[].inertia.xz": ofBody(partInertia, 1, 4),
		"bodies[].inertia.yz":      ofBody(partInertia, 1, 5),
		"bodies[].pose.position[]": ofBody(partPosition, 3, 0), "bodies[].velocity.linear[]": ofBody(partLinear, 3, 0),
		"bodies[].velocity.angular[]": ofBody(partAngular, 3, 0),
		"bodies[].pose.orientation[]": {parts: func(d *Derivatives, i []int) ([]part, error) {
			if !within(i, 1, 4) {
				return nil, errNone
			}
			return turns(partPose, i[0], quaternionTurns(d.doc.Bodies[i[0]].Pose.Orientation, i[1])), nil
		}},
		"gravity[]": {parts: func(d *Derivatives, i []int) ([]part, error) {
			if !within(i, 0, 3) {
				return nil, errNone
			}
			return one(partGravity, 0, i[0]), nil
		}},
		"time": {parts: func(*Derivatives, []int) ([]part, error) { return one(partTime, 0, 0), nil }},
	}
	jointFields(list)
	freedomFields(list)
	elementFields(list)
	couplingFields(list)
	contactFields(list)
	terrainFields(list)
	refusedFields(list)
	return list
}

// jointFields adds the numbers of the geometry of joints.
func jointFields(list map[string]field) {
	for side, name := range [2]string{"predecessor_frame", "successor_frame"} {
		list["joints[]."+name+".position[]"] = ofFramePosition(side)
		list["joints[]."+name+".orientation[]"] = ofFrameOrientation(side)
	}
	for name, x := range map[string]struct {
		kind uint8
		at   func(j *model.Joint) *float64
	}{
		"pitch":       {slotPitch, func(j *model.Joint) *float64 { return &j.Pitch }},
		"length":      {slotLength, func(j *model.Joint) *float64 { return &j.Length }},
		"radius":      {slotRadius, func(j *model.Joint) *float64 { return &j.Radius }},
		"tyre_radius": {slotTyre, func(j *model.Joint) *float64 { return &j.TyreRadius }},
		"bowl_radius": {slotBowl, func(j *model.Joint) *float64 { return &j.BowlRadius }},
	} {
		list["joints[]."+name] = field{
			at: func(m *model.Model, i []int) *float64 { return x.at(&m.Joints[i[0]]) },
			parts: func(d *Derivatives, i []int) ([]part, error) {
				j := &d.doc.Joints[i[0]]
				if *x.at(j) == 0 {
					return nil, errNone
				}
				if (x.kind == slotRadius || x.kind == slotTyre) && j.Radius == j.TyreRadius {
					return nil, errors.New("derive: radius and tyre_radius of a ball are one number, which no path names alone")
				}
				return d.scalarPart(i[0], slot{kind: x.kind}), nil
			},
		}
	}
	axis := func(kind uint8, vector bool, at func(a *model.Axis, k int) *float64) field {
		return field{
			at: func(m *model.Model, i []int) *float64 { return at(&m.Joints[i[0]].Axes[i[1]], i[len(i)-1]) },
			parts: func(d *Derivatives, i []int) ([]part, error) {
				if !within(i, 1, len(d.doc.Joints[i[0]].Axes)) || vector && !within(i, 2, 3) {
					return nil, errNone
				}
				s := slot{kind: kind, freedom: uint8(i[1])}
				if vector {
					s.index = int32(i[2])
				}
				return d.scalarPart(i[0], s), nil
			},
		}
	}
	list["joints[].axes[].axis[]"] = axis(slotAxis, true, func(a *model.Axis, k int) *float64 { return &a.Axis[k] })
	list["joints[].axes[].point[]"] = axis(slotAxisPoint, true, func(a *model.Axis, k int) *float64 { return &a.Point[k] })
	list["joints[].axes[].pitch"] = axis(slotAxisPitch, false, func(a *model.Axis, _ int) *float64 { return &a.Pitch })
}

// elementFields adds the numbers of force elements.
func elementFields(list map[string]field) {
	spring, cable, actuator, wrench := model.SpringDamper, model.CableForce, model.ActuatorForce, model.Wrench
	list["forces[].stiffness"] = ofElement(slotStiffness, 1, spring, cable)
	list["forces[].damping"] = ofElement(slotDamping, 1, spring, cable, actuator)
	list["forces[].rest_length"] = ofElement(slotRest, 1, spring, cable)
	list["forces[].tension"] = ofElement(slotTension, 1, cable)
	list["forces[].force[]"] = ofElement(slotForceVector, 3, wrench, model.BushingForce)
	list["forces[].torque[]"] = ofElement(slotTorqueVector, 3, wrench, model.BushingForce)
	list["forces[].gain"] = ofElement(slotGain, 1, actuator)
	list["forces[].integral"] = ofActuator(slotIntegral, errNoIntegral, func(a *model.Actuator) float64 { return a.Integral })
	list["forces[].limit"] = ofActuator(slotLimit, errNoLimit, func(a *model.Actuator) float64 { return a.Limit })
	list["forces[].stiffness[]"] = ofElement(slotStiffness, 6, model.BushingForce)
	list["forces[].damping[]"] = ofElement(slotDamping, 6, model.BushingForce)
	list["forces[].stiffness[][]"] = ofDiagonal(slotStiffness)
	list["forces[].damping[][]"] = ofDiagonal(slotDamping)
	list["forces[].a.point[]"] = ofPoint(0)
	list["forces[].b.point[]"] = ofPoint(1)
	list["forces[].point[]"] = ofPoint(0)
	list["forces[].points[].point[]"] = ofPoint(-1)
	for name, kind := range map[string]uint8{"spring": slotSpringForces, "damper": slotDamperForces} {
		list["forces[]."+name+".forces[]"] = field{parts: func(d *Derivatives, i []int) ([]part, error) {
			f := &d.doc.Forces[i[0]]
			l := f.Spring
			if kind == slotDamperForces {
				l = f.Damper
			}
			if l == nil || !within(i, 1, len(l.Forces)) {
				return nil, errNone
			}
			return d.scalarPart(d.elementNumber(i[0]), slot{kind: kind, index: int32(i[1])}), nil
		}}
	}
	value := func(d *Derivatives, i []int) (int, int, *model.Motion) {
		if a := d.doc.Forces[i[0]].Actuator; a != nil {
			return d.elementNumber(i[0]), 0, a.Value
		}
		return 0, 0, nil
	}
	ofMotion(list, "forces[].value", value)
	list["forces[].value"] = field{parts: func(d *Derivatives, i []int) ([]part, error) {
		n, _, m := value(d, i)
		if m == nil || m.Kind != joints.Polynomial || len(m.Coefficients) != 1 { // the value is no constant
			return nil, errNone
		}
		return d.scalarPart(n, slot{kind: slotMotion, index: motionList}), nil
	}}
}

// couplingFields adds the numbers of couplings.
func couplingFields(list map[string]field) {
	scalar := func(kind uint8, at func(c *model.Coupling, i []int) *float64, index func(c *model.Coupling, i []int) int) field {
		return field{
			at: func(m *model.Model, i []int) *float64 { return at(&m.Couplings[i[0]], i) },
			parts: func(d *Derivatives, i []int) ([]part, error) {
				k := index(&d.doc.Couplings[i[0]], i)
				if k < 0 {
					return nil, errNone
				}
				return d.scalarPart(d.couplingNumber(i[0]), slot{kind: kind, index: int32(k)}), nil
			},
		}
	}
	if1 := func(ok bool, k int) int {
		if ok {
			return k
		}
		return -1
	}
	list["couplings[].offset"] = scalar(slotOffset, func(c *model.Coupling, _ []int) *float64 { return &c.Offset },
		func(*model.Coupling, []int) int { return 0 })
	list["couplings[].terms[].factor"] = scalar(slotFactor, func(c *model.Coupling, i []int) *float64 { return &c.Terms[i[1]].Factor },
		func(c *model.Coupling, i []int) int { return if1(within(i, 1, len(c.Terms)), i[1]) })
	list["couplings[].polynomial.coefficients[]"] = scalar(slotLawValue,
		func(c *model.Coupling, i []int) *float64 { return &c.Polynomial.Coefficients[i[1]] },
		func(c *model.Coupling, i []int) int {
			return if1(c.Polynomial != nil && within(i, 1, len(c.Polynomial.Coefficients)), i[1])
		})
	list["couplings[].law.values[]"] = scalar(slotLawValue, func(c *model.Coupling, i []int) *float64 { return &c.Law.Values[i[1]] },
		func(c *model.Coupling, i []int) int {
			return if1(c.Law != nil && within(i, 1, len(c.Law.Values)), i[1])
		})
	list["couplings[].law.slopes[]"] = scalar(slotLawValue, func(c *model.Coupling, i []int) *float64 { return &c.Law.Slopes[i[1]] },
		func(c *model.Coupling, i []int) int {
			if c.Law == nil || !within(i, 1, 2) {
				return -1
			}
			return len(c.Law.Values) + i[1]
		})
	list["couplings[].law.values[][]"] = scalar(slotLawValue, func(c *model.Coupling, i []int) *float64 { return &c.Law.Lines[i[1]][i[2]] },
		func(c *model.Coupling, i []int) int {
			if c.Law == nil || !within(i, 1, len(c.Law.Lines)) || !within(i, 2, len(c.Law.Lines[i[1]])) {
				return -1
			}
			return i[1]*len(c.Law.Lines[i[1]]) + i[2]
		})
}

// contactFields adds the numbers of contacts.
func contactFields(list map[string]field) {
	for n := range contactNumbers {
		x := &contactNumbers[n]
		list["forces[]."+x.path] = field{parts: func(d *Derivatives, i []int) ([]part, error) {
			if d.doc.Forces[i[0]].Type != model.ContactForce {
				return nil, errNone
			}
			i = append(i[:len(i):len(i)], 0)
			k := i[1]
			c, _, _ := d.mech.Contact(d.contactOf(i[0]))
			if err := x.check(c, k); err != nil {
				return nil, err
			}
			return d.scalarPart(d.elementNumber(i[0]), slot{kind: slotContact, index: int32(vectorEntries*n + k)}), nil
		}}
	}
}

// terrainFields adds the numbers of terrains.
func terrainFields(list map[string]field) {
	for path, x := range map[string]struct {
		types []model.TerrainType
		at    func(t *model.Terrain, i []int) *float64
	}{
		"point[]":     {[]model.TerrainType{model.PlaneTerrain}, func(t *model.Terrain, i []int) *float64 { return entryOf(t.Point[:], i[1]) }},
		"normal[]":    {[]model.TerrainType{model.PlaneTerrain}, func(t *model.Terrain, i []int) *float64 { return entryOf(t.Normal[:], i[1]) }},
		"origin[]":    {gridTypes, func(t *model.Terrain, i []int) *float64 { return entryOf(t.Origin[:], i[1]) }},
		"spacing[]":   {gridTypes, func(t *model.Terrain, i []int) *float64 { return entryOf(t.Spacing[:], i[1]) }},
		"heights[][]": {tableTypes, heightOf},
		"rms":         {randomTypes, func(t *model.Terrain, _ []int) *float64 { return &t.RMS }},
		"length":      {randomTypes, func(t *model.Terrain, _ []int) *float64 { return &t.Length }},
		"hurst":       {randomTypes, func(t *model.Terrain, _ []int) *float64 { return &t.Hurst }},
	} {
		list["terrains[]."+path] = field{parts: func(d *Derivatives, i []int) ([]part, error) {
			t := &d.doc.Terrains[i[0]]
			switch {
			case t.Type == model.CSVTerrain || t.Type == model.PNGTerrain:
				return nil, errors.New("derive: " + ofFile)
			case !slices.Contains(x.types, t.Type) || x.at(t, i) == nil:
				return nil, errNone
			}
			return d.terrainParts(i[0], func(t *model.Terrain) *float64 { return x.at(t, i) }), nil
		}}
	}
}

// ofFile says why numbers of a terrain in a file have no derivatives.
const ofFile = "the heights are those of a file, which is not read again; those of a grid have derivatives"

// Types of terrain by their numbers in the model: gridTypes have a grid, tableTypes its heights, and randomTypes a random field.
var (
	gridTypes   = []model.TerrainType{model.GridTerrain, model.RandomTerrain}
	tableTypes  = []model.TerrainType{model.GridTerrain}
	randomTypes = []model.TerrainType{model.RandomTerrain}
)

// entryOf returns entry k of list, nil if there is none.
func entryOf(list []float64, k int) *float64 {
	if k >= len(list) {
		return nil
	}
	return &list[k]
}

// heightOf returns the height at the node with the last two indices of i, nil if there is none.
func heightOf(t *model.Terrain, i []int) *float64 {
	if i[1] >= len(t.Heights) {
		return nil
	}
	return entryOf(t.Heights[i[1]], i[2])
}

// terrainParts returns the parts of the number at of a terrain: one for each contact on that terrain, or on a sum with it, and for each
// contact whose friction the terrain scales.
func (d *Derivatives) terrainParts(terrain int, at func(t *model.Terrain) *float64) (list []part) {
	index := int32(len(d.grounds.numbers))
	for k := range d.grounds.numbers {
		if x := &d.grounds.numbers[k]; x.terrain == terrain && at(&d.doc.Terrains[terrain]) == x.at(&d.doc.Terrains[terrain]) {
			index = int32(k)
		}
	}
	if int(index) == len(d.grounds.numbers) {
		d.grounds.numbers = append(d.grounds.numbers, terrainNumber{terrain: terrain, at: at})
	}
	under := map[string]bool{d.doc.Terrains[terrain].Name: true}
	for i := range d.doc.Terrains {
		t := &d.doc.Terrains[i]
		if t.Type == model.SumTerrain && slices.ContainsFunc(t.Parts, func(name string) bool { return under[name] }) {
			under[t.Name] = true
		}
	}
	for i := range d.doc.Forces {
		if c := d.doc.Forces[i].Contact; c != nil && (under[c.Terrain] || c.Map != "" && under[c.Map]) {
			list = append(list, d.scalarPart(d.elementNumber(i), slot{kind: slotTerrain, index: index})...)
		}
	}
	return list
}
