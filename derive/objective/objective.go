package objective

import (
	_ "embed"
	"math"
	"slices"

	"github.com/rung-mbd/rung/motion/runs"
)

const format = "rung-objective/1"

// Objective is what a document says.
type Objective struct {
	Model      string       // path of a model of any format that rung reads, from the folder of the document
	At         At           // where the terms are
	Run        runs.Options // of AtRun
	Terms      []Term
	Parameters []Parameter
	Initial    bool // the gradient by the state at the start, too
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
)

var atNames = []string{"state", "closed", "equilibrium", "modes", "run"}

// String returns the name in a document.
func (a At) String() string { return atNames[a] }

// Take is what is taken of a column.
type Take int

// What is taken.
const (
	Final    Take = iota // the value at the end of a run, or at the one state
	Integral             // over the time of a run, s times the unit of the value
)

var takeNames = []string{"final", "integral"}

// String returns the name in a document.
func (t Take) String() string { return takeNames[t] }

// Term is one term of an objective, Weight·(value − Target)^Power.
type Term struct {
	Name   string
	Column string
	Take   Take
	Weight float64
	Target float64
	Power  int
}

// Value returns the term for a value of the column, before it is integrated, and its derivative.
func (t *Term) Value(x float64) (value, slope float64) {
	d := x - t.Target
	low := math.Pow(d, float64(t.Power-1))
	return t.Weight * low * d, t.Weight * float64(t.Power) * low
}

// Parameter is one number, at one place or at several of the model, which then change together.
type Parameter struct {
	Name  string
	Paths []string
}

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
