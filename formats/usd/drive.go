package usd

import (
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const degree = math.Pi / 180

// units has the units of the stage for a coordinate and its forces, in SI.
type units struct {
	q     float64 // coordinate
	force float64 // force or torque
	rotor float64 // rotor inertia
}

// of returns the units for a kind of motion. The unit of a stiffness is force/q.
func (r *reader) of(kind assembly.Kind) units {
	if kind == assembly.Prismatic {
		return units{r.length, r.mass * r.length, r.mass}
	}
	k := r.mass * r.length * r.length
	return units{degree, k, k}
}

// axis returns a motion of joint p about or along e, with its drive, damping and friction, and with the limits lo and hi, which are in
// units of the stage or degrees. instance is the name of the motion in drives.
func (r *reader) axis(p *prim, kind assembly.Kind, e spatial.Vec3, name, instance string, lo, hi float64) assembly.Axis {
	u := r.of(kind)
	a := assembly.Axis{At: p, Name: name, Kind: kind, Axis: e}
	limit := model.NoLimit()
	limit.Lower, limit.Upper = lo*u.q, hi*u.q
	r.drive(p, &a, instance, u, &limit)
	r.passive(p, &a, u, &limit)
	a.Limit = &limit
	return a
}

// drive reads the drive of a motion: the force k·(target − q) + d·(rate − q̇), which becomes a spring, a damper and the
// constant force d·rate. Its largest force becomes the force limit of the coordinate, and does not bound the spring.
func (r *reader) drive(p *prim, a *assembly.Axis, instance string, u units, limit *model.Limit) {
	prefix := "drive:" + instance + ":physics:"
	k, d := r.finite(p, prefix+"stiffness", 0), r.finite(p, prefix+"damping", 0)
	rest, rate := r.finite(p, prefix+"targetPosition", 0), r.finite(p, prefix+"targetVelocity", 0)
	most := r.number(p, prefix+"maxForce", math.Inf(1))
	kind := r.word(p, prefix+"type", "force")
	if k == 0 && d == 0 {
		return
	}
	what := "drive " + instance + " of joint " + fault.Name(p.name)
	drop := func(why, consequence string) {
		for _, x := range p.props {
			if strings.HasPrefix(x.name, prefix) {
				x.class = source.Dropped
			}
		}
		r.report.Drop(p, what, why, consequence)
	}
	switch {
	case kind == "acceleration":
		drop("accelerations in place of forces are not read", fmt.Sprintf("its stiffness is %g and its damping %g", k, d))
		return
	case kind != "force":
		r.bad(p.prop(prefix+"type"), "is neither force nor acceleration: "+fault.Name(kind))
		return
	case most <= 0:
		drop("its largest force is none", "")
		return
	}
	a.Stiffness, a.Damping = k*u.force/u.q, d*u.force/u.q
	a.Rest, a.Force = rest*u.q, d*rate*u.force
	if !math.IsInf(most, 1) {
		limit.Force = most * u.force
		r.report.Change(p.prop(prefix+"maxForce"), what, "springs of the model have no largest force",
			fmt.Sprintf("that of the drive, %g, is kept as a bound of the coordinate", most))
	}
}

// first returns the number and the name of the first of the attributes names that has a value; 0 and "" if none has. It marks all of
// them as read, and reports later ones with another number.
func (r *reader) first(p *prim, names ...string) (float64, string) {
	found, at := 0.0, ""
	for _, name := range names {
		x, v := r.get(p, name)
		if v == nil {
			continue
		}
		y := r.finite(p, name, 0)
		switch {
		case at == "":
			found, at = y, name
		case y != found:
			x.class = source.Ignored
			r.report.Note(x, "attribute "+name, "does not count, as "+at+" is there")
		}
	}
	return found, at
}

// passive reads damping, dry friction, rotor inertia and the largest rate, from the schemas of simulators, Newton,
// MuJoCo and PhysX. Newton's damping of rotations is per degree, MuJoCo's per radian.
func (r *reader) passive(p *prim, a *assembly.Axis, u units, limit *model.Limit) {
	if d, name := r.first(p, "newton:damping", "mjc:damping"); name == "newton:damping" {
		a.Damping += d * u.force / u.q
	} else if a.Kind == assembly.Prismatic {
		a.Damping += d * u.force / u.q
	} else {
		a.Damping += d * u.force
	}
	f, _ := r.first(p, "newton:friction", "mjc:frictionloss")
	i, _ := r.first(p, "newton:armature", "mjc:armature", "physxJoint:armature")
	a.Friction, a.Armature = f*u.force, i*u.rotor
	if v := r.number(p, "newton:velocityLimit", math.Inf(1)); v > 0 && !math.IsInf(v, 1) {
		limit.Rate = v * u.q
	}
}

// ball returns the motion of a joint with three free rotations. The model supports only its damping.
func (r *reader) ball(p *prim) assembly.Axis {
	a := assembly.Axis{At: p, Name: p.name, Kind: assembly.Ball}
	u := r.of(assembly.Revolute)
	if d, name := r.first(p, "newton:damping", "mjc:damping"); name == "newton:damping" {
		a.Damping = d * u.force / u.q
	} else {
		a.Damping = d * u.force
	}
	return a
}
