package tree

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// Constraints holds K and k of the loop constraints K·q̈ = k at one state (RBDA §8.7, Table 8.4): first the rows of Plan.Loops, then one
// row for each of Plan.Prescribed, then one for each coupling. A row of a loop joint is Tᵀ(J_S − J_P). Only its entries for freedoms
// between its two links and their nearest common ancestor are stored, as the others are zero. It belongs to one goroutine at a time.
type Constraints struct {
	watch  *team.Watch // of a ClosedSolver
	plan   *Plan
	groups []rowGroup // loops, prescribed freedoms, couplings
	rows   int

	val  []float64                // entries of K, by group, row by row
	mag  []float64                // by entry of K: its terms, products of the norms of the vectors that are multiplied
	rhs  []float64                // k
	size []float64                // sum of the magnitudes of the terms of k
	vp   []spatial.ClassicalAccel // by body: its acceleration at q̈ = 0

	legs    [][]freedomLeg // by coupling
	scratch legScratch
}

// rowGroup is the place of the rows of a loop joint, or of the row of a prescribed freedom or a coupling.
type rowGroup struct {
	joint     int32   // number in the mechanism; −1 for a coupling
	row, rows int32   // first row of K, number of rows
	pred      int32   // number of entries of cols on the predecessor's side, which come first
	cols      []int32 // entries of q̇ in use, each side from the common ancestor to the tip
	val       int     // first of the rows·len(cols) entries
}

// NumRows returns nᶜ, the number of rows of K.
func (p *Plan) NumRows() int { return p.LoopRows + len(p.Prescribed) + p.mech.NumCouplings() }

// NewConstraints allocates K and k of the plan.
//
// Cost: O(sum of the lengths of all loops).
func (p *Plan) NewConstraints() *Constraints {
	c := &Constraints{plan: p, rows: p.NumRows(), vp: make([]spatial.ClassicalAccel, len(p.Links))}
	n := 0
	add := func(g rowGroup) {
		g.val = n
		n += int(g.rows) * len(g.cols)
		c.groups = append(c.groups, g)
	}
	for i := range p.Loops {
		l := &p.Loops[i]
		g := rowGroup{joint: l.Joint, row: l.Row, rows: l.Rows}
		g.cols = p.appendPath(g.cols, l.Pred, l.Common)
		g.pred = int32(len(g.cols))
		g.cols = p.appendPath(g.cols, l.Succ, l.Common)
		add(g)
	}
	for i, r := range p.Prescribed {
		add(rowGroup{joint: r.Joint, row: int32(p.LoopRows + i), rows: 1, cols: []int32{r.Dof}})
	}
	groups, legs := p.couplingRows()
	for _, g := range groups {
		add(g)
	}
	c.legs = legs
	for i := range legs {
		c.scratch.grow(p, legs[i])
	}
	c.val, c.mag = make([]float64, n), make([]float64, n)
	c.rhs, c.size = make([]float64, c.rows), make([]float64, c.rows)
	return c
}

// appendPath appends the entries of q̇ between the links stop and i, from stop
// to i.
func (p *Plan) appendPath(cols []int32, i, stop int32) []int32 {
	first := len(cols)
	for ; i != stop; i = p.Links[i].Parent {
		l := &p.Links[i]
		for d := l.Dof + l.NumDof - 1; d >= l.Dof; d-- {
			cols = append(cols, d)
		}
	}
	for a, b := first, len(cols)-1; a < b; a, b = a+1, b-1 {
		cols[a], cols[b] = cols[b], cols[a]
	}
	return cols
}

// ConstraintsTo stores in c the matrix K and the right side k (RBDA Table 8.4)
// at the state in use, without stabilization:
//
//	k = σ̇ − T˚·V̂ − Tᵀ(â_S − â_P),
//
// with â the accelerations of the joint's two sides at q̈ = 0. A prescribed
// freedom has the row q̈ = σ̇.
//
// Cost: O(links + entries of K), no allocation.
// It returns joints.ErrNoDirection, with the joint's name. It panics if c is of
// another plan or without a state in use.
func (w *Workspace) ConstraintsTo(c *Constraints) error {
	p := w.plan
	if c == nil || c.plan != p {
		panic("tree: foreign constraints")
	}
	w.AccelerationsTo(c.vp, nil)
	var jk mechanism.JointKinematics
	var rows joints.Rows
	for i := range p.Loops {
		if w.watch.Every(i) {
			return w.watch.Err()
		}
		l, g := &p.Loops[i], &c.groups[i]
		w.loopTo(&jk, l)
		if err := p.mech.Joints[l.Joint].EvalTo(&rows, &jk.Frames, w.state.Time); err != nil {
			return fault.Errorf("tree: %w", p.mech.AtJoint(int(l.Joint), -1, err))
		}
		c.fillRight(w, l, &jk, &rows)
		c.fillRows(w, l, g, &jk, &rows)
	}
	for i, r := range p.Prescribed {
		g := &c.groups[len(p.Loops)+i]
		_, _, acc := p.mech.Joints[r.Joint].Motion[r.Freedom].At(w.state.Time)
		c.val[g.val], c.mag[g.val] = 1, 1
		c.rhs[g.row], c.size[g.row] = acc, math.Abs(acc)
	}
	if c.legs != nil {
		w.fillCouplings(c)
	}
	return nil
}

// loopTo computes the relative motion of a loop joint from the poses of the
// state in use and the velocities of the tree.
func (w *Workspace) loopTo(jk *mechanism.JointKinematics, l *Loop) {
	w.plan.mech.JointTo(jk, int(l.Joint), w.kin, w.state)
	var vp, vs spatial.Vec3
	jk.OmegaP, jk.OmegaS = spatial.Vec3{}, spatial.Vec3{}
	if l.Pred != World {
		v := &w.links[l.Pred].v
		jk.OmegaP = v.Angular()
		vp = v.Linear().Add(jk.OmegaP.Cross(jk.ArmP.Sub(w.com(l.Pred))))
	}
	if l.Succ != World {
		v := &w.links[l.Succ].v
		jk.OmegaS = v.Angular()
		vs = v.Linear().Add(jk.OmegaS.Cross(jk.ArmS.Sub(w.com(l.Succ))))
	}
	jk.V = vs.Sub(vp).Sub(jk.OmegaP.Cross(jk.R))
}

// com returns the vector from the origin of link i's body frame to its centre of
// mass.
func (w *Workspace) com(i int32) spatial.Vec3 {
	return w.kin.Bodies[w.plan.Links[i].Body].Com
}

// fillRight stores the right sides of the rows of a loop joint (RBDA Table 8.4), k = σ̇ − T˚·V̂ − T·a with a the relative acceleration of
// the joint's two sides at q̈ = 0, and the sums of the magnitudes of the terms of k.
func (c *Constraints) fillRight(w *Workspace, l *Loop, jk *mechanism.JointKinematics, r *joints.Rows) {
	// Angular and linear acceleration of S relative to P at q̈ = 0, as seen from P, and the sums of the magnitudes of their terms.
	var ang, lin spatial.Vec3
	var angSize, linSize float64
	if l.Succ != World {
		a := c.vp[w.plan.Links[l.Succ].Body]
		a = a.Shift(jk.OmegaS, jk.ArmS.Sub(w.com(l.Succ)))
		ang, lin = a.Angular(), a.Linear()
		angSize, linSize = ang.Norm(), lin.Norm()
	}
	if l.Pred != World {
		a := c.vp[w.plan.Links[l.Pred].Body]
		a = a.Shift(jk.OmegaP, jk.ArmP.Add(r.Arm).Sub(w.com(l.Pred)))
		coriolis := jk.OmegaP.Cross(r.Slip).Scale(2)
		turn := jk.OmegaP.Cross(jk.OmegaS.Sub(jk.OmegaP))
		ang = ang.Sub(a.Angular()).Sub(turn)
		lin = lin.Sub(a.Linear()).Sub(coriolis)
		angSize += a.Angular().Norm() + turn.Norm()
		linSize += a.Linear().Norm() + coriolis.Norm()
	}
	for k := range r.N {
		t, row := &r.T[k], int(l.Row)+k
		n, f := t.Moment(), t.Linear()
		c.rhs[row] = r.SigmaDot[k] - r.TDot[k] - n.Dot(ang) - f.Dot(lin)
		c.size[row] = math.Abs(r.SigmaDot[k]) + math.Abs(r.TDot[k]) + n.Norm()*angSize + f.Norm()*linSize
	}
}

// fillRows stores the entries of K of a loop joint: the generalized forces of each column of T on the successor and of the opposite wrench
// on the predecessor.
func (c *Constraints) fillRows(w *Workspace, l *Loop, g *rowGroup, jk *mechanism.JointKinematics, r *joints.Rows) {
	n, pred := len(g.cols), int(g.pred)
	for k := range r.N {
		lo := g.val + k*n
		if l.Pred != World {
			arm := jk.ArmP.Add(r.Arm).Sub(w.com(l.Pred))
			c.accumulate(w, lo, lo+pred, l.Pred, l.Common, atCom(&r.T[k], &arm, -1))
		}
		if l.Succ != World {
			arm := jk.ArmS.Sub(w.com(l.Succ))
			c.accumulate(w, lo+pred, lo+n, l.Succ, l.Common, atCom(&r.T[k], &arm, 1))
		}
	}
}

// atCom returns sign·t about the centre of mass, for a wrench t about the point at arm from the centre of mass.
func atCom(t *spatial.Force, arm *spatial.Vec3, sign float64) spatial.Force {
	return spatial.Force{
		sign * (t[0] + arm[1]*t[5] - arm[2]*t[4]),
		sign * (t[1] + arm[2]*t[3] - arm[0]*t[5]),
		sign * (t[2] + arm[0]*t[4] - arm[1]*t[3]),
		sign * t[3], sign * t[4], sign * t[5],
	}
}

// accumulate stores in the entries lo … hi−1 the generalized forces of f, which
// acts on link i about its centre of mass, on the joints between the links i
// and stop.
func (c *Constraints) accumulate(w *Workspace, lo, hi int, i, stop int32, f spatial.Force) {
	for ; i != stop; i = w.plan.Links[i].Parent {
		l := &w.plan.Links[i]
		hi -= int(l.NumDof)
		// Where S and f are orthogonal, the products of their components may all be rounding, so mag has products of norms instead.
		moment, force := f.Moment().Norm(), f.Linear().Norm()
		for d := range int(l.NumDof) {
			S := &w.s[int(l.Dof)+d]
			sum := 0.0
			for e := range f {
				sum += S[e] * f[e]
			}
			c.val[hi+d], c.mag[hi+d] = sum, S.Angular().Norm()*moment+S.Linear().Norm()*force
		}
		shiftForce(&f, &w.links[i].r)
	}
	if hi != lo {
		panic("tree: path mismatch")
	}
}

// Dims returns NumRows and NumDof.
func (c *Constraints) Dims() (rows, cols int) { return c.rows, c.plan.nv }

// At returns entry (i, j) of K.
//
// Cost: O(length of the loop); for cold code. It panics if an index is out of
// range.
func (c *Constraints) At(i, j int) float64 {
	if i < 0 || i >= c.rows || j < 0 || j >= c.plan.nv {
		panic("tree: index out of range")
	}
	g := &c.groups[c.groupOf(i)]
	for e, d := range g.cols {
		if int(d) == j {
			return c.val[g.val+(i-int(g.row))*len(g.cols)+e]
		}
	}
	return 0
}

// groupOf returns the number of the group of a row.
func (c *Constraints) groupOf(row int) int {
	if loops := len(c.plan.Loops); row >= c.plan.LoopRows {
		return loops + row - c.plan.LoopRows
	}
	lo, hi := 0, len(c.plan.Loops)
	for hi-lo > 1 {
		if m := (lo + hi) / 2; int(c.groups[m].row) <= row {
			lo = m
		} else {
			hi = m
		}
	}
	return lo
}

// RowConstraint returns the joint or coupling of a row of K. Couplings are numbered after the joints, as in
// mechanism.Mechanism.NumConstraints.
//
// It panics if the row is out of range.
func (c *Constraints) RowConstraint(row int) int {
	if row < 0 || row >= c.rows {
		panic("tree: row out of range")
	}
	if i := row - c.plan.LoopRows - len(c.plan.Prescribed); i >= 0 {
		return c.plan.mech.NumJoints() + i
	}
	return int(c.groups[c.groupOf(row)].joint)
}

// at returns err as an error at the joint and its row, or at the coupling, of a row of K.
func (c *Constraints) at(row int, err error) error {
	p, i := c.plan, c.groupOf(row)
	g := &c.groups[i]
	if g.joint < 0 {
		return c.atRow(row, err)
	}
	own := row - int(g.row)
	if k := i - len(p.Loops); k >= 0 {
		own = p.mech.Joints[g.joint].PrescribedRow(int(p.Prescribed[k].Freedom))
	}
	return fault.Errorf("tree: %w", p.mech.AtJoint(int(g.joint), own, err))
}

// Rhs returns k. It is not a copy.
func (c *Constraints) Rhs() []float64 { return c.rhs }

// MulVecTo stores K·x in dst.
//
// Shapes: dst has NumRows entries, x NumDof.
// Cost: O(entries of K), no allocation. It panics on a length mismatch.
func (c *Constraints) MulVecTo(dst, x []float64) {
	if len(dst) != c.rows || len(x) != c.plan.nv {
		panic("tree: length mismatch")
	}
	for i := range c.groups {
		if c.watch.Every(i) {
			return
		}
		g := &c.groups[i]
		v := c.val[g.val:]
		for k := range g.rows {
			sum := 0.0
			for e, d := range g.cols {
				sum += v[e] * x[d]
			}
			v = v[len(g.cols):]
			dst[g.row+k] = sum
		}
	}
}

// AddMulTransTo adds Kᵀ·y to dst: the generalized forces of the multipliers y.
//
// Shapes: dst has NumDof entries, y NumRows.
// Cost: O(entries of K), no allocation. It panics on a length mismatch.
func (c *Constraints) AddMulTransTo(dst, y []float64) {
	if len(dst) != c.plan.nv || len(y) != c.rows {
		panic("tree: length mismatch")
	}
	for i := range c.groups {
		if c.watch.Every(i) {
			return
		}
		g := &c.groups[i]
		v := c.val[g.val:]
		for k := range g.rows {
			if s := y[g.row+k]; s != 0 {
				for e, d := range g.cols {
					dst[d] += v[e] * s
				}
			}
			v = v[len(g.cols):]
		}
	}
}
