package places

// State of a body.
const (
	Position = 0
	Rotation = 3
	Velocity = 7
	Omega    = 10
	State    = 13 // how many there are
)

// Constants of a body.
const (
	Inertia   = 0
	Weight    = 6  // L⁻¹, lower, and 1/√m
	Negated   = 13 // the same with the other sign
	Mass      = 20 // √m
	Com       = 21
	Root      = 24 // L, lower
	OwnMass   = 30 // m, which no instruction reads; only where it varies
	Constants = 31 // how many there are
)

// Frame of a body: its axes, Eᵀω, and of a body that hangs on the ground the arms to its joint, and how it moves, world
// axes.
const (
	Axes      = 0
	Spin      = 9
	ArmParent = 12 // from the parent's centre of mass
	ArmBody   = 15 // from the body's
	Motion    = 18 // angular, then that of the centre of mass; then another such motion
	Frame     = 30 // how many there are
)

// Pin of a joint on one of its bodies.
const (
	PinOrigin   = 0
	PinAxis     = 3
	PinVelocity = 6 // of the origin
	PinOmega    = 9
	PinRotation = 12 // of the body
	Pin         = 16 // how many there are

	// In the axes of the body a pin has origin and axis, and then how its frame is turned.
	PinTurn = 6
)

// Constants of a body on a hinge: origin and axis of its own pin, in its axes, its L⁻¹, and origin and axis of the pin on the
// ground, if the hinge holds the body there.
const (
	HingeOrigin = 0
	HingeAxis   = 3
	HingeWeight = 6
	HingePin    = 12
	Hinge       = 18 // how many there are
)

// Slide of a slider.
const (
	SlideCoordinate = 0
	SlideRate       = 1
	SlideDistance   = 2  // of the origins
	SlideArm        = 5  // part of the distance along the axis
	SlideAdds       = 8  // acceleration that velocities add
	Slide           = 11 // how many there are
)

// Record of a solve.
const (
	OverPivot   = iota // largest scale over pivot of a row
	Doubt              // largest pivot over scale of a weak row
	WeakRows           // number of weak rows
	BodyPivot          // largest distance of 1/pivot of a body's row from ½
	BigResidual        // largest square of a residual over its pivot
	BadResidual        // positive if a residual is not small beside its terms
	Sizes              // largest squared norm of a body's part
	NotFinite          // no number if a result is not finite
	NotUnit            // largest distance of the square of a quaternion from one
	Violation          // sum of the squares of what a step leaves joints violated by
	Fastest            // largest square of an angular velocity at the end of a step
	Record             // how many there are
)

// Behind the record: the step of a rollout.
const (
	Step   = Record
	Behind = Step + 1 // how many there are with the record
)

// Numbers at the front of those that are shared.
const (
	Zero = iota
	One
	Half
	Two
	Weak   // pivot over scale up to which a row is weak
	Square // of the largest residual of a row, relative to its terms
	Least  // numbers of a state are whole multiples of its rounding

	Series  // of the coefficients of rotations (tape.Series)
	Twelfth = Series + 10
	Arc     = Twelfth + 1                // numbers of angles, ArcTerms coefficients behind the others (tape.Arc)
	Front   = Arc + ArcSeries + ArcTerms // how many there are
)

// Numbers of angles.
const (
	ArcOctant  = iota // tan π/8
	ArcQuarter        // π/4
	ArcHalf           // π/2
	ArcWhole          // π
	ArcTurn           // 2π
	ArcTurns          // 1/2π
	ArcInteger        // what is added to a number and taken away again leaves a whole number
	ArcSeries         // of the coefficients of the arctangent
	ArcTerms   = 12   // how many of these
)

// Body on the way back of a gradient, world axes.
const (
	BackAxes         = 0
	BackPosition     = 9  // of the origin of its frame
	BackArm          = 12 // from there to the centre of mass
	BackVelocity     = 15 // of the origin
	BackOmega        = 18
	BackAlpha        = 21
	BackAcceleration = 24 // of the centre of mass
	BackTurn         = 27 // what the adjoint solution has in place of these two: derivatives by a moment and by a force
	BackPush         = 30
	BackRotation     = 33 // derivatives by rotation, place and both velocities of the centre of mass
	BackTravel       = 36
	BackAngular      = 39
	BackLinear       = 42
	Back             = 45 // how many there are
)

// Joint on the way back of a gradient, docs/theory.md (D11), (D12), world axes.
const (
	BackFrame    = 0  // axes of P
	BackR        = 9  // relative motion, of a joint that slides
	BackV        = 12 // its rate as P sees it
	BackSlip     = 15 // the part of V that the joint allows, and what it does not allow of R
	BackGap      = 18
	BackWd       = 21 // relative accelerations as P sees them
	BackVd       = 24
	BackS        = 27 // arms from the centres of mass to where the rows act: in S's body to the origin of S,
	BackB        = 30 // in P's to where the joint allows that to be
	BackMoment   = 33 // what the joint does to S
	BackForce    = 36
	BackRowTurn  = 39 // derivatives by the relative accelerations, those of the rows
	BackRowSlide = 42
	BackLines    = 45 // derivatives by what acts along the lines of P: moments, forces
	BackPhi      = 51 // derivatives by the turn of P
	BackDs       = 54 // and by the arms
	BackDb       = 57
	BackPast     = 60 // by the change of ω_P×arm + 2V
	BackTheta    = 63 // derivatives by the relative place, of springs: turn, slide
	BackRho      = 66
	BackRateTurn = 69 // derivatives by the relative velocity, of dampers
	BackRate     = 72
	BackJoint    = 75 // how many there are
)

// Body on the way back over a step of a rollout: derivatives by a turn, a place, the angular velocity and the velocity of the origin of
// its frame, twelve numbers each.
const (
	StepEnd   = 0  // by the sums at the end, of which the turn is the rotation vector of the step
	StepNext  = 12 // the same at the stage behind
	StepStart = 24 // by the beginning
	StepSlope = 36 // by the slopes of a stage: of these two velocities and of what they make of the place
	StepBack  = 48 // how many there are

	DexpTerms = 6 // of each of the two series of dexp
)
