package asmt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// The joints of the format. With the markers I and J as frames and x, y, z as their axes:
//
//	RevoluteJoint        origins meet, z are parallel
//	CylindricalJoint     J's origin is on I's z axis, z are parallel
//	TranslationalJoint   as cylindrical, and all axes are parallel
//	ScrewJoint           as cylindrical, and z = z₀ + pitch·θ/2π
//	SphericalJoint       origins meet
//	UniversalJoint       origins meet, z are perpendicular
//	FixedJoint           origins meet, all axes are parallel
//	PlanarJoint          J's origin is at offset above I's xy plane, z are parallel
//	PointInPlaneJoint    J's origin is at offset above I's xy plane
//	PointInLineJoint     J's origin is on I's z axis
//	SphSphJoint          the origins have the distance distanceIJ
//	RevRevJoint          as planar without offset, and the origins have the distance distanceIJ
//
// Others are in bounds.go and gears.go. "Parallel" includes antiparallel; the initial sense is kept.
var converters = map[string]func(*reader, *pair){
	"RevoluteJoint":         (*reader).revolute,
	"CylindricalJoint":      (*reader).cylindrical,
	"TranslationalJoint":    (*reader).translational,
	"ScrewJoint":            (*reader).screw,
	"SphericalJoint":        (*reader).spherical,
	"UniversalJoint":        (*reader).universal,
	"FixedJoint":            (*reader).fixed,
	"PlanarJoint":           (*reader).planar,
	"PointInPlaneJoint":     (*reader).pointInPlane,
	"PointInLineJoint":      (*reader).pointInLine,
	"SphSphJoint":           (*reader).distance,
	"RevRevJoint":           (*reader).revRev,
	"ParallelAxesJoint":     (*reader).parallelAxes,
	"NoRotationJoint":       (*reader).noRotation,
	"PerpendicularJoint":    (*reader).perpendicular,
	"AngleJoint":            (*reader).angle,
	"LineInPlaneJoint":      (*reader).lineInPlane,
	"CylSphJoint":           (*reader).cylSph,
	"RevCylJoint":           (*reader).revCyl,
	"ConstantVelocityJoint": (*reader).constantVelocity,
}

// jointTypes returns the names of all joints of the format.
func jointTypes() []string {
	names := []string{gearJoint, rackJoint}
	for name := range converters {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// pair is a joint of the file with its markers.
type pair struct {
	node *xmltree.Node
	j    assembly.Joint
	x    assembly.Pose // initial pose of J in I
}

// joint reads one joint. Gears are stored for mesh; other joints are converted.
func (r *reader) joint(n *xmltree.Node) {
	convert := converters[n.Name]
	meshes := n.Name == gearJoint || n.Name == rackJoint
	if convert == nil && !meshes {
		const why = "no joint of this format that is known"
		n.Set(source.Refused, why)
		r.report.Refuse(n, "element "+fault.Name(n.Name), why)
		return
	}
	n.Use()
	name := r.name(n)
	i, okI := r.marker(n, "MarkerI")
	k, okJ := r.marker(n, "MarkerJ")
	if !okI || !okJ {
		return
	}
	if i.link == k.link {
		r.report.Refuse(n, "joint "+fault.Name(name), "both markers are on "+fault.Name(r.linkName(i.link)))
		return
	}
	if r.names[name] {
		r.report.Refuse(n, "joint "+fault.Name(name), "has the name of another")
		return
	}
	r.names[name] = true
	if meshes {
		r.meshes = append(r.meshes, mesh{node: n, name: name, i: i, j: k})
		return
	}
	p := &pair{node: n, j: assembly.Joint{At: n, Name: name, Predecessor: i.link, Successor: k.link, P: i.pose, S: k.pose, Loop: true}}
	p.x = r.world(i).Inverse().Mul(r.world(k))
	r.joints[name] = len(r.a.Joints) + 1
	convert(r, p)
	r.a.Joints = append(r.a.Joints, p.j)
}

var (
	unitX = spatial.Vec3{1, 0, 0}
	unitY = spatial.Vec3{0, 1, 0}
	unitZ = spatial.Vec3{0, 0, 1}
)

// halfTurn returns a rotation by π about axis 0, 1 or 2: x, y or z.
func halfTurn(axis int) assembly.Pose {
	var q spatial.Quat
	q[1+axis] = 1
	return assembly.Pose{Q: q}
}

// parallel turns S by π about x if initially its z axis points against P's.
func (p *pair) parallel() {
	if p.x.Dir(unitZ)[2] < 0 {
		p.turn(halfTurn(0))
	}
}

// turn multiplies the pose of S in the successor by a rotation from the right.
func (p *pair) turn(by assembly.Pose) { p.j.S, p.x = p.j.S.Mul(by), p.x.Mul(by) }

// aligned turns S by π about an axis, if necessary, so that initially its axes point along P's.
func (p *pair) aligned() {
	x, y := p.x.Dir(spatial.Vec3{1, 0, 0})[0] < 0, p.x.Dir(spatial.Vec3{0, 1, 0})[1] < 0
	switch {
	case x && y:
		p.turn(halfTurn(2))
	case x:
		p.turn(halfTurn(1))
	case y:
		p.turn(halfTurn(0))
	}
}

// axes appends motions of the given kinds, about and along z.
func (p *pair) axes(kinds ...assembly.Kind) {
	for _, k := range kinds {
		p.j.Axes = append(p.j.Axes, assembly.Axis{At: p.node, Name: p.j.Name, Kind: k, Axis: unitZ})
	}
}

// typed makes the joint one of type t.
func (p *pair) typed(t model.JointType) { p.j.Typed, p.j.Type = true, t }

// raise moves P along its z axis by the offset in the file, m.
func (r *reader) raise(p *pair) {
	p.j.P = p.j.P.Mul(assembly.Pose{R: unitZ.Scale(r.number(p.node, "offset", 0))})
}

func (r *reader) revolute(p *pair) {
	p.parallel()
	p.axes(assembly.Revolute)
}

func (r *reader) cylindrical(p *pair) {
	p.parallel()
	p.axes(assembly.Revolute, assembly.Prismatic)
}

func (r *reader) translational(p *pair) {
	p.aligned()
	p.axes(assembly.Prismatic)
}

// screw moves P along z so that the joint holds initially. A screw without pitch becomes a revolute joint.
func (r *reader) screw(p *pair) {
	p.parallel()
	pitch := r.number(p.node, "pitch", 0) / (2 * math.Pi)
	if pitch == 0 {
		r.report.Change(p.node, "joint "+fault.Name(p.j.Name), "its pitch is zero", "it is a revolute joint")
	}
	theta := 2 * math.Atan2(p.x.Q[3], p.x.Q[0])
	theta = math.Remainder(theta, 2*math.Pi)
	p.j.P = p.j.P.Mul(assembly.Pose{R: unitZ.Scale(p.x.R[2] - pitch*theta)})
	if pitch == 0 {
		p.axes(assembly.Revolute)
		return
	}
	p.axes(assembly.Helical)
	p.j.Axes[0].Pitch = pitch
}

func (r *reader) spherical(p *pair) { p.axes(assembly.Ball) }

func (r *reader) fixed(p *pair) {
	p.aligned()
	p.j.Loop = false
}

// universal turns P so that its x axis is I's z axis, and S so that its y axis is J's z axis.
func (r *reader) universal(p *pair) {
	p.j.P = p.j.P.Mul(assembly.Pose{Q: assembly.Least(spatial.Vec3{1, 0, 0}, unitZ)})
	p.turn(assembly.Pose{Q: assembly.Least(spatial.Vec3{0, 1, 0}, unitZ)})
	p.typed(model.Universal)
}

func (r *reader) planar(p *pair) {
	p.parallel()
	r.raise(p)
	p.typed(model.Planar)
}

func (r *reader) pointInPlane(p *pair) {
	r.raise(p)
	p.typed(model.PointOnPlane)
}

func (r *reader) pointInLine(p *pair) { p.typed(model.SphereInCylinder) }

func (r *reader) distance(p *pair) {
	p.typed(model.Distance)
	if p.j.Length = r.number(p.node, "distanceIJ", 0); !(p.j.Length > 0) {
		r.report.Refuse(p.node, "joint "+fault.Name(p.j.Name), fmt.Sprintf("its distance is %g", p.j.Length))
	}
}

// revRev makes two joints: it appends the distance joint itself, and leaves the planar one in p.
func (r *reader) revRev(p *pair) {
	d := *p
	d.j.Name += "#distance"
	r.distance(&d)
	r.a.Joints = append(r.a.Joints, d.j)
	r.joints[p.j.Name] = len(r.a.Joints) + 1
	p.parallel()
	p.typed(model.Planar)
}

// driven returns the axis about or along z, of a kind, of the joint that a motion or limit names. It returns nil after a refusal.
func (r *reader) driven(n *xmltree.Node, kind assembly.Kind) *assembly.Axis {
	path := r.text(n, "MotionJoint")
	if path == "" {
		r.report.Refuse(n, "element "+fault.Name(n.Name), "names no joint; what is between markers is not read")
		return nil
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	k := r.joints[name]
	if k == 0 {
		r.report.Refuse(n, "element "+fault.Name(n.Name), "there is no joint "+fault.Name(path))
		return nil
	}
	// The file means the angle about z and the distance along z. The angle is unique only if the joint has one rotation.
	j := &r.a.Joints[k-1]
	var found *assembly.Axis
	turns := 0
	for i := range j.Axes {
		a := &j.Axes[i]
		if a.Kind != assembly.Prismatic {
			turns++
		}
		if (a.Kind == kind || a.Kind == assembly.Helical && kind == assembly.Revolute) && a.Axis == unitZ {
			found = a
		}
	}
	if found == nil || kind == assembly.Revolute && turns > 1 {
		r.report.Refuse(n, "element "+fault.Name(n.Name), fmt.Sprintf("joint %s has no %s freedom", fault.Name(name), kind))
		return nil
	}
	return found
}

// motion reads a motion of a joint.
func (r *reader) motion(n *xmltree.Node) {
	kind, field := assembly.Revolute, "RotationZ"
	switch n.Name {
	case "RotationalMotion":
	case "TranslationalMotion":
		kind, field = assembly.Prismatic, "TranslationZ"
	default:
		n.Set(source.Refused, "")
		r.report.Refuse(n, "element "+fault.Name(n.Name), "motions of this kind are not read")
		return
	}
	n.Use()
	r.name(n)
	a := r.driven(n, kind)
	text := r.text(n, field)
	if a == nil {
		return
	}
	f, err := parseFunction(text)
	if err == nil && a.Motion != nil {
		err = fmt.Errorf("the joint has a motion already")
	}
	if err == nil {
		a.Motion, err = f.motion()
	}
	if err != nil {
		r.report.Refuse(n, "element "+fault.Name(n.Name), err.Error())
		return
	}
	a.Value = f.at(r.time)
}

// limit reads a limit of a joint.
func (r *reader) limit(n *xmltree.Node) {
	kind := assembly.Revolute
	switch n.Name {
	case "RotationLimit":
	case "TranslationLimit":
		kind = assembly.Prismatic
	default:
		n.Set(source.Dropped, "limits of this kind are not read")
		return
	}
	n.Use()
	r.name(n)
	a := r.driven(n, kind)
	f, err := parseFunction(r.either(n, "limit", "Limit"))
	sense := r.either(n, "type", "Type")
	if a == nil {
		return
	}
	if err == nil && !f.isConstant() {
		err = fmt.Errorf("the limit is a function of time")
	}
	if err != nil {
		r.report.Refuse(n, "element "+fault.Name(n.Name), err.Error())
		return
	}
	if a.Limit == nil {
		l := model.NoLimit()
		a.Limit = &l
	}
	switch sense {
	case "=<", "<=", "<":
		a.Limit.Upper = min(a.Limit.Upper, f.poly[0])
	case "=>", ">=", ">":
		a.Limit.Lower = max(a.Limit.Lower, f.poly[0])
	default:
		r.report.Refuse(n, "element "+fault.Name(n.Name), fault.Name(sense)+" is no sense of a limit")
	}
}
