package mechanics

import (
	"math"

	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
)

// OverStep has the tapes that differentiate a step of RungeKutta4 backwards, docs/theory.md (V4), and the closing after it, (V6). Motion
// has the derivatives by the end of the step before Join, and the derivatives by its beginning afterwards.
//
// First the step is computed again: Stage and Ahead for the first three stages, and the last stage without accelerations. Ends distributes
// the derivatives by the end to all stages. Then come the stages from the last one to the first: Again, Stage, Results, Slopes, Turn, Back
// and Over.
type OverStep struct {
	Ahead [4][]tape.Op // after the accelerations of a stage: keeps its state, and goes on to the state of the next stage, or of the end
	Again [4][]tape.Op // puts the kept state of a stage back
	Ends  []tape.Op
	// Slopes computes the weights of the accelerations of a stage. Over adds the derivatives by its state to those of the stages before.
	Slopes, Over [4][]tape.Op
	// Results converts the accelerations of a stage. Judges and Passes judge both its solves, which are not refined. The pivot of a
	// redundant row may be as large as in a solve: the square of the violation of the joints at the stage. But such rows have to hold for
	// both solutions.
	Judges, Results, Passes []tape.Op

	// At the state at which the system has been solved last: Face reads the bodies, and Join differentiates the closing backwards.
	Face, Join []tape.Op
	Parts      program.Place // Stepper.Parts
	Euler      OverEuler
}

// OverEuler has the tapes that differentiate a step of SemiImplicit backwards. With Again and Over of the first stage of OverStep, they run
// in this order: Stage, Results, Ahead, Ends, Moved, Again, Slopes, Turn, Back and Over. After Moved the state is the end of the step.
type OverEuler struct {
	Ahead, Ends, Moved, Slopes []tape.Op
	Part                       program.Place // two numbers: zero, and the step
}

// wayBack has the places that the tapes of gradients share.
type wayBack struct {
	out   *Backward
	list  []backJoint
	all   []place // by body: its intermediate results, places.Back numbers
	world place   // the same for the world
}

// end returns the intermediate results of a body, or of the world.
func (b *wayBack) end(body int32) place {
	if body < 0 {
		return b.world
	}
	return b.all[body]
}

// overStep makes the tapes that differentiate a step backwards.
func (c *compiler) overStep(b *wayBack) *OverStep {
	s := &OverStep{Parts: c.Room(8)}
	series := c.Shared(tape.Dexp[:]...)
	var over, step []place     // by body: its numbers over the step as in Stepper; its derivatives, places.StepBack
	var kept, turns [4][]place // by stage and body: the state, and the rotation since the beginning of the step
	for range c.bodies {
		over, step = append(over, c.Room(overPlaces)), append(step, c.Room(places.StepBack))
		for k := 1; k < 4; k++ {
			kept[k], turns[k] = append(kept[k], c.Room(bodyPlaces)), append(turns[k], c.Room(3))
		}
	}
	kept[0] = over // its first numbers are the state at the beginning of the step
	each := c.eachBody
	for k, code := range [4]tape.Code{tape.FirstStage, tape.NextStage, tape.NextStage, tape.LastStage} {
		part := s.Parts.At(2 * k)
		s.Ahead[k] = c.Tape(func() {
			rates := c.rates()
			for i := range c.bodies {
				state := c.bodies[i].state
				c.Op(code, state, over[i], rates[i], part, c.sys.record)
				if k < 3 {
					c.OpN(tape.Copy, bodyPlaces, 0, kept[k+1][i], state)
					c.OpN(tape.Copy, 3, 0, turns[k+1][i], over[i].At(bodyPlaces))
				}
			}
		})
		s.Again[k] = each(func(i int, body *bodyPlace) { c.OpN(tape.Copy, bodyPlaces, 0, body.state, kept[k][i]) })
		s.Slopes[k] = each(func(i int, body *bodyPlace) {
			c.Op(tape.BackSlopes, step[i], body.axes, body.data.At(atCom), none, part, b.out.Weights.At(6*i))
		})
		s.Over[k] = each(func(i int, _ *bodyPlace) {
			if k == 0 {
				c.Op(tape.BackStart, step[i], b.all[i])
			} else {
				c.Op(tape.BackStage, step[i], b.all[i], turns[k][i], series)
			}
		})
	}
	s.Ends = each(func(i int, body *bodyPlace) {
		c.Op(tape.BackEnd, body.state, over[i], b.all[i], s.Parts.At(6), step[i], series)
	})
	s.Face = each(func(i int, body *bodyPlace) {
		c.Op(tape.BackBody, b.all[i], body.state, body.axes, body.data.At(atCom), body.a)
	})
	s.Join = c.Tape(func() { c.joinBack(b) })
	s.Judges = c.Tape(func() { c.sys.judge(stageTerm) })
	s.Results = c.Tape(c.results)
	s.Passes = c.Tape(c.sys.passes)
	s.Euler = c.overEuler(b, over, step)
	return s
}

// stageTerm is restTerm for the stages of a backward step, whose states cannot be solved alone instead. Residuals of rows whose bodies
// hardly move, such as the row of a prescribed motion, are rounding of the whole solution. So rows may be off by 1e-13 of its size.
const stageTerm = 0.1

// passes adds the checks of a stage of a backward step. Its solves are not refined, so the limit of the pivots is one with which they are
// exact to some 1e-11.
func (s *system) passes() {
	l, weak := limits{math.Inf(1), 1 / kkt.NearTol, math.Inf(1), bodyTol, unitTol, 0}, s.record.At(weakRows)
	if s.lean != nil {
		l.overPivot, weak = math.Min(l.overPivot, 1/(leanMargin*s.lean.Least)), s.null
		s.askSpare(rowTol(), stageTerm)
	}
	s.judgeBy(l, weak, s.Shared(1))
}

// eachBody makes a tape of the instructions that do adds for each body.
func (c *compiler) eachBody(do func(i int, body *bodyPlace)) []tape.Op {
	return c.Tape(func() {
		for i := range c.bodies {
			do(i, &c.bodies[i])
		}
	})
}

// overEuler makes the tapes that differentiate a step of SemiImplicit backwards. Its end is computed as by the last stage of RungeKutta4,
// alone and with the velocities at the end.
func (c *compiler) overEuler(b *wayBack, over, step []place) OverEuler {
	s := OverEuler{Part: c.Room(2)}
	h := s.Part.At(1)
	var rates []place
	s.Ahead = c.Tape(func() {
		rates = c.rates()
		for i := range c.bodies {
			state := c.bodies[i].state
			c.OpN(tape.Copy, bodyPlaces, 0, over[i], state)
			c.OpN(tape.Copy, overPlaces-bodyPlaces, 0, over[i].At(bodyPlaces), c.sys.null)
			c.OpN(tape.Scaled, 6, 0, state.At(places.Velocity), state.At(places.Velocity), rates[i], h)
		}
	})
	s.Ends = c.eachBody(func(i int, body *bodyPlace) {
		c.Op(tape.BackEnd, body.state, over[i], b.all[i], s.Part, step[i], c.Shared(tape.Dexp[:]...))
		for _, at := range [2]int{places.StepStart, places.StepEnd} { // poses at the end move by the velocities there
			velocities := step[i].At(at + 6)
			c.OpN(tape.Scaled, 6, 0, velocities, velocities, step[i].At(places.StepEnd), h)
		}
	})
	s.Moved = c.eachBody(func(i int, body *bodyPlace) {
		c.Op(tape.LastStage, body.state, over[i], rates[i], s.Part, c.sys.record)
	})
	s.Slopes = c.eachBody(func(i int, body *bodyPlace) {
		c.Op(tape.BackSlopes, step[i], body.axes, body.data.At(atCom), none, s.Part, b.out.Weights.At(6*i))
		c.OpN(tape.Copy, 6, 0, step[i].At(places.StepSlope), c.sys.null)
	})
	return s
}

// joinBack adds the backward derivative of the closing of a state, theory.md (V6): of the least motion and the least change of velocity
// that close it, with the factor at hand. First it solves for the derivatives v̄ by velocities. With the multipliers ν of the rows, v̄
// becomes v̄ − Jᵀν, and the derivatives by poses get −∂(νᵀJv). The velocities of origins stay as a pose is corrected by ε, so the
// derivative by ε gets k×(ċ̄×ω), too. Then the derivatives by poses are projected by a solve of their own, as those by velocities have
// been.
func (c *compiler) joinBack(b *wayBack) {
	zeros := c.LastingRoom(atSpecial + 1)
	c.OpN(tape.Copy, atSpecial+1, 0, zeros, c.sys.null)
	for i, at := range b.all {
		c.OpN(tape.Copy, 6, 0, b.out.Weights.At(6*i), at.At(places.BackAngular))
		c.OpN(tape.Copy, 3, 0, at.At(places.BackTurn), at.At(places.BackOmega))
		c.Op(tape.AddCross, at.At(places.BackPush), at.At(places.BackOmega), at.At(places.BackArm), at.At(places.BackVelocity))
	}
	c.joinRows(b, func(j *backJoint, at, P, S place) {
		bare := backJoint{number: j.number, solution: j.adjoint, adjoint: zeros, bare: true}
		c.OpN(tape.Copy, 6, 0, at.At(places.BackRowTurn), c.sys.null)
		rest := c.backLines(&bare, at, P, S, none, func() {
			c.Op(tape.BackWrench, at, P.At(places.BackAngular), S.At(places.BackAngular))
			c.Op(tape.BackActs, at, P, S)
			c.OpN(tape.Copy, places.BackJoint-places.BackTheta, 0, at.At(places.BackTheta), c.sys.null)
		})
		c.Op(tape.BackJoint, at, P, S)
		rest()
	})
	for i, at := range b.all {
		w := b.out.Weights.At(6 * i)
		x := c.vector(tape.Cross, at.At(places.BackLinear), at.At(places.BackOmega))
		c.Op(tape.AddCross, w, at.At(places.BackArm), x, at.At(places.BackRotation))
		c.OpN(tape.Copy, 3, 0, w.At(3), at.At(places.BackTravel))
	}
	c.joinRows(b, func(j *backJoint, at, P, S place) {
		bare := backJoint{number: j.number, solution: j.adjoint, bare: true}
		switch c.mech.Joints[j.number].Kind {
		case joints.Universal:
			c.bentLine(&bare, at)
		case joints.Distance:
			c.rodLine(&bare, at)
		}
		c.Op(tape.BackWrench, at, P.At(places.BackRotation), S.At(places.BackRotation))
	})
}

// joinRows adds a solve for the weights, and calls do for each joint that has rows in the system: with the joint, its place, and the places
// of its bodies. The place has the wrench of these rows along the axes of P, with its sign changed. Rows of armature are left out, as they
// are no constraints.
func (c *compiler) joinRows(b *wayBack, do func(j *backJoint, at, P, S place)) {
	c.weigh(b.out.Weights)
	for j := range b.list {
		rows := c.rowsOf(j)
		if rows == nil || rows.node < 0 {
			continue
		}
		jt, x := &c.mech.Joints[j], &b.list[j]
		c.multipliers(x.adjoint, j, jt.Prescribed)
		c.Passing()
		P, S := b.end(jt.Pred), b.end(jt.Succ)
		at := c.backFrames(j, P, S)
		c.Op(tape.BackAlong, at.At(places.BackMoment), at.At(places.BackFrame), x.adjoint)
		do(x, at, P, S)
		c.Lasting()
	}
}
