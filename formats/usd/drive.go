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

// units are the sizes of what acts on a coordinate, in SI.
type units struct {
	q     float64 // coordinate
	force float64 // force or torque
	rotor float64 // rotor inertia
}

// of returns the units of a motion. A stiffness is one of force over one of the coordinate.
func (r *reader) of(kind assembly.Kind) units {
	if kind == assembly.Prismatic {
		return units{r.length, r.mass * r.length, r.mass}
	}
	k := r.mass * r.length * r.length
	return units{degree, k, k}
}

// axis returns a motion of a joint with its limits, which are in units of the stage or degrees, and what acts on it.
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

// drive reads the drive of a motion: the force k·(target − q) + d·(rate − q̇), which is a spring, a damper and the
// constant force d·rate. Its largest force is kept as that of the coordinate, and does not bound the spring.
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

// first returns the first of some attributes that p has with a value, and its number. Others of them count as read too.
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

// passive reads damping, dry friction, rotor inertia and the largest rate that the schemas of two simulators add to
// a joint. Newton's damping of rotations is one per degree, that of MuJoCo one per radian.
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

// ball returns the motion of a joint whose rotations are free. Of what acts on it the model has the damping alone.
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
