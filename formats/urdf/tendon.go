package urdf

import (
	"fmt"
	"math"
	"strconv"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// tendon reads a tendon of Drake, which keeps the sum Σ a·q + offset between two limits. If the limits are equal and the tendon is
// rigid, it becomes a coupling; others are dropped.
func (r *reader) tendon(n *xmltree.Node) {
	n.Use()
	c := assembly.Coupling{At: n, Name: "tendon#" + strconv.Itoa(len(r.a.Couplings))}
	if name, _ := n.Attr("name"); name != "" {
		c.Name = name
	}
	number := func(name string, missing float64) float64 {
		e := n.Child("drake:tendon_constraint_" + name)
		if e == nil {
			return missing
		}
		text := r.Required(e, "value")
		if text == "" {
			return missing
		}
		x, err := xmltree.Float(text)
		if err != nil {
			r.Refuse(e, "value", fault.Plain(err).Error())
		}
		return x
	}
	offset, lower, upper := number("offset", 0), number("lower_limit", math.Inf(-1)), number("upper_limit", math.Inf(1))
	stiffness, damping := number("stiffness", math.Inf(1)), number("damping", 0)
	good := true
	for _, e := range n.Children {
		if e.Name != "drake:tendon_constraint_joint" {
			continue
		}
		e.Use()
		name := r.Required(e, "name")
		if name == "" || r.Required(e, "a") == "" {
			good = false
			continue
		}
		a, factor := r.scalar(e, name), r.Number(e, "a", 0)
		if good = good && a != nil; good && factor != 0 {
			c.Terms = append(c.Terms, assembly.Term{Coordinate: r.coordinate(a), Factor: factor})
		}
	}
	if r.terms += len(c.Terms); r.terms > assembly.MaxTerms {
		r.Report.Refuse(n, "element "+n.Name, fmt.Sprintf("tendons have more than %d joints", assembly.MaxTerms))
		return
	}
	switch {
	case !good:
	case !c.Hold(lower, upper, offset, stiffness, damping):
		r.Report.Drop(n, "tendon "+fault.Name(c.Name), "the model holds a sum of coordinates at one value and exactly", fmt.Sprintf("nothing holds it between %g and %g with a stiffness of %g", lower, upper, stiffness))
		n.Set(source.Dropped, "")
	case len(c.Terms) == 0:
		r.Report.Refuse(n, "tendon "+fault.Name(c.Name), "has no joints")
	default:
		r.a.Couplings = append(r.a.Couplings, c)
	}
}
