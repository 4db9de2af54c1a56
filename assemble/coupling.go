package assemble

import (
	"math"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// vanishing is the length of a coupling's row, relative to the lengths of its parts, up to which the row is nothing but
// rounding, as its terms cancel each other. This may happen at a pose if hinges have a common axis. Such a row is set to
// zero, with the scale 1, and counts as redundant.
const vanishing = 1e-13

// vanishes reports whether a row is rounding: sum is the square of its length, size the sum of the squares of its parts. Squares that
// overflow tell nothing, so such a row stays.
func vanishes(sum, size float64) bool {
	return sum <= vanishing*vanishing*size && size <= math.MaxFloat64
}

// The row of a coupling is the sum of the rows of its freedoms, each times its factor (theory.md (K2)). Legs that act
// on one body add up in its block. A row that a program has added (theory.md (O3)) has been computed with the bodies' kinematics.

// leg is the part of one freedom in the row of a coupling.
type leg struct {
	joint  *mechanism.Joint
	factor float64 // factor on the freedom's row, which is the first of jointWork.rows
	bend   float64 // term of the law's curvature in the right side (mechanism.LegState.Bend)
}

// leg computes leg l of coupling c at s, and in w the row of its freedom. k has the kinematics of the bodies.
func (w *jointWork) leg(m *mechanism.Mechanism, c *mechanism.Coupling, l int, k *mechanism.Kinematics, s *mechanism.State) (out leg) {
	at := &c.Legs[l]
	out.joint, out.factor = &m.Joints[at.Joint], at.Factor
	if l >= c.Bent() {
		var x mechanism.LegState
		m.LegTo(&x, &w.kin, c, l, k, s)
		out.factor, out.bend = x.Factor, x.Bend
	} else { // LegTo would compute coordinates, which take as long as a row
		m.JointTo(&w.kin, at.Joint, k, s)
	}
	out.joint.FreedomRowsTo(&w.rows, &w.kin.Frames)
	i := at.Freedom.Freedom
	w.rows.T[0], w.rows.TDot[0], w.rows.N = w.rows.T[i], w.rows.TDot[i], 1
	w.setArms(out.joint, k)
	return out
}

// addRow adds f·(n + arm×t, t) to out, with (n, t) the first row of w and arm from the centre of mass of a body. It returns
// the squared length of this term.
func (w *jointWork) addRow(out []float64, arm *spatial.Vec3, f float64) float64 {
	t := &w.rows.T[0]
	x := [6]float64{
		f * (t[0] + (arm[1]*t[5] - arm[2]*t[4])), f * (t[1] + (arm[2]*t[3] - arm[0]*t[5])), f * (t[2] + (arm[0]*t[4] - arm[1]*t[3])),
		f * t[3], f * t[4], f * t[5],
	}
	q, sum := (*[6]float64)(out), 0.0
	for k, v := range x {
		q[k] += v
		sum += v * v
	}
	return sum
}

// couplingRow stores the row of coupling i, theory.md (K2), in its blocks of val, in world axes and without weights. A row that
// vanishes is stored as zero. couplingRow returns the right side.
func (l *Layout) couplingRow(w *jointWork, val []float64, i int, k *mechanism.Kinematics, s *mechanism.State) (right float64) {
	c, p := &l.Mech.Couplings[i], l.Pattern
	node := l.CouplingNode(i)
	first := p.Ptr[node]
	row, size := val[p.Pos[first]:p.Pos[p.Ptr[node+1]]], 0.0
	clear(row)
	if c.Own() {
		parts, place, terms := l.Mech.OwnPart(i, k)
		for n, at := range place {
			copy(val[p.Pos[first+at]:], parts[n][:])
		}
		return -terms.Bias
	}
	for n := range c.Legs {
		a, at := w.leg(l.Mech, c, n, k, s), &c.Legs[n]
		if at.Succ >= 0 {
			size += w.addRow(val[p.Pos[first+at.Succ]:], &w.armS, a.factor)
		}
		if at.Pred >= 0 {
			size += w.addRow(val[p.Pos[first+at.Pred]:], &w.armP, -a.factor)
		}
		var b [1]float64
		w.rightSideTo(b[:])
		right += a.factor*b[0] + a.bend
	}
	sum := 0.0
	for _, x := range row {
		sum += x * x
	}
	if vanishes(sum, size) {
		clear(row)
	}
	return right
}

// unvanished returns the scale of a coupling's row: 1 for a row of zeros, whose scale would be 0.
func unvanished(scale float64) float64 {
	if scale == 0 {
		return 1
	}
	return scale
}

// fillCoupling stores the row of coupling i, its right side and its scale.
func (y *System) fillCoupling(w *jointWork, i int, s *mechanism.State) {
	p, node := y.Layout.Pattern, y.Layout.CouplingNode(i)
	o := p.Off[node]
	y.Right[o] = y.Layout.couplingRow(w, y.Matrix.Val, i, y.Kin, s)
	y.Scale[o] = 0
	for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
		var inv spatial.Sym3
		b, q := &y.Layout.Mech.Bodies[p.Ind[k]], (*[6]float64)(y.Matrix.Val[p.Pos[k]:])
		b.InvWorldInertiaTo(&inv, &y.Kin.Bodies[p.Ind[k]].E)
		y.Scale[o] += q[0]*(inv[0]*q[0]+2*(inv[3]*q[1]+inv[4]*q[2])) + q[1]*(inv[1]*q[1]+2*inv[5]*q[2]) + q[2]*q[2]*inv[2] +
			1/b.Mass*(q[3]*q[3]+q[4]*q[4]+q[5]*q[5])
	}
	y.Scale[o] = unvanished(y.Scale[o])
}

// fillCouplings fills the rows of the couplings lo ≤ i < hi. The bodies' kinematics have been computed.
func (y *Weighted) fillCouplings(s *mechanism.State, lo, hi int) {
	var w jointWork
	p := y.Layout.Pattern
	for i := lo; i < hi; i++ {
		node := y.Layout.CouplingNode(i)
		o := p.Off[node]
		y.Right[o] = y.Layout.couplingRow(&w, y.Matrix.Val, i, y.Kin, s)
		y.Scale[o] = 0
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			b := p.Ind[k]
			y.Scale[o] += weighRow((*[6]float64)(y.Matrix.Val[p.Pos[k]:]), &y.bodies[b], &y.Kin.Bodies[b].E)
		}
		y.Scale[o] = unvanished(y.Scale[o])
	}
}

// weighRow replaces a row (n, f) of a body b with the axes E,
// theory.md (13), by L⁻¹·Eᵀ·n, Eᵀf/√m, and returns its squared norm.
func weighRow(q *[6]float64, b *bodies.Body, E *spatial.Mat3) float64 {
	c := b.Weight()
	n, f := spatial.Vec3(q[:3]), spatial.Vec3(q[3:])
	E.TMulVecTo(&n, &n)
	E.TMulVecTo(&f, &f)
	c.Inertia.MulVecTo(&n, &n)
	sum := 0.0
	for i := range 3 {
		q[i], q[3+i] = n[i], c.Mass*f[i]
		sum += q[i]*q[i] + q[3+i]*q[3+i]
	}
	return sum
}

// fillCoupling stores the row of coupling i without weights, in the axes of the bodies, and its right side.
func (y *Precise) fillCoupling(w *jointWork, i int, s *mechanism.State) {
	m, p := y.Layout.Mech, y.Layout.Pattern
	c, node := &m.Couplings[i], y.Layout.CouplingNode(i)
	if c.Own() {
		y.fillOwn(i)
		return
	}
	first := p.Ptr[node]
	clear(y.rows[p.Pos[first]:p.Pos[p.Ptr[node+1]]])
	right, size := dd.Num{}, 0.0
	add := func(place, body int32, arm *vec, f float64) {
		if place < 0 {
			return
		}
		var row [6]dd.Num
		y.rowTo(&row, &w.rows.T[0], body, arm, 1)
		out := y.rows[p.Pos[first+place]:][:6]
		for k, x := range row {
			v := dd.MulFloat(x, f)
			out[k] = dd.Add(out[k], v)
			size += v.Hi * v.Hi
		}
	}
	for n := range c.Legs {
		a, at := w.leg(m, c, n, y.kin, s), &c.Legs[n]
		if y.shaken {
			shake(&w.rows.T, m.NumJoints()+i)
		}
		mo := y.motionOf(w, a.joint)
		add(at.Succ, a.joint.Succ, &mo.armS, a.factor)
		add(at.Pred, a.joint.Pred, &mo.armP, -a.factor)
		right = dd.Add(right, dd.Add(dd.MulFloat(mo.right(w, 0), a.factor), dd.Of(a.bend)))
	}
	y.Right[p.Off[node]] = right
	row, sum := y.rows[p.Pos[first]:p.Pos[p.Ptr[node+1]]], 0.0
	for _, x := range row {
		sum += x.Hi * x.Hi
	}
	if vanishes(sum, size) {
		clear(row)
	}
}

// fillOwn is fillCoupling for a row that a program has added, whose parts are doubles.
func (y *Precise) fillOwn(i int) {
	m, p, node := y.Layout.Mech, y.Layout.Pattern, y.Layout.CouplingNode(i)
	parts, place, terms := m.OwnPart(i, y.kin)
	var T [6]spatial.Force
	var arm vec
	for n, at := range place {
		T[0] = parts[n]
		if y.shaken {
			shake(&T, m.NumConstraints()*(1+n)+i)
		}
		k := p.Ptr[node] + at
		y.rowTo((*[6]dd.Num)(y.rows[p.Pos[k]:]), &T[0], p.Ind[k], &arm, 1)
	}
	y.Right[p.Off[node]] = dd.Of(-terms.Bias)
}
