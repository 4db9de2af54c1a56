package ik

import (
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// checkPath checks the waypoints of a task.
func (c *checker) checkPath(o *Path) {
	if o == nil || c.p.task.judged("$.path.file") { // a file that could not be read leaves no waypoints to check
		return
	}
	if len(o.Times) < 2 {
		c.add("$.path.times", document.Numbers(o.Times), "has fewer than two times")
	}
	for i, t := range o.Times {
		switch {
		case sizeRule(t) != "":
			c.add(fmt.Sprintf("$.path.times[%d]", i), document.Number(t), "%s", sizeRule(t))
		case i > 0 && !(t > o.Times[i-1]):
			c.add(fmt.Sprintf("$.path.times[%d]", i), document.Number(t), "is not after the time before it, %v", o.Times[i-1])
		}
	}
	if !(o.Step >= 0) || !algebra.Finite(o.Step) {
		c.add("$.path.step", document.Number(o.Step), "is negative or not finite")
	} else if n := o.Samples(); n > mostSamples {
		path := "$.path.step"
		if o.Step == 0 {
			path = "$.path.times"
		}
		c.add(path, "", "%s", fault.TooDear(n, mostSamples, "samples", "give a longer step"))
	}
	if o.Stretch && c.p.moving {
		c.add("$.path.stretch", "true", "means nothing where the model has motions of its own, which are not stretched")
	}
	seen := map[string]bool{}
	for i := range o.Targets {
		w := &o.Targets[i]
		at := document.Key("$.path", w.Target)
		k := slices.IndexFunc(c.p.task.Targets, func(T Target) bool { return T.Name == w.Target })
		switch {
		case w.Target == "" || k < 0:
			targets := c.p.task.Targets
			c.add(at, fault.Name(w.Target), "there is no such target%s", c.hints.Meant(w.Target, len(targets), func(i int) string { return targets[i].Name }))
		case seen[w.Target]:
			c.add(at, fault.Name(w.Target), "is given twice")
		case c.p.task.Targets[k].Type < NumTargetTypes:
			c.waypointsOf(at, w, c.p.task.Targets[k].Type, len(o.Times))
		}
		seen[w.Target] = true
	}
}

// Samples estimates the number of samples of a path, whose times have to increase; the cost of following it is proportional to this
// number. A stretched path has more. It returns 0 for fewer than two times.
func (o *Path) Samples() float64 {
	step := o.step()
	if len(o.Times) < 2 || !(step > 0) {
		return 0
	}
	return (o.Times[len(o.Times)-1] - o.Times[0]) / step
}

// waypointsOf checks the lists of waypoints of one target of type t: that the type has such lists, and that each has an entry for each of
// the times.
func (c *checker) waypointsOf(at string, w *Waypoints, t TargetType, times int) {
	position := t != Coordinate && t != Orientation && t != Axis
	orientation := t == Orientation || t == PoseTarget
	value := t == Coordinate || t == Distance
	if w.Position == nil && w.Orientation == nil && w.Value == nil { // with none, the rates that the target asks for would be lost
		c.add(at, "", "has no waypoints")
	}
	c.oneEach(at+".position", w.Position != nil, len(w.Position), times, position, t)
	c.oneEach(at+".orientation", w.Orientation != nil, len(w.Orientation), times, orientation, t)
	c.oneEach(at+".value", w.Value != nil, len(w.Value), times, value, t)
	for i, p := range w.Position {
		c.vector(fmt.Sprintf("%s.position[%d]", at, i), spatial.Vec3(p), false)
	}
	for i, q := range w.Orientation {
		c.quaternion(fmt.Sprintf("%s.orientation[%d]", at, i), q)
	}
	for i, x := range w.Value {
		switch path := fmt.Sprintf("%s.value[%d]", at, i); {
		case sizeRule(x) != "":
			c.add(path, document.Number(x), "%s", sizeRule(x))
		case t == Distance && !(x > 0):
			c.add(path, document.Number(x), "is no positive length")
		}
	}
}

// oneEach checks a list that is given or not: targets of type t have to allow it, and it needs an entry for each of the times.
func (c *checker) oneEach(path string, given bool, entries, times int, allowed bool, t TargetType) {
	switch {
	case !given:
	case !allowed:
		c.add(path, "", "means nothing to a target of type %v", t)
	case entries != times:
		c.add(path, "", "has %d entries for %d times", entries, times)
	}
}

// moves reports whether a prescribed motion of the mechanism may change with time.
func moves(m *mechanism.Mechanism) bool {
	return slices.ContainsFunc(m.Prescribed(), func(f mechanism.Freedom) bool {
		motion := m.Joints[f.Joint].Motion[f.Freedom]
		return motion.Kind != joints.Polynomial || len(motion.Coefficients) > 1
	})
}
