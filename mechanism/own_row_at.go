package mechanism

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// OwnRow is a user-defined constraint: one row of the system over chosen bodies, docs/theory.md (O1) to (O3). With the angular velocity ω
// of each body and the velocity v of its centre of mass, the row is
//
//	φ(poses, t) = 0,   φ̇ = Σ w·(ω, v) + Drift = 0,   φ̈ = Σ w·(ω̇, v̇) + Bias = 0.
//
// A multiplier λ acts on the bodies with the wrenches λ·w.
type OwnRow interface {
	// RowTo stores in w the row's part for each body: the factor of ω, which is a moment about the
	// centre of mass, then the factor of v, which is a force; world axes. It returns the other terms. at are the motions of the
	// bodies, and t is the time, s. w and at are in the order of Demand.Bodies.
	//
	// w is zero on entry. The result may depend on at and t alone, and RowTo may not allocate. Goroutines may call it at the same
	// time. An error ends the computation; the name of the row is added to its text.
	RowTo(w []spatial.Force, at []BodyMotion, t float64) (OwnTerms, error)
}

// OwnTerms are the terms of an OwnRow besides its parts for the bodies. CheckRows compares them with differences.
type OwnTerms struct {
	Error float64 // φ; ignored for a row on velocities alone
	Drift float64 // ∂φ/∂t; for a row on velocities alone minus the value that Σ w·(ω, v) has to have
	Bias  float64 // φ̈ without accelerations: Σ ẇ·(ω, v) and the rate of Drift
}

// ownRow is the user-defined row of a coupling.
type ownRow struct {
	row   OwnRow
	body  []int32 // in the order of Demand.Bodies
	place []int32 // index of each of them in Coupling.Bodies
	rates bool    // Demand.Rates
}

// rowAt is a user-defined row at a state.
type rowAt struct {
	at    []BodyMotion
	w     []spatial.Force
	terms OwnTerms
}

// ownRowsTo is the part of RowsTo for user-defined rows.
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

// compute evaluates the row of o at s; k was computed at s. It returns the error of the row, or ErrNotFinite.
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

// OwnPart returns the user-defined row of coupling i at the state of k: the parts w for the bodies, the index of each of these bodies in
// Coupling.Bodies, and the other terms. The lists are valid until k is computed again, and must not be changed.
func (m *Mechanism) OwnPart(i int, k *Kinematics) (w []spatial.Force, place []int32, terms OwnTerms) {
	r := &k.rows[i-(len(m.Couplings)-m.special.own)]
	return r.w, m.Couplings[i].own.place, r.terms
}

// ownErrors returns φ of coupling i, a user-defined row, and the rate of φ at s.
func (m *Mechanism) ownErrors(i int, k *Kinematics, s *State) (phi, rate float64) {
	w, _, terms := m.OwnPart(i, k)
	rate = terms.Drift
	for n, b := range m.Couplings[i].own.body {
		v := comVelocity(k, s, b)
		rate += w[n].Moment().Dot(s.Bodies[b].Omega) + w[n].Linear().Dot(v)
	}
	return terms.Error, rate
}

// ownSize is CouplingSize for coupling i, a user-defined row: the sum of |φ| and, for each body, of the factors of its rotation and
// of its translation, the latter times its distance from the origin. It is 0 for a row on velocities only.
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
