package mjcf

import (
	"fmt"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// keys finds the keyframe that is asked for and puts the bodies there.
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

// take reads positions and velocities of the joints, in the order of the file.
func (r *reader) take(n *xmltree.Node) {
	nq, nv := 0, 0
	for _, p := range r.row {
		switch {
		case p.joint < 0:
			nq, nv = nq+7, nv+6
		case p.ball:
			nq, nv = nq+4, nv+3
		default:
			nq, nv = nq+1, nv+1
		}
	}
	q, v := r.state(n, "qpos", nq), r.state(n, "qvel", nv)
	take := func(from *[]float64, k int) []float64 {
		if *from == nil {
			return nil
		}
		out := (*from)[:k]
		*from = (*from)[k:]
		return out
	}
	quat := func(x []float64) spatial.Quat {
		w := spatial.Quat(x)
		if !(w.Norm() > 1e-12) {
			r.Refuse(n, "qpos", "has a quaternion without direction")
			return spatial.IdentityQuat()
		}
		return w.Normalize()
	}
	for _, p := range r.row {
		switch {
		case p.joint < 0:
			l := &r.a.Links[p.link]
			if x := take(&q, 7); x != nil {
				l.Pose.R, l.Pose.Q = spatial.Vec3(x[:3]), quat(x[3:])
			}
			if x := take(&v, 6); x != nil {
				l.Linear, l.Angular = spatial.Vec3(x[:3]), l.Pose.Dir(spatial.Vec3(x[3:]))
			}
		case p.ball:
			a := &r.a.Joints[p.joint].Axes[p.axis]
			if x := take(&q, 4); x != nil {
				a.Turn = quat(x)
			}
			if x := take(&v, 3); x != nil {
				a.Spin = spatial.Vec3(x)
			}
		default:
			a := &r.a.Joints[p.joint].Axes[p.axis]
			if x := take(&q, 1); x != nil {
				a.Value = x[0] - p.ref
			}
			if x := take(&v, 1); x != nil {
				a.Rate = x[0]
			}
		}
	}
}

func (r *reader) state(n *xmltree.Node, name string, want int) []float64 {
	if !n.Has(name) {
		return nil
	}
	text, _ := n.Attr(name)
	x, err := xmltree.Floats(text)
	switch {
	case err != nil:
		r.Refuse(n, name, fault.Plain(err).Error())
		return nil
	case len(x) != want:
		r.Refuse(n, name, fmt.Sprintf("has %d numbers, the model has %d", len(x), want))
		return nil
	}
	return r.Numbers(n, name, want, want)
}
