package ik

import (
	"math"
	"time"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// Task is a task of inverse kinematics: the wanted places of its targets and the freedoms that may move. It has the content of a document
// of rung-ik/1, which package taskfile reads and writes. Names are names of the model; NewProblem looks them up and reports every rule
// that is broken, each with its JSON path.
type Task struct {
	Driven  []string // freedoms that may be moved, "JOINT.i", or "JOINT" for all scalar ones of a joint; nil: all that are not prescribed
	Hold    []string // freedoms that keep their coordinates, likewise
	Limits  []Limit  // in place of the limits of the model
	Targets []Target
	Posture *Posture // secondary motion
	Path    *Path    // nil: reach the targets once
	Solver  Options
	FIK     *FIKOptions // feedback inverse kinematics; nil: its defaults

	File   string          // name of the file that it was read from, for messages; "": none
	Broken *model.Problems // broken rules of its document that package taskfile has found; nil: none
}

// Limit bounds one freedom, in place of its limit in the model. Bounds may be infinite. Where both are 0 and there is a rate, the bounds of
// the model stay.
type Limit struct {
	Freedom      string  // "JOINT" or "JOINT.i"
	Lower, Upper float64 // rad or m; Lower < Upper
	Rate         float64 // largest rate, rad/s or m/s; 0: none
}

// NoLimit returns a Limit with infinite bounds, in place of the limit that freedom may have in the model.
func NoLimit(freedom string) Limit {
	return Limit{Freedom: freedom, Lower: math.Inf(-1), Upper: math.Inf(1)}
}

// TargetType is the type of a target, which decides about its rows.
type TargetType uint8

// The types of targets.
const (
	Point       TargetType = iota // 3 rows: the origin of B is at Position of R
	Orientation                   // 3 rows: B has the orientation Orientation in R
	PoseTarget                    // 6 rows: Orientation, then Point
	Axis                          // 2 rows: Axis of B points to Direction of R
	Plane                         // 1 row: the origin of B is in the plane of R through Position with the normal Direction
	Distance                      // 1 row: the origin of B has the distance Length from Position of R
	Coordinate                    // 1 row: a freedom has the coordinate Value
	Com                           // 3 rows: the centre of mass of Bodies is at Position of R
	NumTargetTypes
)

// Target is one condition that should be met. B is the frame Frame on Body, R the frame of the body RelativeTo. Its errors e ("wanted minus
// is") are in docs/inverse-kinematics.md (T1), its rows in (T2).
type Target struct {
	Name        string
	Type        TargetType
	Body        string     // the body that is to be moved; none for Coordinate and Com
	Frame       model.Pose // B in the frame of Body, m
	RelativeTo  string     // body or model.World; "" is the world
	Position    [3]float64 // in R, m
	Orientation [4]float64 // B → R, unit quaternion w x y z; zero: identity
	Axis        [3]float64 // of B, not zero
	Direction   [3]float64 // in R, not zero
	Length      float64    // m, > 0
	Freedom     string     // of a Coordinate, "JOINT" or "JOINT.i"
	Value       float64    // of a Coordinate, rad or m
	Turns       bool       // Value counts whole turns; else the nearest turn is taken
	Bodies      []string   // of a Com; nil: all
	Weight      []float64  // one a row, ≥ 0, not all 0; nil: ones. Rows of weight 0 are left out
	Priority    int        // levels, 0 first
	Tolerance   [2]float64 // m and rad; 0: 1e-9 of the mechanism's length, and 1e-9 rad
	Rate        []float64  // wanted rates of the rows, angular first, axes of R; nil: 0
}

// Posture is a secondary motion: as far as the targets leave them free, driven freedoms move towards Values with the rate
// Gain·(value − coordinate).
type Posture struct {
	Gain   float64 // 1/s, > 0
	Values []Coordinated
}

// Coordinated is a freedom and a coordinate.
type Coordinated struct {
	Freedom string  // "JOINT" or "JOINT.i"
	Value   float64 // rad or m
}

// Path moves targets along waypoints, which they have at the same times.
type Path struct {
	Times   []float64 // s, increasing
	Spline  bool      // C² through the waypoints; else straight lines
	Targets []Waypoints
	Step    float64 // dt, s; 0: a hundredth of the shortest section
	Exact   bool    // inverse kinematics to the tolerance at every sample
	// FromPose follows the path from the pose of the mechanism. Without it the start of the path is reached first. With Exact it makes no
	// difference.
	FromPose bool
	Stretch  bool // time is stretched where largest rates would be exceeded
}

// Waypoints are the wanted places of one target at the times of its path. Where a list is nil, the target's own value holds at all times.
type Waypoints struct {
	Target      string
	Position    [][3]float64
	Orientation [][4]float64
	Value       []float64 // of a Coordinate, or the length of a Distance
}

// Method is the method by which a step is found.
type Method uint8

// The methods.
const (
	Auto      Method = iota // DLS, or Sparse for many rows or without driven freedoms
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

// Engine is the way in which the effective Jacobian is found.
type Engine uint8

// The engines.
const (
	AutoEngine   Engine = iota
	TreeEngine          // recursion on a tree; no loops
	DrivenEngine        // the sparse system with driven rows; any mechanism
	SparseEngine        // the sparse system with targets inside
	NumEngines
)

// Metric is the measure in which a step of the sparse method is least. docs/inverse-kinematics.md has the effects on long chains.
type Metric uint8

// The metrics.
const (
	Turns   Metric = iota // rotations of bodies
	Joints                // rates of driven freedoms
	Inertia               // kinetic energy
	NumMetrics
)

// mustBe panics unless the numbers of o are in the ranges that a task allows.
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
	Seed     uint64        // of random restarts, and of random directions away from saddles
	Damping  float64       // k of Constant and k₀ of Adaptive, m², for rates in rad and in lengths of the problem; 0: found by the method
	MaxTime  time.Duration // 0: none. With it the result depends on the speed of the machine
	All      bool          // every distinct solution that the restarts find
	Nearest  bool          // unreached targets are no error: the nearest pose is the answer
	Passive  bool          // "passive": "least": motions that nothing drives are no error; they are the least by the masses
	Length   float64       // angles are multiplied by it to be compared with lengths, m; 0: mean link length of the mechanism
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
