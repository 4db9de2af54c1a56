package tree

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// articulated is the articulated-body inertia of a link about its centre of
// mass, world axes, and its bias force (RBDA §7.2):
//
//	⎡ J   H ⎤ ⎡ ω̇ ⎤
//	⎣ Hᵀ  M ⎦ ⎣ v̇ ⎦ + p = f.
type articulated struct {
	J, M spatial.Sym3
	H    spatial.Mat3
	p    spatial.Force
}

// ForwardTo stores in qdd the accelerations of the tree under the loads of the
// mechanism and the generalized forces tau, by the articulated-body algorithm
// (RBDA Table 7.1). A nil tau is zero. Loops are open.
//
// Shapes: qdd and tau have NumDof entries; they may be the same.
// Cost: O(links), no allocation.
// It returns an error with the joint that wraps mechanism.ErrInput for a force that is not finite, and a *PivotError if rounding has made
// the inertia of a freedom not positive; qdd is then undefined. It panics on a length mismatch or without a state in use.
func (w *Workspace) ForwardTo(qdd, tau []float64) error {
	w.mustBeReady()
	p := w.plan
	if len(qdd) != p.nv || tau != nil && len(tau) != p.nv {
		panic("tree: length mismatch")
	}
	if err := p.mustBeFinite(givenForce, tau); err != nil {
		return err
	}
	for i := len(p.consts) - 1; i >= 0; i-- {
		if c := &p.consts[i]; c.tip {
			w.art[i].setRigid(c, w)
		}
		if err := w.reduce(i, tau); err != nil {
			return err
		}
	}
	// Outward: a' = X·a_λ + c, q̈ = D⁻¹(u − Uᵀa'), a = a' + S·q̈.
	var none linkState
	for i := range p.consts {
		l, st := &p.Links[i], &w.links[i]
		up := &none
		if l.Parent != World {
			up = &w.links[l.Parent]
		}
		a := &st.a
		carryVelocity((*spatial.Motion)(a), (*spatial.Motion)(&up.a), &st.r)
		for k := range a {
			a[k] += st.c[k]
		}
		if l.NumDof == 1 {
			w.accelerateOne(a, int(l.Dof), qdd)
			continue
		}
		first, end := int(l.Dof), int(l.Dof+l.NumDof)
		for d := first; d < end; d++ {
			qdd[d] = w.y[d] - (*spatial.Motion)(a).Dot(&w.proj[d])
		}
		for d := first; d < end; d++ {
			x, S := qdd[d], &w.s[d]
			for k := range a {
				a[k] += x * S[k]
			}
		}
	}
	return nil
}

// accelerateOne is the outward step for a link with one entry d of q̇: it stores q̈ of d, and adds S·q̈ to a, the link's acceleration
// without it.
func (w *Workspace) accelerateOne(a *spatial.ClassicalAccel, d int, qdd []float64) {
	W, S := &w.proj[d], &w.s[d]
	x := w.y[d] - ((a[0]*W[0] + a[1]*W[1] + a[2]*W[2]) + (a[3]*W[3] + a[4]*W[4] + a[5]*W[5]))
	qdd[d] = x
	a[0], a[1], a[2] = a[0]+x*S[0], a[1]+x*S[1], a[2]+x*S[2]
	a[3], a[4], a[5] = a[3]+x*S[3], a[4]+x*S[4], a[5]+x*S[5]
}

// setRigid makes a the inertia of the rigid body of link c, with the negative loads on it as bias force.
func (a *articulated) setRigid(c *linkConst, w *Workspace) {
	a.J = w.kin.I[c.body]
	a.H = spatial.Mat3{}
	a.M = spatial.Sym3{c.mass, c.mass, c.mass}
	f := &w.force[c.body]
	a.p = spatial.Force{-f[0], -f[1], -f[2], -f[3], -f[4], -f[5]}
}

// reduce eliminates the joint of link i and adds the remaining inertia and bias force to the parent:
//
//	U = I^A·S, D = SᵀU, u = τ − Sᵀp,
//	I^a = I^A − U·D⁻¹Uᵀ, p^a = p + I^a·c + U·D⁻¹u.
func (w *Workspace) reduce(i int, tau []float64) error {
	l, a := &w.plan.Links[i], &w.art[i]
	c := (*spatial.Motion)(&w.links[i].c)
	grounded := l.Parent == World
	if l.NumDof == 1 {
		var t float64
		if tau != nil {
			t = tau[l.Dof]
		}
		if D := w.reduceOne(a, int(l.Dof), t); !(D > 0) || math.IsInf(D, 1) {
			return w.plan.pivotError(int(l.Dof), D)
		}
	} else if err := w.reduceSeveral(a, l, tau); err != nil {
		return err
	}
	if grounded {
		return nil
	}
	var f spatial.Force
	a.mulTo(&f, c)
	for k := range f {
		a.p[k] += f[k]
	}
	up := &w.art[l.Parent]
	if w.plan.consts[i].opens {
		up.setRigid(&w.plan.consts[l.Parent], w)
	}
	up.addShifted(a, &w.links[i].r)
	return nil
}

// reduceOne eliminates the joint of a link with one entry d of q̇ from a. It stores D⁻¹u in w.y and D⁻¹Uᵀ in w.proj, and returns D.
func (w *Workspace) reduceOne(a *articulated, d int, tau float64) float64 {
	var U spatial.Force
	S := &w.s[d]
	a.mulTo(&U, S)
	D := S.Dot(&U)
	if w.plan.rotors != nil {
		D += w.plan.rotors[d]
	}
	inv := 1 / D
	y := (tau - S.Dot(&a.p)) * inv
	w.y[d] = y
	W := &w.proj[d]
	W[0], W[1], W[2], W[3], W[4], W[5] = U[0]*inv, U[1]*inv, U[2]*inv, U[3]*inv, U[4]*inv, U[5]*inv
	bias := &a.p
	bias[0], bias[1], bias[2] = bias[0]+U[0]*y, bias[1]+U[1]*y, bias[2]+U[2]*y
	bias[3], bias[4], bias[5] = bias[3]+U[3]*y, bias[4]+U[4]*y, bias[5]+U[5]*y
	a.subtractOuter(&U, W)
	return D
}

// reduceSeveral eliminates the joint of l, with any number of freedoms, from a. It stores D⁻¹u in w.y and the rows of D⁻¹Uᵀ in w.proj. It
// returns a *PivotError if D is not positive definite.
func (w *Workspace) reduceSeveral(a *articulated, l *Link, tau []float64) error {
	n, first := int(l.NumDof), int(l.Dof)
	var U, W [6]spatial.Force
	var D [6][6]float64
	var y [6]float64
	for k := range n {
		S := &w.s[first+k]
		a.mulTo(&U[k], S)
		for e := range k + 1 {
			D[k][e] = w.s[first+e].Dot(&U[k])
		}
		if w.plan.rotors != nil {
			D[k][k] += w.plan.rotors[first+k]
		}
		y[k] = -S.Dot(&a.p)
		if tau != nil {
			y[k] += tau[first+k]
		}
	}
	if k := factorSmall(&D, n); k >= 0 {
		return w.plan.pivotError(first+k, D[k][k])
	}
	W = U
	solveSmall(&D, n, &y, &W)
	for k := range n {
		w.y[first+k], w.proj[first+k] = y[k], W[k]
		for e := range a.p {
			a.p[e] += U[k][e] * y[k]
		}
		a.subtractOuter(&U[k], &W[k])
	}
	return nil
}

// factorSmall replaces the lower triangle of D by its LDLᵀ factor. It returns the
// row of a pivot that is not positive, or −1.
func factorSmall(D *[6][6]float64, n int) int {
	for k := range n {
		for j := range k {
			x := D[k][j]
			for e := range j {
				x -= D[k][e] * D[j][e] * D[e][e]
			}
			D[k][j] = x / D[j][j]
			D[k][k] -= D[k][j] * x
		}
		if d := D[k][k]; !(d > 0) || math.IsInf(d, 1) {
			return k
		}
	}
	return -1
}

// solveSmall replaces y and the rows of W by D⁻¹y and D⁻¹W. D has been factored by factorSmall.
func solveSmall(D *[6][6]float64, n int, y *[6]float64, W *[6]spatial.Force) {
	for k := range n {
		for j := range k {
			x := D[k][j]
			y[k] -= x * y[j]
			for e := range W[k] {
				W[k][e] -= x * W[j][e]
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		inv := 1 / D[k][k]
		y[k] *= inv
		for e := range W[k] {
			W[k][e] *= inv
		}
		for j := k + 1; j < n; j++ {
			x := D[j][k]
			y[k] -= x * y[j]
			for e := range W[k] {
				W[k][e] -= x * W[j][e]
			}
		}
	}
}
