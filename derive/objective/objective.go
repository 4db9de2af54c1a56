package objective

import (
	_ "embed"
	"errors"
	"math"
	"slices"

	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// ErrNotDifferentiable is the error for runs whose end does not depend smoothly on their start, for equilibria with others in their
// neighbourhood, and for parts of a mechanism that have no derivative over a run yet.
var ErrNotDifferentiable = errors.New("derive/objective: there is no derivative")

const format = "rung-objective/1"

// Objective is the content of a document of rung-objective/1.
type Objective struct {
	Model       string       // path of a model of any format that rung reads, from the folder of the document
	At          At           // state at which the terms are taken
	Task        string       // for AtReach: path of a task of inverse kinematics, rung-ik/1, from the folder of the document
	Run         runs.Options // for AtRun
	Ends        *Ending      // where the run ends; nil: at its time
	Terms       []Term
	Runs        []Experiment // several runs, in the place of Run and Terms
	Parameters  []Parameter
	Constraints []Constraint // for rung optimize
	Hold        []string     // bodies that stay where they are as the start of a run, or a closed state, follows
	Initial     bool         // also compute the gradient by the state at the start
}

// Ending is the end of a run before its time: the first instant at which a column of poses or velocities passes a value.
type Ending struct {
	Column    string
	Value     float64
	Direction sim.Direction
}

var directionNames = []string{"either", "rising", "falling"} // by sim.Direction

// timeColumn is the name of the column of the time at which a run ends.
const timeColumn = "time"

// ofTime reports whether the column of a term is the time at which the run ends.
func (t *Term) ofTime() bool { return t.Column == timeColumn }

// Experiment is one of several runs of the model, with terms of its own.
type Experiment struct {
	Name  string
	Set   []Setting // numbers of the model that differ
	Run   runs.Options
	Ends  *Ending
	Terms []Term
}

// Setting is a number of the model that an experiment changes.
type Setting struct {
	Path  string
	Value float64
}

// At is the state at which the terms of an objective are taken.
type At int

// The values of At.
const (
	AtState       At = iota // the state of the model
	AtClosed                // the state of the model with its joints closed as rung assemble does
	AtEquilibrium           // the equilibrium that is found from the pose of the model
	AtModes                 // the modes of vibration about that equilibrium
	AtRun                   // a run from the state of the model
	AtReach                 // a solution of inverse kinematics
)

var atNames = []string{"state", "closed", "equilibrium", "modes", "run", "reach"}

// String returns the name of a in documents.
func (a At) String() string { return atNames[a] }

// Take says which number of a column a term uses.
type Take int

// The values of Take.
const (
	Final    Take = iota // the value at the end of a run, or at the one state
	Integral             // over the time of a run, s times the unit of the value
	Data                 // the misfit to a file: weight·½ Σ ((value − datum)/sigma)² at its times
	Min                  // the least value at the rows of a run
	Max                  // the largest value at the rows of a run
)

var takeNames = []string{"final", "integral", "data", "min", "max"}

// String returns the name of t in documents.
func (t Take) String() string { return takeNames[t] }

// Term is one term of an objective: Weight·(value − Target)^Power, or for Data Weight·½ ((value − datum)/Sigma)² at each time.
type Term struct {
	Name   string
	Column string
	Take   Take
	Weight float64
	Target float64
	Power  int

	File  string  // for Data: path of the file, from the folder of the document
	From  string  // column of the file
	Sigma float64 // standard deviation of a datum; 0: unknown, which counts as 1
}

// value returns the term for a value x of the column (of an integral its integrand), and its derivative by x.
func (t *Term) value(x float64) (value, slope float64) {
	d := x - t.Target
	low := math.Pow(d, float64(t.Power-1))
	return t.Weight * low * d, t.Weight * float64(t.Power) * low
}

// misfit returns the residual √weight·(x − datum)/sigma for a value x of the column, and its derivative by x.
func (t *Term) misfit(x, datum float64) (residual, slope float64) {
	slope = math.Sqrt(t.Weight)
	if t.Sigma > 0 {
		slope /= t.Sigma
	}
	return slope * (x - datum), slope
}

// at returns the term for a value x of the column, and its derivative by x; for Data the part of one datum.
func (t *Term) at(x, datum float64) (value, slope float64) {
	if t.Take != Data {
		return t.value(x)
	}
	r, by := t.misfit(x, datum)
	return r * r / 2, r * by
}

// Parameter is a number of the model, or several numbers that change together by the same amount.
type Parameter struct {
	Name   string
	Paths  []string
	Bounds *[2]float64 // of the number at the first path, for searches; nil without bounds; one bound may be infinite
}

// Constraint is a condition on a column, for searches.
type Constraint struct {
	Term
	Kind  ConstraintKind
	Bound float64
}

// ConstraintKind is the kind of condition of a constraint.
type ConstraintKind int

// The values of ConstraintKind.
const (
	AtLeast ConstraintKind = iota
	AtMost
	Equals
)

var constraintNames = []string{"at_least", "at_most", "equals"}

// String returns the name of k in documents.
func (k ConstraintKind) String() string { return constraintNames[k] }

// The argument slopes of functions that compute values, and derivatives if these are wanted.
const (
	valuesOnly = false
	withSlopes = true
)

const (
	// maxPower is the largest power of a term.
	maxPower = 20
	// maxEntries is the largest number of terms, and of paths of parameters.
	maxEntries = 100_000
)

//go:embed schema.json
var schemaText []byte

// Schema returns the JSON Schema (draft 2020-12) of rung-objective/1. It covers the structure of a document.
func Schema() []byte { return slices.Clone(schemaText) }
