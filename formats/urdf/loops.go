package urdf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// closes appends a joint of a type that closes a loop between two frames, or refuses it.
func (r *reader) closes(n *xmltree.Node, name, kind string, axis *xmltree.Node, ends [2]int, frames [2]assembly.Pose) {
	if ends[0] == ends[1] {
		r.Report.Refuse(n, "loop "+fault.Name(name), "joins a link to itself")
		return
	}
	if kind == "floating" {
		r.Refuse(n, "type", "a loop that is floating is none")
		return
	}
	if frame := ""; axis != nil {
		if frame, _ = axis.Attr("frame"); frame == "parent" { // turn the axis from the link into the loop's frame
			a := frames[0].Inverse().Dir(r.axis(axis))
			row, ok := r.motions(n, kind, nil)
			if ok && len(row) == 1 && row[0].Kind != assembly.Ball {
				row[0].Axis, row[0].Name = a, name
			} else if len(row) > 1 {
				r.Refuse(axis, "frame", "has no meaning for this type")
			}
			if ok {
				r.append(n, name, row, ends, frames)
			}
			return
		} else if frame != "" && frame != "joint" {
			r.Refuse(axis, "frame", fault.Name(frame)+" is not known")
		}
	}
	row, ok := r.motions(n, kind, axis)
	if ok && len(row) == 1 {
		row[0].Name = name
	}
	if ok {
		r.append(n, name, row, ends, frames)
	}
}

// append appends a joint with the axes row, which closes a loop between the links ends.
func (r *reader) append(n source.Located, name string, row []assembly.Axis, ends [2]int, frames [2]assembly.Pose) {
	r.a.Joints = append(r.a.Joints, assembly.Joint{
		At: n, Name: name, Predecessor: ends[0], Successor: ends[1], P: frames[0], S: frames[1], Axes: row, Loop: true,
	})
}

// loopJoint reads an element loop_joint, with link1 and link2 and their frames, or with parent and child.
func (r *reader) loopJoint(n *xmltree.Node) {
	name, kind := r.Required(n, "name"), r.Required(n, "type")
	var ends []*xmltree.Node
	for _, c := range n.Children {
		if c.Name == "link1" || c.Name == "link2" {
			ends = append(ends, c.Use())
		}
	}
	var at [2]int
	var frames [2]assembly.Pose
	if len(ends) == 0 {
		for k, names := range [2][2]string{{"parent", "parent_origin"}, {"child", "child_origin"}} {
			c := r.need(n, names[0])
			if c == nil {
				return
			}
			var ok bool
			if at[k], ok = r.find(c, "link"); !ok {
				return
			}
			frames[k] = r.origin(n.Child(names[1]))
		}
	} else {
		if len(ends) != 2 {
			r.Report.Refuse(n, "loop "+fault.Name(name), "has to have two links")
			return
		}
		for k, c := range ends {
			var ok bool
			if at[k], ok = r.find(c, "link"); !ok {
				return
			}
			frames[k] = r.place(c)
		}
	}
	r.closes(n, name, kind, n.Child("axis"), at, frames)
}

// ends reads predecessor and successor of an element of URDF+, with their frames; false after a refusal.
func (r *reader) ends(n *xmltree.Node) (at [2]int, frames [2]assembly.Pose, ok bool) {
	for k, name := range [2]string{"predecessor", "successor"} {
		c := r.need(n, name)
		if c == nil {
			return at, frames, false
		}
		if at[k], ok = r.find(c, "link"); !ok {
			return at, frames, false
		}
		frames[k] = r.origin(c.Child("origin"))
	}
	return at, frames, true
}

// loop reads an element loop of URDF+.
func (r *reader) loop(n *xmltree.Node) {
	name, kind := r.Required(n, "name"), r.Required(n, "type")
	if at, frames, ok := r.ends(n); ok {
		r.closes(n, name, kind, n.Child("axis"), at, frames)
	}
}

// coupling reads a coupling of URDF+: the sum of the coordinates from the nearest common ancestor to the successor equals ratio times the
// sum of the coordinates from there to the predecessor.
func (r *reader) coupling(n *xmltree.Node) {
	name := r.Required(n, "name")
	at, _, ok := r.ends(n)
	if !ok {
		return
	}
	ratio := 1.0
	if c := n.Child("ratio"); c != nil {
		ratio = r.RequiredNumber(c, "value", 1)
	} else if n.Has("ratio") {
		ratio = r.Number(n, "ratio", 1)
	} else {
		r.Report.Refuse(n, "element ratio", "is missing")
	}
	if at[0] == assembly.World || at[1] == assembly.World {
		r.Report.Refuse(n, "coupling "+fault.Name(name), "has the world as an end")
		return
	}
	if r.terms > assembly.MaxTerms {
		return // refused already
	}
	down, up := r.paths(at[1], at[0])
	if r.terms += len(down) + len(up); r.terms > assembly.MaxTerms {
		r.Report.Refuse(n, "coupling "+fault.Name(name), fmt.Sprintf("couplings have more than %d joints between their links", assembly.MaxTerms))
		return
	}
	c := assembly.Coupling{At: n, Name: name}
	for side, list := range [2][]int{down, up} {
		slices.Reverse(list)
		for _, k := range list {
			j := &r.a.Joints[k]
			if len(j.Axes) == 0 {
				continue
			}
			a := r.scalar(n, j.Name)
			if a == nil {
				return
			}
			factor := 1.0
			if side == 1 {
				factor = -ratio
			}
			c.Terms = append(c.Terms, assembly.Term{Coordinate: r.coordinate(a), Factor: factor})
		}
	}
	if len(c.Terms) == 0 {
		r.Report.Refuse(n, "coupling "+fault.Name(name), "has no joints between its links")
		return
	}
	r.a.Couplings = append(r.a.Couplings, c)
}

// paths returns the joints from two links up to their nearest common ancestor, or to their roots.
//
// Cost: O(length of the paths); O(links) the first time.
func (r *reader) paths(a, b int) (fromA, fromB []int) {
	if r.depth == nil {
		r.depth = r.a.Depths()
	}
	climb := func(link *int, path *[]int) {
		k := r.parent[*link]
		*path = append(*path, k)
		*link = r.a.Joints[k].Predecessor
	}
	deep := func(link int) int {
		if link == assembly.World {
			return -1
		}
		return r.depth[link]
	}
	for a != b && len(fromA)+len(fromB) <= assembly.MaxTerms {
		da, db := deep(a), deep(b)
		if da <= 0 && db <= 0 {
			break
		}
		if da >= db {
			climb(&a, &fromA)
		} else {
			climb(&b, &fromB)
		}
	}
	return fromA, fromB
}

// drake reads a constraint or spring of Drake, and appends its joint or force element. The name of a child element begins with the name of
// its parent.
func (r *reader) drake(n *xmltree.Node) {
	n.Use()
	child := func(name string) *xmltree.Node { return n.Child(n.Name + "_" + name) }
	ends, ok := r.drakeEnds(n)
	if !ok {
		return
	}
	point := func(name string) (p spatial.Vec3) {
		if c := child(name); c != nil && r.Required(c, "value") != "" {
			p = r.Vector(c, "value", [3]float64{})
		}
		return p
	}
	pose := func(name string) assembly.Pose {
		x := assembly.Identity()
		if c := child(name); c != nil && r.Required(c, "value") != "" {
			if v := r.Numbers(c, "value", 6, 6); v != nil {
				x.R, x.Q = spatial.Vec3(v[:3]), assembly.RollPitchYaw(v[3], v[4], v[5])
			}
		}
		return x
	}
	number := func(name string) float64 {
		if c := r.need(n, n.Name+"_"+name); c != nil {
			return r.RequiredNumber(c, "value", 0)
		}
		return 0
	}
	kind := strings.TrimPrefix(n.Name, "drake:")
	name, _ := n.Attr("name")
	if name == "" {
		name = kind
	}
	if ends[0] == ends[1] {
		r.Report.Refuse(n, "element "+n.Name, "joins a link to itself")
		return
	}
	points := [2]assembly.Pose{{R: point("p_AP")}, {R: point("p_BQ")}}
	switch kind {
	case "ball_constraint":
		r.append(n, name, []assembly.Axis{{At: n, Kind: assembly.Ball}}, ends, points)
	case "weld_constraint":
		r.append(n, name, nil, ends, [2]assembly.Pose{pose("X_AP"), pose("X_BQ")})
	case "distance_constraint":
		j := assembly.Joint{At: n, Name: name, Predecessor: ends[0], Successor: ends[1], P: points[0], S: points[1], Typed: true, Type: model.Distance, Loop: true}
		if j.Length = number("distance"); !(j.Length > 0) {
			r.Report.Refuse(n, "distance of "+n.Name, "is not positive")
		}
		r.a.Joints = append(r.a.Joints, j)
	case "linear_spring_damper":
		r.a.Forces = append(r.a.Forces, assembly.Force{
			At: n, Name: name, Type: model.SpringDamper, A: ends[0], B: ends[1], PointA: points[0].R, PointB: points[1].R,
			Stiffness: number("stiffness"), Damping: number("damping"), RestLength: number("free_length"),
		})
	}
}

// drakeEnds returns the two links of an element, and whether both exist.
func (r *reader) drakeEnds(n *xmltree.Node) (at [2]int, ok bool) {
	for k, name := range [2]string{"body_A", "body_B"} {
		c := r.need(n, n.Name+"_"+name)
		if c == nil {
			return at, false
		}
		if at[k], ok = r.find(c, "name"); !ok {
			return at, false
		}
	}
	return at, true
}

// frame reads a named frame of a link.
func (r *reader) frame(n *xmltree.Node) {
	name := r.Required(n, "name")
	of, at := n, r.place(n)
	if c := n.Child("parent"); c != nil && !n.Has("link") { // the form in the documentation of Isaac Sim
		of = c
		if o := n.Child("origin"); o != nil {
			at = r.place(o)
		}
	}
	l, ok := r.find(of, "link")
	if !ok || name == "" {
		return
	}
	if r.frames == nil {
		r.frames = map[string]assembly.Point{}
	}
	r.frames[name] = assembly.Point{Link: l, At: at.R}
	if l != assembly.World {
		r.a.Links[l].Frames = append(r.a.Links[l].Frames, assembly.Frame{Name: name, Pose: at})
	}
}
