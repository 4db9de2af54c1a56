package motion

import (
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// byOfMoments are the directions of rotations, in which forces are moments.
var byOfMoments = [2]int{contact.ByTurn, contact.BySpin}

// Try implements sim.Stepper. It returns the errors of tree.ClosedSolver.Solve and Wheels.Set, and errors that wrap ErrStep.
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
	// q̈ = q̈₀ + Rᵀ z
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

// setRows stores the rows of wheels and drives, the accelerations by forces along them, and their rates at t without these forces.
func (b *Balance) setRows(w *tree.Workspace, t float64) {
	b.m = 0
	b.addWheels()
	b.addDrives(w, t)
	b.setFree()
	b.setResponses()
}

// addRow adds a row, with the unit of its force in N or N m. It returns the row of velocities and the row of forces, with an entry a
// freedom, for the caller to fill.
func (b *Balance) addRow(unit float64) (row, force []float64) {
	at := b.m * b.n
	b.unit[b.m] = unit
	b.m++
	return b.a[at : at+b.n], b.f[at : at+b.n]
}

// addWheels adds the rows of Wheels. A moment counts as its force at the wheel's rim.
func (b *Balance) addWheels() {
	for i := range b.wheels.NumRows() {
		from, is := b.wheels.Row(i)
		unit := 1.0
		if is.By == byOfMoments[0] || is.By == byOfMoments[1] {
			c, _, _ := b.mech.Contact(is.Contact)
			unit = c.Shape.Radius
		}
		row, force := b.addRow(unit)
		copy(row, from)
		copy(force, b.wheels.Push(i))
	}
}

// addDrives adds a row for each drive that acts, along its freedom alone. It stores in the drive its coordinate at the start of the step
// and the time t at the end.
func (b *Balance) addDrives(w *tree.Workspace, t float64) {
	var jk mechanism.JointKinematics
	var q, qd [6]float64
	for _, d := range b.acting {
		row, force := b.addRow(1)
		clear(row)
		row[d.dof] = 1
		copy(force, row)
		b.mech.JointTo(&jk, d.freedom.Joint, w.Kinematics(), &b.start)
		b.mech.Joints[d.freedom.Joint].CoordinatesTo(&q, &qd, &jk)
		d.q, d.t = q[d.freedom.Freedom], t
	}
}

// setFree stores the rates A (q̇ + h q̈₀) of the rows at the end of the step without the balanced forces.
func (b *Balance) setFree() {
	qdd := b.solver.JointAccelerations()
	for i := range b.m {
		v, x := 0.0, 0.0
		for d, a := range b.a[i*b.n : (i+1)*b.n] {
			v += a * b.qd[d]
			x += a * qdd[d]
		}
		b.free[i] = v + b.h*x
	}
}

// setResponses stores R, q̈ by a unit of each force, and S = A Rᵀ, the acceleration of each row by a unit of each force.
func (b *Balance) setResponses() {
	n := b.n
	for i := range b.m {
		r := b.r[i*n : (i+1)*n]
		b.solver.RespondTo(r, b.f[i*n:(i+1)*n])
		for d := range r {
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

// m0 returns the length of a row of s, the largest number of rows.
func (b *Balance) m0() int { return len(b.z) }

// stateTo stores the state at the fraction theta of the step. Rates change linearly in time. The joint variables move with the rates at the
// end of the step from its start on, rotations by the exponential map.
func (b *Balance) stateTo(dst *mechanism.State, theta float64) {
	s := theta * b.h
	dst.Time, dst.Angles = b.start.Time+s, b.start.Angles
	// Rates at the end of the step.
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
