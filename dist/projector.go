package dist

import (
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// Projector is the sim.Projector of a Solver: it closes the joints of all pieces by the steps of a
// closing.Closer that all ranks take together. It uses the factor of the Solver, and ends its results.
type Projector struct {
	solver *Solver
	closer *closing.Closer
	joined *joined
}

var _ sim.ExactProjector = (*Projector)(nil)

// NewProjector allocates the projector of s. All ranks call it together.
func (s *Solver) NewProjector() *Projector {
	p := &Projector{solver: s}
	nodes := make([]bool, s.plan.layout.Pattern.Len())
	for i, v := range s.plan.factors.Held() {
		nodes[v] = !s.plan.owned[i]
	}
	p.closer = closing.NewPieceCloser(s.plan.layout, s.team, &halo{s, nodes}, closing.RunTolerance, func(sys *assemble.Weighted) closing.Factors {
		p.joined = &joined{solver: s, sys: sys}
		return p.joined
	})
	return p
}

// ClosePositions implements sim.Projector (closing.Closer.ClosePositions). All ranks call it together, with states that
// agree; the states agree afterwards, too.
//
// It returns a *closing.CloseError, or mechanism.ErrNotFinite, on a rank that has the joint or body, and a *RankError on
// the others.
func (p *Projector) ClosePositions(st *mechanism.State) error {
	p.solver.solved = false
	return p.first(p.closer.ClosePositions(st))
}

// ProjectVelocities implements sim.Projector (closing.Closer.ProjectVelocities), as ClosePositions does.
func (p *Projector) ProjectVelocities(st *mechanism.State) error {
	p.solver.solved = false
	return p.first(p.closer.ProjectVelocities(st))
}

// Exactly implements sim.ExactProjector (closing.Closer.Exactly).
func (p *Projector) Exactly(on bool) { p.closer.Exactly(on) }

// AllowMotion implements sim.ExactProjector (closing.Closer.AllowMotion), as ClosePositions does. v has six numbers a body of the piece.
// Numbers of bodies in several pieces have to be equal on all ranks, and are equal afterwards.
func (p *Projector) AllowMotion(v []float64, st *mechanism.State) error {
	p.solver.solved = false
	return p.first(p.closer.AllowMotion(v, st))
}

// first returns the error of the root, which all ranks have, or else err, each as an error of this package.
func (p *Projector) first(err error) error {
	if broken := p.joined.broken; broken != nil {
		p.joined.broken = nil
		return fault.Errorf("dist: %w", broken)
	}
	if err != nil {
		return fault.Errorf("dist: %w", err)
	}
	return nil
}

// halo is a Solver as the closing.Ranks of its piece.
type halo struct {
	*Solver
	others []bool // by node: held here and owned by another rank
}

// Exchange implements closing.Ranks.
func (h *halo) Exchange(v []float64) { h.exchange(v) }

// Counts implements closing.Ranks.
func (h *halo) Counts(node int) bool { return !h.others[node] }

// joined is the system of all pieces as closing.Factors, with the factor and the root of a Solver. Its right sides are zero in the rows of
// bodies.
type joined struct {
	solver *Solver
	sys    *assemble.Weighted
	way    kkt.Way
	run    int   // factor.Factor.Runs after the last factorization of this system, 0 if there is no factor
	broken error // error of the root, on all ranks
}

// Current implements closing.Factors.
func (f *joined) Current() bool { return f.run > 0 && f.run == f.solver.fac.Runs() }

// Changed implements closing.Factors.
func (f *joined) Changed() { f.run = 0 }

// NextWay implements closing.Factors.
func (f *joined) NextWay() kkt.Way { return f.way + 1 }

// Factorize implements closing.Factors.
func (f *joined) Factorize(w kkt.Way) error {
	f.way = w
	policy, shrink, _ := w.Settings()
	return f.factorize(f.sys.Scale, shrink*f.solver.plan.epsilon, policy)
}

// FactorizeDamped implements closing.Factors.
func (f *joined) FactorizeDamped(scale []float64, mu float64) error {
	return f.factorize(scale, mu, factor.Everywhere)
}

// factorize factors the pieces, then the root. If a pivot is lost, it returns kkt.ErrLostPivot, or a *factor.PivotError with its
// place, on the rank that has lost it, and a *RankError on the others. After an error of the root it returns that error again.
func (f *joined) factorize(scale []float64, eps float64, policy factor.Policy) error {
	s, u := f.solver, f.solver.hub
	p := s.plan
	if f.run = 0; f.broken != nil {
		return f.broken
	}
	for _, z := range p.zero {
		clear(f.sys.Matrix.Val[z[0]:z[1]])
	}
	err := s.fac.FactorizeFor(nil, f.sys.Matrix, scale, eps, policy)
	if err == nil && policy == factor.WhereWeak && s.fac.Corrected > 0 {
		err = kkt.ErrLostPivot
	}
	clear(s.share)
	clear(s.right)
	status := fails
	if err == nil {
		s.fac.ShareTo(s.share, s.right)
		status = holds
	} else if pivot := pivotOf(err); pivot != nil {
		err = p.layout.At(pivot.Node, -1, err)
	}
	s.message = append(s.message[:0], float64(status))
	off := p.layout.Pattern.Off
	for i, v := range p.factors.Held() {
		if p.owned[i] {
			s.message = append(s.message, scale[off[v]:off[v+1]]...)
		}
	}
	if u != nil {
		u.expect(contents{fixed: 1, scales: true})
	}
	s.say()
	var all []float64
	if u != nil {
		status = u.scalesOnly()
		all = u.scale
	}
	for i, row := range p.scalars {
		s.rows[i] = scale[row]
	}
	tally, failure := s.root.Factorize(s.share, s.rows, all, eps, policy)
	if u != nil && status == holds && (failure != nil || policy == factor.WhereWeak && tally.Corrected > 0) {
		status = fails
		if err = kkt.ErrLostPivot; failure != nil && pivotOf(failure) == nil {
			err, status = failure, ends
		}
	}
	switch status = s.tell(status, 0, 0, verdictOnly); status {
	case holds:
		f.run = s.fac.Runs()
		return nil
	case ends:
		f.broken = Agree(s.comm, err)
		return f.broken
	}
	return Agree(s.comm, err)
}

// SolveTo implements closing.Factors. b is zero in the rows of bodies. Entries in held rows that another rank owns are cleared.
func (f *joined) SolveTo(x, b []float64) {
	s, u := f.solver, f.solver.hub
	p := s.plan
	off := p.layout.Pattern.Off
	for i, v := range p.factors.Held() {
		if !p.owned[i] {
			clear(b[off[v]:off[v+1]])
		}
	}
	s.fac.CondenseTo(s.right, b)
	s.message = append(s.message[:0], s.right...)
	var y, right []float64
	if u != nil {
		u.expect(contents{held: 1})
		y, right = u.y, u.b
	}
	s.say()
	if u != nil {
		u.add(u.b, 0)
	}
	err := s.root.SolveTo(y, right)
	status := holds
	if u != nil && err != nil {
		status = ends
	}
	if s.tell(status, 0, 0, withSolved) == ends && f.broken == nil {
		f.broken = Agree(s.comm, err)
	}
	clear(x)
	s.fac.CorrectHeld(x, nil, b, s.y)
}

// scalesOnly reads messages with a status and the scales of the rows that the rank owns. It returns the worst status.
func (u *hub) scalesOnly() (status int) {
	for r, m := range u.from {
		status = max(status, int(m[0]))
		u.ownRows(r, func(k int, row int32, _ int) { u.scale[row] = m[1+k] })
	}
	return status
}
