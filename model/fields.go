package model

import (
	"slices"

	"github.com/rung-mbd/rung/ground/contact"
)

// The fields of each kind of object, in the order in which Write writes them. The
// constants are indices of the lists and bits of document.Flaws.

var documentFields = []string{"$schema", "format", "name", "gravity", "time", "bodies", "joints", "couplings", "terrains", "forces", "frames", "visuals", "source"}

const (
	docSchema = iota
	docFormat
	docName
	docGravity
	docTime
	docBodies
	docJoints
	docCouplings
	docTerrains
	docForces
	docFrames
	docVisuals
	docSource
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

var velocityFields = []string{"linear", "angular"}

var jointFields = []string{
	"name", "type", "predecessor", "successor", "predecessor_frame", "successor_frame",
	"pitch", "length", "force", "stiffness", "damping", "rest", "armature", "turns", "motion", "limits",
	"axes", "friction", "springs", "dampers", "radius", "tyre_radius", "bowl_radius", "slip", "curve", "successor_curve",
	"terrain", "lifts_off",
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
	jointForce // the five lists with an entry for each freedom are consecutive
	jointStiffness
	jointDamping
	jointRest
	jointArmature
	jointTurns
	jointMotion
	jointLimits
	jointAxes
	jointFriction
	jointSprings
	jointDampers
	jointRadius
	jointTyreRadius
	jointBowlRadius
	jointSlip
	jointCurve
	jointSuccessorCurve
	jointTerrain
	jointLiftsOff
)

var axisFields = []string{"kind", "axis", "point", "pitch"}

const (
	axisKind = iota
	axisAxis
	axisPoint
	axisPitch
)

var limitFields = []string{"lower", "upper", "rate", "force", "stop"}

const (
	limitLower = iota
	limitUpper
	limitRate
	limitForce
	limitStop
)

var motionFields = []string{
	"kind", "offset", "amplitude", "frequency", "phase", "coefficients", "times", "values", "ends", "rates",
	"accelerations", "value", "rate", "interpolation", "outside",
}

const (
	motionKind   = iota
	motionOffset // the four numbers of harmonic are consecutive
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
	"terrain", "shape", "normal", "friction", "rolling", "drilling", "contacts", "samples",
	"joint", "freedom", "law", "value", "gain", "integral", "limit",
	"spring", "damper", "rest", "points", "tension",
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
	forceTerrain // the fields of contacts are consecutive
	forceShape
	forceNormal
	forceFriction
	forceRolling
	forceDrilling
	forceContacts
	forceSamples
	forceJoint // the fields of actuators are consecutive
	forceFreedom
	forceLaw
	forceValue
	forceGain
	forceIntegral
	forceLimit
	forceSpring
	forceDamper
	forceRest
	forcePoints
	forceTension
)

var lawFields = []string{"kind", "at", "forces", "interpolation", "outside", "expression"}

const (
	lawKind = iota
	lawAt
	lawForces
	lawInterpolation
	lawOutside
	lawExpression
)

var terrainFields = []string{
	"name", "type", "point", "normal", "origin", "spacing", "heights", "file", "layout", "scale", "offset", "first_row",
	"lowest", "highest", "expression", "kind", "size", "rms", "length", "hurst", "seed", "parts", "interpolation", "outside",
}

const (
	terrainName = iota
	terrainType
	terrainPoint
	terrainNormal
	terrainOrigin
	terrainSpacing
	terrainHeights
	terrainFile
	terrainLayout
	terrainScale
	terrainOffset
	terrainFirstRow
	terrainLowest
	terrainHighest
	terrainExpression
	terrainKind
	terrainSize
	terrainRMS
	terrainLength
	terrainHurst
	terrainSeed
	terrainParts
	terrainInterpolation
	terrainOutside
)

// parts has the mandatory and the optional fields of one kind of object, beside the fields that all kinds have.
type parts struct{ must, may []int }

// has reports whether the kind has field k.
func (p *parts) has(k int) bool { return slices.Contains(p.must, k) || slices.Contains(p.may, k) }

// terrainOwn has the fields of each type of terrain.
var terrainOwn = [...]parts{
	GivenTerrain: {},
	PlaneTerrain: {may: []int{terrainPoint, terrainNormal}},
	GridTerrain:  {[]int{terrainSpacing, terrainHeights}, []int{terrainOrigin, terrainInterpolation, terrainOutside}},
	CSVTerrain: {[]int{terrainFile}, []int{
		terrainLayout, terrainOrigin, terrainSpacing, terrainScale, terrainOffset, terrainFirstRow, terrainInterpolation, terrainOutside,
	}},
	PNGTerrain: {[]int{terrainFile, terrainSpacing, terrainLowest, terrainHighest}, []int{
		terrainOrigin, terrainFirstRow, terrainInterpolation, terrainOutside,
	}},
	FunctionTerrain: {must: []int{terrainExpression}},
	RandomTerrain: {[]int{terrainSpacing, terrainSize, terrainRMS}, []int{
		terrainOrigin, terrainKind, terrainLength, terrainHurst, terrainSeed, terrainInterpolation, terrainOutside,
	}},
	SumTerrain: {must: []int{terrainParts}},
}

var shapeFields = []string{"type", "radius", "center", "axis", "tyre_radius", "width", "discs"}

const (
	shapeType = iota
	shapeRadius
	shapeCenter
	shapeAxis
	shapeTyreRadius
	shapeWidth
	shapeDiscs
)

var normalFields = []string{"stiffness", "exponent", "dissipation", "damping", "law"}

const (
	normalStiffness = iota
	normalExponent
	normalDissipation
	normalDamping
	normalLaw
)

var frictionFields = []string{
	"type", "preset", "coefficient", "slip_speed", "hold", "long", "lat", "relaxation", "low_speed",
	"cohesive_modulus", "frictional_modulus", "exponent", "cohesion", "angle", "shear", "c0", "c1", "recovery", "width", "nodes", "map", "ruts",
}

const (
	frictionType = iota
	frictionPreset
	frictionCoefficient
	frictionSlipSpeed
	frictionHold
	frictionLongitudinal
	frictionLateral
	frictionRelaxation
	frictionLowSpeed
	frictionKC // the numbers of soil are consecutive
	frictionKPhi
	frictionExponent
	frictionCohesion
	frictionAngle
	frictionShear
	frictionC0
	frictionC1
	frictionRecovery
	frictionWidth
	frictionNodes
	frictionMap
	frictionRuts
)

// frictionOwn has the fields of each type of friction. With a preset the mandatory fields may be missing: the preset
// gives their values.
var frictionOwn = [...]parts{
	contact.None:    {},
	contact.Coulomb: {[]int{frictionCoefficient}, []int{frictionSlipSpeed, frictionHold, frictionMap}},
	contact.Tyre: {[]int{frictionCoefficient, frictionLongitudinal, frictionLateral}, []int{
		frictionPreset, frictionRelaxation, frictionLowSpeed, frictionMap,
	}},
	contact.Soil: {[]int{frictionKC, frictionKPhi, frictionExponent, frictionCohesion, frictionAngle, frictionShear, frictionC0, frictionC1}, []int{
		frictionWidth, frictionPreset, frictionRecovery, frictionLowSpeed, frictionNodes, frictionMap, frictionRuts,
	}},
}

var holdFields = []string{"travel", "damping"}

const (
	holdTravel = iota
	holdDamping
)

var curveFields = []string{"b", "c", "e"}

var resistanceFields = []string{"coefficient", "speed"}

const (
	resistanceCoefficient = iota
	resistanceSpeed
)

var attachmentFields = []string{"body", "point", "orientation"}

const (
	attachmentBody = iota
	attachmentPoint
	attachmentOrientation
)
