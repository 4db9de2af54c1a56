package places

// State of a body.
const (
	Position = 0
	Rotation = 3
	Velocity = 7
	Omega    = 10
	State    = 13 // number of numbers
)

// Constants of a body.
const (
	Inertia   = 0
	Weight    = 6  // L⁻¹, lower triangle, and 1/√m
	Negated   = 13 // −L⁻¹ and −1/√m
	Mass      = 20 // √m
	Com       = 21
	Root      = 24 // L, lower triangle
	OwnMass   = 30 // m, which no instruction reads; only there if it varies
	Constants = 31 // number of numbers
)

// Frame of a body, in world axes except for Spin. A body without a group on the ground has only Axes and Spin.
const (
	Axes      = 0
	Spin      = 9  // Eᵀω
	ArmParent = 12 // from the parent's centre of mass to the joint
	ArmBody   = 15 // from the body's centre of mass to the joint
	Motion    = 18 // two motions, each an angular part and the linear part of the centre of mass
	Frame     = 30 // number of numbers
)

// Pin of a joint on one of its bodies.
const (
	PinOrigin   = 0
	PinAxis     = 3
	PinVelocity = 6  // velocity of the origin
	PinOmega    = 9  // angular velocity of the body
	PinRotation = 12 // rotation of the body
	Pin         = 16 // number of numbers

	// A pin in the axes of the body has origin and axis, and then the rotation of its frame.
	PinTurn = 6
)

// Constants of a body on a hinge: origin and axis of its own pin, in its axes, then its L⁻¹, then origin and axis of the pin on the
// ground, if the hinge connects the body to the ground.
const (
	HingeOrigin = 0
	HingeAxis   = 3
	HingeWeight = 6
	HingePin    = 12
	Hinge       = 18 // number of numbers
)

// Slide of a slider.
const (
	SlideCoordinate = 0
	SlideRate       = 1
	SlideDistance   = 2  // distance of the origins
	SlideArm        = 5  // component of the distance along the axis
	SlideAdds       = 8  // acceleration caused by the velocities
	Slide           = 11 // number of numbers
)

// Record of a solve.
const (
	OverPivot   = iota // largest quotient of scale and pivot of a row
	Doubt              // largest quotient of pivot and scale of a weak row
	WeakRows           // number of weak rows
	BodyPivot          // largest distance of 1/pivot of a body's row from ½
	BigResidual        // largest quotient of the square of a residual and its pivot
	BadResidual        // positive if a residual is not small relative to its terms
	Sizes              // largest squared norm of the part of the solution that belongs to a body
	NotFinite          // NaN if a result is not finite
	NotUnit            // largest distance of the square of a quaternion from one
	Violation          // sum of the squares of the joints' violations after a step
	Fastest            // largest square of an angular velocity at the end of a step
	Record             // number of numbers
)

// Numbers behind the record.
const (
	Step   = Record   // step size of a rollout
	Behind = Step + 1 // number of numbers with the record
)

// Constants at the front of the shared numbers.
const (
	Zero = iota
	One
	Half
	Two
	Weak   // quotient of pivot and scale up to which a row is weak
	Square // square of the largest residual of a row, relative to its terms
	Least  // its unit in the last place is the unit to which the numbers of a state are rounded

	Series  // coefficients of rotations (tape.Series)
	Twelfth = Series + 10
	Arc     = Twelfth + 1                // constants of angles, with ArcTerms coefficients at the end (tape.Arc)
	Front   = Arc + ArcSeries + ArcTerms // number of numbers
)

// Constants of angles, counted from Arc.
const (
	ArcOctant  = iota // tan π/8
	ArcQuarter        // π/4
	ArcHalf           // π/2
	ArcWhole          // π
	ArcTurn           // 2π
	ArcTurns          // 1/2π
	ArcInteger        // adding it to a number and subtracting it again rounds to a whole number
	ArcSeries         // coefficients of the arctangent
	ArcTerms   = 12   // number of these coefficients
)

// Body in the backward pass of a gradient, world axes.
const (
	BackAxes         = 0
	BackPosition     = 9  // position of the origin of its frame
	BackArm          = 12 // from the origin to the centre of mass
	BackVelocity     = 15 // velocity of the origin
	BackOmega        = 18 // angular velocity
	BackAlpha        = 21 // angular acceleration
	BackAcceleration = 24 // acceleration of the centre of mass
	BackTurn         = 27 // adjoint of the angular acceleration: derivative by a moment
	BackPush         = 30 // adjoint of the acceleration: derivative by a force
	BackRotation     = 33 // derivative by the rotation
	BackTravel       = 36 // derivative by the position of the centre of mass
	BackAngular      = 39 // derivative by the angular velocity
	BackLinear       = 42 // derivative by the velocity of the centre of mass
	Back             = 45 // number of numbers
)

// Joint in the backward pass of a gradient, docs/theory.md (D11), (D12), world axes.
const (
	BackFrame    = 0  // axes of P
	BackR        = 9  // relative motion, of a joint that slides
	BackV        = 12 // its rate relative to P
	BackSlip     = 15 // the part of V that the joint allows
	BackGap      = 18 // the part of R that the joint does not allow
	BackWd       = 21 // angular acceleration relative to P
	BackVd       = 24 // linear acceleration relative to P
	BackS        = 27 // arm from the centre of mass of S's body to the origin of S, where the rows act
	BackB        = 30 // arm from the centre of mass of P's body to the point where the joint allows the origin of S to be
	BackMoment   = 33 // moment of the joint on S
	BackForce    = 36 // force of the joint on S
	BackRowTurn  = 39 // derivative by the relative angular acceleration, from the rows
	BackRowSlide = 42 // derivative by the relative linear acceleration, from the rows
	BackLines    = 45 // derivatives by moments and forces along the lines of P
	BackPhi      = 51 // derivative by the rotation of P
	BackDs       = 54 // derivative by the arm BackS
	BackDb       = 57 // derivative by the arm BackB
	BackPast     = 60 // derivative by the change of ω_P×arm + 2V
	BackTheta    = 63 // derivative by the relative rotation, of springs
	BackRho      = 66 // derivative by the relative position, of springs
	BackRateTurn = 69 // derivative by the relative angular velocity, of dampers
	BackRate     = 72 // derivative by the relative velocity, of dampers
	BackJoint    = 75 // number of numbers
)

// Body in the backward pass over a step of a rollout. Each entry is twelve derivatives: by the rotation of the body and the position of the
// origin of its frame, by the angular velocity, and by the velocity of the origin.
const (
	StepEnd   = 0  // by the sums at the end of the step; the rotation is the rotation vector of the step
	StepNext  = 12 // by the state at the next stage
	StepStart = 24 // by the state at the beginning of the step
	StepSlope = 36 // by the slopes of a stage
	StepBack  = 48 // number of numbers

	DexpTerms = 6 // number of terms in each of the two series of dexp
)
