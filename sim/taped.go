package sim

import "github.com/rung-mbd/rung/mechanism"

// Taped is a stepper whose steps can be looked at stage by stage once they are tried: for who differentiates them. It evaluates the
// dynamics once a stage, in their order, after Restart.
type Taped interface {
	Stepper
	// Rates returns the slopes of stage i of the step last tried, six numbers a body: of the rotation vector and the centre of mass since
	// the start of the step, and of the angular velocity and that of the centre of mass. They are the stepper's own. It panics without a
	// step.
	Rates(i int) (chart, velocity []float64)
}

// Rates implements Taped.
func (k *RungeKutta) Rates(i int) (chart, velocity []float64) {
	k.mustHaveTried()
	return k.vel[i], k.acc[i][:6*len(k.start)]
}

// OnClosed has see called with each stage that is closed (CloseStages), before and after that. The states are the stepper's own. Nil ends
// it.
func (k *RungeKutta) OnClosed(see func(open, closed *mechanism.State)) { k.near.see = see }

// Weighted returns the method of the stages up to the last one with a weight in its solution: without the stage that only the estimate of
// the error and the next step take.
func (t *Tableau) Weighted() *Tableau {
	n := len(t.B)
	for n > 1 && t.B[n-1] == 0 {
		n--
	}
	if n == len(t.B) {
		return t
	}
	return &Tableau{Name: t.Name, Order: t.Order, A: t.A[:n], B: t.B[:n], C: t.C[:n], P: t.P[:n], Dense: t.Dense}
}

var _ Taped = (*RungeKutta)(nil)
