package model

import (
	"math"

	"github.com/rung-mbd/rung/joints/curves"
)

// Format is the value of the "format" field of every document.
const Format = "rung-model/1"

const (
	// MaxElements is the largest number of bodies, of joints, of force elements and so on of a document.
	MaxElements = 100_000_000
	// maxList is the largest number of entries of a list of a joint that are read, and the largest number of parts of a terrain.
	// No joint has as many freedoms, so that a longer list can be refused before the type of the joint is known.
	maxList = 64
)

// World is the name of the fixed frame; no body may carry it.
const World = "world"

// Model is one document of rung-model/1: what the user wrote, with defaults
// filled in and nothing derived.
//
// Units: SI, radians; quaternions w first. Frames are named at each field.
// A Model built in Go has to pass Check before other packages accept it.
type Model struct {
	Name    string
	Gravity [3]float64 // world axes, m/s²
	Time    float64    // s
	Bodies  []Body
	Joints  []Joint
	// Couplings make freedoms of joints depend on each other.
	Couplings []Coupling
	// Terrains are the grounds of contacts, wheels and maps of friction. A terrain may be unused.
	Terrains []Terrain
	Forces   []ForceElement
	// Frames, Visuals and Source come from files of other formats. No computation uses them.
	Frames  []Frame
	Visuals []Visual
	Source  *Source // nil unless the model has been imported
}

// New returns an empty model with the format's defaults (gravity −9.81 m/s²
// along world z).
func New(name string) *Model {
	return &Model{Name: name, Gravity: [3]float64{0, 0, -9.81}}
}

// Pose places a local frame in an outer one. The zero Orientation stands for
// the identity, so that a literal may leave it out.
type Pose struct {
	Position    [3]float64 // origin of the local frame, outer axes, m
	Orientation [4]float64 // unit quaternion w x y z, local → outer
}

// Velocity is the motion of a body frame, world axes.
type Velocity struct {
	Linear  [3]float64 // of the frame's origin, m/s
	Angular [3]float64 // rad/s
}

// Inertia is the symmetric matrix about the centre of mass in body axes, kg m².
// XY is the entry of the matrix, the negative of the integral of x·y over the mass; XZ and YZ likewise.
type Inertia struct {
	XX, YY, ZZ, XY, XZ, YZ float64
}

// Body is one rigid body with its state.
type Body struct {
	Name     string
	Mass     float64    // kg, > 0
	Com      [3]float64 // centre of mass, body frame, m
	Inertia  Inertia
	Pose     Pose // body frame in the world
	Velocity Velocity
}

// Joint constrains its successor frame S relative to its predecessor frame P.
// The lists are nil or have one entry for each freedom, in the order of the format's
// table. Units: N m and rad for rotations, N and m for displacements.
type Joint struct {
	Name             string
	Type             JointType
	Predecessor      string      // body name or World
	Successor        string      // body name or World
	PredecessorFrame Pose        // P in the predecessor
	SuccessorFrame   Pose        // S in the successor
	Pitch            float64     // helical: displacement per angle, m/rad
	Length           float64     // distance: the distance of the frames' origins, m
	Wheel                        // rolling
	Curve            *PointCurve // point_on_curve, curve_on_curve
	SuccessorCurve   *PointCurve // curve_on_curve
	LiftsOff         bool        // curve_on_curve: the curves may separate, and the gap is a freedom
	Force            []float64
	Stiffness        []float64
	Damping          []float64 // for the rotations of a ball: against the components of ω_S − ω_P in P's axes
	Rest             []float64
	Armature         []float64 // inertia of the rotor of a drive, kg m² or kg, ≥ 0
	Turns            []int64   // whole turns, one entry for each rotational scalar freedom
	Motion           []*Motion // a nil entry leaves the freedom free
	Limits           []*Limit  // a nil entry does not bound
	Axes             []Axis    // composite: the elementary motions, with one freedom each
	Friction         []Friction
	// Springs and Dampers are laws that act in addition to Stiffness and Damping, springs on the coordinate less Rest. A nil
	// entry has no law.
	Springs, Dampers []*SpringLaw
}

// Wheel is the wheel of a joint of type rolling.
type Wheel struct {
	Radius     float64 // outer radius of the wheel, m
	TyreRadius float64 // radius of the tyre's round cross-section, m, from 0 (a disc) to Radius (a sphere)
	BowlRadius float64 // radius of the sphere about the origin of P that a ball rolls in, m; negative: it rolls on the sphere; 0: on a plane
	Terrain    string  // name of the terrain that the wheel rolls on in place of the plane; "": none
	Slip       Slip    // directions in which the wheel may slip
}

// PointCurve is a curve of a point_on_curve joint, in P, or of a curve_on_curve joint, in P or in S. ReadFile and Load load the
// Points and Parameters from its File.
type PointCurve struct {
	curves.Curve
	Planar    bool     // point_on_curve: the curve constrains x and y in P only, and leaves z free
	Parameter *float64 // first guess of the parameter of the point at the start; nil: search the whole curve
}

// Limit has the bounds of coordinate, rate and force of a freedom of the real machine. It is information for
// planning motions, as in package ik. It exerts no force: a simulation may exceed it, unless it has a Stop.
type Limit struct {
	Lower, Upper float64 // coordinate, rad or m, turns included; Lower < Upper; infinite: no bound
	Rate         float64 // largest rate, rad/s or m/s; 0: no bound
	Force        float64 // largest generalized force, N m or N; 0: no bound
	Stop         Stop    // the stop at Lower and Upper; zero: none
}

// NoLimit returns a Limit that does not bound.
func NoLimit() Limit { return Limit{Lower: math.Inf(-1), Upper: math.Inf(1)} }

// ForceType enumerates the force elements.
type ForceType uint8

// The force elements of rung-model/1.
const (
	SpringDamper ForceType = iota
	Wrench
	ContactForce
	ActuatorForce
	BushingForce
	CableForce
)

// Attachment is a point of a body or of the world. For a bushing it is a frame.
type Attachment struct {
	Body        string     // body name or World
	Point       [3]float64 // in the body frame, m
	Orientation [4]float64 // bushing: axes of the frame → body axes, as in a Pose; else zero
}

// ForceElement is a spring-damper between A and B, a wrench on A, a contact of the body of A with a terrain, an
// actuator, a bushing between A and B, or a cable.
type ForceElement struct {
	Name       string
	Type       ForceType
	A, B       Attachment // a wrench uses A only, a contact the body of A
	Stiffness  float64    // N/m
	Damping    float64    // N s/m
	RestLength float64    // m
	Force      [3]float64 // wrench: N, world axes; bushing: force on B at the rest pose, in the axes of the bushing
	Torque     [3]float64 // likewise, N m
	Contact    *Contact   // contact only
	Actuator   *Actuator  // actuator only
	Bushing    *Bushing   // bushing only
	Cable      *Cable     // cable only
	Spring     *SpringLaw // spring-damper: a law in addition to the stiffness; nil: none
	Damper     *SpringLaw // spring-damper: a law in addition to the damping; nil: none
}
