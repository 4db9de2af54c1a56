package kkt

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Options choose how a mechanism is solved. The zero value is the default.
type Options struct {
	Ordering order.Ordering // Auto compares the candidates and takes the least work
	Epsilon  float64        // proximal term relative to each constraint's scale; 0 stands for DefaultEpsilon
	Threads  int            // goroutines that the analysis and a Solver use, MaxThreads at most; 0 stands for 1. Results have the same bits for any number

	// Order is an elimination order of one's own, Order[new] = old, in nodes of Plan.Layout; nil for one by Ordering, which has to be
	// Auto beside it. It has to obey the tile rule (order.CheckTileRule); order.OfBodies makes such an order from one of bodies. All ways to
	// solve the system take it. Those that have fewer unknowns (Plan.Groups) or more (motion.Newton) take bodies as it does.
	// Other systems find orders of their own: Inverse, and those of ik, of modes, of ranks and of orthogonal factors.
	Order []int32

	// MaxFlops and MaxNonZeros bound the work of a factorization and the size of the factor; 0 stands for no bound,
	// and for rung.DefaultMaxNonZeros where a model is planned (rung.NewPlan). A mechanism beyond them is refused before memory for the factor is allocated (NewPlanContext).
	MaxFlops, MaxNonZeros int64
}

// MaxThreads is the largest number of threads. Each has memory of its own.
const MaxThreads = 1024

// DefaultEpsilon is the proximal term relative to the scale of each constraint row, ε of
// theory.md (15). A pivot below 1e3 times that, relative to the scale, is taken for that of a
// redundant row. It is above rounding and below true pivots.
const DefaultEpsilon = 1e-12

// Plan is everything about a mechanism that does not depend on its state: the
// graph, the pattern of the KKT system, the elimination order and the
// structure of the factor. It is immutable; any number of goroutines may make
// Solvers of it.
type Plan struct {
	mech       *mechanism.Mechanism
	layout     *assemble.Layout
	symbolic   *factor.Symbolic
	lean       *leanPlan   // nil without spare rows
	ground     *groundPlan // nil if too few bodies hang on the ground
	ordering   order.Ordering
	own        []int32 // Options.Order, nil without
	candidates []factor.Candidate
	epsilon    float64
	threads    int
	length     []float64 // by body: ℓ, m (assemble.Layout.LengthsTo)
	spread     spread    // where inertias of very different size meet
	measure    measure   // of spread
	edition    uint64    // of the bodies and joints that length and spread are of (follow)
	spans      *spans    // of Report, where rows are redundant
	geared     *Plan     // of the system with armature, which solvers solve; nil without
	held       []held    // directions without inertia
}

// NewPlan analyses a compiled mechanism.
//
// Cost: near-linear in bodies and joints. It panics if mech is nil, an option is out of
// range, or there is an order or a bound on flops or nonzeros, for which NewPlanContext has an error.
func NewPlan(mech *mechanism.Mechanism, o Options) *Plan {
	if o.MaxFlops != 0 || o.MaxNonZeros != 0 || o.Order != nil {
		panic("kkt: bounds and orders are for NewPlanContext")
	}
	p, _ := NewPlanContext(context.Background(), mech, o)
	return p
}

// NewPlanContext is NewPlan, and ends early when ctx does.
//
// It returns the cause for which ctx has ended, a *factor.CostError
// if the mechanism is beyond the bounds of the options, or an error of Options.Order.
func NewPlanContext(ctx context.Context, mech *mechanism.Mechanism, o Options) (*Plan, error) {
	if mech == nil {
		panic("kkt: no mechanism")
	}
	if o.Epsilon == 0 {
		o.Epsilon = DefaultEpsilon
	}
	if !(o.Epsilon > 0 && o.Epsilon < 1e-2) {
		panic("kkt: epsilon out of range")
	}
	if o.Threads < 0 || o.Threads > MaxThreads {
		panic("kkt: number of threads out of range")
	}
	if o.MaxFlops < 0 || o.MaxNonZeros < 0 {
		panic("kkt: bound out of range")
	}
	if o.Order != nil && o.Ordering != order.Auto {
		panic("kkt: two orders")
	}
	p, err := newPlan(ctx, mech, o.Epsilon, max(o.Threads, 1))
	if err != nil {
		return nil, fault.Errorf("kkt: %w", err)
	}
	limits := factor.Limits{Flops: o.MaxFlops, NonZeros: o.MaxNonZeros}
	if o.Order != nil {
		err = p.take(ctx, o.Order, limits)
	} else {
		p.symbolic, p.ordering, p.candidates, err = factor.ChooseContext(ctx, p.layout.Pattern, o.Ordering, p.threads, limits)
	}
	if err == nil {
		err = p.analyse(ctx)
	}
	if err == nil {
		err = p.analyseGeared(ctx)
	}
	if err != nil {
		return nil, fault.Errorf("kkt: %w", err)
	}
	return p, nil
}

// analyse finds what is left of a plan that has an order.
func (p *Plan) analyse(ctx context.Context) (err error) {
	if p.held = newHeld(p.mech); p.held == nil && !p.isGeared() {
		p.ground, err = p.newGroundPlan(ctx)
	}
	if err == nil && p.held == nil && !p.isGeared() && p.ground == nil {
		p.lean, err = p.newLeanPlan(ctx)
	}
	return err
}

// newPlan returns a plan without an order, or the cause for which ctx has ended.
func newPlan(ctx context.Context, mech *mechanism.Mechanism, epsilon float64, threads int) (*Plan, error) {
	return newPlanOn(ctx, assemble.NewLayout(mech), epsilon, threads)
}

// newPlanOn is newPlan for a layout.
func newPlanOn(ctx context.Context, l *assemble.Layout, epsilon float64, threads int) (*Plan, error) {
	mech := l.Mech
	p := &Plan{mech: mech, layout: l, epsilon: epsilon, threads: threads, length: make([]float64, mech.NumBodies()), spans: new(spans)}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	p.layout.LengthsTo(p.length)
	p.spread = new(measure).of(p.layout, p.length)
	return p, nil
}

// Renumbered returns a copy of m, the model of p, with bodies, joints and couplings in elimination order.
// A solver then finds what it needs next to each other in memory. Names stay. Large mechanisms
// that were numbered at random are solved about twice as fast; those numbered along their shape
// gain nothing.
//
// Cost: O(bodies + joints). Joints without rows come last. Slices within bodies and joints are
// shared with m. It panics if m has other numbers of bodies, joints and couplings.
func (p *Plan) Renumbered(m *model.Model) *model.Model {
	p.mustBe()
	if m == nil {
		panic("kkt: no model")
	}
	nb, nj := p.mech.NumBodies(), p.mech.NumJoints()
	if len(m.Bodies) != nb || len(m.Joints) != nj || len(m.Couplings) != p.mech.NumCouplings() {
		panic("kkt: foreign model")
	}
	out := *m
	out.Bodies, out.Joints = make([]model.Body, 0, nb), make([]model.Joint, 0, nj)
	out.Couplings = nil
	for _, v := range p.symbolic.Order() {
		switch i := p.layout.NodeConstraint(int(v)); {
		case i >= nj:
			out.Couplings = append(out.Couplings, m.Couplings[i-nj])
		case i >= 0:
			out.Joints = append(out.Joints, m.Joints[i])
		default:
			out.Bodies = append(out.Bodies, m.Bodies[v])
		}
	}
	for j := range m.Joints {
		if p.layout.JointNode(j) < 0 {
			out.Joints = append(out.Joints, m.Joints[j])
		}
	}
	return &out
}

// Replan analyses mech, which has the bodies of p's mechanism and other joints:
// some released, added or of another type. Joints of one name between the same bodies
// take each other's place in the elimination order, which is not chosen anew
// (order.Revise), and options are p's. Compare Counts with those of a fresh plan after
// many changes.
//
// Cost: near-linear in bodies and joints, about half of NewPlan on ladders.
// It panics if mech has other bodies.
func (p *Plan) Replan(mech *mechanism.Mechanism) *Plan {
	p.mustBe()
	if mech == nil {
		panic("kkt: no mechanism")
	}
	if mech.NumBodies() != p.mech.NumBodies() {
		panic("kkt: other bodies")
	}
	q, _ := newPlan(context.Background(), mech, p.epsilon, p.threads)
	q.ordering = p.ordering
	sequence := p.symbolic.Order()
	was := make([]int32, len(sequence)) // place of each node of p
	for k, v := range sequence {
		was[v] = int32(k)
	}
	place := make([]int32, q.layout.Pattern.Len())
	for i := range mech.NumBodies() {
		if mech.BodyName(i) != p.mech.BodyName(i) {
			panic("kkt: other bodies")
		}
		place[i] = was[i]
	}
	former := namesakes(p.mech, mech)
	for i := mech.NumBodies(); i < len(place); i++ {
		place[i] = -1
		if j := former[q.layout.NodeConstraint(i)]; j >= 0 {
			if v := p.layout.ConstraintNode(int(j)); v >= 0 {
				place[i] = was[v]
			}
		}
	}
	perm := order.Revise(q.layout.Pattern, place, len(sequence))
	q.symbolic = factor.Analyze(q.layout.Pattern, perm)
	if p.own != nil {
		q.own = perm
	}
	_ = q.analyse(context.Background())
	q.candidates = []factor.Candidate{{Ordering: q.ordering, Counts: q.symbolic.Counts}}
	_ = q.analyseGeared(context.Background())
	return q
}

// namesakes returns for each joint and coupling of b that of the same name and bodies in a, −1
// if there is none.
func namesakes(a, b *mechanism.Mechanism) []int32 {
	out := make([]int32, b.NumConstraints())
	sameCouplings(out[b.NumJoints():], a, b)
	var byName map[string]int // made when the lists first differ
	next := 0
	for j := range b.NumJoints() {
		name := b.JointName(j)
		i, found := next, next < a.NumJoints() && a.JointName(next) == name
		if !found {
			if byName == nil {
				byName = make(map[string]int, a.NumJoints())
				for k := range a.NumJoints() {
					byName[a.JointName(k)] = k
				}
			}
			i, found = byName[name]
		}
		out[j] = -1
		if !found {
			continue
		}
		if sameBodies(&a.Joints[i], &b.Joints[j]) {
			out[j] = int32(i)
		}
		next = i + 1
	}
	return out
}

// sameCouplings is namesakes for the couplings.
func sameCouplings(out []int32, a, b *mechanism.Mechanism) {
	byName := make(map[string]int, a.NumCouplings())
	for i := range a.NumCouplings() {
		byName[a.CouplingName(i)] = i
	}
	for k := range out {
		out[k] = -1
		if i, found := byName[b.CouplingName(k)]; found && slices.Equal(a.Couplings[i].Bodies, b.Couplings[k].Bodies) {
			out[k] = int32(a.NumJoints() + i)
		}
	}
}

// sameBodies reports whether two joints are between the same bodies.
func sameBodies(a, b *mechanism.Joint) bool {
	return a.Pred == b.Pred && a.Succ == b.Succ || a.Pred == b.Succ && a.Succ == b.Pred
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

// Groups returns the choice of bodies that hang on the world by few freedoms and are eliminated with
// their joints before the factorization, and the analysis of the reduced system that a Solver
// factors then. Counts and Order are those of the whole system, which it factors where that is
// needed. Both are nil if there are too few such bodies to pay.
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

// Order returns the nodes of the KKT system in elimination order; node i is
// body i, or a joint (see assemble.Layout).
func (p *Plan) Order() []int32 {
	p.mustBe()
	return append([]int32(nil), p.symbolic.Order()...)
}

// Options returns the options that hold: the ones given, with defaults in place of zeros. The
// plan of a Replan has the order of its origin.
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
