package ik

import (
	"math"
	"time"

	"github.com/rung-mbd/rung/mechanism"
)

// rankTol is the part of the largest singular value below which one counts as zero.
const rankTol = 1e-10

// report fills the result at the last place.
func (s *Solver) report(begin time.Time, st *mechanism.State) {
	r := &s.result
	r.Status = Reached
	r.Conflicts = r.Conflicts[:0]
	for l := range s.levels {
		v := &s.levels[l]
		s.reportTargets(v)
		if v.status != Reached && r.Status == Reached {
			r.Status = v.status
		}
	}
	s.reportDriven()
	s.reportSpectrum()
	s.p.reportState(r, s.kin, st)
	r.Elapsed = time.Since(begin)
}

// reportDriven fills the results of the driven freedoms.
func (s *Solver) reportDriven() {
	for i := range s.result.Driven {
		d := &s.result.Driven[i]
		if d.Value, d.Limit = s.q[i], 0; d.Value == s.p.lower[i] {
			d.Limit = -1
		} else if d.Value == s.p.upper[i] {
			d.Limit = 1
		}
	}
}

// reportTargets fills the results of the targets of a level.
func (s *Solver) reportTargets(v *level) {
	at := v.first
	for _, t := range v.targets {
		g, out := &s.p.targets[t], &s.result.Targets[t]
		out.Name, out.Priority = g.Name, g.Priority
		out.Linear, out.Angular = g.off(s.e[at:])
		out.Reached = out.Linear <= g.tolerance[0] && out.Angular <= g.tolerance[1]
		for i := range g.n {
			if v.status == Conflicting && s.contrary[t] {
				s.result.Conflicts = append(s.result.Conflicts, Conflict{Target: g.Name, Row: int(g.own[i]), Residual: s.e[at+i] / g.weight[i]})
			}
		}
		at += g.n
	}
}

// reportSpectrum fills what the singular values say.
func (s *Solver) reportSpectrum() {
	r, n, m := &s.result, len(s.q), s.p.m
	r.Rank, r.Manipulability = 0, 1
	for k := range s.rawJ {
		s.rawJ[k] = s.J[k] / s.size[k%n]
	}
	if s.spectrum.Factor(s.rawJ, m) {
		copy(r.SingularValues, s.spectrum.Values(m))
	} else {
		clear(r.SingularValues)
	}
	for _, sigma := range r.SingularValues {
		r.Manipulability *= sigma
		if sigma > rankTol*r.SingularValues[0] {
			r.Rank++
		}
	}
	if m > n {
		r.Manipulability = 0
	}
	r.NullMotions = n - r.Rank
}

// worst returns the target that is farthest from its tolerance.
func (s *Solver) worst() Unreached {
	u := Unreached{Status: s.result.Status, Unit: "m"}
	most := 0.0
	for t := range s.result.Targets {
		r, tol := &s.result.Targets[t], s.p.targets[t].tolerance
		if x := r.Linear / tol[0]; !r.Reached && !(x <= most) {
			most, u.Target, u.Off, u.Unit = x, r.Name, r.Linear, "m"
		}
		if x := r.Angular / tol[1]; !r.Reached && !(x <= most) {
			most, u.Target, u.Off, u.Unit = x, r.Name, r.Angular, "rad"
		}
	}
	return u
}

// reportState fills what the state tells: how well the joints are
// closed, and where the following freedoms are. k is memory.
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
