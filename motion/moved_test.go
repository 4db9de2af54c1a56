package motion_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// quarter is a quarter of a turn about z.
var quarter = spatial.Quat{math.Sqrt2 / 2, 0, 0, math.Sqrt2 / 2}

// turnAndMove turns a model without joints to the world, on one grid, a quarter about z, and moves it.
func turnAndMove(t *testing.T, m *model.Model, move spatial.Vec3) {
	t.Helper()
	g := &m.Terrains[0]
	require.Equal(t, model.GridTerrain, g.Type)
	nx, ny := len(g.Heights[0]), len(g.Heights)
	turned := make([][]float64, nx)
	for j := range turned {
		turned[j] = make([]float64, ny)
		for i := range turned[j] {
			turned[j][i] = g.Heights[ny-1-i][j]
		}
	}
	g.Origin = [2]float64{-(g.Origin[1] + g.Spacing[1]*float64(ny-1)) + move[0], g.Origin[0] + move[1]}
	g.Spacing[0], g.Spacing[1] = g.Spacing[1], g.Spacing[0]
	g.Heights = turned
	for i := range m.Bodies {
		b := &m.Bodies[i]
		p := spatial.Vec3(b.Pose.Position)
		b.Pose.Position = spatial.Vec3{-p[1], p[0], p[2]}.Add(move)
		b.Pose.Orientation = quarter.Mul(b.Pose.Orientation)
		require.Zero(t, b.Velocity)
	}
	for i := range m.Joints {
		require.NotEqual(t, model.World, m.Joints[i].Predecessor)
	}
}

// TestTurnedAndMoved: drives over hills that are turned a quarter about z are the same but for rounding. Those that are
// moved 10⁶ m along x and along −y besides are the same to 10⁻¹² of that distance, which is 10⁻⁷ of the way: places are
// multiples of 1.2·10⁻¹⁰ m there, and so are depths, of which the stiffness makes forces, anew in every step.
// Force-balance steps, which are few and long, keep 10⁻⁹ of the way, too.
func TestTurnedAndMoved(t *testing.T) {
	check.Long(t)
	const turnedTol, movedTol, balanceTol = 1e-12, 1e-12, 1e-9 // of the way, of the distance, of the way
	far := spatial.Vec3{1e6, -1e6, 0}
	methods := map[string]func(p *kkt.Plan) *sim.Simulation{
		"generalized-alpha": func(p *kkt.Plan) *sim.Simulation {
			n := motion.NewNewton(p)
			return sim.New(p.Mechanism(), sim.NewGeneralizedAlpha(p.Mechanism(), n, sim.GeneralizedAlphaOptions{Fixed: true}), p.Mechanism().Initial(), sim.Options{Projector: n, Step: 0.01})
		},
		"force-balance": func(p *kkt.Plan) *sim.Simulation {
			return sim.New(p.Mechanism(), newBalance(t, p), p.Mechanism().Initial(), sim.Options{Projector: motion.NewDynamics(p), Step: 0.02})
		},
		"rk4": func(p *kkt.Plan) *sim.Simulation { // within its bound of stability, and without error control, of which rounding changes the steps
			d := motion.NewDynamics(p)
			return sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.RungeKutta4(), sim.Tolerance{}), p.Mechanism().Initial(), sim.Options{Projector: d, Step: 1e-4})
		},
	}
	for _, family := range []string{"rover", "rocker-bogie"} {
		for name, method := range methods {
			t.Run(family+" "+name, func(t *testing.T) {
				until := 10.0
				if name == "rk4" {
					until = 0.6
				}
				run := func(change func(m *model.Model)) (*mechanism.State, spatial.Vec3) {
					m := generate(t, family, 1, 1)
					change(m)
					s := method(newPlan(t, m, order.Auto))
					require.NoError(t, s.Run(until))
					return s.State(), m.Bodies[0].Pose.Position
				}
				want, start := run(func(*model.Model) {})
				way := want.Bodies[0].Position.Sub(start).Norm()
				require.Greater(t, way, 0.4*until-0.2)
				off := func(move spatial.Vec3) float64 {
					st, _ := run(func(m *model.Model) { turnAndMove(t, m, move) })
					var place, turn, velocity float64
					for i := range want.Bodies {
						a, b := &want.Bodies[i], &st.Bodies[i]
						place = max(place, b.Position.Sub(move).Sub(quarter.Rotate(a.Position)).Norm())
						turn = max(turn, b.Rotation.Mul(quarter.Mul(a.Rotation).Conj()).Log().Norm())
						velocity = max(velocity, b.Velocity.Sub(quarter.Rotate(a.Velocity)).Norm())
					}
					t.Logf("way %.3g m, moved by %v: off by %.2g m, %.2g rad, %.2g m/s", way, move, place, turn, velocity)
					return place
				}
				assert.Less(t, off(spatial.Vec3{}), turnedTol*way)
				moved := off(far)
				assert.Less(t, moved, movedTol*far.Norm())
				if name == "force-balance" {
					assert.Less(t, moved, balanceTol*way)
				}
			})
		}
	}
}
