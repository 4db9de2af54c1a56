package objective

import "github.com/rung-mbd/rung/spatial"

// ResultFormat is the format of a Result.
const ResultFormat = "rung-gradient/1"

// Result is the value of an objective and its gradient, a document of rung-gradient/1.
type Result struct {
	Format     string            `json:"format"`
	Name       string            `json:"name"`
	At         string            `json:"at"`
	Value      float64           `json:"value"`
	Terms      []TermResult      `json:"terms"`
	Parameters []ParameterResult `json:"parameters"`
	// Constraints are the conditions of the document, for rung optimize. They do not count in Value.
	Constraints []ConstraintResult `json:"constraints,omitempty"`
	Initial     []InitialResult    `json:"initial,omitempty"`
	// Differenced is the number of values that Check has taken: runs, or searches.
	Differenced int64      `json:"differenced,omitempty"`
	Run         *RunResult `json:"run,omitempty"` // of several runs: sums, and the largest projection and growth
}

// ConstraintResult is a condition and the value of its column.
type ConstraintResult struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"`
	Bound float64 `json:"bound"`
	Value float64 `json:"value"`
}

// TermResult is a term and its value.
type TermResult struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// The values of ParameterResult.Verdict: what differences tell about a gradient.
const (
	Agrees     = "agrees"      // within four times the estimated error of the differences, or within the errors that the gradient may have
	Disagrees  = "disagrees"   // by more than that
	CannotTell = "cannot tell" // one of these errors is above a hundredth of the gradient
)

// ParameterResult is the derivative by a parameter: of the sum and of each term.
type ParameterResult struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Paths    []string  `json:"paths,omitempty"` // all paths, if there are several
	Value    float64   `json:"value"`           // value of the number at the first path
	Gradient float64   `json:"gradient"`        // total derivative of the objective
	Terms    []float64 `json:"terms"`           // total derivative of each term
	// Constraints are the derivatives of the constraints.
	Constraints []float64 `json:"constraints,omitempty"`
	// Differences is Gradient computed by differences of whole runs (Check), with their estimated error.
	Differences      *float64 `json:"differences,omitempty"`
	DifferencesError *float64 `json:"differences_error,omitempty"`
	Verdict          string   `json:"verdict,omitempty"` // Agrees, Disagrees or CannotTell; empty without differences
	// Unchecked is the reason why there are no differences: a number that cannot be changed to both sides.
	Unchecked string `json:"unchecked,omitempty"`
}

// InitialResult holds the derivatives by the state of a body at the start of a run. Their product with a change that the joints allow is
// the derivative along it. World axes: rotation, position of the centre of mass, angular velocity, velocity of the centre of mass.
type InitialResult struct {
	Body     string       `json:"body"`
	Rotation spatial.Vec3 `json:"rotation"`
	Position spatial.Vec3 `json:"position"`
	Angular  spatial.Vec3 `json:"angular"`
	Linear   spatial.Vec3 `json:"linear"`
}

// RunResult reports on the run and the way back.
type RunResult struct {
	Steps       int64   `json:"steps"`
	Evaluations int64   `json:"evaluations"`
	Projection  float64 `json:"projection"` // largest change of a step by projection (adjoint.Gradient.Gap)
	// Growth is the factor by which the gradient grows over the first half of the run (adjoint.Growth.Ratio); 0 without a gradient.
	Growth float64 `json:"growth,omitempty"`
	// Unstable is the factor by which explicit steps that are too long enlarge the gradient, where the motion makes it smaller
	// (adjoint.Growth.Unstable); 0 if there are none.
	Unstable float64 `json:"unstable,omitempty"`
	// Matrix tells how much the stiffness and the damping in the first matrix of generalized-α count, whose changes the gradient leaves out:
	// a bound of the change of a term if all of them change by their own size (adjoint.Gradient.Matrix), relative to the largest change by a
	// parameter that changes by its own value; by its size, if no number counts that is not zero. 0 or rounding without springs and dampers
	// in that matrix; 0 for explicit steps and RATTLE.
	Matrix float64 `json:"matrix,omitempty"`
	Kinks  []Kink  `json:"kinks,omitempty"` // parts whose forces or accelerations have had corners, and terms that several rows take
}

// mostGrowth is the Growth above which a gradient counts as growing exponentially: growth like the seventh power of time reaches it.
const mostGrowth = 128

// Exponential reports whether the gradient grows exponentially with the length of the run, as in chaos. The gradient is then correct for
// changes so small that the run hardly changes, and says little about larger ones.
func (r *RunResult) Exponential() bool { return r.Growth > mostGrowth }

// mostUnstable is the Unstable above which a gradient counts as the derivative of steps beyond the stability of their method: more than one
// corner in a step that is not taken apart causes.
const mostUnstable = 4

// TooLong reports whether steps are beyond the stability of their method, so that the gradient may be far from the derivative of the
// motion. The run may look right, as growth in it ends where a force saturates.
func (r *RunResult) TooLong() bool { return r.Unstable > mostUnstable }

// Kink is a part whose force has had a corner during a run, with the number of times.
type Kink struct {
	Name  string `json:"name"`
	What  string `json:"what"` // contact, cable, stop, friction, table, law, curve or extreme
	Count int64  `json:"count"`
	// Rough says that steps are not taken apart at the corners: implicit steps never are, nor are some steps of a run with very many
	// corners. The gradient is exact for these steps as they were done, with stages on either side of a corner, and may be far from the
	// derivative of the motion.
	Rough bool `json:"rough,omitempty"`
}
