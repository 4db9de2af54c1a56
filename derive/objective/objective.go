package objective

import (
	_ "embed"
	"errors"
	"math"
	"slices"

	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
)

// ErrNotDifferentiable is for runs whose end does not follow their start smoothly, and for what has no derivative yet.
var ErrNotDifferentiable = errors.New("derive/objective: there is no derivative")

const format = "rung-objective/1"

// Objective is what a document says.
type Objective struct {
	Model       string       // path of a model of any format that rung reads, from the folder of the document
	At          At           // where the terms are
	Task        string       // of AtReach: path of a task of inverse kinematics, rung-ik/1, from the folder of the document
	Run         runs.Options // of AtRun
	Ends        *Ending      // of the run; nil: it goes to its time
	Terms       []Term
	Runs        []Experiment // several runs, in the place of Run and Terms
	Parameters  []Parameter
	Constraints []Constraint // of rung optimize
	Hold        []string     // bodies that stay where they are as the start of a run, or a closed state, follows
	Initial     bool         // the gradient by the state at the start, too
}

// Ending is where a run ends before its time: at the first instant at which a column of poses or velocities passes a value.
type Ending struct {
	Column    string
	Value     float64
	Direction sim.Direction
}

var directionNames = []string{"either", "rising", "falling"} // as those of package sim are numbered

// timeColumn is the column of the time at which a run ends.
const timeColumn = "time"

// ofTime reports whether a term is of the time at which the run ends.
func (t *Term) ofTime() bool { return t.Column == timeColumn }

// Experiment is one of several runs of the model, with terms of its own.
type Experiment struct {
	Name  string
	Set   []Setting // what is different about the model
	Run   runs.Options
	Ends  *Ending
	Terms []Term
}

// Setting is a number of the model that an experiment has changed.
type Setting struct {
	Path  string
	Value float64
}

// At is where the terms of an objective are.
type At int

// The places.
const (
	AtState       At = iota // of the model
	AtClosed                // of the model, with its joints closed as rung assemble does
	AtEquilibrium           // of the model, which seeks it from its pose
	AtModes                 // of vibration about that equilibrium
	AtRun                   // a run from the state of the model
	AtReach                 // of a solution of inverse kinematics
)

var atNames = []string{"state", "closed", "equilibrium", "modes", "run", "reach"}

// String returns the name in a document.
func (a At) String() string { return atNames[a] }

// Take is what is taken of a column.
type Take int

// What is taken.
const (
	Final    Take = iota // the value at the end of a run, or at the one state
	Integral             // over the time of a run, s times the unit of the value
	Data                 // the misfit to a file: weight·½ Σ ((value − datum)/sigma)² at its times
	Min                  // the least value at the rows of a run
	Max                  // the largest one
)

var takeNames = []string{"final", "integral", "data", "min", "max"}

// String returns the name in a document.
func (t Take) String() string { return takeNames[t] }

// Term is one term of an objective, Weight·(value − Target)^Power; of data Weight·½ ((value − datum)/Sigma)² at each time.
type Term struct {
	Name   string
	Column string
	Take   Take
	Weight float64
	Target float64
	Power  int

	File  string  // of data: its path, from the folder of the document
	From  string  // the column of the file
	Sigma float64 // the standard deviation of a datum; 0: not known, and 1 in the sum
}

// Value returns the term for a value of the column, before it is integrated, and its derivative.
func (t *Term) Value(x float64) (value, slope float64) {
	d := x - t.Target
	low := math.Pow(d, float64(t.Power-1))
	return t.Weight * low * d, t.Weight * float64(t.Power) * low
}

// misfit returns the residual for a value of the column and a datum, √weight·(value − datum)/sigma, and its derivative.
func (t *Term) misfit(x, datum float64) (residual, slope float64) {
	slope = math.Sqrt(t.Weight)
	if t.Sigma > 0 {
		slope /= t.Sigma
	}
	return slope * (x - datum), slope
}

// at returns the term for a value of the column, and its derivative; of data for one datum.
func (t *Term) at(x, datum float64) (value, slope float64) {
	if t.Take != Data {
		return t.Value(x)
	}
	r, by := t.misfit(x, datum)
	return r * r / 2, r * by
}

// Parameter is one number, at one place or at several of the model, which then change together, by the same amount.
type Parameter struct {
	Name   string
	Paths  []string
	Bounds *[2]float64 // of the number at the first path, for searches; nil: there are none; one may be infinite
}

// Constraint is a condition on a column, for searches.
type Constraint struct {
	Term
	Kind  ConstraintKind
	Bound float64
}

// ConstraintKind says what a constraint asks for.
type ConstraintKind int

// The kinds.
const (
	AtLeast ConstraintKind = iota
	AtMost
	Equals
)

var constraintNames = []string{"at_least", "at_most", "equals"}

// String returns the name in a document.
func (k ConstraintKind) String() string { return constraintNames[k] }

const (
	// maxPower is the largest power of a term.
	maxPower = 20
	// maxEntries is the largest number of terms, and that of paths of parameters.
	maxEntries = 100_000
)

//go:embed schema.json
var schemaText []byte

// Schema returns the JSON Schema (draft 2020-12) of rung-objective/1. It covers the structure of a document.
func Schema() []byte { return slices.Clone(schemaText) }
