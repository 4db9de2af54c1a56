package kkt

// Route says which of two systems was solved, and why.
type Route struct {
	// Reduced is true for the system in which bodies that hang on the ground by few freedoms are reduced to these
	// freedoms (assemble.Groups), false for the whole system.
	Reduced bool
	// WhyWhole says why the whole system was taken; empty if Reduced.
	WhyWhole string
	// Way is the way in which that system was solved. DropWeak may have left out spare rows at once (theory.md, "Spare rows").
	Way Way
}

// Route says which system the last Solve has solved, and why. A Report works on the whole system and does not change
// the answer. It panics without a solution.
func (s *Solver) Route() Route {
	s.mustHave()
	why := s.whyWhole
	if s.way == TwiceTheDigits {
		why = "it was solved with twice the digits"
	}
	return Route{Reduced: why == "", WhyWhole: why, Way: s.way}
}

// whyNoGroups says why there is no reduced system.
func (p *Plan) whyNoGroups() string {
	switch {
	case p.mech.NumCouplings() > 0:
		return whyCouplings
	case p.geared != nil:
		return whyGeared
	case p.held != nil:
		return whySingular
	case p.lean != nil && p.lean.hubs:
		return whyHubs
	}
	return whyNoGroups
}

const (
	whyNoGroups  = "too few bodies hang on the ground by few freedoms"
	whyCouplings = "couplings are rows of the whole system only"
	whyGeared    = "joints have armature"
	whySingular  = "bodies have no inertia in some direction"
	whyHubs      = "hubs are eliminated after their arms"
)
