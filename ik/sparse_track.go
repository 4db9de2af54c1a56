package ik

import (
	"context"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// trackWhole is Track by the sparse method. All targets are met at every sample, starting from the
// pose of the sample before: as far as the largest rates allow or, with Path.Stretch, in the time
// that these rates need. The rates of a sample are the least ones, in the metric, with which the
// targets have their rates of the path; limits do not count for them. There are no restarts, as
// they would leave the path.
func (s *Solver) trackWhole(ctx context.Context, st *mechanism.State, each func(t float64, st *mechanism.State, r *Result) error) error {
	path := s.p.task.Path
	if !path.Exact {
		return fmt.Errorf("%w: the method %v follows paths with the option exact", ErrEngine, Sparse)
	}
	w, c, n := s.whole, s.p.newCourse(), len(s.p.driven)
	raw, rates := make([]float64, s.p.m), make([][7]float64, len(c.ways))
	from, low, high := make([]float64, n), make([]float64, n), make([]float64, n)
	start := w.start
	w.start = nil
	defer func() {
		w.start, w.low, w.high, w.onPath = start, s.p.lower, s.p.upper, false
		for i := range s.p.targets {
			w.aim(i, s.p.targets[i].want)
		}
	}()
	span := c.times[len(c.times)-1] - c.times[0]
	samples := max(1, int(math.Ceil(span/c.step-1e-9)))
	dt, late := span/float64(samples), 0.0 // of the motion after the path, by stretching
	var trail trail
	trail.begin(s.p.plan.Mechanism(), st)
	for k := range samples + 1 {
		st.Time = c.at(k, samples)
		w.follow(c, raw, rates, st.Time)
		w.low, w.high, w.onPath = s.p.lower, s.p.upper, k > 0
		if k > 0 && !path.Stretch {
			for i, q := range from {
				low[i], high[i] = max(s.p.lower[i], q-s.p.rate[i]*dt), min(s.p.upper[i], q+s.p.rate[i]*dt)
			}
			w.low, w.high = low, high
		}
		if err := w.reach(ctx, st, &s.result); err != nil {
			return err
		}
		if k > 0 && path.Stretch {
			late += s.p.slowest(dt, func(i int) float64 { return (w.q[i] - from[i]) / dt }) - dt
		}
		copy(from, w.q)
		if err := w.rates(c, raw, rates, st, &s.result); err != nil {
			return err
		}
		if path.Stretch {
			slower(st, &s.result, dt/s.p.slowest(dt, func(i int) float64 { return s.result.Driven[i].Rate }))
		}
		at := st.Time
		st.Time += late
		trail.follow(s.p, st, w.q)
		err := each(st.Time, st, &s.result)
		if st.Time = at; err != nil {
			return err
		}
		if _, err := s.verdictOf(); err != nil {
			return err
		}
	}
	st.Time += late
	return nil
}

// slowest returns the time in which no driven freedom is faster than it may be, if at the given rates dt is the time.
func (p *Problem) slowest(dt float64, rate func(i int) float64) float64 {
	took := dt
	for i, most := range p.rate {
		took = max(took, dt*math.Abs(rate(i))/most)
	}
	return took
}

// slower multiplies all rates by h.
func slower(st *mechanism.State, r *Result, h float64) {
	for i := range st.Bodies {
		b := &st.Bodies[i]
		b.Velocity, b.Omega = b.Velocity.Scale(h), b.Omega.Scale(h)
	}
	for i := range r.Driven {
		r.Driven[i].Rate *= h
	}
}

// follow aims the targets at the time t of a course, and stores the weighted rates of their rows, but for those that
// depend on the pose, and by way the rates of its place.
func (s *sparseSolver) follow(c *course, raw []float64, rates [][7]float64, t float64) {
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
		rate := &rates[i]
		v.wantTo(&w, rate, t)
		s.aim(v.target, w)
		for k := range g.n {
			raw[g.first+k] = g.rateOf(k, rate)
		}
	}
}

// turn puts into raw the rates that depend on the pose, at the pose of the last linearization.
func (s *sparseSolver) turn(c *course, raw []float64, rates [][7]float64) {
	for i := range c.ways {
		if v := &c.ways[i]; v.posed {
			s.p.targets[v.target].poseRatesTo(raw, &rates[i], s.sys.sight[v.target])
		}
	}
}

// rates gives the bodies of st, where the last reach has ended, the least velocities with which the rows of the targets
// have the rates of follow, and r those of the driven freedoms.
func (s *sparseSolver) rates(c *course, raw []float64, rates [][7]float64, st *mechanism.State, r *Result) error {
	if err := s.sys.linearize(s.st); err != nil {
		return err
	}
	s.turn(c, raw, rates)
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

// setRates makes the rows of all targets hard with the rates raw, those of limits and of the posture absent, and gives
// the rows of the joints the rates of their motions.
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
		out := s.sys.constraintRows(s.sys.B, j)
		clear(out)
		if jt.Motion != nil {
			s.mech.JointTo(&jk, j, s.sys.y.Kin, s.st)
			if jt.EvalTo(&rows, &jk.Frames, s.st.Time) == nil {
				copy(out, rows.Sigma[:len(out)])
			}
		}
	}
	for i := range s.mech.Couplings {
		clear(s.sys.constraintRows(s.sys.B, s.mech.NumJoints()+i))
	}
}
