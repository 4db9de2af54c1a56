package ik

import (
	"fmt"
	"strconv"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// checkTarget checks target i and, if it breaks no rule, appends it to the targets of the problem.
func (c *checker) checkTarget(i int, T *Target) {
	at := fmt.Sprintf("$.targets[%d]", i)
	before := c.broken
	if T.Type >= NumTargetTypes {
		c.add(at+".type", strconv.Itoa(int(T.Type)), "is no type of target")
		return
	}
	for k := range c.p.task.Targets[:i] {
		if T.Name != "" && c.p.task.Targets[k].Name == T.Name {
			c.add(at+".name", fault.Name(T.Name), "is the name of target %d, too", k)
			break
		}
	}
	f := mechanism.Freedom{Joint: -1}
	body := int32(mechanism.World)
	var bodies []int32
	switch T.Type {
	case Coordinate:
		f = c.coordinate(at, T)
	case Com:
		bodies = c.comBodies(at, T.Bodies)
	default:
		body = c.targetBody(at, T)
	}
	relative := c.relativeTo(at, T)
	c.checkPlace(at, T)
	c.weights(at, T)
	if c.broken == before {
		c.p.targets = append(c.p.targets, newTarget(T, c.m, relative, body, f, bodies, c.scale))
	}
}

// coordinate returns the freedom of a target of type Coordinate, and checks its value.
func (c *checker) coordinate(at string, T *Target) mechanism.Freedom {
	f, err := c.oneFreedom(T.Freedom)
	if err != nil {
		c.add(at+".freedom", fault.Name(T.Freedom), "%v", err)
	}
	if rule := sizeRule(T.Value); rule != "" {
		c.add(at+".value", document.Number(T.Value), "%s", rule)
	}
	return f
}

// comBodies returns the bodies of a target of type Com, by default all.
func (c *checker) comBodies(at string, names []string) []int32 {
	var out []int32
	if len(names) == 0 {
		for b := range c.m.NumBodies() {
			out = append(out, int32(b))
		}
		if len(out) == 0 {
			c.add(at, "", "there are no bodies")
		}
		return out
	}
	seen := map[int]bool{}
	for k, name := range names {
		b, ok := c.bodies.number(name)
		path := fmt.Sprintf("%s.bodies[%d]", at, k)
		switch {
		case !ok:
			c.add(path, fault.Name(name), "there is no such body%s", c.bodies.meant(name, &c.hints))
		case b < 0 || name == model.World:
			c.add(path, fault.Name(name), "the world has no centre of mass")
		case seen[b]:
			c.add(path, fault.Name(name), "is given twice")
		default:
			seen[b] = true
			out = append(out, int32(b))
		}
	}
	return out
}

// targetBody returns the body that is to be moved.
func (c *checker) targetBody(at string, T *Target) int32 {
	b, ok := c.bodies.number(T.Body)
	switch {
	case T.Body == model.World:
		c.add(at+".body", fault.Name(T.Body), "the world cannot be moved")
	case !ok:
		c.add(at+".body", fault.Name(T.Body), "there is no such body%s", c.bodies.meant(T.Body, &c.hints))
	default:
		return int32(b)
	}
	return mechanism.World
}

// relativeTo returns the body whose frame R the target is relative to, mechanism.World by default and after a fault.
func (c *checker) relativeTo(at string, T *Target) int32 {
	if T.Type == Coordinate {
		return mechanism.World
	}
	key := ".relative_to"
	if T.Type == Distance {
		key = ".to.body"
	}
	if T.RelativeTo == "" || T.RelativeTo == model.World {
		return mechanism.World
	}
	r, ok := c.bodies.number(T.RelativeTo)
	switch {
	case !ok:
		c.add(at+key, fault.Name(T.RelativeTo), "there is no such body%s", c.bodies.meantOrWorld(T.RelativeTo, &c.hints))
	case T.Type != Com && T.RelativeTo == T.Body:
		c.add(at+key, fault.Name(T.RelativeTo), "is the body itself")
	default:
		return int32(r)
	}
	return mechanism.World
}

// checkPlace checks the numbers of a target that give its wanted place: positions, orientations, directions and length.
func (c *checker) checkPlace(at string, T *Target) {
	if T.Type == Coordinate {
		return
	}
	const direction = true
	c.vector(at+".position", T.Position, !direction)
	if T.Type != Com {
		c.vector(at+".frame.position", T.Frame.Position, !direction)
		c.quaternion(at+".frame.orientation", T.Frame.Orientation)
	}
	switch T.Type {
	case Orientation, PoseTarget:
		c.quaternion(at+".orientation", T.Orientation)
	case Axis:
		c.vector(at+".axis", T.Axis, direction)
		c.vector(at+".direction", T.Direction, direction)
	case Plane:
		c.vector(at+".direction", T.Direction, direction)
	case Distance:
		if !(T.Length > 0) {
			c.add(at+".length", document.Number(T.Length), "is not positive")
		} else if rule := sizeRule(T.Length); rule != "" {
			c.add(at+".length", document.Number(T.Length), "%s", rule)
		}
	}
}

// vector checks that v is finite and not beyond mostNumber. Of a direction it checks that it is finite and not zero.
func (c *checker) vector(path string, v spatial.Vec3, direction bool) {
	switch rule := sizeRule(v[:]...); {
	case !direction && rule != "" || direction && !algebra.AllFinite(v[:]...):
		c.add(path, document.Numbers(v[:]), "%s", rule)
	case direction && v == spatial.Vec3{}:
		c.add(path, document.Numbers(v[:]), "is zero, which is no direction")
	}
}

// quaternion checks that q is a unit quaternion; all zeros stand for the identity.
func (c *checker) quaternion(path string, q [4]float64) {
	if q == ([4]float64{}) {
		return
	}
	if !document.NearUnit(&q) {
		c.add(path, document.Numbers(q[:]), document.RuleQuaternion)
	}
}

// weights checks weights, priority, tolerance and rates of a target.
func (c *checker) weights(at string, T *Target) {
	rows := T.Type.Rows()
	if T.Weight != nil {
		good, sized, any := true, true, false
		for _, w := range T.Weight {
			good = good && w >= 0 && algebra.Finite(w)
			sized = sized && (w == 0 || w >= 1/mostNumber && w <= mostNumber)
			any = any || w > 0
		}
		switch {
		case len(T.Weight) != rows:
			c.add(at+".weight", document.Numbers(T.Weight), "has %d entries; a target of type %v has %d rows", len(T.Weight), T.Type, rows)
		case !good:
			c.add(at+".weight", document.Numbers(T.Weight), "is negative or not finite")
		case !sized:
			c.add(at+".weight", document.Numbers(T.Weight), "is neither 0 nor within 1e-50 … 1e50")
		case !any:
			c.add(at+".weight", document.Numbers(T.Weight), "has no row with a weight")
		}
	}
	if T.Priority < 0 {
		c.add(at+".priority", strconv.Itoa(T.Priority), "is negative")
	}
	if tol := T.Tolerance; !(tol[0] >= 0 && tol[1] >= 0) || !algebra.AllFinite(tol[:]...) {
		c.add(at+".tolerance", document.Numbers(tol[:]), "is negative or not finite")
	}
	switch {
	case T.Rate == nil:
	case len(T.Rate) != rows:
		c.add(at+".rate", document.Numbers(T.Rate), "has not one entry for each of the %d rows", rows)
	case sizeRule(T.Rate...) != "":
		c.add(at+".rate", document.Numbers(T.Rate), "%s", sizeRule(T.Rate...))
	}
}
