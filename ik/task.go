package ik

import (
	"math"
	"time"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// Task says what is asked of a mechanism: where its targets should be and which freedoms may
// move for it. It is what a document of rung-ik/1 holds, which package
// taskfile reads and writes. All names are those of the model; NewProblem looks them
// up and reports every rule that is broken, each with its JSON path.
type Task struct {
	Driven  []string // freedoms that may be moved, "JOINT.i", or "JOINT" for all scalar ones of a joint; nil: all that are not prescribed
	Hold    []string // freedoms that keep their coordinates, likewise
	Limits  []Limit  // in place of those of the model
	Targets []Target
	Posture *Posture // secondary motion
	Path    *Path    // nil: reach the targets once
	Solver  Options
	FIK     *FIKOptions // feedback inverse kinematics; nil: its defaults

	File   string          // that it was read from, for messages; "": none
	Broken *model.Problems // rules of its document that are broken, as package taskfile has found; nil: none
}

// Limit bounds one freedom, in place of what the model says. Bounds that are infinite do not bound. Where both are 0 and
// there is a rate, the bounds of the model stay.
type Limit struct {
	Freedom      string  // "JOINT" or "JOINT.i"
	Lower, Upper float64 // rad or m; Lower < Upper
	Rate         float64 // largest rate, rad/s or m/s; 0: none
}

// NoLimit returns a Limit of freedom that does not bound, in place of one of the model that may.
func NoLimit(freedom string) Limit {
	return Limit{Freedom: freedom, Lower: math.Inf(-1), Upper: math.Inf(1)}
}

// TargetType says which rows a target has.
type TargetType uint8

// The types of targets.
const (
	Point       TargetType = iota // 3 rows: the origin of B is at Position of R
	Orientation                   // 3 rows: the axes of B are those of Orientation in R
	PoseTarget                    // 6 rows: Orientation, then Point
	Axis                          // 2 rows: Axis of B points to Direction of R
	Plane                         // 1 row: the origin of B is in the plane of R through Position with the normal Direction
	Distance                      // 1 row: the origin of B has the distance Length from Position of R
	Coordinate                    // 1 row: a freedom has the coordinate Value
	Com                           // 3 rows: the centre of mass of Bodies is at Position of R
	NumTargetTypes
)

// Target is one thing that should come true. B is the frame Frame on Body, R the frame of the body
// RelativeTo. Its rows and errors e ("wanted minus is") are those of docs/inverse-kinematics.md (T1), (T2).
type Target struct {
	Name        string
	Type        TargetType
	Body        string     // that is to be moved; none for Coordinate and Com
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

// Posture is a secondary motion: driven freedoms go towards Values at Gain·(value − coordinate) as far as the
// targets leave them free.
type Posture struct {
	Gain   float64 // 1/s, > 0
	Values []Coordinated
}

// Coordinated is a freedom and a coordinate.
type Coordinated struct {
	Freedom string  // "JOINT" or "JOINT.i"
	Value   float64 // rad or m
}

// Path moves targets along waypoints.
type Path struct {
	Times   []float64 // s, increasing
	Spline  bool      // C² through the waypoints; else straight lines
	Targets []Waypoints
	Step    float64 // dt, s; 0: a hundredth of the shortest section
	Exact   bool    // inverse kinematics to the tolerance at every sample
	// FromPose follows the path from the pose that the mechanism has. Else its start is reached first, as a pose of its
	// own. With Exact the two are the same.
	FromPose bool
	Stretch  bool // time is stretched where rates of limits would be exceeded
}

// Waypoints are the places of one target at the times of its path. Nil lists stay as the target has them.
type Waypoints struct {
	Target      string
	Position    [][3]float64
	Orientation [][4]float64
	Value       []float64 // of a Coordinate, or the length of a Distance
}

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
