package objective

import "github.com/rung-mbd/rung/spatial"

// ResultFormat is the format of a Result.
const ResultFormat = "rung-gradient/1"

// Result is the value of an objective and its gradient, as rung-gradient/1 has them.
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
	Run         *RunResult         `json:"run,omitempty"` // of several runs the sums, and the largest projection
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

// ParameterResult is the gradient by a parameter: the sum over the terms, which follow.
type ParameterResult struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Paths    []string  `json:"paths,omitempty"` // all, where there are several
	Value    float64   `json:"value"`           // of the number at the first path
	Gradient float64   `json:"gradient"`        // in all, as what the state follows is followed
	Terms    []float64 `json:"terms"`
	// Constraints are the slopes of the constraints.
	Constraints []float64 `json:"constraints,omitempty"`
	// Differences is Gradient by differences of whole runs (Check).
	Differences *float64 `json:"differences,omitempty"`
	// Unchecked says why there are none, of a number that cannot be changed to both sides.
	Unchecked string `json:"unchecked,omitempty"`
}

// InitialResult are the derivatives by the state of a body at the start of a run. Their products with a change that
// the joints allow are the derivative along it. World axes: rotation, place of the centre of mass, angular velocity,
// velocity of the centre of mass.
type InitialResult struct {
	Body     string       `json:"body"`
	Rotation spatial.Vec3 `json:"rotation"`
	Position spatial.Vec3 `json:"position"`
	Angular  spatial.Vec3 `json:"angular"`
	Linear   spatial.Vec3 `json:"linear"`
}

// RunResult tells about the run and the way back.
type RunResult struct {
	Steps       int64   `json:"steps"`
	Evaluations int64   `json:"evaluations"`
	Projection  float64 `json:"projection"` // the largest part of a step that projection took back, relative
	// Growth is by how much the first half of the run makes the gradient larger (adjoint.Growth); 0 without a gradient.
	Growth float64 `json:"growth,omitempty"`
	// Unstable is by how much explicit steps that are too long make the gradient larger, where the motion makes it smaller
	// (adjoint.Growth.Unstable); 0 where none do.
	Unstable float64 `json:"unstable,omitempty"`
	Kinks    []Kink  `json:"kinks,omitempty"` // parts whose forces or accelerations have had corners, and terms that several rows take
}

// mostGrowth is the Growth above which a gradient grows exponentially: one that grows like the seventh power of time has it.
const mostGrowth = 128

// Exponential reports whether the gradient grows exponentially with the length of the run, as in chaos. It is right for changes that are
// so small that the run remains the one that it is, and says little about others.
func (r *RunResult) Exponential() bool { return r.Growth > mostGrowth }

// mostUnstable is the Unstable above which a gradient is that of steps beyond the stability of their method: more than a corner in one step
// that is not taken apart gives.
const mostUnstable = 4

// TooLong reports whether steps are beyond the stability of their method, so that the gradient may be far from the motion's.
// The run may look right: what grows in it is cut off where a force saturates.
func (r *RunResult) TooLong() bool { return r.Unstable > mostUnstable }

// Kink is a part whose force has had a corner during a run, and how often.
type Kink struct {
	Name  string `json:"name"`
	What  string `json:"what"` // contact, cable, stop, friction, table, law, curve or extreme
	Count int64  `json:"count"`
	// Rough says that steps are not taken apart at the corners, as implicit ones are not, nor some of a run that has very many: the
	// gradient is exact for these as they were done, whichever side of a corner they are on, and may be far from that of the motion.
	Rough bool `json:"rough,omitempty"`
}
