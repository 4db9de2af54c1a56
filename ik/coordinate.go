package ik

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// winds reports whether a scalar freedom is an angle that a pose gives only up to whole turns.
func winds(m *mechanism.Mechanism, f mechanism.Freedom) bool {
	return m.Joints[f.Joint].Winds(f.Freedom)
}

// coordinate returns the coordinate of a freedom at st, with k the kinematics there: a length, or an angle in (−π, π] plus the turns of
// the model, m or rad.
func coordinate(m *mechanism.Mechanism, f mechanism.Freedom, k *mechanism.Kinematics, st *mechanism.State) float64 {
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	m.JointTo(&jk, f.Joint, k, st)
	m.Joints[f.Joint].CoordinatesTo(&q, &qd, &jk)
	return q[f.Freedom]
}

// carried adds to x, the coordinate of freedom f by the pose of st, the whole turns that st carries for it. States of runs and of paths
// carry all angles (mechanism.Mechanism.CarryAngles).
func (p *Problem) carried(f mechanism.Freedom, x float64, st *mechanism.State) float64 {
	m := p.plan.Mechanism()
	if at := m.AnglePlace(f); at >= 0 && at < len(st.Angles) && winds(m, f) {
		return algebra.NearTurn(x, st.Angles[at])
	}
	return x
}

// winding is the coordinate of a target of type Coordinate, followed over whole turns.
type winding struct {
	target      int
	driven      int               // number of the driven freedom, −1 if it is passive
	at, tryAt   float64           // coordinate with all turns at the state and at the state on trial, rad or m
	coordinated mechanism.Freedom // of the target
}

// link returns the link that a joint of the tree connects to its parent. It panics if the joint is not in the tree.
func link(plan *tree.Plan, joint int) *tree.Link {
	jt := &plan.Mechanism().Joints[joint]
	for _, b := range [2]int32{jt.Succ, jt.Pred} {
		if b >= 0 && int(plan.Links[plan.LinkOf[b]].Joint) == joint {
			return &plan.Links[plan.LinkOf[b]]
		}
	}
	panic("ik: joint is not in the tree")
}
