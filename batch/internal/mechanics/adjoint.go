package mechanics

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// Backward has the tapes of the gradient of accelerations, docs/theory.md (D2). Turn runs after Answers: it solves the system
// for the weights of accelerations. Then Judge and Refine run once more, Back finds derivatives, and Verdict judges the solve.
type Backward struct {
	Turn, Back, Verdict []tape.Op

	Weights   program.Place   // six numbers a body, weights of the angular and the linear acceleration
	Motion    []program.Place // by body: derivatives by rotation, by position and velocity of its centre of mass and by angular velocity
	Loads     []program.Place // by body: derivatives by moment and force
	Forces    []program.Place // derivatives by the generalized force of freedom i of joint j, 6·j + i; none if states do not have the force
	*OverStep                 // nil where states are stepped alone
}

// CompileAdjoint is Compile with the tapes of gradients in place of the tapes of steps. Bodies are not reduced to their freedoms, so the
// system has the multipliers of all joints. Bodies, joints and armature may not vary from state to state. It returns nil if the workspace
// takes more than MaxPlaces, and nil with the reason if gradients of the mechanism cannot be computed in lanes.
func CompileAdjoint(p *kkt.Plan, s *State, wrenches bool) (*Compiled, string) {
	r := wholeReduction(p.Dynamics())
	if r.leastPlaces() > MaxPlaces {
		return nil, ""
	}
	c := newCompiler(p, r, s, wrenches)
	if why := c.noWayBack(); why != "" {
		return nil, why
	}
	if int64(c.Places())+c.sys.factorPlaces() > MaxPlaces {
		return nil, ""
	}
	c.acts = map[int]place{}
	out := c.compiled()
	out.SteppedAlone = "a way back has no steps"
	out.Backward = c.backward()
	return c.finish(out), ""
}

// noWayBack returns the reason why gradients cannot be computed in lanes; it is empty if they can.
func (c *compiler) noWayBack() string {
	m := c.mech
	if m.NumCouplings() > 0 || len(m.Nonholonomic()) > 0 {
		return "couplings and rows of velocities have no gradients in lanes"
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		switch {
		case hasNoLanes(jt):
			return fmt.Sprintf("joint %q has no gradients in lanes", m.JointName(j))
		case jt.Kind == joints.Universal && (jt.Geared(1) || jt.Prescribed(1)):
			return fmt.Sprintf("motion and armature of the second freedom of joint %q have no gradients in lanes", m.JointName(j))
		}
	}
	if c.rareForces {
		return "forces that are evaluated one state at a time have no gradients in lanes"
	}
	return ""
}

// backward makes the tapes of gradients.
func (c *compiler) backward() *Backward {
	out := &Backward{Weights: c.Room(6 * len(c.bodies)), Forces: make([]place, len(c.force))}
	list := make([]backJoint, len(c.mech.Joints))
	for j := range list {
		list[j] = backJoint{number: j, solution: c.Room(atSpecial + 1), adjoint: c.Room(atSpecial + 1), stiff: none, damped: none}
	}
	out.Turn = c.Tape(func() {
		for j := range list {
			c.multipliers(list[j].solution, j, c.mech.Joints[j].Prescribed, c.mech.Joints[j].Geared)
			c.addActs(&list[j])
		}
		c.weigh(out.Weights)
	})
	b := &wayBack{out: out, list: list, world: c.Constant(make([]float64, places.Back)...)}
	for range c.bodies {
		b.all = append(b.all, c.Room(places.Back))
	}
	out.Back = c.Tape(func() { c.back(b) })
	out.Verdict = c.Tape(func() { c.sys.verdictWithin(1/kkt.NearTol, kkt.DroppedTol) })
	if c.refusal() == "" {
		out.OverStep = c.overStep(b)
	}
	return out
}

// atSpecial is the place of the multiplier of a row that is not along an axis of P. The six places before it are for the axes of P.
const atSpecial = 6

// backJoint has the numbers of a joint for gradients. Multipliers are along the axes of P, three moments before three forces, then
// atSpecial.
type backJoint struct {
	number            int   // of the joint
	solution, adjoint place // multipliers of the solution, less the forces along freedoms, and of the adjoint solution
	stiff, damped     place // derivatives by coordinates and rates through its springs and dampers; none without
	bare              bool  // forces along freedoms do not count
}

// multipliers adds up the multipliers of joint j along each line in to. Rows may be along the same line: the row of a screw, and rows of
// motion and of armature, which the functions in freedoms tell.
func (c *compiler) multipliers(to place, j int, freedoms ...func(i int) bool) {
	c.OpN(tape.Copy, atSpecial+1, 0, to, c.sys.null)
	rows := c.rowsOf(j)
	if rows == nil || rows.node < 0 {
		return
	}
	jt, row := &c.mech.Joints[j], 0
	take := func(t triple) { // adds the multipliers of the next rows, which are along t
		for i := range t.n {
			if at, line := rows.place(row), to.At(lineOf(t.force, t.first+i)); at < rows.kept {
				c.OpN(tape.Add, 1, 0, line, line, c.sys.x[rows.node].At(at))
			}
			row++
		}
	}
	list, more := triples(jt.Kind)
	for _, t := range list {
		take(t)
	}
	if more {
		c.specialMultiplier(to, j, rows, row)
		row++
	}
	for _, has := range freedoms {
		for i, u := range duals(jt.Kind) {
			if has(i) {
				take(triple{u.force, u.axis, 1})
			}
		}
	}
}

// lineOf returns the number of the line of a force or moment along an axis of P: 0 to 2 for moments, 3 to 5 for forces.
func lineOf(force bool, axis int) int {
	if force {
		return 3 + axis
	}
	return axis
}

// addActs includes the forces along the freedoms of a joint in its multipliers, whose signs are changed: it subtracts them.
func (c *compiler) addActs(b *backJoint) {
	for i, u := range duals(c.mech.Joints[b.number].Kind) {
		tau, ok := c.acts[6*b.number+i]
		if !ok || u.ofS { // a moment about an axis of S is not along the axes of P
			continue
		}
		at := b.solution.At(lineOf(u.force, u.axis))
		c.OpN(tape.Sub, 1, 0, at, at, tau)
	}
}

// weigh adds a solve with the weights of accelerations as the right side of the bodies, and zero in all rows.
func (c *compiler) weigh(weights place) {
	s := c.sys
	for i := range s.pattern.Len() {
		s.OpN(tape.Copy, s.size(int32(i)), 0, s.right[i], s.null)
	}
	for _, r := range s.spare {
		s.OpN(tape.Copy, r.size-r.kept, 0, r.right.At(r.kept), s.null)
	}
	for i := range c.bodies {
		b, w := &c.bodies[i], weights.At(6*i)
		c.Op(tape.Weigh, b.load, w.At(3), w, b.data.At(atWeight), b.axes)
	}
	z := append([]place(nil), s.z...)
	s.solve(s.right, z, 1)
	s.backward(s.x, z, 1)
}

// back adds the derivatives by motion, loads and forces, for all bodies, joints and force elements.
func (c *compiler) back(b *wayBack) {
	out, world := b.out, b.world
	for i := range 3 {
		c.Set(world.At(places.BackAxes+4*i), 1)
	}
	c.OpN(tape.Copy, places.Back-places.BackRotation, 0, world.At(places.BackRotation), c.sys.null)
	for i := range c.bodies {
		x, at := &c.bodies[i], b.all[i]
		c.Op(tape.Unweigh, at.At(places.BackTurn), x.x, x.axes, x.data.At(atWeight), c.sys.record.At(notFinite))
		c.Op(tape.BackBody, at, x.state, x.axes, x.data.At(atCom), x.a)
		c.Op(tape.BackEuler, at, x.data.At(places.Inertia), x.axes)
		out.Motion, out.Loads = append(out.Motion, at.At(places.BackRotation)), append(out.Loads, at.At(places.BackTurn))
	}
	for j := range b.list {
		jt := &c.mech.Joints[j]
		if jt.Kind != joints.Free {
			c.backJoint(out, &b.list[j], b.end(jt.Pred), b.end(jt.Succ))
		}
	}
	for i := range c.mech.Forces {
		c.Passing()
		switch e := &c.mech.Forces[i]; e.Kind {
		case model.Wrench:
			c.backWrench(e, b.end(e.A.Body))
		case model.SpringDamper:
			c.backSpring(e, i, b.end(e.A.Body), b.end(e.B.Body))
		}
		c.Lasting()
	}
}

// backJoint adds the cotangents by the rows, forces and motion of a joint, theory.md (D11), (D12), and stores the derivatives by its
// generalized forces.
func (c *compiler) backJoint(out *Backward, b *backJoint, P, S place) {
	j := b.number
	c.multipliers(b.adjoint, j, c.mech.Joints[j].Prescribed, c.mech.Joints[j].Geared)
	c.Passing()
	at := c.backFrames(j, P, S)
	frame := at.At(places.BackFrame)
	c.Op(tape.BackAlong, at.At(places.BackMoment), frame, b.solution)
	c.Op(tape.BackAlong, at.At(places.BackRowTurn), frame, b.adjoint)
	for i := range out.Forces[6*j:][:6] {
		if c.force[6*j+i].Is() {
			out.Forces[6*j+i] = c.LastingRoom(1)
		}
	}
	acts := func() {
		c.Op(tape.BackActs, at, P, S)
		c.OpN(tape.Copy, places.BackJoint-places.BackTheta, 0, at.At(places.BackTheta), c.sys.null)
		byGap := c.backPush(b, at, P)
		c.backSprings(b, at)
		if rho := at.At(places.BackRho); byGap.Is() {
			c.OpN(tape.Add, 3, 0, rho, rho, byGap)
		}
	}
	rest := c.backLines(b, at, P, S, out.Forces[6*j+1], acts)
	for i, u := range duals(c.mech.Joints[j].Kind) {
		if x := out.Forces[6*j+i]; x.Is() && !u.ofS {
			c.OpN(tape.Copy, 1, 0, x, at.At(places.BackLines+lineOf(u.force, u.axis)))
		}
	}
	c.Op(tape.BackJoint, at, P, S)
	rest()
	c.Lasting()
}

// backLines adds the derivatives through a line that is not along an axis of P, if the type of joint has one. acts adds the derivatives
// that need the whole wrench on S, so backLines calls it after that line is in the wrench. It returns the function to be called behind
// BackJoint, for a joint that slides.
func (c *compiler) backLines(b *backJoint, at, P, S, force place, acts func()) (rest func()) {
	kind := c.mech.Joints[b.number].Kind
	switch {
	case kind == joints.Universal:
		c.backBent(b, at, P, S, force, acts)
	case kind == joints.Distance:
		byN := c.backRod(b, at, acts)
		return func() {
			c.backRodSlide(b.number, at, byN)
			c.Op(tape.BackSlider, at, P, S)
		}
	default:
		acts()
	}
	if isPinned(kind) {
		return func() {}
	}
	return func() {
		rate, rho := at.At(places.BackRate), at.At(places.BackRho)
		c.plus(rate, c.allowed(kind, at, at.At(places.BackPast)), c.Shared(2))
		c.OpN(tape.Add, 3, 0, rho, rho, c.allowed(kind, at, at.At(places.BackDb)))
		c.Op(tape.BackSlider, at, P, S)
	}
}

// backSprings adds the derivatives by coordinates and rates through the springs and dampers of a joint: stiffness or damping times the
// derivative by the force along the line, with the sign of tape.BackAlong.
func (c *compiler) backSprings(b *backJoint, at place) {
	j := b.number
	jt, d := &c.mech.Joints[j], c.mech.Drive(j)
	if d == nil {
		return
	}
	for i, u := range duals(jt.Kind) {
		if u.ofS {
			continue
		}
		numbers, line := c.ofDrive(6*j+i), lineOf(u.force, u.axis)
		own, by := numbers.Is(), at.At(places.BackLines+line)
		if !own {
			numbers = c.Shared(d.Stiffness[i], d.Stiffness[i]*d.Rest[i], d.Damping[i])
		}
		product := func(list *place, x place) { // x times the derivative by the force, in list
			if !list.Is() {
				*list = c.Constant(make([]float64, 6)...)
			}
			c.OpN(tape.Scaled, 1, 0, list.At(line), c.sys.null, by, x)
		}
		if d.Stiffness[i] != 0 && (u.force || c.isSprungAngle(j, i)) || own && u.force {
			product(&b.stiff, numbers.At(Stiffness))
			if !u.force {
				c.backTilt(b, at)
			}
		}
		if own || d.Damping[i] != 0 {
			product(&b.damped, numbers.At(Damping))
		}
	}
	if b.stiff.Is() {
		c.Op(tape.BackAlong, at.At(places.BackTheta), at.At(places.BackFrame), b.stiff)
	}
	if b.damped.Is() {
		c.Op(tape.BackAlong, at.At(places.BackRateTurn), at.At(places.BackFrame), b.damped)
	}
}

// verdictWithin is verdict with smaller limits of the ratio of a scale to its pivot, overPivot, and of the pivot of a weak row, doubt.
func (s *system) verdictWithin(overPivot, doubt float64) {
	l, weak := s.limits()
	l.overPivot, l.doubt = math.Min(l.overPivot, overPivot), math.Min(l.doubt, doubt)
	s.judgeBy(l, weak, s.Shared(1))
}
