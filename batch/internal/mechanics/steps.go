package mechanics

import (
	"math"

	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/joints"
)

// Stepper has the tapes of steps.
type Stepper struct {
	Stages [4][]tape.Op // of RungeKutta4: accelerations, the checks, and the next state; the last one also closes the joints
	Euler  []tape.Op    // the step of SemiImplicit

	Parts program.Place // two numbers for each stage of RungeKutta4: the time from the beginning of the step to the next stage; its weight
}

// offPivot is the least pivot, relative to its scale, with which a row counts as not redundant at the beginning of a step in lanes. Steps
// leave states off their joints, at worst by a thousandth of the lengths. There rows that are redundant on the joints have pivots of
// the size of the square of that, and the force of such a row that is not taken for redundant may be huge.
const offPivot = 1e-6

// nearPivot is a factor on the least pivot of the initial pose. A row with a larger pivot counts as not redundant even below offPivot: the
// pose has then gone no more than three quarters of the way to a singular one.
const nearPivot = 1. / 16

// leastPivot returns offPivot, or less for mechanisms whose pivots are small at the initial state, such as those with slender rods.
func (c *compiler) leastPivot() float64 {
	solver := c.plan.NewSolver()
	if c.mech.NumOwn() > 0 || solver.Solve(c.plan.Initial()) != nil { // forces that a program has added may not apply to the initial state
		return offPivot
	}
	near, _ := solver.Nearness()
	return leastOf(near)
}

// leastOf is leastPivot for the nearness of the initial state, the root of its least pivot.
func leastOf(near float64) float64 { return max(smallPivot, min(offPivot, nearPivot*near*near)) }

// offSpare returns the largest residual of a spare row at a stage, relative to its terms. A row at this angle to the span of the others has
// a pivot at the limit up to which rows count as redundant.
func (c *compiler) offSpare() float64 { return math.Sqrt(factor.WeakPivot * c.plan.Options().Epsilon) }

// join returns one tape with the instructions of several, one behind the other.
func join(list ...[]tape.Op) (all []tape.Op) {
	for _, ops := range list {
		all = append(all, ops[:len(ops)-1]...)
	}
	return append(all, tape.Op{Code: tape.End})
}

// refusal names the parts of the mechanism that cannot be stepped in lanes. It is empty if all can.
func (c *compiler) refusal() string {
	m := c.mech
	if len(c.rareJoints) > 0 {
		return "composite joints, wheels that roll, curves or couplings"
	}
	for _, x := range c.motions {
		switch m.Joints[x.Joint].Kind {
		case joints.Revolute, joints.Prismatic, joints.Cylindrical, joints.Planar:
		default:
			return "prescribed freedoms of universal, helical or composite joints"
		}
	}
	for j := range m.Joints {
		if m.Joints[j].Kind == joints.Helical {
			return "helical joints"
		}
	}
	return ""
}

// steps makes the tapes of steps; stage is the tape of accelerations and multipliers.
func (c *compiler) steps(stage []tape.Op) *Stepper {
	s := &Stepper{Parts: c.Room(8)}
	var rates, over []place // by body: its rates; its state at the beginning of the step, the rotation since then, and sums over stages
	accelerations := c.Tape(func() {
		c.spread()
		rates = c.rates()
		for range c.bodies {
			over = append(over, c.Room(overPlaces))
		}
	})
	first, later := c.stageChecks()
	for k, code := range [4]tape.Code{tape.FirstStage, tape.NextStage, tape.NextStage, tape.LastStage} {
		judge := later
		if k == 0 {
			judge = first
		}
		s.Stages[k] = join(stage, accelerations, judge, c.Tape(func() {
			for i := range c.bodies {
				c.Op(code, c.bodies[i].state, over[i], rates[i], s.Parts.At(2*k), c.sys.record)
			}
		}))
	}
	move := c.Tape(c.moveAll)
	pinned := c.Tape(c.pinAll)
	back := c.Tape(func() {
		c.closeJoints()
		c.followAngles()
	})
	s.Stages[3] = join(s.Stages[3], pinned, back)
	s.Euler = join(without(stage, tape.Departure), move, first, back)
	return s
}

// stageChecks returns the tapes of the checks of the first stage and of the later ones. A stage has to be finite, with positive pivots of
// bodies, and with as many redundant rows as the first one; rows of the first stage have to have the least pivot (leastPivot).
func (c *compiler) stageChecks() (first, later []tape.Op) {
	weak, inf := c.Room(1), math.Inf(1)
	l := limits{error: inf, overPivot: 1 / c.leastPivot(), doubt: inf, bodyPivot: bodyTol, notUnit: unitTol, bad: inf}
	lean := c.sys.lean != nil
	if lean {
		weak, l.bad = c.sys.null, 0
	}
	judge := func(before place) {
		if lean {
			c.sys.measure()
			c.sys.askSpare(c.offSpare(), restTerm)
		}
		c.sys.judgeBy(l, weak, before)
	}
	first = c.Tape(func() {
		if !lean {
			c.OpN(tape.Copy, 1, 0, weak, c.sys.record.At(weakRows))
		}
		judge(c.Shared(1))
	})
	if l.overPivot = inf; lean {
		l.overPivot = 1 / (leanMargin * c.sys.lean.Least)
	}
	later = c.Tape(func() { judge(c.sys.holds) })
	return first, later
}

// without returns a copy of a tape without the instructions of one code.
func without(list []tape.Op, code tape.Code) (out []tape.Op) {
	for _, o := range list {
		if o.Code != code {
			out = append(out, o)
		}
	}
	return out
}

// moveAll adds the step of SemiImplicit for all bodies, and their axes after it. The bodies of a group of hinges turn by
// the step, and are then moved onto their pins, parents first. The instructions also record the distance of quaternions from
// length one, so the stage before the step needs no Departure.
func (c *compiler) moveAll() {
	for i := range c.bodies {
		b, h := &c.bodies[i], c.reduced.of[i]
		if h != nil && h.group.ofHinges {
			continue
		}
		if h != nil {
			c.spreadTo(b.x, h, c.sys.x[h.group.node], h.c())
		}
		c.Op(tape.Euler, b.state, b.x, b.axes, b.data, c.sys.record)
	}
	c.eachOnPins(func(h *treeBody) {
		b, z, constants := &c.bodies[h.body], c.sys.x[h.group.node], c.hingeConstants(h)
		if c.rootHinge(h) {
			c.Op(tape.EulerRoot, b.state, h.N, b.axes, constants, c.sys.record, z.At(h.from))
			return
		}
		c.spreadTo(b.x, h, z, h.c())
		c.pinOnto(h.pin, h)
		c.Op(tape.EulerPin, b.state, b.x, b.axes, constants, c.sys.record)
	})
}

// pinAll adds the instructions that move the bodies of groups of hinges onto their pins, and the axes of all bodies.
func (c *compiler) pinAll() {
	for i := range c.bodies {
		if b := &c.bodies[i]; !c.onPins(c.reduced.node[i]) {
			c.Op(tape.Axes, b.axes, b.state.At(atRotation))
		}
	}
	c.eachOnPins(func(h *treeBody) {
		c.pinOnto(h.pin, h)
		b := &c.bodies[h.body]
		c.Op(tape.PutOnPin, b.state, b.axes, c.hingeConstants(h), h.pin, c.sys.record.At(places.Violation))
	})
}

// eachOnPins calls do for the bodies of groups of hinges, parents first.
func (c *compiler) eachOnPins(do func(h *treeBody)) {
	for _, g := range c.reduced.groups {
		for _, h := range g.bodies {
			if g.ofHinges {
				do(h)
			}
		}
	}
}

// closeJoints adds one correction that closes the joints, of poses and of velocities, with the factor of the last stage.
func (c *compiler) closeJoints() {
	errs := c.violations()
	// Two right sides and solutions, one behind the other: displacements and changes of velocity.
	c.reduceErrors(errs)
	var dx, z []place
	for i := range c.sys.order {
		n := c.sys.size(int32(i))
		dx, z = append(dx, c.Room(2*n)), append(z, c.Room(2*n))
		if !errs[i].Is() {
			z[i] = none
		}
	}
	c.sys.solve(errs, z, 2)
	c.sys.backward(dx, z, 2)
	for i := range c.bodies { // what rounding of a plane motion leaves across the plane decreases with each step
		c.moveBack(i, dx[c.reduced.node[i]])
	}
}

// moveBack adds the motion of body i by the two solutions x of its node, the displacement and the change of velocity.
func (c *compiler) moveBack(i int, x place) {
	b, h := &c.bodies[i], c.reduced.of[i]
	switch {
	case h == nil:
	case c.rootHinge(h):
		c.OpN(tape.MovedRoot, h.group.dof, 0, b.state, h.N, b.axes, c.hingeConstants(h), c.sys.record, x.At(h.from))
		return
	default:
		own := c.sys.null
		if !h.group.ofHinges {
			own = h.correction
		}
		x = c.bothTo(c.Room(12), h, x, own)
	}
	c.Op(tape.Moved, b.state, x, b.axes, b.data, c.sys.record)
}

// bothTo adds spreadTo for the two solutions z of the group of a body, one behind the other, with results in out. It returns out.
func (c *compiler) bothTo(out place, h *treeBody, z, own place) place {
	for k := range 2 {
		c.spreadTo(out.At(6*k), h, z.At(k*h.group.dof), own.At(6*k))
	}
	return out
}

// rates adds the accelerations of all bodies, and returns their places: six numbers a body, world axes, the acceleration of the origin
// of its frame before the angular one. The record notes numbers that are not finite.
func (c *compiler) rates() (list []place) {
	for i := range c.bodies {
		b := &c.bodies[i]
		out := c.Room(6)
		c.Op(tape.Rate, out, b.x, b.axes, b.data, c.sys.record.At(notFinite))
		list = append(list, out)
	}
	return list
}
