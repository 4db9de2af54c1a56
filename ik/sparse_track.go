package ik

import (
	"context"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// trackWhole is Track by the sparse method: all targets are met at every sample, from the pose of the sample before. Rates are the
// least, in the metric, with which the targets go on as they should; limits do not count for them.
func (s *Solver) trackWhole(ctx context.Context, st *mechanism.State, each func(t float64, st *mechanism.State, r *Result) error) error {
	path := s.p.task.Path
	if !path.Exact || path.Stretch {
		return fmt.Errorf("%w: the method %v follows paths exactly, in their own time", ErrEngine, Sparse)
	}
	c := s.p.newCourse()
	raw := make([]float64, s.p.m)
	defer func() {
		for i := range s.p.targets {
			s.whole.aim(i, s.p.targets[i].want)
		}
	}()
	span := c.times[len(c.times)-1] - c.times[0]
	samples := max(1, int(math.Ceil(span/c.step-1e-9)))
	for k := range samples + 1 {
		st.Time = c.at(k, samples)
		s.whole.follow(c, raw, st.Time)
		if err := s.whole.reach(ctx, st, &s.result); err != nil {
			return err
		}
		if err := s.whole.rates(raw, st, &s.result); err != nil {
			return err
		}
		if err := each(st.Time, st, &s.result); err != nil {
			return err
		}
		if _, err := s.verdictOf(); err != nil {
			return err
		}
	}
	return nil
}

// follow aims the targets at the time t of a course, and stores the weighted rates of their rows.
func (s *sparseSolver) follow(c *course, raw []float64, t float64) {
	var rate [7]float64
	for i := range s.p.targets {
		g := &s.p.targets[i]
		for k := range g.n {
			raw[g.first+k] = 0
			if g.Rate != nil {
				raw[g.first+k] = g.weight[k] * g.Rate[g.own[k]]
			}
		}
	}
	for i := range c.ways {
		v := &c.ways[i]
		g := &s.p.targets[v.target]
		w := g.want
		v.wantTo(&w, &rate, t)
		s.aim(v.target, w)
		for k := range g.n {
			raw[g.first+k] = g.rateOf(k, &rate)
		}
	}
}

// rates gives the bodies of st, where the last reach has ended, the least velocities with which the rows of the targets have the rates raw,
// and r those of the driven freedoms.
func (s *sparseSolver) rates(raw []float64, st *mechanism.State, r *Result) error {
	if err := s.sys.linearize(s.st); err != nil {
		return err
	}
	s.setRates(raw)
	if err := s.sys.factorize(); err != nil {
		return err
	}
	s.sys.solve(0)
	for i := range st.Bodies {
		st.Bodies[i].SetComVelocity((*[6]float64)(s.sys.d[6*i:]), &s.sys.y.Kin.Bodies[i].Com)
	}
	var jk mechanism.JointKinematics
	var rate [6]float64
	for i, f := range s.p.driven {
		s.mech.JointTo(&jk, f.Joint, s.sys.y.Kin, st)
		s.mech.Joints[f.Joint].RatesTo(&rate, &jk.Frames)
		r.Driven[i].Rate = rate[f.Freedom]
	}
	return nil
}

// setRates makes the rows of all targets hard with the rates raw, those of limits and of the posture absent, and gives the rows of the joints
// the rates of their motions.
func (s *sparseSolver) setRates(raw []float64) {
	for i := range s.sys.bounds {
		s.sys.bounds[i].side = 0
	}
	copy(s.tried, s.e)
	copy(s.e, raw)
	clear(s.want)
	s.setRows(s.p.levels, 0)
	copy(s.e, s.tried)
	for i := range s.sys.rows {
		if r := &s.sys.rows[i]; r.rest >= 0 {
			s.sys.set(r, absent, 0)
			clear(s.sys.right(r))
		}
	}
	s.setBounds()
	var jk mechanism.JointKinematics
	var rows joints.Rows
	for j := range s.mech.Joints {
		jt := &s.mech.Joints[j]
		if jt.Rows == 0 {
			continue
		}
		out := s.sys.jointRows(s.sys.B, j)
		clear(out)
		if jt.Motion != nil {
			s.mech.JointTo(&jk, j, s.sys.y.Kin, s.st)
			if jt.EvalTo(&rows, &jk.Frames, s.st.Time) == nil {
				copy(out, rows.Sigma[:len(out)])
			}
		}
	}
}
