package motion

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// rattleSteps is the largest number of corrections of poses in a step.
	rattleSteps = 8
	// rattleFiner is the position error, relative to the tolerance, above which poses are corrected further where rows are redundant and an
	// earlier step has needed a factor of all rows. The redundant rows of velocities contradict each other by a few times the position
	// errors. If that is more than the tolerance, only a factor of all rows closes the velocities, which takes as long as half a step.
	// Another value costs time only.
	rattleFiner = 0.1
	// rattleSharp is the largest part of the errors that such a further correction may leave. Next to singular poses it leaves more; there a
	// factor of all rows is better, which serves the next step too.
	rattleSharp = 0.1
	// rattleFirst is the number of first corrections of a damped step that need not make errors smaller.
	rattleFirst = 2
	// dampedLeft is the position error that a damped step may leave, relative to the tolerance.
	dampedLeft = 100.0
	// searchFrom is the largest position error, relative to the tolerance, from which a search closes joints where corrections with weak
	// rows do not.
	searchFrom = 100.0
	// rattleRates is the largest number of corrections of velocities.
	rattleRates = 3
	// rattleStall is the part of the velocity errors from which on a correction that leaves it counts as useless.
	rattleStall = 0.5
	// longestDamped is the largest number of damped steps in a row, before a step of RATTLE is tried again.
	longestDamped = 15
)

// Try implements sim.Stepper. It returns 0 for the error, as it has no estimate.
//
// Cost: a kkt.Solver.Solve and a few solves with its factor. Another Solve is needed from a state without history, and after a step that
// has failed, was damped or was a pass over a singular pose. A pass takes up to some hundred Solves and allocates O(bodies); all else
// does not allocate but for errors. It returns errors that wrap ErrStep, errors of Solve and, from a pass, errors of sim.Simulation.Run.
// It panics if st is of another mechanism.
func (r *Rattle) Try(st *mechanism.State, t float64) (float64, error) {
	mustHaveState(st)
	if len(st.Bodies) != len(r.end.Bodies) {
		panic("motion" + fault.ForeignState)
	}
	r.tried, r.known = false, false
	r.from = mechanism.State{Time: st.Time, Angles: st.Angles, Bodies: st.Bodies}
	r.end.Time, r.end.Angles = t, st.Angles
	h := t - st.Time
	if !r.valid {
		clear(r.tail(r.kept)[:])
	}
	last, next := r.tail(r.kept), r.tail(r.next)
	*next = *last
	way, err := r.step(h, last, next)
	if err != nil {
		r.failed = way == damped
		return 0, err
	}
	if way != symplectic {
		next[rattleKnown] = 0
	}
	r.tried, r.last = true, way
	return 0, nil
}

// step does the step h in the first way that succeeds, and stores in next, the tail, how the steps after it are to be done. last is the
// tail of the step before.
func (r *Rattle) step(h float64, last, next *[rattleTail]float64) (rattleWay, error) {
	switch spell := next[rattleSpell]; {
	case spell > 0:
		next[rattleSpell]--
		return damped, r.backward(h)
	case r.failed:
		return damped, r.backward(h)
	case spell < 0:
		next[rattleSpell]++
	default:
		err := r.symplectic(h)
		switch {
		case err == nil && !r.uneven:
			next[rattleKnown], next[rattleSpan] = 1, math.Floor(last[rattleSpan]/2)
			if r.all {
				next[rattleKnown] += rattleAll
			}
			if r.needsAll || keeps(last, rattleRefined) && !r.slow {
				next[rattleKnown] += rattleRefined
			}
			return symplectic, nil
		case r.dyn.drift.watch.Err() != nil:
			return symplectic, err
		case r.uneven:
			next[rattleSpell] = -passSpell
		default:
			return r.damp(h, err, next)
		}
	}
	if err := r.pass(); err != nil {
		return r.damp(h, err, next)
	}
	return passing, nil
}

// damp does the step h by the backward Euler method, after other ways have failed with err, and plans further damped steps. Without
// RattleOptions.Damp it returns err.
func (r *Rattle) damp(h float64, err error, next *[rattleTail]float64) (rattleWay, error) {
	if !r.opts.Damp || r.dyn.drift.watch.Err() != nil {
		return symplectic, err
	}
	next[rattleSpan] = min(2*next[rattleSpan]+1, longestDamped)
	next[rattleSpell] = next[rattleSpan]
	return damped, r.backward(h)
}

// symplectic does the step h by RATTLE.
func (r *Rattle) symplectic(h float64) error {
	r.uneven = false
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.travel(h, h/2, r.kept, r.opts.Turn); err != nil {
		return err
	}
	if err := r.closePoses(h, r.opts.Tolerance, 0); err != nil {
		return err
	}
	r.setVelocities(h/2, r.kept)
	r.held = false
	if err := r.evaluate(r.next, &r.end); err != nil {
		return err
	}
	r.setVelocities(h/2, r.next)
	left, err := r.closeRates(true)
	if err != nil {
		return err
	}
	if left > r.opts.Tolerance {
		return r.open(left)
	}
	return r.balance(h)
}

// begin computes the accelerations r.kept and the factor at r.from, unless they are there.
func (r *Rattle) begin() error {
	known := r.valid && r.tail(r.kept)[rattleKnown] != 0
	if known && r.held {
		return nil
	}
	a := r.next // if only the factor is needed, accelerations go to memory that is overwritten later
	if !known {
		a = r.kept
	}
	if err := r.evaluate(a, &r.from); err != nil {
		return err
	}
	switch t := r.tail(r.kept); {
	case !known:
		t[rattleKnown] = 1
		t[rattleKinetic], t[rattlePower] = r.energy(&r.from, r.kept)
	case keeps(t, rattleAll):
		there, _, _ := r.dyn.solver.Corrector().Factor()
		r.all = there && r.dyn.solver.Corrector().KeepAllRows()
	}
	r.valid, r.held = true, true
	return nil
}

// evaluate stores the accelerations at st in a. The factor is then of the pose of st.
func (r *Rattle) evaluate(a []float64, st *mechanism.State) error {
	r.stats.Evaluations++
	r.all = false
	if err := r.dyn.Accelerations(a[:6*len(r.end.Bodies)], st); err != nil {
		return fault.Errorf("motion: accelerations at t = %v: %w", st.Time, err)
	}
	_, _, r.all = r.dyn.solver.Corrector().Factor()
	return nil
}

// travel sets r.v to the velocities at the start plus s·a, and r.end to where the bodies move with them in the time h. A nil a stands for
// zeros. It returns an error if a body rotates by more than most, rad.
func (r *Rattle) travel(h, s float64, a []float64, most float64) error {
	square := 0.0
	var k mechanism.BodyKinematics
	for i := range r.end.Bodies {
		b := &r.end.Bodies[i]
		*b = r.from.Bodies[i]
		com := &r.mech.Bodies[i].Com
		b.Rotation.MatTo(&k.E)
		k.E.MulVecTo(&k.Com, com)
		v := (*[6]float64)(r.v[6*i:])
		b.ComVelocityTo(v, &k.Com)
		if a != nil {
			for j := range v {
				v[j] += s * a[6*i+j]
			}
		}
		square = max(square, v[0]*v[0]+v[1]*v[1]+v[2]*v[2]) // max keeps a NaN
		b.Displace(h, v, &k, com)
		r.arm[i] = k.Com
	}
	r.turned = h * math.Sqrt(square)
	if !(r.turned <= most) {
		return fault.Errorf("motion: step from t = %v: %w", r.from.Time, r.mech.AtBody(r.fastest(), errRattleTurn))
	}
	return nil
}

// fastest returns the body with the largest angular velocity in r.v.
func (r *Rattle) fastest() int {
	most := algebra.NewPeak(-1)
	for i := range r.end.Bodies {
		most.Take(spatial.Vec3(r.v[6*i:6*i+3]).Norm(), i)
	}
	return most.At
}

// setVelocities gives r.end the velocities r.v + s·a.
func (r *Rattle) setVelocities(s float64, a []float64) {
	for i := range r.end.Bodies {
		var v [6]float64
		for j := range v {
			v[j] = r.v[6*i+j] + s*a[6*i+j]
		}
		r.end.Bodies[i].SetComVelocity(&v, &r.arm[i])
	}
}

// backward does the step h by the backward Euler method. It takes the accelerations u + M⁻¹Jᵀλ' at the pose to which the velocities at the
// start lead. Their λ' need not be the λ of the step, as closing the poses adds further accelerations along the same directions M⁻¹Jᵀ.
func (r *Rattle) backward(h float64) error {
	r.held = false
	if err := r.travel(h, 0, nil, r.most); err != nil {
		return err
	}
	r.setVelocities(0, r.next)
	if err := r.evaluate(r.next, &r.end); err != nil {
		// Rows that geometry alone makes redundant are nearly redundant, or not at all, at a pose that violates the joints: close it first.
		r.stats.Searches++
		if r.dyn.drift.watch.Err() != nil || r.dyn.ClosePositions(&r.end) != nil {
			return err
		}
		if err := r.evaluate(r.next, &r.end); err != nil {
			return err
		}
	}
	if err := r.travel(h, h, r.next, math.Inf(1)); err != nil {
		return err
	}
	if err := r.closePoses(h, dampedLeft*r.opts.Tolerance, rattleFirst); err != nil {
		return err
	}
	for i := range r.end.Bodies {
		w := r.v[6*i : 6*i+3]
		if !(h*math.Sqrt(w[0]*w[0]+w[1]*w[1]+w[2]*w[2]) <= r.most) {
			return fault.Errorf("motion: step from t = %v: %w", r.from.Time, r.mech.AtBody(i, errRattleTurn))
		}
	}
	r.setVelocities(0, r.next)
	if _, err := r.closeRates(false); err != nil { // the next step removes errors that are left
		return err
	}
	r.known = false // boundEnergy may change velocities
	return r.boundEnergy(h)
}
