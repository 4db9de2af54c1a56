package motion

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/tree"
)

// BalanceOptions choose how a Balance works. The zero value is the default.
type BalanceOptions struct {
	Tolerance  float64 // largest residual of the balance, in units of the weight; 0 stands for 1e-4
	Iterations int     // largest number of iterations of a step; 0 stands for 20
}

// Defaults of BalanceOptions.
const (
	defaultBalance           = 1e-4
	defaultBalanceIterations = 20
)

// Balance takes force-balance steps (Seegmiller & Kelly 2016): a method of first order for vehicles on wheels that stays stable with steps
// of 10 to 40 ms. It works on a spanning tree. The forces of contacts, actuators, springs and dampers obey their laws at the velocity and
// the depth at the end of the step, docs/ground.md (G41) to (G46); all other forces are taken at the start of the step. It is a
// sim.Stepper, and belongs to one goroutine.
type Balance struct {
	mech   *mechanism.Mechanism
	plan   *tree.Plan
	solver *tree.ClosedSolver // with the inputs of balancedDrives
	wheels *Wheels
	balancedDrives
	opts   BalanceOptions
	weight float64 // N

	start, end mechanism.State
	q, qd, q1  []float64
	qdd        []float64
	h          float64
	tried      bool

	n, m  int       // number of freedoms, and of rows in use
	a, f  []float64 // m×n: rows of velocities and of forces
	r     []float64 // m×n: q̈ by a unit of each force
	s     []float64 // m×m: acceleration of each row by a unit of each force
	unit  []float64 // by row: the length by which a moment is divided to count as a force, m; 1 for forces
	free  []float64 // by row: its rate at the end of the step without the balanced forces
	rate  []float64 // by row: its rate at the end with them
	z     []float64 // by row: its force, N
	kept  bool      // z has the forces of the step before
	work  balanceWork
	stats BalanceStats
}

// BalanceStats counts the steps of a Balance and their work.
type BalanceStats struct {
	Steps, Iterations int64
	Worst             float64 // largest residual of a step, in units of the weight
}

// balancedDrives are the balanced forces along freedoms of the tree.
type balancedDrives struct {
	inputs *mechanism.Inputs // of the mechanism, without the balanced forces
	drives []balancedDrive   // all drives that may act
	acting []*balancedDrive  // the drives that act in this step
}

// balancedDrive is an actuator, or a spring with a damper, on a freedom of the tree.
type balancedDrive struct {
	freedom                  mechanism.Freedom
	dof                      int
	actuator                 int     // number of the actuator; −1 for a spring with a damper
	stiffness, damping, rest float64 // of a spring with a damper
	q, t                     float64 // coordinate at the start of the step, time at its end
}

// balanceWork is the memory of the search for balance. But for v, vectors have an entry for each row of the Balance, and matrices a row.
type balanceWork struct {
	force []float64 // force by its law, N
	slope []float64 // m×m: derivatives of force by rate, in blocks along the diagonal
	block []int     // by row: first row of its block
	stop  []int     // by row: first row after its block
	res   []float64 // z − force
	J, H  []float64 // m×m: derivative of res by z, and JᵀJ, later its factor
	g, p  []float64 // gradient Jᵀ·res, and direction of the search
	sp    []float64 // change of the rates along p
	z0    []float64 // z and rates at the start of a line search
	rate0 []float64
	v     []float64 // by freedom of the tree
}

// allocate makes the memory for m rows. v is left out.
func (w *balanceWork) allocate(m int) {
	vec := func() []float64 { return make([]float64, m) }
	w.force, w.res, w.g, w.p, w.sp, w.z0, w.rate0 = vec(), vec(), vec(), vec(), vec(), vec(), vec()
	w.slope, w.J, w.H = make([]float64, m*m), make([]float64, m*m), make([]float64, m*m)
	w.block, w.stop = make([]int, m), make([]int, m)
}

// NewBalance returns an integrator with its memory.
//
// Cost: a tree.Plan, and matrices with a row for each direction of a contact and each drive.
// It returns an error that wraps ErrUnsupported, with the contact that has internal states or the joint that has stops, friction or
// nonholonomic rows (mechanism.ErrNonholonomic), and the errors of tree.NewPlan and tree.Plan.CheckMemory. It panics if an option is
// negative or not finite.
func NewBalance(p *kkt.Plan, o BalanceOptions) (*Balance, error) {
	mech := p.Mechanism()
	if o.Tolerance == 0 {
		o.Tolerance = defaultBalance
	}
	if o.Iterations == 0 {
		o.Iterations = defaultBalanceIterations
	}
	if !(o.Tolerance > 0) || math.IsInf(o.Tolerance, 1) || o.Iterations < 1 {
		panic("motion: option out of range")
	}
	for i := range mech.NumContacts() {
		if c, _, element := mech.Contact(i); c.NumStates() > 0 {
			return nil, mech.AtForce(element, errBalanceStates)
		}
	}
	for i := range mech.NumResistors() {
		f, _ := mech.Resistor(i)
		return nil, mech.AtJoint(f.Joint, -1, errBalanceJoints)
	}
	if err := mech.Holonomic(); err != nil {
		return nil, fault.Errorf("motion: %w: %w", ErrUnsupported, err)
	}
	// Joints with actuators are put into the tree, so that each actuator acts along a freedom of it.
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
	b.inputs = mech.NewInputs()
	b.findDrives()
	b.solver = plan.With(b.inputs).NewSolver(tree.Direct, tree.SolverOptions{})
	for i := range mech.Bodies {
		b.weight += mech.Bodies[i].Mass
	}
	b.weight *= max(mech.Gravity.Norm(), leastGravity)
	b.allocate()
	return b, nil
}

// leastGravity is the least gravity, m/s², by which masses are multiplied for the weight that residuals are compared with.
const leastGravity = 1.0

// findDrives lists the actuators, and the freedoms of the tree with springs or dampers.
func (b *Balance) findDrives() {
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
		for i := range b.mech.Joints[j].Kind.Freedoms() {
			if at := dof(j, i); at >= 0 && b.mech.Sprung(j, i) {
				b.drives = append(b.drives, balancedDrive{freedom: mechanism.Freedom{Joint: j, Freedom: i}, dof: at, actuator: -1})
			}
		}
	}
}

// readInputs lists the drives that act, with the present values of the inputs of the mechanism. It removes the forces of these drives, and
// of contacts, from the inputs of the solver.
func (b *Balance) readInputs() error {
	b.inputs.LeaveOutDriven(b.mech)
	b.acting = b.acting[:0]
	for k := range b.drives {
		d := &b.drives[k]
		if d.actuator < 0 {
			j, i := d.freedom.Joint, d.freedom.Freedom
			now := b.mech.Drive(j)
			d.stiffness, d.damping, d.rest = now.Stiffness[i], now.Damping[i], now.Rest[i]
			if d.stiffness == 0 && d.damping == 0 {
				continue
			}
			if d.stiffness != 0 {
				if err := b.inputs.SetStiffness(j, i, 0); err != nil {
					return err
				}
			}
			if err := b.inputs.SetDamping(j, i, 0); err != nil {
				return err
			}
		}
		b.acting = append(b.acting, d)
	}
	return nil
}

// allocate makes the memory of the steps.
func (b *Balance) allocate() {
	n, m := b.n, len(b.wheels.rows)+len(b.drives)
	b.acting = make([]*balancedDrive, 0, len(b.drives))
	vec := func(k int) []float64 { return make([]float64, k) }
	b.start.Bodies = make([]mechanism.BodyState, b.mech.NumBodies())
	b.end.Bodies = make([]mechanism.BodyState, b.mech.NumBodies())
	b.q, b.q1, b.qd, b.qdd = vec(b.plan.NumQ()), vec(b.plan.NumQ()), vec(n), vec(n)
	b.a, b.f, b.r, b.s = vec(m*n), vec(m*n), vec(m*n), vec(m*m)
	b.unit, b.free, b.rate, b.z = vec(m), vec(m), vec(m), vec(m)
	b.work.allocate(m)
	b.work.v = vec(n)
}

// Stats returns the counts of the steps so far.
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

// JointsDrift tells a simulation whether it needs a projector: loops, couplings and prescribed motions drift, as steps on the tree satisfy
// them only to the order of the method.
func (b *Balance) JointsDrift() bool { return b.plan.NumRows() > 0 }

// ClosesJoints tells a simulation to halve a step that fails.
func (b *Balance) ClosesJoints() {}

// Restart implements sim.Stepper.
func (b *Balance) Restart() { b.tried, b.kept = false, false }

// Kept implements sim.Stepper. It returns the forces, from which the next step starts to iterate, or nil if there are none.
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
