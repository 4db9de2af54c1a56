package ik

import (
	"context"
	"math"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// bound is a driven freedom with a row of its own.
type bound struct {
	driven  int
	freedom mechanism.Freedom
	weight  float64 // factor of the row: R for an angle, else 1, so that it is a length in the metric
	slack   float64 // root of the row's damping while no limit is active; 0: the row is absent then
	limited bool
	side    int8    // −1: the lower limit is active, 1: the upper one, 0: none
	to      float64 // coordinate that corrections keep while a limit is active, rad or m
}

// The unknown of the sparse method is a displacement x of all bodies, docs/inverse-kinematics.md (S1). The system has the rows of joints,
// of targets, and of driven freedoms with limits. Each row of a target or of such a freedom has a slack s, a node of sign +1 that is in
// no other row: T·x + r·s = e. The row is hard for r = 0, absent with T = 0 and r = 1, and else soft with the damping r². So pattern,
// order and signs never change.

// sparseSystem is the system of one problem with its factor.
type sparseSystem struct {
	p      *Problem
	layout *assemble.Layout // of the joints, with bodies whose inertia is the metric
	y      *assemble.Weighted
	fac    *kkt.Factored
	W      *sparse.Matrix
	B      []float64 // right side
	scale  []float64 // squared norms of the rows
	x, r   []float64 // solution, and memory for its refinement
	d      []float64 // displacement, six numbers a body about its centre of mass
	turned float64   // largest rotation of a body in d, rad; negative if it is not known
	reach  float64   // R of the metric, m
	way    kkt.Way   // the first way to factor that is tried

	rows   []sparseRow   // of targets other than centres of mass, of bounds, of the posture
	shift  int           // number of scalar slacks
	border *border       // rows of centres of mass; nil if there are none
	val    []float64     // blocks of the rows on bodies at the last linearization, two a row, 6 numbers each
	shown  []*targetRows // by target
	bounds []bound
}

// sparseRow has the rows of one target, or of one driven freedom, in the system.
type sparseRow struct {
	target int // number of the target; −1 if it is none
	bound  int // number of the bound; −1 if it is none
	rest   int // number among the coordinates of the posture; −1 if it is none
	level  int // −1 for a bound
	node   int // node of the rows
	slack  int // node of their slacks
	n      int // number of rows
	first  int // number of rows before it, whose blocks are first in val
}

// newSparseSystem analyses the system of p: its pattern and the order of its elimination. In mech the held freedoms are prescribed.
func newSparseSystem(ctx context.Context, p *Problem, o Options, mech *mechanism.Mechanism, t *team.Team) (*sparseSystem, error) {
	m := *mech.Unloaded()
	s := &sparseSystem{p: p}
	s.reach = reachOf(&m)
	if o.Metric != Inertia {
		list, err := turnBodies(&m, s.reach)
		if err != nil {
			return nil, err
		}
		m.Bodies = list
	}
	s.layout = assemble.NewLayout(&m)
	s.y = s.layout.NewWeightedOn(t)
	s.findBounds(o)
	symbolic, err := s.addRows(ctx, o)
	if err != nil {
		return nil, err
	}
	dim := symbolic.Pattern.Dim()
	s.W = sparse.NewUnitMatrix(symbolic.Pattern)
	// The blocks of joints come first and in the order of the layout, so y may fill them in W.
	s.y.Matrix.Val = s.W.Val[:copy(s.W.Val, s.y.Matrix.Val)]
	for _, v := range []*[]float64{&s.B, &s.scale, &s.x, &s.r} {
		*v = pages.Make[float64](dim)
	}
	s.d = pages.Make[float64](6 * m.NumBodies())
	for i := range p.targets {
		s.shown = append(s.shown, p.targets[i].newTargetRows())
	}
	s.border = newBorder(p.targets, dim)
	s.fac = kkt.NewFactored(symbolic.NewFactorOn(t), s.W, s.B, s.scale, p.plan.Options().Epsilon, kkt.KeepAllFirmly, nil)
	return s, nil
}

// reachOf returns the reach R of a mechanism, m: the longest path in the spanning tree, from the world or from the first of floating
// bodies, measured in lengths of bodies. With loops it is at most loopReach mean lengths. Beyond that, rotations would weigh so much that
// loops hardly move and their rows look redundant.
func reachOf(m *mechanism.Mechanism) float64 {
	const (
		loopReach = 300    // mean lengths of bodies
		leastWay  = 1e-100 // m, for a mechanism without lengths: quotients by R stay finite
	)
	length := make([]float64, m.NumBodies())
	m.SquareLengthsTo(length)
	sum, most := 0.0, 0.0
	way := make([]float64, len(length))
	mover := mechanism.NewMover(m)
	for _, link := range mover.Links() {
		l := math.Sqrt(length[link.Body])
		sum += l
		way[link.Body] = 2 * l
		if link.Up >= 0 {
			way[link.Body] += way[link.Up]
		}
		most = max(most, way[link.Body])
	}
	if mover.Loops() {
		most = min(most, loopReach*sum/float64(len(length)))
	}
	return max(most, leastWay)
}

// turnBodies returns the bodies whose inertia is the metric of rotations: unit masses with the radius of gyration reach, m, about their
// centres of mass.
func turnBodies(m *mechanism.Mechanism, reach float64) ([]bodies.Body, error) {
	list := make([]bodies.Body, m.NumBodies())
	for i := range list {
		var err error
		if list[i], err = bodies.New(1, m.Bodies[i].Com, spatial.Sym3{reach * reach, reach * reach, reach * reach}); err != nil {
			return nil, fault.Errorf("ik: %w", m.AtBody(i, err))
		}
	}
	return list, nil
}

// findBounds lists the driven freedoms that need rows: freedoms with limits or, on a path, with largest rates; in the metric of joints all.
func (s *sparseSystem) findBounds(o Options) {
	for i, f := range s.p.driven {
		limited := !math.IsInf(s.p.lower[i], -1) || !math.IsInf(s.p.upper[i], 1) || s.p.task.Path != nil && !math.IsInf(s.p.rate[i], 1)
		if !limited && o.Metric != Joints {
			continue
		}
		b := bound{driven: i, freedom: f, limited: limited, weight: 1}
		if s.p.angle[i] {
			b.weight = s.reach
		}
		if o.Metric == Joints {
			b.slack = jointsRoot
		}
		s.bounds = append(s.bounds, b)
	}
}

// addRows lists the rows that have slacks, and returns the analysis of the pattern with rows and slacks.
func (s *sparseSystem) addRows(ctx context.Context, o Options) (*factor.Symbolic, error) {
	var list []sparse.Slack
	add := func(r sparseRow, pred, succ int32) {
		r.slack = s.layout.Mech.NumBodies() + len(list)
		r.first = s.shift
		s.shift += r.n
		s.rows = append(s.rows, r)
		list = append(list, sparse.Slack{Nodes: [2]int32{pred, succ}, Size: int8(r.n), Rows: int8(r.n)})
	}
	for i := range s.p.targets {
		if t := &s.p.targets[i]; t.Type != Com {
			add(sparseRow{target: i, bound: -1, rest: -1, level: t.level, n: t.n}, t.joint.Pred, t.joint.Succ)
		}
	}
	freedom := func(r sparseRow, f mechanism.Freedom) {
		j := &s.layout.Mech.Joints[f.Joint]
		r.n = 1
		add(r, j.Pred, j.Succ)
	}
	for i := range s.bounds {
		freedom(sparseRow{target: -1, bound: i, rest: -1, level: -1}, s.bounds[i].freedom)
	}
	for i, r := range s.p.rest {
		freedom(sparseRow{target: -1, bound: -1, rest: i, level: s.p.levels}, s.p.driven[r.driven])
	}
	s.val = make([]float64, 12*s.shift)
	for i := range s.rows {
		s.rows[i].node = s.layout.Pattern.Len() + len(list) + i
	}
	p := s.layout.Pattern
	perm, err := orderOf(ctx, p, list, o)
	if err != nil {
		return nil, err
	}
	return factor.Analyze(p.WithSlacks(list), perm), nil
}

// orderOf returns an order for p with slacks. It is an order for the rows without slacks, into which each slack is put right before its
// rows. If the ordering knew the slacks, it would count each as a body that gives its rows a pivot; but the slack's part of the pivot may
// be close to zero.
func orderOf(ctx context.Context, p *sparse.Pattern, list []sparse.Slack, o Options) ([]int32, error) {
	bare, _, _, err := factor.ChooseContext(ctx, withRows(p, list), order.Auto, max(o.Threads, 1), factor.Limits{})
	if err != nil {
		return nil, fault.Errorf("ik: %w", err)
	}
	nb, n, k := int32(p.Positive()), int32(p.Len()), int32(len(list))
	perm := make([]int32, 0, n+2*k)
	for _, v := range bare.Order() {
		switch {
		case v < nb:
			perm = append(perm, v)
		case v < n:
			perm = append(perm, v+k)
		default:
			perm = append(perm, nb+v-n, v+k)
		}
	}
	return perm, nil
}

// withRows returns p with one more node of rows for each entry of the list, connected to the entry's nodes, and without nodes for slacks.
func withRows(p *sparse.Pattern, list []sparse.Slack) *sparse.Pattern {
	size, sign := slices.Clone(p.Size), slices.Clone(p.Sign)
	ptr, ind := slices.Clone(p.Ptr), slices.Clone(p.Ind)
	for _, s := range list {
		size, sign = append(size, s.Rows), append(sign, -1)
		lo, hi := min(s.Nodes[0], s.Nodes[1]), max(s.Nodes[0], s.Nodes[1])
		if lo >= 0 {
			ind = append(ind, lo)
		}
		ind = append(ind, hi)
		ptr = append(ptr, int32(len(ind)))
	}
	return sparse.NewPattern(size, sign, ptr, ind)
}

// linearize computes the rows of joints, targets and driven freedoms at st.
func (s *sparseSystem) linearize(st *mechanism.State) error {
	s.fac.Changed()
	if err := s.y.FillTo(st); err != nil {
		return err
	}
	p := s.layout.Pattern
	nb := s.layout.Mech.NumBodies()
	copy(s.scale[6*nb+s.shift:], s.y.Scale[6*nb:])
	unit := [6]float64{}
	for node := nb; node < p.Len(); node++ {
		o, n := int(p.Off[node]), int(p.Size[node])
		angles, size := rowUnits(s.layout, node)
		for k := range n {
			if unit[k] = s.reach; angles>>k&1 != 0 {
				unit[k] = 1
			}
			unit[k] *= size
		}
		kkt.FloorScales(s.scale[o+s.shift:o+s.shift+n], unit[:n])
	}
	for i := range s.rows {
		r := &s.rows[i]
		switch {
		case r.target >= 0:
			t := &s.p.targets[r.target]
			t.evaluateTo(s.shown[r.target], s.layout.Mech, s.y.Kin, st)
			s.weigh(r, s.shown[r.target].sides)
		case r.bound >= 0:
			s.weighFreedom(r, s.bounds[r.bound].freedom, s.bounds[r.bound].weight, st)
		default:
			k := s.p.rest[r.rest].driven
			s.weighFreedom(r, s.p.driven[k], s.p.unitOf(k), st)
		}
	}
	if s.border != nil {
		s.border.setRows(s, st)
	}
	return nil
}

// weigh stores the rows of sides in val, in weighted coordinates, each block in the place of its body in the pattern.
func (s *sparseSystem) weigh(r *sparseRow, sides []bodyRows) {
	P := s.W.Pattern
	ind := P.Ind[P.Ptr[r.node] : P.Ptr[r.node+1]-1]
	for i := range sides {
		side := &sides[i]
		at := 12 * r.first
		if len(ind) > 1 && ind[1] == side.body {
			at += 6 * r.n
		}
		for k := range r.n {
			s.weighTo((*[6]float64)(s.val[at+6*k:]), side.body, &side.F[k])
		}
	}
}

// weighTo stores a force F on a body in weighted coordinates, C⁻¹·F, with C from assemble.Weighted.
func (s *sparseSystem) weighTo(out *[6]float64, body int32, F *spatial.Force) {
	c, E := s.layout.Mech.Bodies[body].Weight(), &s.y.Kin.Bodies[body].E
	n, f := E.TMulVec(F.Moment()), E.TMulVec(F.Linear())
	c.Inertia.MulVecTo(&n, &n)
	out[0], out[1], out[2] = n[0], n[1], n[2]
	out[3], out[4], out[5] = c.Mass*f[0], c.Mass*f[1], c.Mass*f[2]
}

// weighFreedom stores the row of a freedom, its unit wrench on both bodies times weight, in val.
func (s *sparseSystem) weighFreedom(r *sparseRow, f mechanism.Freedom, weight float64, st *mechanism.State) {
	var jk mechanism.JointKinematics
	var along mechanism.Along
	m := s.layout.Mech
	m.JointTo(&jk, f.Joint, s.y.Kin, st)
	m.FreedomTo(&along, f, &jk, s.y.Kin)
	along.Unit = along.Unit.Scale(weight)
	sides := make([]bodyRows, 0, 2)
	for end, body := range along.Body {
		if body >= 0 {
			side := bodyRows{body: body}
			side.F[0] = along.On(end)
			sides = append(sides, side)
		}
	}
	s.weigh(r, sides)
}

// mode is the part that a row with a slack has in a solve.
type mode uint8

const (
	absent mode = iota // none
	soft               // least squares with damping
	hard               // the row holds exactly
)

// set makes the rows of r hard, soft with the damping root², or absent.
func (s *sparseSystem) set(r *sparseRow, how mode, root float64) {
	P, nb := s.W.Pattern, 0
	lo, hi := P.Ptr[r.node], P.Ptr[r.node+1]-1
	o := int(P.Off[r.node])
	scale := s.scale[o : o+r.n]
	clear(scale)
	for k := lo; k < hi; k++ {
		out := s.W.Val[P.Pos[k]:P.Pos[k+1]]
		if how == absent {
			clear(out)
		} else {
			copy(out, s.val[12*r.first+nb:])
		}
		for i, v := range out {
			scale[i/6] += v * v
		}
		nb += 6 * r.n
	}
	out := s.W.Val[P.Pos[hi]:P.Pos[hi+1]]
	clear(out)
	for k := range r.n {
		switch how {
		case absent:
			out[k*r.n+k] = 1
		case soft:
			out[k*r.n+k] = root
		}
		scale[k] += out[k*r.n+k] * out[k*r.n+k]
	}
}

// rowsOf returns the entries of the rows r in v, a vector of the system.
func (s *sparseSystem) rowsOf(v []float64, r *sparseRow) []float64 {
	o := int(s.W.Pattern.Off[r.node])
	return v[o : o+r.n]
}

// right returns the right side of the rows r.
func (s *sparseSystem) right(r *sparseRow) []float64 { return s.rowsOf(s.B, r) }

// multipliers returns the multipliers of the rows r.
func (s *sparseSystem) multipliers(r *sparseRow) []float64 { return s.rowsOf(s.x, r) }

// constraintRows returns the entries in v of the rows of joint or coupling i, which must have rows.
func (s *sparseSystem) constraintRows(v []float64, i int) []float64 {
	node := s.layout.ConstraintNode(i)
	o := int(s.layout.Pattern.Off[node]) + s.shift
	return v[o : o+int(s.layout.Pattern.Size[node])]
}

// factorize factors the system, by the first way from s.way on that works for its right side.
func (s *sparseSystem) factorize() error {
	if err := s.fac.FactorizeFrom(s.way, nil); err != nil {
		return fault.Errorf("ik: %w", err)
	}
	if s.border != nil {
		s.border.prepare(s)
	}
	return nil
}

// solve solves for the right side and stores the displacement. It refines until errors are at the rounding of the solution, or of floor if
// that is larger.
func (s *sparseSystem) solve(floor float64) {
	s.fac.Refine(s.x, s.r, floor)
	if s.border != nil {
		s.border.solve(s)
	}
	s.displace()
}

// displace stores the displacement d of the solution x.
func (s *sparseSystem) displace() {
	s.y.AccelerationsTo(s.d, s.x)
	s.turned = -1
}

// correct solves for the right side b with the present factor, and stores the displacement. It does not refine.
func (s *sparseSystem) correct(b []float64) {
	s.fac.SolveTo(s.x, b)
	if s.border != nil {
		s.border.solve(s)
	}
	s.displace()
}

// product returns T·x of row k of r, with the slack left out.
func (s *sparseSystem) product(r *sparseRow, k int) (sum float64) {
	at := 12*r.first + 6*k
	for b := s.W.Pattern.Ptr[r.node]; b < s.W.Pattern.Ptr[r.node+1]-1; b++ {
		x := s.x[s.W.Pattern.Off[s.W.Pattern.Ind[b]]:]
		for i, v := range s.val[at : at+6] {
			sum += v * x[i]
		}
		at += 6 * r.n
	}
	return sum
}

// stepSize returns the norm of the displacement in the metric.
func (s *sparseSystem) stepSize() float64 {
	x := s.x[:6*s.layout.Mech.NumBodies()]
	return math.Sqrt(algebra.Dot(x, x))
}

// rotation returns the largest rotation of a body in the displacement, rad.
func (s *sparseSystem) rotation() float64 {
	if s.turned >= 0 {
		return s.turned
	}
	angle := 0.0
	for i := 0; i < len(s.d); i += 6 {
		w := (*spatial.Vec3)(s.d[i:])
		angle = max(angle, w[0]*w[0]+w[1]*w[1]+w[2]*w[2])
	}
	s.turned = math.Sqrt(angle)
	return s.turned
}

// jointsRoot is the square root of the weight that rotations of bodies have in the metric of joints, beside the rates of driven freedoms.
const jointsRoot = 1e-3
