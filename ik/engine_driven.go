package ik

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
)

// drivenEngine evaluates targets on any mechanism by the sparse system with the rows of the driven freedoms,
// docs/inverse-kinematics.md (D1) to (D4).
type drivenEngine struct {
	goals
	p      *Problem
	in     *mechanism.Inputs    // its motions of driven and held freedoms are constants, set by set and moveTo
	mech   *mechanism.Mechanism // with these inputs
	closer *closing.Closer
	resp   *response
	rows   []int                 // by driven freedom: its row of the system
	given  []mechanism.Freedom   // freedoms that the model prescribes
	at     []int                 // by freedom of given: its row of the system
	kin    *mechanism.Kinematics // at the state

	st, try  *mechanism.State
	q, to    []float64      // n: driven coordinates of st and of try
	held     []float64      // coordinates of the held freedoms
	toHeld   []float64      // the same, on trial
	turns    []winding      // coordinates of targets, with their turns
	constant *joints.Motion // memory of prescribe
	near     bool           // there is a factor at a pose near e.try
}

const (
	// partTurn and partLength bound a part of a move, after which loops are closed: in rad, and in lengths of the problem. So closing stays
	// on the branch of motion on which the mechanism is.
	partTurn, partLength = 0.25, 0.25
)

// newDrivenEngine allocates an engine of p on the mechanism of d. It is at no state before the first set.
func newDrivenEngine(p *Problem, d *driving) *drivenEngine {
	in := d.plan.Mechanism().NewInputs()
	plan := d.plan.With(in)
	w := plan.NewWorkspace()
	n := len(p.driven)
	e := &drivenEngine{
		goals: p.newGoals(), p: p, in: in, mech: plan.Mechanism(), rows: d.rows,
		closer: closing.NewCloserOn(w, closing.Options{Tolerance: closing.RunTolerance}), resp: newResponse(w, d.rows),
		st: plan.Initial(), try: plan.Initial(), q: make([]float64, n), to: make([]float64, n),
		held: make([]float64, len(p.held)), toHeld: make([]float64, len(p.held)), constant: joints.NewPolynomial([]float64{0}),
	}
	e.kin = e.mech.NewKinematics()
	base := p.plan.Mechanism()
	for j := range base.Joints {
		for i := range base.Joints[j].Kind.Freedoms() {
			if f := (mechanism.Freedom{Joint: j, Freedom: i}); base.Joints[j].Prescribed(i) {
				e.given, e.at = append(e.given, f), append(e.at, rowOf(plan, f))
			}
		}
	}
	for i := range p.targets {
		if t := &p.targets[i]; t.Type == Coordinate {
			e.turns = append(e.turns, winding{target: i, driven: slices.Index(p.driven, t.freedom), coordinated: t.freedom})
		}
	}
	return e
}

// Dims returns the numbers of rows and of driven freedoms.
func (e *drivenEngine) Dims() (m, n int) { return e.p.m, len(e.q) }

// coordinate returns the coordinate of a freedom at st, whose bodies have the kinematics e.kin.
func (e *drivenEngine) coordinate(f mechanism.Freedom, st *mechanism.State) float64 {
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	e.mech.JointTo(&jk, f.Joint, e.kin, st)
	e.mech.Joints[f.Joint].CoordinatesTo(&q, &qd, &jk)
	return q[f.Freedom]
}

// set goes to st: it prescribes the held freedoms at their coordinates there, and closes the joints. After an error the engine is where it
// was.
func (e *drivenEngine) set(st *mechanism.State) error {
	if err := e.mech.KinematicsTo(e.kin, st); err != nil {
		return err
	}
	e.near = false
	e.try.Time = st.Time
	copy(e.try.Bodies, st.Bodies)
	e.try.Angles = append(e.try.Angles[:0], st.Angles...)
	e.try.Rest()
	e.mech.FollowAngles(e.kin, e.try)
	for i, f := range e.p.driven {
		e.to[i] = e.p.carried(f, e.coordinate(f, e.try), st)
	}
	for i := range e.turns {
		f := e.turns[i].coordinated
		e.turns[i].tryAt = e.p.carried(f, e.coordinate(f, e.try), st)
	}
	for i, f := range e.p.held {
		e.toHeld[i] = e.coordinate(f, e.try)
	}
	err := e.hold(e.toHeld)
	if err == nil {
		err = e.arrive()
	}
	if err != nil {
		_ = e.hold(e.held) // the coordinates before
		return e.back(err)
	}
	e.held, e.toHeld = e.toHeld, e.held
	e.accept()
	return nil
}

// hold prescribes the held freedoms at the coordinates x.
func (e *drivenEngine) hold(x []float64) error {
	for i, f := range e.p.held {
		if err := e.prescribe(f, x[i]); err != nil {
			return err
		}
	}
	return nil
}

// prescribe makes the motion of a freedom the constant x.
func (e *drivenEngine) prescribe(f mechanism.Freedom, x float64) error {
	e.constant.Coefficients[0] = x
	return e.in.SetMotion(f.Joint, f.Freedom, e.constant)
}

// moveTo moves to the driven coordinates q in equal parts. In each part the bodies move by the solution x of docs/inverse-kinematics.md
// (D2), which is right to first order, and then all joints are closed. It returns mechanism.ErrNotFinite if q is not finite, or so far
// away that it takes more than mostParts parts, and the errors of goPart. After an error the engine is where it was.
func (e *drivenEngine) moveTo(q []float64) error {
	parts := 1.0
	for i, x := range q {
		part := partLength * e.p.length
		if e.p.angle[i] {
			part = partTurn
		}
		parts = max(parts, math.Ceil(math.Abs(x-e.q[i])/part))
	}
	if !(parts <= mostParts) {
		return mechanism.ErrNotFinite
	}
	e.begin()
	for k := 1.0; k <= parts; k++ {
		if err := e.goPart(q, k/parts); err != nil {
			return e.back(err)
		}
	}
	e.accept()
	return nil
}

// begin copies the state e.st, at rest, to e.try, and its driven coordinates e.q to e.to.
func (e *drivenEngine) begin() {
	e.try.Time = e.st.Time
	copy(e.try.Bodies, e.st.Bodies)
	e.try.Rest()
	e.try.Angles = append(e.try.Angles[:0], e.st.Angles...)
	for i := range e.turns {
		e.turns[i].tryAt = e.turns[i].at
	}
	copy(e.to, e.q)
}

// setTime closes all joints from the present pose, with the motions of the model at the time t.
func (e *drivenEngine) setTime(t float64) error {
	e.begin()
	e.try.Time, e.near = t, false
	if err := e.arrive(); err != nil {
		return e.back(err)
	}
	e.accept()
	return nil
}

// mostParts bounds the parts of a move: a freedom moves by at most 16 384 rad, or lengths of the problem.
const mostParts = 1 << 16

// goPart moves e.try to the coordinates e.q + s·(q − e.q), and factors there. It returns the errors of closing and factoring.
func (e *drivenEngine) goPart(q []float64, s float64) error {
	for i, row := range e.rows {
		x := q[i]
		if s < 1 {
			x = e.q[i] + s*(q[i]-e.q[i])
		}
		e.resp.b[row], e.to[i] = x-e.to[i], x
	}
	e.resp.solve()
	d := e.resp.velocities()
	e.mech.MoveAngles(e.try.Angles, e.resp.sys.Kin, e.try, 1, d)
	e.mech.DisplaceTo(e.try, e.try, 1, d)
	e.near = true
	return e.arrive()
}

// arrive closes e.try at the driven coordinates e.to and factors there, both by close. The kinematics, the angles and the coordinates of
// the targets follow. It returns the errors of prescribe and of close; e.try is then of no use (back).
func (e *drivenEngine) arrive() error {
	for i, f := range e.p.driven {
		if err := e.prescribe(f, e.to[i]); err != nil {
			return err
		}
	}
	if err := e.close(); err != nil {
		return err
	}
	copy(e.kin.Bodies, e.resp.sys.Kin.Bodies)
	e.mech.FollowAngles(e.kin, e.try)
	for i := range e.turns {
		e.follow(&e.turns[i])
	}
	return nil
}

// close closes e.try and factors there. A solve costs much less than a factorization, so it tries chord steps first: with the factor of the
// state before, then with a factor at the pose to which these steps have led. Where solves have to be refined, it polishes the pose.
func (e *drivenEngine) close() error {
	closed := e.near && (e.resp.chord(e.try) || e.resp.factor(e.try) == nil && e.resp.chord(e.try))
	if !closed {
		if err := e.closer.ClosePositions(e.try); err != nil {
			return fault.Errorf("ik: %w", err)
		}
	}
	if err := e.resp.at(e.try); err != nil || !e.resp.rough {
		return err
	}
	e.resp.polish(e.try)
	return e.resp.at(e.try)
}

// follow stores the coordinate at e.try, with its turns: the driven coordinate itself, or for another angle the value nearest to the last.
func (e *drivenEngine) follow(t *winding) {
	if t.driven >= 0 {
		t.tryAt = e.to[t.driven]
		return
	}
	x := e.coordinate(t.coordinated, e.try)
	if winds(e.mech, t.coordinated) {
		x = algebra.NearTurn(x, t.tryAt)
	}
	t.tryAt = x
}

// accept makes e.try the state of the engine, with the coordinates e.to.
func (e *drivenEngine) accept() {
	e.st, e.try = e.try, e.st
	e.q, e.to = e.to, e.q
	for i := range e.turns {
		t := &e.turns[i]
		t.at = t.tryAt
		e.shown[t.target].wound = t.at
	}
	e.seen = false
}

// back factors at e.st, where the engine stays, and returns why: the error that has kept it there.
func (e *drivenEngine) back(why error) error {
	if err := e.resp.at(e.st); err != nil {
		return why // there is no state before the first set
	}
	copy(e.kin.Bodies, e.resp.sys.Kin.Bodies)
	return why
}

func (e *drivenEngine) coordinatesTo(q []float64) { copy(q, e.q) }

// evaluate evaluates the targets at the state unless that has been done.
func (e *drivenEngine) evaluate() { e.goals.update(e.mech, e.kin, e.st) }

func (e *drivenEngine) errorsTo(out []float64) {
	e.evaluate()
	e.goals.errorsTo(out)
}

// jacobianTo stores 𝒥 by one solve for each driven freedom, (D3), or for each row if these are not more, (D4).
func (e *drivenEngine) jacobianTo(J []float64) {
	e.evaluate()
	m, n := e.Dims()
	if n < m {
		for c, row := range e.rows {
			e.resp.b[row] = 1
			e.resp.solve()
			e.rowRatesTo(J[c:], n, e.resp.velocities())
		}
		return
	}
	for i := range e.list {
		t := &e.list[i]
		for k := range t.n {
			e.addRow(i, k, 1)
			e.resp.solve()
			r := t.first + k
			e.reactionsTo(J[r*n : (r+1)*n])
		}
	}
}

// addRow adds row k of target i, times s, to the right side, as wrenches on its bodies.
func (e *drivenEngine) addRow(i, k int, s float64) {
	for b := range e.shown[i].sides {
		x := &e.shown[i].sides[b]
		e.resp.sys.AddWrenchTo(e.resp.b[6*x.body:], int(x.body), s, &x.F[k])
	}
}

// reactionsTo stores the reactions in the rows of the driven freedoms by the last solution, (D4).
func (e *drivenEngine) reactionsTo(dst []float64) {
	for c, row := range e.rows {
		dst[c] = e.resp.x[row]
	}
}

// rowRatesTo stores the rates T·v of all rows of the targets at the velocities v of the bodies, every stride-th number of dst.
func (e *drivenEngine) rowRatesTo(dst []float64, stride int, v []float64) {
	for i := range e.list {
		t := &e.list[i]
		for k := range t.n {
			dst[(t.first+k)*stride] = e.shown[i].rateOf(k, v)
		}
	}
}

// MulTo stores 𝒥·u, docs/inverse-kinematics.md (D3): the rates of the targets' rows at the rates u of the driven freedoms.
//
// Shapes: dst has one entry a row of the targets, u one a driven freedom.
// Cost: a solve, no allocation.
func (e *drivenEngine) MulTo(dst, u []float64) {
	e.evaluate()
	for c, row := range e.rows {
		e.resp.b[row] = u[c]
	}
	e.resp.solve()
	e.rowRatesTo(dst, 1, e.resp.velocities())
}

// MulTransTo stores 𝒥ᵀ·f, docs/inverse-kinematics.md (D4): the forces of the driven freedoms that bear the forces f along the targets'
// rows.
//
// Shapes: dst has one entry a driven freedom, f one a row of the targets.
// Cost: a solve, no allocation.
func (e *drivenEngine) MulTransTo(dst, f []float64) {
	e.evaluate()
	for i := range e.list {
		t := &e.list[i]
		for k := range t.n {
			e.addRow(i, k, f[t.first+k])
		}
	}
	e.resp.solve()
	e.reactionsTo(dst)
}

// driftTo stores the weighted rates of the targets while the driven freedoms rest, due to motions of the model.
func (e *drivenEngine) driftTo(dst []float64) {
	e.evaluate()
	for i, f := range e.given {
		_, e.resp.b[e.at[i]], _ = e.mech.Joints[f.Joint].Motion[f.Freedom].At(e.st.Time)
	}
	e.resp.solve()
	e.rowRatesTo(dst, 1, e.resp.velocities())
}

// setRates gives the bodies the velocities of (D2) at the rates u of the driven freedoms and the rates that the model prescribes.
func (e *drivenEngine) setRates(u []float64) error {
	for c, row := range e.rows {
		e.resp.b[row] = u[c]
	}
	for i, f := range e.given {
		_, e.resp.b[e.at[i]], _ = e.mech.Joints[f.Joint].Motion[f.Freedom].At(e.st.Time)
	}
	e.resp.solve()
	x := e.resp.velocities()
	if !algebra.AllFinite(x...) {
		return ErrOverflow
	}
	for i := range e.st.Bodies {
		e.st.Bodies[i].SetComVelocity((*[6]float64)(x[6*i:]), &e.kin.Bodies[i].Com)
	}
	return nil
}

func (e *drivenEngine) stateTo(st *mechanism.State) {
	st.Time = e.st.Time
	copy(st.Bodies, e.st.Bodies)
	st.Angles = append(st.Angles[:0], e.st.Angles...)
}
