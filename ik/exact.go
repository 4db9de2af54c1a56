package ik

import (
	"cmp"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Exact computes the errors of the targets of a problem at one state, as Solver.ErrorsTo does, and their derivatives along changes of the
// mechanism, however large the errors are. It belongs to one goroutine.
type Exact struct {
	p      *Problem
	list   []target
	rows   []*targetRows
	kin    *mechanism.Kinematics
	bodies []mechanism.BodyState
	placed bool // the last At has succeeded
}

// Change is a direction in which a mechanism changes: derivatives by one parameter.
type Change struct {
	// Moves has six numbers a body: its rotation, rad, and the displacement of its centre of mass, m, in world axes. The displacement is
	// without the part that Com adds.
	Moves []float64
	// Coordinates has by joint the changes of its coordinates, rad or m, changes of its frames in the bodies included.
	Coordinates [][6]float64
	Com         []spatial.Vec3 // by body: its centre of mass in its frame, m; nil: unchanged
	Mass        []float64      // by body, kg; nil: unchanged
}

// NewExact allocates an Exact of p. It is at no state before At.
//
// Cost: O(bodies + targets).
func (p *Problem) NewExact() *Exact {
	m := p.plan.Mechanism()
	e := &Exact{p: p, list: make([]target, len(p.targets)), kin: m.NewKinematics()}
	e.bodies = make([]mechanism.BodyState, m.NumBodies())
	copy(e.list, p.targets)
	for i := range e.list {
		t := &e.list[i]
		t.uneven = t.Type == Orientation || t.Type == PoseTarget || t.Type == Axis // so rows are derivatives of errors of any size
		e.rows = append(e.rows, t.newTargetRows())
	}
	return e
}

// At computes the errors at st. It keeps no reference to st.
//
// Cost: O(bodies + targets), no allocation. It returns the errors of mechanism.Mechanism.KinematicsTo; e is then at no state. It panics
// if st is of another mechanism.
func (e *Exact) At(st *mechanism.State) error {
	m := e.p.plan.Mechanism()
	if !m.Owns(st) {
		panic("mechanism" + fault.ForeignState)
	}
	e.placed = false
	if err := m.KinematicsTo(e.kin, st); err != nil {
		return fault.Errorf("ik: %w", err)
	}
	copy(e.bodies, st.Bodies)
	for i := range e.list {
		t := &e.list[i]
		if t.Type == Coordinate {
			e.rows[i].wound, _ = m.Coordinate(t.freedom, st)
		}
		t.evaluateTo(e.rows[i], m, e.kin, st)
	}
	e.placed = true
	return nil
}

// ErrorsTo stores the errors of the rows, "wanted minus is", weighted as the rows of Solver.JacobianTo are.
//
// It panics on a length mismatch, or before At.
func (e *Exact) ErrorsTo(dst []float64) {
	e.check(dst)
	for i := range e.list {
		t := &e.list[i]
		copy(dst[t.first:t.first+t.n], e.rows[i].e[:])
	}
}

// AlongTo stores the derivatives of the errors of the rows along c.
//
// Cost: O(targets), no allocation. It panics on a length mismatch, or before At.
func (e *Exact) AlongTo(dst []float64, c *Change) {
	e.check(dst)
	if m := e.p.plan.Mechanism(); len(c.Moves) != 6*m.NumBodies() || len(c.Coordinates) != m.NumJoints() {
		panic("ik: length mismatch")
	}
	for i := range e.list {
		t, s := &e.list[i], e.rows[i]
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

// balance adds to dst the derivatives of the errors of a common centre of mass along changes of masses and centres of mass: the common
// centre moves by Σ share·δcom + Σ δmass/total·(place − middle). Places are relative to the first body's, against rounding.
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

// place returns the position of the centre of mass of a body, world axes, m.
func (e *Exact) place(body int32) spatial.Vec3 {
	return e.bodies[body].Position.Add(e.kin.Bodies[body].Com)
}

// check panics before a successful At, and unless dst has one number a row.
func (e *Exact) check(dst []float64) {
	if !e.placed {
		panic("ik: no state: call At first")
	}
	if len(dst) != e.p.m {
		panic("ik: length mismatch")
	}
}

// Level has the rows of the targets of one priority.
type Level struct {
	Targets []string  // by row
	Rows    []int     // of the problem, as Solver.JacobianTo numbers them
	Units   []float64 // by row: its weighted error, as ErrorsTo has it, for an error of 1 rad or of one length of the problem
	Reached bool      // all its targets are within their tolerances
}

// Levels returns the levels in the order of their priorities, with Reached at the state of At.
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
		linear, angular := t.missingOf(e.rows[i].e[:])
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

// Rest is the coordinate to which the posture draws a driven freedom.
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

// Length returns the length that angles are multiplied by to be compared with lengths, m: Options.Length of the task, or else the typical
// length of the mechanism.
func (p *Problem) Length() float64 { return p.length }

// Task returns the task. It is not to be changed.
func (p *Problem) Task() *Task { return p.task }
