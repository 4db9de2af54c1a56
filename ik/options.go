package ik

import (
	"time"
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
)

// Options say how a task is solved. The zero value holds the defaults.
type Options struct {
	Method   Method
	Engine   Engine
	Metric   Metric
	Steps    int           // largest number of steps a start; 0: 200
	Restarts int           // further starts at random; 0: none, −1: the default, 100 for trees and none for others; at most MaxRestarts without MaxTime
	Seed     uint64        // of the restarts and of kicks
	Damping  float64       // k of Constant and k₀ of Adaptive, m², for rates in rad and in lengths of the problem; 0: found by the method
	MaxTime  time.Duration // 0: none. What is found then depends on the machine
	All      bool          // every distinct solution that the restarts find
	Nearest  bool          // unreached targets are no error: the nearest pose is the answer
	Passive  bool          // "passive": "least": motions that nothing drives stay where the masses leave them, in place of an error
	Length   float64       // that makes angles into lengths in weights, m; 0: mean link length of the mechanism
	Threads  int           // of the sparse system; 0: one
}
