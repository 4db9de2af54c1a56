package ik

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// treeEngine evaluates targets by recursion on a tree. As all freedoms of the tree are driven, held or prescribed, poses are products along
// the links, and the Jacobian comes from walks to the root, docs/inverse-kinematics.md (T5).
type treeEngine struct {
	goals
	p    *Problem
	mech *mechanism.Mechanism // without loads
	plan *tree.Plan
	w    *tree.Workspace

	place  []int32   // by driven freedom: its entry of q
	dof    []int32   // by driven freedom: its entry of q̇
	column []int32   // by entry of q̇: driven freedom, or −1
	wound  []int32   // by target: its entry of q if it is a Coordinate, else −1
	turned []int32   // by target: its entry of q̇ if it is a Coordinate, else −1
	angles []int32   // by angle with a spring: its entry of q
	q, qd  []float64 // joint variables of the tree and their rates
	still  []float64 // rates of zero
	try    []float64 // q on trial
	rates  []float64 // q̇ in products
	time   float64
	kin    *mechanism.Kinematics // at the state given to set

	motion []spatial.Motion // by link: its velocity in products
	force  []spatial.Force  // by link: its force in products; in sweep by link and row
}

// comRows is the number of rows of a target of type Com.
const comRows = 3

// newTree returns the spanning tree of the mechanism if treeEngine can be used: there are no loops, couplings and passive freedoms.
// Otherwise it returns nil, and where passive freedoms are the reason, their names.
func (p *Problem) newTree() (plan *tree.Plan, passive []string) {
	m := p.plan.Mechanism()
	plan, err := tree.NewPlan(m.Unloaded(), tree.Options{})
	if err != nil || plan.LoopRows > 0 || m.NumCouplings() > 0 {
		return nil, nil
	}
	moved := make([]bool, plan.NumDof())
	for _, f := range p.movedFreedoms() {
		moved[dofOf(plan, f)] = true
	}
	for _, f := range plan.Prescribed {
		moved[f.Dof] = true
	}
	for d, ok := range moved {
		if !ok {
			passive = append(passive, plan.DofName(d))
		}
	}
	if passive != nil {
		return nil, passive
	}
	return plan, nil
}

// movedFreedoms returns the driven and held freedoms.
func (p *Problem) movedFreedoms() []mechanism.Freedom {
	return append(append([]mechanism.Freedom(nil), p.driven...), p.held...)
}

// dofOf and entryOf return the entries of a scalar freedom in q̇ and q.
func dofOf(plan *tree.Plan, f mechanism.Freedom) int32 {
	return link(plan, f.Joint).Dof + int32(f.Freedom)
}

func entryOf(plan *tree.Plan, f mechanism.Freedom) int32 {
	l := link(plan, f.Joint)
	return l.Q + int32(f.Freedom) + (l.NumQ - l.NumDof) // after the four numbers of a quaternion
}

// newTreeEngine allocates an engine of p on its spanning tree. It is at no state before the first set.
func newTreeEngine(p *Problem, plan *tree.Plan) *treeEngine {
	n := len(p.driven)
	e := &treeEngine{
		goals: p.newGoals(), p: p, mech: plan.Mechanism(), plan: plan, w: plan.NewWorkspace(),
		place: make([]int32, n), dof: make([]int32, n), column: make([]int32, plan.NumDof()), wound: make([]int32, len(p.targets)), turned: make([]int32, len(p.targets)),
		angles: make([]int32, plan.Mechanism().NumSprung()),
		q:      make([]float64, plan.NumQ()), qd: make([]float64, plan.NumDof()), still: make([]float64, plan.NumDof()), rates: make([]float64, plan.NumDof()), try: make([]float64, plan.NumQ()),
		kin:    &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, plan.NumLinks())},
		motion: make([]spatial.Motion, plan.NumLinks()), force: make([]spatial.Force, comRows*plan.NumLinks()),
	}
	for d := range e.column {
		e.column[d] = -1
	}
	for i, f := range p.driven {
		e.place[i], e.dof[i] = entryOf(plan, f), dofOf(plan, f)
		e.column[e.dof[i]] = int32(i)
	}
	for i := range p.targets {
		if e.wound[i], e.turned[i] = -1, -1; p.targets[i].Type == Coordinate {
			e.wound[i], e.turned[i] = entryOf(plan, p.targets[i].freedom), dofOf(plan, p.targets[i].freedom)
		}
	}
	for j := range e.mech.Joints {
		for i := range e.mech.Joints[j].Kind.Freedoms() {
			f := mechanism.Freedom{Joint: j, Freedom: i}
			if at := e.mech.AnglePlace(f); at >= 0 && at < len(e.angles) {
				e.angles[at] = entryOf(plan, f)
			}
		}
	}
	return e
}

// Dims returns the numbers of rows and of driven freedoms.
func (e *treeEngine) Dims() (m, n int) { return e.p.m, len(e.place) }

// set goes to st, with the whole turns of driven angles that st carries.
func (e *treeEngine) set(st *mechanism.State) error {
	if err := e.mech.KinematicsTo(e.kin, st); err != nil {
		return err
	}
	e.plan.CoordinatesTo(e.try, e.qd, e.kin, st)
	for i, f := range e.p.driven {
		e.try[e.place[i]] = e.p.carried(f, e.try[e.place[i]], st)
	}
	return e.setPrescribed(st.Time)
}

// setPrescribed sets the prescribed freedoms of e.try by their motions at the time t, and accepts e.try. It returns the errors of accept.
func (e *treeEngine) setPrescribed(t float64) error {
	for _, f := range e.plan.Prescribed {
		at := mechanism.Freedom{Joint: int(f.Joint), Freedom: int(f.Freedom)}
		e.try[entryOf(e.plan, at)], _, _ = e.mech.Joints[f.Joint].Motion[f.Freedom].At(t)
	}
	return e.accept(t)
}

func (e *treeEngine) setTime(t float64) error {
	copy(e.try, e.q)
	return e.setPrescribed(t)
}

// moveTo moves to the driven coordinates q. It returns the errors of accept.
func (e *treeEngine) moveTo(q []float64) error {
	copy(e.try, e.q)
	for i, at := range e.place {
		e.try[at] = q[i]
	}
	return e.accept(e.time)
}

// accept makes e.try the joint variables of the engine at the time t. After an error the engine is where it was.
func (e *treeEngine) accept(t float64) error {
	e.seen = false
	if err := e.w.Set(e.try, e.still, t); err != nil {
		_ = e.w.Set(e.q, e.still, e.time) // the variables before
		return err
	}
	e.q, e.try, e.time = e.try, e.q, t
	return nil
}

func (e *treeEngine) coordinatesTo(q []float64) {
	for i, at := range e.place {
		q[i] = e.q[at]
	}
}

// evaluate evaluates the targets at the state unless that has been done.
func (e *treeEngine) evaluate() {
	for i, at := range e.wound {
		if at >= 0 {
			e.shown[i].wound = e.q[at]
		}
	}
	e.goals.update(e.mech, e.w.Kinematics(), e.w.State())
}

func (e *treeEngine) errorsTo(out []float64) {
	e.evaluate()
	e.goals.errorsTo(out)
}

// jacobianTo stores the weighted rows of the targets on the rates of the driven freedoms.
func (e *treeEngine) jacobianTo(J []float64) {
	e.evaluate()
	clear(J)
	for i := range e.list {
		switch t := &e.list[i]; t.Type {
		case Com:
			e.addByPass(J, t, e.shown[i].sides)
		case Coordinate:
			e.addCoordinate(J, t, e.turned[i])
		default:
			e.addByPaths(J, t, e.shown[i].sides)
		}
	}
}

// addCoordinate adds the row of a Coordinate to J. The coordinate's freedom is entry d of q̇, so the row is a weight alone. The wrenches
// of the joint are not needed: in a gimbal lock a composite joint has none.
func (e *treeEngine) addCoordinate(J []float64, t *target, d int32) {
	if c := int(e.column[d]); c >= 0 {
		for k := range t.n {
			J[(t.first+k)*len(e.place)+c] += t.weight[k]
		}
	}
}

// addByPaths adds to J the rows of a target on one or two bodies, along the paths from the bodies to the root. Two paths end at the common
// ancestor, as freedoms nearer to the root move both bodies alike and leave the target unchanged.
func (e *treeEngine) addByPaths(J []float64, t *target, sides []bodyRows) {
	stop := tree.World
	if len(sides) == 2 {
		stop = e.plan.CommonAncestor(int(e.plan.LinkOf[sides[0].body]), int(e.plan.LinkOf[sides[1].body]))
	}
	n, S := len(e.place), e.w.MotionSubspace()
	rows := J[t.first*n:]
	for s := range sides {
		F := sides[s].F
		for i := int(e.plan.LinkOf[sides[s].body]); i != stop; {
			l := &e.plan.Links[i]
			for d := l.Dof; d < l.Dof+l.NumDof; d++ {
				if c := int(e.column[d]); c >= 0 {
					for k := range t.n {
						rows[k*n+c] += S[d].Dot(&F[k])
					}
				}
			}
			r := e.w.Shift(i)
			for k := range t.n {
				carry(&F[k], &r)
			}
			i = int(l.Parent)
		}
	}
}

// carry moves a force to a reference point that is −r away.
func carry(f *spatial.Force, r *spatial.Vec3) {
	f[0] += r[1]*f[5] - r[2]*f[4]
	f[1] += r[2]*f[3] - r[0]*f[5]
	f[2] += r[0]*f[4] - r[1]*f[3]
}

// addByPass adds the rows of a target on many bodies to J, in one pass over all links from the tips to the root.
func (e *treeEngine) addByPass(J []float64, t *target, sides []bodyRows) {
	clear(e.force)
	for s := range sides {
		at := e.force[comRows*e.plan.LinkOf[sides[s].body]:]
		for k := range t.n {
			at[k] = at[k].Add(sides[s].F[k])
		}
	}
	n, S := len(e.place), e.w.MotionSubspace()
	rows := J[t.first*n:]
	for i := len(e.plan.Links) - 1; i >= 0; i-- {
		l, F := &e.plan.Links[i], e.force[comRows*i:][:comRows]
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			if c := int(e.column[d]); c >= 0 {
				for k := range t.n {
					rows[k*n+c] += S[d].Dot(&F[k])
				}
			}
		}
		if l.Parent == tree.World {
			continue
		}
		r, up := e.w.Shift(i), e.force[comRows*l.Parent:]
		for k := range t.n {
			carry(&F[k], &r)
			up[k] = up[k].Add(F[k])
		}
	}
}

// MulTo stores 𝒥·u: the rates of the rows at the velocities of the links, which are computed from the root to the tips.
//
// Cost: O(links + rows), no allocation.
func (e *treeEngine) MulTo(dst, u []float64) {
	for d, c := range e.column {
		if e.rates[d] = 0; c >= 0 {
			e.rates[d] = u[c]
		}
	}
	e.rowRatesTo(dst)
}

// driftTo stores the weighted rates of the targets while the driven freedoms rest, due to motions of the model.
func (e *treeEngine) driftTo(dst []float64) {
	clear(e.rates)
	for _, f := range e.plan.Prescribed {
		_, e.rates[f.Dof], _ = e.mech.Joints[f.Joint].Motion[f.Freedom].At(e.time)
	}
	e.rowRatesTo(dst)
}

// rowRatesTo stores the rates of the rows at the rates e.rates of the tree.
func (e *treeEngine) rowRatesTo(dst []float64) {
	e.evaluate()
	S := e.w.MotionSubspace()
	for i := range e.plan.Links {
		l, v := &e.plan.Links[i], &e.motion[i]
		*v = spatial.Motion{}
		if l.Parent != tree.World {
			r, up := e.w.Shift(i), &e.motion[l.Parent]
			*v = up.Add(spatial.NewMotion(spatial.Vec3{}, up.Angular().Cross(r)))
		}
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			if x := e.rates[d]; x != 0 {
				*v = v.Add(S[d].Scale(x))
			}
		}
	}
	for i := range e.list {
		t := &e.list[i]
		for k := range t.n {
			if d := e.turned[i]; d >= 0 {
				dst[t.first+k] = t.weight[k] * e.rates[d]
				continue
			}
			sum := 0.0
			for s := range e.shown[i].sides {
				x := &e.shown[i].sides[s]
				sum += e.motion[e.plan.LinkOf[x.body]].Dot(&x.F[k])
			}
			dst[t.first+k] = sum
		}
	}
}

// MulTransTo stores 𝒥ᵀ·f: the forces of the rows on the links, summed from the tips to the root.
//
// Cost: O(links + rows), no allocation.
func (e *treeEngine) MulTransTo(dst, f []float64) {
	e.evaluate()
	clear(e.force)
	for i := range e.list {
		t := &e.list[i]
		if e.turned[i] >= 0 {
			continue
		}
		for s := range e.shown[i].sides {
			x := &e.shown[i].sides[s]
			at := &e.force[e.plan.LinkOf[x.body]]
			for k := range t.n {
				*at = at.Add(x.F[k].Scale(f[t.first+k]))
			}
		}
	}
	S := e.w.MotionSubspace()
	for i := len(e.plan.Links) - 1; i >= 0; i-- {
		l, F := &e.plan.Links[i], &e.force[i]
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			if c := e.column[d]; c >= 0 {
				dst[c] = S[d].Dot(F)
			}
		}
		if l.Parent != tree.World {
			r := e.w.Shift(i)
			carry(F, &r)
			e.force[l.Parent] = e.force[l.Parent].Add(*F)
		}
	}
	for i, d := range e.turned {
		if d < 0 || e.column[d] < 0 {
			continue
		}
		t := &e.list[i]
		for k := range t.n {
			dst[e.column[d]] += t.weight[k] * f[t.first+k]
		}
	}
}

// setRates gives the driven freedoms the rates u and the prescribed ones the rates of their motions. It returns ErrOverflow, with all at
// rest, if the velocity of a body is not finite.
func (e *treeEngine) setRates(u []float64) error {
	copy(e.qd, e.still)
	for i, d := range e.dof {
		e.qd[d] = u[i]
	}
	for _, f := range e.plan.Prescribed {
		_, e.qd[f.Dof], _ = e.mech.Joints[f.Joint].Motion[f.Freedom].At(e.time)
	}
	if e.w.Set(e.q, e.qd, e.time) != nil {
		_ = e.w.Set(e.q, e.still, e.time)
		return ErrOverflow
	}
	return nil
}

// stateTo stores time, bodies and angles with springs of the engine's state in st.
func (e *treeEngine) stateTo(st *mechanism.State) {
	own := e.w.State()
	st.Time = own.Time
	copy(st.Bodies, own.Bodies)
	if len(e.angles) == 0 {
		return
	}
	if len(st.Angles) == 0 {
		st.Angles = make([]float64, len(e.angles))
	}
	for i, at := range e.angles {
		st.Angles[i] = e.q[at]
	}
}
