package kkt

import (
	"context"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/team"
)

// Workspace has the objects that the solvers of one plan and one goroutine share: the goroutines that work
// for them, and the factor of the whole system. One solver at a time uses the factor
// (Factored.Current).
type Workspace struct {
	plan *Plan
	team *team.Team
	fac  *factor.Factor // nil until it is needed

	watch *team.Watch
}

// NewWorkspace starts the goroutines of a plan.
func (p *Plan) NewWorkspace() *Workspace {
	p.mustBe()
	return &Workspace{plan: p, team: team.New(p.threads), watch: new(team.Watch)}
}

// Plan returns the plan of w.
func (w *Workspace) Plan() *Plan { return w.plan }

// Team returns the goroutines of w.
func (w *Workspace) Team() *team.Team { return w.team }

// Factor returns the factor of the whole system.
func (w *Workspace) Factor() *factor.Factor {
	if w.fac == nil {
		w.fac = w.plan.symbolic.NewFactorOn(w.team)
		w.fac.Heed(w.watch)
	}
	return w.fac
}

// Watch makes the solvers on w end early when ctx does, until end is called. Their methods then return the cause for
// which ctx has ended, and leave no results. They can be used again after end, with the same bits as fresh ones. docs/architecture.md,
// "Ends", tells how long the end of a method takes. Calls may be nested; end them in reverse order.
//
// Cost: none for a context that cannot end; else a few allocations.
func (w *Workspace) Watch(ctx context.Context) (end func()) { return w.watch.Begin(ctx) }

// Watched returns the watch of w, for other factors of the same goroutine.
func (w *Workspace) Watched() *team.Watch { return w.watch }
