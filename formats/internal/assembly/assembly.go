package assembly

import (
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// World is the number of the fixed frame, which is no link.
const World = -1

const (
	// MaxRow is the largest number of motions in a row.
	MaxRow = 12
	// MaxTerms is the largest number of terms of all couplings that a reader makes of what a file refers to.
	MaxTerms = 1_000_000
)

// Assembly is what a reader finds in a file.
type Assembly struct {
	Name    string
	Gravity spatial.Vec3 // m/s²
	Links   []Link
	Joints  []Joint
	// Couplings are equations between coordinates.
	Couplings []Coupling
	Forces    []Force
	Servos    []Servo

	coordinates int
}

// Link is a body of the file, or a frame that it calls a body.
type Link struct {
	At   source.Located
	Name string
	// Pose in the world in the reference pose. That of a link that is the successor of a joint which is no loop is
	// computed.
	Pose Pose
	// Linear velocity of the origin and angular velocity, world axes, of a link that is no successor of a joint.
	Linear, Angular spatial.Vec3
	Ground          bool    // the link is part of the world
	Mass            float64 // kg; 0 is a link without mass
	Com             spatial.Vec3
	Inertia         spatial.Sym3 // about the centre of mass, axes of the link
	Frames          []Frame
	Visuals         []Visual
}

// Frame is a name for a place of a link.
type Frame struct {
	Name string
	Pose Pose
}

// Visual is a shape for viewers.
type Visual struct {
	Name  string
	Pose  Pose // in the link
	Kind  Shape
	Size  [3]float64 // m: a sphere's radius; a cylinder's or capsule's radius and length; a box's full lengths; an ellipsoid's half axes
	File  string     // of a mesh, as the format names it
	Scale [3]float64
	Color [4]float64 // red, green, blue, opacity, 0 to 1; all 0: none is given
	Hull  bool       // for contact, not for the eye
}

// Shape is the kind of a Visual.
type Shape uint8

// The shapes.
const (
	Mesh Shape = iota
	Box
	Sphere
	Cylinder
	Capsule
	Ellipsoid
)

// Kind is an elementary motion.
type Kind uint8

// The elementary motions.
const (
	Revolute Kind = iota
	Prismatic
	Helical
	Ball
)

var kindNames = [...]string{"revolute", "prismatic", "helical", "ball"}

// String returns the name of k.
func (k Kind) String() string { return kindNames[k] }

// Axis is an elementary motion of a joint with its coordinate q. Axis and Point are in the joint's frame P with all
// coordinates zero. It moves a point x to Rot(Axis, q)(x − Point) + Point, to x + q·Axis, or to both with Pitch·q in
// place of the latter q; a ball turns about Point.
type Axis struct {
	At         source.Located
	Name       string // of the coordinate in the file
	Coordinate int    // from Assembly.Coordinate; 0: no equation has it
	Kind       Kind
	Axis       spatial.Vec3 // unit; of a ball of no meaning
	Point      spatial.Vec3
	Pitch      float64 // m/rad

	Value, Rate float64      // the state: coordinate and rate
	Turn        spatial.Quat // of a ball, S relative to P; the zero value is no turn
	Spin        spatial.Vec3 // of a ball, angular velocity, axes of S

	// Of a ball Damping alone is looked at, against the whole angular velocity.
	Force, Stiffness, Damping, Rest, Armature float64
	Friction                                  float64    // size of the dry friction, N m or N
	Springs                                   [2]float64 // with x the coordinate less Rest, Springs[0]·x² + Springs[1]·x³ is added to the spring
	Dampers                                   [2]float64 // with y the rate, Dampers[0]·y|y| + Dampers[1]·y³ is added to the damper
	Limit                                     *model.Limit
	Motion                                    *model.Motion
}

// held reports whether a holds anything that needs its coordinate in the model.
func (a *Axis) held() bool {
	return a.Coordinate != 0 || a.Force != 0 || a.Stiffness != 0 || a.Damping != 0 || a.Armature != 0 ||
		a.Friction != 0 || a.Springs != [2]float64{} || a.Dampers != [2]float64{} || a.Limit != nil || a.Motion != nil
}

// Joint lets its frame S, in the successor, move against its frame P, in the predecessor: P to S is the motions of its
// axes in a row, the first of them next to the predecessor. Without axes it is fixed.
type Joint struct {
	At          source.Located
	Name        string
	Predecessor int // link or World
	Successor   int
	P, S        Pose // in the predecessor and the successor
	Axes        []Axis
	Typed       bool              // the joint is of Type and has no axes
	Type        model.JointType   // of a typed joint
	Length      float64           // of a distance
	Curve       *model.PointCurve // of a point on a curve
	Loop        bool              // the joint places no link; without axes it holds but does not merge
	Given       bool              // S or P was computed so that the joint holds in the reference pose
}

// Term is a coordinate with a factor.
type Term struct {
	Coordinate int
	Factor     float64
}

// Coupling holds Σ Factor·q = Offset + Σ Polynomial[k]·x^k, with x the coordinate Of (0: there is none), or that with Law
// in place of the polynomial.
type Coupling struct {
	At         source.Located
	Name       string
	Terms      []Term
	Offset     float64
	Of         int
	Polynomial []float64
	Law        *Law
}

// Law is a formula of two coordinates.
type Law struct {
	Of         [2]int
	Expression string  // in which %[1]s and %[2]s stand for the coordinates
	Reach      float64 // rad or m: it holds from −Reach to Reach of both; 0: everywhere
}

// Point is a point of a link.
type Point struct {
	Link int
	At   spatial.Vec3
}

// Force is a wrench on a point of a link, a spring or a bushing between points of two, or a cable.
type Force struct {
	At         source.Located
	Name       string
	Type       model.ForceType // Wrench, SpringDamper, BushingForce or CableForce
	A, B       int
	PointA     spatial.Vec3
	PointB     spatial.Vec3
	Points     []Point // of a cable, which has no A and B
	Force      spatial.Vec3
	Torque     spatial.Vec3
	Stiffness  float64
	Damping    float64
	RestLength float64
	Spring     *model.SpringLaw // of a spring, beside Stiffness
	Damper     *model.SpringLaw // of a spring, beside Damping
}

// Servo drives a coordinate to a value, as an actuator of the model.
type Servo struct {
	At                   source.Located
	Name                 string
	Coordinate           int
	Law                  model.ActuatorLaw // ActuatorPosition or ActuatorSpeed
	Gain, Damping, Value float64           // of the coordinate of the file
}

// ends calls f for all links that f acts on, with the point on each.
func (f *Force) ends(do func(link *int, point *spatial.Vec3)) {
	if f.Type == model.CableForce {
		for k := range f.Points {
			do(&f.Points[k].Link, &f.Points[k].At)
		}
		return
	}
	do(&f.A, &f.PointA)
	do(&f.B, &f.PointB)
}

// NewCoordinate returns a number for a coordinate that equations have.
func (a *Assembly) NewCoordinate() int {
	a.coordinates++
	return a.coordinates
}

// Balance returns the force that makes up for gravity on a link, scale times.
func (a *Assembly) Balance(link int, scale float64) Force {
	l := &a.Links[link]
	return Force{
		At: l.At, Name: l.Name + "#gravity", Type: model.Wrench, A: link, B: World, PointA: l.Com,
		Force: a.Gravity.Scale(-l.Mass * scale),
	}
}
