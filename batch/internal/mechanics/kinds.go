package mechanics

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

type joint = mechanism.Joint

// isPlain reports whether a joint has the rows of a plain type (joints.Kind.Plain) and no others.
func isPlain(jt *joint) bool { return jt.Kind.Plain() && jt.Motion == nil && jt.NumGeared() == 0 }

// hasNoLanes reports whether the rows of a joint are evaluated one state at a time: no instruction knows how its lines bend.
func hasNoLanes(jt *joint) bool { return jt.Kind.Bends() }

// dual is the unit wrench of a freedom: a moment about or a force along an axis of P, or a moment about y of S.
type dual struct {
	force bool
	axis  int
	ofS   bool
}

// duals returns the unit wrenches of the freedoms of a type, in the order of the freedoms; nil for types without scalar freedoms here.
func duals(k joints.Kind) []dual {
	switch k {
	case joints.Revolute, joints.Helical:
		return []dual{{axis: 2}}
	case joints.Prismatic:
		return []dual{{force: true, axis: 2}}
	case joints.Cylindrical:
		return []dual{{axis: 2}, {force: true, axis: 2}}
	case joints.Universal:
		return []dual{{axis: 0}, {axis: 1, ofS: true}}
	case joints.Planar:
		return []dual{{axis: 2}, {force: true, axis: 0}, {force: true, axis: 1}}
	case joints.Spherical:
		return []dual{{axis: 0}, {axis: 1}, {axis: 2}}
	case joints.SphereInCylinder:
		return []dual{{axis: 0}, {axis: 1}, {axis: 2}, {force: true, axis: 2}}
	}
	return nil
}

// triple is a set of n rows along axes of P: forces or moments along the axes first to first+n−1.
type triple struct {
	force    bool
	first, n int
}

// triples returns the rows of a type that are along the axes of P, forces before moments, and whether one more row of
// its own follows.
func triples(k joints.Kind) (list []triple, more bool) {
	const moments, forces = false, true
	switch k {
	case joints.Fixed:
		return []triple{{forces, 0, 3}, {moments, 0, 3}}, false
	case joints.Revolute:
		return []triple{{forces, 0, 3}, {moments, 0, 2}}, false
	case joints.Prismatic:
		return []triple{{forces, 0, 2}, {moments, 0, 3}}, false
	case joints.Helical:
		return []triple{{forces, 0, 2}, {moments, 0, 2}}, true
	case joints.Cylindrical:
		return []triple{{forces, 0, 2}, {moments, 0, 2}}, false
	case joints.Universal:
		return []triple{{forces, 0, 3}}, true
	case joints.Planar:
		return []triple{{forces, 2, 1}, {moments, 0, 2}}, false
	case joints.Spherical:
		return []triple{{forces, 0, 3}}, false
	case joints.SphereInCylinder:
		return []triple{{forces, 0, 2}}, false
	case joints.PointOnPlane:
		return []triple{{forces, 2, 1}}, false
	case joints.Distance:
		return nil, true
	}
	return nil, false
}

// isPinned reports whether the rows of a type hold the origin of S on the origin of P.
func isPinned(k joints.Kind) bool {
	onZ, offZ := k.Slides()
	return !onZ && !offZ
}
