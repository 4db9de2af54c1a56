package assemble

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// batchWork is the scratch of batches.
type batchWork struct {
	bodies [groupBodies]kernel.LaneBody
	cols   [groupBodies][6 * groupFreedoms]kernel.Lane // N of each branch, from its first column on
	six    [6]kernel.Lane
	right  [groupFreedoms]kernel.Lane
	joint  kernel.LaneJoint
	part   [1]kernel.Lane // ‖c‖² of a body, and the sum of those of two
	sum    [1]kernel.Lane
	dirs   [6 * groupFreedoms]kernel.Lane
	block  [pinRows * groupFreedoms]kernel.Lane
}

// fillBatch does for a batch what fillUnits does for units. It reports whether the states are certain to be finite, and returns the
// largest magnitude of a component of C⁻¹·f.
func (y *Grounded) fillBatch(w *batchWork, b *unitBatch, pass *groundPass) (free float64, ok bool) {
	g := y.G
	states, kin := kernel.Numbers(pass.s.Bodies), kernel.Numbers(y.Kin.Bodies)
	u := &g.shapes[b.shape]
	parts := g.parts[b.part:][:u.n]
	ok = true
	var size kernel.Lane
	for k := range parts {
		p, t, r := &parts[k], &w.bodies[k], &u.branch[k]
		c := &g.fixed[p.fixed]
		kernel.Gather(t.State[:], states, &p.state)
		ok = kernel.LaneLoad(t, c, (*[3]float64)(&g.L.Mech.Gravity)) && ok
		kernel.Scatter(kin, &p.kin, t.Kin[:])
		if y.force != nil {
			if pass.kind == groundUnits {
				continue
			}
			y.applied(t, p)
		}
		free = max(free, algebra.MaxAbs(t.Free[:]))
		up := w.parent(r)
		if up == nil {
			kernel.LaneHingeWorld(t, c)
		} else {
			kernel.LaneRotate(t, up)
			kernel.LaneHinge(t, c, up)
		}
		t.Axis = [3]kernel.Lane{c.Frame[2], c.Frame[5], c.Frame[8]}
		w.turn(&t.Axis, t, up, r.turned)
		y.fillRest(w, p, t, c, up)
		for l, v := range t.Size {
			size[l] += v
		}
	}
	if y.force != nil && pass.kind == groundUnits {
		return 0, ok
	}
	y.batchDirections(w, u, parts)
	for k := range parts {
		kernel.Scatter(y.dirs, &parts[k].dirs, w.cols[k][:6*(u.dof-u.branch[k].from)])
	}
	y.projectBatch(w, b, u)
	if !(algebra.MaxAbs(size[:]) <= math.MaxFloat64) {
		free = math.NaN()
	}
	return free, ok
}

// parent returns the bodies that those of a branch hang on, nil for the world.
func (w *batchWork) parent(r *branchShape) *kernel.LaneBody {
	if r.parent < 0 {
		return nil
	}
	return &w.bodies[r.parent]
}

// turn brings v from the axes of the joint's predecessor to those of the body, which is that if turned.
func (w *batchWork) turn(v *[3]kernel.Lane, t, up *kernel.LaneBody, turned bool) {
	u := *v
	switch {
	case turned:
	case up == nil:
		kernel.LaneTurnBack(v, t.E(), &u)
	default:
		kernel.LaneTurn(v, &t.R, &u)
	}
}

// fillRest stores c of a branch, subtracts it from the loads, and stores Σ c².
func (y *Grounded) fillRest(w *batchWork, p *branchBatch, t *kernel.LaneBody, c *kernel.LaneConst, up *kernel.LaneBody) {
	if up == nil {
		kernel.LaneRestWorld(&w.six, t, c)
	} else {
		kernel.LaneRest(&w.six, t, c, up)
	}
	kernel.Scatter(y.rest, &p.rest, w.six[:])
	w.part[0] = t.Size
	kernel.Scatter(y.parts, &p.branch, w.part[:])
}

// projectBatch is project for a batch of units like u, whose columns and loads are in w.
func (y *Grounded) projectBatch(w *batchWork, b *unitBatch, u *unitShape) {
	for i := range u.dof {
		sum := &w.right[i]
		*sum = kernel.Lane{}
		for k := range u.n {
			if f := u.branch[k].from; f <= i {
				kernel.LaneDot(sum, w.column(int(k), i-f), &w.bodies[k].Load)
			}
		}
	}
	kernel.Scatter(y.B, &b.at, w.right[:u.dof])
}

// demandBatch is demand for a batch.
func (y *Grounded) demandBatch(w *batchWork, b *unitBatch, e []float64) {
	g := y.G
	kin := kernel.Numbers(y.Kin.Bodies)
	u := &g.shapes[b.shape]
	parts := g.parts[b.part:][:u.n]
	for k := range parts {
		p, t, r := &parts[k], &w.bodies[k], &u.branch[k]
		c := &g.fixed[p.fixed]
		kernel.Gather(t.E()[:], kin, &p.kin)
		up := w.parent(r)
		if up != nil {
			kernel.LaneRotate(t, up)
		}
		// See tieHinge.
		right := w.joint.B[:]
		kernel.Gather(right, e, &p.rows)
		turn, move := (*[3]kernel.Lane)(t.Rel[:3]), (*[3]kernel.Lane)(t.Rel[3:])
		kernel.LaneTurn(turn, &c.Frame, &[3]kernel.Lane{right[3], right[4]})
		kernel.LaneTurn(move, &c.Frame, (*[3]kernel.Lane)(right[:3]))
		if r.turned {
			for i := range t.Rel {
				for l := range t.Rel[i] {
					t.Rel[i][l] = -t.Rel[i][l]
				}
			}
		}
		w.turn(turn, t, up, r.turned)
		w.turn(move, t, up, r.turned)
		t.Load = [6]kernel.Lane{}
		y.fillRest(w, p, t, c, up)
		kernel.Gather(w.cols[k][:6*(u.dof-r.from)], y.dirs, &p.dirs)
	}
	y.projectBatch(w, b, u)
}

// applied adds C⁻¹ times applied forces to the loads of a branch.
func (y *Grounded) applied(t *kernel.LaneBody, p *branchBatch) {
	for l, i := range p.branch {
		var f [6]float64
		body := y.G.branches[i].body
		addWeightedForce(&f, &y.bodies[body], &y.Kin.Bodies[body].E, &y.force[body])
		for e, v := range f {
			t.Load[e][l] += v
			f[e] = t.Load[e][l]
		}
		t.Free[l] = algebra.MaxAbs(f[:])
	}
}

// column returns column i of N of branch k, counted from its first.
func (w *batchWork) column(k int, i int8) *[6]kernel.Lane { return (*[6]kernel.Lane)(w.cols[k][6*i:]) }

// batchDirections is directions for a batch of units like u.
func (y *Grounded) batchDirections(w *batchWork, u *unitShape, parts []branchBatch) {
	list := u.branch[:u.n]
	for k := range list {
		i := list[k].from // of the hinge
		kernel.LaneOwn(w.column(k, 0), &w.bodies[k], &y.G.fixed[parts[k].fixed])
		moves := uint8(1) << k
		for d := k + 1; d < len(list); d++ {
			q := &list[d]
			if p := int(q.parent); p >= k && moves>>p&1 != 0 {
				moves |= 1 << d
				kernel.LaneCarried(w.column(d, i-q.from), &w.bodies[d], &y.G.fixed[parts[d].fixed], &w.bodies[p])
			} else if i >= q.from {
				*w.column(d, i-q.from) = [6]kernel.Lane{}
			}
		}
	}
	for i := range u.dof {
		w.orthonormalize(list, i)
	}
}

// orthonormalize is Grounded.orthonormalize for a batch of groups with branches like list; where one of them needs another
// round, all have it.
func (w *batchWork) orthonormalize(list []branchShape, i int8) {
	for {
		var size, lost kernel.Lane
		for j := range i {
			var t kernel.Lane
			for k := range list {
				if f := list[k].from; f <= j {
					kernel.LaneDot(&t, w.column(k, i-f), w.column(k, j-f))
				}
			}
			for k := range list {
				if f := list[k].from; f <= j {
					kernel.LaneSub(w.column(k, i-f), &t, w.column(k, j-f))
				}
			}
			for l, v := range t {
				lost[l] += v * v
			}
		}
		for k := range list {
			if f := list[k].from; f <= i {
				v := w.column(k, i-f)
				kernel.LaneDot(&size, v, v)
			}
		}
		again := false
		for l, v := range lost {
			again = again || v > size[l]
		}
		if again {
			continue
		}
		kernel.LaneUnit(&size)
		for k := range list {
			if f := list[k].from; f <= i {
				kernel.LaneScale(w.column(k, i-f), &size)
			}
		}
		return
	}
}

// fillBonds does for a batch of joints what fillJoints does for joints.
func (y *Grounded) fillBonds(w *batchWork, b *bondBatch, s *mechanism.State) {
	t := &w.joint
	n := y.fillPins(w, b, s)
	w.sum[0] = kernel.Lane{}
	y.reduceBatch(w, &b.side[0], t.P[:], n)
	y.reduceBatch(w, &b.side[1], t.S[:], n)
	kernel.Scatter(y.Scale, &b.row, t.Scale[:n])
	kernel.Scatter(y.B, &b.row, t.B[:n])
	kernel.Scatter(y.Parts, &b.node, w.sum[:])
}

// fillBondErrors does for a batch of joints what fillErrors does for joints.
func (y *Grounded) fillBondErrors(w *batchWork, b *bondBatch, e []float64, s *mechanism.State) {
	t := &w.joint
	n := y.fillPins(w, b, s)
	kernel.Gather(t.B[:n], e, &b.rows)
	y.subtractRests(w, &b.side[0], t.P[:], n)
	y.subtractRests(w, &b.side[1], t.S[:], n)
	kernel.Scatter(y.B, &b.row, t.B[:n])
}

// fillPins computes the rows of a batch of joints, their squared norms and right sides, in w.joint. It returns the number of
// rows.
func (y *Grounded) fillPins(w *batchWork, b *bondBatch, s *mechanism.State) (n int) {
	t, c := &w.joint, &y.G.pins[b.fixed]
	states, kin := kernel.Numbers(s.Bodies), kernel.Numbers(y.Kin.Bodies)
	gather := func(E *[9]kernel.Lane, omega *[3]kernel.Lane, q *sideBatch) {
		if q.dof < 0 {
			*E, *omega = stillLanes, [3]kernel.Lane{}
			return
		}
		kernel.Gather(E[:], kin, &q.kin)
		kernel.Gather(omega[:], states, &q.state)
	}
	gather(&t.EP, &t.OmegaP, &b.side[0])
	gather(&t.ES, &t.OmegaS, &b.side[1])
	if b.ball {
		kernel.LaneBall(t, c)
		return kernel.Ball.Rows()
	}
	kernel.LanePinned(t, c)
	return kernel.Hinge.Rows()
}

// subtractRests is subtractRest for one side of the joints of a batch, with n rows v.
func (y *Grounded) subtractRests(w *batchWork, q *sideBatch, v []kernel.Lane, n int) {
	if q.dof >= 0 {
		kernel.Gather(w.six[:], y.rest, &q.rest)
		kernel.LaneSubRows(w.joint.B[:], v, n, &w.six)
	}
}

// stillLanes is the axes of the world.
var stillLanes = func() (E [9]kernel.Lane) {
	for i, e := range spatial.Identity3() {
		for l := range E[i] {
			E[i][l] = e
		}
	}
	return E
}()

// reduceBatch is reduce for one side of the joints of a batch, with n rows v.
func (y *Grounded) reduceBatch(w *batchWork, q *sideBatch, v []kernel.Lane, n int) {
	if q.dof < 0 {
		return
	}
	y.subtractRests(w, q, v, n)
	kernel.Gather(w.part[:], y.parts, &q.part)
	for l, v := range w.part[0] {
		w.sum[0][l] += v
	}
	dof, from := int(q.dof), int(q.from)
	if from == dof {
		return // the bodies do not move with the freedoms
	}
	dirs := w.dirs[:6*(dof-from)]
	kernel.Gather(dirs, y.dirs, &q.dirs)
	if from > 0 {
		clear(w.block[:n*dof])
	}
	for i := from; i < dof; i++ {
		kernel.LaneRows(w.block[i:], dof, v, n, (*[6]kernel.Lane)(dirs[6*(i-from):]))
	}
	kernel.Scatter(y.W.Val, &q.block, w.block[:n*dof])
}

// recoverBatch does for a batch what recover does for units.
func (y *Grounded) recoverBatch(w *batchWork, b *unitBatch, a, x []float64) {
	g := y.G
	kin := kernel.Numbers(y.Kin.Bodies)
	u := &g.shapes[b.shape]
	z := w.right[:u.dof]
	kernel.Gather(z, x, &b.at)
	parts := g.parts[b.part:][:u.n]
	for k := range parts {
		p, r := &parts[k], &u.branch[k]
		kernel.Gather(w.six[:], y.rest, &p.rest)
		dirs := w.dirs[:6*(u.dof-r.from)]
		kernel.Gather(dirs, y.dirs, &p.dirs)
		for i := r.from; i < u.dof; i++ {
			kernel.LaneAdd(&w.six, &z[i], (*[6]kernel.Lane)(dirs[6*(i-r.from):]))
		}
		t := &w.bodies[0]
		kernel.Gather(t.E()[:], kin, &p.kin)
		kernel.LaneRecover(&t.At, t.E(), &g.fixed[p.fixed], &w.six)
		kernel.Scatter(a, &p.body, t.At[:])
	}
}

// farBodies is the number of bodies from which it pays to fetch what a batch needs before its turn: more than the caches
// hold. ahead is how many batches before: more would not fit in the first cache.
const farBodies, ahead = 1 << 13, 1

// near returns the first and the last of the branches of batch i of units, their number, and the columns of the groups; n is 0
// if it does not pay to fetch what they need.
func (y *Grounded) near(i int) (p, q *branchBatch, n, dof int) {
	g := y.G
	if len(y.bodies) < farBodies || i >= len(g.unitBatches) {
		return nil, nil, 0, 0
	}
	b := &g.unitBatches[i]
	u := &g.shapes[b.shape]
	n = int(u.n)
	return &g.parts[b.part], &g.parts[int(b.part)+n-1], n, int(u.dof)
}

// fetchUnits brings what batch i of units reads and writes into the caches, where its numbers are close to each other, and what
// tells where those of the next batch are: where a page ends, processors do not foresee it.
func (y *Grounded) fetchUnits(i int, s *mechanism.State) {
	p, q, n, dof := y.near(i)
	if n == 0 {
		return
	}
	next := int(y.G.unitBatches[i].part) + n
	for k := next; k < min(next+n, len(y.G.parts)); k++ {
		kernel.PrefetchItem(&y.G.parts[k])
	}
	fetch(kernel.Numbers(s.Bodies), &p.state, &q.state, n*stateNumbers)
	fetch(kernel.Numbers(y.Kin.Bodies), &p.kin, &q.kin, n*kinNumbers)
	fetch(y.rest, &p.rest, &q.rest, n*6)
	fetch(y.dirs, &p.dirs, &q.dirs, n*6*dof)
}

// fetchSolution does so for what recoverBatch reads and writes.
func (y *Grounded) fetchSolution(i int, a []float64) {
	p, q, n, dof := y.near(i)
	if n == 0 {
		return
	}
	fetch(kernel.Numbers(y.Kin.Bodies), &p.kin, &q.kin, n*kinNumbers)
	fetch(y.rest, &p.rest, &q.rest, n*6)
	fetch(y.dirs, &p.dirs, &q.dirs, n*6*dof)
	fetch(a, &p.body, &q.body, n*6)
}

// fetchBonds does so for batch i of a list of joints.
func (y *Grounded) fetchBonds(list []bondBatch, i int) {
	if len(y.bodies) < farBodies || i >= len(list) {
		return
	}
	if i+1 < len(list) {
		kernel.PrefetchItem(&list[i+1])
	}
	b := &list[i]
	p, q := &b.side[0], &b.side[1]
	if p.dof >= 0 && q.dof >= 0 {
		fetch(y.W.Val, &p.block, &q.block, pinRows*2*groupFreedoms)
	}
	fetch(y.Scale, &b.row, &b.row, pinRows)
	fetch(y.B, &b.row, &b.row, pinRows)
}

// fetch brings numbers into the caches from the first place of one table to n behind the last of another, unless there is
// much between them that is not asked for.
func fetch(x []float64, first, last *indices, n int) {
	const much = 4
	lo, hi := int(min(first[0], last[0])), int(max(first[kernel.Lanes-1], last[kernel.Lanes-1]))
	if lo <= hi && hi-lo <= much*kernel.Lanes*n {
		kernel.Prefetch(x[lo:min(hi+n, len(x))])
	}
}
