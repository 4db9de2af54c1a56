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
	if o == nil || c.p.task.judged("$.path.file") { // nobody knows what it has
		return
	}
	if len(o.Times) < 2 {
		c.add("$.path.times", document.Numbers(o.Times), "has fewer than two times")
	}
	for i, t := range o.Times {
		switch {
		case magnitude(t) != "":
			c.add(fmt.Sprintf("$.path.times[%d]", i), document.Number(t), "%s", magnitude(t))
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

// Samples returns about how many samples a path has whose times increase: its price. A stretched path has more.
func (o *Path) Samples() float64 {
	step := o.step()
	if len(o.Times) < 2 || !(step > 0) {
		return 0
	}
	return (o.Times[len(o.Times)-1] - o.Times[0]) / step
}

// waypointsOf checks the lists of one target: which it may have, and that each has an entry a time.
func (c *checker) waypointsOf(at string, w *Waypoints, t TargetType, times int) {
	position := t != Coordinate && t != Orientation && t != Axis
	orientation := t == Orientation || t == PoseTarget
	value := t == Coordinate || t == Distance
	if w.Position == nil && w.Orientation == nil && w.Value == nil { // which would stop the rates of the target
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
		case magnitude(x) != "":
			c.add(path, document.Number(x), "%s", magnitude(x))
		case t == Distance && !(x > 0):
			c.add(path, document.Number(x), "is no positive length")
		}
	}
}

// oneEach checks the length of a list that a target of type t may have.
func (c *checker) oneEach(path string, given bool, entries, times int, may bool, t TargetType) {
	switch {
	case !given:
	case !may:
		c.add(path, "", "means nothing to a target of type %v", t)
	case entries != times:
		c.add(path, "", "has %d entries for %d times", entries, times)
	}
}

// moves reports whether a motion of the mechanism moves anything.
func moves(m *mechanism.Mechanism) bool {
	return slices.ContainsFunc(m.Prescribed(), func(f mechanism.Freedom) bool {
		motion := m.Joints[f.Joint].Motion[f.Freedom]
		return motion.Kind != joints.Polynomial || len(motion.Coefficients) > 1
	})
}
