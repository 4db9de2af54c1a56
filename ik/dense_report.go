package ik

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// rankTol is the size of a singular value, relative to the largest, at which it counts as zero.
const rankTol = 1e-10

func (s *denseMethod) levels() int            { return len(s.list) }
func (s *denseMethod) status(l int) Status    { return s.list[l].status }
func (s *denseMethod) coordinates() []float64 { return s.q }

func (s *denseMethod) errorsOf(i int) []float64 { return s.e[s.place[i]:] }

// pulls reports whether target i contradicts others of its level, and the level is Conflicting.
func (s *denseMethod) pulls(i int) bool {
	return s.contrary[i] && s.list[s.p.targets[i].level].status == Conflicting
}

// side returns −1 if driven freedom i is at its lower limit, 1 at its upper limit, else 0. It compares exactly, as steps end exactly on
// limits.
func (s *denseMethod) side(i int) int8 {
	switch s.q[i] {
	case s.p.lower[i]:
		return -1
	case s.p.upper[i]:
		return 1
	}
	return 0
}

// reportTo fills in singular values, rank and manipulability, and the filter. Where the singular values cannot be found, there are none,
// rank and null motions are NotComputed, and the manipulability is NaN.
func (s *denseMethod) reportTo(r *Result) {
	n, m := len(s.q), s.p.m
	r.Rank, r.Manipulability, r.Filter = 0, 1, s.designed
	for k := range s.rawJ {
		s.rawJ[k] = s.J[k] / s.size[k%n]
	}
	if r.SingularValues = r.SingularValues[:min(m, n)]; !s.spectrum.Factor(s.rawJ, m) {
		r.SingularValues, r.Rank, r.NullMotions, r.Manipulability = r.SingularValues[:0], NotComputed, NotComputed, math.NaN()
		return
	}
	copy(r.SingularValues, s.spectrum.Values(m))
	for _, sigma := range r.SingularValues {
		r.Manipulability *= sigma
		if sigma > rankTol*r.SingularValues[0] {
			r.Rank++
		}
	}
	if m > n { // det 𝒥𝒥ᵀ is zero
		r.Manipulability = 0
	}
	r.NullMotions = n - r.Rank
}

func (s *denseMethod) violation(r *Result, st *mechanism.State) { s.p.reportState(r, s.kin, st) }

// reportState fills in how well the joints are closed at st, and the coordinates of the following freedoms. k is memory.
func (p *Problem) reportState(r *Result, k *mechanism.Kinematics, st *mechanism.State) {
	m := p.plan.Mechanism()
	if m.KinematicsTo(k, st) != nil {
		r.ClosingError = math.NaN()
		return
	}
	r.ClosingError = 0
	for j := range m.Joints {
		v := m.ViolationOf(j, k, st)
		r.ClosingError = max(r.ClosingError, v.Length/p.length, v.Angle)
	}
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	for i, f := range p.following {
		m.JointTo(&jk, f.Joint, k, st)
		m.CoordinatesTo(&q, &qd, f.Joint, &jk, st)
		d, limit := &r.Following[i], p.ignored[i]
		if d.Value, d.Rate, d.Limit = q[f.Freedom], qd[f.Freedom], 0; d.Value <= limit[0] {
			d.Limit = -1
		} else if d.Value >= limit[1] {
			d.Limit = 1
		}
	}
}
