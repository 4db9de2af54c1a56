package usd

import (
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// harmless has physics attributes without effect on the motion of bodies that are not in contact, and attributes that are read only
// if others are missing.
var harmless = []string{
	"physics:approximation", "physics:collisionEnabled", "physics:filteredPairs", "physics:filteredGroups", "physics:mergeGroup",
	"physics:invertFilteredGroups", "physics:dynamicFriction", "physics:staticFriction", "physics:restitution",
	"physics:excludeFromArticulation", "physics:startsAsleep", "physics:simulationOwner",
	"physics:density", "physics:mass", "physics:centerOfMass", "physics:diagonalInertia", "physics:principalAxes",
	"newton:limitStiffness", "newton:limitDamping",
}

// physics has the prefixes of physics attributes. One that is not read is dropped with a report, unless it concerns contact or a solver.
var physics = []string{"physics:", "limit:", "drive:", "state:", "newton:", "mjc:", "physx"}

// quiet has words by which names of attributes for contact, solvers and editors are recognized.
var quiet = []string{
	"solver", "iteration", "contact", "sleep", "restitution", "Friction:", "maxDepenetration", "collision", "Collision", "scene", "Scene",
	"material",
	"stabiliz", "timeStep", "mjc:option", "mjc:flag", "mjc:group", "mjc:sol", "mjc:conaffinity", "mjc:contype", "mjc:condim",
	"mjc:margin", "mjc:gap",
}

// account sets the class of all prims and properties in p that have none, and counts them in the report.
func (r *reader) account(p *prim) {
	for _, c := range p.children {
		r.settle(c)
		for _, x := range c.props {
			r.property(c, x)
			r.report.Settle(x, x.name, x.class)
		}
		r.report.Tally(source.Ignored, c.rest)
		r.account(c)
	}
}

// settle sets the class of a prim that has none, and counts it. Physics prims are dropped, others ignored.
func (r *reader) settle(p *prim) {
	if p.class == source.Unread {
		p.class = source.Ignored
		if slices.ContainsFunc([]string{"Physics", "Physx", "Newton", "Mjc"}, func(s string) bool { return strings.HasPrefix(p.kind, s) }) {
			quiet := p.kind == "PhysicsCollisionGroup" || strings.Contains(p.kind, "Scene") || strings.Contains(p.kind, "Keyframe")
			if !quiet {
				p.class = source.Dropped
				r.report.Drop(p, "prim "+fault.Name(p.name), "prims of the kind "+fault.Name(p.kind)+" are not read", "")
			}
		}
	}
	r.report.Settle(p, "", p.class)
}

// property sets the class of a property of p, if it has none.
func (r *reader) property(p *prim, x *prop) {
	if x.class != source.Unread {
		return
	}
	x.class = source.Ignored
	if isShape(p.kind) && p.class != source.Ignored {
		x.class = source.Visual
	}
	if !slices.ContainsFunc(physics, func(s string) bool { return strings.HasPrefix(x.name, s) }) {
		return
	}
	if x.value == nil && x.samples == 0 && len(x.targets.resolve(nil)) == 0 {
		return // nothing is set
	}
	if slices.Contains(harmless, x.name) || slices.ContainsFunc(quiet, func(s string) bool { return strings.Contains(x.name, s) }) {
		x.class = source.Ignored
		return
	}
	x.class = source.Dropped
	if p.class != source.Dropped {
		r.report.Drop(x, "property "+fault.Name(x.name), "it is not read", "")
	}
}
