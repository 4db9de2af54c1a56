package sim

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// closer measures the violation of the joints by states of a run, and projects the states.
type closer struct {
	mech   *mechanism.Mechanism
	kin    mechanism.Kinematics
	ranks  *ranks
	halt   *team.Watch
	unit   float64        // unit of lengths for drift, m
	tol    Drift          // largest drift that is not projected
	proj   Projector      // nil: states are not projected
	drifts DriftProjector // proj if it is a DriftProjector, else nil
	exact  *exactly       // proj if it can project to rounding and steps can pass singular poses, else nil
	beside bool           // the current step is next to a singular pose: states are projected to rounding
	ends   violated       // the stepper, if it measures the ends of its steps itself and there is no projector; else nil
}

// violated is a stepper that closes the joints and knows the violation at the end of the step last tried.
type violated interface {
	// EndViolation returns that violation, and false if it is not known.
	EndViolation() (mechanism.Violation, bool)
}

func newCloser(m *mechanism.Mechanism, all *ranks, halt *team.Watch, o *Options) closer {
	c := closer{mech: m, kin: newKinematics(m), ranks: all, halt: halt, unit: all.driftUnit(m), tol: o.Drift, proj: o.Projector}
	c.drifts, _ = o.Projector.(DriftProjector)
	return c
}

// shareSearches makes k share with the stepper, or its dynamics, the results of searches on curves and terrain.
func shareSearches(stepper Stepper, k *mechanism.Kinematics) {
	of := any(stepper)
	if d, ok := of.(interface{ dynamics() any }); ok {
		of = d.dynamics()
	}
	if s, ok := of.(interface {
		ShareSearches(k *mechanism.Kinematics)
	}); ok {
		s.ShareSearches(k)
	}
}

// driftAt returns the drift of st, lengths in m. c.kin is the kinematics of st afterwards.
func (c *closer) driftAt(st *mechanism.State) (Drift, error) {
	v, err := c.violationAt(st)
	return driftIn(&v, 1), err
}

func (c *closer) violationAt(st *mechanism.State) (mechanism.Violation, error) {
	return c.ranks.violation(driftOf(c.mech, &c.kin, st, c.halt))
}

// closeAt projects st onto the constraints if its drift is above c.tol and there is a projector. It returns the
// drift before, lengths in m, and whether st has changed.
func (c *closer) closeAt(st *mechanism.State) (d Drift, changed bool, err error) {
	v, err := c.violationAt(st)
	if err != nil {
		return d, false, err
	}
	d = driftIn(&v, 1)
	switch {
	case c.proj == nil || driftIn(&v, c.unit).within(c.tol):
		return d, false, nil
	case c.beside:
		return d, true, project(c.exact, st)
	}
	return d, true, project(c.proj, st)
}

// closeEnd is closeAt for the end of a step that has just been tried: a DriftProjector may use the factors of the last accelerations.
func (c *closer) closeEnd(st *mechanism.State) (d Drift, changed bool, err error) {
	if c.ends != nil {
		if v, ok := c.ends.EndViolation(); ok {
			return driftIn(&v, 1), false, nil
		}
	}
	if c.drifts == nil {
		return c.closeAt(st)
	}
	v, err := projectDrift(c.drifts, st, c.tol)
	if err != nil {
		return d, false, err
	}
	return driftIn(&v, 1), !driftIn(&v, c.unit).within(c.tol), nil
}
