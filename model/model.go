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
	// maxList is the number of entries of a list of a joint that are read, and the largest number of parts of a terrain. No joint
	// has as many freedoms; a longer list is refused before the type of the joint is known.
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
	// Terrains are the grounds of contacts. A model may have terrains without use.
	Terrains []Terrain
	Forces   []ForceElement
	// What files of other formats have, and no computation looks at.
	Frames  []Frame
	Visuals []Visual
	Source  *Source // of a model that has been imported
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
// XY is the matrix entry, minus the product of inertia integral.
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
// The lists are nil or have one entry a freedom, in the order of the format's
// table.
type Joint struct {
	Name             string
	Type             JointType
	Predecessor      string // body name or World
	Successor        string // body name or World
	PredecessorFrame Pose   // P in the predecessor
	SuccessorFrame   Pose   // S in the successor
	Pitch            float64
	Length           float64
	Wheel                        // rolling
	Curve            *PointCurve // point_on_curve, curve_on_curve
	SuccessorCurve   *PointCurve // curve_on_curve
	LiftsOff         bool        // curve_on_curve: the curves may part, and the gap is a freedom
	Force            []float64
	Stiffness        []float64
	Damping          []float64 // of the rotations of a ball, too: torques against the components of ω_S − ω_P in P's axes
	Rest             []float64
	Armature         []float64 // inertia of the rotor of a drive, kg m² or kg, ≥ 0
	Turns            []int64   // one a rotational scalar freedom
	Motion           []*Motion // nil entries are free
	Limits           []*Limit  // nil entries do not bound
	Axes             []Axis    // of a composite joint, which has a freedom each
	Friction         []Friction
	// Springs and Dampers act beside Stiffness and Damping, with the coordinate less Rest; nil entries do not.
	Springs, Dampers []*SpringLaw
}

// Wheel is the wheel of a joint of type rolling.
type Wheel struct {
	Radius     float64 // of the whole wheel, m
	TyreRadius float64 // of its round tyre, m, from 0 (a disc) to Radius (a sphere)
	BowlRadius float64 // of the sphere about the origin of P that a ball rolls in, m; negative: on which it rolls; 0: it is on a plane
	Terrain    string  // of the model, that the wheel rolls on in place of the plane; "": none
	Slip       Slip    // where the wheel may slip
}

// PointCurve is a curve of a point_on_curve joint, in P, or of a curve_on_curve joint, in P or in S. The points of a File are loaded by
// ReadFile and Load: Points, and Parameters.
type PointCurve struct {
	curves.Curve
	Planar    bool     // point_on_curve: it has a row in the plane of x and y of P alone, and leaves z free
	Parameter *float64 // where the parameter of the point is looked for at the start; nil: everywhere
}

// Limit says how far, how fast and with what force a freedom of the real machine moves. It is information for
// those who plan motions, as package ik does, and no force: a simulation passes it, unless it has a Stop.
type Limit struct {
	Lower, Upper float64 // coordinate, rad or m, turns included; Lower < Upper; infinite: no bound
	Rate         float64 // largest rate, rad/s or m/s; 0: no bound
	Force        float64 // largest generalized force, N m or N; 0: no bound
	Stop         Stop    // what is at Lower and Upper; the zero one: nothing
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

// Attachment is a point of a body, in its frame (m), or of the world. Of a bushing it is the origin of a frame.
type Attachment struct {
	Body        string
	Point       [3]float64
	Orientation [4]float64 // of a bushing: the frame in that of the body, as that of a Pose; else zero
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
	Force      [3]float64 // wrench: N, world axes; bushing: on B where it is at rest, in its axes
	Torque     [3]float64 // the same, N m
	Contact    *Contact   // of a contact
	Actuator   *Actuator  // of an actuator
	Bushing    *Bushing   // of a bushing
	Cable      *Cable     // of a cable
	Spring     *SpringLaw // of a spring-damper, beside its stiffness; nil: none
	Damper     *SpringLaw // of a spring-damper, beside its damping; nil: none
}
