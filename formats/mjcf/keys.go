package mjcf

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// keys finds the keyframe o.Key and puts the joints into its state.
func (r *reader) keys(root *xmltree.Node) {
	var found *xmltree.Node
	var all []string
	for _, n := range sections(root, "keyframe") {
		for _, c := range n.Children {
			if c.Name != "key" {
				continue
			}
			c.Use()
			name, _ := c.Attr("name")
			if name == "" {
				name = unnamed("key", len(all))
			}
			all = append(all, name)
			r.frames.controlled = r.frames.controlled || c.Has("ctrl")
			if name == r.o.Key && r.o.Key != "" && found == nil {
				found = c
			} else {
				for _, attr := range [...]string{"qpos", "qvel", "ctrl"} {
					c.SetAttr(attr, source.Ignored, "is of a keyframe that --key does not name")
				}
			}
		}
	}
	switch {
	case r.o.Key == "" && len(all) > 0:
		r.Report.Note(nil, "keyframes", "the model is in its reference pose; --key takes one of "+fault.List(all))
	case r.o.Key != "" && found == nil:
		there := "does not exist; there are "
		if len(all) == 0 {
			there = "does not exist; there are none"
		}
		r.Report.Refuse(nil, "keyframe "+fault.Name(r.o.Key), there+fault.List(all))
	case found != nil:
		r.frames.chosen = found
		r.take(found)
	}
}

// take reads positions and velocities of the joints from a keyframe, in the order of the file. For a floating link they are in axes of
// the world, except the angular velocity, which is in axes of the link.
func (r *reader) take(n *xmltree.Node) {
	nq, nv := 0, 0
	for _, p := range r.row {
		q, v := p.numbers()
		nq, nv = nq+q, nv+v
	}
	positions, velocities := r.state(n, "qpos", nq), r.state(n, "qvel", nv)
	for _, p := range r.row {
		nq, nv := p.numbers()
		if positions != nil {
			r.putPosition(n, p, positions[:nq])
			positions = positions[nq:]
		}
		if velocities != nil {
			r.putVelocity(p, velocities[:nv])
			velocities = velocities[nv:]
		}
	}
}

// numbers returns the counts of a joint's numbers in qpos and in qvel.
func (p *place) numbers() (positions, velocities int) {
	switch {
	case p.joint < 0:
		return 7, 6
	case p.ball:
		return 4, 3
	}
	return 1, 1
}

// putPosition sets the position of a joint from its numbers x of qpos.
func (r *reader) putPosition(n *xmltree.Node, p place, x []float64) {
	switch {
	case p.joint < 0:
		l := &r.a.Links[p.link]
		l.Pose.R, l.Pose.Q = spatial.Vec3(x[:3]), r.quat(n, x[3:])
	case p.ball:
		r.a.Joints[p.joint].Axes[p.axis].Turn = r.quat(n, x)
	default:
		r.a.Joints[p.joint].Axes[p.axis].Value = x[0] - p.ref
	}
}

// putVelocity sets the velocity of a joint from its numbers x of qvel. Its position must be set already.
func (r *reader) putVelocity(p place, x []float64) {
	switch {
	case p.joint < 0:
		l := &r.a.Links[p.link]
		l.Linear, l.Angular = spatial.Vec3(x[:3]), l.Pose.Dir(spatial.Vec3(x[3:]))
	case p.ball:
		r.a.Joints[p.joint].Axes[p.axis].Spin = spatial.Vec3(x)
	default:
		r.a.Joints[p.joint].Axes[p.axis].Rate = x[0]
	}
}

// quat returns a quaternion of qpos, normalized; it refuses zero and returns the identity.
func (r *reader) quat(n *xmltree.Node, x []float64) spatial.Quat {
	q := spatial.Quat(x)
	if !(q.Norm() > leastQuat) {
		r.Refuse(n, "qpos", "has a quaternion without direction")
		return spatial.IdentityQuat()
	}
	return q.Normalize()
}

// leastQuat is the norm up to which a quaternion counts as zero. The value is not critical.
const leastQuat = 1e-12

// state returns the numbers of an attribute of a keyframe, such as qpos, of which the model has want. It returns nil if the keyframe has
// no such attribute, and after it has refused another count, or what is no finite number.
func (r *reader) state(n *xmltree.Node, name string, want int) []float64 {
	x := r.Numbers(n, name, 0, math.MaxInt)
	if x != nil && len(x) != want {
		r.Refuse(n, name, fmt.Sprintf("has %d numbers, the model has %d", len(x), want))
		return nil
	}
	return x
}
