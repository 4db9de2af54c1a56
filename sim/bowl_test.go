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
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const bowlStiffness = 500.0 // N/m

// bowl is a ball without friction and losses in the bowl z = (x² + y²)/2, at a place with a velocity.
func bowl(at, velocity spatial.Vec3) *model.Model {
	const mass, r, k = 1.0, 0.1, bowlStiffness
	I := 0.4 * mass * r * r
	m := model.New("bowl")
	m.Terrains = []model.Terrain{{Name: "bowl", Type: model.FunctionTerrain, Expression: "(x^2 + y^2)/2"}}
	m.Bodies = []model.Body{{Name: "ball", Mass: mass, Inertia: model.Inertia{XX: I, YY: I, ZZ: I}, Pose: model.Pose{Position: at},
		Velocity: model.Velocity{Linear: velocity, Angular: [3]float64{1, 2, 3}}}}
	m.Forces = []model.ForceElement{{Name: "c", Type: model.ContactForce, A: model.Attachment{Body: "ball"}, Contact: &model.Contact{
		Terrain: "bowl", Shape: contact.Shape{Type: contact.Sphere, Radius: r}, Law: contact.Law{Normal: contact.Normal{Stiffness: k, Exponent: 1}},
	}}}
	return m
}

// TestBowlKeepsEnergy: over 25 s, every night over 100 s, by the pair of Dormand and Prince, going round in the bowl, and bouncing in it, the
// ball keeps its energy above rest at the bottom.
func TestBowlKeepsEnergy(t *testing.T) {
	check.Long(t)
	const tol, off = 5e-12, 1e-9
	until := 25.0
	if check.More() > 1 {
		until = 100
	}
	for _, c := range []struct {
		name         string
		at, velocity spatial.Vec3
	}{
		{"rounds", spatial.Vec3{0.5, 0, 0.125 + 0.1}, spatial.Vec3{0.3, 1.2, 0}},
		{"bounces", spatial.Vec3{0.4, 0.1, 0.6}, spatial.Vec3{0, 0.5, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := bowl(c.at, c.velocity)
			p, err := rung.NewPlan(m, kkt.Options{})
			require.NoError(t, err)
			mech := p.Mechanism()
			d := motion.NewDynamics(p)
			s := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: tol}), p.Initial(), sim.Options{Projector: d, Events: sim.ContactEvents(mech, nil)})
			const bottom = gravity*0.1 - gravity*gravity/2/bowlStiffness // m g r at the bottom, less m g Δ and with k Δ²/2 of the spring that carries the ball
			E := energyOf(t, mech, s.State()) - bottom
			spin := s.State().Bodies[0].Omega.Norm()
			worst := 0.0
			for k := range 200 {
				require.NoError(t, s.Run(until*float64(k+1)/200))
				worst = max(worst, math.Abs(energyOf(t, mech, s.State())-bottom-E))
			}
			t.Logf("%d steps; energy %.4g J, off by %.2g of it", s.Stats().Steps, E, worst/E)
			assert.Less(t, worst, off*E)
			assert.InDelta(t, spin, s.State().Bodies[0].Omega.Norm(), 1e-12)
		})
	}
}
