package door

import (
	"fmt"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Knob is a number of a model that may be set between two computations, even if the document does not have it.
type Knob struct {
	Path  string  `json:"path"` // as in studies, such as joints[crank].force[0]
	Unit  string  `json:"unit"`
	Value float64 `json:"value"` // of the model
	// Geometry is true for numbers of bodies and of the geometry of joints. Solvers can set them, and runs cannot.
	Geometry bool `json:"geometry,omitempty"`

	of knobOf
}

// knobOf identifies the number that a knob sets.
type knobOf struct {
	kind  knobKind
	index int32 // of the joint, body, force element, cable or actuator
	part  int32 // freedom or component
}

// knobKind is the kind of the number that a knob sets. The comments give the parts of a kind.
type knobKind uint8

const (
	knobGravity knobKind = iota
	knobForce
	knobStiffness
	knobDamping
	knobRest
	knobMotion // the value at which a prescribed freedom is held
	knobTarget // the value of an actuator
	knobSpring // 0 stiffness, 1 damping, 2 rest length
	knobCable  // as knobSpring, and 3 tension
	knobWrench // 0 to 2 force, 3 to 5 torque
	knobBody   // 0 mass, 1 to 3 com, 4 to 9 inertia
	knobLength
	knobPitch
)

// knobList gathers the knobs of a mechanism.
type knobList struct {
	mech  *mechanism.Mechanism
	doc   *model.Model
	tried *mechanism.Inputs // a number is a knob if a setter of tried accepts its value in the model
	list  []Knob
}

// knobsOf lists the knobs of a mechanism: gravity, joints, springs and wrenches, cables, actuators, bodies, each kind in the order of
// the document.
//
// Cost: O(bodies + joints + forces); allocates.
func knobsOf(mech *mechanism.Mechanism, doc *model.Model) []Knob {
	l := &knobList{mech: mech, doc: doc, tried: mech.NewInputs()}
	l.tried.Vary()
	for k := range 3 {
		l.addAt(knobOf{knobGravity, 0, int32(k)}, fmt.Sprintf("gravity[%d]", k), fmt.Sprintf("gravity[%d]", k))
	}
	for j := range mech.NumJoints() {
		l.addJoint(j)
	}
	for i := range mech.Forces {
		l.addForce(i)
	}
	for i := range mech.NumCables() {
		l.addCable(i)
	}
	for i := range mech.NumActuators() {
		_, element := mech.Actuator(i)
		l.add(knobOf{knobTarget, int32(i), 0}, "forces", element, mech.ForceName(element), "value")
	}
	for i := range mech.NumBodies() {
		l.addBody(i)
	}
	return l.list
}

// add adds the knob of a field of the entry in a section of the document that has a name and an index.
func (l *knobList) add(of knobOf, section string, index int, name, field string) {
	l.addAt(of, fmt.Sprintf("%s[%s].%s", section, document.InBrackets(name), field), fmt.Sprintf("%s[%d].%s", section, index, field))
}

// addAt adds a knob if its setter accepts the value of the model. numbered is its path with indices in place of names.
func (l *knobList) addAt(of knobOf, path, numbered string) {
	x := of.value(l.tried.Mechanism())
	if of.set(l.tried, x) != nil {
		return
	}
	l.list = append(l.list, Knob{Path: path, Unit: l.unit(of, numbered), Value: x, Geometry: of.kind >= knobBody, of: of})
}

// unit returns the unit of a knob. The unit of a motion or a target depends on its freedom and its law; for other knobs it is the unit of
// the field at the path numbered.
func (l *knobList) unit(of knobOf, numbered string) string {
	turns := func(f mechanism.Freedom) int { // 0 for a length, 1 for an angle
		if l.mech.Joints[f.Joint].Kind.Rotational(f.Freedom) {
			return 1
		}
		return 0
	}
	switch of.kind {
	case knobMotion:
		return [2]string{"m", "rad"}[turns(mechanism.Freedom{Joint: int(of.index), Freedom: int(of.part)})]
	case knobTarget:
		f, _ := l.mech.Actuator(int(of.index))
		switch model.ActuatorLaw(l.mech.ActuatorSettings(int(of.index)).Law) {
		case model.ActuatorSpeed:
			return [2]string{"m/s", "rad/s"}[turns(f)]
		case model.ActuatorPosition:
			return [2]string{"m", "rad"}[turns(f)]
		}
		return [2]string{"N", "N m"}[turns(f)]
	}
	return l.doc.Unit(numbered)
}

// addJoint adds the knobs of joint j.
func (l *knobList) addJoint(j int) {
	name := l.mech.JointName(j)
	for i := range l.mech.Joints[j].Kind.Freedoms() {
		if l.mech.Joints[j].Prescribed(i) {
			l.add(knobOf{knobMotion, int32(j), int32(i)}, "joints", j, name, fmt.Sprintf("motion[%d]", i))
			continue
		}
		for kind, field := range [...]string{"force", "stiffness", "damping", "rest"} {
			l.add(knobOf{knobForce + knobKind(kind), int32(j), int32(i)}, "joints", j, name, fmt.Sprintf("%s[%d]", field, i))
		}
	}
	l.add(knobOf{knobLength, int32(j), 0}, "joints", j, name, "length")
	l.add(knobOf{knobPitch, int32(j), 0}, "joints", j, name, "pitch")
}

// springFields are the fields of a cable. A spring between two points has all but the last one.
var springFields = []string{"stiffness", "damping", "rest_length", "tension"}

// addForce adds the knobs of force element i, a spring or a wrench.
func (l *knobList) addForce(i int) {
	var fields []string
	kind := knobSpring
	switch l.mech.Forces[i].Kind {
	case model.SpringDamper:
		fields = springFields[:3]
	case model.Wrench:
		fields, kind = []string{"force[0]", "force[1]", "force[2]", "torque[0]", "torque[1]", "torque[2]"}, knobWrench
	}
	for k, field := range fields {
		l.add(knobOf{kind, int32(i), int32(k)}, "forces", i, l.mech.ForceName(i), field)
	}
}

// addCable adds the knobs of cable i.
func (l *knobList) addCable(i int) {
	_, element := l.mech.Cable(i)
	for k, field := range springFields {
		l.add(knobOf{knobCable, int32(i), int32(k)}, "forces", element, l.mech.ForceName(element), field)
	}
}

// bodyFields are the fields of the entries of a weight.
var bodyFields = [...]string{
	"mass", "com[0]", "com[1]", "com[2]", "inertia.xx", "inertia.yy", "inertia.zz", "inertia.xy", "inertia.xz", "inertia.yz",
}

// addBody adds the knobs of body i.
func (l *knobList) addBody(i int) {
	for k, field := range bodyFields {
		l.add(knobOf{knobBody, int32(i), int32(k)}, "bodies", i, l.mech.BodyName(i), field)
	}
}

// value returns the value of the knob in a mechanism; of a motion or a target at the time of its initial state.
func (k knobOf) value(m *mechanism.Mechanism) float64 {
	i, part := int(k.index), int(k.part)
	switch k.kind {
	case knobGravity:
		return m.Gravity[part]
	case knobForce, knobStiffness, knobDamping, knobRest:
		d := m.Drive(i)
		if d == nil {
			return 0
		}
		return [...]*[6]float64{&d.Force, &d.Stiffness, &d.Damping, &d.Rest}[k.kind-knobForce][part]
	case knobMotion:
		q, _, _ := m.Joints[i].Motion[part].At(m.Initial().Time)
		return q
	case knobTarget:
		u := m.ActuatorSettings(i).Value
		x, _, _ := u.At(m.Initial().Time)
		return x
	case knobSpring:
		e := &m.Forces[i]
		return [...]float64{e.Stiffness, e.Damping, e.RestLength}[part]
	case knobCable:
		_, element := m.Cable(i)
		e := &m.Forces[element]
		return [...]float64{e.Stiffness, e.Damping, e.RestLength, m.CableTension(i)}[part]
	case knobWrench:
		e := &m.Forces[i]
		return [...]*spatial.Vec3{&e.Force, &e.Torque}[part/3][part%3]
	case knobBody:
		b := weightOf(m, i)
		return b[part]
	case knobLength:
		return m.Joints[i].Length
	case knobPitch:
		return m.Joints[i].Pitch
	}
	panic("door: no such knob")
}

// weight has the mass, centre of mass and inertia of a body, in the order of knobBody.
type weight [10]float64

// weightOf returns the weight of body i.
func weightOf(m *mechanism.Mechanism, i int) (w weight) {
	b := &m.Bodies[i]
	w[0] = b.Mass
	copy(w[1:], b.Com[:])
	copy(w[4:], b.Inertia[:])
	return w
}

// setTo gives body i of the inputs the numbers of w. It returns the errors of bodies.New and of Inputs.SetBody.
func (w *weight) setTo(in *mechanism.Inputs, i int) error {
	b, err := bodies.New(w[0], spatial.Vec3(w[1:4]), spatial.Sym3(w[4:10]))
	if err != nil {
		return in.Mechanism().AtBody(i, fault.Errorf("%w: %w", mechanism.ErrInput, err))
	}
	return in.SetBody(i, &b)
}

// set gives the knob another value in the inputs. It returns the errors of the setters of mechanism.Inputs.
func (k knobOf) set(in *mechanism.Inputs, x float64) error {
	i, part, m := int(k.index), int(k.part), in.Mechanism()
	switch k.kind {
	case knobGravity:
		g := m.Gravity
		g[part] = x
		return in.SetGravity(g)
	case knobForce:
		return in.SetForce(i, part, x)
	case knobStiffness:
		return in.SetStiffness(i, part, x)
	case knobDamping:
		return in.SetDamping(i, part, x)
	case knobRest:
		return in.SetRest(i, part, x)
	case knobMotion:
		return in.SetMotion(i, part, joints.NewPolynomial([]float64{x}))
	case knobTarget:
		return in.SetActuator(i, joints.NewPolynomial([]float64{x}))
	case knobSpring:
		e := m.Forces[i]
		*[...]*float64{&e.Stiffness, &e.Damping, &e.RestLength}[part] = x
		return in.SetSpringDamper(i, e.Stiffness, e.Damping, e.RestLength)
	case knobCable:
		_, element := m.Cable(i)
		e, tension := m.Forces[element], m.CableTension(i)
		*[...]*float64{&e.Stiffness, &e.Damping, &e.RestLength, &tension}[part] = x
		return in.SetCable(element, e.Stiffness, e.Damping, e.RestLength, tension)
	case knobWrench:
		e := m.Forces[i]
		[...]*spatial.Vec3{&e.Force, &e.Torque}[part/3][part%3] = x
		return in.SetWrench(i, e.Force, e.Torque)
	case knobBody:
		w := weightOf(m, i)
		w[part] = x
		return w.setTo(in, i)
	case knobLength:
		return in.SetLength(i, x)
	case knobPitch:
		return in.SetPitch(i, x)
	}
	panic("door: no such knob")
}

// knobTable has the knobs of a model, and their indices by path.
type knobTable struct {
	list []Knob
	at   map[string]int
}

// newKnobTable lists the knobs of a mechanism.
func newKnobTable(mech *mechanism.Mechanism, doc *model.Model) *knobTable {
	t := &knobTable{list: knobsOf(mech, doc)}
	t.at = make(map[string]int, len(t.list))
	for i := range t.list {
		t.at[t.list[i].Path] = i
	}
	return t
}

// Knobs returns the knobs of the model. The list belongs to the model and must not be changed.
//
// Cost: the first call for a model makes the list, O(bodies + joints) and some hundred bytes a knob.
func (m *Model) Knobs() []Knob { return m.table().list }

// KnobAt returns the index in Knobs of the knob with a path. If there is none, the error has the status Input and suggests similar
// paths.
//
// Cost: as Knobs, then O(1).
func (m *Model) KnobAt(path string) (int, error) {
	t := m.table()
	if i, there := t.at[path]; there {
		return i, nil
	}
	near := fault.MeantOf(path, len(t.list), func(i int) string { return t.list[i].Path })
	return 0, refuse(Input, "no knob %s%s", fault.Name(path), near)
}

// panel sets the knobs of a model in some inputs.
type panel struct {
	m       *Model
	in      *mechanism.Inputs
	targets map[int]float64 // values of the knobs of motions and actuators that were set, by index
}

// The argument geometry of panel.set.
const (
	keepGeometry = false // a run reads the geometry when it is made
	setGeometry  = true
)

// set sets knobs, by index, one after the other. Consecutive knobs of one body are set together, as a mass may be valid only with another
// inertia. With keepGeometry, knobs of the geometry are refused. If a setter refuses a value, the knobs before it have been set.
func (p *panel) set(knobs []int, values []float64, geometry bool) error {
	list := p.m.Knobs()
	if len(knobs) != len(values) {
		return refuse(Size, "%d knobs and %d values", len(knobs), len(values))
	}
	for n, k := range knobs {
		switch {
		case uint(k) >= uint(len(list)):
			return refuse(Input, "knob %d of %d", k, len(list))
		case list[k].Geometry && !geometry:
			return refuse(Input, "%s is part of the model, which a run does not change", list[k].Path)
		case !algebra.Finite(values[n]):
			return refuse(Input, "%s: %v is not finite", list[k].Path, values[n])
		}
	}
	for n := 0; n < len(knobs); n++ {
		k := &list[knobs[n]]
		var err error
		if k.of.kind == knobBody {
			w := weightOf(p.in.Mechanism(), int(k.of.index))
			for w[k.of.part] = values[n]; n+1 < len(knobs); n++ {
				next := list[knobs[n+1]].of
				if next.kind != knobBody || next.index != k.of.index {
					break
				}
				w[next.part] = values[n+1]
			}
			err = w.setTo(p.in, int(k.of.index))
		} else {
			err = k.of.set(p.in, values[n])
		}
		if err == nil && (k.of.kind == knobMotion || k.of.kind == knobTarget) {
			if p.targets == nil {
				p.targets = map[int]float64{}
			}
			p.targets[knobs[n]] = values[n]
		}
		if err != nil {
			return &Error{Input, fault.Errorf("door: %s: %w", k.Path, err)}
		}
	}
	return nil
}
