package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// Inverse is the document rung-inverse/1.
type Inverse struct {
	Format       string          `json:"format"`
	Name         string          `json:"name"`
	Method       string          `json:"method"`
	Time         float64         `json:"time"` // s
	Actuators    []ActuatorForce `json:"actuators"`
	Status       string          `json:"status"`
	Uncontrolled []string        `json:"uncontrolled"`
	Residual     float64         `json:"residual"`
	Distance     float64         `json:"distance"` // from the wanted accelerations to the nearest ones that the joints allow
}

// ActuatorForce is the force of one actuator, N or N m.
type ActuatorForce struct {
	Joint   string  `json:"joint"`
	Freedom int     `json:"freedom"`
	Force   float64 `json:"force"`
}

// InverseOptions are the question of inverse dynamics: which actuators make which accelerations.
type InverseOptions struct {
	Plan      kkt.Options
	Method    motion.Method
	Actuators []mechanism.Freedom // nil: the freedoms that the mechanism prescribes
	// Wanted are accelerations, six for each body in world axes: angular, rad/s², then of the centre of mass, m/s². Without them
	// prescribed actuators accelerate as their motions say, and the coordinates of the others do not accelerate. If no actuator is
	// prescribed either, no body accelerates.
	Wanted []float64
	Time   *float64 // s; not nil: the motions are first followed from the state to this time
}

// ErrNoActuators is the error of SolveInverse for a mechanism that prescribes nothing and options without actuators.
var ErrNoActuators = errors.New("door/answers: no actuators: the model prescribes none")

// ActuatorError is the error of SolveInverse for actuators that cannot be prescribed.
type ActuatorError struct{ Err error }

// Error returns the text of Err.
func (e *ActuatorError) Error() string { return e.Err.Error() }

// Unwrap returns the error of mechanism.Mechanism.Prescribe.
func (e *ActuatorError) Unwrap() error { return e.Err }

// SolveInverse finds the forces of the actuators at st, which does not change. The sparse method prescribes the actuated freedoms
// and reads the multipliers of their rows. Tree methods solve Guᵀ·u = Gᵀ·τ for the forces u of the actuators. Here τ are the forces on
// all joints of a spanning tree by inverse dynamics, G maps independent rates to the rates of these joints, and Gu has the rows of the
// actuators.
//
// If the actuators are too few for the wanted accelerations, it returns both the document and a *mechanism.UnderactuatedError. It
// returns ErrNoActuators, an *ActuatorError, and the errors of following the motions and of kkt.Inverse.Solve or
// tree.Inverse.SolveBodies.
// Cost: as these, and the analysis of one or two mechanisms.
func SolveInverse(ctx context.Context, mech *mechanism.Mechanism, st *mechanism.State, o InverseOptions) (*Inverse, error) {
	q, err := newQuestion(mech, st, &o)
	if err != nil {
		return nil, err
	}
	if o.Time != nil {
		if q.st, err = follow(ctx, mech, q.st, *o.Time, o.Plan); err != nil {
			return nil, err
		}
	}
	if q.wanted == nil && len(q.moved) > 0 {
		if err := q.setWanted(ctx, o.Method, o.Plan); err != nil {
			return nil, err
		}
	}
	var r *actuation
	if o.Method == motion.Sparse {
		r, err = q.actuateBySparse(ctx, o.Plan)
	} else {
		r, err = q.actuateByTree(o.Method)
	}
	if r == nil {
		return nil, err
	}
	doc := newInverse(mech, q.actuators, r)
	doc.Method, doc.Time = o.Method.String(), q.st.Time
	return doc, err
}

// question is a problem of inverse dynamics.
type question struct {
	mech      *mechanism.Mechanism // as the model has it
	free      *mechanism.Mechanism // without the motions of the actuators
	actuators []mechanism.Freedom
	moved     []mechanism.Freedom // actuators that have motions
	st        *mechanism.State
	wanted    []float64 // accelerations as in InverseOptions.Wanted; nil: all are zero
}

// newQuestion returns the problem of o at st. It returns ErrNoActuators, and an *ActuatorError.
func newQuestion(mech *mechanism.Mechanism, st *mechanism.State, o *InverseOptions) (*question, error) {
	q := &question{mech: mech, actuators: o.Actuators, st: st.Clone(), wanted: slices.Clone(o.Wanted)}
	if o.Actuators == nil {
		q.actuators = mech.Prescribed()
	}
	if len(q.actuators) == 0 {
		return nil, ErrNoActuators
	}
	for _, a := range q.actuators {
		if mech.Joints[a.Joint].Prescribed(a.Freedom) && !slices.Contains(q.moved, a) {
			q.moved = append(q.moved, a)
		}
	}
	var err error
	if q.free, err = mech.Release(q.moved); err != nil {
		return nil, err
	}
	if _, err := q.free.Prescribe(q.actuators); err != nil {
		return nil, &ActuatorError{err}
	}
	return q, nil
}

// setWanted sets the wanted accelerations to the forward dynamics of the
// mechanism with all its motions, in which other actuators keep their rates.
func (q *question) setWanted(ctx context.Context, m motion.Method, o kkt.Options) error {
	other := slices.DeleteFunc(slices.Clone(q.actuators), func(a mechanism.Freedom) bool { return slices.Contains(q.moved, a) })
	driven, err := q.mech.Prescribe(other)
	if err != nil {
		return err
	}
	plan, err := kkt.NewPlanContext(ctx, driven, o)
	if err != nil {
		return err
	}
	r, err := compare.Accelerate(plan, m, q.st)
	if err != nil {
		return err
	}
	for i := range r.Bodies {
		q.wanted = append(append(q.wanted, r.Bodies[i].AngularAcceleration[:]...), r.Bodies[i].ComAcceleration[:]...)
	}
	return nil
}

// actuation is a solution of inverse dynamics, by the sparse or a tree method.
type actuation struct {
	forces             []float64 // by actuator
	status             mechanism.Actuation
	uncontrolled       []mechanism.Freedom
	residual, distance float64
}

// solved is a solved inverse problem of package kkt or tree.
type solved interface {
	Forces() []float64
	Actuation() mechanism.Actuation
	Uncontrolled() []mechanism.Freedom
	Residual() float64
	Distance() float64
}

// read returns the solution of v, which err has ended. After a *mechanism.UnderactuatedError it returns both, after another error no
// solution.
func read(v solved, err error) (*actuation, error) {
	if err != nil && !errors.As(err, new(*mechanism.UnderactuatedError)) {
		return nil, err
	}
	return &actuation{
		forces: v.Forces(), status: v.Actuation(), uncontrolled: v.Uncontrolled(),
		residual: v.Residual(), distance: v.Distance(),
	}, err
}

// actuateBySparse solves by the sparse method (kkt.Inverse).
func (q *question) actuateBySparse(ctx context.Context, o kkt.Options) (*actuation, error) {
	plan, err := kkt.NewPlanContext(ctx, q.free, o)
	if err != nil {
		return nil, err
	}
	v, err := plan.NewInverse(q.actuators)
	if err != nil {
		return nil, err
	}
	return read(v, v.Solve(q.st, q.wanted))
}

// actuateByTree solves by a tree method (tree.Inverse).
func (q *question) actuateByTree(m motion.Method) (*actuation, error) {
	plan, err := tree.NewPlan(q.free, tree.Options{})
	if err != nil {
		return nil, err
	}
	if err := plan.CheckMemory(); err != nil {
		return nil, fmt.Errorf("%v: %w", m, fault.Plain(err))
	}
	var a []spatial.ClassicalAccel // nil: zero, as in actuateBySparse
	for i := 0; i < len(q.wanted); i += 6 {
		a = append(a, spatial.ClassicalAccel(q.wanted[i:i+6]))
	}
	method, _ := m.Tree()
	v := plan.NewInverse(method, q.actuators, nil)
	return read(v, v.SolveBodies(q.st, a))
}

// newInverse returns the document of a solution r.
func newInverse(mech *mechanism.Mechanism, actuators []mechanism.Freedom, r *actuation) *Inverse {
	doc := &Inverse{
		Format: "rung-inverse/1", Name: mech.Name, Status: r.status.String(), Uncontrolled: []string{},
		Actuators: make([]ActuatorForce, len(actuators)), Residual: r.residual, Distance: r.distance,
	}
	for i, u := range r.forces {
		doc.Actuators[i] = ActuatorForce{mech.JointName(actuators[i].Joint), actuators[i].Freedom, u}
	}
	for _, f := range r.uncontrolled {
		doc.Uncontrolled = append(doc.Uncontrolled, fmt.Sprintf("%s.%d", mech.JointName(f.Joint), f.Freedom))
	}
	return doc
}
