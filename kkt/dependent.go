package kkt

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// ConstraintRow is a row of a joint or coupling.
type ConstraintRow struct {
	Constraint int // joint or coupling (mechanism.Mechanism.NumConstraints)
	Row        int // of the joint, in the order of joints.Spec.EvalTo; 0 of a coupling
}

// Name describes the demand of the row in words (joints.Spec.RowName); it is empty for a coupling.
func (c ConstraintRow) Name(m *mechanism.Mechanism) string {
	if c.Constraint >= m.NumJoints() {
		return ""
	}
	return m.Joints[c.Constraint].RowName(c.Row)
}

// Dependency is a redundant row with the rows from which it follows. The row is a linear combination of all rows in From, and without
// any one of them it would not be redundant. If From is empty, the row is zero: it demands nothing of any body.
type Dependency struct {
	ConstraintRow
	From []ConstraintRow
}

const (
	// mostDependencies is the largest number of redundant rows that a Report explains.
	mostDependencies = 100
	// dependencyTol is the coefficient of a row in the combination, relative to the largest one, up to which it counts as zero. A state
	// that violates the joints a little makes such coefficients.
	dependencyTol = 1e-6
)

// depend returns the dependencies of the first redundant rows. For each it finds the reaction without effect in which just this one of the
// redundant rows takes part; there is only one. The geometric matrix is in v.p.
func (s *explainer) depend(v *verification) (list []Dependency) {
	layout, p := s.plan.layout, s.plan.layout.Pattern
	z, c := make([]float64, len(s.x)), make([]float64, len(s.x))
	for node := layout.FirstJoint(); node < p.Len(); node++ {
		for i := p.Off[node]; i < p.Off[node+1]; i++ {
			if !v.redundant[i] {
				continue
			}
			if len(list) == mostDependencies || s.work.watch.Up() {
				return list
			}
			c[i] = 1 / math.Sqrt(v.p.sys.Scale[i])
			v.nullTo(z, c)
			c[i] = 0
			d := Dependency{ConstraintRow: ConstraintRow{layout.NodeConstraint(node), int(i - p.Off[node])}}
			d.From = s.partners(z, v.p.sys.Scale, int(i))
			list = append(list, d)
		}
	}
	return list
}

// partners returns the rows other than scalar i of the system that take part in the reaction z.
func (s *explainer) partners(z, scale []float64, i int) (list []ConstraintRow) {
	layout, p := s.plan.layout, s.plan.layout.Pattern
	largest := 0.0
	for k := s.plan.first(); k < len(z); k++ {
		largest = max(largest, math.Abs(z[k])*math.Sqrt(scale[k]))
	}
	for node := layout.FirstJoint(); node < p.Len(); node++ {
		of := layout.NodeConstraint(node)
		for k := range s.plan.mech.ConstraintRows(of) { // rows of armature come after these
			if at := int(p.Off[node]) + k; at != i && math.Abs(z[at])*math.Sqrt(scale[at]) > dependencyTol*largest {
				list = append(list, ConstraintRow{of, k})
			}
		}
	}
	return list
}
