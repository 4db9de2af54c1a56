package assembly

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// Rounded reports whether two numbers of a file differ by rounding alone: by at most 1e-12 of scale.
func Rounded(a, b, scale float64) bool { return a == b || math.Abs(a-b) <= rounded*scale }

// Reference returns the poses of all links with all coordinates zero.
func (a *Assembly) Reference() []Pose {
	poses := a.atZero(a.trees())
	return poses
}

// Bounds are changes of masses and inertias as by the compiler settings of MuJoCo.
type Bounds struct {
	Mass, Inertia float64 // lower bounds of the mass, kg, and of the principal moments, kg m², of each link
	Balance       bool    // principal moments that break the triangle inequality are replaced by their mean
	Total         float64 // prescribed sum of the masses, kg; 0: none
}

// Bound changes masses and inertias of the given links as b says, and reports each change.
func (a *Assembly) Bound(links []int, b Bounds, report *source.Report) {
	for _, i := range links {
		l := &a.Links[i]
		if b.Mass > 0 && l.Mass < b.Mass {
			report.Change(l.At, "mass of "+fault.Name(l.Name), "the file bounds masses", fmt.Sprintf("%g kg become %g", l.Mass, b.Mass))
			l.Mass = b.Mass
		}
		if b.Inertia > 0 {
			m, E := l.Inertia.Principal()
			if low := min(m[0], m[1], m[2]); low < b.Inertia {
				for k := range m {
					m[k] = max(m[k], b.Inertia)
				}
				l.Inertia = FromPrincipal(m, E)
				report.Change(l.At, "inertia of "+fault.Name(l.Name), "the file bounds principal moments", fmt.Sprintf("%g kg m² become %g", low, b.Inertia))
			}
		}
		if b.Balance {
			m, _ := l.Inertia.Principal()
			if high, sum := max(m[0], m[1], m[2]), m[0]+m[1]+m[2]; 2*high > sum {
				l.Inertia = spatial.Diag3(sum/3, sum/3, sum/3)
				report.Change(l.At, "inertia of "+fault.Name(l.Name), "two principal moments together are less than the third", fmt.Sprintf("all become their mean, %g kg m²", sum/3))
			}
		}
	}
	if !(b.Total > 0) {
		return
	}
	total := 0.0
	for _, i := range links {
		total += a.Links[i].Mass
	}
	if total <= 0 {
		return
	}
	scale := b.Total / total
	for _, i := range links {
		a.Links[i].Mass *= scale
		a.Links[i].Inertia = a.Links[i].Inertia.Scale(scale)
	}
	report.Change(nil, "all masses and inertias", "the file states the sum of the masses", fmt.Sprintf("they are multiplied by %.9g", scale))
}

// SetPose sets the coordinates that o.Pose gives by name. It refuses names without a scalar coordinate.
func (a *Assembly) SetPose(o *source.Options, report *source.Report) {
	if len(o.Pose) == 0 {
		return
	}
	found := map[string]bool{}
	for k := range a.Joints {
		for m := range a.Joints[k].Axes {
			x := &a.Joints[k].Axes[m]
			if v, ok := o.Pose[x.Name]; ok && x.Name != "" && x.Kind != Ball {
				x.Value = v
				found[x.Name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Pose)) {
		if !found[name] {
			report.Refuse(nil, "joint "+fault.Name(name), "has no coordinate that could be set")
		}
	}
}

// within moves coordinates of tree joints that are outside their ranges to the middle of the range, or to its only finite
// bound, except coordinates in o.Pose. It returns whether it has moved any.
func (a *Assembly) within(tree []int, o *source.Options, report *source.Report) bool {
	moved := 0
	var first *Axis
	for k := range a.Joints {
		j := &a.Joints[k]
		if j.Successor == World || tree[j.Successor] != k {
			continue
		}
		for m := range j.Axes {
			x := &j.Axes[m]
			l := x.Limit
			if _, given := o.Pose[x.Name]; given && x.Name != "" || l == nil || x.Kind == Ball || x.Value >= l.Lower && x.Value <= l.Upper {
				continue
			}
			switch {
			case math.IsInf(l.Lower, 0):
				x.Value = l.Upper
			case math.IsInf(l.Upper, 0):
				x.Value = l.Lower
			default:
				x.Value = l.Lower + (l.Upper-l.Lower)/2
			}
			if moved++; first == nil {
				first = x
			}
		}
	}
	if first != nil {
		report.Note(first.At, fmt.Sprintf("coordinates outside of their ranges in the pose of the file: %d", moved), "the loops are closed from the middle of these")
	}
	return first != nil
}

// Set makes the right side of c the polynomial p of the sum of coordinates of. Powers of a sum of two coordinates become a law.
// For powers of a sum of more, Set returns false.
func (c *Coupling) Set(p []float64, of []Term) bool {
	of = joined(of)
	switch {
	case len(p) > 2 && len(of) == 1:
		c.Of, c.Polynomial = of[0].Coordinate, nil
		power := 1.0
		for _, x := range p {
			c.Polynomial = append(c.Polynomial, x*power)
			power *= of[0].Factor
		}
	case len(p) > 2 && len(of) == 2:
		c.Offset = p[0]
		sum := fmt.Sprintf("((%g)*%%[1]s+(%g)*%%[2]s)", of[0].Factor, of[1].Factor)
		c.Law = &Law{Of: [2]int{of[0].Coordinate, of[1].Coordinate}, Expression: fmt.Sprintf("(%g)*%s", p[1], sum)}
		for k := 2; k < len(p); k++ {
			c.Law.Expression += fmt.Sprintf("+(%g)*%s^%d", p[k], sum, k)
		}
	case len(p) > 2 && len(of) > 2:
		return false
	default:
		c.Offset = p[0]
		if len(p) == 2 && p[1] != 0 {
			for _, t := range of {
				c.Terms = append(c.Terms, Term{t.Coordinate, -p[1] * t.Factor})
			}
		}
	}
	return true
}

// Hold makes c, which has its terms, the constraint of a Drake tendon, lower ≤ Σ terms + offset ≤ upper. It returns
// false unless the limits are finite and equal up to rounding, the stiffness is infinite and the damping zero.
func (c *Coupling) Hold(lower, upper, offset, stiffness, damping float64) bool {
	if !Rounded(lower, upper, max(1, math.Abs(lower))) || math.IsInf(lower, 0) || math.IsInf(offset, 0) ||
		!math.IsInf(stiffness, 1) || damping != 0 {
		return false
	}
	c.Offset = lower + (upper-lower)/2 - offset
	return true
}

// joined merges terms with the same coordinate, and removes terms that cancel out.
func joined(of []Term) (sum []Term) {
	at := map[int]int{}
	for _, t := range of {
		k, ok := at[t.Coordinate]
		if !ok {
			k = len(sum)
			at[t.Coordinate], sum = k, append(sum, Term{Coordinate: t.Coordinate})
		}
		sum[k].Factor += t.Factor
	}
	return slices.DeleteFunc(sum, func(t Term) bool { return t.Factor == 0 })
}

// Rested returns the poses of all links with each coordinate at its Rest.
func (a *Assembly) Rested() []Pose {
	var values []float64
	for k := range a.Joints {
		for m := range a.Joints[k].Axes {
			x := &a.Joints[k].Axes[m]
			values = append(values, x.Value)
			x.Value = x.Rest
		}
	}
	poses, _ := a.placed(a.trees())
	for k := range a.Joints {
		for m := range a.Joints[k].Axes {
			a.Joints[k].Axes[m].Value, values = values[0], values[1:]
		}
	}
	return poses
}
