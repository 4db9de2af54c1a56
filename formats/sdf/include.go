package sdf

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// includeOf has the settings of an include, for the model that it includes; zero for a model without include.
type includeOf struct {
	node      *xmltree.Node
	name      string
	pose      *xmltree.Node
	placement string
	static    bool
	merge     bool
}

// posedBy replaces the pose of a model by the pose of its include, if that has one.
func (r *reader) posedBy(f *frame, in includeOf) {
	if in.pose != nil {
		f.local, f.relative = r.poseOf(in.pose)
	}
}

// merged adds the contents of an included model to the scope s of the including model. A frame takes the place of the included model.
func (r *reader) merged(n *xmltree.Node, s *scope, home *frame, in includeOf, name string) {
	if s.isWorld {
		r.report.Refuse(in.node, "include", "a world cannot merge models")
		return
	}
	f := &frame{at: n, name: "_merged__" + name + "__model__", scope: s, home: home, local: assembly.Identity()}
	if s.frames[f.name] != nil {
		r.report.Refuse(in.node, "include", "merges a model of the same name as another")
	}
	s.frames[f.name] = f
	r.pose(n, f)
	r.posedBy(f, in)
	placement, _ := n.Attr("placement_frame")
	canonical, _ := n.Attr("canonical_link")
	if in.placement != "" || placement != "" {
		r.report.Refuse(in.node, "include", "merging a model by a placement frame is not read")
	}
	first := s.first
	s.first = nil
	r.contents(n, s, f)
	if f.attached = canonical; canonical == "" && s.first != nil {
		f.attached = s.first.name
	}
	if first != nil {
		s.first = first
	}
}

// include reads a model of another file.
func (r *reader) include(n *xmltree.Node, s *scope, home *frame) {
	n.Use()
	in := includeOf{node: n, pose: n.Child("pose"), static: r.truth(n, "static", false), merge: r.values.True(n, "merge", false)}
	in.name = r.text(n, "name")
	in.placement = r.text(n, "placement_frame")
	if text, ok := n.Attr("placement_frame"); ok {
		in.placement = text
	}
	uri := r.text(n, "uri")
	if uri == "" {
		r.report.Refuse(n, "include", "names no file")
		return
	}
	if !r.files.Known(uri) && scenery(uri) {
		n.Set(source.Ignored, "light and ground of Gazebo, which nothing touches here")
		return
	}
	if r.depth++; r.depth > source.MaxDepth {
		r.report.Refuse(n, "include", fmt.Sprintf("files include each other deeper than %d", source.MaxDepth))
		return
	}
	defer func() { r.depth-- }()
	name, err := r.locate(n, uri)
	if err == nil {
		version := r.version
		defer func() { r.version = version }()
		const included, alone = true, true
		var root *xmltree.Node
		if root, err = r.open(name, included); err == nil {
			var models []*xmltree.Node
			for _, c := range root.Children {
				if c.Name == "model" {
					models = append(models, c)
				}
			}
			if len(models) != 1 {
				r.report.Refuse(n, "include", fmt.Sprintf("the file has %d models in place of one", len(models)))
				return
			}
			r.model(models[0], s, home, in, !alone)
			return
		}
	}
	r.report.Refuse(n, "include", fault.Plain(err).Error())
}

// scenery reports whether an address is Gazebo's sun or ground plane, which most worlds include and which do not move.
func scenery(uri string) bool {
	name := strings.ToLower(uri[strings.LastIndexByte(uri, '/')+1:])
	return name == "sun" || name == "ground_plane" || name == "ground plane" || name == "ground%20plane"
}

// locate returns the file of an include. If uri is the folder of a model, it is the file with the newest supported version there.
func (r *reader) locate(n *xmltree.Node, uri string) (source.Name, error) {
	name, err := r.files.Resolve(source.Dir(r.nameOf(n)), uri)
	if err != nil || r.files.Exists(name) {
		return name, err
	}
	in := func(file string) (source.Name, error) { return r.files.Resolve(name, file) }
	config, err := in("model.config")
	if err != nil {
		return name, err
	}
	if !r.files.Exists(config) {
		return in("model.sdf")
	}
	data, err := r.files.Include(config)
	if err != nil {
		return name, err
	}
	root, err := xmltree.Parse(config.String(), data)
	if err != nil {
		return name, err
	}
	best, file := -1, "model.sdf"
	for _, c := range root.Children {
		if c.Name != "sdf" {
			continue
		}
		version, ok := c.Attr("version")
		if k, known := versionOf(version); known && k > best && k <= newest {
			best, file = k, c.Text
		} else if !ok && best < 0 {
			file = c.Text
		}
	}
	return in(file)
}

// nameOf returns the file of n.
func (r *reader) nameOf(n *xmltree.Node) source.Name {
	if rest, ok := strings.CutPrefix(n.File, "package://"); ok {
		pack, path, _ := strings.Cut(rest, "/")
		return source.Name{Package: pack, Path: path}
	}
	return source.Name{Path: n.File}
}
