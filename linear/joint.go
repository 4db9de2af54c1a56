package linear

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// fillJoint adds joint j to K and C: the springs and dampers of its freedoms, and the geometric stiffness of its reaction, which rotates
// with the bodies.
//
// It returns an error that wraps mechanism.ErrNoDerivatives, with the name of the joint, for friction that has no
// derivatives (addResistance).
func (s *System) fillJoint(j int) error {
	jt := &s.mech.Joints[j]
	var jk mechanism.JointKinematics
	s.mech.JointTo(&jk, j, s.y.Kin, s.st)
	if jt.Kind == joints.Distance {
		s.fillDistance(j, &jk)
		return nil
	}
	var r reaction
	s.initReaction(&r, j, &jk)
	s.addConstraint(&r)
	if s.mech.Drive(j) != nil {
		s.addDrive(&r)
	}
	for _, i := range s.motors[j] {
		f, _ := s.mech.Actuator(int(i))
		s.addPush(&r, f.Freedom, s.mech.ActuatorAt(int(i), &jk, s.st))
	}
	for _, i := range s.resisted[j] {
		if err := s.addResistance(&r, int(i)); err != nil {
			return err
		}
	}
	for _, at := range s.mech.LegsAt(j) {
		s.addLeg(&r, at)
	}
	if err := s.addArmature(&r); err != nil {
		return err
	}
	r.sum()
	if r.Unit == (spatial.Force{}) {
		return nil
	}
	switch {
	case jt.Kind.Plain() && (jt.Kind != joints.Spherical || s.mech.Drive(j) == nil):
		s.fillPinned(&r)
	default:
		s.fillGeneral(&r)
	}
	return nil
}

// addConstraint adds to r the wrench T·λ of the joint's multipliers. Its rows rotate with frame P, except two rows of a universal joint:
// the fourth row, along the normal to both axes, and the row that prescribes the second freedom, along the second axis.
func (s *System) addConstraint(r *reaction) {
	node := s.plan.Layout().JointNode(r.number)
	if node < 0 {
		return
	}
	jt := r.joint
	T, n := s.y.ForceSubspace(r.number, s.st)
	o := int(s.plan.Layout().Pattern.Off[node])
	for k := range n {
		lambda := -s.x[o+k]
		switch {
		case jt.Kind == joints.Universal && k == 3:
			r.normal = lambda
		case jt.Kind == joints.Universal && k > 3 && k == secondRow(jt):
			r.withS = r.withS.Add(r.y.Scale(lambda))
		default:
			r.withP = r.withP.Add(T[k].Scale(lambda))
		}
	}
}

// secondRow returns the row that prescribes the second freedom of a universal joint,
// or −1.
func secondRow(jt *mechanism.Joint) int {
	if !jt.Prescribed(1) {
		return -1
	}
	return jt.PrescribedRow(1)
}

// addDrive adds the force of the joint's drive along its freedoms, with stiffness and damping.
func (s *System) addDrive(r *reaction) {
	var q, qd [6]float64
	jt, drive := r.joint, s.mech.Drive(r.number)
	jt.CoordinatesTo(&q, &qd, r.at)
	for i := range jt.Kind.Freedoms() {
		pull, _ := drive.PullAt(i, q[i], qd[i]) // no error: the system has been filled at this state, with the same laws
		D := s.addPush(r, i, mechanism.Push{Force: drive.Force[i] - pull.Tension, Stiffness: pull.Stiffness, Damping: pull.Damping})
		if terms := math.Abs(pull.Stiffness) * (math.Abs(q[i]) + math.Abs(drive.Rest[i])); jt.Kind.Scalar(i) {
			for _, b := range r.Body {
				s.addRounding(b, terms*D.Moment().Norm(), terms*D.Linear().Norm())
			}
		}
	}
}

// addLeg adds the reaction of a coupling along the freedom of one of its legs: the generalized force λ·φ′, with φ′ the
// derivative of the coupling by the leg's coordinate, docs/theory.md (K3), and its stiffness −λ·φ″. fillCoupling adds the
// stiffness between the two coordinates of a law.
func (s *System) addLeg(r *reaction, at mechanism.LegAt) {
	c, layout := &s.mech.Couplings[at.Coupling], s.plan.Layout()
	lambda := -s.x[layout.Pattern.Off[layout.CouplingNode(int(at.Coupling))]]
	f, inLaw := c.Legs[at.Leg].Freedom.Freedom, int(at.Leg)-c.Bent() // inLaw: position among the coordinates of the law, negative for none
	var x mechanism.LegState
	var jk mechanism.JointKinematics
	s.mech.LegTo(&x, &jk, c, int(at.Leg), s.y.Kin, s.st)
	curve := 0.0
	if inLaw >= 0 {
		curve = x.Curve[inLaw]
	}
	s.addAlong(r, f, mechanism.Push{Force: lambda * x.Factor, Stiffness: -lambda * curve})
}

// fillCoupling adds the stiffness k = λ·∂²f/∂x∂y between the two coordinates x and y of the law f of coupling i. Other couplings
// have none. With v and w the rows of both freedoms it is
//
//	k·(v·wᵀ + w·vᵀ) = k/2·((a·v + w/a)·(a·v + w/a)ᵀ − (a·v − w/a)·(a·v − w/a)ᵀ)
//
// for any a. The a that makes a·v and w/a equally long keeps the terms that cancel no larger than the result.
func (s *System) fillCoupling(i int) error {
	c, layout := &s.mech.Couplings[i], s.plan.Layout()
	first := c.Bent()
	if len(c.Legs)-first < 2 {
		return nil
	}
	var jk mechanism.JointKinematics
	var x mechanism.LegState
	var rows [2]row
	var size [2]float64
	for e := range rows {
		leg := &c.Legs[first+e]
		s.mech.LegTo(&x, &jk, c, first+e, s.y.Kin, s.st)
		rows[e] = s.freedomRow(leg.Freedom, &jk)
		size[e] = math.Sqrt(dot12(&rows[e].v, &rows[e].v))
	}
	k := s.x[layout.Pattern.Off[layout.CouplingNode(i)]] * x.Curve[0] // −λ times −∂²f/∂x∂y: x is the second leg's, its Curve[0] with the first
	if k == 0 || size[0] == 0 || size[1] == 0 {
		return nil
	}
	a := math.Sqrt(size[1] / size[0])
	before := s.filled()
	for _, sign := range [2]float64{1, -1} {
		r := &multiRow{bodies: c.Bodies, v: make([]float64, 6*len(c.Bodies)), rate: make([]float64, 6*len(c.Bodies))}
		for e, f := range [2]float64{a, sign / a} {
			leg := &c.Legs[first+e]
			for n, at := range [2]int32{leg.Pred, leg.Succ} { // positions in c.Bodies, negative for the world
				if at < 0 {
					continue
				}
				for m := range 6 {
					r.v[6*int(at)+m] += f * rows[e].v[6*n+m]
				}
			}
		}
		s.rows = append(s.rows, r.row(sign*k/2, 0))
	}
	if !s.finite(before, c.Bodies...) {
		return fault.Errorf("linear: %w", s.mech.AtConstraint(s.mech.NumJoints()+i, -1, ErrNotFinite))
	}
	return nil
}

// fillGeneral adds the geometric stiffness of a reaction as a 12×12 pair of both bodies, column by column from reaction.changeTo.
func (s *System) fillGeneral(r *reaction) {
	p := pair{body: r.Body, joint: int32(r.number)}
	var u, df [12]float64
	for c := range u {
		if r.Body[c/6] < 0 {
			continue
		}
		u = [12]float64{}
		u[c] = 1
		r.changeTo(&df, &u)
		for a, x := range df {
			p.K[12*a+c] = -x
		}
	}
	s.pairs = append(s.pairs, p)
}

// fillPinned adds the geometric stiffness of the reaction of a joint whose frames share one point and
// rotate at most about one axis z relative to each other, or of a spherical joint without moments.
//
// δλ takes up each change of the reaction that the joint's rows can make: all changes of the force, and all changes of the moment N
// except the component along z, z·(φ×N) = (N×z)·φ. N×z is normal to z, and both bodies have the same rotation about such an axis. So φ may
// be the rotation of the body itself, and the stiffness has blocks of single bodies only.
func (s *System) fillPinned(r *reaction) {
	force := r.Unit.Linear()
	s.addArmStiffness(r.Body[1], r.Arm[1], force)
	s.addArmStiffness(r.Body[0], r.Arm[0], force.Neg())
	if r.joint.Kind != joints.Revolute {
		return
	}
	z := r.at.EP.Col(2)
	w := r.Unit.Moment().Cross(z)
	for e, sign := range [2]float64{-1, 1} {
		if b := r.Body[e]; b >= 0 {
			for i := range 3 {
				for k := range 3 {
					s.stiff[b][6*i+k] -= sign * z[i] * w[k]
				}
			}
		}
	}
}

// fillDistance adds a distance joint: a link with the constant tension −λ.
func (s *System) fillDistance(j int, jk *mechanism.JointKinematics) {
	l := s.distanceLink(j, jk)
	l.tension = s.x[s.plan.Layout().Pattern.Off[s.plan.Layout().JointNode(j)]]
	s.fillLink(&l)
}

// distanceLink returns a link with the bodies, arms and line of distance joint j, and without a tension.
func (s *System) distanceLink(j int, jk *mechanism.JointKinematics) link {
	jt := &s.mech.Joints[j]
	l := link{body: [2]int32{jt.Pred, jt.Succ}, line: jk.R}
	if jt.Pred >= 0 {
		l.arm[0] = jk.ArmP.Sub(s.y.Kin.Bodies[jt.Pred].Com)
	}
	if jt.Succ >= 0 {
		l.arm[1] = jk.ArmS.Sub(s.y.Kin.Bodies[jt.Succ].Com)
	}
	return l
}
