package rung_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

// TestRollingDrift: every kind of wheel, an edge, balls in a bowl and on a dome, and a ball and a tyre on hills, over many steps of Runge's
// and Kutta's method: a million every night. The joints hold to the drift that runs leave, at both levels, and energy is kept to the error
// of the steps.
func TestRollingDrift(t *testing.T) {
	const (
		radius, step = 0.3, 1e-3
		drifts       = 2e-10 // sim.DefaultDrift, and projections
		kept         = 1e-8  // h⁴ at some 5 rad/s over a second, in a million steps 1000 times that
	)
	steps, lost := check.Few(5000, 500), kept
	if check.More() > 1 {
		steps, lost = 1_000_000, 1000*kept
	}
	up, leans := spatial.Vec3{0, 0, 1}, tilted(1.3)
	for _, c := range []struct {
		name string
		w    build.Wheel
		hill bool
	}{
		{name: "disc", w: build.Wheel{Axle: leans}}, {name: "torus", w: build.Wheel{Axle: leans, TyreRadius: 0.1}}, {name: "ball", w: build.Wheel{Axle: up, TyreRadius: radius}},
		{name: "along", w: build.Wheel{Axle: leans, Slip: joints.SlipAlong}}, {name: "across", w: build.Wheel{Axle: leans, Slip: joints.SlipAcross}},
		{name: "both", w: build.Wheel{Axle: leans, Slip: joints.SlipBoth}}, {name: "edge"},
		{name: "bowl", w: build.Wheel{Axle: up, TyreRadius: radius, BowlRadius: 1}}, {name: "dome", w: build.Wheel{Axle: up, TyreRadius: radius, BowlRadius: -1}},
		{name: "ball on hills", w: build.Wheel{Axle: up, TyreRadius: radius}, hill: true}, {name: "tyre on hills", w: build.Wheel{Axle: leans, TyreRadius: 0.1}, hill: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := rung.NewBuilder(c.name).Gravity(0, 0, 0)
			if c.w.BowlRadius != 0 || c.hill {
				b.Gravity(0, 0, -gravity)
			}
			d, err := bodies.New(2, spatial.Vec3{0, 0, 0.02}, spatial.Diag3(0.05, 0.06, 0.09))
			require.NoError(t, err)
			place := rung.At(0, 0, radius)
			if c.w.BowlRadius != 0 {
				place = rung.At(-0.4, 0.2, -c.w.BowlRadius/2)
			}
			if c.w.Axle != (spatial.Vec3{}) {
				place = place.WithZ(c.w.Axle)
			}
			body := b.Body("body", d, place)
			b.Move(body, spatial.Vec3{0.4, 0.3, 0}, leans.Scale(5).Add(spatial.Vec3{0.3, 0.1, 0.4}))
			switch {
			case c.name == "edge":
				b.Planar("ice", rung.World, body, place.Origin, up)
				b.NoSlip("contact", rung.World, body, place.Origin.Add(spatial.Vec3{-0.2}), spatial.Vec3{0, 1, 0})
			case c.hill:
				c.w.Center, c.w.Radius = place.Origin, radius
				b.RollingOn("contact", body, b.Terrain(formulaGround("0.1*sin(2*x)*cos(1.5*y) + 0.05*(x^2 + y^2)")), c.w)
			default:
				c.w.Center, c.w.Radius = place.Origin, radius
				b.Rolling("contact", rung.World, body, spatial.Vec3{}, up, c.w)
			}
			if c.w.BowlRadius == 0 { // holds the wheel up, and in its place
				b.SpringDamper("holds", rung.World, body, spatial.Vec3{0, 0, 1}, place.Origin, build.Spring{Stiffness: 40})
			}
			p := planOf(t, b)
			st := p.Initial()
			closer := closing.NewCloser(p, closing.Options{})
			require.NoError(t, closer.ClosePositions(st))
			require.NoError(t, closer.ProjectVelocities(st))
			o := rung.SimulationOptions{Until: step * float64(steps), Step: step, Integrator: runs.RungeKutta4, From: st}
			s, err := rung.NewSimulation(p, o)
			require.NoError(t, err)
			mech := p.Mechanism()
			look := func() (energy, drift float64) {
				k := mech.NewKinematics()
				require.NoError(t, mech.KinematicsTo(k, s.State()))
				for j := range mech.Joints {
					position, velocity := mech.Residuals(j, k, s.State())
					drift = max(drift, position, velocity)
				}
				e := mech.EnergyAt(k, s.State())
				return e.Kinetic + e.Potential(), drift
			}
			was, _ := look()
			size := max(was, -was, 1)
			for i := range 20 {
				require.NoError(t, s.Run(o.Until*float64(i+1)/20))
				energy, drift := look()
				require.LessOrEqual(t, drift, drifts)
				require.InDelta(t, was, energy, lost*size)
			}
		})
	}
}
