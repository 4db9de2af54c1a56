package ik

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// beginPath makes the memory of the path. It returns ErrEngine unless Path.Exact is set.
//
// At every sample the targets are met from the pose of the sample before: as far as the largest rates allow or, with Path.Stretch, in the
// time that these rates need. The rates of a sample are the least ones in the metric with which the targets have their rates of the path;
// limits do not bound them. There are no restarts, as they would leave the path.
func (s *sparseMethod) beginPath(*mechanism.State) (*course, bool, error) {
	if !s.p.task.Path.Exact {
		return nil, false, fmt.Errorf("%w: the method %v follows paths with the option exact", ErrEngine, Sparse)
	}
	c, n := s.p.newCourse(), len(s.p.driven)
	s.path = sparsePath{
		course: c, raw: make([]float64, s.p.m), ways: make([][7]float64, len(c.ways)),
		from: make([]float64, n), low: make([]float64, n), high: make([]float64, n), rate: make([]float64, n),
	}
	return c, false, nil
}

// endPath restores the limits and targets of the problem.
func (s *sparseMethod) endPath() {
	s.low, s.high, s.onPath = s.p.lower, s.p.upper, false
	for i := range s.given {
		s.aim(i, s.given[i].wanted)
	}
}

// sample moves st to where the targets of the path's time at are met. It returns the time that the section before the sample takes.
func (s *sparseMethod) sample(st *mechanism.State, at, dt float64, first bool) (float64, error) {
	t, stretch := &s.path, s.p.task.Path.Stretch
	st.Time, t.dt = at, dt
	s.follow(t.course, t.raw, t.ways, at)
	s.low, s.high, s.onPath = s.p.lower, s.p.upper, !first
	if !first && !stretch {
		for i, q := range t.from {
			t.low[i], t.high[i] = max(s.p.lower[i], q-s.p.rate[i]*dt), min(s.p.upper[i], q+s.p.rate[i]*dt)
		}
		s.low, s.high = t.low, t.high
	}
	s.allow(s.o.MaxTime)
	if err := s.load(st); err != nil {
		return 0, err
	}
	if err := s.descend(); err != nil {
		return 0, err
	}
	if err := s.end(st); err != nil {
		return 0, err
	}
	took := dt
	if !first && stretch {
		took = s.p.slowest(dt, func(i int) float64 { return (s.q[i] - t.from[i]) / dt })
	}
	copy(t.from, s.q)
	return took, nil
}

// advance does nothing: with Path.Exact a sample finds its pose itself.
func (s *sparseMethod) advance(float64) error { return nil }

// ratesTo gives the bodies of st, the state of the last sample, their rates, and returns the rates of the driven freedoms. Where time is
// stretched, all are divided by the same factor.
func (s *sparseMethod) ratesTo(st *mechanism.State) ([]float64, error) {
	t := &s.path
	if err := s.rates(t.course, t.raw, t.ways, st, t.rate); err != nil {
		return nil, err
	}
	if s.p.task.Path.Stretch {
		slower(st, t.rate, t.dt/s.p.slowest(t.dt, func(i int) float64 { return t.rate[i] }))
	}
	return t.rate, nil
}

// slowest returns the least time, from dt on, in which no driven freedom exceeds its largest rate, where rate(i) is its rate if the time is
// dt.
func (p *Problem) slowest(dt float64, rate func(i int) float64) float64 {
	took := dt
	for i, most := range p.rate {
		took = max(took, dt*math.Abs(rate(i))/most)
	}
	return took
}

// slower multiplies the velocities of the bodies and the rates of the driven freedoms by h.
func slower(st *mechanism.State, rates []float64, h float64) {
	for i := range st.Bodies {
		b := &st.Bodies[i]
		b.Velocity, b.Omega = b.Velocity.Scale(h), b.Omega.Scale(h)
	}
	for i := range rates {
		rates[i] *= h
	}
}

// follow aims the targets at their wanted places at the time t of a course. It stores in raw the wanted weighted rates of the rows, without
// the parts that depend on the pose, and in rates by way of the course the rates of its wanted place.
func (s *sparseMethod) follow(c *course, raw []float64, rates [][7]float64, t float64) {
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
		w := g.wanted
		rate := &rates[i]
		v.wantTo(&w, rate, t)
		s.aim(v.target, w)
		for k := range g.n {
			raw[g.first+k] = g.rateOf(k, rate)
		}
	}
}

// addPoseRates stores in raw the wanted rates that depend on the pose, at the pose of the last linearization.
func (s *sparseMethod) addPoseRates(c *course, raw []float64, rates [][7]float64) {
	for i := range c.ways {
		if v := &c.ways[i]; v.posed {
			s.p.targets[v.target].poseRatesTo(raw, &rates[i], s.sys.shown[v.target])
		}
	}
}

// rates gives the bodies of st, the state of the last sample, the least velocities with which the rows of the targets have the rates that
// follow has stored. It stores the rates of the driven freedoms in rate.
func (s *sparseMethod) rates(c *course, raw []float64, rates [][7]float64, st *mechanism.State, rate []float64) error {
	if err := s.sys.linearize(s.st); err != nil {
		return err
	}
	s.addPoseRates(c, raw, rates)
	s.setRates(raw)
	if err := s.sys.factorize(); err != nil {
		return err
	}
	s.sys.solve(0)
	for i := range st.Bodies {
		st.Bodies[i].SetComVelocity((*[6]float64)(s.sys.d[6*i:]), &s.sys.y.Kin.Bodies[i].Com)
	}
	var jk mechanism.JointKinematics
	var own [6]float64
	for i, f := range s.p.driven {
		s.mech.JointTo(&jk, f.Joint, s.sys.y.Kin, st)
		s.mech.Joints[f.Joint].RatesTo(&own, &jk.Frames)
		rate[i] = own[f.Freedom]
	}
	return nil
}

// setRates makes the rows of all targets hard with the rates raw as right sides, and the rows of limits and of the posture absent. The
// right sides of joints are the rates of their motions.
func (s *sparseMethod) setRates(raw []float64) {
	for i := range s.sys.bounds {
		s.sys.bounds[i].side = 0
	}
	// setRows takes its right sides from s.e, so the errors there are replaced by rates for its call.
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
	s.setJointRates()
}

// setJointRates makes the rates σ of motions, theory.md (5), the right sides of joints and couplings, in place of errors.
func (s *sparseMethod) setJointRates() {
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
