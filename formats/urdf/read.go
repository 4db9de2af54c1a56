package urdf

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// Read reads a robot and makes its model, with the report on all its elements, which is never nil.
//
// Cost: O(bytes). It returns *source.Problems with the position of each error,
// and the errors of files and of the XML.
func Read(files *source.Files, name source.Name, o *source.Options) (*source.Result, *source.Report, error) {
	report := &source.Report{File: name.String(), Format: "urdf"}
	report.Tell(o.Settled)
	data, err := files.Read(name)
	if err != nil {
		return nil, report, err
	}
	root, err := xmltree.Parse(name.String(), data)
	if err != nil {
		if bytes.Contains(data, []byte("<%")) {
			err = fmt.Errorf("%w; this is a template: run erb first", err)
		}
		return nil, report, err
	}
	r := &reader{files: files, name: name, o: o, Values: xmltree.Values{Report: report}, links: map[string]int{}, joints: map[string]int{}}
	r.robot(root)
	xmltree.Account(root, elementRules, report)
	result, err := r.a.Build(o, report)
	return result, report, err
}

type reader struct {
	xmltree.Values
	files     *source.Files
	name      source.Name
	o         *source.Options
	a         assembly.Assembly
	links     map[string]int            // by name; a link called world has assembly.World
	frames    map[string]assembly.Point // origins of named frames
	joints    map[string]int            // indices in a.Joints of the elements joint, by name
	parent    []int                     // first joint whose child is the link, or −1
	later     []func()                  // to be called when all links and joints have been read
	poses     []assembly.Pose           // of the links in the reference pose; nil until needed
	depth     []int                     // number of joints between each link and its root; nil until needed
	terms     int                       // number of terms of couplings so far
	materials map[string][4]float64
	mujoco    struct{ mass, inertia, total float64 }
	balance   bool
}

// robot reads the whole file: first links, then joints, then elements that refer to them.
func (r *reader) robot(root *xmltree.Node) {
	if root.Name != "robot" {
		r.Report.Refuse(root, "element "+fault.Name(root.Name), "the file has to begin with robot")
		return
	}
	if r.isTemplate(root) {
		return
	}
	root.Use()
	r.a.Name, _ = root.Attr("name")
	r.Report.Version, _ = root.Attr("version")
	r.a.Gravity = spatial.Vec3{0, 0, -9.81}
	r.a.Links, r.a.Joints = make([]assembly.Link, 0, root.Count("link")), make([]assembly.Joint, 0, root.Count("joint"))
	r.materials = map[string][4]float64{}
	for _, n := range root.Children {
		switch n.Name {
		case "material":
			r.material(n)
		case "link":
			r.link(n)
		}
	}
	r.parent = make([]int, len(r.a.Links))
	for i := range r.parent {
		r.parent[i] = -1
	}
	for _, n := range root.Children {
		if n.Name == "joint" || n.Name == "drake:joint" {
			r.joint(n)
		}
	}
	if r.Report.Failed() {
		return
	}
	r.roots(root)
	r.whole(root)
	r.extensions(root)
	for _, f := range r.later {
		f()
	}
	if r.o.Loops != "" {
		r.pairs()
	}
	r.bounds()
	r.pose(root)
}

// extensions reads the elements that other programs add to the format.
func (r *reader) extensions(root *xmltree.Node) {
	for _, n := range root.Children {
		switch n.Name {
		case "loop_joint":
			r.loopJoint(n)
		case "loop":
			r.loop(n)
		case "coupling":
			r.coupling(n)
		case "gazebo":
			r.gazebo(n)
		case "transmission":
			r.transmission(n)
		case "frame", "fixed_frame":
			r.frame(n)
		case "mujoco":
			r.compiler(n)
		case "drake:ball_constraint", "drake:weld_constraint", "drake:distance_constraint", "drake:linear_spring_damper":
			r.drake(n)
		case "drake:tendon_constraint":
			r.tendon(n)
		case "drake:linear_bushing_rpy":
			r.later = append(r.later, func() { r.bushing(n) })
		}
	}
}

// isTemplate reports whether a file contains macros; it refuses such a file at the first one.
func (r *reader) isTemplate(root *xmltree.Node) bool {
	n := template(root)
	if n == nil {
		return false
	}
	what := "element " + fault.Name(n.Name)
	for k := range n.Attrs {
		if strings.Contains(n.Attrs[k].Value, "${") {
			what = "attribute " + fault.Name(n.Attrs[k].Name) + " of " + fault.Name(n.Name) + ", " + fault.Name(n.Attrs[k].Value)
			break
		}
	}
	r.Report.Refuse(n, what, "this is a template: run xacro first")
	return true
}

// template returns the first element with a macro, or nil.
func template(n *xmltree.Node) *xmltree.Node {
	if strings.HasPrefix(n.Name, "xacro:") {
		return n
	}
	for k := range n.Attrs {
		if strings.Contains(n.Attrs[k].Value, "${") {
			return n
		}
	}
	for _, c := range n.Children {
		if t := template(c); t != nil {
			return t
		}
	}
	return nil
}

// roots determines the root links, and which of them are fixed to the ground.
func (r *reader) roots(root *xmltree.Node) {
	if len(r.a.Links) == 0 {
		r.Report.Refuse(root, "the robot", "has no link")
		return
	}
	var roots []int
	world := -1
	for i := range r.a.Links {
		if r.a.Links[i].Name == "world" {
			world = i
			r.a.Links[i].Ground = true
			if r.a.Links[i].Mass != 0 {
				r.Report.Note(r.a.Links[i].At, "link world", "is the ground; its mass has no effect")
				r.a.Links[i].Mass, r.a.Links[i].Inertia = 0, spatial.Sym3{}
			}
		} else if r.parent[i] < 0 {
			roots = append(roots, i)
		}
	}
	if len(roots) == 0 && world < 0 {
		roots = []int{0}
		if k := r.parent[0]; k >= 0 {
			r.a.Joints[k].Loop = true
			r.parent[0] = -1
		}
		r.Report.Note(r.a.Links[0].At, "link "+fault.Name(r.a.Links[0].Name), "every link is a child; the first is taken for the root")
	}
	for n, i := range roots {
		l := &r.a.Links[i]
		name := "link " + fault.Name(l.Name)
		switch {
		case r.o.Base == source.BaseFloating:
		case r.o.Base == source.BaseFixed:
			l.Ground = true
		case world >= 0:
			r.Report.Note(l.At, name, "has no joint to the link world; it floats")
		case n == 0:
			l.Ground = true
			r.Report.Note(l.At, name, "no link is called world: this root stands on the ground (--base floating lets it float)")
		default:
			r.Report.Note(l.At, name, "is a further root; it floats")
		}
	}
}

// pose sets the coordinates in o.Pose, and refuses a keyframe.
func (r *reader) pose(root *xmltree.Node) {
	if r.o.Key != "" {
		r.Report.Refuse(root, "keyframe "+fault.Name(r.o.Key), "robots of this format have none")
	}
	r.a.SetPose(r.o, r.Report)
}

// origin reads the pose in n; the identity if n is nil.
func (r *reader) origin(n *xmltree.Node) assembly.Pose {
	if n == nil {
		return assembly.Identity()
	}
	return r.place(n)
}

// place reads the pose in the attributes of n.
func (r *reader) place(n *xmltree.Node) assembly.Pose {
	n.Use()
	x := assembly.Identity()
	x.R = r.Vector(n, "xyz", [3]float64{})
	if n.Has("quat_xyzw") {
		if q := r.Numbers(n, "quat_xyzw", 4, 4); q != nil {
			w := spatial.Quat{q[3], q[0], q[1], q[2]}
			if !(w.Norm() > 1e-9) {
				r.Refuse(n, "quat_xyzw", "has no direction")
				return x
			}
			x.Q = w.Normalize()
		}
		if n.Has("rpy") {
			r.Refuse(n, "rpy", "stands beside quat_xyzw")
		}
		return x
	}
	a := r.Vector(n, "rpy", [3]float64{})
	x.Q = assembly.RollPitchYaw(a[0], a[1], a[2])
	return x
}

// axis reads the axis of a joint, x by default.
func (r *reader) axis(n *xmltree.Node) spatial.Vec3 {
	if n == nil {
		return spatial.Vec3{1, 0, 0}
	}
	a := spatial.Vec3(r.Vector(n, "xyz", [3]float64{1, 0, 0}))
	if n.Has("rpy") { // not in the format, but in some files
		class := source.Dropped
		if spatial.Vec3(r.Vector(n, "rpy", [3]float64{})).Norm() <= 1e-9 { // zero, rounded
			class = source.Ignored
		}
		n.SetAttr("rpy", class, "an axis has no angles in the format")
	}
	return r.unit(n, a)
}

// unit returns a normalized. It refuses a vector without direction and returns the unit vector x.
func (r *reader) unit(n *xmltree.Node, a spatial.Vec3) spatial.Vec3 {
	length := a.Norm()
	if !(length > 1e-9) {
		r.Report.Refuse(n, "the axis", "has no direction")
		return spatial.Vec3{1, 0, 0}
	}
	return a.Scale(1 / length)
}

// find returns the link that an attribute of n names; false after a refusal.
func (r *reader) find(n *xmltree.Node, attr string) (int, bool) {
	name := r.Required(n, attr)
	if name == "" {
		return 0, false
	}
	return r.named(n, name)
}

// named returns the link with a name, assembly.World for world unless there is such a link. It refuses an unknown name and returns false.
func (r *reader) named(n source.Located, name string) (int, bool) {
	i, ok := r.links[name]
	if !ok && name == "world" {
		return assembly.World, true
	}
	if !ok {
		r.Report.Refuse(n, "link "+fault.Name(name), "does not exist")
	}
	return i, ok
}

// need returns the child of n with a name. It refuses a missing child and returns nil.
func (r *reader) need(n *xmltree.Node, name string) *xmltree.Node {
	c := n.Child(name)
	if c == nil {
		r.Report.Refuse(n, "element "+fault.Name(name), "is missing")
	}
	return c
}
