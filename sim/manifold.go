package sim

import "github.com/rung-mbd/rung/mechanism"

// onManifold is the Dynamics of the nearest state that satisfies the joints: it projects a copy
// of the state before it computes the accelerations.
//
// Inside a step, the stages of a Runge–Kutta method violate the joints by low powers of the
// step, whatever its order. For most mechanisms that does no harm. But where constraints are redundant
// by geometry alone, as in the Bricard linkage, they are independent at a violated
// state: no motion satisfies all of them. And at a distance δ from a
// singular pose, a violation ε makes differences of ε/δ between bodies, and accelerations like
// ε/δ², theory.md (49).
//
// The accelerations at the nearest closed state agree with the accelerations at the given state on the
// manifold, and are a smooth function around it. So the method keeps its order (Hairer, Lubich
// & Wanner 2006, ch. IV).
type onManifold struct {
	mech  *mechanism.Mechanism
	unit  float64 // mechanism.Mechanism.DriftUnit
	inner Dynamics
	all   *ranks
	proj  Projector
	see   func(open, closed *mechanism.State) // called with each state and its projection; may be nil

	st  mechanism.State
	kin mechanism.Kinematics
}

// closedStage is the drift up to which a stage is not projected. It is too small
// to spoil the evaluation.
const closedStage = 1e-13

func newOnManifold(m *mechanism.Mechanism, d Dynamics, all *ranks) *onManifold {
	return &onManifold{
		mech: m, unit: all.driftUnit(m), inner: d, all: all,
		st:  mechanism.State{Bodies: make([]mechanism.BodyState, m.NumBodies())},
		kin: newKinematics(m),
	}
}

// Accelerations implements Dynamics, theory.md (48), (49).
//
// Cost: as a projection and the accelerations; no further allocation.
func (d *onManifold) Accelerations(a []float64, st *mechanism.State) error {
	drift, err := d.all.violation(driftOf(d.mech, &d.kin, st, nil))
	if err != nil {
		return err
	}
	_, exact := d.proj.(*exactly) // next to a singular pose, where even a drift below closedStage is too much, (49)
	if !exact && driftIn(&drift, d.unit).within(Drift{closedStage, closedStage}) {
		return d.inner.Accelerations(a, st)
	}
	copyTo(&d.st, st)
	if err := project(d.proj, &d.st); err != nil {
		return err
	}
	if d.see != nil {
		d.see(st, &d.st)
	}
	return d.inner.Accelerations(a, &d.st)
}
