package assembly

import (
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// World stands for the fixed frame where a link is given by index.
const World = -1

const (
	// MaxRow is the largest number of motions in a row.
	MaxRow = 12
	// MaxTerms is the largest number of terms of all couplings that a reader makes by following references of a file.
	MaxTerms = 1_000_000
)

// Assembly is the content of a file that a reader has read, from which Build makes the model.
type Assembly struct {
	Name    string
	Gravity spatial.Vec3 // m/s²
	Links   []Link
	Joints  []Joint
	// Couplings are equations between coordinates.
	Couplings []Coupling
	Forces    []Force
	Servos    []Servo

	coordinates int // largest number that NewCoordinate has returned
}

// Link is a body of the file, or a frame that it calls a body.
type Link struct {
	At   source.Located
	Name string
	// Pose in the world in the reference pose. For a link that is the successor of a joint with Loop unset, it is
	// computed from the joint.
	Pose Pose
	// Linear velocity of the origin and angular velocity, world axes. They are used only for a link that is no successor of a joint.
	Linear, Angular spatial.Vec3
	Ground          bool         // the link is part of the world
	Mass            float64      // kg; 0 is a link without mass
	Com             spatial.Vec3 // centre of mass, frame of the link, m
	Inertia         spatial.Sym3 // about the centre of mass, axes of the link
	Frames          []Frame
	Visuals         []Visual
}

// Frame is a named frame that is fixed in a link.
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
	Hull  bool       // for collisions, not for display
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

// Axis is an elementary motion of a joint with its coordinate q. Axis and Point are in the joint's frame P, with all
// coordinates zero. It moves a point x to Rot(Axis, q)(x − Point) + Point (revolute), to x + q·Axis (prismatic), or to
// Rot(Axis, q)(x − Point) + Point + Pitch·q·Axis (helical). A ball turns about Point.
type Axis struct {
	At         source.Located
	Name       string // of the coordinate in the file
	Coordinate int    // from Assembly.NewCoordinate; 0: no coupling or servo uses it
	Kind       Kind
	Axis       spatial.Vec3 // unit vector; unused for a ball
	Point      spatial.Vec3
	Pitch      float64 // m/rad

	Value, Rate float64      // the state: coordinate and rate
	Turn        spatial.Quat // ball: orientation of S relative to P; the zero value stands for the identity
	Spin        spatial.Vec3 // ball: relative angular velocity, axes of S

	// For a ball only Damping is used, against the relative angular velocity.
	Force, Stiffness, Damping, Rest, Armature float64
	Friction                                  float64    // magnitude of the dry friction, N m or N
	Springs                                   [2]float64 // added to the spring: Springs[0]·x² + Springs[1]·x³, x = q − Rest
	Dampers                                   [2]float64 // added to the damper: Dampers[0]·y|y| + Dampers[1]·y³, y = dq/dt
	Limit                                     *model.Limit
	Motion                                    *model.Motion
}

// held reports whether something acts on or refers to the coordinate of a, so that the model must have it.
func (a *Axis) held() bool {
	return a.Coordinate != 0 || a.Force != 0 || a.Stiffness != 0 || a.Damping != 0 || a.Armature != 0 ||
		a.Friction != 0 || a.Springs != [2]float64{} || a.Dampers != [2]float64{} || a.Limit != nil || a.Motion != nil
}

// Joint connects its frame P in the predecessor to its frame S in the successor by the motions of its axes in a row, the first of them
// next to the predecessor. A joint without axes is fixed.
type Joint struct {
	At          source.Located
	Name        string
	Predecessor int // link or World
	Successor   int
	P, S        Pose // in the predecessor and the successor
	Axes        []Axis
	Typed       bool              // the joint is of Type and has no axes
	Type        model.JointType   // if Typed
	Length      float64           // distance: m
	Curve       *model.PointCurve // point on a curve
	Loop        bool              // the pose of the successor does not follow from the joint; if fixed, it does not merge its links
	Given       bool              // the reader has computed S or P so that the joint holds in the reference pose
}

// Term is a coordinate with a factor.
type Term struct {
	Coordinate int
	Factor     float64
}

// Coupling is the equation Σ Factor·q = Offset + Σ Polynomial[k]·x^k, where x is the coordinate Of (0: none). If Law is set, it
// replaces the polynomial.
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
	Expression string  // a format in which %[1]s and %[2]s stand for the coordinates
	Reach      float64 // rad or m: the law is defined for both coordinates from −Reach to Reach; 0: everywhere
}

// Point is a point of a link.
type Point struct {
	Link int
	At   spatial.Vec3
}

// Force is a wrench on a point of a link, a spring or a bushing between points of two links, or a cable. Points are in link frames, m.
type Force struct {
	At         source.Located
	Name       string
	Type       model.ForceType // Wrench, SpringDamper, BushingForce or CableForce
	A, B       int
	PointA     spatial.Vec3
	PointB     spatial.Vec3
	Points     []Point // cable only, which uses these in place of A and B
	Force      spatial.Vec3
	Torque     spatial.Vec3
	Stiffness  float64
	Damping    float64
	RestLength float64
	Spring     *model.SpringLaw // spring only: a law in addition to Stiffness
	Damper     *model.SpringLaw // spring only: a law in addition to Damping
}

// Servo drives a coordinate to a value; it becomes an actuator of the model.
type Servo struct {
	At                   source.Located
	Name                 string
	Coordinate           int
	Law                  model.ActuatorLaw // ActuatorPosition or ActuatorSpeed
	Gain, Damping, Value float64           // for the coordinate as in the file
}

// ends calls do for each link that f acts on, with the point on it.
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

// NewCoordinate returns a new positive number for Axis.Coordinate, by which couplings and servos refer to a coordinate.
func (a *Assembly) NewCoordinate() int {
	a.coordinates++
	return a.coordinates
}

// Balance returns a force on a link that cancels scale times its weight.
func (a *Assembly) Balance(link int, scale float64) Force {
	l := &a.Links[link]
	return Force{
		At: l.At, Name: l.Name + "#gravity", Type: model.Wrench, A: link, B: World, PointA: l.Com,
		Force: a.Gravity.Scale(-l.Mass * scale),
	}
}
