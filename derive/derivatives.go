package derive

import (
	"errors"
	"math"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/internal/lanes"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Reasons why there is no derivative. Errors wrap one of them, in a *DirectionError with the name of the direction, and name the joint,
// coupling, body or force element (mechanism.Error).
var (
	// ErrNotAllowed is the error for a direction that the joints do not allow, if the state does not follow it.
	ErrNotAllowed = errors.New("derive: the joints do not allow this direction")
	// ErrBreaksLoop is the error for a direction that opens a loop of redundant joints for any motion of the bodies.
	ErrBreaksLoop = errors.New("derive: the direction breaks a loop of redundant joints")
	// ErrSingularPose is the error for a pose at which joints lose rank: the set of allowed positions has no unique tangent there.
	ErrSingularPose = errors.New("derive: the pose is singular")
	// ErrNoDerivatives is the error for parts whose derivatives are not known.
	ErrNoDerivatives = mechanism.ErrNoDerivatives
	// ErrParameter is the error for a path that leads to no number, or to a number without derivative.
	ErrParameter = errors.New("derive: no parameter")
)

// Derivatives differentiate the accelerations and reactions of a mechanism at one state. They own their memory and belong to one goroutine
// at a time.
type Derivatives struct {
	guard guard.Guard
	plan  *kkt.Plan
	mech  *mechanism.Mechanism
	doc   *model.Model

	dynamics              *kkt.Answers
	velocities, positions *kkt.Answers // nil until they are needed
	layout, plain         *assemble.Layout

	own    *mechanism.State // a copy of the caller's state
	st     *mechanism.State
	kin    *mechanism.Kinematics // of st
	x      []float64             // accelerations, then multipliers with their signs changed
	bodies []bodyAt
	b      builder

	lists
	active   []activeScalar
	grounds  grounds
	versions int // number of scalars that have been asked for; lists from before are too short

	work
	nullSpace
	sizes      sizes
	ready      bool
	projecting bool // velocities and positions are factored at the state
	held       heldAt
}

// lists are the actuators, resistances and force elements by joint or kind.
type lists struct {
	motors, resisted map[int][]int32 // by joint
	bushings, cables []int32         // numbers of the force elements of this kind
	points           []int32         // index of the first frame of each force element
	frames           int             // number of frames that may change
	carried          carried
}

// HeldKind selects the residual of Hold.
type HeldKind uint8

// The residuals for given accelerations a and multipliers λ, theory.md (V17):
//
//	HeldDynamics: M·a − f − Jᵀλ, with the position errors δ below
//	HeldRates:    M·a − Jᵀλ for a change a of velocities, with J·v − σ below
const (
	HeldDynamics HeldKind = iota
	HeldRates
)

// heldAt describes the state and the residual of Hold.
type heldAt struct {
	active bool // the state is held, by Hold
	kind   HeldKind
	given  []float64 // memory for changes of multipliers
	kin    *mechanism.Kinematics

	struck  mechanism.Freedom // freedom of HoldImpulse
	impulse float64           // along it; 0: there is none

	projected projection
}

// projection is how a run has come to the state of At (Projected).
type projection struct {
	active bool
	moved  []float64 // displacements x of the bodies
	change []float64 // and then the change y of their velocities
	xi, mu []float64 // M·x = Jᵀξ, M·y = Jᵀμ

	was  []float64 // solution of the dynamics
	load []float64 // its reactions that friction grows with
	dx   []float64
}

// nullSpace is the null space of the constraint forces at the state.
type nullSpace struct {
	nulls        [][]float64 // vectors in it; nil until they are needed
	undetermined []uint8     // by joint: bits of the components of its wrench in which nulls are not zero
}

// roughWork is memory for closesTo, and the rows that directions open.
type roughWork struct {
	right, answer []float64
	rows          [][]float64
}

// work is memory for right sides and answers of both systems.
type work struct {
	right, answer, plainRight, plainRates []float64
	rough                                 roughWork // nil until it is needed
	moved                                 []uint8   // by body: bits of the directions that move it (measure)
	all                                   direction // memory of filled; without lists until it is needed
	scratch                               *Gradient // memory of BodiesTo; nil until it is needed
	digits                                digits
	panel                                 panel
}

// abreast is the number of directions that are solved together.
const abreast = lanes.Width

// panel is memory for directions that are solved together.
type panel struct {
	all                          []float64          // memory of sides
	sides, positions, velocities [abreast][]float64 // right sides, and opening of rows; nil until they are needed
	shut                         [abreast]bool      // the direction opens no row too far, and positions and velocities are not set
	answers                      [abreast][]float64 // where the answers go
	accuracy                     [abreast]float64
	lanes                        laneWork
}

// laneWork is memory for a sweep along directions side by side; nil until it is needed.
type laneWork struct {
	moved  []lanes.Moved  // by body, and of the world behind them
	right  []lanes.Vector // right sides
	ground [6]lanes.Vector
	body   lanes.BodyAt
	at     lanes.JointAt
	joint  lanes.JointSweep
}

// together stores in x the answers of by to the right sides, eight at a time, and in accuracy their predicted relative errors. It calls
// alone for each right side k that has no answer then (kkt.Answers.TogetherTo), in their order. The error is of right side k, the first for
// which alone returns one.
func together(by *kkt.Answers, x, right [][]float64, accuracy []float64, alone func(k int) error) (k int, err error) {
	by.TogetherTo(x, right, accuracy)
	for k := range x {
		if !math.IsNaN(accuracy[k]) { // answered
			continue
		}
		if err := alone(k); err != nil {
			return k, err
		}
	}
	return 0, nil
}

// digits records why derivatives may lose digits.
type digits struct {
	weighed, uneven bool // uneven: masses differ by a large ratio; known once weighed
	known, near     bool // near: a singular pose is near; known at this state once known
	constraint      int  // joint or coupling of the row that is closest to redundant, −1 for none
	asked, counted  bool // isEmpty has been called; fewest is known
	fewest          int  // number of redundant rows away from singular poses
}

// New allocates the derivatives of a plan. m is the model of its mechanism; parameters are paths into it.
//
// It panics if p or m is nil.
func New(p *kkt.Plan, m *model.Model) *Derivatives {
	if p == nil || m == nil {
		panic("derive: no plan or no model")
	}
	d := &Derivatives{plan: p, mech: p.Mechanism(), doc: m, dynamics: p.NewAnswers(kkt.AnswersOfDynamics), grounds: grounds{doc: m}}
	d.layout, d.plain = d.dynamics.Layout(), p.Layout()
	n := d.layout.Pattern.Dim()
	d.bodies = make([]bodyAt, d.mech.NumBodies())
	d.x, d.right, d.answer = make([]float64, n), make([]float64, n), make([]float64, n)
	d.plainRight, d.plainRates = make([]float64, d.plain.Pattern.Dim()), make([]float64, d.plain.Pattern.Dim())
	d.moved = make([]uint8, d.mech.NumBodies())
	d.b.d = d
	d.sizes.length = d.mech.TypicalLength()
	d.list()
	return d
}

// list fills d.lists.
func (d *Derivatives) list() {
	d.motors, d.resisted = map[int][]int32{}, map[int][]int32{}
	for i := range d.mech.NumActuators() {
		f, _ := d.mech.Actuator(i)
		d.motors[f.Joint] = append(d.motors[f.Joint], int32(i))
	}
	for i := range d.mech.NumResistors() {
		f, _ := d.mech.Resistor(i)
		d.resisted[f.Joint] = append(d.resisted[f.Joint], int32(i))
	}
	for i := range d.mech.NumBushings() {
		_, _, _, e := d.mech.Bushing(i)
		d.bushings = append(d.bushings, int32(e))
	}
	for i := range d.mech.NumCables() {
		_, e := d.mech.Cable(i)
		d.cables = append(d.cables, int32(e))
	}
	d.findCarried()
	d.frames = 2 * d.mech.NumJoints()
	for i := range d.mech.Forces {
		d.points = append(d.points, int32(d.frames))
		switch d.mech.Forces[i].Kind {
		case model.SpringDamper, model.BushingForce:
			d.frames += 2
		case model.Wrench:
			d.frames++
		case model.CableForce:
			d.frames += len(d.mech.CablePoints(slices.Index(d.cables, int32(i))))
		}
	}
}

// Mechanism returns the mechanism.
func (d *Derivatives) Mechanism() *mechanism.Mechanism { return d.mech }

// At solves for accelerations and reactions at st, and keeps the factor for the derivatives there. It copies st.
//
// Cost: as kkt.Solver.Solve for the whole system; allocates only where friction grows with a reaction. It returns the errors of Solve. It
// panics if st is nil or of another mechanism.
func (d *Derivatives) At(st *mechanism.State) error {
	d.enter()
	defer d.guard.Leave()
	if d.digits.known, d.held.projected.active = false, false; st == nil || !d.mech.Owns(st) {
		d.ready = false
		panic("mechanism" + fault.ForeignState)
	}
	return d.at(st)
}

// at is At without its checks. It keeps the projection of Projected.
func (d *Derivatives) at(st *mechanism.State) error {
	d.ready, d.projecting, d.nulls, d.carried.current, d.held.active = false, false, nil, false, false
	d.held.impulse = 0 // a projection has no impulse
	if d.own == nil {
		d.own = st.Clone()
	}
	copyState(d.own, st)
	d.setLayout(d.dynamics.Layout())
	if err := d.dynamics.At(d.own); err != nil {
		return fault.Errorf("derive: %w", err)
	}
	d.st = d.dynamics.Reactions().State
	copy(d.x, d.dynamics.Solution())
	d.kin = d.dynamics.Reactions().Kin
	d.setBodies()
	d.b.x = d.x
	d.setSizes()
	d.b.given, d.b.want = nil, wantAll
	d.ready = true
	return nil
}

// setLayout sets the layout of accelerations and multipliers: the layout of the dynamics, or the one without flywheels.
func (d *Derivatives) setLayout(l *assemble.Layout) {
	if d.layout != l {
		d.layout, d.carried.versions = l, -1
	}
}

// copyState copies from to to, in the memory of to.
func copyState(to, from *mechanism.State) {
	to.Time = from.Time
	copy(to.Bodies, from.Bodies)
	to.Angles = append(to.Angles[:0], from.Angles...)
	to.Internal = append(to.Internal[:0], from.Internal...)
	to.Bearings = append(to.Bearings[:0], from.Bearings...)
	if from.Angles == nil {
		to.Angles = nil
	}
	if from.Internal == nil {
		to.Internal = nil
	}
	if from.Bearings == nil {
		to.Bearings = nil
	}
}

// State returns the state of At, with its reactions in Bearings. The caller must not change it. It panics without At.
func (d *Derivatives) State() *mechanism.State {
	d.mustBeReady()
	return d.st
}

// Acceleration returns ω̇ of body i at the state, and the acceleration of its centre of mass, world axes. It panics without At.
func (d *Derivatives) Acceleration(i int) (angular, linear spatial.Vec3) {
	d.mustBeReady()
	return d.bodies[i].alpha, d.bodies[i].c
}

// enter panics if d is zero or in use.
func (d *Derivatives) enter() {
	if d == nil || d.plan == nil {
		panic("derive: zero Derivatives; use New")
	}
	if !d.guard.Enter() {
		panic("derive: Derivatives used by two goroutines")
	}
}

func (d *Derivatives) mustBeReady() {
	if !d.ready {
		panic("derive: no state; call At")
	}
}

// Parts are numbered in this order: joints, couplings, force elements, the caller's own forces.

func (d *Derivatives) couplingNumber(i int) int { return d.mech.NumJoints() + i }
func (d *Derivatives) elementNumber(i int) int {
	return d.mech.NumJoints() + d.mech.NumCouplings() + i
}
func (d *Derivatives) numParts() int { return d.elementNumber(len(d.mech.Forces) + d.mech.NumOwn()) }

// build records a part.
func (d *Derivatives) build(part int) error {
	b := &d.b
	switch {
	case part < d.mech.NumJoints():
		return b.joint(part)
	case part < d.elementNumber(0):
		return b.coupling(part - d.mech.NumJoints())
	case b.bare:
		b.begin(part)
		return nil
	}
	if i := part - d.elementNumber(0); i < len(d.mech.Forces) {
		return b.element(i)
	}
	return b.force(part - d.elementNumber(len(d.mech.Forces)))
}

// pointFrame returns the index in direction.frames of point k of force element part number.
func (d *Derivatives) pointFrame(number, k int) int32 {
	return d.points[number-d.elementNumber(0)] + int32(k)
}

// contactOf returns the index of the contact that is a force element.
func (d *Derivatives) contactOf(element int) int {
	for i := range d.mech.NumContacts() {
		if _, _, e := d.mech.Contact(i); e == element {
			return i
		}
	}
	panic("derive: no contact")
}

// bearingOf returns the index of the bearing of joint j.
func (d *Derivatives) bearingOf(j int) int32 {
	for i := range d.mech.NumBearings() {
		if d.mech.Bearing(i) == j {
			return int32(i)
		}
	}
	panic("derive: no bearing")
}
