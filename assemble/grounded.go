package assemble

import (
	"math"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/internal/pages"
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
	batch  []batchWork
}

// groundRange is the number of units or joints that one task of a team takes, and batchRange that of batches.
const groundRange, batchRange = 128, 128 / kernel.Lanes

// rangesOf returns the number of ranges of n things.
func rangesOf(n, size int) int { return (n + size - 1) / size }

// tasks returns the largest number of tasks of a pass.
func (g *Ground) tasks() int {
	return max(
		rangesOf(len(g.unitBatches), batchRange)+rangesOf(len(g.single), groundRange),
		rangesOf(len(g.outer()), batchRange)+rangesOf(len(g.singleBonds), groundRange),
	)
}

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

// groundPass is one pass over units or joints, and its arguments.
type groundPass struct {
	kind groundKind
	s    *mechanism.State
	a, x []float64
}

// sizes returns the number of batches that a pass goes over, and of units or joints in none.
func (g *Ground) sizes(kind groundKind) (batches, single int) {
	if kind == groundJoints || kind == groundErrors {
		return len(g.outer()), len(g.singleBonds)
	}
	return len(g.unitBatches), len(g.single)
}

// outer returns the batches of joints between bodies of several tasks.
func (g *Ground) outer() []bondBatch { return g.bondBatches[g.inner[len(g.inner)-1]:] }

// NewGroundedOn allocates a reduced system that is filled with a team. The results have the
// same bits for every team.
func (g *Ground) NewGroundedOn(t *team.Team) *Grounded {
	n, m := g.Pattern.Dim(), g.L.Mech
	y := &Grounded{
		G: g, W: sparse.NewUnitMatrix(g.Pattern), B: pages.Make[float64](n), Scale: pages.Make[float64](n),
		Kin:    &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, m.NumBodies())},
		bodies: m.Bodies, team: t,
		dirs: pages.Make[float64](g.columns), rest: make([]float64, 6*len(g.branches)),
		parts: make([]float64, len(g.branches)), Parts: make([]float64, g.Pattern.Len()),
		fixed: pages.Make[float64](g.blocks),
		base:  pages.Make[float64](n),
		ends:  make([]groundEnd, g.tasks()), chains: make([]chain, t.Workers()),
	}
	if m.HasApplied() {
		y.force = make([]spatial.Force, m.NumBodies())
	}
	if len(g.unitBatches)+len(g.bondBatches) > 0 {
		y.batch = make([]batchWork, t.Workers())
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
	bad, free := y.each(groundPass{kind: groundUnits, s: s})
	if bad >= 0 {
		return 0, m.NotFinite(y.firstBad(s))
	}
	if err := m.CheckTime(s); err != nil {
		return 0, err
	}
	if y.force != nil {
		clear(y.force)
		if err := m.AddAppliedTo(y.force, y.Kin, s); err != nil {
			return 0, err
		}
		_, free = y.each(groundPass{kind: groundLoads, s: s})
	}
	if i, _ := y.each(groundPass{kind: groundJoints, s: s}); i >= 0 {
		return 0, fault.Errorf("assemble: %w", m.AtJoint(int(g.bonds[i].joint), -1, joints.ErrNoDirection))
	}
	return free, nil
}

// anyBad reports whether a state of a batch is not finite.
func (y *Grounded) anyBad(b *unitBatch, s *mechanism.State) bool {
	g := y.G
	parts := g.parts[b.part:][:g.shapes[b.shape].n]
	for k := range parts {
		for _, i := range parts[k].branch {
			body := g.branches[i].body
			if !g.L.Mech.BodyTo(&y.Kin.Bodies[body], s, int(body)) {
				return true
			}
		}
	}
	return false
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
	batches, single := y.G.sizes(p.kind)
	n := rangesOf(batches, batchRange) + rangesOf(single, groundRange)
	y.team.Run(n, (*groundJob)(y))
	y.pass = groundPass{}
	bad = -1
	for i := range y.ends[:n] {
		e := &y.ends[i]
		if bad < 0 && e.bad >= 0 {
			bad = int(e.bad)
		}
		free = max(free, e.free)
	}
	return bad, free
}

// groundJob is the job of each.
type groundJob Grounded

// Do works on one range.
func (j *groundJob) Do(worker, i int) {
	y := (*Grounded)(j)
	t := &y.pass
	batches, single := y.G.sizes(t.kind)
	if k := i - rangesOf(batches, batchRange); k >= 0 {
		lo := k * groundRange
		y.ends[i] = y.do(&y.chains[worker], t, lo, min(lo+groundRange, single))
		return
	}
	lo := i * batchRange
	y.ends[i] = y.doBatches(&y.batch[worker], t, lo, min(lo+batchRange, batches))
}

// do works on things one after the other.
func (y *Grounded) do(c *chain, t *groundPass, lo, hi int) groundEnd {
	end := groundEnd{bad: -1}
	switch t.kind {
	case groundUnits:
		end = y.fillUnits(c, t.s, lo, hi)
	case groundLoads:
		for _, k := range y.G.single[lo:hi] {
			end.free = max(end.free, y.loads(c, &y.G.units[k], t.s))
		}
	case groundJoints:
		end.bad = y.fillJoints(t.s, lo, hi)
	case groundRates:
		for _, k := range y.G.single[lo:hi] {
			y.demand(c, &y.G.units[k], t.x, t.s)
		}
	case groundErrors:
		y.fillErrors(t.x, t.s, lo, hi)
	case groundRecovery:
		y.recover(t.a, t.x, lo, hi)
	}
	return end
}

// doBatches works on the batches lo ≤ i < hi, and once they have their loads on those of the joints between them.
func (y *Grounded) doBatches(w *batchWork, t *groundPass, lo, hi int) groundEnd {
	end, g := groundEnd{bad: -1}, y.G
	list := g.outer()
	switch t.kind {
	case groundRecovery:
		for i := lo; i < hi; i++ {
			y.fetchSolution(i+ahead, t.a)
			y.recoverBatch(w, &g.unitBatches[i], t.a, t.x)
		}
		return end
	case groundRates:
		for i := lo; i < hi; i++ {
			y.demandBatch(w, &g.unitBatches[i], t.x)
		}
		list = g.bondBatches[g.inner[lo/batchRange]:g.inner[lo/batchRange+1]]
	case groundErrors, groundJoints:
		list = list[lo:hi]
	default:
		for i := lo; i < hi; i++ {
			y.fetchUnits(i+ahead, t.s)
			free, ok := y.fillBatch(w, &g.unitBatches[i], t)
			if !ok && y.anyBad(&g.unitBatches[i], t.s) {
				end.bad = int32(i)
			}
			end.free = max(end.free, free)
		}
		list = g.bondBatches[g.inner[lo/batchRange]:g.inner[lo/batchRange+1]]
	}
	if t.kind == groundUnits && y.force != nil {
		return end
	}
	if t.kind == groundRates || t.kind == groundErrors {
		for i := range list {
			y.fillBondErrors(w, &list[i], t.x, t.s)
		}
		return end
	}
	for i := range list {
		y.fetchBonds(list, i+ahead)
		y.fillBonds(w, &list[i], t.s)
	}
	return end
}

// fillUnits computes the kinematics of units and, without applied forces, their loads and
// directions.
func (y *Grounded) fillUnits(c *chain, s *mechanism.State, lo, hi int) groundEnd {
	g, m := y.G, y.G.L.Mech
	end := groundEnd{bad: -1}
	for _, i := range g.single[lo:hi] {
		u := &g.units[i]
		if u.body >= 0 {
			if !m.BodyTo(&y.Kin.Bodies[u.body], s, int(u.body)) {
				end.bad = i
				return end
			}
		} else {
			for k := u.lo; k < u.hi; k++ {
				b := g.branches[k].body
				if !m.BodyTo(&y.Kin.Bodies[b], s, int(b)) {
					end.bad = i
					return end
				}
			}
		}
		if y.force == nil {
			end.free = max(end.free, y.loads(c, u, s))
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
		return algebra.MaxAbs(out[:])
	}
	for k := u.lo; k < u.hi; k++ {
		b := &y.G.branches[k]
		t := &c.links[k-u.lo]
		E := &y.Kin.Bodies[b.body].E
		y.load(&t.load, &t.spin, b.body, s)
		free = max(free, algebra.MaxAbs(t.load[:]))
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

// load stores C⁻¹·f of a body, and its angular velocity in its axes.
func (y *Grounded) load(out *[6]float64, spin *spatial.Vec3, body int32, s *mechanism.State) {
	b, E := &y.bodies[body], &y.Kin.Bodies[body].E
	weightedLoad(out, spin, b, E, &s.Bodies[body].Omega, &y.G.L.Mech.Gravity)
	if y.force != nil {
		addWeightedForce(out, b, E, &y.force[body])
	}
}

func dot6(a, b *[6]float64) float64 {
	return (a[0]*b[0] + a[1]*b[1] + a[2]*b[2]) + (a[3]*b[3] + a[4]*b[4] + a[5]*b[5])
}
