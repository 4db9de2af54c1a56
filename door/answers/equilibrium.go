package answers

import (
	"context"
	"errors"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
)

// Equilibrium is the document rung-equilibrium/1.
type Equilibrium struct {
	Format     string      `json:"format"`
	Name       string      `json:"name"`
	Bodies     int         `json:"bodies"`
	Joints     int         `json:"joints"`
	Found      bool        `json:"found"`
	Steps      int         `json:"steps"`
	Unbalanced *Unbalanced `json:"unbalanced,omitempty"`
	Unmet      *Unmet      `json:"unmet,omitempty"`   // where the joints cannot be closed
	Failure    string      `json:"failure,omitempty"` // why no equilibrium was found
	// The fields below are set only if an equilibrium was found.
	Stability string        `json:"stability,omitempty"` // stable, neutral, unstable or immobile
	Lowest    *LowestMode   `json:"lowest_mode,omitempty"`
	Left      int           `json:"unstable_left"` // number of unstable equilibria that the search has left
	Travel    *BodyChange   `json:"largest_displacement,omitempty"`
	Turn      *BodyChange   `json:"largest_rotation,omitempty"`
	Energy    *EnergyChange `json:"potential_energy,omitempty"`
}

// LowestMode is the mode of an equilibrium with the least stiffness.
type LowestMode struct {
	Stiffness float64 `json:"stiffness"` // 1/s², negative if the motion grows
	Frequency float64 `json:"frequency"` // Hz, 0 if the motion does not vibrate
}

// EnergyChange is the potential energy of gravity and springs before and after a move, J.
type EnergyChange struct {
	Before *float64 `json:"before"` // nil where the energy of a formula is not a number
	After  *float64 `json:"after"`
}

// Equilibrate moves st to the equilibrium that linear.Equilibrate finds from it.
//
// If there is none, st is unchanged, and it returns the document, which says why, beside the error. Cost: linear.Equilibrate.
func Equilibrate(ctx context.Context, p *kkt.Plan, st *mechanism.State, o linear.EquilibriumOptions) (*Equilibrium, error) {
	mech := p.Mechanism()
	r := &Equilibrium{Format: "rung-equilibrium/1", Name: mech.Name, Bodies: mech.NumBodies(), Joints: mech.NumJoints()}
	e, err := linear.EquilibrateContext(ctx, p, st, o)
	if err != nil {
		r.fail(err)
		return r, err
	}
	r.fill(mech, e)
	return r, nil
}

// fail stores the text of err and the force or joint that it names.
func (r *Equilibrium) fail(err error) {
	r.Failure = fault.Plain(err).Error()
	if u := new(linear.UnbalancedError); errors.As(err, &u) {
		r.Steps, r.Unbalanced = u.Steps, newUnbalanced(&u.Unbalanced, nil)
	}
	if e := new(closing.CloseError); errors.As(err, &e) {
		r.Unmet = newUnmet(e)
	}
}

// fill stores an equilibrium: its stability, the displacements on the way to it and the unbalanced force that is left.
func (r *Equilibrium) fill(mech *mechanism.Mechanism, e *linear.Equilibrium) {
	r.Found, r.Steps, r.Left = true, e.Steps, e.Kicks
	r.Unbalanced = newUnbalanced(&e.Unbalanced, &e.Relative)
	r.Stability = e.Stability.String()
	if e.Stability != linear.Immobile && e.Stability != linear.Unknown {
		r.Lowest = &LowestMode{Stiffness: e.Lowest, Frequency: e.Frequency()}
	}
	travel, turn := changeOf(mech, e.TravelBody, e.Travel), changeOf(mech, e.TurnBody, e.Turn)
	r.Travel, r.Turn = &travel, &turn
	r.Energy = &EnergyChange{number(e.Before.Potential()), number(e.After.Potential())}
}
