package motion

import (
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// byOfTurns are the directions along which forces are moments.
var byOfTurns = [2]int{contact.ByTurn, contact.BySpin}

// Try implements sim.Stepper. Errors are those of tree.ClosedSolver.Solve and Wheels.Set, and what wraps ErrStep.
//
// Cost: O(rows·(rows² + NumDof²)) a few times; no allocation.
func (b *Balance) Try(st *mechanism.State, t float64) (float64, error) {
	mustHaveState(st)
	if !b.kept {
		clear(b.z)
	}
	b.tried = false
	if err := b.readInputs(); err != nil {
		return 0, err
	}
	b.start.Time, b.start.Angles = st.Time, st.Angles
	copy(b.start.Bodies, st.Bodies)
	b.h = t - st.Time
	if err := b.solver.Solve(&b.start); err != nil {
		return 0, err
	}
	w := b.solver.Workspace()
	b.plan.CoordinatesTo(b.q, b.qd, w.Kinematics(), &b.start)
	if err := b.wheels.Set(w); err != nil {
		return 0, err
	}
	b.setRows(w, t)
	if err := b.balance(); err != nil {
		return 0, err
	}
	// q̈ = q̈₀ + R z
	copy(b.qdd, b.solver.JointAccelerations())
	for i := range b.m {
		f, r := b.z[i], b.r[i*b.n:(i+1)*b.n]
		for d := range r {
			b.qdd[d] += f * r[d]
		}
	}
	b.tried = true
	b.stateTo(&b.end, 1)
	return 0, nil
}

// setRows fills the rows, what forces along them do, and the rates at the end without these forces.
func (b *Balance) setRows(w *tree.Workspace, t float64) {
	n := b.n
	b.m = 0
	add := func() []float64 {
		row := b.a[b.m*n : (b.m+1)*n]
		b.m++
		return row
	}
	for i := range b.wheels.NumRows() {
		row, is := b.wheels.Row(i)
		copy(add(), row)
		copy(b.f[(b.m-1)*n:], b.wheels.Push(i))
		b.unit[b.m-1] = 1
		if is.By == byOfTurns[0] || is.By == byOfTurns[1] {
			c, _, _ := b.mech.Contact(is.Contact)
			b.unit[b.m-1] = c.Shape.Radius
		}
	}
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	for _, d := range b.acting {
		row := add()
		clear(row)
		row[d.dof] = 1
		copy(b.f[(b.m-1)*n:], row)
		b.unit[b.m-1] = 1
		b.mech.JointTo(&jk, d.freedom.Joint, w.Kinematics(), &b.start)
		b.mech.Joints[d.freedom.Joint].CoordinatesTo(&q, &qd, &jk)
		d.q, d.t = q[d.freedom.Freedom], t
	}
	qdd := b.solver.JointAccelerations()
	for i := range b.m {
		row, r := b.a[i*n:(i+1)*n], b.r[i*n:(i+1)*n]
		v, x := 0.0, 0.0
		for d, a := range row {
			v += a * b.qd[d]
			x += a * qdd[d]
		}
		b.free[i] = v + b.h*x
		b.solver.RespondTo(r, b.f[i*n:(i+1)*n])
		for d := range r { // of a unit of z
			r[d] *= b.unit[i]
		}
	}
	for i := range b.m {
		row, s := b.a[i*n:(i+1)*n], b.s[i*b.m0():i*b.m0()+b.m]
		for k := range s {
			sum := 0.0
			for d, x := range b.r[k*n : (k+1)*n] {
				sum += row[d] * x
			}
			s[k] = sum
		}
	}
}

// m0 is the length of a row of s.
func (b *Balance) m0() int { return len(b.z) }

// stateTo stores the state at a fraction of the step: velocities along
// a line, poses by the exponential map of that at the end.
func (b *Balance) stateTo(dst *mechanism.State, theta float64) {
	s := theta * b.h
	dst.Time, dst.Angles = b.start.Time+s, b.start.Angles
	// Rates at the end move the poses.
	for d := range b.qd {
		b.work.v[d] = b.qd[d] + b.h*b.qdd[d]
	}
	for i := range b.plan.Links {
		l := &b.plan.Links[i]
		q, q1, v := b.q[l.Q:l.Q+l.NumQ], b.q1[l.Q:l.Q+l.NumQ], b.work.v[l.Dof:l.Dof+l.NumDof]
		if l.NumQ == l.NumDof {
			for k := range q {
				q1[k] = q[k] + s*v[k]
			}
			continue
		}
		rot, turn := spatial.Quat(q[:4]), spatial.Vec3{s * v[0], s * v[1], s * v[2]}
		spatial.TurnTo(&rot, &turn, &rot)
		copy(q1, rot[:])
		for k := 4; k < len(q); k++ {
			q1[k] = q[k] + s*v[k-1]
		}
	}
	for d := range b.qd {
		b.work.v[d] = b.qd[d] + s*b.qdd[d]
	}
	b.plan.StateTo(dst, b.q1, b.work.v)
}

// AtTo implements sim.Stepper.
func (b *Balance) AtTo(dst *mechanism.State, theta float64) {
	if !b.tried {
		panic("motion: no step")
	}
	if !(theta >= 0 && theta <= 1) {
		panic("motion: theta out of range")
	}
	if theta < 1 {
		b.stateTo(dst, theta)
		return
	}
	if len(dst.Bodies) != len(b.end.Bodies) {
		panic("motion" + fault.ForeignState)
	}
	dst.Time, dst.Angles = b.end.Time, b.end.Angles
	copy(dst.Bodies, b.end.Bodies)
}

var _ sim.Stepper = (*Balance)(nil)
