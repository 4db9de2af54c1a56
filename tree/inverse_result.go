package tree

import "math"

// Forces returns the forces of the actuators, in their order: N m for freedoms
// that turn, N for those that slide. It is not a copy.
//
// It panics without a solution, as the other methods here do.
func (v *Inverse) Forces() []float64 {
	v.mustHave()
	return v.force
}

// Actuation returns whether the forces are unique.
func (v *Inverse) Actuation() Actuation {
	v.mustHave()
	return v.kind
}

// Mobility returns the number of independent motions.
func (v *Inverse) Mobility() int {
	v.mustHave()
	return v.m.count
}

// Distance returns how far the wanted accelerations were from those that the
// joints allow: the root mean square over all mass, √(ΣΔaᵀ·diag(I, m)·Δa/Σm),
// m/s².
func (v *Inverse) Distance() float64 {
	v.mustHave()
	return v.distance
}

// Residual returns what the forces leave of Gᵀ·τ_ID, relative to it: rounding.
func (v *Inverse) Residual() float64 {
	v.mustHave()
	return v.residual
}

// JointAccelerations returns the accelerations q̈ that the forces give. It is not
// a copy.
func (v *Inverse) JointAccelerations() []float64 {
	v.mustHave()
	return v.s.qdd
}

// AddTo adds to tau the generalized forces on the tree of the solution, those of
// actuated loop joints included.
//
// Shapes: tau has NumDof entries. It panics on a length mismatch.
func (v *Inverse) AddTo(tau []float64) {
	v.mustHave()
	n := v.m.n
	if len(tau) != n {
		panic("tree: length mismatch")
	}
	for j, u := range v.force {
		axpy(u, v.B[j*n:(j+1)*n], tau)
	}
}

func (v *Inverse) mustHave() {
	if !v.ok {
		panic("tree: no solution")
	}
}

// underactuated names the motions that the last columns of U leave without
// control. It may allocate.
func (v *Inverse) underactuated(rank int) error {
	m, count := v.m, v.m.count
	e := &UnderactuatedError{Mobility: count, Rank: rank}
	lost := count - rank
	motions := newElimination(lost, m.n)
	b := v.b[:count]
	missing := 0.0
	for k := range lost {
		// The motion ẏ = R⁻ᵀ·z of a left singular vector z, with GᵀHG = R·Rᵀ.
		y := m.z[:count]
		part := 0.0
		for i := range y {
			y[i] = v.u[i*count+rank+k]
			part += y[i] * b[i]
		}
		missing += part * part
		for i := count - 1; i >= 0; i-- {
			row := m.A[i*m.n : i*m.n+i+1]
			y[i] /= row[i]
			axpy(-y[i], row[:i], y[:i])
		}
		row := motions.row(k)
		clear(row)
		m.prolong(row, y)
	}
	if size := dot(b, b); size > 0 {
		e.Residual = math.Sqrt(missing / size)
	}
	// The pivots are freedoms that tell these motions apart.
	motions.factor(0)
	for _, d := range motions.colPerm[:motions.rank] {
		e.Freedoms = append(e.Freedoms, v.s.plan.DofName(int(d)))
	}
	return e
}
