package joints

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// A composite joint is a series of one to five elementary motions, like a chain of massless
// bodies: the pose of S in P is E_1(q_1)·E_2(q_2)…E_n(q_n), theory.md (C1). Motion 1
// is next to P, and each motion carries the later axes with it. This file holds the axes;
// composite_pose.go finds the coordinates of a pose, composite_rows.go computes the rows.

// MaxAxes is the largest number of axes of a composite joint.
const MaxAxes = 5

// Axis is one elementary motion of a composite joint, in P with all coordinates zero, where S coincides with P.
type Axis struct {
	Kind  Kind         // Revolute, Prismatic or Helical
	Axis  spatial.Vec3 // direction, of any length but zero
	Point spatial.Vec3 // m, on the axis; a Prismatic motion may have any
	Pitch float64      // m/rad, of a Helical motion, not 0
}

// ErrAxes is wrapped by the errors of NewAxes, and of Check for a composite joint without axes.
var ErrAxes = errors.New("joints: a composite joint needs one to five axes that do not depend on each other")

// ErrSingular is the error of EvalTo at a pose at which the axes of a composite joint are linearly dependent, or
// nearly so. Such a pose does not determine the motions that the joint allows.
var ErrSingular = errors.New("joints: the axes of a composite joint depend on each other at this pose")

// Faults calls report for each field of a that breaks a rule. The arguments are the name of the field in
// rung-model/1, its value, which may be empty, and the rule.
func (a *Axis) Faults(report func(field, value, rule string)) {
	if a.Kind != Revolute && a.Kind != Prismatic && a.Kind != Helical {
		report("kind", a.Kind.String(), "is no elementary motion, which are revolute, prismatic and helical")
	}
	size := 0.0
	for i, x := range a.Axis {
		if size = max(size, math.Abs(x)); !algebra.Finite(x) {
			report(fmt.Sprintf("axis[%d]", i), text(x), "is not finite")
			size = 1
			break
		}
	}
	if size == 0 {
		report("axis", "", "is zero")
	}
	for i, x := range a.Point {
		if !algebra.Finite(x) {
			report(fmt.Sprintf("point[%d]", i), text(x), "is not finite")
		}
	}
	switch {
	case !algebra.Finite(a.Pitch):
		report("pitch", text(a.Pitch), "is not finite")
	case a.Kind == Helical && a.Pitch == 0:
		report("pitch", "0", "is zero (a helical motion without pitch is a revolute one)")
	case a.Kind != Helical && a.Pitch != 0:
		report("pitch", text(a.Pitch), "has no meaning for motion kind "+a.Kind.String())
	}
}

// Axes are the motions of a composite joint, ready for use. They never change.
type Axes struct {
	n    int
	kind Kind
	list [MaxAxes]Axis // of unit length
}

// NewAxes returns the axes of a composite joint.
//
// It returns an error that wraps ErrAxes if there are none or too many, if one has Faults, or if an axis depends on
// the axes before it at every pose.
func NewAxes(list []Axis) (*Axes, error) {
	if len(list) == 0 || len(list) > MaxAxes {
		return nil, fmt.Errorf("%w: %d axes", ErrAxes, len(list))
	}
	for i := range list {
		var err error
		list[i].Faults(func(field, value, rule string) {
			if value != "" {
				field += " " + value
			}
			err = errors.Join(err, fmt.Errorf("%w: axis %d: %s %s", ErrAxes, i, field, rule))
		})
		if err != nil {
			return nil, err
		}
	}
	a := prepared(list)
	if i := a.dependent(); i >= 0 {
		return nil, fmt.Errorf("%w: axis %d follows from those before it at every pose", ErrAxes, i)
	}
	return a, nil
}

// prepared returns the axes of the list with unit directions. The axes have no Faults, but may be dependent.
func prepared(list []Axis) *Axes {
	a := &Axes{n: len(list), kind: CompositeKind(list)}
	for i := range list {
		a.list[i] = list[i]
		u := &a.list[i].Axis
		most := max(math.Abs(u[0]), math.Abs(u[1]), math.Abs(u[2]))
		*u = spatial.Vec3{u[0] / most, u[1] / most, u[2] / most} // so that no square vanishes or overflows
		*u = u.Scale(1 / u.Norm())
	}
	return a
}

// DependentAxis returns the number of the first axis of the list that depends on the axes before it at every pose, or −1 if
// there is none. The axes have no Faults.
func DependentAxis(list []Axis) int {
	return prepared(list).dependent()
}

// Len returns the number of axes.
func (a *Axes) Len() int { return a.n }

// All returns a copy of the axes, the first next to the predecessor.
func (a *Axes) All() []Axis { return slices.Clone(a.list[:a.n]) }

// At returns axis i, of unit length.
func (a *Axes) At(i int) Axis { return a.list[:a.n][i] }

// Kind returns the kind of the joint, which has the freedoms of the axes.
func (a *Axes) Kind() Kind { return a.kind }

// dependent returns the number of the first axis that depends on the axes before it at every pose, or −1 if there is none.
// It looks at two sets of coordinates without symmetry in place of all poses.
func (a *Axes) dependent() int {
	last := -1
	for _, q := range [2][MaxAxes]float64{{0.61, -1.13, 0.83, -0.47, 1.31}, {-0.93, 0.71, -1.37, 1.09, 0.53}} {
		p := Posture{Q: q}
		p.Place(a)
		var o orthogonal
		o.factor(&p)
		first := -1
		for k := range a.n {
			if math.Abs(o.R[k][k]) <= dependentTol {
				first = k
				break
			}
		}
		if first < 0 {
			return -1
		}
		last = max(last, first)
	}
	return last
}

// dependentTol is a length relative to a column of S. An axis counts as dependent where the part of its column at right angles to
// the columns before it is no longer.
const dependentTol = 1e-10
