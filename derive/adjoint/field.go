package adjoint

import "github.com/rung-mbd/rung/mechanism"

// PerBody is the number of cotangents of a body: three of its rotation, of the place of its centre of mass, of its angular velocity, and
// of the velocity of its centre of mass, world axes.
const PerBody = 12

// Field is the equations of motion at one state at a time, with the transpose of their derivative. F are functions of the state
// and of the parameters, as the field knows them.
type Field[F any] interface {
	// At goes to a state and stores the accelerations there: for each body ω̇ and the acceleration of its centre of mass, world axes.
	//
	// Shapes: a has six entries a body. The field may keep st until the next At; it does not change meanwhile.
	At(a []float64, st *mechanism.State) error
	// PullTo adds to x the cotangents of the state of the last At, and to p those of the parameters: of the accelerations
	// with the cotangents w, and of a function with the weight scale, whose value it returns. Without a function, which is nil, it
	// is 0. Parameters change with the four parts of the state of each body held.
	//
	// Shapes: w has six entries a body, x PerBody; p has one a parameter.
	PullTo(x, p, w []float64, f *F, scale float64) (value float64, err error)
}

// DoubtfulField is a Field whose derivatives are not to be trusted at every state.
type DoubtfulField[F any] interface {
	Field[F]
	// Doubt returns an error if derivatives at the state of the last At, along directions that open the joints, are in doubt: if a stage there
	// has to be one that is closed.
	Doubt() error
}

// JointField is a Field whose states joints hold: a run that has a projection takes the states after its steps back to them.
type JointField[F any] interface {
	Field[F]
	// Projects reports whether the run does so.
	Projects() bool
	// Projected says that the run has brought a state to that of the last At, a stage or the end of a step: it has moved each body, and then
	// changed its velocity. Where both are nil, it has not.
	//
	// Shapes: six numbers a body: rotation and travel of the centre of mass; angular velocity and velocity of the centre of mass.
	Projected(moved, change []float64) error
	// JoinBack takes cotangents x of the state of the last At, as one on the joints, to those of the state before Projected, or of one near
	// it that is brought there, in place, and adds those of the parameters to p, theory.md (V6).
	JoinBack(x, p []float64) error
}

// JointTangentField is a JointField with the transpose.
type JointTangentField[F any] interface {
	JointField[F]
	// Join takes each of dx, changes of the state of the last At, to what the joints make of it, in place, along the parameters of the
	// direction.
	Join(dx [][]float64) error
}

// Objective is a function of the state at the end of a run, and one that is integrated over time by the weights of the
// method; either may be nil.
type Objective[F any] struct{ Final, Rate *F }

// Gradient is the value of an objective over a run, and how it changes with the start and the parameters.
type Gradient struct {
	Final, Integral float64
	Start           []float64 // PerBody a body: cotangents of the state at the start
	Parameters      []float64 // with the state at the start held
	Kept            []float64 // KeptPerBody a body: cotangents of what steps of generalized-α leave to the next one (AlphaSweep.Run)
	// Gap is the largest distance between where a step ended and where the run went on (StepError.Gap): what
	// projection took back.
	Gap float64
}

// TangentField is a Field that also has its derivative along directions, each a change of the state and of the parameters.
type TangentField[F any] interface {
	Field[F]
	// PushTo stores in da how the accelerations change along each direction, at the state of the last At: of the state by
	// dx, and of the parameters as the field knows for the direction, with the four parts of the state of each body held.
	//
	// Shapes: one entry a direction, da[k] with six entries a body, dx[k] with PerBody.
	PushTo(da, dx [][]float64) error
	// ValueTo adds to d, one entry a direction, scale times how a function changes, and returns its value.
	ValueTo(d []float64, dx [][]float64, f *F, scale float64) (value float64, err error)
}
