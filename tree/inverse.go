package tree

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// controlTol is the smallest effect of the actuators on a motion, relative to the whole effect of each actuator, that counts as control.
const controlTol = 1e-9

// missedTol is the largest Residual that counts as rounding. On mechanisms of some hundred bodies the accelerations of two methods differ
// by 1e-9 of the largest one.
const missedTol = 1e-7

// Inverse computes the inverse dynamics of a mechanism with loops for a choice of
// actuators (RBDA §8.12): the forces u with
//
//	Gᵤᵀ·u = Gᵀ·τ_ID,
//
// where τ_ID are the forces of the spanning tree for the wanted accelerations and Gᵤ the rows of G of the actuated freedoms. For an
// actuator in a joint that closes a loop, Gᵤ has the row that gives the freedom's rate by ẏ. The forces u act in addition to the loads of
// the mechanism, which include the drives of the actuated joints. An Inverse belongs to one goroutine at a time.
//
// The equation says that the accelerations by the actuators alone are P·τ_ID. They are P·B·u, with P as in the comment of energy and B the
// generalized forces on the tree of unit forces of the actuators. In this form every Method solves the equation, even without a G, in the
// coordinates of energy:
//
//	Z·u = z,
//
// by the singular values of Z. Where the actuators do not control all motions, the least-squares solution gives the actuated freedoms the
// wanted accelerations; the other freedoms move by Gauss's principle.
type Inverse struct {
	s         *ClosedSolver
	by        energy
	actuators []mechanism.Freedom
	weight    []float64 // by actuator: 1/√w
	B         []float64 // by actuator: n generalized forces on the tree of its unit force

	wanted []float64 // wanted accelerations, six numbers a body
	load   []float64 // n: τ − C
	tau, x []float64 // n: τ_ID, and memory
	dq     []float64 // n: wanted accelerations less the accelerations that the forces bring about
	y      []float64 // coordinates of energy; the first dim of n entries are used
	z      []float64 // z of τ_ID, in the first dim of n entries
	Z      []float64 // dim×p by rows: by actuator a column z of its unit force

	a, u, vt, sv   []float64 // singular value decomposition of Z with its columns scaled
	work           []float64
	norm, use      []float64 // by actuator: scale of its column of Z, by its length, and by its weight; zero if it has no effect
	force, du      []float64 // by actuator: its force, and a correction
	rank, mobility int
	kind           mechanism.Actuation

	distance, residual float64
	ok                 bool
}

// NewInverse allocates the inverse dynamics for the actuators, by the method m. Where several solutions exist, it takes the solution with
// the least Σ weights·u². Nil weights stand for ones.
//
// Cost: memory as NewSolver, and O(n·p) for p actuators.
// It panics if an actuator does not exist or is named twice, or unless weights
// are positive, one an actuator.
func (p *Plan) NewInverse(m Method, actuators []mechanism.Freedom, weights []float64) *Inverse {
	if weights != nil && len(weights) != len(actuators) {
		panic("tree: length mismatch")
	}
	seen := make(map[mechanism.Freedom]bool, len(actuators))
	for _, a := range actuators {
		if a.Joint < 0 || a.Joint >= p.mech.NumJoints() || a.Freedom < 0 || a.Freedom >= p.mech.Joints[a.Joint].Kind.Freedoms() {
			panic("tree: no such freedom")
		}
		if seen[a] {
			panic("tree: actuator named twice")
		}
		seen[a] = true
	}
	n, c := p.nv, len(actuators)
	s := p.NewSolver(m, SolverOptions{})
	v := &Inverse{
		s: s, by: energyOf(s), actuators: append([]mechanism.Freedom(nil), actuators...),
		weight: make([]float64, c), B: make([]float64, c*n), force: make([]float64, c), du: make([]float64, c), norm: make([]float64, c), use: make([]float64, c),
		wanted: make([]float64, 6*len(p.Links)), load: make([]float64, n), tau: make([]float64, n), x: make([]float64, n), dq: make([]float64, n), y: make([]float64, n), z: make([]float64, n),
		Z: make([]float64, n*c), a: make([]float64, n*c), u: make([]float64, n*min(n, c)), vt: make([]float64, min(n, c)*c),
		sv: make([]float64, min(n, c)),
	}
	v.work = make([]float64, v.svdWork(n, c))
	for i := range v.weight {
		v.weight[i] = 1
		if weights != nil {
			if !(weights[i] > 0) || math.IsInf(weights[i], 1) {
				panic("tree: weight not positive")
			}
			v.weight[i] = 1 / math.Sqrt(weights[i])
		}
	}
	return v
}

// Solve computes the forces for the accelerations qdd of the tree at st. If qdd does not satisfy the loops, it takes the nearest
// accelerations that do, in the norm of the kinetic energy. A nil qdd stands for zeros. Solve does not check whether st satisfies the
// joints: Holds does.
//
// Shapes: qdd has NumDof entries.
// Cost: as the Method, p + 1 of its solutions, and the singular values of Z,
// m×p by a Projection and n×p by the others.
// It returns a *mechanism.UnderactuatedError; the results are then for the accelerations that come nearest. Or it returns errors as
// ClosedSolver.Solve does, or an error with the joint that wraps mechanism.ErrInput for an acceleration that is not finite; there are no
// results then. It panics as ClosedSolver.Solve does.
func (v *Inverse) Solve(st *mechanism.State, qdd []float64) error {
	if qdd != nil && len(qdd) != len(v.x) {
		panic("tree: length mismatch")
	}
	if err := v.prepare(st); err != nil {
		return err
	}
	if err := v.s.plan.mustBeFinite(givenAcceleration, qdd); err != nil {
		return err
	}
	clear(v.x)
	if qdd != nil {
		copy(v.x, qdd)
	}
	if v.s.plan.held != nil {
		v.s.bodyInertiaTo(v.s.f, v.x)
	} else {
		v.s.H.MulVecTo(v.s.f, v.x)
	}
	if s := v.s; s.G != nil {
		s.G.MulVecTo(s.k[s.K.rows:], v.x)
	}
	if err := v.consistent(); err != nil {
		return err
	}
	for d := range v.x {
		v.x[d] -= v.s.qdd[d]
	}
	v.distance = v.s.w.spread(v.x)
	return v.finish()
}

// SolveBodies is Solve for wanted accelerations of the bodies: ω̇ and the classical acceleration of the centre of mass, world axes. If they
// do not satisfy all joints, it takes the nearest accelerations that do.
//
// Shapes: a has one entry a body. A nil a stands for zeros.
func (v *Inverse) SolveBodies(st *mechanism.State, a []spatial.ClassicalAccel) error {
	p := v.s.plan
	if a != nil && len(a) != len(p.Links) {
		panic("tree: length mismatch")
	}
	if err := v.prepare(st); err != nil {
		return err
	}
	for i := range a {
		if !algebra.AllFinite(a[i][:]...) {
			return fault.Errorf("tree: %w", p.mech.AtBody(i, fault.Errorf("%w: %s %v is not finite", mechanism.ErrInput, givenAcceleration, a[i])))
		}
	}
	// Least squares on the tree: H·q̈ = Jᵀ·diag(I, m)·(a − a_vp), with a_vp the accelerations at q̈ = 0, and a term of the armature in H.
	s := v.s
	for i := range s.wrench {
		v.momentumTo(&s.wrench[i], p.Links[i].Body, v.missing(a, i, &s.K.vp[p.Links[i].Body]))
	}
	for i := len(p.Links) - 1; i >= 0; i-- {
		l := &p.Links[i]
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			s.f[d] = s.w.s[d].Dot(&s.wrench[i])
		}
		if l.Parent != World {
			addShifted(&s.wrench[l.Parent], &s.wrench[i], &s.w.links[i].r)
		}
	}
	v.gearsOf(a)
	if err := v.consistent(); err != nil {
		return err
	}
	s.w.accelerate(s.qdd)
	v.distance = 0
	for i := range p.Links {
		d := v.missing(a, i, &s.w.links[i].a)
		v.distance = max(v.distance, largestIn(d[:]))
	}
	return v.finish()
}

// gearsOf adds the terms of armature for the wanted accelerations of the bodies, with q̈_f the accelerations of freedoms that these give.
// To freedoms of the tree it adds the load I·q̈_f, as H has I on its diagonal. The gears get the right sides q̈_f − γ of their rows e·q̈
// + λ/I.
func (v *Inverse) gearsOf(wanted []spatial.ClassicalAccel) {
	s := v.s
	p := s.plan
	if p.rotors == nil && s.G == nil {
		return
	}
	a := v.wanted
	clear(a)
	for i := range wanted {
		copy(a[6*i:], wanted[i][:])
	}
	var qdd [6]float64
	for _, j := range p.mech.Geared() {
		k := p.linkOf(int(j))
		if k < 0 || p.mech.SecondRatesTo(&qdd, int(j), a, s.w.kin, s.w.state) != nil {
			continue // the joint closes a loop, or has no scalar freedom
		}
		first := int(p.Links[k].Dof)
		for d := range int(p.Links[k].NumDof) {
			s.f[first+d] += p.rotors[first+d] * qdd[d]
		}
	}
	if s.G == nil {
		return
	}
	for i := range s.G.list {
		leg := &s.G.list[i]
		if p.mech.SecondRatesTo(&qdd, int(leg.joint), a, s.w.kin, s.w.state) == nil { // else it has no scalar freedom
			s.k[s.K.rows+i] = qdd[leg.freedom] + s.G.rhs[i]
		}
	}
}

// consistent solves for the accelerations that the joints allow and that are nearest to the wanted ones. s.f has H times the wanted
// accelerations in place of the loads. For the check of the rows, the loads are put back into s.f, as the terms of a row depend on them.
func (v *Inverse) consistent() error {
	if err := v.s.correct(); err != nil {
		return err
	}
	copy(v.s.f, v.load)
	v.s.checkRows()
	return v.s.consistent()
}

// missing returns the wanted acceleration of the body of link i minus the acceleration have. A nil wanted stands for zeros.
func (v *Inverse) missing(wanted []spatial.ClassicalAccel, i int, have *spatial.ClassicalAccel) (d spatial.ClassicalAccel) {
	if wanted != nil {
		d = wanted[v.s.plan.Links[i].Body]
	}
	for k := range d {
		d[k] -= have[k]
	}
	return d
}

// momentumTo stores diag(I, m·1)·a of a body in f.
func (v *Inverse) momentumTo(f *spatial.Force, body int32, a spatial.ClassicalAccel) {
	n := v.s.w.kin.I[body].MulVec(a.Angular())
	*f = spatial.NewForce(n, a.Linear().Scale(v.s.plan.mech.Bodies[body].Mass))
}

// prepare makes st the state in use, factors the system, and computes B.
func (v *Inverse) prepare(st *mechanism.State) error {
	v.ok = false
	s := v.s
	if m := s.plan.mech; m.NumBearings() > 0 {
		return m.AtJoint(m.Bearing(0), -1, ErrReaction)
	}
	if err := s.w.SetState(st); err != nil {
		return err
	}
	if err := s.prepare(nil); err != nil {
		return err
	}
	if err := s.factor(); err != nil {
		return err
	}
	if err := v.by.prepare(); err != nil {
		return err
	}
	copy(v.load, s.f)
	v.mobility = s.plan.nv - s.rank
	v.actuate()
	return nil
}

// actuate stores in B the generalized forces on the tree of unit forces of the actuators.
func (v *Inverse) actuate() {
	p, w, n := v.s.plan, v.s.w, len(v.x)
	clear(v.B)
	for i, a := range v.actuators {
		col := v.B[i*n : (i+1)*n]
		if k := p.linkOf(a.Joint); k >= 0 {
			col[int(p.Links[k].Dof)+a.Freedom] = 1
			continue
		}
		l := p.loopOf(a.Joint)
		if l == nil {
			continue
		}
		var jk mechanism.JointKinematics
		var along mechanism.Along
		w.loopTo(&jk, l)
		p.mech.FreedomTo(&along, a, &jk, w.kin)
		for end, link := range [2]int32{l.Pred, l.Succ} {
			if link != World {
				f := along.On(end)
				w.AddGeneralizedForceTo(col, int(link), int(l.Common), &f, 1)
			}
		}
	}
}
