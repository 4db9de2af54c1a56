package mjcf

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// Read reads an MJCF file and makes its model, with the report on all its elements, which is never nil.
//
// Cost: O(bytes). It returns *source.Problems with the position of each error,
// and the errors of files and of the XML.
func Read(files *source.Files, name source.Name, o *source.Options) (*source.Result, *source.Report, error) {
	report := &source.Report{File: name.String(), Format: "mjcf"}
	report.Tell(o.Settled)
	r := &reader{
		files: files, name: name, o: o, Values: xmltree.Values{Report: report},
		main:    newClass(nil),
		classes: map[string]*class{},
		bodies:  map[string]int{"world": assembly.World},
		joints:  map[string]place{}, sites: map[string]site{}, meshes: map[string]*meshAsset{}, tendons: map[string]tendon{},
		colors: map[string][4]float64{},
	}
	r.classes["main"] = r.main
	root, err := r.load()
	if err != nil {
		return nil, report, err
	}
	r.model(root)
	xmltree.Account(root, elementRules, report)
	result, err := r.a.Build(o, report)
	return result, report, err
}

type reader struct {
	xmltree.Values
	files    *source.Files
	name     source.Name
	o        *source.Options
	a        assembly.Assembly
	included map[source.Name]bool
	main     *class
	classes  map[string]*class
	compiler compiler
	bodies   map[string]int
	joints   map[string]place
	row      []place // the joints in the order of qpos
	sites    map[string]site
	meshes   map[string]*meshAsset
	tendons  map[string]tendon
	colors   map[string][4]float64 // of materials
	weights  []weight
	poses    []assembly.Pose // of the links in the reference pose
	rested   []assembly.Pose // of the links with all joints at the rest of their springs; nil until needed
	standing map[int]bool    // links that are fixed to the ground
	grounded bool            // the current link is
	count    int             // number of bodies so far
	terms    int             // number of terms of tendons in equalities so far
	disabled map[string]bool
	frames   keyframes
}

// keyframes has the chosen keyframe, nil for none.
type keyframes struct {
	chosen     *xmltree.Node
	controlled bool // a keyframe of the file has controls
}

// place tells what a joint of the file is in the assembly: an axis of a joint, or, if joint is −1, the freedoms of a floating link.
type place struct {
	joint, axis int
	link        int     // of a free joint, else −1
	ref         float64 // coordinate of the file in the reference pose, rad or m
	ball        bool
}

// site is a named frame of a link.
type site struct {
	link int
	pose assembly.Pose
}

// weight is a link of whose weight a fraction, scale, is cancelled.
type weight struct {
	link  int
	scale float64
}

// sections returns the children of root with a name, marked as used; there may be several.
func sections(root *xmltree.Node, name string) (list []*xmltree.Node) {
	for _, n := range root.Children {
		if n.Name == name {
			list = append(list, n.Use())
		}
	}
	return list
}

// model reads the whole file: first settings and defaults, then bodies, then elements that refer to bodies.
func (r *reader) model(root *xmltree.Node) {
	if root.Name != "mujoco" {
		r.Report.Refuse(root, "element "+fault.Name(root.Name), "the file has to begin with mujoco")
		return
	}
	root.Use()
	r.a.Name, _ = root.Attr("model")
	bodies := root.Count("body")
	r.a.Links, r.a.Joints = make([]assembly.Link, 0, bodies), make([]assembly.Joint, 0, bodies)
	r.settings(root)
	for _, n := range sections(root, "default") {
		r.defaults(n)
	}
	for _, n := range sections(root, "asset") {
		r.asset(n)
	}
	for _, n := range sections(root, "worldbody") {
		if n.Has("childclass") {
			r.Refuse(n, "childclass", "the world has none")
		}
		r.inside(r.members(n, assembly.Identity(), r.main, nil), assembly.World)
	}
	if r.Report.Failed() {
		return
	}
	r.masses(root)
	for _, w := range r.weights {
		r.a.Forces = append(r.a.Forces, r.a.Balance(w.link, w.scale))
	}
	r.poses = r.a.Reference()
	for _, n := range sections(root, "tendon") {
		for _, c := range n.Children {
			r.tendon(c)
		}
	}
	for _, n := range sections(root, "equality") {
		for _, c := range n.Children {
			r.equality(c)
		}
	}
	r.keys(root)
	r.a.SetPose(r.o, r.Report)
	for _, n := range sections(root, "deformable") {
		for _, c := range n.Children {
			if c.Name == "flex" {
				r.Report.Refuse(c, "element flex", "bodies that deform are not read")
				c.Set(source.Refused, "")
			}
		}
	}
	r.actuators(root)
}

// compiler has the settings that affect the meaning of the file.
type compiler struct {
	degrees    bool
	order      string // of the angles of euler
	fromGeoms  int    // 0 false, 1 true, 2 auto
	groups     [2]float64
	bounds     assembly.Bounds
	meshes     string
	assets     string
	strip      bool
	autolimits bool
	exact      bool // the rule of meshes is exact unless they have one
}

// settings reads the compiler settings and the options, with the defaults of the format.
func (r *reader) settings(root *xmltree.Node) {
	c := &r.compiler
	*c = compiler{degrees: true, order: "xyz", fromGeoms: 2, groups: [2]float64{0, 5}, autolimits: true}
	for _, n := range sections(root, "compiler") {
		c.degrees = r.Choice(n, "angle", pick(c.degrees), "radian", "degree") == 1
		if order, ok := n.Attr("eulerseq"); ok {
			if len(order) == 3 && strings.Trim(order, "xyzXYZ") == "" {
				c.order = order
			} else {
				r.Refuse(n, "eulerseq", "is not three of the letters x, y, z, X, Y, Z")
			}
		}
		c.fromGeoms = r.Choice(n, "inertiafromgeom", c.fromGeoms, "false", "true", "auto")
		if g := r.Numbers(n, "inertiagrouprange", 2, 2); g != nil {
			c.groups = [2]float64(g)
		}
		b := &c.bounds
		b.Mass, b.Inertia = r.Number(n, "boundmass", b.Mass), r.Number(n, "boundinertia", b.Inertia)
		b.Balance = r.True(n, "balanceinertia", b.Balance)
		b.Total = r.Number(n, "settotalmass", b.Total)
		c.autolimits = r.True(n, "autolimits", c.autolimits)
		c.strip = r.True(n, "strippath", c.strip)
		c.exact = r.True(n, "exactmeshinertia", c.exact)
		if s, ok := n.Attr("meshdir"); ok {
			c.meshes = s
		}
		if s, ok := n.Attr("assetdir"); ok {
			c.assets = s
		}
		if r.Choice(n, "coordinate", 0, "local", "global") == 1 {
			r.Refuse(n, "coordinate", "global coordinates are not read")
		}
		if r.True(n, "alignfree", false) {
			r.Refuse(n, "alignfree", "is not read: it moves the frames of bodies")
		}
	}
	r.options(root)
	if r.disabled["gravity"] {
		r.a.Gravity = spatial.Vec3{}
	}
}

// options reads gravity and the flags, and drops drag.
func (r *reader) options(root *xmltree.Node) {
	r.a.Gravity = spatial.Vec3{0, 0, -9.81}
	r.disabled = map[string]bool{}
	for _, n := range sections(root, "option") {
		r.a.Gravity = r.Vector(n, "gravity", r.a.Gravity)
		for _, name := range [3]string{"density", "viscosity", "wind"} {
			if !n.Has(name) {
				continue
			}
			for _, x := range r.Numbers(n, name, 1, 3) {
				if x != 0 {
					n.SetAttr(name, source.Dropped, "the model has no drag")
					break
				}
			}
		}
		for _, f := range n.Children {
			if f.Name != "flag" {
				continue
			}
			for _, name := range flags {
				if f.Has(name) {
					r.disabled[name] = r.Choice(f, name, 1, "disable", "enable") == 0
				}
			}
		}
	}
}

// flags has the flags that affect the motion.
var flags = []string{"gravity", "equality", "constraint", "passive", "spring", "damper", "frictionloss", "limit"}

// pick returns 1 for true and 0 for false, for Choice.
func pick(b bool) int {
	if b {
		return 1
	}
	return 0
}

// masses applies the settings of the compiler to the masses of all links.
func (r *reader) masses(root *xmltree.Node) {
	all := make([]int, len(r.a.Links))
	for i := range all {
		all[i] = i
	}
	r.a.Bound(all, r.compiler.bounds, r.Report)
	if len(all) == 0 {
		r.Report.Refuse(root, "the model", "has no body")
	}
}

// refuseElement refuses an element that would make bodies.
func (r *reader) refuseElement(n *xmltree.Node) {
	r.Report.Refuse(n, "element "+fault.Name(n.Name), "is not read; what it makes can be written out by the simulator that reads it")
	n.Set(source.Refused, "")
}

// unnamed returns a name for element k of a kind that has no name.
func unnamed(kind string, k int) string { return fmt.Sprintf("%s#%d", kind, k) }
