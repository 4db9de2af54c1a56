package tree

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// A composite joint in the tree is one joint with as many entries of q̇ as it has axes. Its columns move in P: the
// motions before an axis carry it. So S̊ is not zero; joints.Posture has it.

// postureOf returns the place of link i among the postures of a workspace, −1 if its joint is no composite one.
func (p *Plan) postureOf(i int) int32 {
	if p.posture == nil {
		return -1
	}
	return p.posture[i]
}

// numberPostures numbers the postures of composite tree joints, and sets p.own: whether q determines all angles of a state, as no
// joint of a loop has any.
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

// winds reports whether a state has angles of joint j, or parameters of its curves.
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

// branchesTo stores in s, whose poses are those of q, the angles that q has with their turns, and where composite joints are
// (mechanism.State.Angles). Where a joint that closes a loop is composite, has
// a torsion spring, or holds a point on a curve, q does not tell that, and all are read as a model has them.
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

// anglePlace returns the place of a freedom among the angles with springs, or −1.
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

// setComposite is set for a composite joint with the axes a.
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

// columnsTo stores in S the columns of a composite joint, and returns what its coordinates accelerate S by at constant
// rates, both seen from P, in world axes.
func columnsTo(S *[6]spatial.Motion, p *joints.Posture, qd []float64, EP *spatial.Mat3) (turn, slide spatial.Vec3) {
	var Sd [joints.MaxAxes]spatial.Motion
	var rates [joints.MaxAxes]float64
	copy(rates[:], qd)
	p.RatesTo(&Sd, &rates)
	for k, x := range qd {
		EP.MulVecTo((*spatial.Vec3)(S[k][:3]), (*spatial.Vec3)(p.S[k][:3]))
		EP.MulVecTo((*spatial.Vec3)(S[k][3:]), (*spatial.Vec3)(p.S[k][3:]))
		spatial.AddScaledTo(&turn, &turn, x, (*spatial.Vec3)(Sd[k][:3]))
		spatial.AddScaledTo(&slide, &slide, x, (*spatial.Vec3)(Sd[k][3:]))
	}
	EP.MulVecTo(&turn, &turn)
	EP.MulVecTo(&slide, &slide)
	return turn, slide
}
