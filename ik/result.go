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
	Stuck                      // the method gets no further, and cannot tell whether that is a minimum
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

// NotComputed is Rank and NullMotions where there are no singular values: the sparse method computes none, and other methods may not find
// them.
const NotComputed = -1

// Result is the result of a task. Its slices belong to the solver and hold until its next use.
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
	// Outside are the driven freedoms that were outside their limits at the start; they were brought to the limits first. At the end all
	// are within their limits, with the sparse method to 1e-9 rad or lengths of the problem. Where steps or time were used up they may
	// not be: DrivenResult.Limit says which.
	Outside        []string
	SingularValues []float64 // of the effective Jacobian with weights, descending
	Manipulability float64   // √det 𝒥𝒥ᵀ; of many rows it may be infinite, which is null in a document
	Rank           int
	NullMotions    int // number of independent motions of the driven freedoms that leave all targets unchanged
	Conflicts      []Conflict
	ClosingError   float64 // largest violation of a joint: an angle, rad, or a length relative to the length of the problem
	Elapsed        time.Duration
	Path           *PathResult   // for callers that follow a path; nil unless they set it
	Solutions      [][]float64   // driven coordinates of all distinct solutions, with Options.All
	Filter         *FilterResult // the filter of feedback inverse kinematics; nil for other methods
}

// FilterResult is the filter of a task as it was designed. FIKOptions with DesignGiven and these numbers give the same filter.
type FilterResult struct {
	Form   fik.Form
	Design fik.Design
	P      []float64 // 1, m or m² numbers, m the rows with a weight
	A      []float64 // 1 or m numbers, 1/s; form F: α
	H      float64   // s; of form V at the start
}

// PathResult sums up a whole path, beside the Result of its last sample.
type PathResult struct {
	Samples  int
	End      float64        // time of the last sample, s
	Missed   int            // samples at which targets were off by more than their tolerances
	Largest  []TargetResult // largest errors of the targets
	SigmaMin float64        // least singular value of all samples; NaN where the method computes none
}

// Add includes the result of a sample at the time t.
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

// TargetResult is the end of a target.
type TargetResult struct {
	Name            string
	Priority        int
	Linear, Angular float64 // size of its errors without weights, m and rad
	Reached         bool
}

// DrivenResult is a driven or following freedom at the end. A following one may be beyond the limit that Limit names.
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
