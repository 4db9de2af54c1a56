package mechanics

import (
	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/kkt"
)

// Compiled is the tapes of a mechanism, with the workspace that they are for and with what those who run them read and write there.
type Compiled struct {
	*program.Program
	Tapes

	Input        program.Place // the state
	Bodies       []BodyPlaces
	Motions      []Prescribed
	Angles       []CarriedAngle
	RareJoints   []RareJoint
	RareForces   bool          // what acts on the bodies is evaluated one state at a time
	SpareRows    int           // rows that the system has been left without
	Record       program.Place // of a solve (package places)
	Mask, Holds  program.Place // one where a lane wants a correction, and where it has passed the checks
	RareNames    []string      // of what is evaluated one state at a time
	SteppedAlone string        // why states are stepped alone; empty if they are stepped in lanes
	*Backward                  // nil but of CompileAdjoint
}

// BodyPlaces is where those who run the tapes find a body.
type BodyPlaces struct {
	State        program.Place
	Acceleration program.Place // of the centre of mass, in world axes
	Wrench       program.Place // force and moment from outside, if there are any
}

// Tapes are the programs of a mechanism: what constants alone decide, accelerations and multipliers, their check, a
// correction, accelerations in world axes with the checks of a solve, and those of steps.
type Tapes struct {
	Fixed, Stage, Judge, Refine, Answers []tape.Op
	Steps                                *Stepper // nil if states are stepped alone
}

// MaxPlaces bounds the workspace: places of a number in each lane, 64 bytes. Operands are 32 bits of bytes, and shared numbers have the
// places from 2²⁶ on (program.Place), so 2²⁶ would be too many. Larger mechanisms are for kkt.Solver, whose lanes run over bodies.
const MaxPlaces = 1 << 22

// Compile makes the tapes of the mechanism of a plan, for states that are so. With wrenches, states have a wrench on each body. It returns
// nil if the workspace takes more than MaxPlaces.
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

// compiled returns what there is without steps.
func (c *compiler) compiled() *Compiled {
	out := &Compiled{Program: c.Program, Input: c.input, Record: c.sys.record, Mask: c.sys.mask, Holds: c.sys.holds,
		SpareRows: c.sys.spareRows(), RareForces: c.rareForces}
	out.Stage = c.stage()
	out.Judge = c.Tape(func() {
		c.sys.judge(restTerm)
		c.sys.wantFirst()
	})
	out.Refine = c.Tape(c.sys.refine)
	out.Answers = c.Tape(func() {
		c.results()
		c.sys.verdict()
	})
	return out
}

// finish adds what is known when all tapes are there. It returns nil if the workspace takes more than MaxPlaces.
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

// rareNames names what has no lanes.
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

// all returns the tapes.
func (c *Compiled) all() []*[]tape.Op {
	list := []*[]tape.Op{&c.Fixed, &c.Stage, &c.Judge, &c.Refine, &c.Answers}
	if b := c.Backward; b != nil {
		list = append(list, &b.Turn, &b.Back, &b.Verdict)
		if s := b.OverStep; s != nil {
			list = append(list, &s.Ends, &s.Judges, &s.Results, &s.Passes, &s.Face, &s.Join)
			list = append(list, &s.Euler.Ahead, &s.Euler.Ends, &s.Euler.Moved, &s.Euler.Slopes)
			for k := range s.Over {
				list = append(list, &s.Ahead[k], &s.Again[k], &s.Slopes[k], &s.Over[k])
			}
		}
	}
	if s := c.Steps; s != nil {
		for k := range s.Stages {
			list = append(list, &s.Stages[k])
		}
		list = append(list, &s.Euler)
	}
	return list
}

// Schedule puts the instructions of the tapes in an order in which they wait less for each other. It panics if a tape leaves
// the workspace or the shared numbers.
func (c *Compiled) Schedule() {
	for _, ops := range c.all() {
		if !tape.Check(*ops, c.Places(), len(c.Numbers())) {
			panic("mechanics: tape out of its workspace")
		}
		*ops = tape.Schedule(*ops, c.Places())
	}
}
