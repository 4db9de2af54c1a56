package tree

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// The rate of a freedom of a tree joint is an entry of q̇. The acceleration of a freedom of a joint that closes a loop is a linear form in
// q̈, like a row of the joint:
//
//	q̈_f = e·q̈ + γ,    e = Dᵀ(J_S − J_P),    γ = D˚·V̂ + Dᵀ(â_S − â_P),
//
// with D the freedom's unit wrench, and all else as in ConstraintsTo. A coupling is a sum of such forms. The armature of joints that close
// loops adds squares of such forms to the kinetic energy.

// freedomLeg is the form of one freedom, and its place in a row of K or of the gears.
type freedomLeg struct {
	joint, freedom int32
	dof            int32    // entry of q̇ if the joint is in the tree, else −1
	loop           int32    // number in Plan.Loops if the joint closes a loop, else −1
	path           rowGroup // if it closes a loop: the entries of q̇ of its form, as one row at 0
	places         []int32  // by entry of q̇ of the form: its place among the columns of the row
}

// newLeg returns the form of a freedom, without places, and its entries of q̇.
func (p *Plan) newLeg(f mechanism.Freedom) (leg freedomLeg, cols []int32) {
	if leg = p.placeOf(f); leg.dof >= 0 {
		return leg, []int32{leg.dof}
	}
	l := &p.Loops[leg.loop]
	leg.path = rowGroup{joint: l.Joint, rows: 1}
	leg.path.cols = p.appendPath(nil, l.Pred, l.Common)
	leg.path.pred = int32(len(leg.path.cols))
	leg.path.cols = p.appendPath(leg.path.cols, l.Succ, l.Common)
	return leg, leg.path.cols
}

// newFreedomRow returns a row that is a sum of the forms of some freedoms: its group, with the columns of all forms, and its legs.
func (p *Plan) newFreedomRow(row int32, list []mechanism.Freedom) (rowGroup, []freedomLeg) {
	g := rowGroup{joint: -1, row: row, rows: 1}
	legs := make([]freedomLeg, len(list))
	own := make([][]int32, len(list))
	for i, f := range list {
		legs[i], own[i] = p.newLeg(f)
		g.cols = append(g.cols, own[i]...)
	}
	if len(list) > 1 {
		slices.Sort(g.cols)
		g.cols = slices.Compact(g.cols)
	}
	for i := range legs {
		for k, d := range own[i] {
			at := k
			if len(list) > 1 {
				at, _ = slices.BinarySearch(g.cols, d)
			}
			legs[i].places = append(legs[i].places, int32(at))
		}
	}
	return g, legs
}

// couplingRows returns the groups of all couplings and their legs. The rows of couplings follow the rows of prescribed freedoms.
func (p *Plan) couplingRows() (groups []rowGroup, legs [][]freedomLeg) {
	for i := range p.mech.Couplings {
		c := &p.mech.Couplings[i]
		list := make([]mechanism.Freedom, len(c.Legs))
		for k := range c.Legs {
			list[k] = c.Legs[k].Freedom
		}
		g, l := p.newFreedomRow(int32(p.LoopRows+len(p.Prescribed)+i), list)
		groups, legs = append(groups, g), append(legs, l)
	}
	return groups, legs
}

// legScratch is the memory for the form of one freedom.
type legScratch struct {
	row  *Constraints // has the form as its only row, at 0; nil without legs
	jk   mechanism.JointKinematics
	rows joints.Rows
}

// grow makes the memory large enough for the longest path of the legs.
func (s *legScratch) grow(p *Plan, legs []freedomLeg) {
	if s.row == nil {
		s.row = &Constraints{plan: p, rhs: make([]float64, 1), size: make([]float64, 1)}
	}
	for i := range legs {
		if n := len(legs[i].path.cols); n > len(s.row.val) {
			s.row.val, s.row.mag = make([]float64, n), make([]float64, n)
		}
	}
}

// addLeg adds factor times the form e of a freedom to the row of group g of c, factor times −γ to its right side, and the sizes of both.
// The accelerations of the bodies at q̈ = 0 are in vp.
func (c *Constraints) addLeg(w *Workspace, g *rowGroup, leg *freedomLeg, factor float64, s *legScratch, vp []spatial.ClassicalAccel) {
	if leg.dof >= 0 {
		at := g.val + int(leg.places[0])
		c.val[at] += factor
		c.mag[at] += math.Abs(factor)
		return
	}
	l := w.plan.Loops[leg.loop]
	l.Row = 0
	w.loopTo(&s.jk, &l)
	w.plan.mech.Joints[leg.joint].FreedomRowsTo(&s.rows, &s.jk.Frames)
	s.rows.T[0], s.rows.TDot[0], s.rows.N = s.rows.T[leg.freedom], s.rows.TDot[leg.freedom], 1
	s.row.vp = vp
	s.row.fillRight(w, &l, &s.jk, &s.rows)
	s.row.fillRows(w, &l, &leg.path, &s.jk, &s.rows)
	for k, at := range leg.places {
		c.val[g.val+int(at)] += factor * s.row.val[k]
		c.mag[g.val+int(at)] += math.Abs(factor) * s.row.mag[k]
	}
	c.rhs[g.row] += factor * s.row.rhs[0]
	c.size[g.row] += math.Abs(factor) * s.row.size[0]
}

// clearRow makes the one row of group g of c zero, with its right side.
func (c *Constraints) clearRow(g *rowGroup) {
	clear(c.val[g.val : g.val+len(g.cols)])
	clear(c.mag[g.val : g.val+len(g.cols)])
	c.rhs[g.row], c.size[g.row] = 0, 0
}

// legTo returns value, factor and their rates of leg k of coupling i at the state in use. legs has all legs of the coupling, as legs from
// number Coupling.Bent on depend on each other's coordinates.
func (w *Workspace) legTo(i, k int, legs []freedomLeg, jk *mechanism.JointKinematics) mechanism.LegState {
	var q, rate [2]float64
	c := &w.plan.mech.Couplings[i]
	if first := c.Bent(); k < first {
		q[0], rate[0] = w.coordinate(&legs[k], jk)
	} else {
		for n := range legs[first:] {
			q[n], rate[n] = w.coordinate(&legs[first+n], jk)
		}
	}
	return c.At(k, q, rate)
}

// coordinate returns coordinate and rate of the freedom of a leg at the state in use. jk is memory.
func (w *Workspace) coordinate(leg *freedomLeg, jk *mechanism.JointKinematics) (x, rate float64) {
	var q, qd [6]float64
	m := w.plan.mech
	jt := &m.Joints[leg.joint]
	m.JointTo(jk, int(leg.joint), w.kin, w.state)
	jt.CoordinatesTo(&q, &qd, jk)
	if leg.dof >= 0 {
		return q[leg.freedom], w.qd[leg.dof]
	}
	w.loopTo(jk, &w.plan.Loops[leg.loop])
	jt.RatesTo(&qd, &jk.Frames)
	return q[leg.freedom], qd[leg.freedom]
}

// fillCouplings stores the rows of the couplings in c:
//
//	Σ f·e·q̈ = −Σ (f·γ + ḟ·q̇),
//
// with f the factors of the freedoms, ḟ their rates, and γ as above freedomLeg. LegState.Bend is −ḟ·q̇.
func (w *Workspace) fillCouplings(c *Constraints) {
	p := w.plan
	first := len(p.Loops) + len(p.Prescribed)
	var jk mechanism.JointKinematics
	for i := range c.legs {
		g := &c.groups[first+i]
		c.clearRow(g)
		for k := range c.legs[i] {
			leg := &c.legs[i][k]
			x := mechanism.LegState{Factor: p.mech.Couplings[i].Legs[k].Factor}
			if k >= p.mech.Couplings[i].Bent() {
				x = w.legTo(i, k, c.legs[i], &jk)
			}
			c.addLeg(w, g, leg, x.Factor, &c.scratch, c.vp)
			c.rhs[g.row] += x.Bend
			c.size[g.row] += math.Abs(x.Bend)
		}
	}
}

// couplingErrors returns the error φ of coupling i and its rate at the state in use.
func (w *Workspace) couplingErrors(i int) (phi, rate float64) {
	c := &w.plan.mech.Couplings[i]
	var jk mechanism.JointKinematics
	var q, qd [2]float64
	first := c.Bent()
	for n := range c.Legs[first:] {
		leg := w.plan.placeOf(c.Legs[first+n].Freedom)
		q[n], qd[n] = w.coordinate(&leg, &jk)
	}
	phi = -c.Offset
	for k := range c.Legs {
		at, speed := q, qd
		if k < first {
			leg := w.plan.placeOf(c.Legs[k].Freedom)
			at[0], speed[0] = w.coordinate(&leg, &jk)
		}
		x := c.At(k, at, speed)
		phi += x.Value
		rate += x.Factor * x.Rate
	}
	return phi, rate
}

// placeOf returns the form of a freedom, with its place in the tree or in Plan.Loops alone.
func (p *Plan) placeOf(f mechanism.Freedom) freedomLeg {
	leg := freedomLeg{joint: int32(f.Joint), freedom: int32(f.Freedom), dof: -1, loop: -1}
	if l := p.linkOf(f.Joint); l >= 0 {
		leg.dof = p.Links[l].Dof + leg.freedom
	} else {
		leg.loop = int32(p.loopIndex(f.Joint))
	}
	return leg
}

// gears are the forms of freedoms with armature whose joints close loops. They are rows e·q̈ + λ/I = −γ with the multipliers λ = −I·q̈_f,
// and no constraints. The armature of freedoms of the tree is on the diagonal of H.
type gears struct {
	Constraints
	list    []freedomLeg
	inertia []float64 // I by row, kg m² or kg
}

// newGears lists the freedoms with armature of joints that close loops; nil if there are none.
func (p *Plan) newGears() *gears {
	var g gears
	n := 0
	for _, j := range p.mech.Geared() {
		jt := &p.mech.Joints[j]
		if p.linkOf(int(j)) >= 0 {
			continue
		}
		for i := range jt.Kind.Freedoms() {
			if !jt.Geared(i) {
				continue
			}
			group, legs := p.newFreedomRow(int32(len(g.list)), []mechanism.Freedom{{Joint: int(j), Freedom: i}})
			group.joint, group.val = j, n
			n += len(group.cols)
			g.groups, g.list = append(g.groups, group), append(g.list, legs[0])
			g.inertia = append(g.inertia, jt.Armature[i])
		}
	}
	if g.list == nil {
		return nil
	}
	g.plan, g.rows = p, len(g.list)
	g.val, g.mag = make([]float64, n), make([]float64, n)
	g.rhs, g.size = make([]float64, g.rows), make([]float64, g.rows)
	g.scratch.grow(p, g.list)
	return &g
}

// fill stores the forms at the state in use of w. The accelerations of the bodies at q̈ = 0 are in vp.
func (g *gears) fill(w *Workspace, vp []spatial.ClassicalAccel) {
	for i := range g.list {
		g.clearRow(&g.groups[i])
		g.addLeg(w, &g.groups[i], &g.list[i], 1, &g.scratch, vp)
	}
}

// armature returns the armature of the freedoms of the tree by entry of q̇, nil if there is none. Prescribed freedoms have theirs too, as
// their drives have to move it.
func (p *Plan) armature() (list []float64) {
	for _, j := range p.mech.Geared() {
		k := p.linkOf(int(j))
		if k < 0 {
			continue
		}
		if list == nil {
			list = make([]float64, p.nv)
		}
		l := &p.Links[k]
		copy(list[l.Dof:l.Dof+l.NumDof], p.mech.Joints[j].Armature[:])
	}
	return list
}

// atRow returns err as an error at the joint or coupling of a row of K.
func (c *Constraints) atRow(row int, err error) error {
	return fault.Errorf("tree: %w", c.plan.mech.AtConstraint(c.RowConstraint(row), -1, err))
}

// multipliersTo stores the multipliers of the gears, λ = −I·(e·q̈ − k), for the right sides k of their rows.
func (g *gears) multipliersTo(lambda, qdd, k []float64) {
	g.MulVecTo(lambda, qdd)
	for i, I := range g.inertia {
		lambda[i] = -I * (lambda[i] - k[i])
	}
}

// addForcesTo adds to tau the forces that accelerate the armature of the gears: eᵀ·I·q̈_f, with q̈_f = e·q̈ + γ.
func (g *gears) addForcesTo(tau, qdd []float64) {
	for i := range g.groups {
		at := &g.groups[i]
		sum := -g.rhs[i]
		for e, d := range at.cols {
			sum += g.val[at.val+e] * qdd[d]
		}
		sum *= g.inertia[i]
		for e, d := range at.cols {
			tau[d] += g.val[at.val+e] * sum
		}
	}
}
