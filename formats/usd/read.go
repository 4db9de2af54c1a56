package usd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// centimetre is the default length unit of stages, m.
	centimetre = 0.01
	// earth is the default gravity of scenes, m/s².
	earth = 9.81
)

// Read reads a stage and makes its model, with the report on all its prims and properties.
//
// Cost: O(bytes) of all layers, and of the prims that references copy. It returns the errors of the files as
// a *source.SyntaxError or a *source.Problems. The report is never nil.
func Read(files *source.Files, name source.Name, o *source.Options) (*source.Result, *source.Report, error) {
	report := &source.Report{File: name.String(), Format: "usd"}
	report.Tell(o.Settled)
	c := &composer{files: files, report: report, stacks: map[string]*stack{}, opened: map[string]bool{}}
	s, err := c.open(nil, name, mainFile)
	if err != nil {
		return nil, report, err
	}
	root := c.clone(s.root, nil)
	if err := c.expand(root, s); err != nil {
		return nil, report, err
	}
	r := &reader{report: report, o: o, root: root, nodes: map[*prim]*node{}, made: map[*prim]int{}, zeroed: map[int]float64{}}
	if o.Key != "" || len(o.Pose) > 0 {
		report.Refuse(nil, "a pose by keyframe or coordinates", "this format has the state of its bodies")
	}
	r.stage(s)
	r.walk(root, &node{world: identity(), link: assembly.World})
	r.gravity()
	for i := range r.bodies {
		r.body(i)
	}
	r.called()
	r.base()
	for _, n := range r.joints {
		r.joint(n)
	}
	if len(r.meshes) > 0 {
		whole := r.a.Wholes()
		for _, n := range r.meshes {
			r.mesh(n.p, whole)
		}
	}
	for _, n := range r.joints {
		r.mimics(n.p)
	}
	r.account(root)
	result, err := r.a.Build(o, report)
	return result, report, err
}

// node is a prim with its transformation.
type node struct {
	p     *prim
	world affine // from the prim to the world, units of the stage
	link  int    // the link to which it is fixed
}

// body is a rigid body whose link is not complete yet.
type body struct {
	node      *node
	frame     assembly.Pose // in the world, units of the stage
	scale     spatial.Vec3
	reset     bool // its transformation does not include the parent's
	colliders []*node
}

type reader struct {
	a       assembly.Assembly
	o       *source.Options
	report  *source.Report
	root    *prim
	length  float64      // length unit of the stage, m
	mass    float64      // mass unit of the stage, kg
	up      spatial.Vec3 // upward axis
	nodes   map[*prim]*node
	scene   *prim
	bodies  []body // by link
	joints  []*node
	meshes  []*node
	corners int             // numbers read so far of meshes that give bodies their mass, see maxCorners
	made    map[*prim]int   // 1 + index of the joint in the assembly; 0: none
	zeroed  map[int]float64 // by coordinate: its value in the file less its value in the assembly
}

// unit returns a unit of a stage, "metersPerUnit" or "kilogramsPerUnit", or its default.
func unit(meta map[string]value, name string) float64 {
	if v := meta[name]; v.kind == numbers && len(v.nums) == 1 {
		return v.nums[0]
	}
	if name == "metersPerUnit" {
		return centimetre
	}
	return 1
}

// stage reads the units and the upward axis of the stage, and its name.
func (r *reader) stage(s *stack) {
	at := source.Location{File: s.name.String(), Line: 1, Column: 1}
	r.length, r.mass = unit(s.meta, "metersPerUnit"), unit(s.meta, "kilogramsPerUnit")
	for _, u := range [...]struct {
		name string
		x    *float64
	}{{"metersPerUnit", &r.length}, {"kilogramsPerUnit", &r.mass}} {
		if !(*u.x > 0) || math.IsInf(*u.x, 1) {
			r.report.Refuse(at, u.name, fmt.Sprintf("is %g", *u.x))
			*u.x = 1
		}
	}
	if _, ok := s.meta["metersPerUnit"]; !ok {
		r.report.Note(at, "the stage does not say its unit of length", "the format gives it centimetres")
	}
	r.up = spatial.Vec3{0, 1, 0}
	if v, ok := s.meta["upAxis"]; ok {
		switch {
		case len(v.texts) == 1 && v.texts[0] == "Z":
			r.up = spatial.Vec3{0, 0, 1}
		case len(v.texts) == 1 && v.texts[0] == "Y":
		default:
			r.report.Refuse(at, "upAxis", "is neither Y nor Z: "+fault.Name(strings.Join(v.texts, " ")))
		}
	}
	if v := s.meta["defaultPrim"]; len(v.texts) == 1 {
		r.a.Name = strings.Trim(v.texts[0], "/")
	}
	if r.a.Name == "" {
		r.a.Name = strings.TrimSuffix(s.name.Path[strings.LastIndexByte(s.name.Path, '/')+1:], ending(s.name.Path))
	}
}

// walk reads the prims in p.
func (r *reader) walk(p *prim, up *node) {
	for _, c := range p.children {
		switch {
		case c.inactive != nil && *c.inactive || c.specifier != "def": // not active, a class, or an override of a missing prim
			leave(c, source.Ignored)
		case c.kind == "PointInstancer":
			leave(c, source.Dropped)
			r.report.Drop(c, "prim "+fault.Name(c.name), "prims that are repeated at points are not read", "")
		default:
			r.visit(c, up)
		}
	}
}

// leave sets the class of p and of everything within it.
func leave(p *prim, class source.Class) {
	p.class = class
	for _, x := range p.props {
		x.class = class
	}
	for _, c := range p.children {
		leave(c, class)
	}
}

// visit reads prim p within node up, and the prims within p.
func (r *reader) visit(p *prim, up *node) {
	n := &node{p: p, link: up.link}
	r.nodes[p] = n
	local, reset := r.transform(p)
	if n.world = local; !reset {
		n.world = up.world.mul(local)
	}
	if p.has("PhysicsRigidBodyAPI") {
		p.class = source.Used
		if r.truth(p, "physics:rigidBodyEnabled", true) {
			r.newBody(n, reset)
		} else {
			r.report.Note(p, "bodies that are not enabled", "are part of what they stand in")
		}
	}
	switch {
	case p.kind == "PhysicsScene":
		r.newScene(p)
	case isJoint(p.kind):
		r.joints = append(r.joints, n)
	case p.kind == gearJoint || p.kind == rackJoint:
		r.meshes = append(r.meshes, n)
	case isShape(p.kind):
		r.shape(n)
	}
	r.walk(p, n)
}

// newScene stores the scene. It refuses a second one.
func (r *reader) newScene(p *prim) {
	p.class = source.Used
	if r.scene != nil {
		r.report.Refuse(p, "scene "+fault.Name(p.name), "is a second one; the first is "+fault.Name(r.scene.path()))
		return
	}
	r.scene = p
}

// gravity stores the gravity of the scene, m/s². Where the scene gives no direction, or zero, gravity points against the
// upward axis; where it gives no magnitude, or a negative one, and where there is no scene, it is as large as on earth.
func (r *reader) gravity() {
	down, size := r.up.Neg(), earth
	if r.scene == nil {
		r.report.Note(nil, "there is no scene",
			fmt.Sprintf("gravity is %g m/s² against the upward axis, the usual one", earth))
		r.a.Gravity = down.Scale(size)
		return
	}
	if v := r.numbers(r.scene, "physics:gravityDirection", 3); v != nil {
		if d := spatial.Vec3(v); d.Norm() > 0 {
			down = d.Scale(1 / d.Norm())
		}
	}
	// The attribute is −∞ unless it is written. Any negative magnitude stands for the earth's, whatever the unit of length.
	if x := r.number(r.scene, "physics:gravityMagnitude", math.Inf(-1)); x >= 0 {
		size = x * r.length
	}
	r.a.Gravity = down.Scale(size)
}

// newBody makes a link of the prim of n. reset tells that its transformation does not include the parent's.
func (r *reader) newBody(n *node, reset bool) {
	p := n.p
	b := body{node: n, reset: reset}
	var ok bool
	if b.frame, b.scale, ok = n.world.rigid(); !ok {
		r.report.Refuse(p, "body "+fault.Name(p.name), "is sheared, mirrored or flat: its axes are not those of a rigid frame")
		b.frame, b.scale = assembly.Identity(), spatial.Vec3{1, 1, 1}
	}
	if s := b.scale.Sub(spatial.Vec3{1, 1, 1}).Norm(); s > orthogonal {
		r.report.Note(p, "body "+fault.Name(p.name),
			fmt.Sprintf("is scaled by %.6g, %.6g and %.6g; so are its shapes, its centre of mass and the places of its joints",
				b.scale[0], b.scale[1], b.scale[2]))
	}
	n.link = len(r.a.Links)
	r.bodies = append(r.bodies, b)
	x := b.frame
	x.R = x.R.Scale(r.length)
	r.a.Links = append(r.a.Links, assembly.Link{At: p, Name: p.name, Pose: x})
}

// called sets the names of links: the names of their prims, or their paths if several prims have the same name.
func (r *reader) called() {
	count := map[string]int{}
	for i := range r.bodies {
		count[r.bodies[i].node.p.name]++
	}
	for i := range r.bodies {
		if p := r.bodies[i].node.p; count[p.name] > 1 {
			r.a.Links[i].Name = strings.TrimPrefix(p.path(), "/")
		}
	}
}

// base fixes a body to the ground if o.Base is BaseFixed: the root of the articulation, or the first body.
func (r *reader) base() {
	if r.o.Base != source.BaseFixed || len(r.bodies) == 0 {
		return
	}
	i := max(slices.IndexFunc(r.bodies, func(b body) bool { return b.node.p.has("PhysicsArticulationRootAPI") }), 0)
	r.a.Links[i].Ground = true
	r.report.Note(r.a.Links[i].At, "link "+fault.Name(r.a.Links[i].Name), "is fixed to the ground, as asked for")
}
