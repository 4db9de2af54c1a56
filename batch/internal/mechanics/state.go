package mechanics

import (
	"math"

	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// A state has the time, gravity, and its bodies (package places). Behind these it has the forces of Options.Forces and the parameters
// that differ from state to state.
const (
	Time    = 0
	Gravity = 1
	Bodies  = 4
)

// Numbers of a joint, of an armature, of a drive, of a spring and of dry friction in a state.
const (
	FrameP      = 0 // axes, then origin
	FrameS      = 12
	Length      = 24
	Pitch       = 25 // with its sign changed
	Turn        = 26 // TurnOf the frames
	JointPlaces = 30

	Gear       = 0 // InverseRoot
	Inverse    = 1 // 1/I
	Armature   = 2
	GearPlaces = 3

	Stiffness   = 0
	Tension     = 1 // stiffness·rest
	Damping     = 2
	Rest        = 3
	DrivePlaces = 4

	SpringPlaces = 3 // stiffness, damping, rest length

	FrictionPlaces = 6 // force, coefficient, radius, speed, static, stribeck
)

// State has the offsets of the numbers in a state; 0 for numbers that a state does not have.
type State struct {
	Length              int   // number of numbers of a state
	Forces              []int // of the generalized force of freedom i of joint j, by 6·j + i
	Body, Joint, Spring []int // of the numbers of a body, a joint, a force element
	Gear, Drive, Rub    []int // of armature, drive and friction of freedom i of joint j, by 6·j + i
}

// Prescribed is a freedom whose motion is evaluated for each lane.
type Prescribed struct {
	Joint, Freedom int
	At             program.Place // second derivative of the motion
	End            program.Place // numbers of the motion at the end of a step, from EndCoordinate on
}

// RareJoint is a node of the layout whose rows are evaluated one state at a time.
type RareJoint struct {
	Node         int32
	Rows         []program.Place // its blocks, in the order of the layout's pattern
	Scale, Right program.Place
}

// CarriedAngle is an angle with a spring. It is read within half a turn of the angle that the state carries.
type CarriedAngle struct {
	Place int           // in mechanism.State.Angles
	At    program.Place // the angle that the state carries
}

// Places of a prescribed motion at the end of a step.
const (
	EndCoordinate = iota
	EndRate
	EndSine
	EndCosine
	EndPlaces
)

// BodyConstantsTo stores the constants of a body (package places).
func BodyConstantsTo(out *[places.Constants]float64, b *bodies.Body) {
	w := b.Weight()
	copy(out[places.Inertia:], b.Inertia[:])
	copy(out[places.Weight:], w.Inertia[:])
	out[places.Weight+6] = w.Mass
	for k, x := range out[places.Weight:places.Negated] {
		out[places.Negated+k] = -x
	}
	out[places.Mass] = b.Mass * w.Mass
	copy(out[places.Com:], b.Com[:])
	var L spatial.Chol3
	if b.Inertia.CholeskyTo(&L) == nil { // others are not solved in lanes
		copy(out[places.Root:], L[:])
	}
	out[places.OwnMass] = b.Mass
}

// TurnOf returns the rotation q.E·p.Eᵀ, for the frames p of the predecessor and q of the successor, each in its body.
func TurnOf(p, q *mechanism.Frame) spatial.Quat { return spatial.FromMat(q.E.MulT(p.E)) }

// InverseRoot returns −1/√I.
func InverseRoot(I float64) float64 { return -1 / math.Sqrt(I) }
