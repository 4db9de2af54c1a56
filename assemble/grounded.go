package assemble

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/team"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
)

// Grounded is the memory of one KKT system in mass-weighted coordinates that is reduced by the
// groups of a Ground:
//
//	⎡ 1  Wᵀ ⎤ ⎡  z ⎤   ⎡ b ⎤
//	⎣ W  0  ⎦ ⎣ −λ ⎦ = ⎣ g ⎦
//
// For a body in no group z is x̃, b and the columns of W are those of Weighted; for a group,
// b = Nᵀ(C⁻¹f − c), and W·N and g − W·c stand for W and g. It belongs to one goroutine at a time.
type Grounded struct {
	G     *Ground
	W     *sparse.Matrix        // unit diagonal blocks, not stored, and W
	B     []float64             // right side
	Scale []float64             // of the rows of joints, as in Weighted: the squared norms of W, not of W·N
	Parts []float64             // by node: Σ‖c‖² of the bodies of a joint, whose parts of its rows are in B (factor.Factor.SetParts)
	Kin   *mechanism.Kinematics // without I

	bodies []bodies.Body
	force  []spatial.Force // of drives and force elements; nil if there are none
	dirs   []float64       // N: of each branch, columns as rows of six
	parts  []float64       // ‖c‖² by branch
	rest   []float64       // c: six a branch
	fixed  []float64       // blocks of pinned joints on predecessors in groups, which no state changes
	base   []float64       // part of Scale that no state changes, from the first joint's row on

	team   *team.Team
	pass   groundPass // what the team works on
	ends   []groundEnd
	chains []chain // by worker of the team
}

// groundRange is the number of units or joints that one task of a team takes.
const groundRange = 128

// groundRanges returns the number of ranges of n units or joints.
func groundRanges(n int) int { return (n + groundRange - 1) / groundRange }

// groundEnd is what a task has found.
type groundEnd struct {
	bad  int32 // place where it has ended before its end, −1 if it has not
	free float64
}

// groundKind is what is done with a range.
type groundKind uint8

const (
	groundUnits    groundKind = iota // kinematics; loads and directions unless forces are to come
	groundLoads                      // loads and directions, with forces
	groundJoints                     // rows of joints
	groundRates                      // particular solutions for errors of rows
	groundErrors                     // right sides of joints for errors of rows
	groundRecovery                   // accelerations
)

// groundPass is one pass over n units or joints, and its arguments.
type groundPass struct {
	kind groundKind
	n    int
	s    *mechanism.State
	a, x []float64
}

// NewGroundedOn allocates a reduced system that is filled with a team. The results have the
// same bits for every team.
func (g *Ground) NewGroundedOn(t *team.Team) *Grounded {
	n, m := g.Pattern.Dim(), g.L.Mech
	y := &Grounded{
		G: g, W: sparse.NewUnitMatrix(g.Pattern), B: make([]float64, n), Scale: make([]float64, n),
		Kin:    &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, m.NumBodies())},
		bodies: m.Bodies, team: t,
		dirs: make([]float64, g.columns), rest: make([]float64, 6*len(g.branches)),
		parts: make([]float64, len(g.branches)), Parts: make([]float64, g.Pattern.Len()),
		fixed: make([]float64, g.blocks),
		base:  make([]float64, n),
		ends:  make([]groundEnd, groundRanges(max(len(g.units), len(g.bonds)))), chains: make([]chain, t.Workers()),
	}
	if m.HasApplied() {
		y.force = make([]spatial.Force, m.NumBodies())
	}
	y.fillConstant()
	return y
}

// fillConstant stores the blocks of the predecessors of pinned joints and the squared norms of
// their rows.
func (y *Grounded) fillConstant() {
	for i := range y.G.bonds {
		b := &y.G.bonds[i]
		jt := &y.G.L.Mech.Joints[b.joint]
		switch {
		case !pinned(jt) || jt.Pred < 0:
		case b.fixed >= 0:
			constantRows(y.fixed[b.fixed:], y.base[b.row:], y.bodies, jt)
		default:
			constantRows(y.W.Val[b.side[0].at:], y.base[b.row:], y.bodies, jt)
		}
	}
}

// FillTo stores in y the system at s: y.W, y.B, y.Scale, y.Parts, and the kinematics in y.Kin. It returns
// the largest magnitude of a component of C⁻¹·f, as Weighted.FreeSize does, and NaN if numbers of a group overflow.
//
// Units: SI.
// Cost: O(bodies + joints + forces), no allocation; safe for distinct y at the same time.
// Errors and panics are those of System.FillTo.
func (y *Grounded) FillTo(s *mechanism.State) (free float64, err error) {
	g, m := y.G, y.G.L.Mech
	if !m.Owns(s) {
		panic("mechanism: foreign state")
	}
	bad, free := y.each(groundPass{kind: groundUnits, n: len(g.units), s: s})
	if bad >= 0 {
		return 0, m.NotFinite(y.firstBad(s))
	}
	if err := s.CheckTime(); err != nil {
		return 0, err
	}
	if y.force != nil {
		clear(y.force)
		if err := m.AddAppliedTo(y.force, y.Kin, s); err != nil {
			return 0, err
		}
		_, free = y.each(groundPass{kind: groundLoads, n: len(g.units), s: s})
	}
	if i, _ := y.each(groundPass{kind: groundJoints, n: len(g.bonds), s: s}); i >= 0 {
		return 0, fmt.Errorf("assemble: joint %q: %w", m.JointName(int(g.bonds[i].joint)), joints.ErrNoDirection)
	}
	return free, nil
}

// firstBad returns the first body whose state is not finite.
func (y *Grounded) firstBad(s *mechanism.State) int {
	for i := range s.Bodies {
		if !y.G.L.Mech.BodyTo(&y.Kin.Bodies[i], s, i) {
			return i
		}
	}
	panic("assemble: state has changed")
}

// each makes a pass over all ranges. It returns the first place at which it has ended early,
// or −1, and the largest of what tasks have found.
func (y *Grounded) each(p groundPass) (bad int, free float64) {
	y.pass = p
	n := groundRanges(p.n)
	y.team.Run(n, (*groundJob)(y))
	y.pass = groundPass{}
	bad = -1
	for i := range y.ends[:n] {
		e := &y.ends[i]
		if bad < 0 && e.bad >= 0 {
			bad = int(e.bad)
		}
		free = larger(free, e.free)
	}
	return bad, free
}

// groundJob is the job of each.
type groundJob Grounded

// Do works on one range.
func (j *groundJob) Do(worker, i int) {
	y := (*Grounded)(j)
	c := &y.chains[worker]
	t := &y.pass
	lo := i * groundRange
	hi := min(lo+groundRange, t.n)
	end := groundEnd{bad: -1}
	switch t.kind {
	case groundUnits:
		end = y.fillUnits(c, t.s, lo, hi)
	case groundLoads:
		for k := lo; k < hi; k++ {
			end.free = larger(end.free, y.loads(c, &y.G.units[k], t.s))
		}
	case groundJoints:
		end.bad = int32(y.fillJoints(t.s, lo, hi))
	case groundRates:
		for k := lo; k < hi; k++ {
			y.demand(c, &y.G.units[k], t.x, t.s)
		}
	case groundErrors:
		y.fillErrors(t.x, t.s, lo, hi)
	case groundRecovery:
		y.recover(t.a, t.x, lo, hi)
	}
	y.ends[i] = end
}

// fillUnits computes the kinematics of units and, without applied forces, their loads and
// directions.
func (y *Grounded) fillUnits(c *chain, s *mechanism.State, lo, hi int) groundEnd {
	g, m := y.G, y.G.L.Mech
	end := groundEnd{bad: -1}
	for i := lo; i < hi; i++ {
		u := &g.units[i]
		if u.body >= 0 {
			if !m.BodyTo(&y.Kin.Bodies[u.body], s, int(u.body)) {
				end.bad = int32(i)
				return end
			}
		} else {
			for k := u.lo; k < u.hi; k++ {
				b := g.branches[k].body
				if !m.BodyTo(&y.Kin.Bodies[b], s, int(b)) {
					end.bad = int32(i)
					return end
				}
			}
		}
		if y.force == nil {
			end.free = larger(end.free, y.loads(c, u, s))
		}
	}
	return end
}

// loads fills the right side of a unit, and N and c of a group. It returns the largest
// magnitude of a component of C⁻¹·f.
func (y *Grounded) loads(c *chain, u *unit, s *mechanism.State) (free float64) {
	if u.body >= 0 {
		var spin spatial.Vec3
		out := (*[6]float64)(y.B[y.G.Pattern.Off[u.node]:])
		y.load(out, &spin, u.body, s)
		return kernel.MaxAbs(out[:])
	}
	for k := u.lo; k < u.hi; k++ {
		b := &y.G.branches[k]
		t := &c.links[k-u.lo]
		E := &y.Kin.Bodies[b.body].E
		y.load(&t.load, &t.spin, b.body, s)
		if m := kernel.MaxAbs(t.load[:]); !(m <= free) {
			free = m
		}
		if b.parent >= 0 {
			E.TMulTo(&t.R, &y.Kin.Bodies[y.G.branches[b.parent].body].E)
		}
		if b.hinge {
			c.hinge(b, u.lo, t, E)
		} else {
			y.joint(c, b, t, s)
		}
	}
	size := y.particular(c, u)
	y.directions(c, u)
	y.project(c, u)
	if !(size <= math.MaxFloat64) {
		return math.NaN()
	}
	return free
}

// project stores Nᵀ·(C⁻¹f − c) in the right side of a group.
func (y *Grounded) project(c *chain, u *unit) {
	if u.dof == 0 {
		return
	}
	b := y.B[y.G.Pattern.Off[u.node]:][:u.dof]
	clear(b)
	for k := u.lo; k < u.hi; k++ {
		r := &y.G.branches[k]
		n := y.dirs[r.at:]
		for i := r.from; i < u.dof; i++ {
			b[i] += dot6((*[6]float64)(n), &c.links[k-u.lo].load)
			n = n[6:]
		}
	}
}

// load stores C⁻¹·f of a body, and its angular velocity in its axes.
func (y *Grounded) load(out *[6]float64, spin *spatial.Vec3, body int32, s *mechanism.State) {
	b, E := &y.bodies[body], &y.Kin.Bodies[body].E
	weightedLoad(out, spin, b, E, &s.Bodies[body].Omega, &y.G.L.Mech.Gravity)
	if y.force != nil {
		addWeightedForce(out, b, E, &y.force[body])
	}
}

// moving is an angular acceleration, or displacement, and that of a centre of mass, in the axes
// of their body.
type moving struct{ turn, move spatial.Vec3 }

// link is a branch at one state, in the axes of its body where nothing else is said.
type link struct {
	R          spatial.Mat3 // from the axes of the parent
	armP, armC spatial.Vec3 // to the joint from the parent's centre of mass, in its axes, and from the body's
	spin       spatial.Vec3 // angular velocity
	rel        moving       // what the right side demands across the joint, from parent to body
	at         moving       // how the body moves, in turn with c and with each column of N
	load       [6]float64   // C⁻¹·f, less c
}

// chain is the tree of a group.
type chain struct {
	links [groupBodies]link
	free  [groupFreedoms]moving // what the freedoms allow, by column
}

// follow returns how a body moves whose parent moves like up, nil for the world, and whose joint
// adds r: with P and C the arms,
//
//	α = R·α_P + r,   a = R·(a_P + α_P×P) − α×C + r.
func (t *link) follow(out, up, r *moving) {
	w, v := &out.turn, &out.move
	*w, *v = r.turn, r.move
	if up != nil {
		R, a, p := &t.R, &up.turn, &t.armP
		x := up.move[0] + (a[1]*p[2] - a[2]*p[1])
		y := up.move[1] + (a[2]*p[0] - a[0]*p[2])
		z := up.move[2] + (a[0]*p[1] - a[1]*p[0])
		w[0] += R[0]*a[0] + R[1]*a[1] + R[2]*a[2]
		w[1] += R[3]*a[0] + R[4]*a[1] + R[5]*a[2]
		w[2] += R[6]*a[0] + R[7]*a[1] + R[8]*a[2]
		v[0] += R[0]*x + R[1]*y + R[2]*z
		v[1] += R[3]*x + R[4]*y + R[5]*z
		v[2] += R[6]*x + R[7]*y + R[8]*z
	}
	q := &t.armC
	v[0] -= w[1]*q[2] - w[2]*q[1]
	v[1] -= w[2]*q[0] - w[0]*q[2]
	v[2] -= w[0]*q[1] - w[1]*q[0]
}

// hinge fills t for a revolute joint, whose arms are constant: the right side demands ω_P×ω, and
// ω_P×(ω_P×P) − ω×(ω×C) of the ends. lo is the first branch of the group and E the axes of the body.
func (c *chain) hinge(b *branch, lo int32, t *link, E *spatial.Mat3) {
	t.armP, t.armC = b.armP, b.armC
	r := &t.rel
	r.turn, r.move = spatial.Vec3{}, spatial.Vec3{}
	axis := &c.free[b.from].turn
	*axis, c.free[b.from].move = b.axis, spatial.Vec3{}
	if b.parent >= 0 {
		var up, a spatial.Vec3
		p := &c.links[b.parent-lo]
		addCentripetal(&a, &p.spin, &t.armP, 1)
		t.R.MulVecTo(&r.move, &a)
		t.R.MulVecTo(&up, &p.spin)
		spatial.CrossTo(&r.turn, &up, &t.spin)
		if !b.turned {
			t.R.MulVecTo(axis, &b.axis)
		}
	} else if !b.turned {
		E.TMulVecTo(axis, &b.axis)
	}
	addCentripetal(&r.move, &t.spin, &t.armC, -1)
}

// joint fills t for a joint of any kind.
func (y *Grounded) joint(c *chain, b *branch, t *link, s *mechanism.State) {
	var w jointWork
	y.eval(&w, b, s)
	var right [6]float64
	n := int(y.G.L.Mech.Joints[b.joint].Rows)
	w.rightSideTo(right[:n])
	y.tie(b, t, &w, right[:n])
	E := &y.Kin.Bodies[b.body].E
	var S [6]spatial.Motion
	n = y.G.L.Mech.Joints[b.joint].MotionSubspaceTo(&S, &w.kin.Frames)
	for i := range n {
		f := &c.free[int(b.from)+i]
		E.TMulVecTo(&f.turn, (*spatial.Vec3)(S[i][:3]))
		E.TMulVecTo(&f.move, (*spatial.Vec3)(S[i][3:]))
	}
}

// eval computes the rows of the joint of a branch.
func (y *Grounded) eval(w *jointWork, b *branch, s *mechanism.State) {
	if w.eval(y.G.L.Mech, b.joint, y.Kin, s) != nil {
		panic("assemble: joint without direction in a tree")
	}
}

// tie fills the arms of t and what the right sides of the rows in w demand: Σ T·b/‖T‖², as the rows T are
// orthogonal.
func (y *Grounded) tie(b *branch, t *link, w *jointWork, right []float64) {
	E := &y.Kin.Bodies[b.body].E
	armP, armC, sign := &w.armP, &w.armS, 1.0
	if b.turned {
		armP, armC, sign = &w.armS, &w.armP, -1
	}
	E.TMulVecTo(&t.armC, armC)
	if b.parent >= 0 {
		y.Kin.Bodies[y.G.branches[b.parent].body].E.TMulVecTo(&t.armP, armP)
	}
	var r moving
	for i, v := range right {
		q := &w.rows.T[i]
		v *= sign / dot6((*[6]float64)(q), (*[6]float64)(q))
		for j := range 3 {
			r.turn[j] += v * q[j]
			r.move[j] += v * q[3+j]
		}
	}
	E.TMulVecTo(&t.rel.turn, &r.turn)
	E.TMulVecTo(&t.rel.move, &r.move)
}

// demand computes c of a group, and its right side, for the errors e of all rows.
func (y *Grounded) demand(c *chain, u *unit, e []float64, s *mechanism.State) {
	g := y.G
	if u.body >= 0 {
		clear(y.B[g.Pattern.Off[u.node]:][:6])
		return
	}
	var w jointWork
	for k := u.lo; k < u.hi; k++ {
		b := &g.branches[k]
		t := &c.links[k-u.lo]
		if b.parent >= 0 {
			y.Kin.Bodies[b.body].E.TMulTo(&t.R, &y.Kin.Bodies[g.branches[b.parent].body].E)
		}
		y.eval(&w, b, s)
		node := g.L.JointNode(int(b.joint))
		t.load = [6]float64{}
		y.tie(b, t, &w, e[g.L.Pattern.Off[node]:g.L.Pattern.Off[node+1]])
	}
	y.particular(c, u)
	y.project(c, u)
}

// particular stores c of a group, how the bodies move if only what c.links demand moves the joints, and
// subtracts it from the loads. It returns the sum of its squares.
func (y *Grounded) particular(c *chain, u *unit) (size float64) {
	for k := u.lo; k < u.hi; k++ {
		b := &y.G.branches[k]
		t := &c.links[k-u.lo]
		var up *moving
		if b.parent >= 0 {
			up = &c.links[b.parent-u.lo].at
		}
		t.follow(&t.at, up, &t.rel)
		r := (*[6]float64)(y.rest[6*k:])
		b.weigh(r, &t.at)
		for i := range r {
			t.load[i] -= r[i]
		}
		y.parts[k] = dot6(r, r)
		size += y.parts[k]
	}
	return size
}

var unmoved moving

// directions computes N of a group: column by column what a freedom of a joint makes of the body of
// its branch, and of what hangs on that.
func (y *Grounded) directions(c *chain, u *unit) {
	g := y.G
	for k := u.lo; k < u.hi; k++ {
		b := &g.branches[k]
		for i := b.from; i < b.from+b.dof; i++ {
			t := &c.links[k-u.lo]
			t.follow(&t.at, nil, &c.free[i])
			b.weigh(y.column(b, i), &t.at)
			moves := uint8(1) << (k - u.lo)
			for d := k + 1; d < u.hi; d++ {
				q := &g.branches[d]
				if q.parent >= k && moves>>(q.parent-u.lo)&1 != 0 {
					moves |= 1 << (d - u.lo)
					t := &c.links[d-u.lo]
					t.follow(&t.at, &c.links[q.parent-u.lo].at, &unmoved)
					q.weigh(y.column(q, i), &t.at)
				} else if i >= q.from {
					*y.column(q, i) = [6]float64{}
				}
			}
		}
	}
	for i := range u.dof {
		y.orthonormalize(g.branches[u.lo:u.hi], i)
	}
}

// column returns column i of N of a branch.
func (y *Grounded) column(b *branch, i int8) *[6]float64 {
	return (*[6]float64)(y.dirs[int(b.at)+6*int(i-b.from):])
}

// weigh stores Cᵀ·a of the body of a branch.
func (b *branch) weigh(out *[6]float64, a *moving) {
	L, t, v := &b.chol, &a.turn, &a.move
	out[0], out[1], out[2] = L[0]*t[0]+L[3]*t[1]+L[4]*t[2], L[1]*t[1]+L[5]*t[2], L[2]*t[2]
	out[3], out[4], out[5] = b.root*v[0], b.root*v[1], b.root*v[2]
}

// orthonormalize makes column i of N of a group orthogonal to those before, which are, and a unit vector. What
// is left of a column that loses more than half of its square is made orthogonal once more, to be so to rounding.
func (y *Grounded) orthonormalize(list []branch, i int8) {
	for {
		size, lost := 0.0, 0.0
		for j := range i {
			t := 0.0
			for k := range list {
				if b := &list[k]; b.from <= j {
					t += dot6(y.column(b, i), y.column(b, j))
				}
			}
			for k := range list {
				if b := &list[k]; b.from <= j {
					v, w := y.column(b, i), y.column(b, j)
					for e := range v {
						v[e] -= t * w[e]
					}
				}
			}
			lost += t * t
		}
		for k := range list {
			if b := &list[k]; b.from <= i {
				v := y.column(b, i)
				size += dot6(v, v)
			}
		}
		if lost > size {
			continue
		}
		if size > math.MaxFloat64 {
			size = math.NaN() // else the columns would be zero
		}
		size = 1 / math.Sqrt(size)
		for k := range list {
			if b := &list[k]; b.from <= i {
				v := y.column(b, i)
				for e := range v {
					v[e] *= size
				}
			}
		}
		return
	}
}

// groundWork is the scratch of rows.
type groundWork struct {
	any   jointWork
	pins  pinWork
	block [2][36]float64 // of predecessor and successor
}

// fillJoints fills the rows of joints. It returns the first one without direction, or −1.
func (y *Grounded) fillJoints(s *mechanism.State, lo, hi int) int {
	g := y.G
	var w groundWork
	for i := lo; i < hi; i++ {
		t := &g.bonds[i]
		jt := &g.L.Mech.Joints[t.joint]
		o, n := int(t.row), int(jt.Rows)
		b := y.B[o : o+n]
		p, q := y.blocks(t, &w)
		if !y.rowsTo(&w, p, q, t, y.Scale[o:o+n], b, s) {
			return i
		}
		y.Parts[len(g.Pattern.Size)-len(g.bonds)+i] = y.reduce(&t.side[0], p, b) + y.reduce(&t.side[1], q, b)
	}
	return -1
}

// blocks returns where the rows of a joint on its predecessor and successor go: into W for bodies in no group, else into w,
// or where they stand already.
func (y *Grounded) blocks(t *bond, w *groundWork) (p, q []float64) {
	p, q = w.block[0][:], w.block[1][:]
	switch {
	case t.fixed >= 0:
		p = y.fixed[t.fixed:]
	case t.side[0].branch < 0 && t.side[0].at >= 0:
		p = y.W.Val[t.side[0].at:]
	}
	if t.side[1].branch < 0 && t.side[1].at >= 0 {
		q = y.W.Val[t.side[1].at:]
	}
	return p, q
}

// fillErrors stores e − W·c in the rows of joints.
func (y *Grounded) fillErrors(e []float64, s *mechanism.State, lo, hi int) {
	g := y.G
	var w groundWork
	var scale, old [6]float64
	for i := lo; i < hi; i++ {
		t := &g.bonds[i]
		n := int(g.L.Mech.Joints[t.joint].Rows)
		b := y.B[t.row:][:n]
		copy(b, e[g.L.Pattern.Off[g.L.JointNode(int(t.joint))]:])
		p, q := w.block[0][:], w.block[1][:]
		if t.fixed >= 0 {
			p = y.fixed[t.fixed:]
		}
		if !y.rowsTo(&w, p, q, t, scale[:n], old[:n], s) {
			continue // it had a direction where the factor was made
		}
		y.subtractRest(&t.side[0], p, b)
		y.subtractRest(&t.side[1], q, b)
	}
}

// rowsTo stores the blocks of a joint in no tree on its predecessor and successor in p and q, squared norms
// and right sides of its rows. Of a pinned joint p stands already. It reports whether the joint has a direction.
func (y *Grounded) rowsTo(w *groundWork, p, q []float64, t *bond, scale, b []float64, s *mechanism.State) bool {
	m := y.G.L.Mech
	jt := &m.Joints[t.joint]
	if pinned(jt) {
		w.pins.pin.Base = y.base[t.row:]
		w.pins.set(jt, y.bodies, y.Kin, s)
		kernel.PinRows(q, scale, b, &w.pins.pin, pins(jt.Kind))
		return true
	}
	if w.any.eval(m, t.joint, y.Kin, s) != nil {
		return false
	}
	clear(scale)
	if jt.Succ >= 0 {
		sideTo(q, scale, &w.any.rows, &w.any.armS, &y.bodies[jt.Succ], &y.Kin.Bodies[jt.Succ].E, 1)
	}
	if jt.Pred >= 0 {
		sideTo(p, scale, &w.any.rows, &w.any.armP, &y.bodies[jt.Pred], &y.Kin.Bodies[jt.Pred].E, -1)
	}
	w.any.rightSideTo(b)
	return true
}

// subtractRest subtracts v·c of a body in a group from b, v the rows of a joint on it.
func (y *Grounded) subtractRest(t *side, v, b []float64) {
	if t.branch >= 0 {
		kernel.SubRows(b, v, len(b), y.rest[6*t.branch:][:6])
	}
}

// reduce stores v·N in the block of a joint and the group of a body, v the rows of the
// joint on the body, and subtracts v·c from b. It returns ‖c‖². It does nothing for a body in no group. Columns that
// are zero for the body have been so from the beginning.
func (y *Grounded) reduce(t *side, v, b []float64) (part float64) {
	if t.branch < 0 {
		return 0
	}
	y.subtractRest(t, v, b)
	part = y.parts[t.branch]
	if t.at < 0 {
		return part
	}
	n := len(b)
	r := &y.G.branches[t.branch]
	dof := int(t.dof)
	dst, dirs := y.W.Val[t.at:][:n*dof], y.dirs[r.at:]
	for i := int(r.from); i < dof; i++ {
		var x [6]float64
		kernel.SubRows(x[:n], v, n, dirs[:6])
		for e, o := 0, i; e < n; e++ {
			dst[o] = -x[e]
			o += dof
		}
		dirs = dirs[6:]
	}
	return part
}

// AccelerationsTo stores in a the accelerations that the solution x of the reduced system stands
// for: six numbers a body, ω̇ then the classical acceleration of the centre of mass, world axes.
//
// Shapes: a has room for six entries a body; x has Pattern.Dim entries. They do not overlap.
// Cost: O(bodies), no allocation. y has been filled.
func (y *Grounded) AccelerationsTo(a, x []float64) {
	if len(a) < 6*len(y.bodies) || len(x) != y.G.Pattern.Dim() {
		panic("assemble: length mismatch")
	}
	y.each(groundPass{kind: groundRecovery, n: len(y.G.units), a: a, x: x})
}

// recover is AccelerationsTo for the units lo ≤ i < hi.
func (y *Grounded) recover(a, x []float64, lo, hi int) {
	g := y.G
	for i := lo; i < hi; i++ {
		u := &g.units[i]
		if u.body >= 0 {
			y.unweigh((*[6]float64)(a[6*u.body:]), u.body, (*[6]float64)(x[g.Pattern.Off[u.node]:]))
			continue
		}
		for k := u.lo; k < u.hi; k++ {
			b := &g.branches[k]
			v := y.solution(u, b, k, x)
			y.unweigh((*[6]float64)(a[6*b.body:]), b.body, &v)
		}
	}
}

// solution returns x̃ = c + N·z of branch k, b, of a group.
func (y *Grounded) solution(u *unit, b *branch, k int32, z []float64) [6]float64 {
	v := [6]float64(y.rest[6*k:])
	n := y.dirs[b.at:]
	for i := b.from; i < u.dof; i++ {
		t := z[y.G.Pattern.Off[u.node]+int32(i)]
		for e := range v {
			v[e] += t * n[e]
		}
		n = n[6:]
	}
	return v
}

// unweigh stores C⁻ᵀ·x of a body.
func (y *Grounded) unweigh(out *[6]float64, body int32, x *[6]float64) {
	E := &y.Kin.Bodies[body].E
	c := y.bodies[body].Weight()
	w, v := spatial.Vec3{x[0], x[1], x[2]}, spatial.Vec3{c.Mass * x[3], c.Mass * x[4], c.Mass * x[5]}
	c.Inertia.TMulVecTo(&w, &w)
	E.MulVecTo((*spatial.Vec3)(out[:3]), &w)
	E.MulVecTo((*spatial.Vec3)(out[3:]), &v)
}

// larger returns the larger of a and b, NaN if b is.
func larger(a, b float64) float64 {
	if b <= a {
		return a
	}
	return b
}

func dot6(a, b *[6]float64) float64 {
	return (a[0]*b[0] + a[1]*b[1] + a[2]*b[2]) + (a[3]*b[3] + a[4]*b[4] + a[5]*b[5])
}

// ErrorsTo puts the right side for accelerations, or displacements, that make the errors e of
// the rows of all joints, without loads, in y.B, at the kinematics of the last FillTo. What
// AccelerationsTo makes of a solution for it are those of least size in the metric of the inertias.
//
// Shapes: e is in the scalar order of L.Pattern, of which the rows of joints are read. s is near the state of the
// last FillTo: arms of sliding joints are taken from it.
// Cost: that of FillTo, no allocation. The reduced accelerations of the last solution are lost.
func (y *Grounded) ErrorsTo(e []float64, s *mechanism.State) {
	g := y.G
	if len(e) != g.L.Pattern.Dim() {
		panic("assemble: length mismatch")
	}
	y.each(groundPass{kind: groundRates, n: len(g.units), s: s, x: e})
	y.each(groundPass{kind: groundErrors, n: len(g.bonds), s: s, x: e})
}

// MultipliersTo stores −λ of all joints in the rows of joints of x, which is in the scalar order of
// L.Pattern, for the solution z of the reduced system at s. Those of trees follow, from the last bodies to
// the ground, from what the bodies' accelerations and loads and the other joints leave: with w that wrench
// and T of orthogonal rows, λ = T·w/‖T‖².
//
// Shapes: x has L.Pattern.Dim entries, z has Pattern.Dim.
// Cost: O(bodies + joints); allocates. y has been filled at s.
func (y *Grounded) MultipliersTo(x, z []float64, s *mechanism.State) {
	g, m := y.G, y.G.L.Mech
	if len(x) != g.L.Pattern.Dim() || len(z) != g.Pattern.Dim() {
		panic("assemble: length mismatch")
	}
	left := make([]spatial.Force, len(g.branches)) // about the centre of mass, world axes
	for i := range g.units {
		u := &g.units[i]
		for k := u.lo; k < u.hi; k++ {
			y.inertialTo(&left[k], u, k, z, s)
		}
	}
	var w jointWork
	// push adds the wrench f on body at the arm r to what is left.
	push := func(body int32, f *spatial.Force, r *spatial.Vec3, sign float64) {
		if body >= 0 && g.branchOf[body] >= 0 {
			q := &left[g.branchOf[body]]
			n := r.Cross(f.Linear())
			for e := range 3 {
				q[e] += sign * (f[e] + n[e])
				q[3+e] += sign * f[3+e]
			}
		}
	}
	for i := range g.bonds {
		j := g.bonds[i].joint
		jt := &m.Joints[j]
		lambda := z[g.bonds[i].row:][:jt.Rows]
		copy(x[g.L.Pattern.Off[g.L.JointNode(int(j))]:], lambda)
		if w.eval(m, j, y.Kin, s) != nil {
			continue
		}
		var f spatial.Force // −T·λ
		for k, v := range lambda {
			f = f.Add(w.rows.T[k].Scale(v))
		}
		push(jt.Succ, &f, &w.armS, 1)
		push(jt.Pred, &f, &w.armP, -1)
	}
	for k := len(g.branches) - 1; k >= 0; k-- {
		b := &g.branches[k]
		jt := &m.Joints[b.joint]
		y.eval(&w, b, s)
		armC, armP, sign := &w.armS, &w.armP, 1.0
		if b.turned {
			armC, armP, sign = &w.armP, &w.armS, -1
		}
		f := left[k] // on the body, then about the joint
		n := armC.Cross(f.Linear())
		for e := range 3 {
			f[e] -= n[e]
		}
		dst := x[g.L.Pattern.Off[g.L.JointNode(int(b.joint))]:][:jt.Rows]
		for i := range dst {
			t := (*[6]float64)(&w.rows.T[i])
			dst[i] = -sign * dot6(t, (*[6]float64)(&f)) / dot6(t, t)
		}
		if b.parent >= 0 {
			push(g.branches[b.parent].body, &f, armP, 1)
		}
	}
}

// inertialTo stores C·(x̃ − C⁻¹f) of a branch in out, about its centre of mass, world axes: what its joints
// have to deliver.
func (y *Grounded) inertialTo(out *spatial.Force, u *unit, k int32, z []float64, s *mechanism.State) {
	g := y.G
	b := &g.branches[k]
	E := &y.Kin.Bodies[b.body].E
	var spin spatial.Vec3
	var f [6]float64
	y.load(&f, &spin, b.body, s)
	v := y.solution(u, b, k, z)
	for e := range v {
		v[e] -= f[e]
	}
	L := &b.chol
	n := spatial.Vec3{L[0] * v[0], L[3]*v[0] + L[1]*v[1], L[4]*v[0] + L[5]*v[1] + L[2]*v[2]}
	a := spatial.Vec3{b.root * v[3], b.root * v[4], b.root * v[5]}
	*out = spatial.NewForce(E.MulVec(n), E.MulVec(a))
}
