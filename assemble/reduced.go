package assemble

import (
	"math"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// Reduced is the memory of one KKT system in mass-weighted coordinates that is reduced by the
// groups of a Groups (docs/theory.md (R2)):
//
//	⎡ 1  Wᵀ ⎤ ⎡  z ⎤   ⎡ b ⎤
//	⎣ W  0  ⎦ ⎣ −λ ⎦ = ⎣ g ⎦
//
// For a body in no group z, b and the columns of W are those of Weighted. For a group z is its freedoms,
// b = Nᵀ(C⁻¹f − c), and W·N and g − W·c take the places of W and g. It belongs to one goroutine at a time.
type Reduced struct {
	heeds

	Groups *Groups
	Matrix *sparse.Matrix        // unit diagonal blocks, not stored, and W
	Right  []float64             // right side
	Scale  []float64             // of the rows of joints, as in Weighted: the squared norms of W, not of W·N
	Parts  []float64             // by node of a joint: Σ‖c‖² of its bodies, whose terms W·c are in Right (factor.Factor.SetParts)
	Kin    *mechanism.Kinematics // without I

	bodies     []bodies.Body
	force      []spatial.Force // of drives and force elements; nil if there are none
	directions []float64       // N: by tree joint, the columns of its body one after the other, six numbers each
	particular []float64       // c: six numbers a tree joint
	squares    []float64       // ‖c‖² by tree joint
	constants  []float64       // rows of pinned loop joints on predecessors in groups, which do not depend on the state
	base       []float64       // part of Scale that does not depend on the state

	team   *team.Team
	pass   pass        // the pass that the team works on
	ends   []passEnd   // by task
	one    []groupWork // by worker
	eights []eightWork // by worker; nil if there are no eights
}

// Numbers of groups, bodies or joints, and of eights of them, in the range of one task of a team.
const (
	groupRange = 128
	eightRange = groupRange / 8
)

// rangesOf returns the number of ranges of n things.
func rangesOf(n, size int) int { return (n + size - 1) / size }

// passKind is a computation for all bodies, or for all loop joints.
type passKind uint8

const (
	statePass     passKind = iota // kinematics, and loadPass if there are no applied forces
	loadPass                      // loads, N and c, and loop joints whose groups the same task has filled
	loopPass                      // rows of the other loop joints
	errorPass                     // c for errors of rows, and right sides of loop joints whose groups the same task fills
	loopErrorPass                 // right sides of the other loop joints for errors of rows
	resultPass                    // accelerations
)

// pass is one pass, and its arguments.
type pass struct {
	kind passKind
	s    *mechanism.State
	e    []float64 // errors of rows, in the scalar order of Layout.Pattern
	a, z []float64 // accelerations, and the solution from which they are computed
}

// passEnd is the result of a task.
type passEnd struct {
	bad  int32   // first eight, group, body or loop joint that has failed, −1 if there is none
	free float64 // largest component of C⁻¹·f
}

// tasks divides a pass into tasks: first over eights, then over groups or loop joints in no eight, then over bodies in no group.
type tasks struct {
	eights, lone, single   int // numbers of eights, of groups or loop joints in none, and of bodies in no group
	firstLone, firstSingle int // first tasks of lone and single
	number                 int // number of tasks
}

// newTasks divides a pass over the given numbers into tasks.
func newTasks(eights, lone, single int) (t tasks) {
	t.eights, t.lone, t.single = eights, lone, single
	t.firstLone = rangesOf(eights, eightRange)
	t.firstSingle = t.firstLone + rangesOf(lone, groupRange)
	t.number = t.firstSingle + rangesOf(single, groupRange)
	return t
}

// tasks returns the tasks of a pass.
func (g *Groups) tasks(kind passKind) *tasks {
	if kind == loopPass || kind == loopErrorPass {
		return &g.overLoops
	}
	return &g.overGroups
}

// innerLoops returns the eights of loop joints whose groups are all filled by the given task.
func (g *Groups) innerLoops(task int) []loopEight {
	return g.eights.loops[g.eights.firstLoop[task]:g.eights.firstLoop[task+1]]
}

// outerLoops returns the eights of loop joints that are inner loops of no task.
func (g *Groups) outerLoops() []loopEight {
	return g.eights.loops[g.eights.firstLoop[len(g.eights.firstLoop)-1]:]
}

// NewReducedOn allocates a reduced system that is filled with a team. The results have the
// same bits for every team.
func (g *Groups) NewReducedOn(t *team.Team) *Reduced {
	n, m := g.Pattern.Dim(), g.Layout.Mech
	y := &Reduced{
		Groups: g, Matrix: sparse.NewUnitMatrix(g.Pattern), Right: pages.Make[float64](n), Scale: pages.Make[float64](n),
		Parts: make([]float64, g.Pattern.Len()),
		Kin:   &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, m.NumBodies())},

		bodies: m.Bodies, directions: pages.Make[float64](g.columns),
		particular: make([]float64, 6*len(g.trees)), squares: make([]float64, len(g.trees)),
		constants: pages.Make[float64](g.blocks), base: pages.Make[float64](n),

		team: t, one: make([]groupWork, t.Workers()),
		ends: make([]passEnd, max(g.overGroups.number, g.overLoops.number)),
	}
	if m.HasApplied() {
		y.force = make([]spatial.Force, m.NumBodies())
	}
	if len(g.eights.groups)+len(g.eights.loops) > 0 {
		y.eights = make([]eightWork, t.Workers())
	}
	y.fillConstants()
	return y
}

// fillConstants stores the rows of pinned loop joints on their predecessors, and the squared norms of
// these rows.
func (y *Reduced) fillConstants() {
	for i := range y.Groups.loops {
		q := &y.Groups.loops[i]
		jt := &y.Groups.Layout.Mech.Joints[q.joint]
		switch {
		case !pinned(jt) || jt.Pred < 0:
		case q.constant >= 0:
			constantRows(y.constants[q.constant:], y.base[q.row:], y.bodies, jt)
		default:
			constantRows(y.Matrix.Val[q.end[0].block:], y.base[q.row:], y.bodies, jt)
		}
	}
}

// FillTo stores in y the system (R2) at s: y.Matrix, y.Right, y.Scale, y.Parts, and the kinematics in y.Kin. It returns
// the largest magnitude of a component of C⁻¹·f, as Weighted.FreeSize does, or NaN if numbers of a group overflow.
//
// Units: SI.
// Cost: O(bodies + joints + forces), no allocation; safe for distinct y at the same time.
// Errors and panics: as System.FillTo.
func (y *Reduced) FillTo(s *mechanism.State) (free float64, err error) {
	g, m := y.Groups, y.Groups.Layout.Mech
	if !m.Owns(s) {
		panic("mechanism" + fault.ForeignState)
	}
	y.pass.s = s
	bad, free := y.run(statePass)
	if y.watch.Up() {
		return 0, y.watch.Err()
	}
	if bad >= 0 {
		return 0, m.NotFinite(y.firstBad(s))
	}
	if err := m.CheckTime(s); err != nil {
		return 0, err
	}
	if err := m.RowsTo(y.Kin, s); err != nil {
		return 0, err
	}
	if y.force != nil {
		clear(y.force)
		if err := m.AddAppliedTo(y.force, y.Kin, s); err != nil {
			return 0, err
		}
		_, free = y.run(loadPass)
	}
	bad, _ = y.run(loopPass)
	if y.watch.Up() {
		return 0, y.watch.Err()
	}
	if bad >= 0 {
		j := g.loops[bad].joint
		return 0, fault.Errorf("assemble: %w", m.AtJoint(int(j), -1, m.Joints[j].NoRows()))
	}
	return free, nil
}

// firstBad returns the first body whose state is not finite.
func (y *Reduced) firstBad(s *mechanism.State) int {
	for i := range s.Bodies {
		if !y.stateOf(int32(i), s) {
			return i
		}
	}
	panic("assemble: state has changed")
}

// stateOf computes the kinematics of a body. It reports whether its state is finite.
func (y *Reduced) stateOf(body int32, s *mechanism.State) bool {
	return y.Groups.Layout.Mech.BodyTo(&y.Kin.Bodies[body], s, int(body))
}

// run makes a pass with the arguments in y.pass. It returns the first passEnd.bad of its tasks, or −1, and the largest
// component of C⁻¹·f.
func (y *Reduced) run(kind passKind) (bad int32, free float64) {
	y.pass.kind = kind
	n := y.Groups.tasks(kind).number
	y.team.Run(n, (*passJob)(y))
	bad = -1
	for i := range y.ends[:n] {
		e := &y.ends[i]
		if bad < 0 {
			bad = e.bad
		}
		free = max(free, e.free)
	}
	return bad, free
}

// passJob is the job of run.
type passJob Reduced

// Do works on one range.
func (j *passJob) Do(worker, task int) {
	y := (*Reduced)(j)
	n := y.Groups.tasks(y.pass.kind)
	end := &y.ends[task]
	*end = passEnd{bad: -1}
	switch {
	case y.pass.kind <= loopPass && y.watch.Up():
	case task >= n.firstSingle:
		lo := (task - n.firstSingle) * groupRange
		y.doSingle(end, y.Groups.single[lo:min(lo+groupRange, n.single)])
	case task >= n.firstLone:
		lo := (task - n.firstLone) * groupRange
		y.doLone(&y.one[worker], end, lo, min(lo+groupRange, n.lone))
	default:
		lo := task * eightRange
		y.doEights(&y.eights[worker], end, lo, min(lo+eightRange, n.eights))
	}
}

// doLone does the present pass for groups, or in passes over loops for loop joints, that are in no eight: numbers lo to hi−1 of their list.
func (y *Reduced) doLone(w *groupWork, end *passEnd, lo, hi int) {
	g, p := y.Groups, &y.pass
	switch p.kind {
	case loopPass:
		end.bad = y.fillLoops(g.eights.loneLoops[lo:hi], p.s)
		return
	case loopErrorPass:
		y.fillLoopErrors(g.eights.loneLoops[lo:hi], p.e, p.s)
		return
	}
	for _, i := range g.eights.loneGroups[lo:hi] {
		q := &g.groups[i]
		switch p.kind {
		case statePass:
			if !y.groupState(q, p.s) {
				end.bad = i
				return
			}
			if y.force == nil {
				end.free = max(end.free, y.fillGroup(w, q, p.s))
			}
		case loadPass:
			end.free = max(end.free, y.fillGroup(w, q, p.s))
		case errorPass:
			y.fillGroupErrors(w, q, p.e, p.s)
		case resultPass:
			y.groupResult(q, p.a, p.z)
		}
	}
}

// groupState computes the kinematics of a group. It reports whether its states are finite.
func (y *Reduced) groupState(q *group, s *mechanism.State) bool {
	for k := q.first; k < q.end; k++ {
		if !y.stateOf(y.Groups.trees[k].body, s) {
			return false
		}
	}
	return true
}

// doSingle does the present pass for the listed bodies, which are in no group. The first whose state is not finite ends it, as end.bad.
func (y *Reduced) doSingle(end *passEnd, list []int32) {
	g, p := y.Groups, &y.pass
	for _, body := range list {
		row := int(g.Pattern.Off[g.node[body]])
		switch p.kind {
		case statePass:
			if !y.stateOf(body, p.s) {
				end.bad = body
				return
			}
			if y.force == nil {
				end.free = max(end.free, y.fillSingle(row, body, p.s))
			}
		case loadPass:
			end.free = max(end.free, y.fillSingle(row, body, p.s))
		case errorPass:
			clear(y.Right[row : row+6])
		case resultPass:
			y.unweigh((*[6]float64)(p.a[6*body:]), body, (*[6]float64)(p.z[row:]))
		}
	}
}

// fillSingle stores the right side of a body in no group. It returns the largest component.
func (y *Reduced) fillSingle(row int, body int32, s *mechanism.State) float64 {
	var spin spatial.Vec3
	b := (*[6]float64)(y.Right[row:])
	y.load(b, &spin, body, s)
	return algebra.MaxAbs(b[:])
}

// load stores C⁻¹·f of a body, and its angular velocity in its axes.
func (y *Reduced) load(out *[6]float64, spin *spatial.Vec3, body int32, s *mechanism.State) {
	b, E := &y.bodies[body], &y.Kin.Bodies[body].E
	weightedLoad(out, spin, b, E, &s.Bodies[body].Omega, &y.Groups.Layout.Mech.Gravity)
	if y.force != nil {
		addWeightedForce(out, b, E, &y.force[body])
	}
}

// dot6 returns a·b.
func dot6(a, b *[6]float64) float64 {
	return (a[0]*b[0] + a[1]*b[1] + a[2]*b[2]) + (a[3]*b[3] + a[4]*b[4] + a[5]*b[5])
}

// sub6 subtracts t·b from a.
func sub6(a *[6]float64, t float64, b *[6]float64) {
	a[0] -= t * b[0]
	a[1] -= t * b[1]
	a[2] -= t * b[2]
	a[3] -= t * b[3]
	a[4] -= t * b[4]
	a[5] -= t * b[5]
}

// scale6 multiplies a by t.
func scale6(a *[6]float64, t float64) {
	a[0] *= t
	a[1] *= t
	a[2] *= t
	a[3] *= t
	a[4] *= t
	a[5] *= t
}

// isLarge reports whether x is +Inf or NaN.
func isLarge(x float64) bool { return !(x <= math.MaxFloat64) }
