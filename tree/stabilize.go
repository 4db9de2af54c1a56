package tree

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Stabilization adds k_stab = −2α·δ̇ − β²·δ to k, so that violations of the loops decay (Baumgarte's method; RBDA §8.3). δ and δ̇ are the
// errors of the rows in positions and velocities. The zero value adds nothing.
type Stabilization struct {
	Alpha, Beta float64 // 1/s
}

// CriticallyDamped returns the stabilization with α = β = 1/T, with which a violation decays as fast as possible without overshoot.
//
// Units: s. It panics unless T is positive.
func CriticallyDamped(T float64) Stabilization {
	if !(T > 0) {
		panic("tree: time constant not positive")
	}
	return Stabilization{Alpha: 1 / T, Beta: 1 / T}
}

// ErrorsTo stores in delta the position errors δ of the rows of K (RBDA Table
// 8.1) and in rate the velocity errors K·q̇ − σ at the state in use. The rows are those of Loops, then of Prescribed, then of couplings.
//
// Shapes: delta and rate have NumRows entries. Units: m, rad and per second.
// Cost: O(loops + prescribed freedoms + couplings), no allocation.
// It returns joints.ErrNoDirection, with the joint's name. It panics on a length
// mismatch or without a state in use.
func (w *Workspace) ErrorsTo(delta, rate []float64) error {
	w.mustBeReady()
	p := w.plan
	if len(delta) != p.NumRows() || len(rate) != p.NumRows() {
		panic("tree: length mismatch")
	}
	if err := w.loopErrorsTo(delta, rate); err != nil {
		return err
	}
	w.prescribedErrorsTo(delta[p.LoopRows:], rate[p.LoopRows:])
	first := p.LoopRows + len(p.Prescribed)
	for i := range p.mech.NumCouplings() {
		delta[first+i], rate[first+i] = w.couplingErrors(i)
	}
	return nil
}

// loopErrorsTo is ErrorsTo for the rows of loops.
func (w *Workspace) loopErrorsTo(delta, rate []float64) error {
	p, t := w.plan, w.state.Time
	var jk mechanism.JointKinematics
	var d, v [6]float64
	for i := range p.Loops {
		l := &p.Loops[i]
		spec := &p.mech.Joints[l.Joint].Spec
		w.loopTo(&jk, l)
		spec.PositionErrorTo(&d, &jk.Frames, t)
		if err := spec.VelocityErrorTo(&v, &jk.Frames, t); err != nil {
			return fault.Errorf("tree: %w", p.mech.AtJoint(int(l.Joint), -1, err))
		}
		copy(delta[l.Row:l.Row+l.Rows], d[:])
		copy(rate[l.Row:l.Row+l.Rows], v[:])
	}
	return nil
}

// prescribedErrorsTo is ErrorsTo for the rows of prescribed freedoms of the tree, whose velocity error is q̇ − σ.
func (w *Workspace) prescribedErrorsTo(delta, rate []float64) {
	p, t := w.plan, w.state.Time
	var jk mechanism.JointKinematics
	var d [6]float64
	for i, r := range p.Prescribed {
		spec := &p.mech.Joints[r.Joint].Spec
		p.mech.JointTo(&jk, int(r.Joint), w.kin, w.state)
		spec.PositionErrorTo(&d, &jk.Frames, t)
		delta[i] = d[spec.PrescribedRow(int(r.Freedom))]
		_, sigma, _ := spec.Motion[r.Freedom].At(t)
		rate[i] = w.qd[r.Dof] - sigma
	}
}

// stabilize adds k_stab to k, given the errors of the rows.
func (c *Constraints) stabilize(s Stabilization, delta, rate []float64) {
	for i := range c.rhs {
		a, b := 2*s.Alpha*rate[i], s.Beta*s.Beta*delta[i]
		c.rhs[i] -= a + b
		c.size[i] += math.Abs(a) + math.Abs(b)
	}
}
