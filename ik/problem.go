package ik

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/tree"
)

// Problem is a task on a mechanism: names are numbers, rows are counted, limits are merged with those of the
// model. It is immutable, so any number of goroutines may make solvers of it.
type Problem struct {
	moving bool // the model has motions that move
	plan   *kkt.Plan
	task   *Task
	driven []mechanism.Freedom // n
	held   []mechanism.Freedom
	// following are freedoms that the task drives, but that follow from the driven ones: more are driven than the
	// mechanism moves (drive).
	following []mechanism.Freedom
	ignored   [][2]float64 // their limits

	tree    *tree.Plan // nil if there are loops, or something is passive
	driving *driving   // nil if it has not been needed
	lower   []float64  // n; −Inf: none
	upper   []float64  // n; +Inf: none
	rate    []float64  // n; +Inf: none
	angle   []bool     // n: the freedom is an angle
	targets []target
	m       int     // rows with a weight, of all targets in their order
	levels  int     // number of distinct priorities; targets are numbered 0 … levels−1 by rank of their priority
	length  float64 // that makes angles into lengths, m
	rest    []rest  // of the posture
}

// rest is a coordinate that a driven freedom should go back to.
type rest struct {
	driven int
	value  float64 // rad or m
}

// lengthTol and angleTol are the default tolerances of targets: of
// lengths relative to the typical length of the mechanism.
const lengthTol, angleTol = 1e-9, 1e-9

// NewProblem finds the names of a task in the mechanism of a plan, checks every rule of rung-ik/1 and sets defaults. By
// default all scalar freedoms that are not prescribed are driven. The length that makes angles comparable with lengths is
// the typical length of the mechanism (mechanism.Mechanism.TypicalLength). Tolerances are 1e-9 of this length, and
// 1e-9 rad. The task is kept and must not change.
//
// Cost: O(bodies + joints + task).
// It returns *model.Problems with all rules that are broken, each with its place in a document of rung-ik/1.
// It panics if plan or task is nil.
func NewProblem(plan *kkt.Plan, task *Task) (*Problem, error) {
	if plan == nil || task == nil {
		panic("ik: no plan or no task")
	}
	p := &Problem{plan: plan, task: task, moving: moves(plan.Mechanism())}
	c := newChecker(p)
	c.options(&task.Solver)
	if p.length = task.Solver.Length; !(p.length > 0) {
		p.length = c.scale
	}
	p.driven = c.drivenFreedoms(task.Driven)
	p.held = c.heldFreedoms(task.Hold)
	c.limits(task.Limits)
	for i := range task.Targets {
		c.target(i, &task.Targets[i])
	}
	c.posture(task.Posture)
	c.path(task.Path)
	p.setRows()
	c.fik(task.FIK)
	if err := task.problems(&c.faults); err != nil {
		return nil, err
	}
	if err := p.findEngine(); err != nil {
		return nil, err
	}
	return p, nil
}

// findEngine prepares the engine of the task: a tree if the mechanism is one whose freedoms are all driven, held or
// prescribed, else the driven system. The sparse method needs no driven set.
func (p *Problem) findEngine() error {
	o := &p.task.Solver
	if p.sparse(o) {
		return nil
	}
	var passive []string
	p.tree, passive = p.newTree()
	if passive != nil && !o.Passive {
		return &UnderdrivenError{Motions: passive}
	}
	if o.Engine == TreeEngine && p.tree == nil {
		return errNoTree
	}
	if p.tree != nil && o.Engine != DrivenEngine {
		return nil
	}
	var err error
	p.driving, err = p.drive()
	return err
}

// errNoTree refuses the engine on trees.
var errNoTree = fmt.Errorf("%w: the engine tree is for mechanisms without loops and passive freedoms", ErrEngine)

// newEngine allocates the engine that o asks for.
//
// It returns an error if the problem has been made for another one that drives other freedoms.
func (p *Problem) newEngine(o Options) (engine, error) {
	switch {
	case o.Engine == TreeEngine && p.tree == nil:
		return nil, errNoTree
	case p.tree != nil && o.Engine != DrivenEngine:
		return newTreeEngine(p, p.tree), nil
	case p.driving != nil:
		return newDrivenEngine(p, p.driving), nil
	}
	q := *p
	d, err := q.drive()
	switch {
	case err != nil:
		return nil, err
	case len(q.driven) < len(p.driven):
		return nil, fmt.Errorf("%w: the problem has been made for the sparse engine, %d of its driven freedoms would follow", ErrEngine, len(q.following))
	}
	return newDrivenEngine(p, d), nil
}

// Following returns the freedoms that the task drives although they follow from the others: the mechanism moves in fewer
// ways than freedoms are driven, and Driven is an independent set of them.
func (p *Problem) Following() []mechanism.Freedom { return slices.Clone(p.following) }

// Plan returns the plan of the mechanism.
func (p *Problem) Plan() *kkt.Plan { return p.plan }

// Dims returns the number of rows with a weight, m, and that of the driven freedoms, n.
func (p *Problem) Dims() (m, n int) { return p.m, len(p.driven) }

// Driven returns the driven freedoms in the order of their coordinates.
func (p *Problem) Driven() []mechanism.Freedom { return slices.Clone(p.driven) }

// DrivenName returns the name of driven freedom i, as JOINT, or JOINT.i where the joint has several freedoms.
//
// It panics if i is out of range.
func (p *Problem) DrivenName(i int) string { return freedomName(p.plan.Mechanism(), p.driven[i]) }

// Bounds returns the limits of the coordinate of driven freedom i, rad or m, and its largest rate, rad/s or m/s. They are
// those of the task, or else of the model; infinite if there are none.
//
// It panics if i is out of range.
func (p *Problem) Bounds(i int) (lower, upper, rate float64) {
	return p.lower[i], p.upper[i], p.rate[i]
}

// setRows numbers rows and levels of the targets.
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

// setWeights lists the rows of t that have a weight.
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

// isAngle reports whether a row of the joint of t is an angle. The rows of a composite joint count as lengths, and so its
// freedom is asked, not the row.
func (t *target) isAngle(row int) bool {
	switch t.Type {
	case Com:
		return false
	case Coordinate:
		return t.joint.Kind.Rotational(t.freedom.Freedom)
	}
	return t.joint.Angles>>row&1 != 0
}

// newTarget returns the target T with the numbers of its bodies, wanted where T says.
func newTarget(T *Target, m *mechanism.Mechanism, relative, body int32, f mechanism.Freedom, bodies []int32, scale float64) target {
	t := target{Target: T, freedom: f, bodies: bodies, tolerance: T.Tolerance}
	t.want = want{position: T.Position, orientation: unitQuat(T.Orientation), value: T.Value}
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

// boundless are limits that do not bound.
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

// winds reports whether a scalar freedom is an angle whose turns a pose does not tell.
func winds(m *mechanism.Mechanism, f mechanism.Freedom) bool {
	return m.Joints[f.Joint].Winds(f.Freedom)
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

// off returns what is missing of a target with the weighted errors e, m and rad.
func (t *target) off(e []float64) (linear, angular float64) {
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
