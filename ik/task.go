package ik

import (
	"math"

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

// Limit bounds one freedom, in place of what the model says. Bounds that are not finite do not bound; where neither is
// finite and there is a rate, the bounds of the model stay.
type Limit struct {
	Freedom      string  // "JOINT" or "JOINT.i"
	Lower, Upper float64 // rad or m; Lower < Upper
	Rate         float64 // largest rate, rad/s or m/s; 0: none
}

// NoLimit returns a Limit of freedom that does not bound.
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
// RelativeTo. Its rows and errors e ("wanted minus is") are those of theory (ik).
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
