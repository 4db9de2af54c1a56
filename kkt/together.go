package kkt

// WhyOneByOne returns the reason why states of the mechanism have to be solved one by one with a Solver, because one
// factorization with doubles does not give the solution. The reasons are friction that grows with reactions, bodies
// without inertia in some direction, rows that a program has added to those of the model, and inertias whose ratio is too large for
// doubles. It is empty if there is no such reason.
func (p *Plan) WhyOneByOne() string {
	p.mustBe()
	p.follow()
	switch {
	case p.mech.NumBearings() > 0:
		return "friction grows with reactions"
	case p.held != nil:
		return whySingular
	case p.mech.OnlyModelRows() != nil:
		return "rows are one's own"
	case p.spread.wide() || p.geared != nil && p.geared.spread.wide():
		return "inertias that meet are of very different size"
	}
	return ""
}
