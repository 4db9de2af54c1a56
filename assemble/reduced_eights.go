package assemble

import (
	"math"
	"slices"
	"unsafe"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// Groups of hinges whose trees have the same shape are computed eight at a time (lanes.Width), and so are balls
// and hinges between such groups. Eight of them are called an eight.

// Numbers of one body in a list of states or kinematics. The lanes read them in the order that is asserted below.
const (
	stateNumbers = int32(unsafe.Sizeof(mechanism.BodyState{}) / 8)
	stateOmega   = int32(unsafe.Offsetof(mechanism.BodyState{}.Omega) / 8)
	kinNumbers   = int32(unsafe.Sizeof(mechanism.BodyKinematics{}) / 8)
)

// lanes.Body.State begins like mechanism.BodyState, and lanes.Body.Kin like mechanism.BodyKinematics: an index other
// than 0 does not compile.
var (
	_ = [1]byte{}[unsafe.Offsetof(mechanism.BodyState{}.Position)-0*8]
	_ = [1]byte{}[unsafe.Offsetof(mechanism.BodyState{}.Rotation)-3*8]
	_ = [1]byte{}[unsafe.Offsetof(mechanism.BodyState{}.Velocity)-7*8]
	_ = [1]byte{}[unsafe.Offsetof(mechanism.BodyState{}.Omega)-10*8]
	_ = [1]byte{}[unsafe.Sizeof(mechanism.BodyState{})-uintptr(8*len(lanes.Body{}.State))]
	_ = [1]byte{}[unsafe.Offsetof(mechanism.BodyKinematics{}.E)-0*8]
	_ = [1]byte{}[unsafe.Offsetof(mechanism.BodyKinematics{}.Com)-9*8]
	_ = [1]byte{}[unsafe.Sizeof(mechanism.BodyKinematics{})-uintptr(8*len(lanes.Body{}.Kin))]
)

const (
	// fewEqual is the number of groups or joints of one shape below which they are computed one after the other.
	fewEqual = 3
	// eightRows is the largest number of rows of a joint in lanes.
	eightRows = 5
)

// places are a number for each lane.
type places = [lanes.Width]int32

// eights lists the groups and loop joints that are computed eight at a time, and all others, which are computed one by one.
// If an eight has fewer than eight members, the remaining lanes repeat the last one.
type eights struct {
	groups []groupEight
	trees  []treeEight // tree joints of the groups, eight after eight
	loops  []loopEight // first the loops whose groups one task fills, in the order of tasks

	// firstLoop[t] is the first of the loops whose groups are all filled by task t. The last entry is the first of the
	// loops whose groups are filled by different tasks, or are in no eight.
	firstLoop []int32

	shapes     []groupShape
	treeConsts []lanes.BodyConst
	loopConsts []lanes.JointConst

	loneGroups, loneLoops []int32 // numbers in Groups of groups and loop joints in no eight
}

// groupEight is eight groups of one shape.
type groupEight struct {
	shape int32  // in eights.shapes
	first int32  // in eights.trees
	row   places // first scalar of the right side
}

// treeEight is one tree joint in each of eight groups. Each number is the place in a list at which the data of one of these joints begin.
type treeEight struct {
	tree       places // in Groups.trees, and Reduced.squares
	state, kin places // in the states and the kinematics of bodies
	accel      places // in accelerations of bodies
	particular places // in Reduced.particular
	directions places // in Reduced.directions
	wholeRow   places // rows of the joint, in the scalar order of Layout.Pattern
	treeConsts int32  // in eights.treeConsts
}

// loopEight is eight loop joints of one kind whose bodies have the same places in groups of the same freedoms.
type loopEight struct {
	ball       bool   // the joints are balls, else hinges
	row        places // first scalar row
	wholeRow   places // first scalar row in Layout.Pattern
	node       places
	end        [2]endEight
	loopConsts int32 // in eights.loopConsts
}

// endEight is one of the two bodies of eight loop joints. For the world dof and from are −1, and all else is zero.
type endEight struct {
	dof, from              int8 // of the groups, and the first column of N that is not zero; −1 for the world
	omega, kin             places
	particular, directions places
	tree, block            places // in Groups.trees and Matrix.Val
}

// groupShape has the properties that the groups of an eight have in common.
type groupShape struct {
	n, dof int8 // tree joints and freedoms
	tree   [groupBodies]treeShape
}

// treeShape is a tree joint in a groupShape. parent is counted from the first tree joint of the group, −1 for the world.
type treeShape struct {
	parent, from int8
	reversed     bool
}

// loopShape has the properties that the loop joints of an eight have in common.
type loopShape struct {
	kind joints.Kind
	task int32                       // the task that fills the groups of both bodies; the number of tasks if there is none
	end  [2]struct{ dof, from int8 } // −1 for the world
}

// sameShape is a list of up to eight groups or joints of one shape.
type sameShape[S any] struct {
	shape S
	list  []int32
}

// sorter sorts groups or joints by shape into lists of up to eight. Only the last list of a shape may be shorter.
type sorter[S comparable] struct {
	last  map[S]int // the last list of each shape
	lists []sameShape[S]
}

// add puts number i in a list of its shape.
func (o *sorter[S]) add(shape S, i int32) {
	k, ok := o.last[shape]
	if !ok || len(o.lists[k].list) == lanes.Width {
		k = len(o.lists)
		o.last[shape] = k
		o.lists = append(o.lists, sameShape[S]{shape: shape})
	}
	o.lists[k].list = append(o.lists[k].list, i)
}

// makeEights sorts groups and loop joints into eights and lone ones, and divides the passes over them into
// tasks. All are lone if have is false, which says that the processor has no lanes.
func (g *Groups) makeEights(have bool) {
	have = have && g.Layout.Mech.NumBodies() < math.MaxInt32/int(stateNumbers) &&
		g.columns < math.MaxInt32 && g.Pattern.Pos[len(g.Pattern.Ind)] < math.MaxInt32
	task := g.groupsToEights(have)
	g.loopsToEights(have, task)
	slices.Sort(g.eights.loneGroups)
	slices.Sort(g.eights.loneLoops)
	g.overGroups = newTasks(len(g.eights.groups), len(g.eights.loneGroups), len(g.single))
	g.overLoops = newTasks(len(g.outerLoops()), len(g.eights.loneLoops), 0)
}

// groupsToEights sorts the groups. It returns the task that fills each tree joint's body, −1 if it is in no eight.
func (g *Groups) groupsToEights(have bool) (task []int32) {
	task = make([]int32, len(g.trees))
	for i := range task {
		task[i] = -1
	}
	e := &g.eights
	sorted := sorter[groupShape]{last: map[groupShape]int{}}
	for i := range g.groups {
		if s, ok := g.groupShape(&g.groups[i]); ok && have {
			sorted.add(s, int32(i))
		} else {
			e.loneGroups = append(e.loneGroups, int32(i))
		}
	}
	consts, shapes := map[lanes.BodyConst]int32{}, map[groupShape]int32{}
	for _, q := range sorted.lists {
		if len(q.list) < fewEqual {
			e.loneGroups = append(e.loneGroups, q.list...)
			continue
		}
		for _, i := range q.list {
			for k := g.groups[i].first; k < g.groups[i].end; k++ {
				task[k] = int32(len(e.groups) / eightRange)
			}
		}
		g.addGroups(q.list, q.shape, consts, shapes)
	}
	return task
}

// loopsToEights sorts the loop joints: first joints between bodies of one task, in the order of tasks, then the others. task is the result
// of groupsToEights.
func (g *Groups) loopsToEights(have bool, task []int32) {
	e := &g.eights
	tasks := int32(rangesOf(len(e.groups), eightRange))
	sorted := sorter[loopShape]{last: map[loopShape]int{}}
	for i := range g.loops {
		s, ok := g.loopShape(&g.loops[i])
		if !ok || !have {
			e.loneLoops = append(e.loneLoops, int32(i))
			continue
		}
		s.task = taskOf(&g.loops[i], task, tasks)
		sorted.add(s, int32(i))
	}
	slices.SortStableFunc(sorted.lists, func(a, b sameShape[loopShape]) int { return int(a.shape.task - b.shape.task) })
	consts := map[lanes.JointConst]int32{}
	e.firstLoop = make([]int32, tasks+1)
	for _, q := range sorted.lists {
		if len(q.list) < fewEqual {
			e.loneLoops = append(e.loneLoops, q.list...)
			continue
		}
		g.addLoops(q.list, q.shape, consts)
		for t := q.shape.task + 1; t <= tasks; t++ {
			e.firstLoop[t] = int32(len(e.loops))
		}
	}
}

// taskOf returns the task that fills the groups of both bodies of a loop joint, or the number of tasks if there is none.
func taskOf(q *loopJoint, task []int32, tasks int32) int32 {
	common := int32(-1)
	for e := range q.end {
		k := q.end[e].tree
		if k < 0 {
			continue
		}
		if task[k] < 0 || common >= 0 && common != task[k] {
			return tasks
		}
		common = task[k]
	}
	return common
}

// groupShape returns the shape of a group, and whether it can be in an eight.
func (g *Groups) groupShape(q *group) (s groupShape, ok bool) {
	s.n, s.dof = int8(q.end-q.first), q.dof
	for k := range s.n {
		t := &g.trees[q.first+int32(k)]
		if !t.hinge {
			return s, false
		}
		s.tree[k] = treeShape{int8(max(t.parent-q.first, -1)), t.from, t.reversed}
	}
	return s, true
}

// loopShape returns the shape of a loop joint, and whether it can be in an eight.
func (g *Groups) loopShape(q *loopJoint) (s loopShape, ok bool) {
	jt := &g.Layout.Mech.Joints[q.joint]
	if !pinned(jt) || jt.Kind == joints.Fixed {
		return s, false
	}
	s.kind = jt.Kind
	for e, body := range [2]int32{jt.Pred, jt.Succ} {
		end, shape := &q.end[e], &s.end[e]
		switch {
		case body < 0:
			shape.dof, shape.from = -1, -1
		case end.tree < 0 || end.block < 0:
			return s, false
		default:
			shape.dof, shape.from = int8(end.dof), g.trees[end.tree].from
		}
	}
	return s, true
}

// inLane returns item l of a list, or the last item if the list is shorter.
func inLane(list []int32, l int) int32 { return list[min(l, len(list)-1)] }

// addGroups makes an eight of the listed groups. consts and shapes have the numbers of the constants and shapes stored so far.
func (g *Groups) addGroups(list []int32, shape groupShape, consts map[lanes.BodyConst]int32, shapes map[groupShape]int32) {
	e := &g.eights
	q := groupEight{shape: number(&e.shapes, shapes, &shape), first: int32(len(e.trees))}
	trees, fixed := make([]treeEight, shape.n), make([]lanes.BodyConst, shape.n)
	for l := range lanes.Width {
		u := &g.groups[inLane(list, l)]
		q.row[l] = g.Pattern.Off[u.node]
		for k := range trees {
			trees[k].set(l, g, u.first+int32(k), &fixed[k])
		}
	}
	for k := range trees {
		trees[k].treeConsts = number(&e.treeConsts, consts, &fixed[k])
	}
	e.groups = append(e.groups, q)
	e.trees = append(e.trees, trees...)
}

// number returns the place of c in a list without duplicates, and appends c if it is new. known has the places of all
// items. So equal parts, which many mechanisms have, store their constants once.
func number[C comparable](list *[]C, known map[C]int32, c *C) int32 {
	i, ok := known[*c]
	if !ok {
		i = int32(len(*list))
		known[*c] = i
		*list = append(*list, *c)
	}
	return i
}

// set fills lane l with tree joint k, and its constants.
func (q *treeEight) set(l int, g *Groups, k int32, c *lanes.BodyConst) {
	t := &g.trees[k]
	q.tree[l], q.state[l], q.kin[l], q.accel[l] = k, stateNumbers*t.body, kinNumbers*t.body, 6*t.body
	q.particular[l], q.directions[l] = 6*k, t.column
	q.wholeRow[l] = g.Layout.Pattern.Off[g.Layout.JointNode(int(t.joint))]
	body := &g.Layout.Mech.Bodies[t.body]
	setLane(c.Com[:], l, body.Com[:])
	setLane(c.L[:], l, t.L[:])
	w := body.Weight()
	setLane(c.Inv[:], l, w.Inertia[:])
	c.Root[l], c.InvRoot[l] = t.rootMass, w.Mass
	setLane(c.ArmP[:], l, t.armParent[:])
	setLane(c.ArmC[:], l, t.armBody[:])
	setLane(c.Frame[:], l, g.Layout.Mech.Joints[t.joint].P.E[:])
}

// setLane stores numbers in lane l.
func setLane(to []lanes.Vector, l int, x []float64) {
	for i, v := range x {
		to[i][l] = v
	}
}

// addLoops makes an eight of the listed loop joints. consts has the numbers of the constants stored so far.
func (g *Groups) addLoops(list []int32, shape loopShape, consts map[lanes.JointConst]int32) {
	e := &g.eights
	q := loopEight{ball: shape.kind == joints.Spherical}
	for i, s := range shape.end {
		q.end[i].dof, q.end[i].from = s.dof, s.from
	}
	var c lanes.JointConst
	for l := range lanes.Width {
		i := inLane(list, l)
		loop := &g.loops[i]
		jt := &g.Layout.Mech.Joints[loop.joint]
		q.row[l], q.wholeRow[l] = loop.row, g.Layout.Pattern.Off[g.Layout.JointNode(int(loop.joint))]
		q.node[l] = int32(g.Pattern.Len()-len(g.loops)) + i
		q.end[0].set(l, g, &loop.end[0], jt.Pred)
		q.end[1].set(l, g, &loop.end[1], jt.Succ)
		setJoint(&c, l, jt, g.Layout.Mech.Bodies)
	}
	q.loopConsts = number(&e.loopConsts, consts, &c)
	e.loops = append(e.loops, q)
}

// set fills lane l with an end of a loop joint and its body, −1 for the world.
func (q *endEight) set(l int, g *Groups, end *loopEnd, body int32) {
	if body < 0 {
		return
	}
	q.omega[l], q.kin[l] = stateNumbers*body+stateOmega, kinNumbers*body
	q.particular[l], q.directions[l] = 6*end.tree, g.trees[end.tree].column
	q.tree[l], q.block[l] = end.tree, int32(end.block)
}

// setJoint fills lane l with the constants of a joint.
func setJoint(c *lanes.JointConst, l int, jt *mechanism.Joint, list []bodies.Body) {
	setLane(c.Axes[:], l, jt.P.E[:])
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
		setLane(c.InvS[:], l, w.Inertia[:])
		c.RootS[l] = w.Mass
	}
	setLane(c.ArmP[:], l, armP[:])
	setLane(c.ArmS[:], l, armS[:])
}
