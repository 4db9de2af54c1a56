package kkt

import (
	"context"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// NewPlan analyses a compiled mechanism.
//
// Cost: near-linear in bodies and joints. It panics if mech is nil or an option is out of
// range, and if the options have an order or a bound on flops or nonzeros: only NewPlanContext returns the errors of these.
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

// analyse completes a plan whose whole system has an order: it finds the held inertias, the reduced system and the system without spare
// rows. It returns the cause for which ctx has ended.
func (p *Plan) analyse(ctx context.Context) (err error) {
	if p.held = newHeld(p.mech); p.held != nil || p.isGeared() {
		return nil
	}
	if p.ground, err = p.newGroundPlan(ctx); err != nil {
		return err
	}
	if p.lean, err = p.newHubPlan(ctx); err != nil || p.lean != nil {
		p.ground = nil
		return err
	}
	if p.ground == nil {
		p.lean, err = p.newLeanPlan(ctx)
	}
	return err
}

// newPlan returns a plan without an order, or the cause for which ctx has ended.
func newPlan(ctx context.Context, mech *mechanism.Mechanism, epsilon float64, threads int) (*Plan, error) {
	return newPlanOn(ctx, assemble.NewLayout(mech), epsilon, threads)
}

// newPlanOn is newPlan for the mechanism of a layout, with that layout.
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
