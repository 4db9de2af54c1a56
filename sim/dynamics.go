package sim

import (
	"context"
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

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

// Responder computes the change of velocities by an impulse.
type Responder interface {
	// RespondTo stores in v the change of the velocities by a unit impulse along a freedom at the pose of st: six numbers
	// a body, angular velocity and velocity of the centre of mass. Joints and couplings hold, and prescribed freedoms keep
	// their rates. free is the change of the freedom's rate if its bodies were free of all joints.
	RespondTo(v []float64, st *mechanism.State, f mechanism.Freedom) (free float64, err error)
}

// Gauge is a Dynamics that knows how near a pose is to a singular one.
type Gauge interface {
	Dynamics
	// Nearness returns two numbers for the state of the last Accelerations. The first falls to
	// zero along a motion to a singular pose, like the distance to it. The second is the number
	// of rows of the joints that are redundant.
	Nearness() (near float64, redundant int)
}

// DriftProjector is a Projector that measures a state and projects it in one call. It is used
// at the ends of steps, where it may use what the last accelerations have left.
type DriftProjector interface {
	Projector
	// ProjectDrift returns the largest errors of rows of st. Each error has a bound, one of
	// positions or one of velocities, lengths in units of mechanism.Mechanism.DriftUnit. If an
	// error is above its bound, ProjectDrift brings st back to the constraints, far within the
	// bounds. The result depends on st and, if the last accelerations were for the time of st,
	// on these. After an error st is unspecified.
	ProjectDrift(st *mechanism.State, boundP, boundV float64) (mechanism.Violation, error)
}

// StabilizedDynamics computes accelerations under constraints with feedback. Let δ be the
// position errors of the joints' rows and δ̇ their velocity errors
// (joints.Spec.PositionErrorTo, VelocityErrorTo). A row then demands δ̈ = −2α·δ̇ − β²·δ instead
// of δ̈ = 0, theory.md (47) (RBDA §8.3).
type StabilizedDynamics interface {
	// StabilizedAccelerations is Accelerations of Dynamics with this feedback;
	// alpha and beta are in 1/s.
	StabilizedAccelerations(a []float64, st *mechanism.State, alpha, beta float64) error
}

// stepSizer is a Dynamics that needs the size of the step in which it is called.
type stepSizer interface{ setStep(h float64) }

// stabilizationSteps is the time constant of Baumgarte in steps where none is
// given: long enough for every explicit method of this package to follow
// (h·β = 0.1, far inside their stability regions), short enough to hold the drift.
const stabilizationSteps = 10

// Baumgarte is the Dynamics of stabilized constraints, critically damped:
// α = β = 1/Time, so that violations die out in a few Time (RBDA §8.3).
//
// It changes the solution by the order of the drift it fights, and it does not
// bring the drift to zero; Options.Projector does.
type Baumgarte struct {
	Dynamics StabilizedDynamics
	Time     float64 // s; 0 stands for ten times the current step

	step float64
}

// Accelerations implements Dynamics. Before the first step of an integrator,
// with Time 0, there is no feedback. It panics without Dynamics, or if Time is negative or not finite.
func (b *Baumgarte) Accelerations(a []float64, st *mechanism.State) error {
	if b.Dynamics == nil || !(b.Time >= 0) || math.IsInf(b.Time, 1) {
		panic("sim: stabilization without dynamics, or time out of range")
	}
	T := b.Time
	if T == 0 {
		T = stabilizationSteps * b.step
	}
	rate := 0.0
	if T > 0 {
		rate = 1 / T
	}
	return b.Dynamics.StabilizedAccelerations(a, st, rate, rate)
}

func (b *Baumgarte) setStep(h float64) { b.step = h }

// Watch implements Watcher if the dynamics do.
func (b *Baumgarte) Watch(ctx context.Context) (end func()) { return watchOf(ctx, b.Dynamics) }

// BearingsTo implements Bearer, if the dynamics do.
func (b *Baumgarte) BearingsTo(dst []float64, st *mechanism.State) error {
	if d, ok := b.Dynamics.(Bearer); ok {
		return d.BearingsTo(dst, st)
	}
	return errNoBearer
}
