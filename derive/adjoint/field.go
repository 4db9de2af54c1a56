package adjoint

import "github.com/rung-mbd/rung/mechanism"

// PerBody is the number of cotangents of a body: three of its rotation, three of the position of its centre of mass, three of its angular
// velocity, and three of the velocity of its centre of mass, world axes.
const PerBody = 12

// Field evaluates the equations of motion at one state at a time, and the transpose of their derivative. An F is a function of the state
// and of the parameters, in a form that the field understands.
type Field[F any] interface {
	// At sets the state of the field to st and stores the accelerations there in a: for each body ω̇ and the acceleration of its centre of
	// mass, world axes.
	//
	// Shapes: a has six entries a body. The field may keep st until the next At; the caller does not change it meanwhile.
	At(a []float64, st *mechanism.State) error
	// PullTo adds to x the cotangents of the state of the last At, and to p the cotangents of the parameters. The output is the
	// accelerations with the cotangents w, plus the function f with the weight scale. PullTo returns the value of f, 0 if f is nil.
	// Parameters change with the twelve numbers of the state of each body held (PerBody).
	//
	// Shapes: w has six entries a body, x PerBody; p has one a parameter.
	PullTo(x, p, w []float64, f *F, scale float64) (value float64, err error)
}

// pullAccelerations is PullTo for the cotangents w of the accelerations, without a function.
func pullAccelerations[F any](field Field[F], x, p, w []float64) error {
	_, err := field.PullTo(x, p, w, nil, 0)
	return err
}

// DoubtfulField is a Field whose derivatives are unreliable at some states.
type DoubtfulField[F any] interface {
	Field[F]
	// Doubt returns an error if derivatives at the state of the last At, along directions that open the joints, are in doubt. A stage at
	// this state has to be closed then.
	Doubt() error
}

// JointField is a Field with joints: a run that projects moves the states after its steps back onto them.
type JointField[F any] interface {
	Field[F]
	// Projects reports whether the run projects.
	Projects() bool
	// Projected says by which projection the run came to the state of the last At, a stage or the end of a step: it has moved each body by
	// moved, and then changed its velocity by change. Both are nil if the run has not projected.
	//
	// Shapes: six numbers a body: rotation and travel of the centre of mass; angular velocity and velocity of the centre of mass.
	Projected(moved, change []float64) error
	// JoinBack is the transpose of the projection that Projected has described; without one, of the projection of states near the state of
	// the last At. It replaces the cotangents x of the projected state by the cotangents of the state before the projection, and adds the
	// cotangents of the parameters to p, theory.md (V6).
	JoinBack(x, p []float64) error
}

// JointTangentField is a JointField that also has the derivative of the projection along directions.
type JointTangentField[F any] interface {
	JointField[F]
	// Join replaces each of dx, changes of the state before the projection, by the changes of the projected state, along the parameters of
	// the direction.
	Join(dx [][]float64) error
}

// Objective is a function of the state at the end of a run, and a function that is integrated over time by the weights of the method.
// Either may be nil.
type Objective[F any] struct{ Final, Rate *F }

// Gradient is the value of an objective over a run, with its derivatives by the start and by the parameters.
type Gradient struct {
	Final, Integral float64
	Start           []float64 // PerBody a body: cotangents of the state at the start
	Parameters      []float64 // with the state at the start held
	Kept            []float64 // cotangents of the numbers that a step leaves to the next: KeptPerBody a body for generalized-α, six for RATTLE
	// Gap is the largest distance between the end of a step and the state from which the run went on (StepError.Gap): the part that
	// projection took back.
	Gap float64
	// Matrix bounds what the gradient leaves out at the starts of generalized-α, where the stiffness and the damping in the first matrix are
	// held: the change of the objective if all of them change by their own size. It is the largest of all starts.
	Matrix float64
}

// TangentField is a Field that also has its derivative along directions, each a change of the state and of the parameters.
type TangentField[F any] interface {
	Field[F]
	// PushTo stores in da the change of the accelerations at the state of the last At along each direction: for the change dx of the state,
	// and for the change of the parameters that the field knows for the direction. Parameters change with the twelve numbers of the state
	// of each body held.
	//
	// Shapes: one entry a direction, da[k] with six entries a body, dx[k] with PerBody.
	PushTo(da, dx [][]float64) error
	// ValueTo adds to d, one entry a direction, scale times the change of f, and returns the value of f.
	ValueTo(d []float64, dx [][]float64, f *F, scale float64) (value float64, err error)
}
