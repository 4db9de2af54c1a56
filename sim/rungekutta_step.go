package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// Try implements Stepper.
//
// Cost: one evaluation of the accelerations for each stage, for the first one only if
// no accelerations were kept; only the dynamics may allocate.
// It returns a HalfTurnError, and errors of the dynamics. It panics if st is of
// another mechanism.
func (k *RungeKutta) Try(st *mechanism.State, t float64) (float64, error) {
	if len(st.Bodies) != len(k.start) {
		panic("sim" + fault.ForeignState)
	}
	k.tried = false
	k.stage.Angles, k.end.Angles = st.Angles, st.Angles
	k.t0, k.t1 = st.Time, t
	h := t - st.Time
	if k.size != nil {
		k.size.setStep(h)
	}
	if err := k.first(st); err != nil {
		return 0, err
	}
	last := len(k.tab.B) - 1
	for i := 1; i <= last; i++ {
		y := &k.stage
		if k.tab.FSAL && i == last {
			y = &k.end
		}
		y.Time = k.t0 + k.tab.C[i]*h
		if k.tab.C[i] == 1 {
			y.Time = t
		}
		if err := k.turnedTo(y, k.tab.A[i], h, k.vel[i]); err != nil {
			return 0, err
		}
		if err := k.evaluate(k.acc[i], y); err != nil {
			return 0, err
		}
		if k.loses() {
			return math.Inf(1), nil
		}
	}
	if k.tab.FSAL {
		k.measure(1)
	} else {
		k.end.Time = t
		if err := k.turnedTo(&k.end, k.tab.B, h, nil); err != nil {
			return 0, err
		}
	}
	k.tried = true
	if p, ok := k.near.proj.(*exactly); ok {
		return k.allowedError(h, p.p)
	}
	return k.errorNorm(h), nil
}

// first sets the anchors to st and computes the first stage.
func (k *RungeKutta) first(st *mechanism.State) error {
	if !k.kept {
		if err := k.evaluate(k.acc[0], st); err != nil {
			return err
		}
		k.measure(0)
		k.kept = true
	}
	k.inner.start(st)
	for i := range k.start {
		a := &k.start[i]
		a.set(&st.Bodies[i], &k.mech.Bodies[i].Com)
		*(*[6]float64)(k.vel[0][6*i:]) = a.velocity
	}
	return nil
}

// AtTo implements Stepper.
//
// Cost: O(bodies·stages), no allocation. It panics without a step, or if theta
// is not in [0, 1].
func (k *RungeKutta) AtTo(dst *mechanism.State, theta float64) {
	k.mustHaveTried()
	if !(theta >= 0 && theta <= 1) {
		panic("sim: theta out of range")
	}
	if theta == 1 {
		copyTo(dst, &k.end)
		return
	}
	for i, p := range k.tab.P {
		s := 0.0
		for j := len(p) - 1; j >= 0; j-- {
			s = theta * (p[j] + s)
		}
		k.weights[i] = s
	}
	h := k.t1 - k.t0
	dst.Time, dst.Angles = k.t0+theta*h, k.end.Angles
	k.combineTo(dst, k.weights, h, nil)
}

// Lead implements Stepper: it computes the accelerations at next, unless the last stage
// has computed them.
func (k *RungeKutta) Lead(next *mechanism.State, changed bool) error {
	k.mustHaveTried()
	k.lead.moved = changed || !k.tab.FSAL
	if !k.lead.moved {
		return nil
	}
	if err := k.evaluate(k.lead.acc, next); err != nil {
		return err
	}
	k.measure(1)
	return nil
}

// Accept implements Stepper. It panics without a step.
func (k *RungeKutta) Accept() {
	k.mustHaveTried()
	k.tried = false
	first, last := &k.acc[0], &k.acc[len(k.acc)-1]
	if k.lead.moved {
		last = &k.lead.acc
	}
	*first, *last = *last, *first
}

func (k *RungeKutta) mustHaveTried() {
	if !k.tried {
		panic("sim: no step")
	}
}
