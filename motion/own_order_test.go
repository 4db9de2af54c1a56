package motion_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// ownRunTol is how far rounding and the tolerance of the steps lead two runs of the same motion apart, m or rad.
const ownRunTol = 1e-7

// TestOwnOrderMoves: with an elimination order of one's own, explicit steps, implicit ones, whose system has rows of springs too,
// and RATTLE end where they end with an order of the library's.
func TestOwnOrderMoves(t *testing.T) {
	for _, m := range []*model.Model{generate(t, "ladder", 8, 1), generate(t, "stewart", 2, 1), golden(t, "springs"), generate(t, "gear-train", 4, 1)} {
		base := newPlan(t, m, order.Auto)
		list := make([]int32, base.Mechanism().NumBodies())
		for k, i := range rand.New(rand.NewPCG(9, 9)).Perm(len(list)) {
			list[k] = int32(i)
		}
		own, err := rung.NewPlan(m, kkt.Options{Order: order.OfBodies(base.Layout().Pattern, list)})
		require.NoError(t, err)
		require.NotEqual(t, base.Order(), own.Order(), m.Name)
		for name, end := range map[string]func(p *kkt.Plan) *mechanism.State{
			"explicit": func(p *kkt.Plan) *mechanism.State {
				d := motion.NewDynamics(p)
				return ended(t, p, sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-10}), sim.Options{Projector: d})
			},
			"implicit": func(p *kkt.Plan) *mechanism.State {
				n := motion.NewNewton(p)
				return ended(t, p, sim.NewGeneralizedAlpha(p.Mechanism(), n, sim.GeneralizedAlphaOptions{Fixed: true}), sim.Options{Projector: n, Step: 0.002})
			},
			"rattle": func(p *kkt.Plan) *mechanism.State {
				return ended(t, p, newRattle(t, p, motion.RattleOptions{Tolerance: 1e-11}), sim.Options{Projector: sim.NoProjector, Step: 0.002})
			},
		} {
			require.Less(t, apart(base.Mechanism(), end(base), end(own)), ownRunTol, "%s %s", m.Name, name)
		}
	}
}

// ended returns the state at the end of a run of p from its initial state.
func ended(t *testing.T, p *kkt.Plan, by sim.Stepper, o sim.Options) *mechanism.State {
	t.Helper()
	s := sim.New(p.Mechanism(), by, p.Initial(), o)
	require.NoError(t, s.Run(0.1))
	return s.State()
}
