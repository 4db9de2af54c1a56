package tree

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Actuator is a freedom of a joint that can exert a generalized force, with the
// meaning of a drive's force in rung-model/1. The joint may close a loop.
type Actuator = mechanism.Freedom

// Actuation says how the actuators relate to the mobility.
type Actuation uint8

// The kinds of actuation that allow every motion (RBDA §8.12).
const (
	Proper    Actuation = iota // as many actuators as freedoms: unique forces
	Redundant                  // more: the forces of least weighted norm
)

// UnderactuatedError says that the actuators do not control all motions that the
// joints allow.
type UnderactuatedError struct {
	Freedoms []string // of joints: with these at rest, all uncontrolled motion is
	Mobility int
	Rank     int     // independent motions under control
	Residual float64 // part of the forces needed that no actuator gives, relative to all
}

// Error implements error.
func (e *UnderactuatedError) Error() string {
	return fmt.Sprintf("tree: actuators control %d of %d freedoms; not controlled: %s",
		e.Rank, e.Mobility, strings.Join(e.Freedoms, ", "))
}

// controlTol is the smallest effect of the actuators on a motion, relative to
// that of each of them as a whole, that counts as control.
const controlTol = 1e-9

// Inverse computes the inverse dynamics of a mechanism with loops for a choice of
// actuators (RBDA §8.12): the forces u with
//
//	Gᵤᵀ·u = Gᵀ·τ_ID,
//
// where τ_ID are the forces of the spanning tree for the wanted accelerations and
// Gᵤ the rows of G of the actuated freedoms. The forces come in addition to the
// loads of the mechanism, the drives of the actuated joints included. It belongs
// to one goroutine at a time.
type Inverse struct {
	s         *ClosedSolver
	m         *projection
	actuators []Actuator
	weight    []float64 // 1/√w by actuator
	B         []float64 // generalized forces on the tree of unit forces, by actuator n entries

	tau, b, x      []float64
	M              []float64 // Gᵀ·B over the factor of GᵀHG, m×p by rows
	a, u, vt       []float64 // singular values decomposition
	sv, work, norm []float64
	force          []float64

	kind               Actuation
	distance, residual float64
	ok                 bool
}

// NewInverse allocates the inverse dynamics for the actuators. Of several
// solutions it takes the one with the least Σ weights·u²; nil weights are ones.
//
// It panics if an actuator does not exist or is named twice, or unless weights
// are positive, one an actuator.
func (p *Plan) NewInverse(actuators []Actuator, weights []float64) *Inverse {
	if weights != nil && len(weights) != len(actuators) {
		panic("tree: length mismatch")
	}
	seen := make(map[Actuator]bool, len(actuators))
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
	s := p.NewSolver(Projection, SolverOptions{})
	v := &Inverse{
		s: s, m: s.how.(*projection), actuators: append([]Actuator(nil), actuators...),
		weight: make([]float64, c), B: make([]float64, c*n), force: make([]float64, c), norm: make([]float64, c),
		tau: make([]float64, n), b: make([]float64, n), x: make([]float64, n),
		M: make([]float64, n*c), a: make([]float64, n*c), u: make([]float64, n*n), vt: make([]float64, min(n, c)*c),
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

// Solve computes the forces for the accelerations qdd of the tree at st. qdd need
// not satisfy the loops: the nearest accelerations that do are taken, nearest in
// the norm of the kinetic energy. A nil qdd is zero.
//
// Shapes: qdd has NumDof entries.
// Cost: that of a Projection, O(n·m·p) and the singular values of an m×p matrix.
// It returns an *UnderactuatedError, or errors as ClosedSolver.Solve does. It
// panics as that does.
func (v *Inverse) Solve(st *mechanism.State, qdd []float64) error {
	if qdd != nil && len(qdd) != v.m.n {
		panic("tree: length mismatch")
	}
	if err := v.prepare(st); err != nil {
		return err
	}
	clear(v.x)
	if qdd != nil {
		copy(v.x, qdd)
	}
	v.s.H.MulVecTo(v.tau, v.x)
	copy(v.s.f, v.tau)
	if err := v.s.refine(); err != nil {
		return err
	}
	for d := range v.x {
		v.x[d] -= v.s.qdd[d]
	}
	v.s.H.MulVecTo(v.tau, v.x)
	v.distance = v.perMass(dot(v.tau, v.x))
	return v.finish()
}

// SolveBodies is Solve for wanted accelerations of the bodies: ω̇ and the
// classical acceleration of the centre of mass, world axes. They need satisfy no
// joint; the nearest ones that satisfy all are taken.
//
// Shapes: a has one entry a body, or is nil, which asks the bodies to keep their
// velocities.
func (v *Inverse) SolveBodies(st *mechanism.State, a []spatial.ClassicalAccel) error {
	p := v.s.plan
	if a != nil && len(a) != len(p.Links) {
		panic("tree: length mismatch")
	}
	if err := v.prepare(st); err != nil {
		return err
	}
	// The least squares on the tree: H·q̈ = Jᵀ·diag(I, m)·(a − a_vp).
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
	if err := s.refine(); err != nil {
		return err
	}
	s.w.accelerate(s.qdd)
	sum := 0.0
	for i := range p.Links {
		var f spatial.Force
		d := v.missing(a, i, &s.w.links[i].a)
		v.momentumTo(&f, p.Links[i].Body, d)
		sum += (*spatial.Motion)(&d).Dot(&f)
	}
	v.distance = v.perMass(sum)
	return v.finish()
}

// missing returns the wanted acceleration of link i less have.
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
	n := v.s.w.kin.Bodies[body].I.MulVec(a.Angular())
	*f = spatial.NewForce(n, a.Linear().Scale(v.s.plan.mech.Bodies[body].Mass))
}

// perMass returns √(x/mass of all bodies).
func (v *Inverse) perMass(x float64) float64 {
	mass := 0.0
	for i := range v.s.plan.mech.Bodies {
		mass += v.s.plan.mech.Bodies[i].Mass
	}
	if mass == 0 {
		return 0
	}
	return math.Sqrt(max(x, 0) / mass)
}

// prepare makes st the state in use and eliminates the constraints.
func (v *Inverse) prepare(st *mechanism.State) error {
	v.ok = false
	s := v.s
	if err := s.w.SetState(st); err != nil {
		return err
	}
	if err := s.prepare(nil); err != nil {
		return err
	}
	if err := s.how.factor(s); err != nil {
		return err
	}
	v.actuate()
	return nil
}

// actuate stores in B the generalized forces of unit forces of the actuators.
func (v *Inverse) actuate() {
	p, w, n := v.s.plan, v.s.w, v.m.n
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
		var unit [6]float64
		var f spatial.Force
		unit[a.Freedom] = 1
		w.loopTo(&jk, l)
		p.mech.Joints[a.Joint].WrenchTo(&f, &unit, &jk.Frames)
		if l.Succ != World {
			arm := jk.ArmS.Sub(w.com(l.Succ))
			t := atCom(&f, &arm, 1)
			w.AddGeneralizedForceTo(col, int(l.Succ), int(l.Common), &t, 1)
		}
		if l.Pred != World {
			arm := jk.ArmP.Add(jk.R).Sub(w.com(l.Pred))
			t := atCom(&f, &arm, 1)
			w.AddGeneralizedForceTo(col, int(l.Pred), int(l.Common), &t, -1)
		}
	}
}

// finish solves for the forces, with the accelerations in s.qdd.
func (v *Inverse) finish() error {
	m, s := v.m, v.s
	// b = Gᵀ·τ_ID and M = Gᵀ·B, in the scales of the freedoms and over the factor
	// of GᵀHG, so that all motions count by their energy.
	s.w.InverseTo(v.tau, s.qdd)
	count, c := m.count, len(v.actuators)
	b := v.b[:count]
	v.restrict(b, v.tau)
	for j := range c {
		y := m.z[:count]
		v.restrict(y, v.B[j*m.n:(j+1)*m.n])
		for i, x := range y {
			v.M[i*c+j] = x
		}
		v.norm[j] = 0
		if size := math.Sqrt(dot(y, y)); size > 0 {
			v.norm[j] = 1 / size
		}
	}
	rank, err := v.decompose(v.norm)
	if err != nil {
		return err
	}
	if rank < count {
		return v.underactuated(rank)
	}
	v.kind = Proper
	scale := v.norm
	if c > count {
		v.kind, scale = Redundant, v.weight
		if _, err := v.decompose(scale); err != nil {
			return err
		}
	}
	v.solveForces(scale)
	v.ok = true
	return nil
}

// restrict stores Gᵀ·f in dst, in the coordinates of finish.
func (v *Inverse) restrict(dst, f []float64) {
	m := v.m
	for d := range v.x {
		v.x[d] = v.s.colScale[d] * f[d]
	}
	m.restrict(dst, v.x, len(m.elims))
	for i := range dst {
		row := m.A[i*m.n : i*m.n+i+1]
		dst[i] = (dst[i] - dot(row[:i], dst[:i])) / row[i]
	}
}

// decompose computes the singular values of M with its columns scaled, and
// returns how many count.
func (v *Inverse) decompose(scale []float64) (rank int, err error) {
	count, c := v.m.count, len(v.actuators)
	k := min(count, c)
	if k == 0 {
		for i := range count {
			clear(v.u[i*count : (i+1)*count])
			v.u[i*count+i] = 1
		}
		return 0, nil
	}
	for i := range count {
		for j := range c {
			v.a[i*c+j] = v.M[i*c+j] * scale[j]
		}
	}
	a := blas64.General{Rows: count, Cols: c, Stride: c, Data: v.a[:count*c]}
	u := blas64.General{Rows: count, Cols: count, Stride: count, Data: v.u[:count*count]}
	vt := blas64.General{Rows: k, Cols: c, Stride: c, Data: v.vt[:k*c]}
	if !lapack64.Gesvd(lapack.SVDAll, lapack.SVDStore, a, u, vt, v.sv[:k], v.work, len(v.work)) {
		return 0, fmt.Errorf("%w: singular values of the actuators", ErrInaccurate)
	}
	for rank < k && v.sv[rank] > controlTol*max(1, v.sv[0]) {
		rank++
	}
	return rank, nil
}

// solveForces stores u = scale·V·Σ⁻¹·Uᵀ·b and the residual.
func (v *Inverse) solveForces(scale []float64) {
	count, c := v.m.count, len(v.actuators)
	b := v.b[:count]
	clear(v.force)
	for k := range count {
		sum := 0.0
		for i, x := range b {
			sum += v.u[i*count+k] * x
		}
		axpy(sum/v.sv[k], v.vt[k*c:(k+1)*c], v.force)
	}
	for j := range v.force {
		v.force[j] *= scale[j]
	}
	v.residual = 0
	for i, x := range b {
		r := x - dot(v.M[i*c:(i+1)*c], v.force)
		v.residual += r * r
	}
	v.residual = math.Sqrt(v.residual)
	if size := math.Sqrt(dot(b, b)); size > 0 {
		v.residual /= size
	}
}

// svdWork returns the length of the work space of Gesvd for matrices of at most
// rows×cols.
func (v *Inverse) svdWork(rows, cols int) int {
	least, most := min(rows, cols), max(rows, cols)
	if least == 0 {
		return 1
	}
	var w [1]float64
	a := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: v.a}
	u := blas64.General{Rows: rows, Cols: rows, Stride: rows, Data: v.u}
	vt := blas64.General{Rows: least, Cols: cols, Stride: cols, Data: v.vt}
	lapack64.Gesvd(lapack.SVDAll, lapack.SVDStore, a, u, vt, v.sv, w[:], -1)
	return max(int(w[0]), 5*least, 3*least+most)
}
