package sim_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

const (
	// fuzzUntil is the length of a fuzzed run, s, and fuzzLongest what one may take.
	fuzzUntil, fuzzLongest = 0.01, 5 * time.Second
	// fuzzSteps bounds the steps of a run: a body that turns at 1e9 rad/s takes 1e9 steps, all of them
	// right.
	fuzzSteps = 100
)

// FuzzSimulate closes documents with extreme numbers and runs them for a hundredth of a second, by
// an explicit and an implicit method: what it reaches is finite, or there is an error.
func FuzzSimulate(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Limit = fuzzLongest
	e := modeltest.NewExtremes(f)
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		m := e.Model(t, which, edits)
		if m == nil {
			return
		}
		p, err := rung.NewPlan(m, kkt.Options{})
		if err != nil {
			return
		}
		st := p.Initial()
		c := closing.NewCloser(p, closing.Options{Nearest: true, Tolerance: closing.RunTolerance})
		if c.ClosePositions(st) != nil || c.ProjectVelocities(st) != nil {
			return
		}
		mech := p.Mechanism()
		d := motion.NewDynamics(p)
		for _, stepper := range []sim.Stepper{
			sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{}),
			sim.NewGeneralizedAlpha(mech, motion.NewNewton(p), sim.GeneralizedAlphaOptions{Annihilate: true}),
		} {
			runExtreme(t, mech, stepper, d, st)
		}
	})
}

// runExtreme runs from st and looks at the state after every step.
func runExtreme(t *testing.T, mech *mechanism.Mechanism, stepper sim.Stepper, d *motion.Dynamics, st *mechanism.State) {
	enough := errors.New("enough")
	o := sim.Options{Projector: d, OnStep: func(s *sim.Simulation) error {
		for i := range s.State().Bodies {
			b := &s.State().Bodies[i]
			for _, v := range [][]float64{b.Position[:], b.Rotation[:], b.Velocity[:], b.Omega[:]} {
				for _, x := range v {
					if math.IsNaN(x) || math.IsInf(x, 0) {
						t.Fatalf("body %q: %v", mech.BodyName(i), *b)
					}
				}
			}
		}
		if s.Stats().Steps == fuzzSteps || testing.Short() && s.Stats().Steps == fuzzSteps/20 {
			return enough
		}
		return nil
	}}
	// An error is as good as a result.
	_ = sim.New(mech, stepper, st, o).Run(st.Time + fuzzUntil)
}
