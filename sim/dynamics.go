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
	// Shapes: a has 6 entries for each body. The result must depend on st alone. Accelerations may not
	// keep st, as the caller reuses it.
	Accelerations(a []float64, st *mechanism.State) error
}

// Projector projects a state onto the constraints: it makes the least change in the
// metric of the masses. Both methods change st alone, and not its time.
type Projector interface {
	// ClosePositions changes poses until every joint holds.
	ClosePositions(st *mechanism.State) error
	// ProjectVelocities changes velocities until every joint holds at velocity
	// level, at the poses of st.
	ProjectVelocities(st *mechanism.State) error
}

// ExactProjector is a Projector that can project to rounding, as is necessary next to singular poses.
type ExactProjector interface {
	Projector
	// Exactly sets whether the following calls iterate until rounding ends all progress.
	Exactly(on bool)
	// AllowMotion replaces v by the nearest velocities that the joints allow at the pose of st, with prescribed freedoms at rest. v
	// has for each body the angular velocity and the velocity of the centre of mass.
	AllowMotion(v []float64, st *mechanism.State) error
}

// Responder computes the change of velocities by an impulse.
type Responder interface {
	// RespondTo stores in v the change of the velocities by a unit impulse along a freedom at the pose of st: for each body
	// of the angular velocity and of the velocity of the centre of mass. Joints and couplings hold, and prescribed freedoms keep
	// their rates. free is the change of the freedom's rate if its bodies had no joints.
	RespondTo(v []float64, st *mechanism.State, f mechanism.Freedom) (free float64, err error)
}

// Gauge is a Dynamics that knows how near a pose is to a singular one.
type Gauge interface {
	Dynamics
	// Nearness returns two numbers for the state of the last Accelerations. near falls to
	// zero along a motion to a singular pose, like the distance from it. redundant is the number
	// of redundant rows of the joints.
	Nearness() (near float64, redundant int)
}

// DriftProjector is a Projector that measures a state and projects it in one call. It is used
// at the ends of steps, where it may reuse factors of the last accelerations.
type DriftProjector interface {
	Projector
	// ProjectDrift returns the largest errors of rows of st. boundP is the bound of errors of
	// positions and boundV of velocities, lengths in units of mechanism.Mechanism.DriftUnit. If an
	// error is above its bound, ProjectDrift projects st onto the constraints, far within the
	// bounds. The result depends on st and, if the last accelerations were for the time of st,
	// on these. After an error st is unspecified.
	ProjectDrift(st *mechanism.State, boundP, boundV float64) (mechanism.Violation, error)
}

// StabilizedDynamics computes accelerations under constraints with feedback. Let δ be the
// position errors of the joints' rows and δ̇ their velocity errors
// (joints.Spec.PositionErrorTo, VelocityErrorTo). A row then demands δ̈ = −2α·δ̇ − β²·δ instead
// of δ̈ = 0, theory.md (47) (RBDA §8.3).
type StabilizedDynamics interface {
	// StabilizedAccelerations is Dynamics.Accelerations with this feedback;
	// alpha and beta are in 1/s.
	StabilizedAccelerations(a []float64, st *mechanism.State, alpha, beta float64) error
}

// stepSizer is a Dynamics that needs the size of the step in which it is called.
type stepSizer interface{ setStep(h float64) }

// stabilizationSteps is the default time constant of Baumgarte, in steps: long enough
// for all explicit methods of this package (h·β = 0.1 is far inside their stability
// regions), and short enough to keep the drift small.
const stabilizationSteps = 10

// Baumgarte is the Dynamics of stabilized constraints, critically damped:
// α = β = 1/Time, so that violations die out in a few Time (RBDA §8.3).
//
// It changes the solution by the order of the drift, and it does not
// reduce the drift to zero; Options.Projector does.
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
