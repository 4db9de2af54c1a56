package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// TestBounceOffGround: a ball that flies at a slope without gravity leaves as fast as v_i/χ − ln(1 + χ v_i)/χ² = −v_o/χ
// − ln(1 − χ v_o)/χ² says for the law of Hunt and Crossley; without losses it leaves as fast as it came, after π√(m/k).
func TestBounceOffGround(t *testing.T) {
	const mass, r, k, in, tol = 2.0, 0.1, 1e4, 1.5, 1e-9
	for _, chi := range []float64{0, 0.1, 0.4, 1} {
		m, down, out := slopeOf("bounce", 0.4)
		m.Gravity = [3]float64{}
		m.Bodies = []model.Body{{Name: "ball", Mass: mass, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: model.Pose{Position: out.Scale(r + 0.3)},
			Velocity: model.Velocity{Linear: out.Scale(-in).Add(down.Scale(0.7))}}}
		m.Forces = []model.ForceElement{{Name: "c", Type: model.ContactForce, A: model.Attachment{Body: "ball"}, Contact: &model.Contact{
			Terrain: "ground", Shape: contact.Shape{Type: contact.Sphere, Radius: r}, Law: contact.Law{Normal: contact.Normal{Stiffness: k, Exponent: 1, Dissipation: chi}},
		}}}
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		var times []float64
		d := motion.NewDynamics(p)
		s := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-12}), p.Initial(), sim.Options{
			Projector: d, Events: sim.ContactEvents(p.Mechanism(), func(_ int, _ bool, st *mechanism.State) error { times = append(times, st.Time); return nil })})
		require.NoError(t, s.Run(0.5))
		require.Len(t, times, 2)
		v := spatial.Vec3(s.State().Bodies[0].Velocity)
		left := v.Dot(out)
		t.Logf("χ = %g: touches at %.9f s for %.9f s, leaves with %.9f m/s", chi, times[0], times[1]-times[0], left)
		assert.InDelta(t, 0.3/in, times[0], tol)
		assert.InDelta(t, 0.7, v.Dot(down), 1e-12)
		if chi == 0 {
			assert.InDelta(t, in, left, tol)
			assert.InDelta(t, math.Pi*math.Sqrt(mass/k), times[1]-times[0], tol)
			continue
		}
		kept := in/chi - math.Log(1+chi*in)/(chi*chi)
		assert.InEpsilon(t, kept, -left/chi-math.Log(1-chi*left)/(chi*chi), tol)
		assert.Less(t, left, in)
	}
}

// TestFlatGridRuns: on a grid with the heights of a plane a ball that bounces, slips and rolls moves as on the plane,
// within 10⁻¹² m, across dozens of cells.
func TestFlatGridRuns(t *testing.T) {
	check.Long(t)
	const until, tol = 3.0, 1e-12
	const sx, sy, spacing, n = 0.15, -0.1, 0.05, 400
	ball := func(grid bool) *mechanism.State {
		m := model.New("ball")
		m.Terrains = []model.Terrain{{Name: "ground", Type: model.PlaneTerrain, Normal: [3]float64{-sx, -sy, 1}}}
		if grid {
			g := model.Terrain{Name: "ground", Type: model.GridTerrain, Origin: [2]float64{-10, -10}, Spacing: [2]float64{spacing, spacing}}
			for j := range n {
				g.Heights = append(g.Heights, make([]float64, n))
				for i := range n {
					g.Heights[j][i] = sx*(-10+spacing*float64(i)) + sy*(-10+spacing*float64(j))
				}
			}
			m.Terrains[0] = g
		}
		const mass, r = 1.3, 0.12
		I := 0.4 * mass * r * r
		m.Bodies = []model.Body{{Name: "ball", Mass: mass, Inertia: model.Inertia{XX: I, YY: I, ZZ: I}, Pose: model.Pose{Position: [3]float64{0.01, 0.02, 0.2}},
			Velocity: model.Velocity{Linear: [3]float64{1, -2, 0}, Angular: [3]float64{3, 1, -2}}}}
		m.Forces = []model.ForceElement{{Name: "c", Type: model.ContactForce, A: model.Attachment{Body: "ball"}, Contact: &model.Contact{
			Terrain: "ground", Shape: contact.Shape{Type: contact.Sphere, Radius: r},
			Law: contact.Law{Normal: contact.Normal{Stiffness: 1e4, Exponent: 1, Dissipation: 0.2}, Friction: coulombOf(0.3, 5e-3)},
		}}}
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		d := motion.NewDynamics(p)
		s := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.RungeKutta4(), sim.Tolerance{}), p.Initial(), sim.Options{Projector: d, Step: 2e-4})
		require.NoError(t, s.Run(until))
		return s.State()
	}
	plane, grid := &ball(false).Bodies[0], &ball(true).Bodies[0]
	way := plane.Position.Norm()
	t.Logf("way %.3g m; off by %.2g m, %.2g m/s", way, grid.Position.Sub(plane.Position).Norm(), grid.Velocity.Sub(plane.Velocity).Norm())
	assert.Greater(t, way, 2.5)
	assert.Less(t, grid.Position.Sub(plane.Position).Norm(), tol)
}
