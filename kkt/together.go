package kkt

// WhyOneByOne says why no solution of a mechanism is that of one factorization with doubles, so that states of it have
// to go through a Solver one by one: friction that grows with reactions, bodies without inertia in some direction, or
// inertias that differ by more than doubles bear. It is empty where there is no such reason.
func (p *Plan) WhyOneByOne() string {
	p.mustBe()
	p.follow()
	switch {
	case p.mech.NumBearings() > 0:
		return "friction grows with reactions"
	case p.held != nil:
		return whySingular
	case p.spread.wide() || p.geared != nil && p.geared.spread.wide():
		return "inertias that meet are of very different size"
	}
	return ""
}
