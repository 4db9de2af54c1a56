package assemble

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// Groups of the same shape, of hinges only, and balls and hinges between such groups are worked on
// lanes.Width at a time, if the processor has kernels for that.

// indices are a number for each lane.
type indices = [lanes.Width]int32

// Sizes of what is read and written in lanes, in numbers.
const (
	stateNumbers = 13 // of mechanism.BodyState
	stateOmega   = 10 // the first of its angular velocity
	kinNumbers   = 12 // of mechanism.BodyKinematics
	pinRows      = 5  // most rows of a joint in lanes
)

// minLanes is the number of equal groups, or joints, from which lanes pay.
const minLanes = 3

// unitBatch is groups of one shape. Lanes behind the last repeat it.
type unitBatch struct {
	shape int32   // in Ground.shapes
	part  int32   // of the first branch in Ground.parts
	at    indices // first scalar of the right side
}

// branchBatch is one branch of the groups of a batch.
type branchBatch struct {
	branch indices // in Grounded.parts
	state  indices // first number in the states of bodies
	kin    indices // in the kinematics
	body   indices // in accelerations
	rest   indices // in Grounded.rest
	dirs   indices // in Grounded.dirs
	rows   indices // of the joint, in the scalar order of L.Pattern
	fixed  int32   // in Ground.fixed
}

// bondBatch is joints of one kind whose bodies have the same places in groups of the same freedoms.
type bondBatch struct {
	ball bool    // or hinges
	row  indices // first scalar one
	rows indices // the same in L.Pattern
	node indices
	side [2]sideBatch

	fixed int32 // in Ground.pins
}

// sideBatch is one of the two bodies of the joints of a batch; what is not there for the world is zero.
type sideBatch struct {
	dof, from   int8 // of the groups, and the first column that is not zero; −1 for the world
	state, kin  indices
	rest, dirs  indices
	part, block indices // in Grounded.parts and W.Val
}

// unitShape is what groups of a batch have in common.
type unitShape struct {
	n, dof int8 // branches and freedoms
	branch [groupBodies]branchShape
}

// branchShape is that of a branch: its parent in the group, −1 for the world, and what branch says.
type branchShape struct {
	parent, from int8
	turned       bool
}

// bondShape is what joints of a batch have in common.
type bondShape struct {
	kind joints.Kind
	task int32                       // that has the groups of both bodies, the number of tasks if there is none
	side [2]struct{ dof, from int8 } // −1 for the world
}

// alike is what goes into one batch.
type alike[S any] struct {
	shape S
	list  []int32
}

// open is batches, of which the last of each shape may not be full.
type open[S comparable] struct {
	at   map[S]int
	list []alike[S]
}

// add puts item i in the batch of its shape.
func (o *open[S]) add(shape S, i int32) {
	k, ok := o.at[shape]
	if !ok || len(o.list[k].list) == lanes.Width {
		k = len(o.list)
		o.at[shape] = k
		o.list = append(o.list, alike[S]{shape: shape})
	}
	o.list[k].list = append(o.list[k].list, i)
}

// batch sorts units and bonds into batches and those that are alone.
func (g *Ground) batch() {
	eight := lanes.Have() && len(g.L.Mech.Bodies) < math.MaxInt32/stateNumbers &&
		g.columns < math.MaxInt32 && g.Pattern.Pos[len(g.Pattern.Ind)] < math.MaxInt32
	task := g.batchUnits(eight)
	g.batchBonds(eight, task)
	slices.Sort(g.single)
	slices.Sort(g.singleBonds)
}

// batchUnits makes the batches of units. It returns the task of each branch, −1 if it is in no batch.
func (g *Ground) batchUnits(eight bool) (task []int32) {
	task = make([]int32, len(g.branches))
	for i := range task {
		task[i] = -1
	}
	units := open[unitShape]{at: map[unitShape]int{}}
	for i := range g.units {
		if s, ok := g.unitShape(&g.units[i]); ok && eight {
			units.add(s, int32(i))
		} else {
			g.single = append(g.single, int32(i))
		}
	}
	known, shapes := map[lanes.BodyConst]int32{}, map[unitShape]int32{}
	for _, q := range units.list {
		if len(q.list) < minLanes {
			g.single = append(g.single, q.list...)
			continue
		}
		for _, i := range q.list {
			for k := g.units[i].lo; k < g.units[i].hi; k++ {
				task[k] = int32(len(g.unitBatches) / batchRange)
			}
		}
		g.addUnits(q.list, q.shape, known, shapes)
	}
	return task
}

// batchBonds makes the batches of joints: those between bodies of one task, in the order of tasks, then the others.
func (g *Ground) batchBonds(eight bool, task []int32) {
	tasks := int32(rangesOf(len(g.unitBatches), batchRange))
	bonds := open[bondShape]{at: map[bondShape]int{}}
	for i := range g.bonds {
		s, ok := g.bondShape(&g.bonds[i])
		if !ok || !eight {
			g.singleBonds = append(g.singleBonds, int32(i))
			continue
		}
		s.task = taskOf(&g.bonds[i], task, tasks)
		bonds.add(s, int32(i))
	}
	known := map[lanes.JointConst]int32{}
	slices.SortStableFunc(bonds.list, func(a, b alike[bondShape]) int { return int(a.shape.task - b.shape.task) })
	g.inner = make([]int32, tasks+1)
	for _, q := range bonds.list {
		if len(q.list) < minLanes {
			g.singleBonds = append(g.singleBonds, q.list...)
			continue
		}
		g.addBonds(q.list, q.shape, known)
		for t := q.shape.task + 1; t <= tasks; t++ {
			g.inner[t] = int32(len(g.bondBatches))
		}
	}
}

// taskOf returns the task of a bond, given those of branches: the number of tasks if it has none.
func taskOf(b *bond, task []int32, tasks int32) int32 {
	t := int32(-1)
	for e := range b.side {
		k := b.side[e].branch
		if k < 0 {
			continue
		}
		if task[k] < 0 || t >= 0 && t != task[k] {
			return tasks
		}
		t = task[k]
	}
	return t
}

// unitShape returns the shape of a unit, and whether it can be in a batch.
func (g *Ground) unitShape(u *unit) (s unitShape, ok bool) {
	if u.body >= 0 {
		return s, false
	}
	s.n, s.dof = int8(u.hi-u.lo), u.dof
	for k := u.lo; k < u.hi; k++ {
		b := &g.branches[k]
		if !b.hinge {
			return s, false
		}
		q := &s.branch[k-u.lo]
		q.parent, q.from, q.turned = int8(max(b.parent-u.lo, -1)), b.from, b.turned
	}
	return s, true
}

// bondShape returns the shape of a bond, and whether it can be in a batch.
func (g *Ground) bondShape(b *bond) (s bondShape, ok bool) {
	jt := &g.L.Mech.Joints[b.joint]
	if !pinned(jt) || jt.Kind == joints.Fixed {
		return s, false
	}
	s.kind = jt.Kind
	for e, body := range [2]int32{jt.Pred, jt.Succ} {
		q, t := &b.side[e], &s.side[e]
		switch {
		case body < 0:
			t.dof, t.from = -1, -1
		case q.branch < 0 || q.at < 0:
			return s, false
		default:
			t.dof, t.from = int8(q.dof), g.branches[q.branch].from
		}
	}
	return s, true
}

// lane returns item l of a list, the last one for those behind it.
func lane(list []int32, l int) int32 { return list[min(l, len(list)-1)] }

// addUnits makes a batch of units.
func (g *Ground) addUnits(list []int32, shape unitShape, known map[lanes.BodyConst]int32, shapes map[unitShape]int32) {
	b := unitBatch{shape: number(&g.shapes, shapes, &shape), part: int32(len(g.parts))}
	parts, fixed := make([]branchBatch, shape.n), make([]lanes.BodyConst, shape.n)
	for l := range lanes.Width {
		u := &g.units[lane(list, l)]
		b.at[l] = g.Pattern.Off[u.node]
		for k := range parts {
			parts[k].set(l, g, u.lo+int32(k), &fixed[k])
		}
	}
	for k := range parts {
		parts[k].fixed = number(&g.fixed, known, &fixed[k])
	}
	g.unitBatches = append(g.unitBatches, b)
	g.parts = append(g.parts, parts...)
}

// number returns the place of c in the list, of which known has the places: many mechanisms have parts that are alike.
func number[C comparable](list *[]C, known map[C]int32, c *C) int32 {
	i, ok := known[*c]
	if !ok {
		i = int32(len(*list))
		known[*c] = i
		*list = append(*list, *c)
	}
	return i
}

// set fills lane l with a branch, and its constants.
func (p *branchBatch) set(l int, g *Ground, branch int32, c *lanes.BodyConst) {
	b := &g.branches[branch]
	p.branch[l], p.state[l], p.kin[l] = branch, stateNumbers*b.body, kinNumbers*b.body
	p.rest[l], p.dirs[l], p.body[l] = 6*branch, b.at, 6*b.body
	p.rows[l] = g.L.Pattern.Off[g.L.JointNode(int(b.joint))]
	body := &g.L.Mech.Bodies[b.body]
	set(c.Com[:], l, body.Com[:])
	set(c.L[:], l, b.chol[:])
	w := body.Weight()
	set(c.Inv[:], l, w.Inertia[:])
	c.Root[l], c.InvRoot[l] = b.root, w.Mass
	set(c.ArmP[:], l, b.armP[:])
	set(c.ArmC[:], l, b.armC[:])
	set(c.Frame[:], l, g.L.Mech.Joints[b.joint].P.E[:])
}

// set stores numbers in lane l.
func set(to []lanes.Vector, l int, x []float64) {
	for i, v := range x {
		to[i][l] = v
	}
}

// addBonds makes a batch of bonds.
func (g *Ground) addBonds(list []int32, shape bondShape, known map[lanes.JointConst]int32) {
	b := bondBatch{ball: shape.kind == joints.Spherical}
	for e, t := range shape.side {
		b.side[e].dof, b.side[e].from = t.dof, t.from
	}
	var c lanes.JointConst
	for l := range lanes.Width {
		i := lane(list, l)
		q := &g.bonds[i]
		jt := &g.L.Mech.Joints[q.joint]
		b.row[l], b.rows[l] = q.row, g.L.Pattern.Off[g.L.JointNode(int(q.joint))]
		b.node[l] = int32(len(g.Pattern.Size)-len(g.bonds)) + i
		for e, body := range [2]int32{jt.Pred, jt.Succ} {
			b.side[e].set(l, g, &q.side[e], body)
		}
		fix(&c, l, jt, g.L.Mech.Bodies)
	}
	b.fixed = number(&g.pins, known, &c)
	g.bondBatches = append(g.bondBatches, b)
}

// set fills lane l with a side of a bond, whose body is given.
func (t *sideBatch) set(l int, g *Ground, q *side, body int32) {
	if body < 0 {
		return
	}
	t.state[l], t.kin[l] = stateNumbers*body+stateOmega, kinNumbers*body
	t.rest[l], t.dirs[l] = 6*q.branch, g.branches[q.branch].at
	t.part[l], t.block[l] = q.branch, int32(q.at)
}

// fix fills lane l with the constants of a joint.
func fix(c *lanes.JointConst, l int, jt *mechanism.Joint, list []bodies.Body) {
	set(c.Axes[:], l, jt.P.E[:])
	armP, armS := jt.P.Origin, jt.S.Origin
	if jt.Pred >= 0 {
		body := &list[jt.Pred]
		armP = armP.Sub(body.Com)
		w := body.Weight()
		for i, v := range w.Inertia {
			c.InvP[i][l] = -v
		}
		c.RootP[l] = -w.Mass
	}
	if jt.Succ >= 0 {
		body := &list[jt.Succ]
		armS = armS.Sub(body.Com)
		w := body.Weight()
		set(c.InvS[:], l, w.Inertia[:])
		c.RootS[l] = w.Mass
	}
	set(c.ArmP[:], l, armP[:])
	set(c.ArmS[:], l, armS[:])
}
