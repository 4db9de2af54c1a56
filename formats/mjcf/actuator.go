package mjcf

import (
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
)

// uncontrolled is why an actuator is dropped.
const uncontrolled = "the value that controls it is not in the file; it exerts no force"

// actuators reads the motors of joints with the controls of the keyframe that was chosen: each is then a constant
// force. All other actuators are dropped.
func (r *reader) actuators(root *xmltree.Node) {
	var list []*xmltree.Node
	for _, n := range sections(root, "actuator") {
		for _, c := range n.Children {
			if c.Name != "include" {
				list = append(list, c)
			}
		}
	}
	control := r.controls(root, len(list))
	for k, c := range list {
		if control == nil || !r.motor(c, control[k]) {
			c.Set(source.Dropped, uncontrolled)
		}
	}
}

// controls returns the values of the keyframe that was chosen, or nil
// if it has none, or if classes or settings change what actuators do.
func (r *reader) controls(root *xmltree.Node, want int) []float64 {
	if r.key == nil || !r.key.Has("ctrl") {
		return nil
	}
	for _, n := range sections(root, "default") {
		for _, name := range [...]string{"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "orientation", "pid", "dcmotor"} {
			if n.Count(name) > 0 {
				return nil
			}
		}
	}
	for _, n := range sections(root, "option") {
		if n.Has("actuatorgroupdisable") {
			return nil
		}
		for _, f := range n.Children {
			if f.Name == "flag" && f.Has("actuation") && r.Choice(f, "actuation", 1, "disable", "enable") == 0 {
				return nil
			}
		}
	}
	return r.state(r.key, "ctrl", want)
}

// motor reads a motor that acts on one coordinate, and reports whether c is one.
func (r *reader) motor(c *xmltree.Node, control float64) bool {
	if c.Name != "motor" {
		return false
	}
	for k := range c.Attrs {
		if name := c.Attrs[k].Name; name != "name" && name != "joint" && name != "gear" {
			return false
		}
	}
	name, _ := c.Attr("joint")
	at, ok := r.joints[name]
	if !ok || at.joint < 0 || at.ball {
		return false
	}
	_, _ = c.Attr("name")
	gear := 1.0
	if v := r.Numbers(c, "gear", 1, 6); v != nil {
		gear = v[0]
	}
	r.a.Joints[at.joint].Axes[at.axis].Force += gear * control
	return true
}
