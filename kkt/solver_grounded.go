package kkt

import (
	"context"
	"errors"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
)

// groundPlan is the analysis of a reduced system.
type groundPlan struct {
	ground   *assemble.Groups
	symbolic *factor.Symbolic
}

// newGroundPlan analyses the reduced system of p in an order of p's kind. It
// returns nil if too few bodies hang on the ground.
func (p *Plan) newGroundPlan(ctx context.Context) (*groundPlan, error) {
	l := p.layout
	if l.Mech.NumCouplings() > 0 {
		return nil, nil // the rows of couplings are not reduced
	}
	g := assemble.NewGroups(l)
	if g == nil {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	perm, err := p.orderOf(ctx, g.Pattern, g.BodyNode)
	if err != nil {
		return nil, err
	}
	s, err := factor.AnalyzeContext(ctx, g.Pattern, order.BeforeJoints(g.Pattern, perm))
	if err != nil {
		return nil, err
	}
	return &groundPlan{g, s}, nil
}

// grounded is the memory of a reduced system.
type grounded struct {
	sys *assemble.Reduced
	system
}

func (p *groundPlan) newGrounded(w *Workspace) *grounded {
	n, y, f := p.ground.Pattern.Dim(), p.ground.NewReducedOn(w.team), p.symbolic.NewFactorOn(w.team)
	y.Heed(w.watch)
	f.Heed(w.watch)
	f.SetParts(y.Parts)
	return &grounded{y, system{
		Factored: NewFactored(f, y.Matrix, y.Right, y.Scale, w.plan.epsilon, DropWeak, nil),
		kin:      y.Kin, x: make([]float64, n), r: make([]float64, n), accelerations: y.AccelerationsTo,
	}}
}

// errDoubt ends the refinement of a reduced system in which a pivot
// that counts as that of a redundant row is above DoubtTol.
var errDoubt = errors.New("doubtful pivot")

// Route says which of two systems was solved, and why.
type Route struct {
	// Reduced is true for the system in which bodies that hang on the ground by few freedoms are reduced to these
	// freedoms (assemble.Groups), false for the whole system.
	Reduced bool
	// WhyWhole says why the whole system was taken; empty if Reduced.
	WhyWhole string
	// Way has solved that system.
	Way Way
}

// Route says which system the last Solve has solved, and why. A Report, which works on the whole system, does not change
// that. It panics without a solution.
func (s *Solver) Route() Route {
	s.mustHave()
	why := s.whyWhole
	if s.way == TwiceTheDigits {
		why = "it was solved with twice the digits"
	}
	return Route{Reduced: why == "", WhyWhole: why, Way: s.way}
}

const (
	whyNoGroups  = "too few bodies hang on the ground by few freedoms"
	whyCouplings = "couplings are rows of the whole system only"
	whyGeared    = "joints have armature"
	whySingular  = "bodies have no inertia in some direction"
)

// whyNoGroups says why there is no reduced system.
func (p *Plan) whyNoGroups() string {
	switch {
	case p.mech.NumCouplings() > 0:
		return whyCouplings
	case p.geared != nil:
		return whyGeared
	case p.held != nil:
		return whySingular
	}
	return whyNoGroups
}

// whyWhole says why the reduced system does not do after err.
func whyWhole(err error) string {
	switch {
	case errors.Is(err, ErrInconsistent):
		return "a constraint does not hold in the reduced system"
	case errors.Is(err, ErrInaccurate):
		return "refinement of the reduced system does not converge"
	case errors.Is(err, errDoubt):
		return "a pivot of the reduced system may not be that of a redundant row"
	}
	return "a pivot of the reduced system is lost to rounding"
}
