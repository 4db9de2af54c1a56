package tree

import (
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// This file maps the maximal state of a mechanism, poses and velocities of all bodies, to the joint variables of its tree and back (RBDA
// §4.4). On states that satisfy the tree joints the two maps are inverse to each other, to rounding. Violations of other states are
// dropped by CoordinatesTo.

// CoordinatesTo stores in q and qd the joint variables at s.
//
// Shapes: q and qd have NumQ and NumDof entries; k was computed at s.
// Cost: O(links), no allocation.
// It panics on a length mismatch.
func (p *Plan) CoordinatesTo(q, qd []float64, k *mechanism.Kinematics, s *mechanism.State) {
	if len(q) != p.nq || len(qd) != p.nv || len(k.Bodies) != len(p.Links) || len(s.Bodies) != len(p.Links) {
		panic("tree: length mismatch")
	}
	var jk mechanism.JointKinematics
	var jq, jqd [6]float64
	for i := range p.Links {
		l := &p.Links[i]
		lq, lqd := q[l.Q:l.Q+l.NumQ], qd[l.Dof:l.Dof+l.NumDof]
		if l.Joint < 0 {
			b := &s.Bodies[l.Body]
			copy(lq, b.Rotation[:])
			copy(lq[4:], b.Position[:])
			copy(lqd, b.Omega[:])
			copy(lqd[3:], b.Velocity[:])
			continue
		}
		p.mech.JointTo(&jk, int(l.Joint), k, s)
		p.mech.Joints[l.Joint].CoordinatesTo(&jq, &jqd, &jk)
		copy(lqd, jqd[:])
		if !hasBall(l.Kind) {
			copy(lq, jq[:])
			continue
		}
		rot := spatial.FromMat(jk.EP.TMul(jk.ES))
		copy(lq, rot[:])
		copy(lq[4:], jq[3:])
	}
}

// StateTo stores in s the poses and velocities at q and qd; s.Time stays.
// Quaternions in q are normalized.
//
// Shapes: q and qd have NumQ and NumDof entries; s is of p's mechanism.
// Cost: O(links), no allocation.
// It panics on a length mismatch.
func (p *Plan) StateTo(s *mechanism.State, q, qd []float64) {
	if len(q) != p.nq || len(qd) != p.nv || len(s.Bodies) != len(p.Links) {
		panic("tree: length mismatch")
	}
	var d displacement
	ground := mechanism.BodyState{Rotation: spatial.IdentityQuat()}
	for i := range p.Links {
		l := &p.Links[i]
		lq, lqd := q[l.Q:l.Q+l.NumQ], qd[l.Dof:l.Dof+l.NumDof]
		b := &s.Bodies[l.Body]
		if l.Joint < 0 {
			b.Rotation = spatial.Quat(lq[:4]).Normalize()
			b.Position = spatial.Vec3(lq[4:])
			b.Omega, b.Velocity = spatial.Vec3(lqd), spatial.Vec3(lqd[3:])
			continue
		}
		up := &ground
		if l.Parent != World {
			up = &s.Bodies[p.Links[l.Parent].Body]
		}
		c := &p.consts[i]
		if c.form == turning || c.form == screwing {
			c.placeSimple(b, up, lq[0], lqd[0])
			continue
		}
		if p.postureOf(i) >= 0 {
			d.setComposite(p.mech.Joints[l.Joint].Axes, lq, lqd)
		} else {
			d.set(l.Kind, lq, lqd)
		}
		if l.Reversed {
			d.placePredecessor(b, up, c)
		} else {
			d.placeSuccessor(b, up, c)
		}
	}
}

// displacement is the motion of S relative to P in P's axes.
type displacement struct {
	turn  spatial.Quat // S → P
	slide spatial.Vec3 // from the origin of P to the origin of S, m
	omega spatial.Vec3 // of S as seen from P, rad/s
	speed spatial.Vec3 // of the origin of S as seen from P, m/s
}

// set stores in d the motion of a tree joint at q and qd. The joint has no freedom or several; placeSimple treats joints with one.
func (d *displacement) set(kind joints.Kind, q, qd []float64) {
	*d = displacement{turn: spatial.IdentityQuat(), slide: slideOf(kind, 0, q)}
	switch kind {
	case joints.Cylindrical:
		d.turn, d.omega[2], d.speed[2] = aboutZ(q[0]), qd[0], qd[1]
	case joints.Universal:
		s1, c1 := math.Sincos(q[0] / 2)
		s2, c2 := math.Sincos(q[1] / 2)
		d.turn = spatial.Quat{c1, s1, 0, 0}.Mul(spatial.Quat{c2, 0, s2, 0})
		d.omega = d.turn.Rotate(spatial.Vec3{1: qd[1]})
		d.omega[0] += qd[0]
	case joints.Planar:
		d.turn, d.omega[2], d.speed[0], d.speed[1] = aboutZ(q[0]), qd[0], qd[1], qd[2]
	case joints.Spherical:
		d.turn, d.omega = spatial.Quat(q).Normalize(), spatial.Vec3(qd)
	case joints.SphereInCylinder:
		d.turn, d.omega, d.speed[2] = spatial.Quat(q[:4]).Normalize(), spatial.Vec3(qd), qd[3]
	}
}

// slideOf returns the position of S in P, m, of a tree joint at its entries of q.
func slideOf(kind joints.Kind, pitch float64, q []float64) (r spatial.Vec3) {
	switch kind {
	case joints.Prismatic:
		r[2] = q[0]
	case joints.Helical:
		r[2] = pitch * q[0]
	case joints.Cylindrical:
		r[2] = q[1]
	case joints.Planar:
		r[0], r[1] = q[1], q[2]
	case joints.SphereInCylinder:
		r[2] = q[4]
	}
	return r
}

// aboutZ returns the rotation by an angle about z.
func aboutZ(angle float64) spatial.Quat {
	s, c := math.Sincos(angle / 2)
	return spatial.Quat{c, 0, 0, s}
}

// placeSuccessor stores in b the state of the successor, given the state up of the predecessor.
func (d *displacement) placeSuccessor(b, up *mechanism.BodyState, c *linkConst) {
	axes := up.Rotation.Mul(c.qP)
	b.Rotation = axes.Mul(d.turn).Mul(c.qS.Conj()).Normalize()
	armP := up.Rotation.Rotate(c.originP).Add(axes.Rotate(d.slide))
	armS := b.Rotation.Rotate(c.originS)
	b.Position = up.Position.Add(armP.Sub(armS))
	b.Omega = up.Omega.Add(axes.Rotate(d.omega))
	v := up.Velocity.Add(up.Omega.Cross(armP)).Add(axes.Rotate(d.speed))
	b.Velocity = v.Sub(b.Omega.Cross(armS))
}

// placePredecessor stores in b the state of the predecessor, given the state up of the successor.
func (d *displacement) placePredecessor(b, up *mechanism.BodyState, c *linkConst) {
	axes := up.Rotation.Mul(c.qS).Mul(d.turn.Conj())
	b.Rotation = axes.Mul(c.qP.Conj()).Normalize()
	armP := b.Rotation.Rotate(c.originP).Add(axes.Rotate(d.slide))
	armS := up.Rotation.Rotate(c.originS)
	b.Position = up.Position.Add(armS.Sub(armP))
	b.Omega = up.Omega.Sub(axes.Rotate(d.omega))
	v := up.Velocity.Add(up.Omega.Cross(armS)).Sub(axes.Rotate(d.speed))
	b.Velocity = v.Sub(b.Omega.Cross(armP))
}

// placeSimple stores in b the state of a link whose joint has one freedom with the coordinate q and the rate qd, given the state up of the
// parent.
func (c *linkConst) placeSimple(b, up *mechanism.BodyState, q, qd float64) {
	var E, F spatial.Mat3
	var z, arm, far spatial.Vec3
	h := &c.simple
	// The parent's rotation times cos ½θ·rot0 + sin ½θ·rot1.
	rel := h.rot0
	if c.alpha != 0 {
		sin, cos := math.Sincos(q / 2)
		for k := range rel {
			rel[k] = cos*h.rot0[k] + sin*h.rot1[k]
		}
	}
	b.Rotation = up.Rotation.Mul(rel)
	nearUnit(&b.Rotation)

	up.Rotation.MatTo(&E)
	b.Rotation.MatTo(&F)
	E.MulVecTo(&z, &h.axis)
	E.MulVecTo(&arm, &h.near)
	F.MulVecTo(&far, &h.far)
	slide, turn, speed := c.beta*q, c.alpha*qd, c.beta*qd
	for k := range z {
		arm[k] += slide * z[k]
		b.Position[k] = up.Position[k] + (arm[k] - far[k])
		b.Omega[k] = up.Omega[k] + turn*z[k]
	}
	// v = v_λ + ω_λ×arm + V − ω×far. As the slide is along the axis, the rotation does not change its direction.
	spatial.CrossTo(&arm, &up.Omega, &arm)
	spatial.CrossTo(&far, &b.Omega, &far)
	for k := range z {
		b.Velocity[k] = up.Velocity[k] + arm[k] + speed*z[k] - far[k]
	}
}

// nearUnit normalizes a quaternion whose length is 1 but for rounding.
func nearUnit(q *spatial.Quat) {
	s := 1.5 - 0.5*(q[0]*q[0]+q[1]*q[1]+q[2]*q[2]+q[3]*q[3])
	for k := range q {
		q[k] *= s
	}
}
