package ik

import (
	"cmp"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Exact has the errors of the targets of a problem at one state, as Solver.ErrorsTo has them, and how they change with the
// mechanism to first order, wherever the targets are. It belongs to one goroutine.
type Exact struct {
	p      *Problem
	list   []target
	see    []*targetRows
	kin    *mechanism.Kinematics
	bodies []mechanism.BodyState
	at     bool // the last At has found a state
}

// Change is how a mechanism changes, to first order: a unit of what is varied.
type Change struct {
	// Moves has six numbers a body: the rotation, rad, and the travel of its centre of mass, m, world axes. What Com moves comes beyond that.
	Moves []float64
	// Coordinates are by joint the changes of its coordinates, with its frames in the bodies, rad or m.
	Coordinates [][6]float64
	Com         []spatial.Vec3 // by body, in its frame, m; nil: they stay
	Mass        []float64      // by body, kg; nil: they stay
}

// NewExact allocates what has the errors of p.
//
// Cost: O(bodies + targets).
func (p *Problem) NewExact() *Exact {
	m := p.plan.Mechanism()
	e := &Exact{p: p, list: make([]target, len(p.targets)), kin: m.NewKinematics()}
	e.bodies = make([]mechanism.BodyState, m.NumBodies())
	copy(e.list, p.targets)
	for i := range e.list {
		t := &e.list[i]
		t.uneven = t.Type == Orientation || t.Type == PoseTarget || t.Type == Axis // their rows are then derivatives of errors of any size
		e.see = append(e.see, t.newTargetRows())
	}
	return e
}

// At computes the errors at a state, which e does not keep.
//
// Cost: O(bodies + targets), no allocation. It returns the errors of mechanism.Mechanism.KinematicsTo; e is then at no state. It panics
// if st is of another mechanism.
func (e *Exact) At(st *mechanism.State) error {
	m := e.p.plan.Mechanism()
	if !m.Owns(st) {
		panic("mechanism" + fault.ForeignState)
	}
	e.at = false
	if err := m.KinematicsTo(e.kin, st); err != nil {
		return fault.Errorf("ik: %w", err)
	}
	copy(e.bodies, st.Bodies)
	for i := range e.list {
		t := &e.list[i]
		if t.Type == Coordinate {
			e.see[i].wound, _ = m.Coordinate(t.freedom, st)
		}
		t.evaluateTo(e.see[i], m, e.kin, st)
	}
	e.at = true
	return nil
}

// ErrorsTo stores the errors of the rows, "wanted minus is", weighted as those of Solver.JacobianTo.
//
// It panics on a length mismatch, or before At.
func (e *Exact) ErrorsTo(dst []float64) {
	e.must(dst)
	for i := range e.list {
		t := &e.list[i]
		copy(dst[t.first:t.first+t.n], e.see[i].e[:])
	}
}

// AlongTo stores how the errors of the rows change along c.
//
// Cost: O(targets), no allocation. It panics on a length mismatch, or before At.
func (e *Exact) AlongTo(dst []float64, c *Change) {
	e.must(dst)
	if m := e.p.plan.Mechanism(); len(c.Moves) != 6*m.NumBodies() || len(c.Coordinates) != m.NumJoints() {
		panic("ik: length mismatch")
	}
	for i := range e.list {
		t, s := &e.list[i], e.see[i]
		for k := range t.n {
			if x := &dst[t.first+k]; t.Type == Coordinate {
				*x = -t.weight[k] * c.Coordinates[t.freedom.Joint][t.freedom.Freedom]
			} else {
				*x = -s.rateOf(k, c.Moves)
			}
		}
		if t.Type == Com {
			e.balance(dst[t.first:], t, c)
		}
	}
}

// balance adds how the errors of a centre of mass change with masses and centres of mass of bodies.
func (e *Exact) balance(dst []float64, t *target, c *Change) {
	m := e.p.plan.Mechanism()
	var moved, middle spatial.Vec3
	total := 0.0
	first := e.place(t.bodies[0])
	for i, b := range t.bodies {
		p := e.place(b).Sub(first)
		spatial.AddScaledTo(&middle, &middle, t.share[i], &p)
		total += m.Bodies[b].Mass
	}
	for i, b := range t.bodies {
		if c.Com != nil {
			p := e.kin.Bodies[b].E.MulVec(c.Com[b])
			spatial.AddScaledTo(&moved, &moved, t.share[i], &p)
		}
		if c.Mass != nil {
			p := e.place(b).Sub(first).Sub(middle)
			spatial.AddScaledTo(&moved, &moved, c.Mass[b]/total, &p)
		}
	}
	if r := t.joint.Pred; r >= 0 {
		moved = e.kin.Bodies[r].E.TMulVec(moved)
	}
	for k := range t.n {
		dst[k] -= t.weight[k] * moved[t.row[k]]
	}
}

// place returns where the centre of mass of a body is.
func (e *Exact) place(body int32) spatial.Vec3 {
	return e.bodies[body].Position.Add(e.kin.Bodies[body].Com)
}

// must panics unless a state is there and dst has a place for each row.
func (e *Exact) must(dst []float64) {
	if !e.at {
		panic("ik: no state: call At first")
	}
	if len(dst) != e.p.m {
		panic("ik: length mismatch")
	}
}

// Level is what targets of one priority ask for.
type Level struct {
	Targets []string  // by row
	Rows    []int     // of the problem, as Solver.JacobianTo numbers them
	Units   []float64 // by row: the error of 1 rad, or of the length of the problem, with the weight in it
	Reached bool      // all its targets are within their tolerances
}

// Levels returns the levels, the first one first, and which are reached at the state.
//
// Cost: O(targets); allocates. It panics before At.
func (e *Exact) Levels() []Level {
	list := make([]Level, e.p.levels)
	for l := range list {
		list[l].Reached = true
	}
	for i := range e.list {
		t := &e.list[i]
		l := &list[t.level]
		linear, angular := t.missingOf(e.see[i].e[:])
		l.Reached = l.Reached && linear <= t.tolerance[0] && angular <= t.tolerance[1]
		for k := range t.n {
			unit := t.weight[k]
			if !t.angular[k] {
				unit *= e.p.length
			}
			l.Rows, l.Targets, l.Units = append(l.Rows, t.first+k), append(l.Targets, t.Name), append(l.Units, unit)
		}
	}
	return list
}

// Rest is where a driven freedom should go back to, by the posture.
type Rest struct {
	Driven int     // its number in Problem.Driven
	Value  float64 // rad or m
}

// Rests returns the coordinates of the posture, in the order of Driven.
func (p *Problem) Rests() []Rest {
	var list []Rest
	for _, r := range p.rest {
		list = append(list, Rest{r.driven, r.value})
	}
	slices.SortFunc(list, func(a, b Rest) int { return cmp.Compare(a.Driven, b.Driven) })
	return list
}

// Held returns the held freedoms.
func (p *Problem) Held() []mechanism.Freedom { return append([]mechanism.Freedom(nil), p.held...) }

// Length returns what makes angles into lengths, m: the typical length of the mechanism, or Options.Length of the task.
func (p *Problem) Length() float64 { return p.length }

// Task returns the task. It is not to be changed.
func (p *Problem) Task() *Task { return p.task }
