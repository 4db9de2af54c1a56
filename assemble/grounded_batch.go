package assemble

import (
	"math"

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
		free = larger(free, kernel.MaxAbs(t.Free[:]))
		if r.parent < 0 {
			kernel.LaneHingeWorld(t, c)
			t.Axis = c.Axis
			if !r.turned {
				kernel.LaneTurnBack(&t.Axis, t.E(), &c.Axis)
			}
			kernel.LaneRestWorld(&w.six, t, c)
		} else {
			up := &w.bodies[r.parent]
			kernel.LaneHinge(t, c, up)
			t.Axis = c.Axis
			if !r.turned {
				kernel.LaneTurn(&t.Axis, &t.R, &c.Axis)
			}
			kernel.LaneRest(&w.six, t, c, up)
		}
		kernel.Scatter(y.rest, &p.rest, w.six[:])
		w.part[0] = t.Size
		kernel.Scatter(y.parts, &p.branch, w.part[:])
		for l, v := range t.Size {
			size[l] += v
		}
	}
	if y.force != nil && pass.kind == groundUnits {
		return 0, ok
	}
	y.batchDirections(w, u, parts)
	for i := range u.dof {
		sum := &w.right[i]
		*sum = kernel.Lane{}
		for k := range parts {
			if r := &u.branch[k]; r.from <= i {
				kernel.LaneDot(sum, w.column(k, i-r.from), &w.bodies[k].Load)
			}
		}
	}
	kernel.Scatter(y.B, &b.at, w.right[:u.dof])
	if !(kernel.MaxAbs(size[:]) <= math.MaxFloat64) {
		free = math.NaN()
	}
	return free, ok
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
		t.Free[l] = kernel.MaxAbs(f[:])
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
	for k := range list {
		kernel.Scatter(y.dirs, &parts[k].dirs, w.cols[k][:6*(u.dof-list[k].from)])
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
	g := y.G
	t, c := &w.joint, &g.pins[b.fixed]
	states, kin := kernel.Numbers(s.Bodies), kernel.Numbers(y.Kin.Bodies)
	n := 5
	if b.ball {
		n = 3
	}
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
	} else {
		kernel.LanePinned(t, c)
	}
	w.sum[0] = kernel.Lane{}
	y.reduceBatch(w, &b.side[0], t.P[:], n)
	y.reduceBatch(w, &b.side[1], t.S[:], n)
	kernel.Scatter(y.Scale, &b.row, t.Scale[:n])
	kernel.Scatter(y.B, &b.row, t.B[:n])
	kernel.Scatter(y.Parts, &b.node, w.sum[:])
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
	kernel.Gather(w.six[:], y.rest, &q.rest)
	kernel.LaneSubRows(w.joint.B[:], v, n, &w.six)
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
// hold. ahead is how many batches before.
const farBodies, ahead = 1 << 15, 2

// fetchUnits brings what batch i of units reads and writes into the caches, where its numbers are close to each other.
func (y *Grounded) fetchUnits(i int, s *mechanism.State) {
	g := y.G
	if len(y.bodies) < farBodies || i >= len(g.unitBatches) {
		return
	}
	b := &g.unitBatches[i]
	u := &g.shapes[b.shape]
	n := int(u.n)
	p, q := &g.parts[b.part], &g.parts[int(b.part)+n-1]
	fetch(kernel.Numbers(s.Bodies), &p.state, &q.state, n*stateNumbers)
	fetch(kernel.Numbers(y.Kin.Bodies), &p.kin, &q.kin, n*kinNumbers)
	fetch(y.rest, &p.rest, &q.rest, n*6)
	fetch(y.dirs, &p.dirs, &q.dirs, n*6*int(u.dof))
}

// fetchBonds does so for batch i of a list of joints.
func (y *Grounded) fetchBonds(list []bondBatch, i int) {
	if len(y.bodies) < farBodies || i >= len(list) {
		return
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
