package ik

import (
	"math"
	"time"

	"github.com/rung-mbd/rung/ik/fik"
)

// Status says how a task ended.
type Status uint8

// The ends of a task.
const (
	Reached      Status = iota // all targets within their tolerances
	Nearest                    // out of reach: no motion brings the targets nearer
	AgainstLimit               // the same, and limits are in the way
	Stuck                      // the gradient is zero and yet it is not a minimum that could be shown
	Conflicting                // targets of one priority contradict each other
	OutOfSteps                 // the number of steps or the time is used up
	Unstable                   // feedback inverse kinematics does not converge at these gains
	numStatuses
)

// String returns the name in rung-ik-result/1.
func (s Status) String() string {
	if s >= numStatuses {
		return "Status(?)"
	}
	return [numStatuses]string{"reached", "nearest", "limit", "stuck", "conflict", "steps", "unstable"}[s]
}

// NotComputed is a Rank or a number of NullMotions that the sparse method leaves out, with the singular values, and any other where these
// cannot be found.
const NotComputed = -1

// Result is what came of a task. Its slices belong to the solver and hold until its next use.
type Result struct {
	Name      string // of the model
	Status    Status
	Method    Method
	Engine    Engine
	Steps     int
	Restarts  int
	Targets   []TargetResult
	Driven    []DrivenResult
	Following []DrivenResult // freedoms that the task drives but that follow from the others (Problem.Following); their limits are not kept, only reported
	// Outside are the driven freedoms that were outside their limits at the start; the first step went to the limits.
	// At the end all are within them, of the sparse method to 1e-9 rad or lengths, unless steps or time were used up:
	// then DrivenResult.Limit tells.
	Outside        []string
	SingularValues []float64 // of the effective Jacobian with weights, descending
	Manipulability float64   // √det 𝒥𝒥ᵀ; of many rows it may be infinite, which is null in a document
	Rank           int
	NullMotions    int // motions of the driven freedoms that leave all targets
	Conflicts      []Conflict
	ClosingError   float64 // largest violation of a joint: an angle, rad, or a length relative to that of the problem
	Elapsed        time.Duration
	Path           *PathResult   // nil unless whoever followed a path has set it
	Solutions      [][]float64   // driven coordinates of all distinct solutions, with Options.All
	Filter         *FilterResult // what feedback inverse kinematics ran with; nil for other methods
}

// FilterResult is the filter of a task as it was designed: what FIKOptions with DesignGiven would take.
type FilterResult struct {
	Form   fik.Form
	Design fik.Design
	P      []float64 // 1, m or m² numbers, m the rows with a weight
	A      []float64 // 1 or m numbers, 1/s; form F: α
	H      float64   // s; of form V at the start
}

// PathResult is what became of a whole path, beside the Result of its last sample.
type PathResult struct {
	Samples  int
	End      float64        // time of the last sample, s
	Missed   int            // samples at which targets were off by more than their tolerances
	Largest  []TargetResult // largest errors of the targets
	SigmaMin float64        // least of the least singular values; NaN where the method computes none
}

// Add takes in the result of a sample at the time t.
func (p *PathResult) Add(t float64, r *Result) {
	if p.Largest == nil {
		p.Largest = append(p.Largest, r.Targets...)
		p.SigmaMin = math.NaN()
	}
	p.Samples++
	p.End = t
	if r.Status != Reached {
		p.Missed++
	}
	for i := range r.Targets {
		from, to := &r.Targets[i], &p.Largest[i]
		to.Linear, to.Angular, to.Reached = max(to.Linear, from.Linear), max(to.Angular, from.Angular), to.Reached && from.Reached
	}
	if n := len(r.SingularValues); n > 0 && !(p.SigmaMin <= r.SingularValues[n-1]) {
		p.SigmaMin = r.SingularValues[n-1]
	}
}

// TargetResult says what became of a target.
type TargetResult struct {
	Name            string
	Priority        int
	Linear, Angular float64 // magnitude of what is missing, m and rad
	Reached         bool
}

// DrivenResult is a driven freedom at the end. Of a following one Limit also says that it is beyond the limit.
type DrivenResult struct {
	Joint   string
	Freedom int
	Value   float64 // rad or m
	Rate    float64 // on a path, rad/s or m/s
	Limit   int8    // −1 at the lower, 1 at the upper limit, else 0
}

// Conflict is a row of a target that others of its priority keep from being met.
type Conflict struct {
	Target   string
	Row      int
	Residual float64 // m or rad
}
