package usd

import (
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// The couplings that schemas of simulators define for a joint with the coordinate q and another joint with the coordinate q′. Both are in
// degrees or in the length unit of the stage:
//
//	NewtonMimicAPI       q = newton:mimicCoef0 + newton:mimicCoef1·q′
//	PhysxMimicJointAPI:i q + physxMimicJoint:i:gearing·q′ + physxMimicJoint:i:offset = 0
//	MjcEqualityJointAPI  as NewtonMimicAPI, or q = Σ mjc:coefₖ·q′ᵏ with angles in radians

// mimics adds the couplings of joint p, if it has been read.
func (r *reader) mimics(p *prim) {
	if r.made[p] == 0 {
		return
	}
	done := (p.has("NewtonMimicAPI") || p.has("MjcEqualityJointAPI")) && r.newtonMimic(p)
	idle := map[string]bool{} // instances that are ignored
	for _, api := range p.apis.resolve(nil) {
		instance, ok := strings.CutPrefix(api, "PhysxMimicJointAPI:")
		switch {
		case !ok:
		case done:
			idle[instance] = true
			r.report.Note(p, "schema "+api, "does not count, as joint "+fault.Name(p.name)+" follows another by NewtonMimicAPI")
		default:
			r.physxMimic(p, instance)
		}
	}
	for _, x := range p.props {
		name, ok := strings.CutPrefix(x.name, physxMimicPrefix)
		if ok && idle[name[:max(strings.LastIndexByte(name, ':'), 0)]] {
			x.class = source.Ignored
		}
	}
}

// physxMimicPrefix begins the names of the attributes of PhysxMimicJointAPI, before the name of the instance and a colon.
const physxMimicPrefix = "physxMimicJoint:"

// newtonMimic adds the coupling of NewtonMimicAPI, or of MjcEqualityJointAPI. It returns false if mimicEnabled is false.
func (r *reader) newtonMimic(p *prim) bool {
	leads, rel := "newton:mimicJoint", p.prop("newton:mimicJoint")
	if rel == nil || !rel.rel || len(rel.targets.resolve(nil)) == 0 {
		leads = "mjc:target"
	}
	if !r.truth(p, "newton:mimicEnabled", true) {
		for _, x := range p.props {
			if strings.HasPrefix(x.name, "newton:mimic") || x.name == "mjc:target" || strings.HasPrefix(x.name, "mjc:coef") {
				x.class = source.Ignored
			}
		}
		r.report.Note(p, "joint "+fault.Name(p.name), "does not follow another: its mimicEnabled is false")
		return false
	}
	at, to, ok := r.follows(p, leads, "", "")
	if !ok {
		return true
	}
	// Both use the length unit of the stage; Newton's angles are in degrees, MuJoCo's in radians.
	c := []float64{0, at.unit / to.unit, 0, 0, 0}
	if !p.has("NewtonMimicAPI") {
		c[1] = at.radians / to.radians
	}
	power := 1.0
	for k := range c {
		mjc := fmt.Sprintf("mjc:coef%d", k)
		names := []string{mjc}
		if k < 2 {
			names = []string{fmt.Sprintf("newton:mimicCoef%d", k), mjc}
		}
		switch x, name := r.first(p, names...); name {
		case "":
		case mjc:
			c[k] = x * at.radians / power
		default:
			c[k] = x * at.unit / [2]float64{1, to.unit}[k]
		}
		power *= to.radians
	}
	for len(c) > 1 && c[len(c)-1] == 0 {
		c = c[:len(c)-1]
	}
	r.follow(p, p.name+"#mimic", at, to, c)
	return true
}

// physxMimic reads an instance of PhysxMimicJointAPI: the coordinate q of joint p follows the reference's, q + gearing·q_ref + offset = 0.
// It reports an instance without gearing, and a soft one.
func (r *reader) physxMimic(p *prim, instance string) {
	prefix := physxMimicPrefix + instance + ":"
	at, to, ok := r.follows(p, prefix+"referenceJoint", instance, r.word(p, prefix+"referenceJointAxis", ""))
	gearing, offset := r.finite(p, prefix+"gearing", 0), r.finite(p, prefix+"offset", 0)
	soft := r.number(p, prefix+"naturalFrequency", 0) > 0
	soft = r.number(p, prefix+"dampingRatio", 0) > 0 && soft
	switch {
	case !ok:
		return
	case gearing == 0:
		r.report.Refuse(p, "attribute "+prefix+"gearing", "is missing or zero")
		return
	case soft:
		r.report.Note(p, "equations between coordinates hold exactly",
			"those of the simulator with a naturalFrequency and a dampingRatio are soft")
	}
	r.follow(p, p.name+"#"+instance, at, to, []float64{-offset * at.unit, -gearing * at.unit / to.unit})
}

// coordinate is a coordinate of a coupling.
type coordinate struct {
	id            int     // from Assembly.NewCoordinate
	unit, radians float64 // its unit in the stage and in MuJoCo's schema, in SI
}

// follows returns the coordinate at of p and the coordinate to of its leader, the joint that a relationship of p names. Where a
// joint has several motions, own and other name the motion of p and of the leader. It refuses a joint without leader or one that follows
// itself, and returns false.
func (r *reader) follows(p *prim, relationship, own, other string) (at, to coordinate, ok bool) {
	leader, ok := r.target(p, relationship)
	switch {
	case !ok:
		return at, to, false
	case leader == nil:
		r.report.Refuse(p, "joint "+fault.Name(p.name), relationship+" names no joint that it follows")
		return at, to, false
	}
	at, ok = r.coordinate(p, own, p)
	if !ok {
		return at, to, false
	}
	to, ok = r.coordinate(leader, other, p)
	if ok && at.id == to.id {
		r.report.Refuse(p.prop(relationship), "joint "+fault.Name(p.name), "follows itself")
		ok = false
	}
	return at, to, ok
}

// coordinate returns the coordinate of joint p; if p has several motions, of the one called motion. It is for a coupling of joint of. If
// there is no such coordinate it refuses joint of and returns false.
func (r *reader) coordinate(p *prim, motion string, of *prim) (coordinate, bool) {
	k := r.made[p]
	if k > 0 {
		j := &r.a.Joints[k-1]
		for i := range j.Axes {
			a := &j.Axes[i]
			if a.Kind == assembly.Ball || len(j.Axes) > 1 && a.Name != p.name+"."+motion {
				continue
			}
			if a.Coordinate == 0 {
				a.Coordinate = r.a.NewCoordinate()
			}
			c := coordinate{a.Coordinate, r.of(a.Kind).q, 1}
			if a.Kind == assembly.Prismatic {
				c.radians = r.length
			}
			return c, true
		}
	}
	what := "prim " + fault.Name(p.path())
	if motion != "" {
		what = "motion " + fault.Name(motion) + " of " + what
	}
	r.report.Refuse(of, "joint "+fault.Name(of.name), what+" is no joint with one coordinate, or is not enabled")
	return coordinate{}, false
}

// follow adds the coupling q = Σ c[k]·q′ᵏ, in SI, of the coordinates at and to, as in the file.
func (r *reader) follow(p *prim, name string, at, to coordinate, c []float64) {
	for k, x := range c {
		if !algebra.Finite(x) {
			r.report.Refuse(p, "joint "+fault.Name(p.name), fmt.Sprintf("its equation has the coefficient %g of power %d", x, k))
			return
		}
	}
	// The coordinate of the model is x = q′ − s: shift the polynomial by s, with Horner's scheme.
	if s := r.zeroed[to.id]; s != 0 {
		for i := range c {
			for k := len(c) - 2; k >= i; k-- {
				c[k] += s * c[k+1]
			}
		}
	}
	c[0] -= r.zeroed[at.id]
	e := assembly.Coupling{At: p, Name: name, Terms: []assembly.Term{{Coordinate: at.id, Factor: 1}}}
	e.Set(c, []assembly.Term{{Coordinate: to.id, Factor: 1}})
	r.a.Couplings = append(r.a.Couplings, e)
}

// The gears, and racks and pinions, of PhysX. They relate the angle θ₀ of body 0 about the x axis of their frame on it to the angle θ₁ of
// body 1 about the x axis of the frame there, or to its displacement s₁ along that axis. Both are zero in the pose of the file:
//
//	PhysxPhysicsGearJoint           gearRatio·θ₀ + θ₁ = 0
//	PhysxPhysicsRackAndPinionJoint  θ₀ = ±ratio·s₁, θ₀ in degrees; the sign is such that the wheel rolls on the rack
const (
	gearJoint = "PhysxPhysicsGearJoint"
	rackJoint = "PhysxPhysicsRackAndPinionJoint"
)

var xAxis = spatial.Vec3{1, 0, 0}

// aligned is the largest angle between the x axis of a frame and the axis of its joint, rad: files have single precision.
const aligned = 1e-3

// wheel is one side of a gear, or rack and pinion: the coordinate of a hinge or slide.
type wheel struct {
	joint   int           // the hinge or slide, index in the assembly
	sign    float64       // of its coordinate about or along the x axis of the gear's frame
	carrier int           // the other link of the hinge or slide
	x       assembly.Pose // of the gear's frame in the world
}

// mesh reads a gear, or a rack and pinion. whole has the links that are fixed to each other.
func (r *reader) mesh(p *prim, whole assembly.Wholes) {
	p.class = source.Used
	if !r.truth(p, "physics:jointEnabled", true) {
		leave(p, source.Dropped)
		r.report.Drop(p, "joint "+fault.Name(p.name), "is not enabled", "it holds nothing")
		return
	}
	rel, kinds, field := [2]string{"physics:hinge0", "physics:hinge1"}, [2]assembly.Kind{}, "physics:gearRatio"
	if p.kind == rackJoint {
		rel, kinds[1], field = [2]string{"physics:hinge", "physics:prismatic"}, assembly.Prismatic, "physics:ratio"
	}
	ratio := r.finite(p, field, 1)
	if ratio == 0 {
		r.bad(p.prop(field), "is zero")
	}
	var w [2]wheel
	for k, body := range [2]string{"0", "1"} {
		ok, why := r.wheel(p, &w[k], body, rel[k], kinds[k])
		if why != "" {
			leave(p, source.Dropped)
			r.report.Drop(p, "joint "+fault.Name(p.name), why, "nothing meshes")
		}
		if !ok {
			return
		}
	}
	switch {
	case ratio == 0:
		return
	case w[0].joint == w[1].joint:
		r.report.Refuse(p, "joint "+fault.Name(p.name), "its two joints are one")
		return
	case whole.Of(w[0].carrier) != whole.Of(w[1].carrier):
		leave(p, source.Dropped)
		r.report.Drop(p, "joint "+fault.Name(p.name), "its two joints are not on one body, against which they count", "nothing meshes")
		return
	case whole.Of(w[0].carrier) != whole.Of(assembly.World):
		r.report.Note(p, "joint "+fault.Name(p.name), "its turns count against body "+fault.Name(r.a.Links[w[0].carrier].Name))
	}
	factor := [2]float64{ratio, 1}
	if p.kind == rackJoint {
		factor = [2]float64{1 / degree, -ratio / r.length * r.side(&w)}
	}
	e := assembly.Coupling{At: p, Name: p.name}
	for k := range w {
		j := &r.a.Joints[w[k].joint]
		a := &j.Axes[0]
		if a.Coordinate == 0 {
			a.Coordinate = r.a.NewCoordinate()
		}
		by := j.Zero(r.at(j.Predecessor, j.P).Inverse().Mul(r.at(j.Successor, j.S)))
		r.zeroed[a.Coordinate] += by[0]
		e.Terms = append(e.Terms, assembly.Term{Coordinate: a.Coordinate, Factor: factor[k] * w[k].sign})
	}
	r.a.Couplings = append(r.a.Couplings, e)
}

// side returns the sign of the displacement of a rack, w[1], for a positive rotation of its wheel, w[0]: the sign of the wheel's
// velocity, at the frame of the rack, along the rack. It returns 1 if that velocity is zero.
func (r *reader) side(w *[2]wheel) float64 {
	v := w[0].x.Dir(xAxis).Cross(w[1].x.R.Sub(w[0].x.R)).Dot(w[1].x.Dir(xAxis)) / r.length
	if math.Abs(v) <= aligned {
		return 1
	}
	return math.Copysign(1, v)
}

// wheel reads one side of p into w: its frame on a body, "0" or "1", and the joint of a kind, which a relationship names, by which the
// body moves. It returns false after a refusal, or with the reason why if p must be dropped.
func (r *reader) wheel(p *prim, w *wheel, body, relationship string, kind assembly.Kind) (ok bool, why string) {
	link, frame, okEnd := r.end(p, body)
	t, okTarget := r.target(p, relationship)
	if !okEnd || !okTarget {
		return false, ""
	}
	if t == nil {
		r.report.Refuse(p, "relationship "+relationship, "names no joint")
		return false, ""
	}
	w.joint = r.made[t] - 1
	if w.joint < 0 || len(r.a.Joints[w.joint].Axes) != 1 || r.a.Joints[w.joint].Axes[0].Kind != kind {
		r.report.Refuse(p.prop(relationship), "relationship "+relationship,
			fault.Name(t.path())+fmt.Sprintf(" is no %s joint that holds bodies", kind))
		return false, ""
	}
	j := &r.a.Joints[w.joint]
	w.x = r.at(link, frame)
	switch link {
	case j.Successor:
		w.sign, w.carrier = 1, j.Predecessor
	case j.Predecessor:
		w.sign, w.carrier = -1, j.Successor
	default:
		r.report.Refuse(p.prop(relationship), "relationship "+relationship, "joint "+fault.Name(t.path())+" does not hold body "+body)
		return false, ""
	}
	axis, own := r.at(j.Predecessor, j.P).Dir(j.Axes[0].Axis), w.x.Dir(xAxis)
	if axis.Cross(own).Norm() > aligned {
		return false, "the x axis of its frame on body " + body + " is not that of joint " + fault.Name(t.path())
	}
	w.sign *= math.Copysign(1, axis.Dot(own))
	return true, ""
}
