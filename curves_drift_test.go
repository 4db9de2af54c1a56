package rung_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

// driftCorners are the points of a closed track.
var driftCorners = []spatial.Vec3{{2, 0, 0}, {1.5, 1.6, 0.3}, {0, 2, 0.8}, {-1.8, 1, 0.2}, {-1.6, -1.2, -0.4}, {0.3, -2, 0}}

// TestCurvesDrift: beads on curves of all kinds, in space and in a plane, one that is pulled along its curve, and followers of all kinds on
// cams, over many steps of Runge's and Kutta's method: a million every night. The joints hold to the drift that runs leave, and energy is
// kept to the error of the steps.
func TestCurvesDrift(t *testing.T) {
	const (
		step   = 1e-3
		drifts = 2e-10 // sim.DefaultDrift, and projections
		kept   = 1e-7  // h⁴ at some 5 rad/s over a second, in a million steps 1000 times that; of splines, whose third derivative jumps, more
	)
	steps, lost := check.Few(5000, 500), kept
	if check.More() > 1 {
		steps, lost = 1_000_000, 1000*kept
	}
	oval := &curves.Curve{Kind: curves.Function, X: "0.05*cos(u) + 0.002*cos(2*u)", Y: "0.04*sin(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}
	for name, make := range map[string]func(b *rung.Builder){
		"circle": func(b *rung.Builder) {
			driftBead(t, b, &curves.Curve{Kind: curves.Circle, Axis: spatial.Vec3{0.3, 1, 0.2}, Radius: 0.8}, 0.4, false)
		},
		"eight": func(b *rung.Builder) {
			driftBead(t, b, &curves.Curve{Kind: curves.Function, X: "sin(u)", Y: "0.1*cos(u)", Z: "0.7*sin(2*u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true}, 0.3, false)
		},
		"spline": func(b *rung.Builder) {
			driftBead(t, b, &curves.Curve{Kind: curves.Spline, Points: driftCorners, Closed: true}, 0.5, false)
		},
		"in a plane": func(b *rung.Builder) {
			driftBead(t, b, &curves.Curve{Kind: curves.Circle, Radius: 0.8}, 0.4, true)
		},
		"pulled": func(b *rung.Builder) {
			j := driftBead(t, b, &curves.Curve{Kind: curves.Function, X: "u", Y: "0", Z: "0.25*sin(2*u)", Range: [2]float64{-10, 10}}, 0.4, false)
			j.Stiffness, j.Rest = []float64{0, 0, 0, 30}, []float64{0, 0, 0, 11}
		},
		"roller": func(b *rung.Builder) { driftCam(t, b, oval, &curves.Curve{Kind: curves.Circle, Radius: 0.01}, 0.01) },
		"face":   func(b *rung.Builder) { driftCam(t, b, oval, &curves.Curve{Ends: [2]spatial.Vec3{{-0.1}, {0.1}}}, 0) },
		"hollow": func(b *rung.Builder) {
			driftCam(t, b, oval, &curves.Curve{Kind: curves.Circle, Radius: 0.4, Axis: spatial.Vec3{0, 0, -1}}, -0.4)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := rung.NewBuilder(name).Gravity(0, 0, -gravity)
			make(b)
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
				k := mustKinematics(t, mech, s.State())
				for j := range mech.Joints {
					position, velocity := mech.Residuals(j, k, s.State())
					drift = max(drift, position, velocity)
				}
				e := mech.EnergyAt(k, s.State())
				return e.Kinetic + e.Potential(), drift
			}
			was, _ := look()
			for i := range 20 {
				require.NoError(t, s.Run(o.Until*float64(i+1)/20))
				energy, drift := look()
				require.LessOrEqual(t, drift, drifts)
				require.InDelta(t, was, energy, lost*max(was, -was, 1))
			}
		})
	}
}

// driftBead adds a body whose point beside its centre of mass is on a curve, at rest at u.
func driftBead(t testing.TB, b *rung.Builder, c *curves.Curve, u float64, planar bool) *rung.Joint {
	at := c.Prepared().At(u).C
	body := b.Body("bead", wheelOf(t, 2, 0.05, 0.04), rung.At(at[0], at[1], at[2]-0.02))
	b.Move(body, spatial.Vec3{}, spatial.Vec3{0.3, 0.5, 0.2})
	j := b.PointOnCurve("touch", rung.World, body, rung.At(0, 0, 0), at, c)
	j.Curve.Parameter, j.Curve.Planar = &u, planar
	if planar { // and z is held by a spring
		b.SpringDamper("holds", rung.World, body, spatial.Vec3{0, 0, 0.6}, at, build.Spring{Stiffness: 60})
	}
	return j
}

// driftCam adds a cam that turns freely about y and a follower along z with a spring, whose curve touches it from the outside, or around
// it.
func driftCam(t testing.TB, b *rung.Builder, c, other *curves.Curve, radius float64) {
	z, y := spatial.Vec3{0, 0, 1}, spatial.Vec3{0, 1, 0}
	plane := rung.At(0, 0, 0).WithZX(y.Neg(), spatial.Vec3{1, 0, 0}) // its y is z of the world
	height := 0.04 + radius
	shaft := b.Body("cam", wheelOf(t, 2, 0.02, 0.02), plane)
	follower := b.Body("follower", wheelOf(t, 0.4, 0.01, 0.01), rung.At(0, 0, height))
	b.Move(shaft, spatial.Vec3{}, y.Scale(-6))
	b.Revolute("shaft", rung.World, shaft, spatial.Vec3{}, y)
	guide := b.Prismatic("guide", rung.World, follower, spatial.Vec3{0, 0, height}, z)
	guide.Stiffness, guide.Rest = []float64{300}, []float64{-0.05}
	at := plane
	at.Origin = spatial.Vec3{0, 0, height}
	u := math.Pi / 2
	j := b.CurveOnCurve("touch", shaft, follower, plane, at, c, other)
	w := 0.1 // the middle of the face
	if radius != 0 {
		w = -math.Pi / 2 // the lowest point of a roller, and of a circle the other way around the highest
	}
	j.Curve.Parameter, j.SuccessorCurve.Parameter = &u, &w
}
