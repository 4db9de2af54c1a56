package urdf

import (
	"math"
	"strconv"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// bushing reads a bushing of Drake. With the same stiffness in all directions, and without torques and damping, its force
// is along the line between its origins, as in the model. Other bushings are dropped: their torques are about roll,
// pitch and yaw axes, which the model does not have.
func (r *reader) bushing(n *xmltree.Node) {
	f := assembly.Force{At: n, Name: "bushing#" + strconv.Itoa(len(r.a.Forces)), Type: model.BushingForce}
	var ok [2]bool
	f.A, f.PointA, ok[0] = r.frameOf(n, "drake:bushing_frameA")
	f.B, f.PointB, ok[1] = r.frameOf(n, "drake:bushing_frameC")
	var zero, force spatial.Vec3
	most := 0.0 // largest magnitude of the numbers that must be zero
	for _, name := range [4]string{"torque_stiffness", "torque_damping", "force_stiffness", "force_damping"} {
		c := r.need(n, "drake:bushing_"+name)
		if c == nil || r.Required(c, "value") == "" {
			return
		}
		v := r.Vector(c, "value", zero)
		if name == "force_stiffness" {
			force = v
		} else {
			most = max(most, math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
		}
	}
	switch {
	case !ok[0] || !ok[1]:
	case f.A == f.B:
		r.Report.Refuse(n, "element "+n.Name, "joins a link to itself")
	case !assembly.Rounded(most, 0, force[0]) || !assembly.Rounded(force[0], force[1], force[0]) || !assembly.Rounded(force[0], force[2], force[0]):
		n.Set(source.Dropped, "bushings with torques, damping or unequal stiffness are of another law than those of the model")
	default:
		f.Stiffness = force[0]
		r.a.Forces = append(r.a.Forces, f)
	}
}

// frameOf returns the link of the frame, or link, that a part of n names, and the origin of the frame in the link. It returns
// false after a refusal.
func (r *reader) frameOf(n *xmltree.Node, part string) (link int, at spatial.Vec3, ok bool) {
	c := r.need(n, part)
	if c == nil {
		return
	}
	name := r.Required(c, "name")
	if name == "" {
		return
	}
	if i, ok := r.links[name]; ok {
		return i, at, true
	}
	if p, ok := r.frames[name]; ok {
		return p.Link, p.At, true
	}
	r.Report.Refuse(c, "frame "+fault.Name(name), "does not exist")
	return
}
