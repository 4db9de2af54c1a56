package sim

import "github.com/rung-mbd/rung/mechanism"

// Taped is a stepper that gives access to the stages of a step after it has been tried, for code that differentiates steps. After Restart
// it evaluates the dynamics once for each stage, in the order of the stages.
type Taped interface {
	Stepper
	// Rates returns the slopes of stage i of the step last tried, six numbers for each body: chart has the rates of the rotation vector
	// and of the displacement of the centre of mass since the start of the step, velocity the rates of the angular velocity and of the
	// velocity of the centre of mass. The lists belong to the stepper. It panics without a step.
	Rates(i int) (chart, velocity []float64)
}

// Rates implements Taped.
func (k *RungeKutta) Rates(i int) (chart, velocity []float64) {
	k.mustHaveTried()
	return k.vel[i], k.acc[i][:6*len(k.start)]
}

// OnClosed sets a function that is called for each stage that is projected (CloseStages), with the state before and after the projection.
// The states belong to the stepper. nil removes the function.
func (k *RungeKutta) OnClosed(see func(open, closed *mechanism.State)) { k.near.see = see }

// Weighted returns the method with the stages up to the last one that has a weight in its solution: without the stage that only the error
// estimate and the next step use.
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
