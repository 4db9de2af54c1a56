package kkt

import "github.com/rung-mbd/rung/mechanism"

// With returns p for the mechanism under the inputs in. Everything that is made of the new plan, such as solvers, closers, integrators
// and linearized systems, reads in whenever it computes. The analysis is shared. These objects
// belong, together with in, to one goroutine at a time.
//
// Inputs with bodies and joints of their own (mechanism.Inputs.Vary) have a plan without groups (Groups): their
// solvers solve the whole system.
//
// Cost: O(1); O(bodies) with such bodies. It panics if in is nil or of another mechanism.
func (p *Plan) With(in *mechanism.Inputs) *Plan {
	p.mustBe()
	if in == nil || !in.Are(p.mech) {
		panic("kkt: foreign inputs")
	}
	q := *p
	q.mech = in.Mechanism()
	q.layout = p.layout.With(q.mech)
	if p.ground != nil {
		q.ground = &groundPlan{p.ground.ground.With(q.layout), p.ground.symbolic}
	}
	if in.Varies() {
		q.ground = nil
		q.length = make([]float64, len(p.length))
		q.follow()
	}
	if p.geared != nil {
		q.geared = p.geared.With(in)
	}
	return &q
}
