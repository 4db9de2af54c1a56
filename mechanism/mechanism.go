package mechanism

import (
	"context"
	"errors"
	"fmt"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// World is the number of the fixed frame where a body number is expected.
const World = -1

// Frame is a frame fixed in a body, or in the world.
type Frame struct {
	E      spatial.Mat3 // columns are the axes of the frame, body frame
	Origin spatial.Vec3 // m, body frame
}

// Joint is an edge of the graph: type, the two bodies and the frames in them. Loads.Drive has the forces along
// its freedoms.
type Joint struct {
	*JointSpec
	sprung     sprung
	others     int32 // index in State.Angles of the first of its other angles (turns.go)
	found      int32 // 1 + index in Kinematics.found; 0 if the joint has no curve
	Pred, Succ int32 // body numbers or World
	P, S       Frame // in the predecessor and in the successor
}

// JointSpec is a joint's type with its parameters, and values that follow from them. Joints
// with equal parameters share a JointSpec; it must not be changed.
type JointSpec struct {
	joints.Spec
	Rows   int32 // number of constraint rows, rows of prescribed freedoms included
	Angles uint8 // bit k is set if row k is an angle (joints.Spec.Angles)

	start []float64 // curves: joints.Frames.Near for the initial state; nil: the whole curve is searched
}

func newJointSpec(s joints.Spec) *JointSpec {
	return &JointSpec{Spec: s, Rows: int32(s.NumRows()), Angles: s.Angles()}
}

// Mechanism is the compiled description of a model. It is immutable, and goroutines may share it. Inputs change the loads and
// motions for one of them.
type Mechanism struct {
	Name   string
	Bodies []bodies.Body
	Joints []Joint
	// Couplings are the couplings, user-defined rows last. In lists of
	// constraints they follow the joints (NumConstraints).
	Couplings []Coupling
	*Loads

	inputs                *Inputs     // the inputs whose Mechanism this is; nil for the values of the model
	edition               *uint64     // Edition, if Inputs.Vary has copied bodies and joints; else nil
	driven                []int32     // joints with prescribed freedoms
	span                  *[2]float64 // first and last time at which all motions are defined, s
	singular              []Singular  // bodies without inertia in some direction
	geared                []int32     // joints with armature
	nonholonomic          []int32     // joints and couplings with rows that constrain velocities alone
	sprung                []int32     // joints with angles of findSprung
	angles                int         // number of these angles
	turning               []int32     // joints with other angles (turns.go)
	others                int         // number of these angles
	internal              int         // number of internal states
	followed              bool        // HasFollowed
	limits                map[Freedom]model.Limit
	bodyNames, jointNames names
	couplingNames         names
	legs                  legLists
	special               specialRows
	initial               State
}

// New checks m and compiles it. Initial is the state in m. The mechanism does not
// refer to m.
//
// New checks also models that Read has checked, as they may have been changed since; that
// takes a twentieth of the time of reading.
//
// Cost: O(bodies + joints), and what model.Model.Surfaces takes for terrains without surface. It returns the problems
// of m as model.Check and Surfaces do.
func New(m *model.Model) (*Mechanism, error) { return NewContext(context.Background(), m) }

// NewContext is New, and ends early when ctx does, with the cause.
func NewContext(ctx context.Context, m *model.Model) (*Mechanism, error) {
	flag, end := halt.FlagOf(ctx)
	defer end()
	links, err := model.LinkContext(ctx, m)
	if err != nil {
		return nil, err
	}
	mech, err := compile(ctx, flag, m, links)
	if flag.Up() {
		return nil, fault.Errorf("mechanism: %w", context.Cause(ctx))
	}
	return mech, err
}

// compile makes a mechanism of a checked model with its links. If flag goes up, the result is nil or incomplete.
func compile(ctx context.Context, flag *halt.Flag, m *model.Model, links *model.Links) (*Mechanism, error) {
	mech := &Mechanism{
		Name:    m.Name,
		Bodies:  pages.Make[bodies.Body](len(m.Bodies)),
		Joints:  pages.Make[Joint](len(m.Joints)),
		Loads:   &Loads{Gravity: m.Gravity},
		span:    new([2]float64),
		initial: State{Time: m.Time, Bodies: pages.Make[BodyState](len(m.Bodies))},
	}
	if err := mech.addNames(m); err != nil {
		return nil, err
	}
	for i := range m.Bodies {
		if flag.Every(i) {
			return nil, nil
		}
		if err := mech.addBody(i, &m.Bodies[i]); err != nil {
			return nil, err
		}
	}
	surfaces, err := m.UsedSurfaces(ctx)
	if err != nil {
		return nil, err
	}
	grounds := groundsOf(m, surfaces)
	if err := mech.addJoints(flag, m, links, grounds); err != nil || flag.Up() {
		return nil, err
	}
	mech.addCouplings(m, links)
	parts := []func(){
		mech.setLegs, mech.setDriven, mech.setNonholonomic, mech.findSingular, mech.setGeared,
		func() { mech.addForces(flag, m, links) }, func() { mech.setSprings(m, links) },
		mech.setSpan, func() { mech.setResistors(m) }, mech.findSprung, mech.findGaps,
	}
	for _, part := range parts {
		if part(); flag.Up() {
			return nil, nil
		}
	}
	mech.startAngles()
	mech.startActuators()
	mech.setContacts(m, links, surfaces, grounds)
	return mech, nil
}

// addNames copies the names of bodies, joints and couplings. It returns errNames if they are too long.
func (m *Mechanism) addNames(of *model.Model) (err error) {
	if m.bodyNames, err = newNames(len(of.Bodies), func(i int) string { return of.Bodies[i].Name }); err != nil {
		return err
	}
	if m.jointNames, err = newNames(len(of.Joints), func(i int) string { return of.Joints[i].Name }); err != nil {
		return err
	}
	m.couplingNames, err = newNames(len(of.Couplings), func(i int) string { return of.Couplings[i].Name })
	return err
}

// addJoints compiles the joints with their motions and limits. It ends early if flag goes up.
func (m *Mechanism) addJoints(flag *halt.Flag, of *model.Model, links *model.Links, grounds map[string]*ground.Surface) error {
	all := shared{grounds: grounds, curves: sharing[string, curves.Curve]{}, specs: sharing[joints.Spec, JointSpec]{}}
	for k := range joints.Composite {
		all.plain[k] = newJointSpec(joints.Spec{Kind: k})
	}
	for i := range of.Joints {
		if flag.Every(i) {
			return nil
		}
		if err := m.Joints[i].set(&of.Joints[i], links.Joints[i], &all); err != nil {
			return m.AtJoint(i, -1, err)
		}
		if jt := &m.Joints[i]; jt.Curve != nil || jt.Ground != nil {
			m.special.curves = append(m.special.curves, int32(i))
			if jt.Curve != nil {
				m.special.found++
				jt.found = m.special.found
			}
		}
		m.setDrive(i, &of.Joints[i])
		m.setLimits(i, &of.Joints[i])
	}
	return nil
}

var errCurveFile = errors.New("mechanism: the file of a curve has not been loaded")

// addForces compiles the force elements, and the actuators among them. It ends early if flag goes up.
func (m *Mechanism) addForces(flag *halt.Flag, of *model.Model, links *model.Links) {
	for i := range of.Forces {
		if flag.Every(i) {
			return
		}
		m.Forces = append(m.Forces, newForce(&of.Forces[i], links.Forces[i]))
		if a := of.Forces[i].Actuator; a != nil {
			m.actuators = append(m.actuators, newActuator(a, i, int(links.Forces[i][0])))
		}
	}
}

// addBody compiles body i of a model, and its initial state.
func (m *Mechanism) addBody(i int, b *model.Body) error {
	I := b.Inertia
	body, err := bodies.New(b.Mass, b.Com, spatial.Sym3{I.XX, I.YY, I.ZZ, I.XY, I.XZ, I.YZ})
	if err != nil {
		return m.AtBody(i, err)
	}
	m.Bodies[i] = body
	m.initial.Bodies[i] = BodyState{
		Position: b.Pose.Position,
		Rotation: quaternion(b.Pose.Orientation),
		Velocity: b.Velocity.Linear,
		Omega:    b.Velocity.Angular,
	}
	return nil
}

// shared holds the values that joints share.
type shared struct {
	plain   [joints.NumKinds]*JointSpec // types without parameters
	grounds map[string]*ground.Surface  // by the name of the terrain
	curves  sharing[string, curves.Curve]
	specs   sharing[joints.Spec, JointSpec] // specs with parameters, as the wheels of many axles are equal
}

// spec returns the JointSpec for of; a shared one if of has no pointers.
func (s *shared) spec(of joints.Spec) *JointSpec {
	if of.Axes != nil || of.Motion != nil || of.Turns != nil || of.Armature != nil { // these pointers differ from joint to joint
		return newJointSpec(of)
	}
	return s.specs.of(of, func() *JointSpec { return newJointSpec(of) })
}

// curve returns c prepared, shared with equal curves. With point, it is also measured for the arc length of a point on it.
func (s *shared) curve(c *model.PointCurve, point bool) *curves.Curve {
	return s.curves.of(fmt.Sprintf("%t %t %+v", point, c.Planar, c.Settings()), func() *curves.Curve {
		p := c.Prepared()
		if point {
			p.MeasureArc(c.Planar)
		}
		return p
	})
}

// set compiles joint j of the model, between the bodies of predecessor and successor. Joints with equal settings share a spec, unless
// the model has a start parameter for a curve.
func (out *Joint) set(j *model.Joint, bodies [2]int32, all *shared) error {
	out.Pred, out.Succ = bodies[0], bodies[1]
	out.P, out.S = NewFrame(j.PredecessorFrame), NewFrame(j.SuccessorFrame)
	spec := joints.Spec{Kind: j.Kind(), Pitch: j.Pitch, Length: j.Length, Radius: j.Radius, Tyre: j.TyreRadius, Bowl: j.BowlRadius}
	if j.Terrain != "" {
		spec.Ground = all.grounds[j.Terrain]
	}
	var start []float64
	switch j.Type {
	case model.Composite:
		var err error
		if spec.Axes, err = joints.NewAxes(j.Axes); err != nil {
			return err
		}
	case model.PointOnCurve, model.CurveOnCurve:
		for _, c := range [2]*model.PointCurve{j.Curve, j.SuccessorCurve} {
			if c != nil && c.File != "" && c.Points == nil {
				return fault.Errorf("%w: %s (model.ReadFile, Model.Load)", errCurveFile, fault.Name(c.File))
			}
		}
		spec.Curve = all.curve(j.Curve, j.Type == model.PointOnCurve)
		if x := j.Curve.Parameter; x != nil {
			start = []float64{*x}
		}
		if other := j.SuccessorCurve; other != nil {
			spec.SuccessorCurve = all.curve(other, false)
			if start != nil {
				start = append(start, *other.Parameter, 0)
			}
		}
	}
	setMotions(&spec, j)
	setTurns(&spec, j)
	setArmature(&spec, j)
	out.JointSpec = all.plain[j.Type]
	if out.JointSpec == nil || spec != out.Spec {
		out.JointSpec = all.spec(spec)
	}
	if start != nil { // a spec with a start is not shared
		out.JointSpec = newJointSpec(spec)
		out.start = start
	}
	return nil
}

// setDrive compiles the drive of joint i, if the model has one.
func (m *Mechanism) setDrive(i int, j *model.Joint) {
	laws := newDriveLaws(j)
	if laws == nil && !anyNonzero(j.Force) && !anyNonzero(j.Stiffness) && !anyNonzero(j.Damping) {
		return
	}
	d := m.addDrive(i, len(m.Joints))
	d.laws = laws
	copy(d.Force[:], j.Force)
	copy(d.Stiffness[:], j.Stiffness)
	copy(d.Damping[:], j.Damping)
	copy(d.Rest[:], j.Rest)
}

// setLimits records the limits of the freedoms of joint i.
func (m *Mechanism) setLimits(i int, j *model.Joint) {
	for k, l := range j.Limits {
		if l == nil {
			continue
		}
		if m.limits == nil {
			m.limits = map[Freedom]model.Limit{}
		}
		m.limits[Freedom{i, k}] = *l
	}
}

// setMotions stores in s the motions that the model prescribes, prepared for evaluation.
func setMotions(s *joints.Spec, j *model.Joint) {
	for k, mo := range j.Motion {
		if mo == nil {
			continue
		}
		if s.Motion == nil {
			s.Motion = new([6]*joints.Motion)
		}
		s.Motion[k] = mo.Prepared()
	}
}

func setTurns(s *joints.Spec, j *model.Joint) {
	if len(j.Turns) == 0 {
		return
	}
	s.Turns = new([6]int64)
	copy(s.Turns[:], j.Turns) // the angles are the first freedoms
}

func setArmature(s *joints.Spec, j *model.Joint) {
	if !anyNonzero(j.Armature) {
		return
	}
	s.Armature = new([6]float64)
	copy(s.Armature[:], j.Armature)
}

// quaternion normalizes q; all zeros stand for the identity.
func quaternion(q [4]float64) spatial.Quat {
	if q == ([4]float64{}) {
		return spatial.Quat{1, 0, 0, 0}
	}
	return spatial.Quat(q).Normalize()
}

// NewFrame returns the frame of a pose. The length of
// its quaternion does not matter; all zeros stand for no rotation.
func NewFrame(p model.Pose) Frame {
	f := Frame{Origin: p.Position}
	q := quaternion(p.Orientation)
	q.MatTo(&f.E)
	return f
}

// NumBodies returns the number of bodies.
func (m *Mechanism) NumBodies() int { return len(m.Bodies) }

// NumJoints returns the number of joints.
func (m *Mechanism) NumJoints() int { return len(m.Joints) }

// BodyName returns the name of body i.
func (m *Mechanism) BodyName(i int) string {
	if i == World {
		return model.World
	}
	return m.bodyNames.at(i)
}

// JointName returns the name of joint i.
func (m *Mechanism) JointName(i int) string { return m.jointNames.at(i) }

// BodyIndex returns the number of the body of that name, World for "world".
//
// Cost: O(bodies); keep the number. It returns an error if there is none.
func (m *Mechanism) BodyIndex(name string) (int, error) {
	if name == model.World {
		return World, nil
	}
	return find(&m.bodyNames, name, "body")
}

// ForceIndex returns the number of the force element or user-defined force of that name.
//
// Cost: O(force elements); keep the number. It returns an error if there is none.
func (m *Mechanism) ForceIndex(name string) (int, error) {
	for i := range len(m.Forces) + len(m.own) {
		if m.ForceName(i) == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("mechanism: no force %s", fault.Name(name))
}

// JointIndex returns the number of the joint of that name.
//
// Cost: O(joints); keep the number. It returns an error if there is none.
func (m *Mechanism) JointIndex(name string) (int, error) {
	return find(&m.jointNames, name, "joint")
}

func find(list *names, name, kind string) (int, error) {
	if i, ok := list.find(name); ok {
		return i, nil
	}
	return 0, &unknownName{list: list, name: name, kind: kind}
}

// unknownName is the error for a name that is not in a list. Error searches for a similar name, so that the search costs nothing
// unless the text is read.
type unknownName struct {
	list       *names
	name, kind string
}

func (e *unknownName) Error() string {
	return "mechanism: no " + e.kind + " " + fault.Name(e.name) + fault.MeantOf(e.name, len(e.list.ends), e.list.at)
}
