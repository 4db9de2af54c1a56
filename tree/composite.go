package tree

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// A composite joint in the tree is one joint with as many entries of q̇ as it has axes. An axis is moved by the motions before it, so the
// columns of S change in P, and S̊ is not zero; joints.Posture has it.

// postureOf returns the number of link i among the postures of a workspace, −1 if its joint is not composite.
func (p *Plan) postureOf(i int) int32 {
	if p.posture == nil {
		return -1
	}
	return p.posture[i]
}

// numberPostures numbers the postures of composite tree joints. It sets p.own, which says that q determines all angles that a state
// carries, as no loop joint has such angles.
func (p *Plan) numberPostures() {
	if p.mech.NumSprung() == 0 {
		return
	}
	if p.mech.HasFollowed() {
		p.posture = make([]int32, len(p.Links))
	}
	p.own = true
	inTree := make([]bool, p.mech.NumJoints())
	for i := range p.Links {
		j := p.Links[i].Joint
		if j >= 0 {
			inTree[j] = true
		}
		switch {
		case p.posture == nil:
		case j >= 0 && p.mech.Joints[j].Axes != nil:
			p.posture[i] = int32(p.postures)
			p.postures++
		default:
			p.posture[i] = -1
		}
	}
	for j := range p.mech.Joints {
		p.own = p.own && (inTree[j] || !p.winds(j))
	}
}

// winds reports whether states carry angles of joint j, or parameters of its curves.
func (p *Plan) winds(j int) bool {
	jt := &p.mech.Joints[j]
	if jt.NumNear() > 0 {
		return true
	}
	for i := range jt.Kind.Freedoms() {
		if p.anglePlace(j, i) >= 0 {
			return true
		}
	}
	return false
}

// branchesTo stores in s, a state at q, the angles that it carries (mechanism.State.Angles): angles of springs with their turns, and
// coordinates of composite joints. Where a loop joint is composite, has a torsion spring, or holds a point on a curve, q does not determine
// all of them. The state then carries none, and they are read from the pose as the model has them.
func (p *Plan) branchesTo(s *mechanism.State, q []float64) {
	if p.mech.NumSprung() == 0 {
		return
	}
	if s.Angles = s.Angles[:0]; !p.own {
		return
	}
	s.Angles = s.Angles[:p.mech.NumSprung()]
	for i := range p.Links {
		l := &p.Links[i]
		if l.Joint < 0 {
			continue
		}
		for k := range int(l.NumDof) {
			if at := p.anglePlace(int(l.Joint), k); at >= 0 {
				s.Angles[at] = q[int(l.Q)+k]
			}
		}
	}
}

// anglePlace returns the place of a freedom among the angles that states carry for springs, or −1.
func (p *Plan) anglePlace(joint, freedom int) int {
	if at := p.mech.AnglePlace(mechanism.Freedom{Joint: joint, Freedom: freedom}); at < p.mech.NumSprung() {
		return at
	}
	return -1
}

// postureTo stores in out the posture of link i, a composite joint, at its entries of q.
func (p *Plan) postureTo(out *joints.Posture, i int, q []float64) {
	copy(out.Q[:], q)
	out.Place(p.mech.Joints[p.Links[i].Joint].Axes)
}

// setComposite is displacement.set for a composite joint with the axes a.
func (d *displacement) setComposite(a *joints.Axes, q, qd []float64) {
	var p joints.Posture
	copy(p.Q[:], q)
	p.Place(a)
	*d = displacement{turn: spatial.FromMat(p.E), slide: p.R}
	for k, x := range qd {
		spatial.AddScaledTo(&d.omega, &d.omega, x, (*spatial.Vec3)(p.S[k][:3]))
		spatial.AddScaledTo(&d.speed, &d.speed, x, (*spatial.Vec3)(p.S[k][3:]))
	}
}

// columnsTo stores in S the columns of a composite joint, and returns S̊·q̇, the angular and linear acceleration of the successor frame at
// constant rates. Both are relative to P, in world axes; EP has the axes of P.
func columnsTo(S *[6]spatial.Motion, p *joints.Posture, qd []float64, EP *spatial.Mat3) (angular, linear spatial.Vec3) {
	var Sd [joints.MaxAxes]spatial.Motion
	var rates [joints.MaxAxes]float64
	copy(rates[:], qd)
	p.RatesTo(&Sd, &rates)
	for k, x := range qd {
		EP.MulVecTo((*spatial.Vec3)(S[k][:3]), (*spatial.Vec3)(p.S[k][:3]))
		EP.MulVecTo((*spatial.Vec3)(S[k][3:]), (*spatial.Vec3)(p.S[k][3:]))
		spatial.AddScaledTo(&angular, &angular, x, (*spatial.Vec3)(Sd[k][:3]))
		spatial.AddScaledTo(&linear, &linear, x, (*spatial.Vec3)(Sd[k][3:]))
	}
	EP.MulVecTo(&angular, &angular)
	EP.MulVecTo(&linear, &linear)
	return angular, linear
}
