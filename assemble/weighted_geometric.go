package assemble

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// GeometricTo replaces the inertias by unit masses with a length for each body, diag(ℓ²·1, 1),
// theory.md (25). y.Matrix becomes J weighted by that metric, in body axes,
// and y.Scale the squared norms of its rows. AccelerationsTo and WeighTo keep the inertias.
//
// Shapes: length has one entry a body and receives ℓ, m.
// Cost: O(bodies + joints), no allocation. y has been filled; its right side stays. A second call only stores ℓ.
func (y *Weighted) GeometricTo(length []float64) {
	p := y.Layout.Pattern
	y.Layout.LengthsTo(length)
	if y.geometric {
		return
	}
	y.constant, y.geometric = false, true
	clear(y.Scale)
	for node := y.Layout.FirstJoint(); node < p.Len() && !y.watch.Every(node); node++ {
		scale := y.Scale[p.Off[node]:p.Off[node+1]]
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			body := p.Ind[k]
			if int(body) >= len(length) { // the node of a flywheel
				jt := &y.Layout.Mech.Joints[y.Layout.NodeJoint(node)]
				pred, succ := y.Layout.place(jt, int32(node)).rowsIn(y.Matrix.Val)
				geometricFlywheel(y.Matrix.Val[p.Pos[k]:], scale, pred, succ, jt)
				continue
			}
			y.reweigh(y.Matrix.Val[p.Pos[k]:p.Pos[k+1]], scale, body, 1/length[body])
		}
		if len(scale) == 1 {
			scale[0] = unvanished(scale[0]) // a row of a coupling may vanish
		}
	}
}

// reweigh removes the weight C⁻ᵀ of a body from its block v of a joint, applies
// the weight diag(il·1, 1) with il = 1/ℓ, and adds the squared norms of the rows to scale.
func (y *Weighted) reweigh(v, scale []float64, body int32, il float64) {
	c := y.bodies[body].Weight()
	for k := range scale {
		q := (*[6]float64)(v[6*k:])
		n := (*spatial.Vec3)(q[:3])
		c.Inertia.SolveTo(n, n)
		s := 0.0
		for i := range 3 {
			q[i] *= il
			q[3+i] /= c.Mass
			s += q[i]*q[i] + q[3+i]*q[3+i]
		}
		scale[k] += s
	}
}

// LengthsTo stores the length ℓ of each body: ℓ² is the larger of the mean square
// distance of its mass from its centre and the largest square distance of a joint
// from it.
//
// Cost: O(bodies + joints), no allocation. It panics unless there is an entry a body.
func (l *Layout) LengthsTo(length []float64) {
	if len(length) != l.Mech.NumBodies() {
		panic("assemble: length mismatch")
	}
	l.Mech.SquareLengthsTo(length)
	for i, l2 := range length {
		length[i] = math.Sqrt(l2)
	}
}

// ClearVelocityRows clears the rows of velocities alone of a node, and their scales (joints.Kind.VelocityRows,
// mechanism.Coupling.Rates). These rows do not constrain poses,
// theory.md (36), (W7). It returns the range [from, to) of these rows within the node; it is empty if there are none.
//
// Cost: O(rows), no allocation. The caller has to give these rows of zeros a scale that is not zero.
func (y *Weighted) ClearVelocityRows(node int) (from, to int) {
	m := y.Layout.Mech
	if j := y.Layout.NodeJoint(node); j >= 0 {
		from, to = m.Joints[j].Kind.VelocityRows()
	} else if c := y.Layout.NodeConstraint(node) - m.NumJoints(); c >= 0 && m.Couplings[c].Rates() {
		to = 1
	}
	p := y.Layout.Pattern
	if from < to {
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			clear(y.Matrix.Val[p.Pos[k]:p.Pos[k+1]][6*from : 6*to])
		}
		clear(y.Scale[int(p.Off[node])+from : int(p.Off[node])+to])
	}
	return from, to
}
