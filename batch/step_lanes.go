package batch

import (
	"math"

	"github.com/rung-mbd/rung/batch/internal/mechanics"
	"github.com/rung-mbd/rung/batch/internal/program"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/mechanism"
)

// load copies a group of states into the lanes.
func (w *worker) load(r *rolling, g int) {
	size := w.of.at.Length * lanes
	copy(w.w[int(w.c.Input)*lanes:], r.states.data[g*size:][:size])
}

// catchUp is for a group whose lanes are ahead steps before its states when a step fails in a lane. It makes the steps since the last
// store again, stores their result, and makes the failed step once more.
func (w *worker) catchUp(r *rolling, g, n, ahead int) {
	w.load(r, g)
	for range ahead {
		w.stepLanes(r, g, n, false)
	}
	w.store(r, g, n, 1<<n-1)
	w.stepLanes(r, g, n, false)
}

// setStep stores the step h, s, and in parts two numbers for each stage of RungeKutta4: the time from the beginning of the step to the next
// stage, and the weight of this stage, both in s. The last stage does not read the first number.
func (w *worker) setStep(h float64, parts program.Place) {
	w.fill(w.c.Record.At(places.Step), h)
	for k, x := range [8]float64{h / 2, h / 6, h / 2, h / 3, h, h / 3, h, h / 6} {
		w.fill(parts.At(k), x)
	}
}

// fill sets all lanes of a place to x.
func (w *worker) fill(at program.Place, x float64) {
	for l := range lanes {
		w.lane(at)[l] = x
	}
}

// timeOfStage returns the time from the beginning of a step of h seconds to stage k of RungeKutta4.
func timeOfStage(k int, h float64) float64 { return [4]float64{0, h / 2, h / 2, h}[k] }

// stepLanes makes a step of group g of n states in lanes. It returns a bit for each lane that has passed the checks and has no error from
// before. With watch, it passes the nearness of the states to singular poses to Outcome.watch.
func (w *worker) stepLanes(r *rolling, g, n int, watch bool) (ok uint) {
	s, t, h := r.states, w.c.Steps, r.how.Step
	ok = w.prepare(s, g*lanes, n)
	stages := 4
	if r.how.Integrator == SemiImplicit {
		stages = 1
	}
	w.motionsAtEnd(h)
	if w.timed && stages == 1 { // with four stages, the last one checks the end of the step
		ok &= w.definedAfter(n, h)
	}
	for k := range stages {
		if k > 0 && w.timed {
			ok &= w.stageInputs(s, g*lanes, n, timeOfStage(k, h))
		}
		if stages == 1 {
			tape.Run(w.w, w.c.Numbers(), t.Euler)
		} else {
			tape.Run(w.w, w.c.Numbers(), t.Stages[k])
		}
		if k == 0 && watch {
			w.watchLanes(r, g, n, ok)
		}
	}
	unit, turn := w.of.drift*w.of.drift, mostTurn*mostTurn/(h*h)
	record := w.c.Record
	errorP, speed := w.lane(record.At(places.Violation)), w.lane(record.At(places.Fastest))
	bad, holds := w.lane(record.At(places.NotFinite)), w.lane(w.c.Holds)
	for l, err := range r.out.errs[g*lanes:][:n] {
		if !(errorP[l] <= unit && speed[l] <= turn) || bad[l] != 0 || holds[l] != 1 || err != nil {
			ok &^= 1 << l
		}
	}
	time := w.times()
	for l := range time {
		time[l] += h
	}
	return ok & (1<<n - 1)
}

// mostTurn is the largest angle by which a body may turn in a step in lanes, rad. Up to this angle the series of sine and cosine are
// exact to 3e-10.
const mostTurn = 1.0

// definedAfter returns the lanes among the first n in which prescribed motions and values of actuators are defined at the time dt, s,
// after the beginning of the step: bit l for lane l.
func (w *worker) definedAfter(n int, dt float64) (ok uint) {
	for l, t := range w.times()[:n] {
		if w.st.Time = t + dt; w.mech.CheckTime(w.st) == nil {
			ok |= 1 << l
		}
	}
	return ok
}

// watchLanes passes the nearness of the states of a group to singular poses, at the first stage of a step, to Outcome.watch. ok has the
// lanes that count.
func (w *worker) watchLanes(r *rolling, g, n int, ok uint) {
	over, weak := w.lane(w.c.Record.At(places.OverPivot)), w.lane(w.c.Record.At(places.WeakRows))
	time := w.times()
	errs := r.out.errs[g*lanes:][:n]
	for l, err := range errs {
		if ok>>l&1 == 1 && err == nil {
			r.out.watch(g*lanes+l, time[l], r.how.Step, over[l], int(weak[l])+w.c.SpareRows)
		}
	}
}

// stageInputs evaluates motions and rare forces for one state after the other at a stage, with the poses and velocities in the workspace,
// for n states from first on. The stage is dt after the beginning of the step. It returns a bit for each lane without an error.
func (w *worker) stageInputs(s *States, first, n int, dt float64) (ok uint) {
	ok = 1<<n - 1
	time := w.times()
	for _, m := range w.c.Motions {
		at := w.lane(m.At)
		for l := range lanes {
			_, _, at[l] = w.mech.Joints[m.Joint].Motion[m.Freedom].At(time[l] + dt)
		}
	}
	for l := range n {
		s.to(w.st, first+l) // for its angles and internal states
		w.st.Time = time[l] + dt
		if w.mech.CheckTime(w.st) != nil {
			ok &^= 1 << l
			continue
		}
		if w.c.RareForces {
			w.bodiesTo(w.st, l)
			if !w.rareState(s, first+l, l) {
				ok &^= 1 << l
			}
		}
	}
	return ok
}

// bodiesTo stores the bodies of a lane in st.
func (w *worker) bodiesTo(st *mechanism.State, l int) {
	for k := range st.Bodies {
		b, at := &st.Bodies[k], w.w[int(w.c.Bodies[k].State)*lanes:][:bodyPlaces*lanes]
		for j := range 3 {
			b.Position[j], b.Velocity[j], b.Omega[j] = at[(atPosition+j)*lanes+l], at[(atVelocity+j)*lanes+l], at[(atOmega+j)*lanes+l]
		}
		for j := range 4 {
			b.Rotation[j] = at[(atRotation+j)*lanes+l]
		}
	}
}

// motionsAtEnd evaluates prescribed motions at the end of a step of h seconds, before the step is made.
func (w *worker) motionsAtEnd(h float64) {
	time := w.times()
	for _, m := range w.c.Motions {
		for l := range lanes {
			q, rate, _ := w.mech.Joints[m.Joint].Motion[m.Freedom].At(time[l] + h)
			sine, cosine := math.Sincos(q)
			w.lane(m.End.At(mechanics.EndCoordinate))[l] = q
			w.lane(m.End.At(mechanics.EndRate))[l] = rate
			w.lane(m.End.At(mechanics.EndSine))[l] = sine
			w.lane(m.End.At(mechanics.EndCosine))[l] = cosine
		}
	}
}

// store copies times and bodies of the lanes in ok to group g of n states, and follows their angles.
func (w *worker) store(r *rolling, g, n int, ok uint) {
	s, size := r.states, w.of.at.Length*lanes
	group := s.data[g*size:][:size]
	end := mechanics.Bodies + bodyPlaces*len(w.c.Bodies)
	in := w.w[int(w.c.Input)*lanes:][:end*lanes]
	if ok == 1<<n-1 {
		copy(group, in)
	} else {
		for l := range lanes {
			if ok>>l&1 == 0 {
				continue
			}
			for k := range end {
				group[k*lanes+l] = in[k*lanes+l]
			}
		}
	}
	switch {
	case s.nAngles == len(w.c.Angles): // the tapes have followed all angles
		for _, a := range w.c.Angles {
			at := w.lane(a.At)
			for l := range n {
				if ok>>l&1 == 1 {
					s.angles[(g*lanes+l)*s.nAngles+a.Place] = at[l]
				}
			}
		}
	default:
		w.followAngles(s, g*lanes, ok)
	}
}

// followAngles follows the angles that states carry, with their turns, in the lanes in ok of the group that begins at state first.
func (w *worker) followAngles(s *States, first int, ok uint) {
	m := w.in.Mechanism()
	for l := range lanes {
		if ok>>l&1 == 0 {
			continue
		}
		s.to(w.st, first+l)
		if w.setInputs(s, first+l) == nil {
			m.FollowAngles(w.kin, w.st)
			if w.of.options.Angles { // a step in lanes is far below half a turn
				m.FollowTurns(w.st, w.st)
			}
			copy(s.angles[(first+l)*s.nAngles:][:s.nAngles], w.st.Angles)
		}
	}
}
