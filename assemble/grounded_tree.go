package assemble

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

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

// tieHinge is tie for a hinge, whose rows are three forces along the axes of its predecessor's end and two moments: with A
// those axes in the body's, Σ T·b/‖T‖² = (A·(b₃, b₄, 0), A·(b₀, b₁, b₂)).
func (y *Grounded) tieHinge(b *branch, t *link, right []float64) {
	t.armP, t.armC = b.armP, b.armC
	axes := &y.G.L.Mech.Joints[b.joint].P.E
	turn, move := &t.rel.turn, &t.rel.move
	*turn, *move = spatial.Vec3{right[3], right[4]}, spatial.Vec3(right[:3])
	axes.MulVecTo(turn, turn)
	axes.MulVecTo(move, move)
	switch {
	case b.turned:
		for i := range turn {
			turn[i], move[i] = -turn[i], -move[i]
		}
	case b.parent >= 0:
		t.R.MulVecTo(turn, turn)
		t.R.MulVecTo(move, move)
	default:
		E := &y.Kin.Bodies[b.body].E
		E.TMulVecTo(turn, turn)
		E.TMulVecTo(move, move)
	}
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
		t.load = [6]float64{}
		node := g.L.JointNode(int(b.joint))
		right := e[g.L.Pattern.Off[node]:g.L.Pattern.Off[node+1]]
		if b.hinge {
			y.tieHinge(b, t, right)
			continue
		}
		y.eval(&w, b, s)
		y.tie(b, t, &w, right)
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
