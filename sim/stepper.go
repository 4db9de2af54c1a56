package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Stepper computes steps of one method. The caller owns the state. It tries a step and looks at
// it. Then it tries again with another end, or it settles on a state to go on from, at the end
// of the step or near it, and accepts the step.
type Stepper interface {
	// Order returns the order of the method, and that of the solution its error
	// estimate compares with, 0 if it has none.
	Order() (order, embedded int)
	// Try computes a step from st to the time t and returns its estimated error
	// in units of the tolerance, 0 without an estimate. st is not changed.
	Try(st *mechanism.State, t float64) (err float64, e error)
	// AtTo stores in dst the state at the fraction theta in [0, 1] of the step last
	// tried.
	AtTo(dst *mechanism.State, theta float64)
	// Lead prepares the step after the one last tried. That step will start from next, which is
	// AtTo(1) unless changed says that it has been moved. An error means that no step can start
	// there.
	Lead(next *mechanism.State, changed bool) error
	// Accept ends the step; the next Try is from the state of Lead.
	Accept()
	// CloseStages makes the following tries compute accelerations at states that p has closed;
	// nil ends that. Implicit methods ignore it, as their steps satisfy the joints anyway.
	CloseStages(p Projector)
	// Restart forgets all that is known about the state from which the next Try starts. It
	// has to be called when state or dynamics have changed without Lead.
	Restart()
	// Kept returns what the next step takes over from the last one, nil if there
	// is nothing.
	Kept() []float64
	// Keep makes the storage of Kept valid and returns it, to be filled.
	Keep() []float64
	// Evaluations returns how often the accelerations have been computed.
	Evaluations() int64
	// Settings names the method and all that decides about its results. A run is
	// resumed only under equal settings.
	Settings() string
}

// Tolerance is the size of error that a step may make. The estimate is, over all
// bodies, the largest of
//
//	|δΘ|, |δc|/Length, |δω|/(Rate + |ω|), |δċ|/(Length·Rate + |ċ|)
//
// relative to Relative: rotation and displacement of the centre of mass, angular velocity and velocity of the centre of
// mass. Explicit methods count internal states of contacts too, relative to their size. It depends neither on the
// number of bodies nor on where the mechanism is.
type Tolerance struct {
	Relative float64 // 0 stands for DefaultTolerance
	Length   float64 // m; 0 stands for mechanism.Mechanism.TypicalLength
	Rate     float64 // 1/s; 0 stands for 1
}

// DefaultTolerance is the relative tolerance where none is given.
const DefaultTolerance = 1e-8

// withDefaults returns t with its zeros replaced.
func (t Tolerance) withDefaults(typical float64) Tolerance {
	if t.Relative == 0 {
		t.Relative = DefaultTolerance
	}
	if t.Length == 0 {
		t.Length = typical
	}
	if t.Rate == 0 {
		t.Rate = 1
	}
	return t
}

// turner is a Stepper that knows the largest angle of a body in the step last tried, rad.
type turner interface{ furthest() float64 }

// gauged is a Stepper that knows how near two states are to a singular pose, as Gauge says: the
// first state after Restart, and the end of the step last tried. The number is 0 if its
// dynamics do not tell.
type gauged interface {
	places() (first, end place)
	slow(path float64) bool
	// middle returns where in a step a singular pose is farthest from all stages, as a part of the step.
	middle() float64
	// redundantAt reports whether rows of the joints are redundant at st, from which the next step starts.
	redundantAt(st *mechanism.State) (bool, error)
	// expect says how many rows are redundant where the steps tried from now on start. A step has an
	// error of +Inf if another number is redundant at one of its open stages. Rows that geometry alone makes redundant are independent
	// at poses that the joints do not allow. All such stages demand another motion, so that they agree and tell little of the error.
	expect(redundant int)
}

// place says how near a state is to a singular pose, as Gauge tells.
type place struct {
	near float64 // 0 if unknown
	rows int     // redundant ones
}

// stiffer is a Stepper that tells how long the step last tried is for the fastest motion.
type stiffer interface {
	stiffness() (hl float64, body int)
}

// copyTo stores src in dst, which has room for it. Both share the angles with springs: the run
// sets them at the end of every step.
func copyTo(dst, src *mechanism.State) {
	if len(dst.Bodies) != len(src.Bodies) {
		panic("sim" + fault.ForeignState)
	}
	dst.Time, dst.Angles = src.Time, src.Angles
	dst.Internal = append(dst.Internal[:0], src.Internal...)
	copy(dst.Bodies, src.Bodies)
}

func length(v []float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }
