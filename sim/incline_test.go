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

const gravity = 9.81

// slope returns an empty model with a plane that falls along x with an angle, and the directions down it and out of it.
func slopeOf(name string, angle float64) (m *model.Model, down, out spatial.Vec3) {
	s, c := math.Sincos(angle)
	m = model.New(name)
	down, out = spatial.Vec3{c, 0, -s}, spatial.Vec3{s, 0, c}
	m.Terrains = []model.Terrain{{Name: "ground", Type: model.PlaneTerrain, Normal: out}}
	return m, down, out
}

// coulombOf is friction with a coefficient, regularised at a speed.
func coulombOf(mu, slip float64) contact.Friction {
	return contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{mu, mu}, SlipSpeed: slip}
}

// ballOnSlope is a ball as deep in a slope as carries it, which moves
// down it with a speed and turns with a rate as if it rolled with rim.
func ballOnSlope(angle, mu, slip, speed, rim float64) *model.Model {
	const mass, r, k = ballMass, ballRadius, 1e4
	m, down, out := slopeOf("ball", angle)
	I := ballShape * mass * r * r
	m.Bodies = []model.Body{{Name: "ball", Mass: mass, Inertia: model.Inertia{XX: I, YY: I, ZZ: I},
		Pose:     model.Pose{Position: out.Scale(r - mass*gravity*math.Cos(angle)/k)},
		Velocity: model.Velocity{Linear: down.Scale(speed), Angular: [3]float64{0, rim / r, 0}}}}
	m.Forces = []model.ForceElement{{Name: "c", Type: model.ContactForce, A: model.Attachment{Body: "ball"}, Contact: &model.Contact{
		Terrain: "ground", Shape: contact.Shape{Type: contact.Sphere, Radius: r},
		Law: contact.Law{Normal: contact.Normal{Stiffness: k, Exponent: 1, Dissipation: 0.5}, Friction: coulombOf(mu, slip)},
	}}}
	return m
}

const ballMass, ballRadius, ballShape = 1.3, 0.12, 0.4 // kg, m, I/mr²

// dormandPrince is a run by explicit steps with a tolerance, which contacts end.
func dormandPrince(t testing.TB, m *model.Model, tol float64) *sim.Simulation {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	d := motion.NewDynamics(p)
	return sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: tol}), p.Initial(),
		sim.Options{Projector: d, Events: sim.ContactEvents(p.Mechanism(), nil)})
}

// TestBallRollsAndSlides: below tan α = μ(1 + mr²/I) a ball rolls with g sin α/(1 + I/mr²) and slips by v_s ρ/√(1 −
// ρ²), ρ = tan α (I/mr²)/(1 + I/mr²)/μ, steadily; above it slides with g(sin α − μ cos α) and spins up with μ g cos
// α·mr/I, but for what friction lacks at a slip w, v_s²/2w² of itself.
func TestBallRollsAndSlides(t *testing.T) {
	check.Long(t)
	const mu, vs, until, tol = 0.15, 1e-3, 2.0, 1e-9
	limit := mu * (1 + 1/ballShape)
	for _, tan := range []float64{0, 0.1, 0.5 * limit, 0.95 * limit, 1.05 * limit, 2 * limit} {
		angle := math.Atan(tan)
		sin, cos := math.Sincos(angle)
		down := spatial.Vec3{cos, 0, -sin}
		const speed = 0.7
		var slip, a, turn, lack float64 // lack: by how much of the friction the closed form may be off
		if tan < limit {
			rho := tan * ballShape / (1 + ballShape) / mu
			slip = vs * rho / math.Sqrt(1-rho*rho)
			a = gravity * sin / (1 + ballShape)
			turn = a
		} else {
			slip = speed // it does not turn at first
			a = gravity * (sin - mu*cos)
			turn = mu * gravity * cos / ballShape
			lack = mu * gravity * cos * vs * vs / (2 * slip * slip)
		}
		s := dormandPrince(t, ballOnSlope(angle, mu, vs, speed, speed-slip), 1e-10)
		start := s.State().Bodies[0].Position
		for _, at := range []float64{0.5, 1, until} {
			require.NoError(t, s.Run(at))
			b := &s.State().Bodies[0]
			way, v, rim := b.Position.Sub(start).Dot(down), b.Velocity.Dot(down), b.Omega[1]*ballRadius
			t.Logf("tan α %.4f, %g s: way off by %.2g m, speed by %.2g m/s, rim by %.2g m/s, may be %.2g", tan, at,
				way-(speed*at+a*at*at/2), v-(speed+a*at), rim-(speed-slip+turn*at), lack*at)
			assert.InDelta(t, speed+a*at+lack*at/2, v, lack*at/2+tol)
			assert.InDelta(t, speed-slip+turn*at-lack*at/ballShape/2, rim, lack*at/ballShape/2+tol)
			assert.InDelta(t, speed*at+a*at*at/2+lack*at*at/4, way, lack*at*at/4+tol)
			assert.InDelta(t, start.Dot(spatial.Vec3{sin, 0, cos}), b.Position.Dot(spatial.Vec3{sin, 0, cos}), tol, "as deep as m g cos α/k")
		}
	}
}

// TestWheelsOnSlopes has closed forms for whole runs of a wheel with a frame, M = 30 kg in all and I = 0.5 kg m² of the
// wheel: rolling down freely, driven on level ground with a steady spin, without slip, driven uphill, which slips by
// v_s ρ/√(1 − ρ²), ρ = tan α/μ, and sliding down although it is driven uphill, where tan α > μ.
func TestWheelsOnSlopes(t *testing.T) {
	check.Long(t)
	const mu, vs, r, M, I, until, tol = 0.5, 1e-3, 0.25, 30.0, 0.5, 1.5, 1e-9
	for _, c := range []struct {
		name  string
		angle float64
		rim   float64 // down the slope, of the driven wheel; 0: it rolls freely
	}{{"rolls", 0.3, 0}, {"level", 0, 2}, {"climbs", 0.3, -2}, {"climbs steeply", 0.45, -2}, {"slides", 0.6, -2}} {
		t.Run(c.name, func(t *testing.T) {
			sin, cos := math.Sincos(c.angle)
			down := spatial.Vec3{cos, 0, -sin}
			m := rolling(t, coulombOf(mu, vs), c.angle)
			var a, slip, lack, speed float64
			switch rho := sin / cos / mu; {
			case c.rim == 0:
				a = M * gravity * sin / (M + I/(r*r))
				rho = I * a / (r * r) / (mu * M * gravity * cos)
				slip = vs * rho / math.Sqrt(1-rho*rho)
				speed = 0.5
			case rho < 1:
				slip = vs * rho / math.Sqrt(1-rho*rho)
				speed = c.rim + slip
			default:
				a = gravity * (sin - mu*cos)
				slip = -c.rim
				lack = mu * gravity * cos * vs * vs / (2 * slip * slip)
			}
			for i := range m.Bodies {
				m.Bodies[i].Velocity.Linear = down.Scale(speed)
			}
			m.Bodies[0].Velocity.Angular[1] = (speed - slip) / r
			if c.rim != 0 {
				m.Joints[0].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, c.rim / r}}}
			}
			s := dormandPrince(t, m, 1e-12)
			start := s.State().Bodies[0].Position
			for _, at := range []float64{0.4, until} {
				require.NoError(t, s.Run(at))
				b := &s.State().Bodies[0]
				way, v := b.Position.Sub(start).Dot(down), b.Velocity.Dot(down)
				t.Logf("%g s: slip %.3g m/s, acceleration %.3g m/s²; way off by %.2g m, speed by %.2g m/s, may be %.2g", at, slip, a, way-(speed*at+a*at*at/2), v-(speed+a*at), lack*at)
				assert.InDelta(t, speed+a*at+lack*at/2, v, lack*at/2+tol)
				assert.InDelta(t, speed*at+a*at*at/2+lack*at*at/4, way, lack*at*at/4+tol)
				if c.rim == 0 {
					assert.InDelta(t, (speed-slip+a*at)/r, b.Omega[1], tol/r)
				}
			}
		})
	}
}

// TestBraking: a wheel that is locked slides on level ground and stops; its speed keeps √(v² + v_s²) − v_s asinh(v_s/v) +
// μ g t from the first slip to the last creeping.
func TestBraking(t *testing.T) {
	const mu, vs, speed, tol = 0.5, 1e-2, 1.5, 1e-8
	m := rolling(t, coulombOf(mu, vs), 0)
	for i := range m.Bodies {
		m.Bodies[i].Velocity.Linear[0] = speed
	}
	m.Joints[0].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0}}}
	kept := func(v float64) float64 { return math.Hypot(v, vs) - vs*math.Asinh(vs/v) }
	s := dormandPrince(t, m, 1e-10)
	stop := speed / (mu * gravity)
	for _, at := range []float64{0.3 * stop, 0.9 * stop, stop, 1.01 * stop, 1.03 * stop} {
		require.NoError(t, s.Run(at))
		v := s.State().Bodies[0].Velocity[0]
		t.Logf("%.4f s: %.6g m/s, off by %.2g", at, v, kept(v)+mu*gravity*at-kept(speed))
		assert.InDelta(t, kept(speed)-mu*gravity*at, kept(v), tol)
	}
	assert.Less(t, s.State().Bodies[0].Velocity[0], vs/5)
}

// footed is a block of 3 kg on four feet on a slope, near where it stands.
func footed(angle float64, f contact.Friction) *model.Model {
	const radius, mass, k = 0.05, 3.0, 1e5
	m, _, out := slopeOf("block", angle)
	m.Bodies = []model.Body{{Name: "block", Mass: mass, Inertia: model.Inertia{XX: 0.05, YY: 0.06, ZZ: 0.07}, Pose: model.Pose{
		Position:    out.Scale(0.1 + radius - mass*gravity*math.Cos(angle)/(4*k)),
		Orientation: [4]float64{math.Cos(angle / 2), 0, math.Sin(angle / 2), 0},
	}}}
	for i, name := range []string{"a", "b", "c", "d"} {
		foot := spatial.Vec3{0.2 - 0.4*float64(i%2), 0.15 - 0.3*float64(i/2), -0.1}
		m.Forces = append(m.Forces, model.ForceElement{Name: name, Type: model.ContactForce, A: model.Attachment{Body: "block"}, Contact: &model.Contact{
			Terrain: "ground", Shape: contact.Shape{Type: contact.Sphere, Radius: radius, Center: foot},
			Law: contact.Law{Normal: contact.Normal{Stiffness: k, Exponent: 1, Dissipation: 20}, Friction: f},
		}})
	}
	return m
}

// lockedBall is a ball on a slope that cannot turn: a planar joint lets it move in the plane of the slope's fall.
func lockedBall(angle float64, f contact.Friction) *model.Model {
	m := ballOnSlope(angle, 0, 1, 0, 0)
	m.Forces[0].Contact.Law.Friction = f
	across := [4]float64{math.Sqrt2 / 2, -math.Sqrt2 / 2, 0, 0} // z along y
	m.Joints = []model.Joint{{Name: "rail", Type: model.Planar, Predecessor: model.World, Successor: "ball", PredecessorFrame: model.Pose{Orientation: across}, SuccessorFrame: model.Pose{Orientation: across},
		Motion: []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0}}, nil, nil}}}
	return m
}

// TestSlidesAtTheAngleOfFriction: the slope from which on a body slides, found by halving, satisfies tan α = μ for
// what cannot roll, and μ(1 + mr²/I) for a ball that can. Regularised friction lets a body creep below, so that sliding
// is a speed that keeps growing there: at tan α = μ itself it grows as ∛(3/2 μ g cos α v_s² t), by 2^⅓ in twice the
// time, so that what the halving finds is off by about that speed over g t, 10⁻⁴. With bristles a body slides that
// still moves when they have bent.
func TestSlidesAtTheAngleOfFriction(t *testing.T) {
	check.Long(t)
	const mu, until, small, tol = 0.5, 10.0, 1e-5, 3e-4
	run := func(m *model.Model, until float64) *sim.Simulation {
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		s, _ := damped(p, 0, 1e-7, sim.Options{Projector: sim.NoProjector})
		require.NoError(t, s.Run(until))
		return s
	}
	free := func(angle float64, f contact.Friction) *model.Model {
		m := ballOnSlope(angle, 0, 1, 0, 0)
		m.Forces[0].Contact.Law.Friction = f
		return m
	}
	held := coulombOf(mu, small)
	held.Hold = contact.Hold{Travel: small, Damping: 1000}
	width := 1e-5
	for _, c := range []struct {
		name  string
		make  func(angle float64, f contact.Friction) *model.Model
		f     contact.Friction
		limit float64
	}{
		{"block", footed, coulombOf(mu, small), mu},
		{"block with bristles", footed, held, mu},
		{"locked ball", lockedBall, coulombOf(mu, small), mu},
		{"locked ball with bristles", lockedBall, held, mu},
		{"ball", free, coulombOf(mu, small), mu * (1 + 1/ballShape)},
	} {
		t.Run(c.name, func(t *testing.T) {
			slides := func(tan float64) bool {
				m := c.make(math.Atan(tan), c.f)
				s := run(m, until)
				slip := func() float64 {
					b := &s.State().Bodies[0]
					down := spatial.Vec3{1, 0, -tan}.Scale(1 / math.Hypot(1, tan))
					return b.Velocity.Dot(down) - b.Omega[1]*ballRadius
				}
				half := slip()
				require.NoError(t, s.Run(2*until))
				if c.f.Hold.Travel > 0 {
					return slip() > 10*small/until
				}
				return slip() > 1.5*half
			}
			lo, hi := 0.8*c.limit, 1.2*c.limit
			require.False(t, slides(lo))
			require.True(t, slides(hi))
			for hi-lo > width*c.limit {
				if mid := (lo + hi) / 2; slides(mid) {
					hi = mid
				} else {
					lo = mid
				}
			}
			t.Logf("slides from tan α = %.6f on, %.6f expected", hi, c.limit)
			assert.InEpsilon(t, c.limit, hi, tol)
		})
	}
}

// TestBlockCreeps: below the angle of friction a block on four feet creeps with v_s tan α/√(μ² − tan²α).
func TestBlockCreeps(t *testing.T) {
	check.Long(t)
	const mu, vs, until, tol = 0.5, 1e-3, 3, 1e-9
	for _, ratio := range []float64{0.1, 0.5, 0.9, 0.99} {
		tan := ratio * mu
		want := vs * tan / math.Sqrt(mu*mu-tan*tan)
		m := footed(math.Atan(tan), coulombOf(mu, vs))
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		implicit, _ := damped(p, 2e-3, 0, sim.Options{Projector: sim.NoProjector})
		for name, s := range map[string]*sim.Simulation{"generalized-alpha": implicit, "dopri5": dormandPrince(t, m, 1e-12)} {
			require.NoError(t, s.Run(until))
			v := s.State().Bodies[0].Velocity.Norm()
			t.Logf("%s, tan α = %.2f μ: creeps with %.12g m/s, off by %.2g", name, ratio, v, v-want)
			if name == "dopri5" {
				assert.InEpsilon(t, want, v, tol)
			}
			assert.InDelta(t, want, v, tol) // m/s: what the iteration of implicit steps leaves
		}
	}
}
