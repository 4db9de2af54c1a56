package mjcf

import (
	"fmt"
	"io"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/outline"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// stateKey is the name of the keyframe with the velocities of the model and the controls of its motors.
	stateKey = "state"
	// deepest is the largest depth of nested bodies that the parser of MuJoCo 2.2.2 accepts.
	deepest = 96
)

// Write writes m, which must pass model.Check, for MuJoCo 2.2 and later. Bodies keep their frames, coordinates their
// values. Joints that close loops become equalities: connect, weld, two connects for a hinge, and the length of a tendon
// for a distance. If such a joint has forces or limits, its child body is split into two halves, welded together, of which
// one is attached to the joint. The report lists losses and changes of names and form.
//
// Cost: O(bodies + joints). It returns *source.Problems for joints and couplings that the format does not have; nothing is
// written then. Else it returns the error of w.
func Write(w io.Writer, m *model.Model) (*source.Report, error) {
	o := newWriter(m)
	o.grow()
	o.couplings()
	o.forces()
	o.actuators()
	o.constants()
	o.write()
	o.Losses(outline.Gravity|outline.Velocities|outline.Forces|outline.Springs|outline.Rotors|outline.Frames|outline.Balls,
		func(int) bool { return true }, func(j, f int) bool { return o.told[[2]int{j, f}] }, func(i int) bool { return o.pulled[i] })
	return o.Report, o.Flush(w)
}

// node is a body of the file: a body of the model, or a half of one.
type node struct {
	body     int
	joint    int // the joint to its parent; −1: it floats
	standing *outline.Standing
	name     string
	half     bool
	parent   *node
	children []*node
}

// coordinate is the coordinate of a joint of the file.
type coordinate struct {
	name string  // of the joint
	zero float64 // its value in the pose of the model
}

type writer struct {
	*outline.Draft
	tree *outline.Tree
	root node
	node []*node // by body, without halves
	// pieces is the number of bodies of the file for each body of the model.
	pieces                                         []int
	bodies, joints, sites, tendons, meshes, motors *outline.Names // joints includes the names of equalities
	rows                                           [][]string     // names of the joints of the file, by joint and motion
	marks                                          [][]string     // lines with the sites of each body; of the world last
	asset, tendon, equality, motor                 strings.Builder
	mesh                                           map[string]string // names of meshes by file and scale
	control                                        []float64
	weightless                                     map[int]float64 // fraction of the weight of a body that is cancelled
	told                                           map[[2]int]bool // motions that are written, by joint and freedom
	pulled                                         []bool          // force elements that are written or reported
	bound                                          bool            // a moment of inertia is below tiny
}

// newWriter returns a writer with the names of bodies and frames.
func newWriter(m *model.Model) *writer {
	o := &writer{
		Draft: outline.New(m, "mjcf", ""), pieces: make([]int, len(m.Bodies)), rows: make([][]string, len(m.Joints)),
		marks: make([][]string, len(m.Bodies)+1), mesh: map[string]string{}, weightless: map[int]float64{}, told: map[[2]int]bool{}, pulled: make([]bool, len(m.Forces)),
	}
	o.bodies, o.joints = o.NewNames(nil, outline.Ground), o.NewNames(nil)
	o.sites, o.tendons, o.meshes, o.motors = o.NewNames(nil), o.NewNames(nil), o.NewNames(nil), o.NewNames(nil)
	for i := range m.Bodies {
		o.node = append(o.node, &node{body: i, joint: -1, name: o.bodies.Add("body", m.Bodies[i].Name)})
	}
	for i := range m.Frames {
		o.mark(m.Frames[i].Body, o.sites.Add("frame", m.Frames[i].Name), outline.Of(m.Frames[i].Pose))
	}
	return o
}

// grow builds the tree of bodies, and makes equalities of the joints that close loops.
func (o *writer) grow() {
	m := o.Model
	held := o.Held()
	o.tree = o.Spread(func(i int) int {
		switch kind := m.Joints[i].Type; {
		case kind == model.Free || kind == model.Distance || kind == model.Rolling || kind == model.NoSlip || kind == model.CurveOnCurve ||
			kind == model.PointOnCurve && held[i]: // the format has no coordinate along a curve
			return -1
		case held[i]:
			return 0
		case kind == model.Revolute:
			return 1
		case kind == model.Spherical:
			return 2
		}
		return 0
	})
	for _, b := range o.tree.Order {
		n := o.node[b]
		n.parent = &o.root
		if i := o.tree.Placed[b]; i >= 0 {
			n.joint, n.standing = i, o.tree.Standing[i]
			n.parent = o.at(n.standing.Parent)
			o.TellOpen(i, n.standing)
			o.names(i, n.standing)
		}
		n.parent.children = append(n.parent.children, n)
		o.pieces[b]++
	}
	for i := range m.Joints {
		if !o.tree.In[i] {
			o.loop(i, held[i])
		}
	}
}

// at returns the node of a body, or the root for the world.
func (o *writer) at(body string) *node {
	if body == model.World {
		return &o.root
	}
	return o.node[o.Bodies[body]]
}

// names names the joints of the file for joint i, one for each motion and two for a screw.
func (o *writer) names(i int, s *outline.Standing) {
	name := o.Model.Joints[i].Name
	for k, a := range s.Row {
		if k == 0 {
			o.rows[i] = append(o.rows[i], o.joints.Add("joint", name))
		} else {
			o.rows[i] = append(o.rows[i], o.joints.Make(fmt.Sprintf("%s %d", name, k+1)))
		}
		if a.Kind == assembly.Helical {
			o.screw(i, s, a.Pitch)
		}
	}
}

// write writes the whole file.
func (o *writer) write() {
	m := o.Model
	state := &state{}
	o.world(state) // first, as it sets o.bound
	body := o.Text.String()
	o.Text.Reset()
	o.Raw(`<?xml version="1.0"?>`)
	o.Line(`<mujoco model="%s">`, m.Name)
	bound := ""
	if o.bound {
		bound = ` boundinertia="2e-15"`
	}
	o.Raw(` <compiler angle="radian" inertiafromgeom="false"`, bound, `/>`)
	o.Line(` <option gravity="%s"/>`, o.Numbers(m.Gravity[:]...))
	o.Raw(` <default><geom contype="0" conaffinity="0" group="1"/><equality solimp="0.9999 0.9999 0.001 0.5 2"/></default>`)
	section := func(name, text string) {
		if text != "" {
			o.Raw(` <`, name, ">\n", text, ` </`, name, `>`)
		}
	}
	section("asset", o.asset.String())
	section("worldbody", body)
	section("tendon", o.tendon.String())
	section("equality", o.equality.String())
	section("actuator", o.motor.String())
	if state.moves || len(o.control) > 0 {
		key := ` <keyframe><key name="` + stateKey + `" time="` + o.Numbers(m.Time) + `" qpos="` + o.Numbers(state.q...) + `" qvel="` + o.Numbers(state.v...) + `"`
		if len(o.control) > 0 {
			key += ` ctrl="` + o.Numbers(o.control...) + `"`
		}
		o.Raw(key, `/></keyframe>`)
		if state.moves {
			o.Report.Note(nil, "velocities", "are those of the keyframe "+fault.Name(stateKey)+", which rung import takes with --key "+stateKey+"; without it all is at rest")
		}
	}
	o.Raw(`</mujoco>`)
}

// world writes the bodies, each within its parent, and collects the state in their order.
func (o *writer) world(s *state) {
	nb := len(o.Model.Bodies)
	for _, k := range o.Visuals[nb] {
		o.visual("  ", &o.Model.Visuals[k])
	}
	for _, line := range o.marks[nb] {
		o.Raw("  ", line)
	}
	type step struct {
		n    *node
		next int
	}
	stack, most := []step{{&o.root, 0}}, 0
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next < len(top.n.children) {
			n := top.n.children[top.next]
			top.next++
			o.begin(n, indent(len(stack)), s)
			stack = append(stack, step{n, 0})
			most = max(most, len(stack))
			continue
		}
		if stack = stack[:len(stack)-1]; len(stack) > 0 {
			o.Raw(indent(len(stack)), `</body>`)
		}
	}
	if most--; most > deepest {
		o.Report.Note(nil, fmt.Sprintf("bodies stand %d deep in each other", most), fmt.Sprintf("the parser of MuJoCo 2.2.2 takes %d", deepest))
	}
}

// indent returns the blanks before a line at a depth of nested bodies, at most 20.
func indent(depth int) string { return "                    "[:min(depth+1, 20)] }

// begin writes a body up to its children, with its joints, which it adds to the state s.
func (o *writer) begin(n *node, in string, s *state) {
	b := &o.Model.Bodies[n.body]
	x := o.Pose(b.Name)
	if n.parent != &o.root {
		x = o.Pose(o.Model.Bodies[n.parent.body].Name).Inverse().Mul(x)
	}
	gravity := ""
	if scale := o.weightless[n.body]; scale != 0 {
		gravity = ` gravcomp="` + o.Numbers(scale) + `"`
	}
	o.Raw(in, `<body name="`, outline.Escaped(n.name), `"`, o.placeText(x), gravity, `>`)
	in += " "
	o.inertial(n, in)
	if n.joint < 0 {
		o.Line(in+`<freejoint name="%s"/>`, o.joints.Make(n.name+" free"))
		s.float(b)
	} else {
		o.row(n, in, s)
	}
	if n.half {
		return
	}
	for _, k := range o.Visuals[n.body] {
		o.visual(in, &o.Model.Visuals[k])
	}
	for _, line := range o.marks[n.body] {
		o.Raw(in, line)
	}
}

// tiny is the moment of inertia, kg m², below which MuJoCo takes it as zero.
const tiny = 2e-15

// inertial writes mass and inertia of a body; halves share them equally.
func (o *writer) inertial(n *node, in string) {
	b := &o.Model.Bodies[n.body]
	part := 1 / float64(o.pieces[n.body])
	I := spatial.Sym3{b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ, b.Inertia.XY, b.Inertia.XZ, b.Inertia.YZ}.Scale(part)
	begin := `<inertial pos="` + o.Numbers(b.Com[:]...) + `" mass="` + o.Numbers(b.Mass*part) + `"`
	p, E := I.Principal()
	low := min(p[0], p[1], p[2])
	if low < tiny {
		o.bound = true
		o.Report.Note(nil, "inertias of rods and points are bounded", fmt.Sprintf("the simulator has no body without inertia about an axis; moments below %g kg m² become that", tiny))
	}
	if I[3] == 0 && I[4] == 0 && I[5] == 0 {
		o.Raw(in, begin, ` diaginertia="`, o.Numbers(I[:3]...), `"/>`)
		return
	}
	// Principal moments, as MuJoCo computes them from fullinertia with a relative error of 1e-8 only.
	for k := range p {
		p[k] = max(p[k], 0)
	}
	q := spatial.FromMat(E).Normalize()
	o.Raw(in, begin, ` diaginertia="`, o.Numbers(p[:]...), `" quat="`, o.Numbers(q[:]...), `"/>`)
}

// placeText returns a pose as attributes; "" for the identity.
func (o *writer) placeText(x assembly.Pose) (text string) {
	if x.R != (spatial.Vec3{}) {
		text = ` pos="` + o.Numbers(x.R[:]...) + `"`
	}
	if x.Q != spatial.IdentityQuat() {
		text += ` quat="` + o.Numbers(x.Q[:]...) + `"`
	}
	return text
}

// mark adds a site to a body and returns its name.
func (o *writer) mark(body, name string, x assembly.Pose) string {
	b := o.Number(body)
	o.marks[b] = append(o.marks[b], `<site name="`+outline.Escaped(name)+`"`+o.placeText(x)+`/>`)
	return name
}

// visual writes a shape. A shape for collisions gets contacts.
func (o *writer) visual(in string, v *model.Visual) {
	size := func(kind string, x ...float64) string { return kind + `" size="` + o.Numbers(x...) }
	s := v.Size
	var kind string
	switch v.Kind {
	case model.MeshVisual:
		name, ok := o.meshName(v)
		if !ok {
			o.Report.Note(nil, "meshes are left out", "the simulator reads files that end in .stl, .obj or .msh")
			return
		}
		kind = `mesh" mesh="` + outline.Escaped(name)
	case model.BoxVisual:
		kind = size("box", s[0]/2, s[1]/2, s[2]/2)
	case model.SphereVisual:
		kind = size("sphere", s[0])
	case model.CylinderVisual, model.CapsuleVisual:
		kind = size(v.Kind.String(), s[0], s[1]/2)
	case model.EllipsoidVisual:
		kind = size("ellipsoid", s[:]...)
	}
	more := ""
	if v.Collision {
		more = ` contype="1" conaffinity="1" group="3"`
	}
	if v.Color != [4]float64{} {
		more += ` rgba="` + o.Numbers(v.Color[:]...) + `"`
	}
	o.Raw(in, `<geom type="`, kind, `"`, o.placeText(outline.Of(v.Pose)), more, `/>`)
}

// meshName returns the name of the mesh of a shape, and adds it to the assets. It returns false if MuJoCo does not read such a file.
func (o *writer) meshName(v *model.Visual) (string, bool) {
	file := strings.ToLower(v.File)
	if strings.Contains(file, "://") || !strings.HasSuffix(file, ".stl") && !strings.HasSuffix(file, ".obj") && !strings.HasSuffix(file, ".msh") {
		return "", false
	}
	scale := v.Scale
	if scale == [3]float64{} {
		scale = [3]float64{1, 1, 1}
	}
	key := o.Numbers(scale[:]...) + " " + v.File
	name, ok := o.mesh[key]
	if !ok {
		name = o.meshes.Make(v.File)
		o.mesh[key] = name
		fmt.Fprintf(&o.asset, "  <mesh name=\"%s\" file=\"%s\" scale=\"%s\"/>\n", outline.Escaped(name), outline.Escaped(v.File), o.Numbers(scale[:]...))
	}
	return name, true
}
