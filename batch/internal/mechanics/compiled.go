package mechanics

import (
	"slices"

	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/kkt"
)

// Compiled has the tapes of a mechanism, their workspace, and the places there that users of the tapes read and write.
type Compiled struct {
	*program.Program
	Tapes

	Input        program.Place // the state
	Bodies       []BodyPlaces
	Motions      []Prescribed
	Angles       []CarriedAngle
	RareJoints   []RareJoint
	RareForces   bool          // the forces on the bodies are evaluated one state at a time
	SpareRows    int           // number of spare rows, which are not in the system
	Record       program.Place // record of a solve (package places)
	Mask, Holds  program.Place // 1 in lanes that need a correction; 1 in lanes that have passed the checks
	RareNames    []string      // names of the parts that are evaluated one state at a time
	SteppedAlone string        // why states are stepped alone; empty if they are stepped in lanes
	*Backward                  // gradients; nil unless made by CompileAdjoint
}

// BodyPlaces has the places of a body that users of the tapes read and write.
type BodyPlaces struct {
	State        program.Place
	Acceleration program.Place // angular, and of the centre of mass, in world axes
	Wrench       program.Place // force and moment of the state, none without
}

// Tapes are the programs of a mechanism.
type Tapes struct {
	Fixed   []tape.Op // results that depend on constants alone
	Stage   []tape.Op // accelerations and multipliers
	Judge   []tape.Op // residuals and the estimate of the error
	Refine  []tape.Op // a correction
	Answers []tape.Op // accelerations in world axes, and the checks of a solve
	Steps   *Stepper  // nil if states are stepped alone
}

// MaxPlaces is the largest size of the workspace. A place is a number in each lane, 64 bytes. An operand is an offset of 32 bits in bytes,
// and shared numbers have the places from 2²⁶ on (program.Place), so 2²⁶ would be too many. Larger mechanisms are for kkt.Solver, whose
// lanes run over bodies.
const MaxPlaces = 1 << 22

// Compile makes the tapes of the mechanism of a plan, for states of the form s. With wrenches, states have a wrench on each body. It
// returns nil if the workspace takes more than MaxPlaces.
//
// Cost: O(bodies + joints + entries of the factor), some 0.5 ms a body. A mechanism that is too large is refused in the time of a plan.
func Compile(p *kkt.Plan, s *State, wrenches bool) *Compiled {
	r := newReduction(p.Dynamics())
	if r.leastPlaces() > MaxPlaces {
		return nil
	}
	c := newCompiler(p, r, s, wrenches)
	if int64(c.Places())+c.sys.factorPlaces() > MaxPlaces {
		return nil
	}
	out := c.compiled()
	if out.SteppedAlone = c.refusal(); out.SteppedAlone == "" {
		out.Steps = c.steps(out.Stage)
	}
	return c.finish(out)
}

// compiled makes the tapes of a solve, without those of steps.
func (c *compiler) compiled() *Compiled {
	out := &Compiled{Program: c.Program, Input: c.input, Record: c.sys.record, Mask: c.sys.mask, Holds: c.sys.holds,
		SpareRows: c.sys.spareRows(), RareForces: c.rareForces}
	out.Stage = c.stage()
	out.Judge = c.Tape(c.sys.judgeFirst)
	out.Refine = c.Tape(c.sys.refine)
	out.Answers = c.Tape(func() {
		c.results()
		c.sys.verdict()
	})
	return out
}

// finish adds the tape of constants and the lists of places, which are complete once all other tapes are made. It returns nil if the
// workspace takes more than MaxPlaces.
func (c *compiler) finish(out *Compiled) *Compiled {
	out.Fixed = c.OfConstants()
	for _, b := range c.bodies {
		out.Bodies = append(out.Bodies, BodyPlaces{b.state, b.a, b.wrench})
	}
	out.RareJoints = c.rareJoints
	out.Motions, out.Angles, out.RareNames = c.motions, c.angles, c.rareNames()
	if out.Places() > MaxPlaces {
		return nil
	}
	return out
}

// rareNames names the joints, couplings and forces that are evaluated one state at a time.
func (c *compiler) rareNames() (list []string) {
	for _, x := range c.rareJoints {
		list = append(list, c.plan.Layout().NodeName(int(x.Node)))
	}
	if c.rareForces {
		list = append(list, "forces")
	}
	return list
}

// stage returns the tape of accelerations and multipliers.
func (c *compiler) stage() []tape.Op {
	return c.Tape(func() {
		c.evaluate()
		c.sys.factorize()
		c.sys.backward(c.sys.x, c.sys.z, 1)
	})
}

// solve returns the tapes of a solve, in the order in which they run.
func (c *Compiled) solve() []*[]tape.Op {
	return []*[]tape.Op{&c.Stage, &c.Judge, &c.Refine, &c.Answers}
}

// ways returns the tapes of gradients.
func (c *Compiled) ways() (list []*[]tape.Op) {
	b := c.Backward
	if b == nil {
		return nil
	}
	list = []*[]tape.Op{&b.Turn, &b.Back, &b.Verdict}
	if s := b.OverStep; s != nil {
		list = append(list, &s.Ends, &s.Judges, &s.Results, &s.Passes, &s.Face, &s.Join)
		list = append(list, &s.Euler.Ahead, &s.Euler.Ends, &s.Euler.Moved, &s.Euler.Slopes)
		for k := range s.Over {
			list = append(list, &s.Ahead[k], &s.Again[k], &s.Slopes[k], &s.Over[k])
		}
	}
	return list
}

// foreseen is the number of jumps from an instruction to one of another code that a processor foresees. Another value costs time only.
const foreseen = 1600

// Schedule reorders the instructions of each tape so that they wait less for each other or, where there are many, so that those of one
// code stand in runs. It panics if an operand is outside the workspace and the shared numbers.
func (c *Compiled) Schedule() {
	c.schedule([]*[]tape.Op{&c.Fixed})
	c.schedule(c.solve(), c.ways()...)
	if s := c.Steps; s != nil { // the stages differ in their ends alone, and the last one is the longest
		c.schedule([]*[]tape.Op{&s.Stages[3]}, &s.Stages[0], &s.Stages[1], &s.Stages[2])
		c.schedule([]*[]tape.Op{&s.Euler})
	}
}

// schedule reorders the instructions of tapes that run one behind the other, by their number of jumps, and in the same way the ones of
// other tapes.
func (c *Compiled) schedule(list []*[]tape.Op, others ...*[]tape.Op) {
	jumps := 0
	for _, ops := range slices.Concat(list, others) {
		if !tape.Check(*ops, c.Places(), len(c.Numbers())) {
			panic("mechanics: tape out of its workspace")
		}
	}
	was := make([][]tape.Op, len(list)) // the tapes of list before
	for i, ops := range list {
		was[i], *ops = *ops, tape.Schedule(*ops, c.Places())
		jumps += tape.Jumps(*ops)
	}
	order := tape.Schedule
	if jumps > foreseen {
		order = tape.ScheduleRuns
		for i, ops := range list {
			*ops = order(was[i], c.Places())
		}
	}
	for _, ops := range others {
		*ops = order(*ops, c.Places())
	}
}
