package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Stepper computes steps of one method. The caller owns the state. The caller tries a step and looks at
// the result. Then it tries again with another end, or it chooses a state from which to continue, at the end
// of the step or near it, and accepts the step.
type Stepper interface {
	// Order returns the order of the method, and the order of the embedded solution of its error
	// estimate, 0 if it has no estimate.
	Order() (order, embedded int)
	// Try computes a step from st to the time t and returns its estimated error
	// in units of the tolerance, 0 without an estimate. st is not changed.
	Try(st *mechanism.State, t float64) (err float64, e error)
	// AtTo stores in dst the state at the fraction theta in [0, 1] of the step last
	// tried.
	AtTo(dst *mechanism.State, theta float64)
	// Lead prepares the step after the one last tried. That step will start from next, which is
	// the end of the step last tried unless changed says that it has been moved. After an error no step can start
	// there.
	Lead(next *mechanism.State, changed bool) error
	// Accept ends the step; the next Try is from the state of Lead.
	Accept()
	// CloseStages makes the following tries compute accelerations at states that p has projected;
	// nil ends that. Implicit methods ignore it, as their steps satisfy the joints anyway.
	CloseStages(p Projector)
	// Restart forgets all that is known about the state from which the next Try starts. It
	// has to be called when state or dynamics have changed without Lead.
	Restart()
	// Kept returns the numbers of the last step that the next step uses, nil if there
	// are none.
	Kept() []float64
	// Keep returns the memory of Kept, for the caller to fill, and marks it as valid.
	Keep() []float64
	// Evaluations returns the number of evaluations of the accelerations.
	Evaluations() int64
	// Settings returns the method and all settings on which its results depend, as text. A run can be
	// resumed only with equal settings.
	Settings() string
}

// Tolerance is the size of error that a step may make. The estimate is, over all
// bodies, the largest of
//
//	|δΘ|, |δc|/Length, |δω|/(Rate + |ω|), |δċ|/(Length·Rate + |ċ|)
//
// relative to Relative, for the errors δ of rotation and displacement of the centre of mass, and of angular velocity and velocity of the
// centre of mass. Explicit methods include internal states of contacts, relative to their size. The estimate depends neither on the
// number of bodies nor on the position of the mechanism.
type Tolerance struct {
	Relative float64 // 0 stands for DefaultTolerance
	Length   float64 // m; 0 stands for mechanism.Mechanism.TypicalLength
	Rate     float64 // 1/s; 0 stands for 1
}

// DefaultTolerance is the relative tolerance where none is given.
const DefaultTolerance = 1e-8

// withDefaults returns t with defaults in place of zeros; typical is the default of Length.
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

// turner is a Stepper that knows the largest angle by which a body turns in the step last tried, rad.
type turner interface{ furthest() float64 }

// gauged is a Stepper that knows the nearness of states to a singular pose, by a Gauge.
type gauged interface {
	// places returns the nearness of the first state after Restart, and of the end of the step last tried; 0 if the dynamics are no
	// Gauge.
	places() (first, end place)
	// slow reports whether the motion at the start of the step last tried has less speed than it would gain over path, a length
	// relative to the typical length.
	slow(path float64) bool
	// middle returns the fraction of a step at which a singular pose is farthest from all stages.
	middle() float64
	// redundantAt reports whether rows of the joints are redundant at st, from which the next step starts.
	redundantAt(st *mechanism.State) (bool, error)
	// expect sets the number of redundant rows at the start of the steps tried from now on. A step has an
	// error of +Inf if another number of rows is redundant at one of its open stages. Rows that geometry alone makes redundant are
	// independent at poses that the joints do not allow. All such stages demand another motion, so they agree with each other, and the
	// error estimate does not show the error.
	expect(redundant int)
}

// place is the nearness of a state to a singular pose, by a Gauge.
type place struct {
	near float64 // 0 if unknown
	rows int     // number of redundant rows
}

// stiffer is a Stepper that compares the step last tried with the fastest motion: hl is h·|λ|, see RungeKutta.stiffness.
type stiffer interface {
	stiffness() (hl float64, body int)
}

// copyTo copies src to dst, which has the same number of bodies. Both then share State.Angles, which the run
// sets at the end of every step.
func copyTo(dst, src *mechanism.State) {
	if len(dst.Bodies) != len(src.Bodies) {
		panic("sim" + fault.ForeignState)
	}
	dst.Time, dst.Angles = src.Time, src.Angles
	dst.Internal = append(dst.Internal[:0], src.Internal...)
	copy(dst.Bodies, src.Bodies)
}

func length(v []float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }
