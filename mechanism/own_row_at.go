package mechanism

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// OwnRow is a constraint of one's own: one row of the system over chosen bodies, docs/theory.md (O1) to (O3). With the twists (ω, v) of
// the bodies, v that of the centre of mass, it says
//
//	φ(poses, t) = 0,   φ̇ = Σ w·(ω, v) + Drift = 0,   φ̈ = Σ w·(ω̇, v̇) + Bias = 0.
//
// A multiplier λ acts on the bodies with the wrenches λ·w.
type OwnRow interface {
	// RowTo stores in w the row's part for each body, in the order of Demand.Bodies: the factor of ω, which is a moment about the
	// centre of mass, then the factor of v, which is a force; world axes. It returns the other terms. at is where the bodies are and
	// how they move, t the time, s.
	//
	// w holds zeros. The result depends on at and t alone, and nothing is allocated. Goroutines may call at the same time. An error
	// ends the computation; its text gets the name of the row.
	RowTo(w []spatial.Force, at []BodyMotion, t float64) (OwnTerms, error)
}

// OwnTerms are the terms of an OwnRow besides its parts for the bodies. CheckRows compares them with differences.
type OwnTerms struct {
	Error float64 // φ; not read of a row of velocities alone
	Drift float64 // ∂φ/∂t; of a row of velocities alone what is demanded of Σ w·(ω, v), less
	Bias  float64 // φ̈ without accelerations: Σ ẇ·(ω, v) and the rate of Drift
}

// ownRow is a row of one's own of a coupling.
type ownRow struct {
	row   OwnRow
	body  []int32 // in the order of Demand.Bodies
	place []int32 // of these in Coupling.Bodies
	rates bool
}

// rowAt is a row of one's own at a state.
type rowAt struct {
	at    []BodyMotion
	w     []spatial.Force
	terms OwnTerms
}

// ownRowsTo is the part of RowsTo for rows of one's own.
func (m *Mechanism) ownRowsTo(k *Kinematics, s *State) error {
	if m.special.own == 0 {
		return nil
	}
	first := len(m.Couplings) - m.special.own
	if len(k.rows) != m.special.own {
		k.rows = make([]rowAt, m.special.own)
		for i := range k.rows {
			n := len(m.Couplings[first+i].own.body)
			k.rows[i] = rowAt{at: make([]BodyMotion, n), w: make([]spatial.Force, n)}
		}
	}
	for i := range k.rows {
		if err := k.rows[i].compute(m.Couplings[first+i].own, k, s); err != nil {
			return m.AtConstraint(m.NumJoints()+first+i, -1, err)
		}
	}
	return nil
}

// compute evaluates the row of o at s, whose bodies have the kinematics k.
func (r *rowAt) compute(o *ownRow, k *Kinematics, s *State) (err error) {
	for i, b := range o.body {
		r.at[i] = bodyMotion(k, s, b)
	}
	clear(r.w)
	if r.terms, err = o.row.RowTo(r.w, r.at, s.Time); err != nil {
		return err
	}
	if o.rates {
		r.terms.Error = 0
	}
	finite := algebra.Finite(r.terms.Error) && algebra.Finite(r.terms.Drift) && algebra.Finite(r.terms.Bias)
	for i := range r.w {
		for _, x := range r.w[i] {
			finite = finite && algebra.Finite(x)
		}
	}
	if !finite {
		return ErrNotFinite
	}
	return nil
}

// OwnPart returns the row of coupling i, which is one's own, where k was computed: the parts for the bodies, the places of these in
// Coupling.Bodies, and the other terms. They hold until k is computed anew, and are not to be changed.
func (m *Mechanism) OwnPart(i int, k *Kinematics) (w []spatial.Force, place []int32, terms OwnTerms) {
	r := &k.rows[i-(len(m.Couplings)-m.special.own)]
	return r.w, m.Couplings[i].own.place, r.terms
}

// ownErrors returns φ of coupling i, which is one's own, and its rate at s.
func (m *Mechanism) ownErrors(i int, k *Kinematics, s *State) (phi, rate float64) {
	w, _, terms := m.OwnPart(i, k)
	rate = terms.Drift
	for n, b := range m.Couplings[i].own.body {
		v := comVelocity(k, s, b)
		rate += w[n].Moment().Dot(s.Bodies[b].Omega) + w[n].Linear().Dot(v)
	}
	return terms.Error, rate
}

// ownSize returns what rounds φ of coupling i, which is one's own: positions and angles of order one, times their factors.
func (m *Mechanism) ownSize(i int, k *Kinematics, s *State) (size float64) {
	w, _, terms := m.OwnPart(i, k)
	if m.Couplings[i].own.rates {
		return 0
	}
	size = math.Abs(terms.Error)
	for n, b := range m.Couplings[i].own.body {
		moment, force := w[n].Moment(), w[n].Linear()
		size += moment.Norm() + force.Norm()*(s.Bodies[b].Position.Norm()+k.Bodies[b].Com.Norm())
	}
	return size
}
