package kkt

import (
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/mechanism"
)

// Options choose how a mechanism is solved. The zero value is the default.
type Options struct {
	Ordering order.Ordering // method of the elimination order; Auto compares several and takes the one with the least work
	Epsilon  float64        // proximal term relative to each constraint's scale; 0 stands for DefaultEpsilon
	Threads  int            // goroutines that the analysis and a Solver use, MaxThreads at most; 0 stands for 1. Results have the same bits for any number

	// Order is an elimination order of the user, Order[new] = old, in nodes of Plan.Layout; nil stands for an order by Ordering. Beside an
	// Order, Ordering has to be Auto. It has to obey the tile rule (order.CheckTileRule); order.OfBodies makes such an order from a list of
	// bodies. All ways to solve the system use it. Systems with fewer unknowns (Plan.Groups) or more (motion.Newton) take bodies in the
	// same order. Other systems find orders of their own: Inverse, ik, modes, ranks and orthogonal factors.
	Order []int32

	// MaxFlops and MaxNonZeros bound the work of a factorization and the size of the factor. 0 stands for no bound;
	// in rung.NewPlan a MaxNonZeros of 0 stands for DefaultMaxNonZeros. NewPlanContext refuses a mechanism beyond them before it allocates
	// memory for the factor.
	MaxFlops, MaxNonZeros int64
}

// MaxThreads is the largest number of threads. Each has memory of its own.
const MaxThreads = 1024

// DefaultMaxNonZeros is the largest size of a factor that rung.NewPlan and the runs of studies plan if
// Options.MaxNonZeros is 0: 16 GB of numbers. A ladder of 10⁷ bodies has half as many; an irregular net of some 30 000
// bodies, a document of 15 MB, has more.
const DefaultMaxNonZeros = 2_000_000_000

// DefaultEpsilon is the proximal term relative to the scale of each constraint row, ε of
// theory.md (15). A row whose pivot, relative to its scale, is below 1e3·ε is taken for
// redundant. That limit is above rounding and below true pivots.
const DefaultEpsilon = 1e-12

// Plan is everything about a mechanism that does not depend on its state: the
// graph, the pattern of the KKT system, the elimination order and the
// structure of the factor. It is immutable; any number of goroutines may make
// Solvers of it.
type Plan struct {
	mech       *mechanism.Mechanism
	layout     *assemble.Layout
	symbolic   *factor.Symbolic
	lean       *leanPlan   // the system without spare rows, or in an order around hubs; nil without
	orthogonal bool        // Solvers begin with orthogonal factors: they solve, but every order loses pivots of rows that count
	ground     *groundPlan // nil if too few bodies hang on the ground
	ordering   order.Ordering
	own        []int32 // Options.Order, nil without
	candidates []factor.Candidate
	epsilon    float64
	threads    int
	length     []float64 // by body: ℓ, m (assemble.Layout.LengthsTo)
	spread     spread    // where inertias of very different size meet
	measure    measure   // of spread
	edition    uint64    // edition of the bodies and joints from which length and spread were computed (follow)
	spans      *spans    // analyses of orthogonal factorizations
	geared     *Plan     // plan of the system with armature, which solvers solve; nil without armature
	held       []held    // directions without inertia
}

// Mechanism returns the compiled mechanism.
func (p *Plan) Mechanism() *mechanism.Mechanism {
	p.mustBe()
	return p.mech
}

// Layout returns the places of bodies and joints in the KKT system.
func (p *Plan) Layout() *assemble.Layout {
	p.mustBe()
	return p.layout
}

// Initial returns a copy of the state written in the model.
func (p *Plan) Initial() *mechanism.State {
	p.mustBe()
	return p.mech.Initial()
}

// Ordering returns the elimination order in use, never Auto; order.Own for Options.Order.
func (p *Plan) Ordering() order.Ordering {
	p.mustBe()
	return p.ordering
}

// Candidates returns the orders that the analysis compared, with their work.
func (p *Plan) Candidates() []factor.Candidate {
	p.mustBe()
	return append([]factor.Candidate(nil), p.candidates...)
}

// Groups returns the groups of bodies that hang on the world by few freedoms and are eliminated with
// their joints before the factorization, and the analysis of the reduced system that a Solver
// then factors. Counts and Order are of the whole system, which a Solver factors only if the reduced
// one fails. Both results are nil if there are too few such bodies to pay, and if an order around hubs takes less work (theory.md, "Hubs").
func (p *Plan) Groups() (*assemble.Groups, *factor.Symbolic) {
	p.mustBe()
	if p.ground == nil {
		return nil, nil
	}
	return p.ground.ground, p.ground.symbolic
}

// Counts returns size and work of the factorization.
func (p *Plan) Counts() factor.Counts {
	p.mustBe()
	return p.symbolic.Counts
}

// Lean returns the system without spare rows, with which a Solve begins. Spare rows depend on the other rows at the state written in the
// model and near it (theory.md, "Spare rows"). Lean is nil if that state does not tell them, if leaving rows out would not pay, and
// for long masts, whose order serves Solvers alone (theory.md, "Rows of long masts").
// In an order around hubs there may be no spare rows (theory.md, "Hubs"). A solution is accepted if the spare rows hold as the others do,
// to 1e-12 of their terms.
func (p *Plan) Lean() *Lean {
	p.mustBe()
	l := p.lean.forOthers()
	if l == nil {
		return nil
	}
	return l.public(p.epsilon)
}

// Order returns the nodes of the KKT system in elimination order; node i is
// body i, or a joint (see assemble.Layout).
func (p *Plan) Order() []int32 {
	p.mustBe()
	return append([]int32(nil), p.symbolic.Order()...)
}

// Options returns the options in effect: the given ones, with defaults in place of zeros. A
// plan made by Replan has the Ordering of its origin.
func (p *Plan) Options() Options {
	p.mustBe()
	o := Options{Ordering: p.ordering, Order: slices.Clone(p.own), Epsilon: p.epsilon, Threads: p.threads}
	if len(p.candidates) > 1 || p.own != nil {
		o.Ordering = order.Auto
	}
	return o
}

// Symbolic returns the analysis of the whole system, for factors of other matrices with its pattern.
func (p *Plan) Symbolic() *factor.Symbolic {
	p.mustBe()
	return p.symbolic
}

// groundPlan is the analysis of a reduced system.
type groundPlan struct {
	ground   *assemble.Groups
	symbolic *factor.Symbolic
}

// mustBe panics unless p has been made by NewPlan or one of its kin.
func (p *Plan) mustBe() {
	if p == nil || p.mech == nil {
		panic("kkt: zero Plan; use NewPlan")
	}
}

// mustHaveState panics without a state.
func mustHaveState(st *mechanism.State) {
	if st == nil {
		panic("kkt: no state")
	}
}

// mustHaveJoint panics unless there is a joint j.
func (p *Plan) mustHaveJoint(j int) {
	if uint(j) >= uint(p.mech.NumJoints()) {
		panic("kkt: joint out of range")
	}
}

// dynamic returns the plan of the system that solvers of the dynamics solve: p.geared, or p without armature.
func (p *Plan) dynamic() *Plan {
	if p.geared != nil {
		return p.geared
	}
	return p
}

// Dynamics returns the plan of the system that solvers of the dynamics solve. It has the flywheels of armature (assemble.NewGeared);
// without armature it is p itself.
func (p *Plan) Dynamics() *Plan {
	p.mustBe()
	return p.dynamic()
}

// first returns the first scalar of the system that is a constraint row: bodies and flywheels come before.
func (p *Plan) first() int { return int(p.layout.Pattern.Off[p.layout.FirstJoint()]) }

// gears returns the number of rows of armature, and of unknowns of flywheels. They are no constraints.
func (p *Plan) gears() int {
	_, n := p.layout.Flywheels()
	return n
}

// bodiesOf returns the bodies of the joint of a node, without its flywheel.
func (p *Plan) bodiesOf(node int) []int32 {
	q := p.layout.Pattern
	list := q.Ind[q.Ptr[node]:q.Ptr[node+1]]
	if n := len(list); n > 0 && int(list[n-1]) >= p.mech.NumBodies() {
		return list[:n-1]
	}
	return list
}

// isGeared reports whether a freedom that is not prescribed has armature.
func (p *Plan) isGeared() bool {
	for _, j := range p.mech.Geared() {
		if p.mech.Joints[j].NumGeared() > 0 {
			return true
		}
	}
	return false
}

// follow computes the lengths of bodies and the spread of inertias anew after inputs have changed bodies or joints
// (mechanism.Inputs.Vary). A plan whose mechanism has such inputs belongs to one goroutine at a
// time.
func (p *Plan) follow() {
	if p.geared != nil {
		p.geared.follow()
	}
	e := p.mech.Edition()
	if e == p.edition {
		return
	}
	p.edition = e
	p.layout.LengthsTo(p.length)
	p.spread = p.measure.of(p.layout, p.length)
}
