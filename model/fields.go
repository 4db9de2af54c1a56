package model

// The fields of each kind of object, in the order Write writes them. The
// constants are positions in the lists and bits of flaws.

var documentFields = []string{"$schema", "format", "name", "gravity", "time", "bodies", "joints", "forces"}

const (
	docSchema = iota
	docFormat
	docName
	docGravity
	docTime
	docBodies
	docJoints
	docForces
)

var bodyFields = []string{"name", "mass", "com", "inertia", "pose", "velocity"}

const (
	bodyName = iota
	bodyMass
	bodyCom
	bodyInertia
	bodyPose
	bodyVelocity
)

var inertiaFields = []string{"xx", "yy", "zz", "xy", "xz", "yz"}

var poseFields = []string{"position", "orientation"}

var velocityFields = []string{"linear", "angular"}

var jointFields = []string{
	"name", "type", "predecessor", "successor", "predecessor_frame", "successor_frame",
	"pitch", "length", "force", "stiffness", "damping", "rest", "turns", "motion", "limits",
}

const (
	jointName = iota
	jointType
	jointPredecessor
	jointSuccessor
	jointPredecessorFrame
	jointSuccessorFrame
	jointPitch
	jointLength
	jointForce // the four lists with an entry a freedom follow each other
	jointStiffness
	jointDamping
	jointRest
	jointTurns
	jointMotion
	jointLimits
)

var limitFields = []string{"lower", "upper", "rate", "force"}

const (
	limitLower = iota
	limitUpper
	limitRate
	limitForce
)

var motionFields = []string{
	"kind", "offset", "amplitude", "frequency", "phase", "coefficients", "times", "values", "ends", "rates",
	"accelerations", "value", "rate", "interpolation", "outside",
}

const (
	motionKind   = iota
	motionOffset // the four numbers of harmonic follow each other
	motionAmplitude
	motionFrequency
	motionPhase
	motionCoefficients
	motionTimes
	motionValues
	motionEnds
	motionRates
	motionAccelerations
	motionValue
	motionRate
	motionInterpolation
	motionOutside
)

var forceFields = []string{
	"name", "type", "a", "b", "stiffness", "damping", "rest_length",
	"body", "point", "force", "torque",
}

const (
	forceName = iota
	forceType
	forceA
	forceB
	forceStiffness
	forceDamping
	forceRestLength
	forceBody
	forcePoint
	forceForce
	forceTorque
)

var attachmentFields = []string{"body", "point"}

const (
	attachmentBody = iota
	attachmentPoint
)
