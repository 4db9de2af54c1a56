package study

import (
	_ "embed"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/rung-mbd/rung/internal/document"
)

// format is the value of the "format" field of every study.
const format = "rung-study/1"

const (
	// MaxRuns is the largest number of runs of a study.
	MaxRuns = 10_000_000
	// MaxDrawn is the largest number of values that Latin hypercube
	// and Halton points hold in memory: draws times parameters.
	MaxDrawn = 50_000_000
	// maxParameters is the largest number of parameters, of outputs, of trajectories and of gradients.
	maxParameters = 1000
)

// Study is a sweep: the runs of one model with other numbers in it.
type Study struct {
	Model        string // path of a model of any format that rung reads, from the folder of the study
	Run          Run
	Sampling     Sampling
	Draws        int    // of the drawn parameters, at each point of the grid; 0 stands for 1
	Seed         uint64 // of all draws
	Parameters   []Parameter
	Outputs      []Output
	Trajectories []string // patterns of columns over time; nil: none is kept
	// Gradients name the numbers of the model by which all outputs are differentiated: names of parameters, or paths. nil: there are none.
	Gradients []string `json:",omitempty"`
}

// Sampling is how drawn parameters fill their space.
type Sampling int

// The samplings.
const (
	Random         Sampling = iota // independent
	LatinHypercube                 // n draws cut the range of each parameter into n equally likely parts, with one draw in each
	Halton                         // points of Halton's sequence with Owen's random digits
	Sobol                          // points of Sobol's sequence with Owen's random digits
)

var samplingNames = []string{"random", "latin-hypercube", "halton", "sobol"}

// String returns the name of the sampling in a document.
func (s Sampling) String() string { return nameOf(samplingNames, int(s), "Sampling") }

// Law is where the values of a parameter come from.
type Law int

// The laws.
const (
	Values  Law = iota // each of a list: a factor of the grid
	Uniform            // drawn between Low and High
	Normal             // drawn about Mean with Deviation
)

// Parameter is a number of the model that differs between runs.
type Parameter struct {
	Name            string // of its column
	Path            string // of the number, such as bodies[crank].mass
	Unit            string // for pictures; empty: not known
	Law             Law
	List            []float64 // of Values
	Low, High       float64   // of Uniform
	Mean, Deviation float64   // of Normal

	steps []document.Step
	grid  *grid // stands for List until fill makes it; nil: List is complete
}

// Take says which number of a column becomes an output.
type Take int

// The numbers of a column: its last one, the least or the largest in the rows of the trajectory.
const (
	Final Take = iota
	Min
	Max
)

var takeNames = []string{"final", "min", "max"}

// String returns the name in a document.
func (t Take) String() string { return nameOf(takeNames, int(t), "Take") }

// nameOf returns names[i], or the type with its number.
func nameOf(names []string, i int, kind string) string {
	if uint(i) < uint(len(names)) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

// Output is one number of a run.
type Output struct {
	Name   string // of its column in the table of runs
	Column string // of the trajectory
	Take   Take
}

// GradientPath returns the path of the number by which gradient k differentiates: the path of the parameter with the gradient's name, or
// the name itself if no parameter has it.
//
// It panics if k is out of range.
func (s *Study) GradientPath(k int) string {
	for i := range s.Parameters {
		if p := &s.Parameters[i]; p.Name == s.Gradients[k] {
			return p.Path
		}
	}
	return s.Gradients[k]
}

// GradientColumns returns the names of the columns of gradients in the table of runs, d(OUTPUT)/d(NAME), for each output by each number.
func (s *Study) GradientColumns() (list []string) {
	for i := range s.Outputs {
		for _, name := range s.Gradients {
			list = append(list, "d("+s.Outputs[i].Name+")/d("+name+")")
		}
	}
	return list
}

// Grid returns the number of points of the grid: the product of the lengths of all lists of values.
//
// It panics if an int does not hold the number, as Runs does.
func (s *Study) Grid() int {
	n := 1
	for i := range s.Parameters {
		if p := &s.Parameters[i]; p.Law == Values {
			n = times(n, len(p.List))
		}
	}
	return n
}

// Runs returns the number of runs.
func (s *Study) Runs() int { return times(s.Grid(), s.draws()) }

// times returns a·b for a and b that are not negative. It panics if an int does not hold the product.
func times(a, b int) int {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high != 0 || low > math.MaxInt {
		panic("study: more runs than an int holds")
	}
	return int(low)
}

// draws returns Draws, with 1 for 0. It panics if it is negative.
func (s *Study) draws() int {
	if s.Draws < 0 {
		panic("study: negative number of draws")
	}
	return max(s.Draws, 1)
}

// Share divides the runs into as many shares as of says, and returns one of them, the runs first … last−1. Shares are numbered
// from 0. All of them, one after the other, are the runs in their order.
//
// It panics if there is no such share.
func (s *Study) Share(number, of int) (first, last int) {
	if number < 0 || number >= of {
		panic("study: no such share")
	}
	n := uint64(s.Runs())
	before := func(share int) int {
		high, low := bits.Mul64(n, uint64(share))
		runs, _ := bits.Div64(high, low, uint64(of))
		return int(runs)
	}
	return before(number), before(number + 1)
}

// drawn returns the number of parameters that are drawn.
func (s *Study) drawn() (n int) {
	for i := range s.Parameters {
		if s.Parameters[i].Law != Values {
			n++
		}
	}
	return n
}

//go:embed schema.json
var schemaText []byte

// Schema returns the JSON Schema (draft 2020-12) of rung-study/1. It covers the structure of a document.
func Schema() []byte { return slices.Clone(schemaText) }
