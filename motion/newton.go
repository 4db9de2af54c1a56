package motion

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
)

// Newton gives an implicit integrator the residual of a mechanism's equations of motion and of its joints in positions, theory.md (52), and
// solutions with the Newton matrix of a step, (58). It has the methods that package sim asks for (sim.ImplicitDynamics), and all methods of
// Dynamics. It belongs to one goroutine at a time.
//
// With ∂q/∂u = p and ∂v/∂u = s for the accelerations u at the end of a step, theory.md (56), the matrix is, in the mass-weighted
// coordinates of assemble.Weighted,
//
//	⎡ 1   0   Wᵀ   Gᵀ ⎤
//	⎢ 0   1   0   −1  ⎥
//	⎢ W   0   0    0  ⎥
//	⎣ G  −1   0    0  ⎦.
//
// W has the rows of the joints. G has a row for every spring and damper, of a force element or of a freedom of a joint, and for stops and
// friction. The row is the rate of the spring's length or coordinate, times √κ with κ = p·stiffness + s·damping, theory.md (57). The
// second unknown is the slack of these rows, σ = G·ũ. Its elimination adds GᵀG = C⁻¹(p·K + s·D)C⁻ᵀ to the unit matrix.
//
// The armature I of a freedom is a further part of κ: κ = p·stiffness + s·damping + I.
//
// A user's force with derivatives (mechanism.DifferentiableForce) has rows of the same kind, six for each of its bodies. Elimination of
// their slacks gives the symmetric and positive semidefinite part of p·K + s·D.
//
// A bushing has six rows, with a factor of p·K + s·D, and a cable has one row over all its bodies (docs/springs.md). Their stresses are
// multipliers, as the tensions of springs are.
//
// A contact has rows of its body alone: at the point that touches, one along the normal and two along the ground, and further rows for its
// moments, each with the κ of its own law. They are always in the pattern; where nothing touches they are zero. Terms that couple these
// rows, such as friction that grows with the normal force, are in the residual alone.
//
// So for every κ ≥ 0 the matrix has the form that package factor takes. For the orderings a spring is a joint with a body of its own. The
// pivot of its row is at most −1, however stiff it is. And the unknowns are scaled so that only κ depends on the length of the step
// (Bottasso, Dopico & Trainelli 2008).
//
// Some terms are left out of the matrix, as they are small for steps that resolve the motion: gyroscopic moments, and the changes with the
// pose of J, of the inertias and of the directions of springs. They are in the residual.
type Newton struct {
	*Dynamics
	guard guard.Guard
	*slacked
	springs springRows
	strains strainRows
	groups  []slackRows // springs, users' forces, contacts, strains, in the order of their nodes
	driven  []int32     // joints with prescribed freedoms

	loads    []float64       // reactions of joints whose friction grows with them
	loaded   mechanism.State // the state of a Correct, with these reactions
	x        []float64       // as long as sys.Right: unknowns
	contacts bool            // the mechanism has contacts
	filled   mechanism.State // the state of the last Linearize, if there are contacts
	fresh    bool            // sys has the equations at this state
}

const (
	// newtonRates is the largest number of solves of a projection of velocities. newtonRateTol is the error of a row, relative to the
	// velocities, at which the projection ends.
	newtonRates   = 12
	newtonRateTol = 1e-13
	// newtonRateDrop is the part of the error that a solve may leave without ending the projection.
	newtonRateDrop = 0.5
	// copyPart is how many numbers are copied before the context is checked again.
	copyPart = 1 << 18
)

// NewNewton allocates a Newton of the plan, with a Dynamics.
//
// Cost: as an analysis where the mechanism has springs or dampers.
func NewNewton(p *kkt.Plan) *Newton {
	d, o, l := NewDynamics(p), p.Options(), p.Layout()
	t := d.solver.Workspace().Team()
	q := &slacked{sys: l.NewWeightedOn(t), first: 6 * l.Mech.NumBodies()}
	q.sys.Heed(d.solver.Workspace().Watched())
	n := &Newton{Dynamics: d, slacked: q, springs: newSpringRows(q), strains: newStrainRows(q)}
	n.ShareSearches(new(mechanism.Kinematics))
	n.contacts = l.Mech.NumContacts() > 0
	n.groups = []slackRows{&n.springs, &ownRows{q, owns(l.Mech)}, &gripRows{q, grips(l.Mech)}, &n.strains}
	for j := range l.Mech.Joints {
		if l.Mech.Joints[j].Motion != nil {
			n.driven = append(n.driven, int32(j))
		}
	}
	pattern, symbolic := withSlacks(l.Pattern, n.groups), p.Symbolic()
	if pattern != l.Pattern {
		if o.Order != nil {
			symbolic = factor.Analyze(pattern, p.OrderOf(pattern, nil))
		} else {
			symbolic, _, _ = factor.Choose(pattern, o.Ordering, o.Threads)
		}
	}
	fac, scale := symbolic.NewFactorOn(t), make([]float64, pattern.Dim())
	q.fac = kkt.NewFactored(fac, sparse.NewUnitMatrix(pattern), nil, scale, o.Epsilon, kkt.KeepAll, n.at)
	q.fac.Heed(d.solver.Workspace().Watched())
	q.fac.LeaveOut(p, t)
	dim, wide := l.Pattern.Dim(), pattern.Dim()
	q.gap, q.r = (wide-dim)/2, make([]float64, dim)
	q.b, q.y = make([]float64, wide), make([]float64, wide)
	n.x, n.loads = make([]float64, dim), make([]float64, l.Mech.NumBearings())
	n.filled = mechanism.State{
		Bodies: make([]mechanism.BodyState, l.Mech.NumBodies()), Angles: make([]float64, l.Mech.NumSprung()), Internal: make([]float64, l.Mech.NumInternal()),
	}
	return n
}

// ShareSearches is Dynamics.ShareSearches for all kinematics of n.
func (n *Newton) ShareSearches(k *mechanism.Kinematics) {
	n.solver.ShareSearches(k, n.drift.kin, n.sys.Kin)
}

// withSlacks returns p with the slacks and rows of all groups, and stores in the groups the nodes of their rows. Without slacks it
// returns p.
func withSlacks(p *sparse.Pattern, groups []slackRows) *sparse.Pattern {
	var list []sparse.Slack
	for _, g := range groups {
		list = g.slacks(list)
	}
	if len(list) == 0 {
		return p
	}
	node := int32(p.Len() + len(list))
	for _, g := range groups {
		node = g.place(node)
	}
	return p.WithSlacks(list)
}

// Rows returns the number of multipliers: one for each row of the joints, then the tension of every spring and damper, six stresses of each
// bushing, and the tension of each cable.
func (n *Newton) Rows() int { return len(n.x) - n.first + len(n.springs.rows) + n.strains.stresses }

// Levels returns the number of levels that Linearize may be given.
func (n *Newton) Levels() int { return int(kkt.KeepAll) + 1 }

// Linearize factors the Newton matrix, theory.md (57), (58), at st for ∂q/∂u = position, s², and ∂v/∂u = velocity, s. With level 0 rows
// with small pivots count as redundant. Higher levels, below Levels, converge more slowly but also work for mechanisms that are nearly
// singular.
//
// If the next call is a Correct at the same state, it reuses the forces that Linearize has computed.
//
// Cost: O(bodies + joints) + a factorization; no allocation but for errors.
// It returns mechanism.ErrNotFinite, mechanism.ErrNonholonomic, joints.ErrNoDirection or
// mechanism.ErrNoDirection with the name of the body, joint or force, or a
// *factor.PivotError. It panics if the level is out of range, or if position or
// velocity is negative or no number.
func (n *Newton) Linearize(st *mechanism.State, position, velocity float64, level int) error {
	n.enter()
	defer n.guard.Leave()
	mustHaveState(st)
	if uint(level) >= uint(n.Levels()) {
		panic("motion: level out of range")
	}
	if !(position >= 0 && velocity >= 0) {
		panic("motion: derivative out of range")
	}
	if err := n.fill(st); err != nil {
		return err
	}
	for v, w := n.fac.Matrix.Val, n.sys.Matrix.Val; len(w) > 0; { // in parts, as the first writes to new memory take long
		k := copy(v, w[:min(len(w), copyPart)])
		if v, w = v[k:], w[k:]; n.fac.Watched().Up() {
			return n.fac.Watched().Err()
		}
	}
	n.fac.Changed()
	n.setScales()
	for _, g := range n.groups {
		if err := g.fill(st, position, velocity); err != nil {
			return err
		}
	}
	if err := n.fac.Factorize(kkt.Way(level)); err != nil {
		return fault.Errorf("motion: %w", err)
	}
	n.keepFill(st)
	return nil
}

// fill stores the equations of motion at st in n.sys.
func (n *Newton) fill(st *mechanism.State) error {
	n.fresh = false
	if err := n.sys.Layout.Mech.Holonomic(); err != nil {
		return fault.Errorf("motion: %w", err)
	}
	return n.sys.FillTo(st)
}

// keepFill notes that n.sys has the equations at st. It does so with contacts only, which take most of the time of fill.
func (n *Newton) keepFill(st *mechanism.State) {
	if !n.contacts {
		return
	}
	f := &n.filled
	f.Time = st.Time
	copy(f.Bodies, st.Bodies)
	f.Angles, f.Internal = append(f.Angles[:0], st.Angles...), append(f.Internal[:0], st.Internal...)
	n.fresh = true
}

// refill is fill, unless n.sys already has the equations at st.
func (n *Newton) refill(st *mechanism.State) error {
	f := &n.filled
	if n.fresh && f.Time == st.Time && slices.Equal(f.Bodies, st.Bodies) && slices.Equal(f.Angles, st.Angles) && slices.Equal(f.Internal, st.Internal) {
		n.fresh = false
		return nil
	}
	return n.fill(st)
}

// at returns err as an error at the body, joint, coupling or force element of a node of n.fac, as assemble.Layout.At does.
func (n *Newton) at(node, row int, err error) *mechanism.Error {
	l := n.sys.Layout
	slacks := (n.fac.Matrix.Pattern.Len() - l.Pattern.Len()) / 2
	nb, joints := l.Mech.NumBodies(), n.fac.Matrix.Pattern.Len()-slacks
	switch {
	case node < nb:
		return l.At(node, row, err)
	case node < nb+slacks:
		return n.atSlack(node-nb, err)
	case node < joints:
		return l.At(node-slacks, row, err)
	}
	return n.atSlack(node-joints, err)
}

// atSlack returns err as an error at the element to which slack i belongs.
func (n *Newton) atSlack(i int, err error) *mechanism.Error {
	for _, g := range n.groups {
		if nodes := len(g.slacks(nil)); i < nodes {
			return g.at(i, err)
		} else {
			i -= nodes
		}
	}
	panic("motion: node out of range")
}

// Correct stores in du and dlambda the Newton correction of accelerations u and multipliers lambda for the end st of a step, whose poses
// and velocities follow from u, theory.md (56). With the last factored matrix, the correction solves
//
//	M·du + gᵀ·dτ − Jᵀ·dλ = f − M·u − gᵀ·τ + Jᵀ·λ,   J·du = −δ/p,   κ·g·du − dτ = τ − T
//
// where p is position, s velocity, and δ the position errors of the joints. The rows g give the rates of the coordinates of springs and
// dampers, κ = p·stiffness + s·damping, and T are the tensions of springs and dampers at st, which are not in f. A freedom with armature
// adds I to κ and I·q̈ to T. The unknowns τ converge to T. The right sides are exact at st. If T were put in the place of τ throughout,
// small errors of lengths on the way of Newton's method would be large forces, and for stiff springs the iteration would diverge.
//
// Friction that grows with a reaction uses the reaction by lambda, which is stored in st.Bearings if that has the length for it. In the
// matrix such friction keeps its value of the last Linearize.
//
// Shapes: du and u have six entries a body, ω̇ and acceleration of the centre of mass, world
// axes; dlambda and lambda have Rows entries, λ and then τ.
// Cost: O(bodies + joints + forces) + a solve; no allocation but for errors.
// It returns the errors of Linearize except *factor.PivotError. It panics without a factor.
func (n *Newton) Correct(du, dlambda []float64, st *mechanism.State, u, lambda []float64, position float64) error {
	n.enter()
	defer n.guard.Leave()
	mustHaveState(st)
	st, err := n.bearingState(st, lambda)
	if err != nil {
		return err
	}
	if err := n.refill(st); err != nil {
		return err
	}
	if n.sys.WeighTo(n.x, u); n.fac.Watched().Up() {
		return n.fac.Watched().Err()
	}
	joints := n.Rows() - len(n.springs.rows) - n.strains.stresses
	lambda, tensions, stresses := lambda[:joints], lambda[joints:joints+len(n.springs.rows)], lambda[joints+len(n.springs.rows):]
	for i, l := range lambda {
		n.x[n.first+i] = -l
	}
	n.sys.Matrix.ResidualTo(n.r, n.sys.Right, n.x)
	n.addHeld(u)
	n.setErrors(st, -1/position)
	if n.fac.Watched().Up() {
		return n.fac.Watched().Err()
	}
	n.springs.setTensions(tensions, u, st)
	if err := n.strains.setStresses(stresses, st); err != nil {
		return fault.Errorf("motion: %w", err)
	}
	n.solve()
	n.sys.AccelerationsTo(du, n.y)
	y := n.y[n.first+n.gap:]
	for i := range joints {
		dlambda[i] = -y[i]
	}
	for i, root := range n.springs.root {
		dlambda[joints+i] = root * y[joints+i]
	}
	n.strains.stressesTo(dlambda[joints+len(n.springs.rows):])
	return nil
}

// setErrors stores the position errors of joints and couplings at st, times factor, in their rows of n.r.
func (n *Newton) setErrors(st *mechanism.State, factor float64) {
	l := n.sys.Layout
	p := l.Pattern
	var jk mechanism.JointKinematics
	var delta [6]float64
	for node := p.Positive(); node < p.Len(); node++ {
		j := l.NodeJoint(node)
		if j < 0 {
			phi, _ := l.Mech.CouplingErrors(l.NodeConstraint(node)-l.Mech.NumJoints(), n.sys.Kin, st)
			n.r[p.Off[node]] = factor * phi
			continue
		}
		l.Mech.JointTo(&jk, j, n.sys.Kin, st)
		l.Mech.Joints[j].PositionErrorTo(&delta, &jk.Frames, st.Time)
		r := n.r[p.Off[node]:p.Off[node+1]]
		for k := range r {
			r[k] = factor * delta[k]
		}
	}
}

// Soften replaces e, six numbers a body like accelerations at st, by the part that the joints allow and that springs and dampers do not
// suppress within a step. That part is x with
//
//	(M + p·K + s·D)·x − Jᵀ·μ = M·e,   J·x = 0
//
// and the last factored matrix, theory.md (58).
//
// Cost: O(bodies) + a solve; no allocation but for errors. It returns mechanism.ErrNotFinite
// with the name of the body.
func (n *Newton) Soften(e []float64, st *mechanism.State) error {
	n.enter()
	defer n.guard.Leave()
	mustHaveState(st)
	n.fresh = false
	if err := n.sys.Layout.Mech.KinematicsTo(n.sys.Kin, st); err != nil {
		return err
	}
	n.sys.WeighTo(n.r, e)
	clear(n.r[n.first:])
	n.springs.addArmature(e, st)
	n.solve()
	n.sys.AccelerationsTo(e, n.y)
	return nil
}

// Allow changes v, velocities of the bodies, six numbers each about the centre of mass, until they satisfy the joints at the poses of st.
// Its corrections, with the last factored matrix, theory.md (58), are the least ones in the metric M + p·K + s·D. It ends where rounding
// or the age of the factor stops progress. It returns the largest remaining error of a row, m/s or rad/s, relative to 1 + the largest
// velocity.
//
// Cost: O(bodies + joints) + up to twelve solves; no allocation but for errors. It returns errors as Correct does.
func (n *Newton) Allow(v []float64, st *mechanism.State) (left float64, err error) {
	n.enter()
	defer n.guard.Leave()
	mustHaveState(st)
	n.sys.Unloaded = true
	err = n.fill(st)
	n.sys.Unloaded = false
	if err != nil {
		return 0, err
	}
	n.setRates(st)
	last := math.Inf(1)
	for range newtonRates {
		n.sys.WeighTo(n.x, v)
		clear(n.x[n.first:])
		// n.sys.Right holds the prescribed rates in the joints' rows.
		n.sys.Matrix.ResidualTo(n.r, n.sys.Right, n.x)
		left = algebra.MaxAbs(n.r[n.first:]) / (1 + algebra.MaxAbs(v))
		if ratesEnd(left, last) {
			break
		}
		last = left
		clear(n.r[:n.first])
		n.solve()
		n.sys.AccelerationsTo(n.y, n.y)
		for i := range v {
			v[i] += n.y[i]
		}
	}
	return left, nil
}

// ratesEnd reports whether the projection of velocities ends at the error left, after the error last of the correction before.
func ratesEnd(left, last float64) bool {
	return left <= newtonRateTol || !(left < newtonRateDrop*last)
}

// setRates stores the prescribed rates of the joints at the time of st in their rows of n.sys.Right, and zeros elsewhere.
func (n *Newton) setRates(st *mechanism.State) {
	clear(n.sys.Right)
	l := n.sys.Layout
	var jk mechanism.JointKinematics
	var rows joints.Rows
	for _, j := range n.driven {
		jt := &l.Mech.Joints[j]
		l.Mech.JointTo(&jk, int(j), n.sys.Kin, st)
		if jt.EvalTo(&rows, &jk.Frames, st.Time) != nil {
			continue // FillTo has refused such poses
		}
		copy(n.sys.Right[l.Pattern.Off[l.JointNode(int(j))]:], rows.Sigma[:jt.Rows])
	}
}

// RowsOf returns the first multiplier of joint j and the number of its multipliers, (0, 0) if j has no rows. It panics if j is out of
// range.
func (n *Newton) RowsOf(j int) (first, rows int) {
	l := n.sys.Layout
	if uint(j) >= uint(l.Mech.NumJoints()) {
		panic("motion: joint out of range")
	}
	node := l.JointNode(j)
	if node < 0 {
		return 0, 0
	}
	return int(l.Pattern.Off[node]) - n.first, int(l.Pattern.Size[node])
}

// enter panics if another goroutine uses n, or if n was not made by NewNewton.
func (n *Newton) enter() {
	if n == nil || n.slacked == nil {
		panic("motion: zero Newton; use NewNewton")
	}
	if !n.guard.Enter() {
		panic("motion: Newton used by two goroutines")
	}
}
