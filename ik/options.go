package ik

import (
	"time"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/kkt"
)

// Method says how a step is found.
type Method uint8

// The methods.
const (
	Auto      Method = iota // DLS, or Sparse where the mechanism is large
	FIKMethod               // feedback inverse kinematics
	DLS                     // damped least squares, Levenberg–Marquardt
	Pinv                    // pseudoinverse
	Transpose               // Jacobian transpose
	Constant                // damped least squares with a constant k
	Adaptive                // damping by manipulability (Nakamura and Hanafusa)
	Selective               // damping by singular vector (Buss and Kim)
	Sparse                  // the whole mechanism, targets in the factor
	NumMethods
)

// Engine says who supplies the effective Jacobian.
type Engine uint8

// The engines.
const (
	AutoEngine   Engine = iota
	TreeEngine          // recursion on a tree; no loops
	DrivenEngine        // the sparse system with driven rows; any mechanism
	SparseEngine        // the sparse system with targets inside
	NumEngines
)

// Metric says what a step of the sparse method is least in. docs/inverse-kinematics.md tells what each does to long
// chains.
type Metric uint8

// The metrics.
const (
	Turns   Metric = iota // rotations of bodies
	Joints                // rates of driven freedoms
	Inertia               // kinetic energy
	NumMetrics
)

// mustBe panics unless the numbers of o are those that a task may have.
func (o *Options) mustBe() {
	if o.Steps < 0 || o.Restarts < NoRestarts || !(o.Damping >= 0 && o.Damping <= mostNumber) || !(o.Length >= 0 && o.Length <= mostNumber) ||
		o.MaxTime < 0 || o.Threads < 0 || o.Threads > kkt.MaxThreads || o.Method >= NumMethods || o.Engine >= NumEngines || o.Metric >= NumMetrics {
		panic("ik: option out of range")
	}
}

// NoRestarts is the value of Options.Restarts for a single start. Documents write 0 for it.
const NoRestarts = -1

// Options say how a task is solved. The zero value holds the defaults.
type Options struct {
	Method   Method
	Engine   Engine
	Metric   Metric
	Steps    int           // largest number of steps a start; 0: 200
	Restarts int           // further starts at random; 0: 100 for trees (1000 with All) and none for others, −1 (NoRestarts): none; at most MaxRestarts without MaxTime
	Seed     uint64        // of the restarts and of kicks
	Damping  float64       // k of Constant and k₀ of Adaptive, m², for rates in rad and in lengths of the problem; 0: found by the method
	MaxTime  time.Duration // 0: none. What is found then depends on the machine
	All      bool          // every distinct solution that the restarts find
	Nearest  bool          // unreached targets are no error: the nearest pose is the answer
	Passive  bool          // "passive": "least": motions that nothing drives stay where the masses leave them, in place of an error
	Length   float64       // that makes angles into lengths in weights, m; 0: mean link length of the mechanism
	Threads  int           // of the sparse system; 0: one
}

// FIKOptions say how feedback inverse kinematics follows the targets. The zero value holds the defaults: form V with the design of
// Riccati at the present pose.
type FIKOptions struct {
	fik.Options
	Feedback float64       // κ of dxd = rate + κ·e, 1/s. 0: 5 with FIKMethod, 10 for paths by others
	Q0       []Coordinated // pose of the design. nil: the given pose, moved at random
	GainOf   []Coordinated // Gains by name
}
