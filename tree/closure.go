package tree

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// LoopFunction is the solution of the loop-closure equations of a mechanism by
// its user (RBDA §8.11): the joint variables as a function of independent
// variables y, q = γ(y), with
//
//	q̇ = G·ẏ,    q̈ = G·ÿ + g.
//
// The entries of q̇ are those of the Plan: for ball joints and floating bases they are angular velocities and not derivatives of
// quaternions.
type LoopFunction interface {
	// PositionTo stores γ(y) in q.
	PositionTo(q, y []float64) error
	// JacobianTo stores G(y), n×m by rows, in G, and g(y, ẏ) = Ġ·ẏ in g. It is called after PositionTo with the same y.
	JacobianTo(G, g, y, yd []float64) error
}

// Closure is the dynamics of a mechanism whose loops a LoopFunction solves: the
// equation of motion in y (RBDA §8.11),
//
//	GᵀHG·ÿ = Gᵀ(τ − C − H·g).
//
// No loop constraint is evaluated for it. It belongs to one goroutine at a time.
type Closure struct {
	plan *Plan
	f    LoopFunction
	m    int
	w    *Workspace
	H    *BranchMatrix
	K    *Constraints

	q, qd, g      []float64
	G, HG         []float64 // n×m by rows; m×n, transposed
	A             []float64 // GᵀHG, m×m
	c, x, qdd     []float64
	ydd           []float64
	delta, rate   []float64
	ready, solved bool
}

// NewClosure allocates the closure of the plan by f, with m independent
// variables.
//
// It panics unless 0 ≤ m ≤ NumDof, and without f. It panics if a freedom is prescribed, as q would depend on time besides y, and if a joint
// has nonholonomic rows, as ẏ would not be free.
func (p *Plan) NewClosure(f LoopFunction, m int) *Closure {
	n := p.nv
	if m < 0 || m > n {
		panic("tree: number of variables out of range")
	}
	p.mustBePoses()
	if f == nil {
		panic("tree: no loop function")
	}
	rows := p.NumRows()
	return &Closure{
		plan: p, f: f, m: m, w: p.NewWorkspace(), H: p.NewBranchMatrix(), K: p.NewConstraints(),
		q: make([]float64, p.nq), qd: make([]float64, n), g: make([]float64, n),
		G: make([]float64, n*m), HG: make([]float64, n*m), A: make([]float64, m*m),
		c: make([]float64, n), x: make([]float64, n), qdd: make([]float64, n), ydd: make([]float64, m),
		delta: make([]float64, rows), rate: make([]float64, rows),
	}
}

// Set makes the state with y and ẏ at the time t the state in use.
//
// Shapes: y and yd have m entries.
// Cost: the LoopFunction, O(n·m) and Workspace.Set; no allocation of its own.
// It returns the errors of the LoopFunction and of Workspace.Set. It panics on a
// length mismatch.
func (c *Closure) Set(y, yd []float64, t float64) error {
	if len(y) != c.m || len(yd) != c.m {
		panic("tree: length mismatch")
	}
	c.ready, c.solved = false, false
	if err := c.f.PositionTo(c.q, y); err != nil {
		return err
	}
	if err := c.f.JacobianTo(c.G, c.g, y, yd); err != nil {
		return err
	}
	for d := range c.qd {
		c.qd[d] = floats.Dot(c.G[d*c.m:(d+1)*c.m], yd)
	}
	if err := c.w.Set(c.q, c.qd, t); err != nil {
		return err
	}
	c.ready = true
	return nil
}

// ForwardTo stores ÿ in ydd, under the loads of the mechanism and the
// generalized forces tau on the tree. A nil tau is zero.
//
// Shapes: ydd has m entries, tau NumDof.
// Cost: O(depth·n·m + n·m² + m³), no allocation.
// It returns an error with the joint that wraps mechanism.ErrInput for a force that is not finite.
// It returns a *PivotError if GᵀHG is not positive definite, as the columns of G depend on each other; the error has an entry of ÿ and the
// joint that this entry moves most. It panics on a length mismatch or without a state in use.
func (c *Closure) ForwardTo(ydd, tau []float64) error {
	c.mustBeReady()
	n, m := c.plan.nv, c.m
	if len(ydd) != m || tau != nil && len(tau) != n {
		panic("tree: length mismatch")
	}
	c.solved = false
	if err := c.plan.mustBeFinite(givenForce, tau); err != nil {
		return err
	}
	c.w.InertiaTo(c.H)
	for y := range m {
		for d := range n {
			c.x[d] = c.G[d*m+y]
		}
		c.H.MulVecTo(c.HG[y*n:(y+1)*n], c.x)
	}
	// f = τ − C − H·g.
	c.w.InverseTo(c.c, nil)
	c.H.MulVecTo(c.x, c.g)
	for d := range n {
		c.x[d] = -c.c[d] - c.x[d]
		if tau != nil {
			c.x[d] += tau[d]
		}
	}
	clear(c.A)
	clear(ydd)
	for d := range n {
		row := c.G[d*m : (d+1)*m]
		axpy(c.x[d], row, ydd)
		for y := range m {
			axpy(c.HG[y*n+d], row[:y+1], c.A[y*m:])
		}
	}
	if k := choleskyRows(c.A, m, m, nil); k >= 0 {
		most := 0
		for d := range n {
			if math.Abs(c.G[d*m+k]) > math.Abs(c.G[most*m+k]) {
				most = d
			}
		}
		return c.plan.atDof(most, &PivotError{Dof: k, Value: c.A[k*m+k]})
	}
	solveCholeskyRows(c.A, m, m, ydd, nil)
	copy(c.ydd, ydd)
	for d := range n {
		c.qdd[d] = c.g[d] + floats.Dot(c.G[d*m:(d+1)*m], ydd)
	}
	c.solved = true
	return nil
}

// Workspace returns the workspace at the state in use.
//
// It panics without a state in use, as the other methods here do.
func (c *Closure) Workspace() *Workspace {
	c.mustBeReady()
	return c.w
}

// Coordinates returns q. It is not a copy.
func (c *Closure) Coordinates() []float64 {
	c.mustBeReady()
	return c.q
}

// Explicit returns G, n×m by rows, and g at the state in use. They are not
// copies.
func (c *Closure) Explicit() (G, g []float64) {
	c.mustBeReady()
	return c.G, c.g
}

// JointAccelerations returns q̈ = G·ÿ + g of the last ForwardTo. It is not a copy.
//
// It panics if there was none at the state in use, or if it returned an error.
func (c *Closure) JointAccelerations() []float64 {
	c.mustBeReady()
	if !c.solved {
		panic("tree: no solution")
	}
	return c.qdd
}

// ClosureErrors says how far a LoopFunction is from solving the loops.
type ClosureErrors struct {
	Position     float64 // largest |φ(γ(y))|, m or rad
	Jacobian     float64 // largest entry of K·G relative to the terms of its sum
	Acceleration float64 // largest |K·g − k| of a row relative to its terms and to products of velocities
}

// Check evaluates the identities φ∘γ = 0, K·G = 0 and K·g = k at the state in
// use.
//
// Cost: O(entries of K·m), no allocation.
// It returns joints.ErrNoDirection, with the joint's name.
func (c *Closure) Check() (e ClosureErrors, err error) {
	c.mustBeReady()
	if err := c.w.ConstraintsTo(c.K); err != nil {
		return e, err
	}
	if err := c.w.ErrorsTo(c.delta, c.rate); err != nil {
		return e, err
	}
	for _, x := range c.delta {
		e.Position = max(e.Position, math.Abs(x))
	}
	for y := range c.m {
		for d := range c.x {
			c.x[d] = c.G[d*c.m+y]
		}
		for i := range c.delta {
			r, terms := c.K.rowTimes(i, c.x)
			e.Jacobian = max(e.Jacobian, ratio(r, terms))
		}
	}
	omega := c.w.angularSpeed()
	for i := range c.delta {
		r, terms := c.K.rowTimes(i, c.g)
		_, speed := c.K.rowTimes(i, c.qd)
		e.Acceleration = max(e.Acceleration, ratio(r-c.K.rhs[i], terms+c.K.size[i]+omega*speed))
	}
	return e, nil
}

// rowTimes returns the product of a row of K and x, and the sum of the magnitudes
// of its terms.
func (c *Constraints) rowTimes(row int, x []float64) (sum, terms float64) {
	g := &c.groups[c.groupOf(row)]
	at := g.val + (row-int(g.row))*len(g.cols)
	for e, d := range g.cols {
		sum += c.val[at+e] * x[d]
		terms += c.mag[at+e] * math.Abs(x[d])
	}
	return sum, terms
}

// ratio returns |r|/terms, and 0 for 0/0.
func ratio(r, terms float64) float64 {
	if r == 0 {
		return 0
	}
	return math.Abs(r) / terms
}

func (c *Closure) mustBeReady() {
	if !c.ready {
		panic("tree: no state")
	}
}

// mustBePoses panics if a freedom has a prescribed motion, or if a joint has nonholonomic rows.
func (p *Plan) mustBePoses() {
	if len(p.mech.Nonholonomic()) > 0 {
		panic("tree: closure with rows of velocities alone")
	}
	driven := len(p.Prescribed) > 0
	for i := range p.Loops {
		j := &p.mech.Joints[p.Loops[i].Joint]
		driven = driven || int(j.Rows) > j.Kind.Constraints()
	}
	if driven {
		panic("tree: closure with a prescribed freedom")
	}
}
