package motion

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// BalanceOptions choose how a Balance works. The zero value is the default.
type BalanceOptions struct {
	Tolerance  float64 // of the balance, in units of the weight; 0 stands for DefaultBalance
	Iterations int     // at most, a step; 0 stands for 20
}

// What zeros of BalanceOptions stand for.
const (
	DefaultBalance           = 1e-4
	defaultBalanceIterations = 20
)

var (
	// ErrBalance is returned by Balance.Try where forces did not come
	// into balance. The simulation then tries a shorter step.
	ErrBalance = errors.New("motion: the forces of the ground did not come into balance")
	// ErrBalanceStates is wrapped by the error of NewBalance for a contact with internal states.
	ErrBalanceStates = errors.New("motion: force-balance steps are for contacts without internal states")
	// ErrBalanceJoints is wrapped by the error of NewBalance for a joint with stops or friction.
	ErrBalanceJoints = errors.New("motion: force-balance steps know no stops and no friction of joints")
)

// Balance takes force-balance steps (Seegmiller & Kelly 2016): a method of first order for vehicles on wheels that
// stays stable with steps of 10 to 40 ms. On a spanning tree it looks for the forces of contacts, actuators, springs
// and dampers that are those of their laws at the velocity and the depth at the end of the step, docs/ground.md (G41)
// to (G46). All other forces are those at the start of the step. It is a sim.Stepper, and belongs to one goroutine.
type Balance struct {
	mech   *mechanism.Mechanism
	plan   *tree.Plan
	solver *tree.ClosedSolver // under inputs without the forces that are balanced
	wheels *Wheels
	drives []balancedDrive
	opts   BalanceOptions
	weight float64 // N

	start, end mechanism.State
	q, qd, q1  []float64
	qdd        []float64
	h          float64
	tried      bool

	n, m  int       // freedoms; rows in use
	a, f  []float64 // m×n: rows of velocities and of forces
	r     []float64 // m×n: what a unit of each force adds to q̈
	s     []float64 // m×m: what a unit of each force adds to the acceleration of each row
	unit  []float64 // by row: metres by which a moment counts as a force; 1 for forces
	free  []float64 // rates of the rows at the end without any of the forces
	rate  []float64 // with them
	z     []float64 // forces in N
	kept  bool      // z is that of the step before
	work  balanceWork
	stats BalanceStats
}

// BalanceStats count what a Balance has done.
type BalanceStats struct {
	Steps, Iterations int64
	Worst             float64 // largest residual of a step, in units of the weight
}

// balancedDrive is an actuator, or a spring with a damper, on a freedom of the tree.
type balancedDrive struct {
	freedom                  mechanism.Freedom
	dof                      int
	actuator                 int // −1: a spring
	stiffness, damping, rest float64
	q, t                     float64 // coordinate at the start, time at the end
}

// NewBalance returns an integrator with its memory.
//
// Cost: a tree.Plan, and matrices with a row a contact's direction and drive. It returns ErrBalanceStates, with the
// contact, ErrBalanceJoints, with the joint, and the errors of tree.NewPlan and tree.Plan.CheckMemory. It panics if an
// option is negative or not finite.
func NewBalance(p *kkt.Plan, o BalanceOptions) (*Balance, error) {
	mech := p.Mechanism()
	if o.Tolerance == 0 {
		o.Tolerance = DefaultBalance
	}
	if o.Iterations == 0 {
		o.Iterations = defaultBalanceIterations
	}
	if !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 1) || o.Iterations < 1 {
		panic("motion: option out of range")
	}
	for i := range mech.NumContacts() {
		if c, _, element := mech.Contact(i); c.NumStates() > 0 {
			return nil, mech.AtForce(element, ErrBalanceStates)
		}
	}
	for i := range mech.NumResistors() {
		f, _ := mech.Resistor(i)
		return nil, mech.AtJoint(f.Joint, -1, ErrBalanceJoints)
	}
	// Joints with actuators are in the tree, so that each is a freedom of it.
	var must []int
	in := map[int]bool{}
	for i := range mech.NumActuators() {
		if f, _ := mech.Actuator(i); !in[f.Joint] {
			in[f.Joint] = true
			must = append(must, f.Joint)
		}
	}
	plan, err := tree.NewPlan(mech, tree.Options{TreeJoints: must})
	if err != nil {
		return nil, err
	}
	if err := plan.CheckMemory(); err != nil {
		return nil, fault.Errorf("motion: force-balance: %w", err)
	}
	b := &Balance{mech: mech, plan: plan, opts: o, wheels: NewWheels(plan), n: plan.NumDof()}
	inputs := mech.NewInputs()
	inputs.LeaveOutDriven()
	if err := b.findDrives(inputs); err != nil {
		return nil, err
	}
	b.solver = plan.With(inputs).NewSolver(tree.Direct, tree.SolverOptions{})
	for i := range mech.Bodies {
		b.weight += mech.Bodies[i].Mass
	}
	b.weight *= max(mech.Gravity.Norm(), leastGravity)
	b.allocate()
	return b, nil
}

// leastGravity is the gravity that the weight is at least that of, m/s².
const leastGravity = 1.0

// findDrives lists actuators, and springs and dampers of the tree, which it takes out of the inputs.
func (b *Balance) findDrives(in *mechanism.Inputs) error {
	dof := func(joint, freedom int) int {
		for i := range b.plan.Links {
			if l := &b.plan.Links[i]; int(l.Joint) == joint {
				return int(l.Dof) + freedom
			}
		}
		return -1
	}
	for i := range b.mech.NumActuators() {
		f, _ := b.mech.Actuator(i)
		b.drives = append(b.drives, balancedDrive{freedom: f, dof: dof(f.Joint, f.Freedom), actuator: i})
	}
	for j := range b.mech.Joints {
		d := b.mech.Drive(j)
		if d == nil {
			continue
		}
		for i := range b.mech.Joints[j].Kind.Freedoms() {
			at := dof(j, i)
			if at < 0 || d.Stiffness[i] == 0 && d.Damping[i] == 0 {
				continue
			}
			b.drives = append(b.drives, balancedDrive{
				freedom: mechanism.Freedom{Joint: j, Freedom: i}, dof: at, actuator: -1, stiffness: d.Stiffness[i], damping: d.Damping[i], rest: d.Rest[i],
			})
			if err := in.SetStiffness(j, i, 0); err != nil && d.Stiffness[i] != 0 {
				return err
			}
			if err := in.SetDamping(j, i, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// allocate makes the memory of the steps.
func (b *Balance) allocate() {
	n, m := b.n, len(b.wheels.rows)+len(b.drives)
	vec := func(k int) []float64 { return make([]float64, k) }
	b.start.Bodies = make([]mechanism.BodyState, b.mech.NumBodies())
	b.end.Bodies = make([]mechanism.BodyState, b.mech.NumBodies())
	b.q, b.q1, b.qd, b.qdd = vec(b.plan.NumQ()), vec(b.plan.NumQ()), vec(n), vec(n)
	b.a, b.f, b.r, b.s = vec(m*n), vec(m*n), vec(m*n), vec(m*m)
	b.unit, b.free, b.rate, b.z = vec(m), vec(m), vec(m), vec(m)
	b.work.allocate(m)
	b.work.v = vec(n)
}

// Stats returns what has been done so far.
func (b *Balance) Stats() BalanceStats { return b.stats }

// Plan returns the spanning tree.
func (b *Balance) Plan() *tree.Plan { return b.plan }

// Order implements sim.Stepper.
func (b *Balance) Order() (order, embedded int) { return 1, 0 }

// Evaluations implements sim.Stepper.
func (b *Balance) Evaluations() int64 { return b.stats.Steps }

// Settings implements sim.Stepper.
func (b *Balance) Settings() string {
	return fmt.Sprintf("force-balance, tolerance %v, %d iterations", b.opts.Tolerance, b.opts.Iterations)
}

// CloseStages implements sim.Stepper: a step has one stage.
func (b *Balance) CloseStages(sim.Projector) {}

// JointsDrift tells a simulation that it takes a projector: there are loops or motions, which steps on the tree leave open
// by what the order allows.
func (b *Balance) JointsDrift() bool { return b.plan.NumRows() > 0 }

// ClosesJoints tells a simulation to halve a step that fails.
func (b *Balance) ClosesJoints() {}

// Restart implements sim.Stepper.
func (b *Balance) Restart() { b.tried, b.kept = false, false }

// Kept implements sim.Stepper: the forces, from which the next step starts to iterate.
func (b *Balance) Kept() []float64 {
	if !b.kept {
		return nil
	}
	return b.z
}

// Keep implements sim.Stepper.
func (b *Balance) Keep() []float64 {
	b.kept = true
	return b.z
}

// Lead implements sim.Stepper.
func (b *Balance) Lead(*mechanism.State, bool) error { return nil }

// Accept implements sim.Stepper.
func (b *Balance) Accept() { b.kept = true }

// Try implements sim.Stepper. Errors are those of tree.ClosedSolver.Solve and Wheels.Set, and ErrBalance.
//
// Cost: O(rows·(rows² + NumDof²)) a few times; no allocation.
func (b *Balance) Try(st *mechanism.State, t float64) (float64, error) {
	mustHaveState(st)
	if !b.kept {
		clear(b.z)
	}
	b.tried = false
	b.start.Time, b.start.Angles = st.Time, st.Angles
	copy(b.start.Bodies, st.Bodies)
	b.h = t - st.Time
	if err := b.solver.Solve(&b.start); err != nil {
		return 0, err
	}
	w := b.solver.Workspace()
	b.plan.CoordinatesTo(b.q, b.qd, w.Kinematics(), &b.start)
	if err := b.wheels.Set(w); err != nil {
		return 0, err
	}
	b.setRows(w, t)
	if err := b.balance(); err != nil {
		return 0, err
	}
	// q̈ = q̈₀ + R z
	copy(b.qdd, b.solver.JointAccelerations())
	for i := range b.m {
		f, r := b.z[i], b.r[i*b.n:(i+1)*b.n]
		for d := range r {
			b.qdd[d] += f * r[d]
		}
	}
	b.tried = true
	b.stateTo(&b.end, 1)
	return 0, nil
}

// setRows fills the rows, what forces along them do, and the rates at the end without these forces.
func (b *Balance) setRows(w *tree.Workspace, t float64) {
	n := b.n
	b.m = 0
	add := func() []float64 {
		row := b.a[b.m*n : (b.m+1)*n]
		b.m++
		return row
	}
	for i := range b.wheels.NumRows() {
		row, is := b.wheels.Row(i)
		copy(add(), row)
		copy(b.f[(b.m-1)*n:], b.wheels.Push(i))
		b.unit[b.m-1] = 1
		if is.By == byOfTurns[0] || is.By == byOfTurns[1] {
			c, _, _ := b.mech.Contact(is.Contact)
			b.unit[b.m-1] = c.Shape.Radius
		}
	}
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	for i := range b.drives {
		d := &b.drives[i]
		row := add()
		clear(row)
		row[d.dof] = 1
		copy(b.f[(b.m-1)*n:], row)
		b.unit[b.m-1] = 1
		b.mech.JointTo(&jk, d.freedom.Joint, w.Kinematics(), &b.start)
		b.mech.Joints[d.freedom.Joint].CoordinatesTo(&q, &qd, &jk)
		d.q, d.t = q[d.freedom.Freedom], t
	}
	qdd := b.solver.JointAccelerations()
	for i := range b.m {
		row, r := b.a[i*n:(i+1)*n], b.r[i*n:(i+1)*n]
		v, x := 0.0, 0.0
		for d, a := range row {
			v += a * b.qd[d]
			x += a * qdd[d]
		}
		b.free[i] = v + b.h*x
		b.solver.RespondTo(r, b.f[i*n:(i+1)*n])
		for d := range r { // of a unit of z
			r[d] *= b.unit[i]
		}
	}
	for i := range b.m {
		row, s := b.a[i*n:(i+1)*n], b.s[i*b.m0():i*b.m0()+b.m]
		for k := range s {
			sum := 0.0
			for d, x := range b.r[k*n : (k+1)*n] {
				sum += row[d] * x
			}
			s[k] = sum
		}
	}
}

// m0 is the length of a row of s.
func (b *Balance) m0() int { return len(b.z) }

// stateTo stores the state at a fraction of the step: velocities along
// a line, poses by the exponential map of that at the end.
func (b *Balance) stateTo(dst *mechanism.State, theta float64) {
	s := theta * b.h
	dst.Time, dst.Angles = b.start.Time+s, b.start.Angles
	// Rates at the end move the poses.
	for d := range b.qd {
		b.work.v[d] = b.qd[d] + b.h*b.qdd[d]
	}
	for i := range b.plan.Links {
		l := &b.plan.Links[i]
		q, q1, v := b.q[l.Q:l.Q+l.NumQ], b.q1[l.Q:l.Q+l.NumQ], b.work.v[l.Dof:l.Dof+l.NumDof]
		if l.NumQ == l.NumDof {
			for k := range q {
				q1[k] = q[k] + s*v[k]
			}
			continue
		}
		rot, turn := spatial.Quat(q[:4]), spatial.Vec3{s * v[0], s * v[1], s * v[2]}
		spatial.TurnTo(&rot, &turn, &rot)
		copy(q1, rot[:])
		for k := 4; k < len(q); k++ {
			q1[k] = q[k] + s*v[k-1]
		}
	}
	for d := range b.qd {
		b.work.v[d] = b.qd[d] + s*b.qdd[d]
	}
	b.plan.StateTo(dst, b.q1, b.work.v)
}

// AtTo implements sim.Stepper.
func (b *Balance) AtTo(dst *mechanism.State, theta float64) {
	if !b.tried {
		panic("motion: no step")
	}
	if !(theta >= 0 && theta <= 1) {
		panic("motion: theta out of range")
	}
	if theta < 1 {
		b.stateTo(dst, theta)
		return
	}
	if len(dst.Bodies) != len(b.end.Bodies) {
		panic("motion: foreign state")
	}
	dst.Time, dst.Angles = b.end.Time, b.end.Angles
	copy(dst.Bodies, b.end.Bodies)
}

// push returns the force of a drive at the rate at the end of the step, and its derivative by that.
func (b *Balance) push(d *balancedDrive, rate float64) (force, slope float64) {
	q := d.q + b.h*rate
	p := mechanism.Push{Force: -d.stiffness*(q-d.rest) - d.damping*rate, Stiffness: d.stiffness, Damping: d.damping}
	if d.actuator >= 0 {
		p = b.mech.PushAt(d.actuator, q, rate, d.t)
	}
	return p.Force, -p.Damping - b.h*p.Stiffness
}

var _ sim.Stepper = (*Balance)(nil)
