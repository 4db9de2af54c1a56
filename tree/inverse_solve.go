package tree

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// This file solves Z·u = z.

// finish solves for the forces that bring about the accelerations s.qdd, and decides whether the actuators are enough.
func (v *Inverse) finish() error {
	s := v.s
	s.w.InverseTo(v.tau, s.qdd)
	if s.G != nil {
		s.G.addForcesTo(v.tau, s.qdd)
	}
	v.by.ofForce(v.z[:v.by.dim()], v.tau)
	v.fillEffects()
	var err error
	if v.rank, err = v.decompose(v.norm); err != nil {
		return err
	}
	scale := v.norm
	if len(v.actuators) > v.rank {
		scale = v.use
		if _, err := v.decompose(scale); err != nil {
			return err
		}
	}
	v.solveForces(scale)
	v.compare()
	switch {
	case v.rank < v.mobility:
		v.kind = mechanism.ActuationUnder
		v.ok = true
		if v.residual > missedTol {
			return v.underactuated()
		}
		return nil
	case len(v.actuators) > v.mobility:
		v.kind = mechanism.ActuationRedundant
	default:
		v.kind = mechanism.ActuationProper
	}
	if !(v.residual <= accurateTol) {
		return v.s.atWorst(v.dq, fault.Errorf("%w (relative residual of the actuators %.3g)", ErrInaccurate, v.residual))
	}
	v.ok = true
	return nil
}

// fillEffects stores Z and the scales of its columns. The column of an actuator in a joint that cannot move is rounding, so its scales are
// zero.
func (v *Inverse) fillEffects() {
	n, c := len(v.x), len(v.actuators)
	y := v.y[:v.by.dim()]
	for j := range c {
		B := v.B[j*n : (j+1)*n]
		v.by.ofForce(y, B)
		free := 0.0
		for d, scale := range v.s.colScale {
			free += scale * B[d] * scale * B[d]
		}
		v.norm[j], v.use[j] = 0, 0
		if size := norm2(y); size > controlTol*math.Sqrt(free) {
			v.norm[j], v.use[j] = 1/size, v.weight[j]
		}
		for i, x := range y {
			v.Z[i*c+j] = x
		}
	}
}

// decompose computes the singular value decomposition of Z with its columns multiplied by scale. It returns the number of singular values
// that count as control, or an error with the joint of an actuator if they cannot be found.
func (v *Inverse) decompose(scale []float64) (rank int, err error) {
	rows, c := v.by.dim(), len(v.actuators)
	k := min(rows, c)
	if k == 0 {
		return 0, nil
	}
	for i := range rows {
		for j := range c {
			v.a[i*c+j] = v.Z[i*c+j] * scale[j]
		}
	}
	a := blas64.General{Rows: rows, Cols: c, Stride: c, Data: v.a[:rows*c]}
	u := blas64.General{Rows: rows, Cols: k, Stride: k, Data: v.u[:rows*k]}
	vt := blas64.General{Rows: k, Cols: c, Stride: c, Data: v.vt[:k*c]}
	if err := eigen.SingularTo(a, u, vt, v.sv[:k], v.work); err != nil {
		return 0, fault.Errorf("tree: %w", v.s.plan.mech.AtJoint(v.worst(), -1, fault.Errorf("%w: singular values of the actuators: %w", ErrInaccurate, err)))
	}
	for rank < k && v.sv[rank] > controlTol*max(1, v.sv[0]) {
		rank++
	}
	return rank, nil
}

// worst returns the joint of the first actuator whose column of Z is not finite, or else of the actuator with the largest column; 0 without
// actuators.
func (v *Inverse) worst() int {
	most := algebra.NewPeak(-1)
	rows, c := v.by.dim(), len(v.actuators)
	for j := range c {
		size := 0.0
		for i := range rows {
			size = max(size, math.Abs(v.Z[i*c+j]))
		}
		if !(size <= math.MaxFloat64) {
			return v.actuators[j].Joint
		}
		most.Take(size, j)
	}
	if most.At < 0 {
		return 0
	}
	return v.actuators[most.At].Joint
}

// solveForces stores in v.force the forces u = scale·V·Σ⁻¹·Uᵀ·z of the actuators. It then corrects u by the same formula for the part of z
// that these forces leave, as long as corrections shrink.
func (v *Inverse) solveForces(scale []float64) {
	rows, c := v.by.dim(), len(v.actuators)
	k, y := min(rows, c), v.y[:rows]
	clear(v.force)
	copy(y, v.z)
	last := math.Inf(1)
	for range refineMax {
		clear(v.du)
		for e := range v.rank {
			sum := 0.0
			for i, x := range y {
				sum += v.u[i*k+e] * x
			}
			axpy(sum/v.sv[e], v.vt[e*c:(e+1)*c], v.du)
		}
		for j, x := range v.du {
			v.du[j] = scale[j] * x
			v.force[j] += v.du[j]
		}
		// A correction that does not shrink is rounding.
		size := norm2(v.du)
		if !(size <= 0.25*last) || size <= refineTol*norm2(v.force) {
			return
		}
		last = size
		v.remainder()
	}
}

// remainder stores in y the part of z that the forces leave: the z of τ_ID − B·u.
func (v *Inverse) remainder() {
	copy(v.x, v.tau)
	for j, u := range v.force {
		axpy(-u, v.B[j*len(v.x):(j+1)*len(v.x)], v.x)
	}
	v.by.ofForce(v.y[:v.by.dim()], v.x)
}

// compare stores the residual: the largest difference between the accelerations of bodies that the forces bring about and the wanted ones.
// It is relative to the larger of two sizes: the wanted accelerations, and the accelerations by the loads without joints.
func (v *Inverse) compare() {
	s := v.s
	v.remainder()
	v.by.toAcceleration(v.dq, v.y[:v.by.dim()])
	s.w.accelerate(s.qdd)
	size := s.w.freeAcceleration()
	for i := range s.w.links {
		size = max(size, largestIn(s.w.links[i].a[:]))
	}
	v.residual = s.w.spread(v.dq)
	if size > 0 {
		v.residual /= size
	}
}

// spread returns the largest component of J·dq over all links: the difference of their accelerations for a difference dq of q̈.
func (w *Workspace) spread(dq []float64) (most float64) {
	w.sweep(dq)
	for i := range w.links {
		most = max(most, largestIn(w.links[i].a[:]))
	}
	return most
}

// sweep stores J·x in the accelerations of the links, from the root to the tips.
func (w *Workspace) sweep(x []float64) {
	p := w.plan
	var none linkState
	for i := range p.Links {
		l, st := &p.Links[i], &w.links[i]
		up := &none
		if l.Parent != World {
			up = &w.links[l.Parent]
		}
		carryVelocity((*spatial.Motion)(&st.a), (*spatial.Motion)(&up.a), &st.r)
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			x, S := x[d], &w.s[d]
			for k := range st.a {
				st.a[k] += x * S[k]
			}
		}
	}
}

// freeAcceleration returns the largest acceleration that the loads would give to a free body: the largest component of f/m and of n/tr(I),
// m/s² or rad/s².
func (w *Workspace) freeAcceleration() (most float64) {
	for i := range w.force {
		f := &w.force[i]
		most = max(most, angularSize(f, &w.kin.I[i]), largestIn(f[3:])/w.plan.mech.Bodies[i].Mass)
	}
	return most
}

// angularSize returns the largest component of n/tr(I) for the moment n of f, and 0 for a point mass.
func angularSize(f *spatial.Force, I *spatial.Sym3) float64 {
	if t := I.Trace(); t > 0 {
		return largestIn(f[:3]) / t
	}
	return 0
}

// svdWork returns the length of the work space that Gesvd needs for matrices of at most rows×cols.
func (v *Inverse) svdWork(rows, cols int) int {
	least, most := min(rows, cols), max(rows, cols)
	if least == 0 {
		return 1
	}
	var w [1]float64
	a := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: v.a}
	u := blas64.General{Rows: rows, Cols: least, Stride: least, Data: v.u}
	vt := blas64.General{Rows: least, Cols: cols, Stride: cols, Data: v.vt}
	lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, a, u, vt, v.sv, w[:], -1)
	return max(int(w[0]), 5*least, 3*least+most)
}
