package ik

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// Problem is a task on a mechanism: names are replaced by numbers, rows are counted, limits are merged with the limits of the model. It is
// immutable, so any number of goroutines may make solvers of it.
type Problem struct {
	moving bool // the model has prescribed motions that change with time
	plan   *kkt.Plan
	task   *Task
	driven []mechanism.Freedom // n
	held   []mechanism.Freedom
	// following are freedoms that the task drives but that depend on the driven ones, where the task drives more freedoms than the
	// mechanism has independent motions (drive).
	following []mechanism.Freedom
	ignored   [][2]float64 // by following freedom: its limits

	tree    *tree.Plan // nil if the engine on trees cannot be used
	driving *driving   // nil unless the driven engine is used
	lower   []float64  // n; −Inf: none
	upper   []float64  // n; +Inf: none
	rate    []float64  // n, largest rates; +Inf: none
	angle   []bool     // n: the freedom is an angle
	targets []target
	m       int          // number of rows with a weight, of all targets in their order
	levels  int          // number of distinct priorities; a target's level, from 0 to levels−1, is the rank of its priority
	length  float64      // angles are multiplied by it to be compared with lengths, m
	rest    []restTarget // of the posture
}

// restTarget is a coordinate that a driven freedom should go back to.
type restTarget struct {
	driven int
	value  float64 // rad or m
}

// lengthTol and angleTol are the default tolerances of targets: for lengths, relative to the typical length of the mechanism, and for
// angles, rad.
const lengthTol, angleTol = 1e-9, 1e-9

// Following returns the freedoms that the task drives although they depend on the others. There are such freedoms where the task drives
// more freedoms than the mechanism has independent motions; Driven is an independent set of them.
func (p *Problem) Following() []mechanism.Freedom { return slices.Clone(p.following) }

// Plan returns the plan of the mechanism.
func (p *Problem) Plan() *kkt.Plan { return p.plan }

// CloseContext closes the joints at st, near its pose, so that the targets can be reached from there. It ends early when ctx does.
//
// Cost: a Closer and its ClosePositions, whose errors it returns.
func (p *Problem) CloseContext(ctx context.Context, st *mechanism.State) error {
	m := p.plan.Mechanism()
	m.FollowAngles(m.NewKinematics(), st)
	return closing.NewCloser(p.plan, closing.RunOptions()).ClosePositionsContext(ctx, st)
}

// Dims returns the number of rows with a weight, m, and the number of driven freedoms, n.
func (p *Problem) Dims() (m, n int) { return p.m, len(p.driven) }

// Driven returns the driven freedoms in the order of their coordinates.
func (p *Problem) Driven() []mechanism.Freedom { return slices.Clone(p.driven) }

// DrivenName returns the name of driven freedom i, as JOINT, or JOINT.i where the joint has several freedoms.
//
// It panics if i is out of range.
func (p *Problem) DrivenName(i int) string { return freedomName(p.plan.Mechanism(), p.driven[i]) }

// Bounds returns the limits of the coordinate of driven freedom i, rad or m, and its largest rate, rad/s or m/s. Each is from the task, or
// else from the model; it is infinite if neither has one.
//
// It panics if i is out of range.
func (p *Problem) Bounds(i int) (lower, upper, rate float64) {
	return p.lower[i], p.upper[i], p.rate[i]
}

// setRows numbers the rows and the levels of the targets.
func (p *Problem) setRows() {
	var ranks []int
	for i := range p.targets {
		ranks = append(ranks, p.targets[i].Priority)
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	p.levels = len(ranks)
	for i := range p.targets {
		t := &p.targets[i]
		t.level, _ = slices.BinarySearch(ranks, t.Priority)
		t.first = p.m
		t.setWeights(p.length)
		p.m += t.n
	}
}

// setWeights lists the rows of t whose weights are not zero, and multiplies weights of angles by length. It notes whether angular rows
// have different weights, which makes t uneven.
func (t *target) setWeights(length float64) {
	traits := &targetTraits[t.Type]
	from := traits.from
	if t.Type == Coordinate {
		from = t.joint.PrescribedRow(t.freedom.Freedom)
	}
	for i := range traits.rows {
		w := 1.0
		if t.Weight != nil {
			w = t.Weight[i]
		}
		if w == 0 {
			continue
		}
		k := t.n
		t.row[k], t.own[k], t.angular[k] = int8(from+i), int8(i), t.isAngle(from+i)
		if t.angular[k] {
			w *= length
		}
		t.weight[k] = w
		t.n++
	}
	if t.Weight != nil {
		switch t.Type {
		case Orientation, PoseTarget:
			t.uneven = t.Weight[0] != t.Weight[1] || t.Weight[1] != t.Weight[2]
		case Axis:
			t.uneven = t.Weight[0] != t.Weight[1]
		}
	}
}

// isAngle reports whether a row of the joint of t is an angle. For a Coordinate it is the freedom that decides, as all rows of a composite
// joint count as lengths.
func (t *target) isAngle(row int) bool {
	switch t.Type {
	case Com:
		return false
	case Coordinate:
		return t.joint.Kind.Rotational(t.freedom.Freedom)
	}
	return t.joint.Angles>>row&1 != 0
}

// newTarget returns the target T with numbers in place of names: body relative to body relative, freedom f, or the common centre of mass of
// bodies. scale is the typical length of the mechanism, m.
func newTarget(T *Target, m *mechanism.Mechanism, relative, body int32, f mechanism.Freedom, bodies []int32, scale float64) target {
	t := target{Target: T, freedom: f, bodies: bodies, tolerance: T.Tolerance}
	t.wanted = wanted{position: T.Position, orientation: unitQuat(T.Orientation), value: T.Value}
	if T.Type == Distance {
		t.value = T.Length
	}
	if t.tolerance[0] == 0 {
		t.tolerance[0] = lengthTol * scale
	}
	if t.tolerance[1] == 0 {
		t.tolerance[1] = angleTol
	}
	total := 0.0
	for _, b := range bodies {
		total += m.Bodies[b].Mass
	}
	for _, b := range bodies {
		t.share = append(t.share, m.Bodies[b].Mass/total)
	}
	t.setJoint(m, relative, body)
	t.aim()
	return t
}

// boundless returns infinite limits of n coordinates, and infinite largest rates.
func boundless(n int) (lower, upper, rate []float64) {
	lower, upper, rate = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		lower[i], upper[i], rate[i] = math.Inf(-1), math.Inf(1), math.Inf(1)
	}
	return lower, upper, rate
}

// isAngle reports whether a scalar freedom is an angle.
func isAngle(m *mechanism.Mechanism, f mechanism.Freedom) bool {
	return m.Joints[f.Joint].Kind.Rotational(f.Freedom)
}

// outside returns the names of the driven freedoms whose coordinates q are beyond their limits.
func (p *Problem) outside(q []float64) (names []string) {
	for i, x := range q {
		if x < p.lower[i] || x > p.upper[i] {
			names = append(names, p.DrivenName(i))
		}
	}
	return names
}

// missingOf returns the size of the errors of a target without weights, m and rad. e has its weighted errors by row.
func (t *target) missingOf(e []float64) (linear, angular float64) {
	for i := range t.n {
		x := e[i] / t.weight[i]
		if t.angular[i] {
			angular += x * x
		} else {
			linear += x * x
		}
	}
	return math.Sqrt(linear), math.Sqrt(angular)
}

// unitOf returns the factor that makes driven freedom i a length: the length of the problem, m, for an angle, else 1.
func (p *Problem) unitOf(i int) float64 {
	if p.angle[i] {
		return p.length
	}
	return 1
}

// freedomName returns the name of a freedom: JOINT, or JOINT.i where the joint has several freedoms.
func freedomName(m *mechanism.Mechanism, f mechanism.Freedom) string {
	if m.Joints[f.Joint].Kind.Freedoms() == 1 {
		return m.JointName(f.Joint)
	}
	return m.JointName(f.Joint) + "." + strconv.Itoa(f.Freedom)
}
