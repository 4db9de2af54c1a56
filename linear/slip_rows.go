package linear

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// slipRow is a nonholonomic row, linearized about a motion. With J its row of the Jacobian, a displacement x and its rate satisfy
// J·ẋ + N·x = 0, docs/statics-and-modes.md (S7).
type slipRow struct {
	row   int // among all rows of the Jacobian
	joint int32
	body  [2]int32    // −1 is the world
	n     [12]float64 // N, six entries for each body
}

// slipRows returns the nonholonomic rows at the loaded state, joint by joint. It returns nil if there are none.
func (s *System) slipRows() (list []slipRow) {
	layout := s.plan.Layout()
	for _, j := range s.mech.Nonholonomic() {
		jt := &s.mech.Joints[j]
		var jk mechanism.JointKinematics
		var r reaction
		s.mech.JointTo(&jk, int(j), s.y.Kin, s.st)
		s.initReaction(&r, int(j), &jk)
		T, _ := s.y.ForceSubspace(int(j), s.st)
		first := int(layout.Pattern.Off[layout.JointNode(int(j))]) - s.dim()
		for k, to := jt.Kind.VelocityRows(); k < to; k++ {
			row := slipRow{row: first + k, joint: j, body: r.Body}
			r.withP = T[k]
			s.slipTo(&row.n, &r)
			list = append(list, row)
		}
	}
	return list
}

// slipTo stores in n the derivative N of the rate J·v of a row by the displacements x of both bodies. r.withP is the row's unit wrench,
// from which it computes J. A body displaced by the rotation φ has the angular velocity ω + φ×ω, so that
//
//	N·x = δJ·v + J·(φ×ω, 0).
func (s *System) slipTo(n *[12]float64, r *reaction) {
	var J, dJ [12]float64
	r.sum()
	r.RowTo(&J)
	v := s.velocities(&r.Along)
	for c := range n {
		e := c / 6
		if r.Body[e] < 0 {
			continue
		}
		var x [12]float64
		x[c] = 1
		r.changeTo(&dJ, &x)
		n[c] = dot12(&dJ, &v)
		if c%6 < 3 {
			change := spatial.Vec3(x[6*e : 6*e+3]).Cross(spatial.Vec3(v[6*e : 6*e+3])) // φ×ω
			n[c] += change.Dot(spatial.Vec3(J[6*e : 6*e+3]))
		}
	}
}
