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

// Name returns what the row demands, in words (joints.Spec.RowName); of a coupling nothing.
func (c ConstraintRow) Name(m *mechanism.Mechanism) string {
	if c.Constraint >= m.NumJoints() {
		return ""
	}
	return m.Joints[c.Constraint].RowName(c.Row)
}

// Dependency is a redundant row with the rows from which it follows. Without any of them it would not be redundant: what the row does
// to the bodies is a sum of what From does. Where From is empty the row demands nothing of any body.
type Dependency struct {
	ConstraintRow
	From []ConstraintRow
}

const (
	// mostDependencies is how many redundant rows a Report explains.
	mostDependencies = 100
	// dependencyTol is the part of a row in a sum, relative to the largest one, below which it has none. What is left of it consists of
	// how far the state violates the joints.
	dependencyTol = 1e-6
)

// depend returns what the first redundant rows follow from: reactions without effect in which one redundant row takes part, and of the
// others none. Of such there is one only. The geometric matrix is in v.p.
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

// partners returns the rows besides row i that take part in the reaction z.
func (s *explainer) partners(z, scale []float64, i int) (list []ConstraintRow) {
	layout, p := s.plan.layout, s.plan.layout.Pattern
	largest := 0.0
	for k := s.plan.first(); k < len(z); k++ {
		largest = max(largest, math.Abs(z[k])*math.Sqrt(scale[k]))
	}
	for node := layout.FirstJoint(); node < p.Len(); node++ {
		of := layout.NodeConstraint(node)
		for k := range s.plan.mech.ConstraintRows(of) { // without those of armature
			if at := int(p.Off[node]) + k; at != i && math.Abs(z[at])*math.Sqrt(scale[at]) > dependencyTol*largest {
				list = append(list, ConstraintRow{of, k})
			}
		}
	}
	return list
}
