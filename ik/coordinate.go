package ik

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// winds reports whether a scalar freedom is an angle whose turns a pose does not tell.
func winds(m *mechanism.Mechanism, f mechanism.Freedom) bool {
	return m.Joints[f.Joint].Winds(f.Freedom)
}

// coordinate returns the coordinate of a freedom, an angle in (−π, π] plus the turns of the model.
func coordinate(m *mechanism.Mechanism, f mechanism.Freedom, k *mechanism.Kinematics, st *mechanism.State) float64 {
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	m.JointTo(&jk, f.Joint, k, st)
	m.Joints[f.Joint].CoordinatesTo(&q, &qd, &jk)
	return q[f.Freedom]
}

// carried returns the coordinate x of a freedom, which the pose of st tells, with the whole turns that st carries: states of runs
// and of paths carry all angles (mechanism.Mechanism.CarryAngles).
func (p *Problem) carried(f mechanism.Freedom, x float64, st *mechanism.State) float64 {
	m := p.plan.Mechanism()
	if at := m.AnglePlace(f); at >= 0 && at < len(st.Angles) && winds(m, f) {
		return algebra.NearTurn(x, st.Angles[at])
	}
	return x
}

// winding follows the coordinate of a target that counts turns.
type winding struct {
	target      int
	driven      int     // number of the freedom, −1 if it is passive
	at, tryAt   float64 // its coordinate with all turns at the state, and at the one on trial, rad or m
	coordinated mechanism.Freedom
}

// link returns the link that hangs on a joint of the tree.
func link(plan *tree.Plan, joint int) *tree.Link {
	jt := &plan.Mechanism().Joints[joint]
	for _, b := range [2]int32{jt.Succ, jt.Pred} {
		if b >= 0 && int(plan.Links[plan.LinkOf[b]].Joint) == joint {
			return &plan.Links[plan.LinkOf[b]]
		}
	}
	panic("ik: joint is not in the tree")
}
