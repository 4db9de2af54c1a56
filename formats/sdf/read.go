package sdf

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/mesh"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// The versions that are read are 1.oldest to 1.newest.
const oldest, newest = 4, 12

// gravity is the default of the format along z, m/s².
const gravity = -9.8

// Read reads a file and makes its model, with the report on all its elements.
//
// Cost: O(bytes) of all files. It returns the errors of the file as a *source.SyntaxError
// or a *source.Problems. The report is never nil.
func Read(files *source.Files, name source.Name, o *source.Options) (*source.Result, *source.Report, error) {
	r := &reader{files: files, o: o, report: &source.Report{File: name.String(), Format: "sdf"}}
	r.byFrame, r.weighed = map[*frame]*joint{}, map[scaled]mesh.Moments{}
	r.report.Tell(o.Settled)
	r.values = xmltree.Values{Report: r.report, Stray: true, Empty: true} // as the library of the format
	if o.Key != "" {
		r.report.Refuse(nil, "a pose by keyframe", "this format has none")
	}
	const included = true
	root, err := r.open(name, !included)
	if err != nil {
		return nil, r.report, err
	}
	r.document(root)
	for _, n := range r.roots {
		xmltree.Account(n, table, r.report)
	}
	result, err := r.a.Build(o, r.report)
	return result, r.report, err
}

type reader struct {
	files   *source.Files
	o       *source.Options
	report  *source.Report
	values  xmltree.Values
	a       assembly.Assembly
	roots   []*xmltree.Node
	version int      // minor version of the current file
	depth   int      // of includes and nested models
	chain   int      // length of the current chain of frames
	order   []*frame // all frames in the order of the file
	joints  []*joint
	byFrame map[*frame]*joint
	after   []func() // to be called when all frames are known
	links   []linked // in the order of the assembly
	plugins []pending
	drakes  []pending
	terms   int // number of terms of tendons so far
	weighed map[scaled]mesh.Moments
}

// linked is a link of the assembly with its frame.
type linked struct{ f *frame }

// pending is a plugin or an element of Drake, which is read when all frames are known, with its scope.
type pending struct {
	node  *xmltree.Node
	scope *scope
	home  *frame
}

// open parses a file and checks its version. included tells that another file includes it.
func (r *reader) open(name source.Name, included bool) (*xmltree.Node, error) {
	read := r.files.Read
	if included {
		read = r.files.Include
	}
	data, err := read(name)
	if err != nil {
		return nil, err
	}
	root, err := xmltree.Parse(name.String(), data)
	if err != nil {
		if bytes.Contains(data, []byte("<%")) {
			err = fmt.Errorf("%w; this is a template: run erb first", err)
		}
		return nil, err
	}
	if root.Name != "sdf" {
		return nil, &source.SyntaxError{Location: root.Location(), Rule: "the root element is " + fault.Name(root.Name) + " in place of sdf"}
	}
	text, _ := root.Attr("version")
	n, ok := versionOf(text)
	if !ok || n < oldest || n > newest {
		return nil, &source.SyntaxError{Location: root.Location(), Rule: fmt.Sprintf("version %s is not read; 1.%d to 1.%d are", fault.Name(text), oldest, newest)}
	}
	if !included {
		r.report.Version = text
	}
	r.version = n
	r.roots = append(r.roots, root)
	return root, nil
}

// versionOf returns the minor number of a version 1.minor; false for other texts, and for signs and leading zeros.
func versionOf(text string) (minor int, ok bool) {
	digits, ok := strings.CutPrefix(text, "1.")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && strconv.Itoa(n) == digits
}

// document reads the main file.
func (r *reader) document(root *xmltree.Node) {
	r.a.Gravity = spatial.Vec3{0, 0, gravity}
	var models, worlds []*xmltree.Node
	for _, n := range root.Children {
		switch n.Name {
		case "model":
			models = append(models, n)
		case "world":
			worlds = append(worlds, n)
		}
	}
	top := &scope{frames: map[string]*frame{}, isWorld: true}
	switch {
	case len(worlds) > 1 || len(worlds) == 1 && len(models) > 0:
		r.report.Refuse(root, "the file", "has a world and something beside it")
		return
	case len(worlds) == 1:
		w := worlds[0].Use()
		r.a.Name, _ = w.Attr("name")
		g := w.Child("gravity")
		if g == nil && r.version < 6 {
			g = oldGravity(w)
		}
		if g != nil {
			if x := r.values.TextNumbers(g, 3, 3); x != nil {
				r.a.Gravity = spatial.Vec3(x)
			}
		}
		r.setGravity()
		r.contents(w, top, nil)
	case len(models) == 0:
		r.report.Refuse(root, "the file", "has neither a model nor a world")
		return
	default:
		if r.o.Gravity == nil {
			r.report.Note(models[0], "gravity is 0 0 −9.8", "which is that of a world which does not say; the file has no world")
		}
		r.setGravity()
		r.a.Name, _ = models[0].Attr("name")
		for _, n := range models {
			r.model(n, top, nil, includeOf{}, len(models) == 1)
		}
	}
	r.finish(top)
}

// oldGravity returns the element gravity in the physics settings of world w, where files before 1.6 have it, or nil.
func oldGravity(w *xmltree.Node) (g *xmltree.Node) {
	for _, n := range w.Children {
		if n.Name != "physics" || g != nil && !isDefault(n) {
			continue
		}
		for _, c := range n.Children {
			if c.Name == "gravity" {
				g = c
			}
		}
	}
	if g == nil {
		return nil
	}
	g.Parent.Use()
	for _, c := range g.Parent.Children {
		if c != g {
			c.Set(source.Ignored, solver)
		}
	}
	return g.Use()
}

// isDefault reports whether the physics settings n are the default ones.
func isDefault(n *xmltree.Node) bool {
	for _, a := range n.Attrs {
		if a.Name == "default" {
			return a.Value == "true" || a.Value == "1"
		}
	}
	return false
}

// setGravity replaces gravity by o.Gravity if set. It must precede forces that cancel weight.
func (r *reader) setGravity() {
	if r.o.Gravity != nil {
		r.a.Gravity = *r.o.Gravity
	}
}

// contents reads the elements of a model or a world. home is the frame that __model__ means there.
func (r *reader) contents(n *xmltree.Node, s *scope, home *frame) {
	count := map[string]int{}
	for _, c := range n.Children {
		count[c.Name]++
	}
	r.a.Links, r.links = slices.Grow(r.a.Links, count["link"]), slices.Grow(r.links, count["link"])
	r.joints, r.order = slices.Grow(r.joints, count["joint"]), slices.Grow(r.order, len(n.Children))
	for _, c := range n.Children {
		switch c.Name {
		case "link":
			r.link(c, s, home)
		case "joint", drakeJoint:
			r.newJoint(c, s, home)
		case drakeBall, drakeSpring, drakeTendon:
			r.drakes = append(r.drakes, pending{c, s, home})
		case "frame":
			f := r.named(c, s, home)
			f.attached, _ = c.Attr("attached_to")
			r.pose(c, f)
			if f.relative == "" {
				f.relative = f.attached
			}
		case "model":
			const alone = true
			r.model(c, s, home, includeOf{}, !alone)
		case "include":
			r.include(c, s, home)
		case "plugin":
			r.plugins = append(r.plugins, pending{c, s, home})
		}
	}
}

// named adds a frame with the name of n to s.
func (r *reader) named(n *xmltree.Node, s *scope, home *frame) *frame {
	n.Use()
	name, _ := n.Attr("name")
	return r.add(n, name, s, home)
}

// add adds a frame with a name to a scope, and reports a name that is empty, reserved or taken.
func (r *reader) add(n *xmltree.Node, name string, s *scope, home *frame) *frame {
	switch {
	case name == "" || name == worldName || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") || strings.Contains(name, "::"):
		r.report.Refuse(n, "the name "+fault.Name(name), "is empty or reserved")
	case s.frames[name] != nil:
		r.report.Refuse(n, "the name "+fault.Name(name), "is that of something else in the model")
	}
	f := &frame{at: n, name: name, scope: s, home: home, local: assembly.Identity()}
	s.frames[name] = f
	r.order = append(r.order, f)
	return f
}

// model reads a model in scope s. If it is alone, the only model of the file, its name is not a prefix of other names.
func (r *reader) model(n *xmltree.Node, s *scope, home *frame, in includeOf, alone bool) {
	if r.depth++; r.depth > source.MaxDepth {
		r.report.Refuse(n, "model", fmt.Sprintf("models stand deeper than %d in each other", source.MaxDepth))
		return
	}
	defer func() { r.depth-- }()
	n.Use()
	name, _ := n.Attr("name")
	if in.name != "" {
		name = in.name
	}
	static := s.static || in.static || r.truth(n, "static", false)
	if in.merge {
		r.merged(n, s, home, in, name)
		return
	}
	f := r.add(n, name, s, home)
	f.inner = &scope{outer: s, self: f, frames: map[string]*frame{}, static: static, prefix: s.prefix + name + "::"}
	if alone {
		f.inner.prefix = ""
	}
	f.inner.canonical, _ = n.Attr("canonical_link")
	f.inner.placement, _ = n.Attr("placement_frame")
	r.pose(n, f)
	r.posedBy(f, in)
	if in.placement != "" {
		f.inner.placement = in.placement
	}
	r.contents(n, f.inner, nil)
	if s.first == nil {
		s.first = f
	}
}

// pose reads the pose of n into f.
func (r *reader) pose(n *xmltree.Node, f *frame) {
	if c := n.Child("pose"); c != nil {
		f.local, f.relative = r.poseOf(c)
	}
}

// poseOf reads a pose: six numbers, x y z and angles about the fixed axes x, y, z, or seven with a quaternion, w
// last. It also returns the name of the frame to which the pose is relative, "" for the default.
func (r *reader) poseOf(c *xmltree.Node) (assembly.Pose, string) {
	c.Use()
	x := assembly.Identity()
	relative, _ := c.Attr("relative_to")
	if r.version < 7 {
		if text, _ := c.Attr("frame"); text != "" {
			r.values.Refuse(c, "frame", "no program ever read it; state the pose in the usual frame")
		}
	}
	if c.Text == "" {
		return x, relative
	}
	unit := 1.0
	if r.values.True(c, "degrees", false) {
		unit = math.Pi / 180
	}
	if format, _ := c.Attr("rotation_format"); format == "quat_xyzw" {
		p := r.values.TextNumbers(c, 7, 7)
		if p == nil {
			return x, relative
		}
		q := spatial.Quat{p[6], p[3], p[4], p[5]}
		if n := q.Norm(); !(n > 1e-6) || math.IsInf(n, 0) {
			r.values.Refuse(c, "", "its quaternion is zero")
			return x, relative
		}
		return assembly.Pose{R: spatial.Vec3(p[:3]), Q: q.Normalize()}, relative
	} else if format != "" && format != "euler_rpy" {
		r.values.Refuse(c, "rotation_format", fault.Name(format)+" is neither euler_rpy nor quat_xyzw")
	}
	p := r.values.TextNumbers(c, 6, 6)
	if p == nil {
		return x, relative
	}
	return assembly.Pose{R: spatial.Vec3(p[:3]), Q: assembly.RollPitchYaw(p[3]*unit, p[4]*unit, p[5]*unit)}, relative
}

// text returns the text of an element in n, "" if there is none.
func (r *reader) text(n *xmltree.Node, field string) string {
	if c := n.Child(field); c != nil {
		return c.Text
	}
	return ""
}

// number returns the number in a field of n, or usual if there is none.
func (r *reader) number(n *xmltree.Node, field string, usual float64) float64 {
	return r.values.ChildNumber(n, field, usual)
}

// truth returns the truth value of an element in n, or usual if there is none.
func (r *reader) truth(n *xmltree.Node, field string, usual bool) bool {
	c := n.Child(field)
	if c == nil || r.values.Blank(c) {
		return usual
	}
	switch strings.ToLower(c.Text) {
	case "true", "1":
		return true
	case "false", "0":
		return false
	}
	r.values.Refuse(c, "", fault.Name(c.Text)+" is neither true nor false")
	return usual
}
