package assembly

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// most is the number of motions that a composite joint of the model may have.
const most = 5

// composite makes a composite joint, for a row of motions that no other type of joint has. It refuses balls and long rows.
func (b *builder) composite(j *Joint, pred, succ string) {
	out := model.Joint{
		Name: b.names.unique(j.Name), Type: model.Composite, Predecessor: pred, Successor: succ,
		PredecessorFrame: j.P.model(), SuccessorFrame: j.S.model(),
	}
	var list []freedom
	var row []string
	ball := false
	for k := range j.Axes {
		a := &j.Axes[k]
		ball = ball || a.Kind == Ball
		out.Axes = append(out.Axes, model.Axis{Kind: kinds[a.Kind], Axis: a.Axis, Point: a.Point, Pitch: a.Pitch})
		list = append(list, freedom{k, 1})
		if k <= most {
			row = append(row, fmt.Sprintf("%s %s along %.6g at %.6g", a.Kind, fault.Name(a.Name), a.Axis, a.Point))
		}
	}
	if ball || len(row) > most {
		b.report.Refuse(j.At, "joint "+fault.Name(j.Name), "no joint of the model lets pass these motions in a row: "+strings.Join(row, ", "))
		return
	}
	b.freedoms(&out, list, j.Axes)
	b.m.Joints = append(b.m.Joints, out)
}

// dropBallDampers removes the dampers of balls, with a report, if the joint of the model does not have the ball's rotations as freedoms.
func (b *builder) dropBallDampers(j *Joint) {
	slides := 0
	for k := range j.Axes {
		if j.Axes[k].Kind == Prismatic {
			slides++
		}
	}
	if len(j.Axes) == 1 || len(j.Axes) == 2 && slides == 1 {
		return // spherical or sphere in cylinder
	}
	for k := range j.Axes {
		if a := &j.Axes[k]; a.Kind == Ball && a.Damping != 0 {
			b.report.DropUsed(a.At, "damper of "+fault.Name(a.Name), "the joint that it is part of has no such freedom", fmt.Sprintf("its value is %g", a.Damping))
			a.Damping = 0
		}
	}
}

var kinds = [...]model.JointType{Revolute: model.Revolute, Prismatic: model.Prismatic, Helical: model.Helical, Ball: model.Spherical}

// extras sets armature, friction and nonlinear springs and dampers of freedom k of n from axis a.
func (b *builder) extras(out *model.Joint, k, n int, a *Axis, sign float64) {
	switch {
	case a.Armature < 0:
		b.report.Refuse(a.At, "rotor inertia of "+fault.Name(a.Name), fmt.Sprintf("is negative, %g", a.Armature))
	case a.Armature > 0 && b.o.DropArmature:
		b.report.DropUsed(a.At, "rotor inertia of "+fault.Name(a.Name), "is to be left out", fmt.Sprintf("its value is %g", a.Armature))
	case a.Armature > 0:
		if out.Armature == nil {
			out.Armature = make([]float64, n)
		}
		out.Armature[k] = a.Armature
	}
	switch {
	case a.Friction < 0:
		b.report.Refuse(a.At, "dry friction of "+fault.Name(a.Name), fmt.Sprintf("is negative, %g", a.Friction))
	case a.Friction > 0:
		if out.Friction == nil {
			out.Friction = make([]model.Friction, n)
		}
		out.Friction[k].Force = a.Friction
		b.report.Note(a.At, "dry friction is damped at low speeds", fmt.Sprintf("it falls to zero below some %g rad/s or %g m/s, so that nothing sticks", model.DefaultTurnSpeed, model.DefaultSlipSpeed))
	}
	law := func(to *[]*model.SpringLaw, square, cube float64, expression string) {
		if square == 0 && cube == 0 {
			return
		}
		if *to == nil {
			*to = make([]*model.SpringLaw, n)
		}
		(*to)[k] = Formula(fmt.Sprintf(expression, square, cube))
	}
	law(&out.Springs, sign*a.Springs[0], a.Springs[1], "(%g)*x^2+(%g)*x^3")
	law(&out.Dampers, a.Dampers[0], a.Dampers[1], "(%g)*y*abs(y)+(%g)*y^3")
}

// Formula returns the law of a spring or a damper with an expression.
func Formula(expression string) *model.SpringLaw {
	return &model.SpringLaw{Kind: springs.Function, Expression: expression}
}

// servos makes the actuators.
func (b *builder) servos() {
	n := newNames()
	for k := range b.m.Forces {
		n.unique(b.m.Forces[k].Name)
	}
	for k := range b.a.Servos {
		s := &b.a.Servos[k]
		q, ok := b.coordinates[s.Coordinate]
		if !ok {
			b.report.DropUsed(s.At, "actuator "+fault.Name(s.Name), "the joint of its coordinate has none in the model", "it exerts no force")
			continue
		}
		b.m.Forces = append(b.m.Forces, model.ForceElement{Name: n.unique(s.Name), Type: model.ActuatorForce, Actuator: &model.Actuator{
			Joint: q.joint, Freedom: q.freedom, Law: s.Law, Gain: s.Gain, Damping: s.Damping,
			Value: &model.Motion{Kind: joints.Polynomial, Coefficients: []float64{q.sign * s.Value}},
		}})
	}
}

// model returns the law of a coupling of the model. coupled returns the freedom of a coordinate, and its sign.
func (l *Law) model(coupled func(id int) (model.Coupled, float64)) *model.CouplingLaw {
	out := &model.CouplingLaw{Of: make([]model.Coupled, 2)}
	out.Kind, out.Spans = couplings.Function, make([]couplings.Span, 2)
	names := [2]any{"x", "y"}
	for k, id := range l.Of {
		q, sign := coupled(id)
		out.Of[k] = q
		out.Spans[k] = couplings.Span{From: -l.Reach, To: l.Reach}
		if sign < 0 {
			names[k] = fmt.Sprintf("(-%s)", names[k])
		}
	}
	out.Expression = fmt.Sprintf(l.Expression, names[:]...)
	return out
}

// NoTwist gives j, which has no axes yet, rotations about e, f and e×f at its origin, and a coupling that keeps
// the rotation axis in the plane of e and f, without twist about e×f, as in a constant-velocity joint.
// For the rotation Rx(a)·Ry(b)·Rz(c) this is tan c = −sin a·sin b/(cos a + cos b). It is defined for a and b up to 1.5 rad.
func (a *Assembly) NoTwist(j *Joint, e, f spatial.Vec3) {
	var id [3]int
	for k, axis := range [3]spatial.Vec3{e, f, e.Cross(f)} {
		id[k] = a.NewCoordinate()
		j.Axes = append(j.Axes, Axis{At: j.At, Name: j.Name, Kind: Revolute, Axis: axis, Coordinate: id[k]})
	}
	a.Couplings = append(a.Couplings, Coupling{
		At: j.At, Name: j.Name + "#twist", Terms: []Term{{id[2], 1}},
		Law: &Law{Of: [2]int{id[0], id[1]}, Expression: "-atan2(sin(%[1]s)*sin(%[2]s), cos(%[1]s)+cos(%[2]s))", Reach: 1.5},
	})
}

// couplings makes the couplings. A coupling with one coordinate of a massless link that was left out only determines the position of
// that link, and is left out, too.
func (b *builder) couplings() {
	gone := map[int]bool{}
	for _, c := range b.f.gone {
		gone[c] = true
	}
	n := newNames()
	for k := range b.a.Couplings {
		c := &b.a.Couplings[k]
		what := "coupling " + fault.Name(c.Name)
		out := model.Coupling{Name: n.unique(c.Name), Offset: c.Offset}
		left := 0
		coupled := func(id int) (model.Coupled, float64) {
			q, ok := b.coordinates[id]
			switch {
			case gone[id]:
				left++
			case !ok:
				b.report.Refuse(c.At, what, "the joint of one of its coordinates has none in the model")
			}
			return model.Coupled{Joint: q.joint, Freedom: q.freedom}, q.sign
		}
		for _, t := range c.Terms {
			if t.Factor == 0 {
				continue
			}
			q, sign := coupled(t.Coordinate)
			out.Terms = append(out.Terms, model.CouplingTerm{Coupled: q, Factor: t.Factor * sign})
		}
		if c.Of != 0 {
			q, sign := coupled(c.Of)
			p := &model.CouplingPolynomial{Of: q}
			power := 1.0
			for _, x := range c.Polynomial {
				p.Coefficients = append(p.Coefficients, x*power)
				power *= sign
			}
			out.Polynomial = p
		}
		if c.Law != nil {
			out.Law = c.Law.model(coupled)
		}
		switch {
		case left == 1:
			b.report.Note(c.At, what, "only places a link without mass, which is left out")
		case left > 1:
			b.report.Refuse(c.At, what, "joins coordinates that nothing determines: their links have no mass")
		case len(out.Terms) == 0:
			b.report.Refuse(c.At, what, "has no coordinates")
		default:
			b.m.Couplings = append(b.m.Couplings, out)
		}
	}
}
