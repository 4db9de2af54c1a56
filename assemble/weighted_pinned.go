package assemble

import (
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// A pinned joint holds two origins together, and its rows are unit forces and
// moments along the axes of P: arm and slip are zero, and T˚ too. In the axes of
// its predecessor such a row does not change, so that its weighted block is a
// constant. What is left for a state are the block of the successor and the right
// side.

// pinned reports whether a joint is so.
func pinned(j *mechanism.Joint) bool {
	return (j.Kind == joints.Revolute || j.Kind == joints.Spherical || j.Kind == joints.Fixed) && j.Motion == nil
}

// pinnedRows returns the first row of the forces along x, y, z of a pinned joint,
// and the first and the number of its rows with moments about x, y, z.
func pinnedRows(k joints.Kind) (force, moment, moments int) {
	switch k {
	case joints.Fixed:
		return 3, 0, 3
	case joints.Revolute:
		return 0, 3, 2
	default:
		return 0, 3, 0
	}
}

// fillConstant stores the blocks of the predecessors of pinned joints, and in
// y.base the squared norms of their rows.
func (y *Weighted) fillConstant() {
	m := y.L.Mech
	nb := m.NumBodies()
	for i, j := range y.L.joint {
		jt := &m.Joints[j]
		if jt.Pred < 0 || !pinned(jt) {
			continue
		}
		at := y.L.place(jt, int32(nb+i))
		base := y.base[int(at.row)-6*nb:][:jt.Rows]
		clear(base)
		E := jt.P.E
		for k := range E {
			E[k] = -E[k]
		}
		arm := jt.P.Origin.Sub(m.Bodies[jt.Pred].Com)
		fillPinnedSide(y.W.Val[at.pred:], base, jt.Kind, &E, &arm, m.Bodies[jt.Pred].Weight())
	}
}

// fillPinnedSide stores the rows of a pinned joint in the block v of a body with
// the weight c, and adds their squared norms to scale. The columns of A are the
// axes of P, or their opposites, and arm goes from the centre of mass to the
// joint, both in the axes of the body.
//
//	force along f:   L⁻¹·(arm×f), f/√m
//	moment about n:  L⁻¹·n, 0
func fillPinnedSide(v, scale []float64, kind joints.Kind, A *spatial.Mat3, arm *spatial.Vec3, c *bodies.Weight) {
	force, moment, moments := pinnedRows(kind)
	M := &c.Inertia
	for k := range 3 {
		f0, f1, f2 := A[k], A[3+k], A[6+k]
		x, y, z := arm[1]*f2-arm[2]*f1, arm[2]*f0-arm[0]*f2, arm[0]*f1-arm[1]*f0
		w0, w1, w2 := M[0]*x, M[3]*x+M[1]*y, M[4]*x+M[5]*y+M[2]*z
		f0, f1, f2 = c.Mass*f0, c.Mass*f1, c.Mass*f2
		q := (*[6]float64)(v[6*(force+k):])
		q[0], q[1], q[2], q[3], q[4], q[5] = w0, w1, w2, f0, f1, f2
		scale[force+k] += (w0*w0 + w1*w1 + w2*w2) + (f0*f0 + f1*f1 + f2*f2)
	}
	for k := range moments {
		x, y, z := A[k], A[3+k], A[6+k]
		w0, w1, w2 := M[0]*x, M[3]*x+M[1]*y, M[4]*x+M[5]*y+M[2]*z
		q := (*[6]float64)(v[6*(moment+k):])
		q[0], q[1], q[2], q[3], q[4], q[5] = w0, w1, w2, 0, 0, 0
		scale[moment+k] += w0*w0 + w1*w1 + w2*w2
	}
}

// fillPinned fills the rows of a pinned joint but for the block of its
// predecessor.
func (y *Weighted) fillPinned(jt *mechanism.Joint, at place, s *mechanism.State) {
	var EP, A spatial.Mat3
	var wp, ws, r, bias spatial.Vec3
	m := y.L.Mech
	o := int(at.row)
	scale, b := y.Scale[o:o+int(jt.Rows)], y.B[o:o+int(jt.Rows)]
	copy(scale, y.base[o-6*len(m.Bodies):])
	P := &jt.P.E
	if jt.Pred >= 0 {
		E := &y.Kin.Bodies[jt.Pred].E
		E.MulTo(&EP, P)
		P = &EP
		wp = s.Bodies[jt.Pred].Omega
		armTo(&r, &jt.P.Origin, &m.Bodies[jt.Pred].Com)
		E.MulVecTo(&r, &r)
		addCentripetal(&bias, &wp, &r, -1)
	}
	if jt.Succ >= 0 {
		E := &y.Kin.Bodies[jt.Succ].E
		E.TMulTo(&A, P)
		armTo(&r, &jt.S.Origin, &m.Bodies[jt.Succ].Com)
		fillPinnedSide(y.W.Val[at.succ:], scale, jt.Kind, &A, &r, m.Bodies[jt.Succ].Weight())
		ws = s.Bodies[jt.Succ].Omega
		E.MulVecTo(&r, &r)
		addCentripetal(&bias, &ws, &r, 1)
	}
	// −f·(relative acceleration of the origins at zero ω̇ and c̈), −n·(ω_S×ω_P).
	force, moment, moments := pinnedRows(jt.Kind)
	for k := range 3 {
		b[force+k] = -(P[k]*bias[0] + P[3+k]*bias[1] + P[6+k]*bias[2])
	}
	t0, t1, t2 := wp[1]*ws[2]-wp[2]*ws[1], wp[2]*ws[0]-wp[0]*ws[2], wp[0]*ws[1]-wp[1]*ws[0]
	for k := range moments {
		b[moment+k] = P[k]*t0 + P[3+k]*t1 + P[6+k]*t2
	}
}
