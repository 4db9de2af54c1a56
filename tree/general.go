package tree

import (
	"errors"

	"github.com/rung-mbd/rung/spatial"
)

// This file holds the general forms of RBDA §3.1: quasi-velocities and the state-space form (eqs 3.5–3.9).

// ErrInconsistent is returned for an implicit constraint K·q̈ = k without a
// solution.
var ErrInconsistent = errors.New("tree: constraints contradict each other")

// RatesTo stores in dq the derivative of q: the entry of q̇ where a coordinate is scalar, and the derivative of the quaternion where
// entries of q̇ are an angular velocity.
//
// Shapes: dq and q have NumQ entries, qd NumDof.
// Cost: O(links), no allocation. It panics on a length mismatch.
func (p *Plan) RatesTo(dq, q, qd []float64) {
	if len(dq) != p.nq || len(q) != p.nq || len(qd) != p.nv {
		panic("tree: length mismatch")
	}
	for i := range p.Links {
		l := &p.Links[i]
		out, in := dq[l.Q:l.Q+l.NumQ], qd[l.Dof:l.Dof+l.NumDof]
		if hasBall(l.Kind) {
			// The angular velocity is in the axes of P, the outer axes of the quaternion.
			rate := spatial.Quat(q[l.Q : l.Q+4]).Derivative(spatial.Vec3(in))
			copy(out, rate[:])
			out, in = out[4:], in[3:]
		}
		copy(out, in)
	}
}

// advanceTo stores in dst the variables q after the time h at constant rates qd: scalar coordinates change linearly, and balls rotate at a
// constant angular velocity. dst may equal q.
func (p *Plan) advanceTo(dst, q, qd []float64, h float64) {
	for i := range p.Links {
		l := &p.Links[i]
		to, from, v := dst[l.Q:l.Q+l.NumQ], q[l.Q:l.Q+l.NumQ], qd[l.Dof:l.Dof+l.NumDof]
		if hasBall(l.Kind) {
			r := spatial.Quat(from[:4]).Integrate(spatial.Vec3(v), h)
			copy(to, r[:])
			to, from, v = to[4:], from[4:], v[3:]
		}
		for k := range v {
			to[k] = from[k] + h*v[k]
		}
	}
}

// QuasiVelocitiesTo is the inverse of RatesTo: it stores in qd the rates that
// belong to the derivative dq. The part of dq along a quaternion is dropped.
//
// Shapes: qd has NumDof entries, q and dq NumQ.
// Cost: O(links), no allocation. It panics on a length mismatch.
func (p *Plan) QuasiVelocitiesTo(qd, q, dq []float64) {
	if len(dq) != p.nq || len(q) != p.nq || len(qd) != p.nv {
		panic("tree: length mismatch")
	}
	for i := range p.Links {
		l := &p.Links[i]
		out, in := qd[l.Dof:l.Dof+l.NumDof], dq[l.Q:l.Q+l.NumQ]
		if hasBall(l.Kind) {
			// ω = 2·(dq ⊗ q*) over |q|².
			r := spatial.Quat(q[l.Q : l.Q+4])
			n := r.Norm()
			t := spatial.Quat(in[:4]).Mul(r.Conj())
			for k := range 3 {
				out[k] = 2 * t[1+k] / (n * n)
			}
			out, in = out[3:], in[4:]
		}
		copy(out, in)
	}
}

// DerivativeTo stores in dx the derivative of the state x = (q, q̇) of the open
// tree at the time t under the generalized forces tau: the state-space form of
// the equation of motion. It makes x the state in use.
//
// Shapes: dx and x have NumQ + NumDof entries and do not overlap.
// Cost: O(links + joints + forces), no allocation.
// It returns the errors of Set and ForwardTo. It panics on a length mismatch.
func (w *Workspace) DerivativeTo(dx, x []float64, t float64, tau []float64) error {
	nq, nv := w.plan.nq, w.plan.nv
	if len(dx) != nq+nv || len(x) != nq+nv {
		panic("tree: length mismatch")
	}
	if err := w.Set(x[:nq], x[nq:], t); err != nil {
		return err
	}
	w.plan.RatesTo(dx[:nq], x[:nq], x[nq:])
	return w.ForwardTo(dx[nq:], tau)
}
