package assembly

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/springs"
)

// most is the number of motions that a composite joint of the model may have.
const most = 5

// composite writes a joint that no other type of the model is: its motions in a row.
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

// calm takes dampers off balls that are part of a joint without their freedoms.
func (b *builder) calm(j *Joint) {
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

// extras writes what else a coordinate has.
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

// Formula is the law of a spring or a damper with a formula.
func Formula(expression string) *model.SpringLaw {
	return &model.SpringLaw{Kind: springs.Function, Expression: expression}
}

// couplings writes the equations between coordinates. One with a coordinate that went with a link without mass only
// says where that link is.
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
