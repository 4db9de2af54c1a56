package sim

import "github.com/rung-mbd/rung/mechanism"

// Dynamics computes the accelerations of a mechanism.
type Dynamics interface {
	// Accelerations stores in a, for every body, ω̇ and the classical acceleration
	// of its centre of mass, world axes, at st.
	//
	// Shapes: a has 6 entries a body. The result must depend on st alone. st may be
	// used again by the caller after the call.
	Accelerations(a []float64, st *mechanism.State) error
}

// Projector brings a state back to the constraints by the least change in the
// metric of the masses. Both act on st alone and keep its time.
type Projector interface {
	// ClosePositions changes poses until every joint holds.
	ClosePositions(st *mechanism.State) error
	// ProjectVelocities changes velocities until every joint holds at velocity
	// level, at the poses of st.
	ProjectVelocities(st *mechanism.State) error
}

// ExactProjector is a Projector that can go on to rounding, which is needed next to singular poses.
type ExactProjector interface {
	Projector
	// Exactly sets whether the following calls go on until rounding ends all progress.
	Exactly(on bool)
	// AllowMotion replaces v, six numbers a body, angular velocity and velocity of the centre of mass, by the nearest
	// velocities that the joints allow at the pose of st, prescribed freedoms at rest.
	AllowMotion(v []float64, st *mechanism.State) error
}

// Gauge is a Dynamics that knows how near a pose is to a singular one.
type Gauge interface {
	Dynamics
	// Nearness returns, for the state of the last Accelerations, a number that falls to zero along a motion to a singular
	// pose like the distance to it, and the number of rows of the joints that are redundant.
	Nearness() (near float64, redundant int)
}

// DriftProjector is a Projector that measures a state and projects it in one. It is used at the
// ends of steps, where it may work with what the last accelerations have left.
type DriftProjector interface {
	Projector
	// ProjectDrift returns the largest errors of rows of st. If one of them is above its bound, of positions or
	// of velocities, lengths in units of mechanism.Mechanism.DriftUnit, it brings st back to the constraints, far
	// within the bounds. It depends on st and on the last accelerations before, if these were
	// for the time of st. After an error st is unspecified.
	ProjectDrift(st *mechanism.State, boundP, boundV float64) (mechanism.Violation, error)
}

// StabilizedDynamics computes accelerations under constraints with feedback: with
// δ the position errors of the joints' rows and δ̇ their velocity errors
// (joints.Spec.PositionErrorTo, VelocityErrorTo), a row demands
// δ̈ = −2α·δ̇ − β²·δ instead of δ̈ = 0 (RBDA §8.3).
type StabilizedDynamics interface {
	// StabilizedAccelerations is Accelerations of Dynamics with this feedback;
	// alpha and beta are in 1/s.
	StabilizedAccelerations(a []float64, st *mechanism.State, alpha, beta float64) error
}

// stepSizer is a Dynamics that wants to know the size of the step it is used in.
type stepSizer interface{ setStep(h float64) }

// StabilizationSteps is the time constant of Baumgarte in steps where none is
// given: long enough for every explicit method of this package to follow
// (h·β = 0.1, far inside their stability regions), short enough to hold the drift.
const StabilizationSteps = 10

// Baumgarte is the Dynamics of stabilized constraints, critically damped:
// α = β = 1/Time, so that violations die out in a few Time (RBDA §8.3).
//
// It changes the solution by the order of the drift it fights, and it does not
// bring the drift to zero; Options.Projector does.
type Baumgarte struct {
	Dynamics StabilizedDynamics
	Time     float64 // s; 0 stands for StabilizationSteps times the current step

	step float64
}

// Accelerations implements Dynamics. Before the first step of an integrator,
// with Time 0, there is no feedback.
func (b *Baumgarte) Accelerations(a []float64, st *mechanism.State) error {
	T := b.Time
	if T == 0 {
		T = StabilizationSteps * b.step
	}
	rate := 0.0
	if T > 0 {
		rate = 1 / T
	}
	return b.Dynamics.StabilizedAccelerations(a, st, rate, rate)
}

func (b *Baumgarte) setStep(h float64) { b.step = h }
