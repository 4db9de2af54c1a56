package mechanism

import (
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// Geared returns the joints with armature. The list is not to be changed.
func (m *Mechanism) Geared() []int32 { return m.geared }

// setGeared lists the joints with armature.
func (m *Mechanism) setGeared() {
	m.geared = nil
	for j := range m.Joints {
		if m.Joints[j].Armature != nil {
			m.geared = append(m.geared, int32(j))
		}
	}
}

// SecondRatesTo stores in qdd the second derivatives q̈ of the freedoms of joint j for the accelerations a of the bodies:
// six numbers each, ω̇ and the acceleration of the centre of mass, world axes. Entries beyond Kind.Freedoms are zero.
//
// Cost: O(1), no allocation; k was computed at s. It returns the errors of joints.Spec.EvalTo.
func (m *Mechanism) SecondRatesTo(qdd *[6]float64, j int, a []float64, k *Kinematics, s *State) error {
	jt := &m.Joints[j]
	var jk JointKinematics
	var rows joints.Rows
	m.JointTo(&jk, j, k, s)
	*qdd = [6]float64{}
	if err := jt.EvalTo(&rows, &jk.Frames, s.Time); err != nil {
		return err
	}
	// The apparent derivative of V̂, theory.md (7): the terms of the rotation of P are subtracted.
	turn := jk.OmegaS.Cross(jk.OmegaP)
	slide := jk.OmegaP.Cross(rows.Slip).Scale(-2)
	if i := jt.Succ; i >= 0 {
		alpha, arm := spatial.Vec3(a[6*i:6*i+3]), jk.ArmS.Sub(k.Bodies[i].Com)
		turn = turn.Add(alpha)
		slide = slide.Add(spatial.Vec3(a[6*i+3 : 6*i+6])).Add(alpha.Cross(arm)).Add(jk.OmegaS.Cross(jk.OmegaS.Cross(arm)))
	}
	if i := jt.Pred; i >= 0 {
		alpha, arm := spatial.Vec3(a[6*i:6*i+3]), jk.ArmP.Add(rows.Arm).Sub(k.Bodies[i].Com)
		turn = turn.Sub(alpha)
		slide = slide.Sub(spatial.Vec3(a[6*i+3 : 6*i+6])).Sub(alpha.Cross(arm)).Sub(jk.OmegaP.Cross(jk.OmegaP.Cross(arm)))
	}
	v := spatial.NewMotion(turn, slide)
	jt.SecondRatesTo(qdd, &jk.Frames, &v)
	return nil
}

// AddFreedomForcesTo adds to f the wrenches of the generalized forces tau of the freedoms of joint j. f has one wrench for each body,
// about its centre of mass, world axes.
//
// Cost: O(1), no allocation; k was computed at s.
func (m *Mechanism) AddFreedomForcesTo(f []spatial.Force, j int, tau *[6]float64, k *Kinematics, s *State) {
	var jk JointKinematics
	var w spatial.Force
	m.JointTo(&jk, j, k, s)
	m.Joints[j].WrenchTo(&w, tau, &jk.Frames)
	m.addJointWrench(f, j, &jk, &w, k)
}
