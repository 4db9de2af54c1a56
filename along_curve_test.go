package rung_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
)

const (
	trolleyMass = 1.7   // kg
	trolleyTol  = 1e-10 // rounding of accelerations and forces of order 100
)

// hill is a track in the plane of x and z: x = u, z = ¼·sin(2u).
var hill = &curves.Curve{Kind: curves.Function, X: "u", Y: "0", Z: "0.25*sin(2*u)", Range: [2]float64{-10, 10}}

// hillWay returns the way along the hill from its start to u, by Simpson's rule: its error is below rounding.
func hillWay(u float64) (sum float64) {
	const n = 20_000
	h := (u - hill.Range[0]) / n
	for i := range n + 1 {
		_, _, _, speed := onHill(hill.Range[0] + h*float64(i))
		switch {
		case i == 0 || i == n:
		case i%2 == 1:
			speed *= 4
		default:
			speed *= 2
		}
		sum += speed * h / 3
	}
	return sum
}

// onHill returns z, the slope dz/ds and the curvature vector's length and sign of the hill at u, with the way per u.
func onHill(u float64) (z, slope, curvature, speed float64) {
	d := 0.5 * math.Cos(2*u)
	speed = math.Sqrt(1 + d*d)
	return 0.25 * math.Sin(2*u), d / speed, -math.Sin(2*u) / (speed * speed * speed), speed
}

// trolley returns a point mass on the hill at u with the rate v along it; set changes its joint.
func trolley(t testing.TB, u, v float64, set func(j *rung.Joint)) *rung.Builder {
	t.Helper()
	b := rung.NewBuilder("trolley").Gravity(0, 0, -gravity)
	z, slope, _, speed := onHill(u)
	at := spatial.Vec3{u, 0, z}
	body := b.Body("trolley", wheelOf(t, trolleyMass, 0.01, 0.01), rung.At(u, 0, z))
	b.Move(body, spatial.Vec3{v / speed, 0, v * slope}, spatial.Vec3{})
	j := b.PointOnCurve("track", rung.World, body, rung.At(0, 0, 0), at, hill)
	j.Curve.Parameter = &u
	set(j)
	return b
}

// TestTrolleyIsPulled: a force F along the track gives s¨ = F/m − g·dz/ds, and across the track it presses by m·(κ·ṡ² + g·cos); a
// prescribed way needs the force m·(s¨ + g·dz/ds), by all methods.
func TestTrolleyIsPulled(t *testing.T) {
	check.Long(t)
	for _, c := range []struct{ u, v, pull float64 }{{0.3, 0, 5}, {-1.2, 2, -7}, {2.4, -3, 0}} {
		_, slope, curvature, speed := onHill(c.u)
		along, up := spatial.Vec3{1 / speed, 0, slope}, spatial.Vec3{-slope, 0, 1 / speed}
		pulled := trolley(t, c.u, c.v, func(j *rung.Joint) { j.Force = []float64{0, 0, 0, c.pull} })
		way := hillWay(c.u)
		const wanted = 2.5
		driven := trolley(t, c.u, c.v, func(j *rung.Joint) {
			j.Motion = []*joints.Motion{nil, nil, nil, joints.NewPolynomial([]float64{way, c.v, wanted / 2})}
		})
		methods(t, func(t *testing.T, m motion.Method) {
			r := solved(t, pulled, m)
			require.Nil(t, r.Violation)
			a := spatial.Vec3(r.Bodies[0].ComAcceleration)
			assert.InDelta(t, c.pull/trolleyMass-gravity*slope, a.Dot(along), trolleyTol)
			assert.InDelta(t, curvature*c.v*c.v, a.Dot(up), trolleyTol)
			assert.InDelta(t, trolleyMass*(curvature*c.v*c.v+gravity/speed), spatial.Vec3(r.Joints[0].ConstraintWrench.Force).Dot(up), trolleyTol)

			r = solved(t, driven, m)
			require.Nil(t, r.Violation)
			assert.InDelta(t, wanted, spatial.Vec3(r.Bodies[0].ComAcceleration).Dot(along), trolleyTol)
			force := spatial.Vec3(r.Joints[0].ConstraintWrench.Force)
			assert.InDelta(t, trolleyMass*(wanted+gravity*slope), force.Dot(along), trolleyTol)
			assert.InDelta(t, trolleyMass*(curvature*c.v*c.v+gravity/speed), force.Dot(up), trolleyTol)
		})
	}
}

// TestSpringAlongATrack: without gravity a spring k along a hill makes the way swing at √(k/m), whatever the hill is, with its energy; its
// mode has that frequency where it hangs in gravity too: with k + m·g·d²z/ds².
func TestSpringAlongATrack(t *testing.T) {
	check.Long(t)
	const k, start = 40.0, 0.6
	w := math.Sqrt(k / trolleyMass)
	middle := hillWay(0.2)
	b := trolley(t, start, 0, func(j *rung.Joint) {
		j.Stiffness, j.Rest = []float64{0, 0, 0, k}, []float64{0, 0, 0, middle}
	}).Gravity(0, 0, 0)
	p := planOf(t, b)
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 3, Tolerance: 1e-11})
	require.NoError(t, err)
	for _, until := range []float64{0.4, 1.1, 3} {
		require.NoError(t, s.Run(until))
		x := s.State().Bodies[0].Position[0]
		want := middle + (hillWay(start)-middle)*math.Cos(w*until)
		require.InDelta(t, want, hillWay(x), 1e-9)
	}

	u := 0.4
	_, slope, curvature, speed := onHill(u)
	hangs := trolley(t, u, 0, func(j *rung.Joint) { // in equilibrium there
		j.Stiffness, j.Rest = []float64{0, 0, 0, k}, []float64{0, 0, 0, hillWay(u) + trolleyMass*gravity*slope/k}
	})
	p = planOf(t, hangs)
	sys := linear.NewSystem(p)
	require.NoError(t, sys.Linearize(p.Initial()))
	found, err := sys.Modes(linear.ModeOptions{})
	require.NoError(t, err)
	stiff := k + trolleyMass*gravity*curvature/speed // d²z/ds² = κ·cos
	fastest := 0.0
	for i := range found.List {
		fastest = max(fastest, imag(found.List[i].Lambda))
	}
	assert.InEpsilon(t, math.Sqrt(stiff/trolleyMass), fastest, 1e-8)
}

// TestWinch: a drum of the radius r winds the rope of a trolley up: s = s₀ + r·φ, a coupling. By hand, with the inertia I of the drum and
// the torque τ,
//
//	(m + I/r²)·s¨ = τ/r − m·g·dz/ds,   and the rope pulls by τ/r − I·s¨/r².
func TestWinch(t *testing.T) {
	const r, inertia, torque, u = 0.12, 0.05, 3.0, 0.7
	_, slope, _, speed := onHill(u)
	b := trolley(t, u, 0, func(*rung.Joint) {})
	drum := b.Body("drum", wheelOf(t, 3, inertia, 0.04), rung.At(5, 0, 3).WithZ(spatial.Vec3{0, 1, 0}))
	shaft := b.Revolute("shaft", rung.World, drum, spatial.Vec3{5, 0, 3}, spatial.Vec3{0, 1, 0})
	shaft.Force = []float64{torque}
	doc, err := b.Model()
	require.NoError(t, err)
	doc.Couplings = []model.Coupling{{Name: "rope", Terms: []model.CouplingTerm{
		{Coupled: model.Coupled{Joint: "track", Freedom: 3}, Factor: 1}, {Coupled: model.Coupled{Joint: "shaft"}, Factor: -r},
	}, Offset: hillWay(u)}}
	p, err := rung.NewPlan(doc, rung.Options{})
	require.NoError(t, err)
	want := (torque/r - trolleyMass*gravity*slope) / (trolleyMass + inertia/(r*r))
	for _, method := range motion.Methods() {
		res, err := compare.Accelerate(p, method, p.Initial())
		require.NoError(t, err)
		require.Nil(t, res.Violation)
		a := spatial.Vec3(res.Bodies[0].ComAcceleration)
		assert.InDelta(t, want, a.Dot(spatial.Vec3{1 / speed, 0, slope}), trolleyTol, "%v", method)
		assert.InDelta(t, want/r, res.Bodies[1].AngularAcceleration[1], 10*trolleyTol, "%v", method)
	}
}

// TestBuffer: a trolley on level ground, on a circle, runs into a buffer and leaves it with the speed of (J3).
func TestBuffer(t *testing.T) {
	const radius, speed, buffer = 2.0, 1.3, 0.8
	b := rung.NewBuilder("buffer").Gravity(0, 0, 0)
	body := b.Body("trolley", wheelOf(t, trolleyMass, 0.01, 0.01), rung.At(radius, 0, 0))
	b.Move(body, spatial.Vec3{0, speed, 0}, spatial.Vec3{})
	j := b.PointOnCurve("track", rung.World, body, rung.At(0, 0, 0), spatial.Vec3{radius, 0, 0}, &curves.Curve{Kind: curves.Circle, Radius: radius})
	limit := model.NoLimit()
	limit.Upper = buffer
	const chi = 0.4
	limit.Stop = model.Stop{Normal: contact.Normal{Stiffness: 1e5, Exponent: 1, Dissipation: chi}}
	j.Limits = []*model.Limit{nil, nil, nil, &limit}
	p := planOf(t, b)
	var at []float64
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 2, Tolerance: 1e-11, OnEvent: func(e runs.Event) error { at = append(at, e.Time); return nil }})
	require.NoError(t, err)
	require.NoError(t, s.Run(2))
	require.Len(t, at, 2)
	require.InDelta(t, buffer/speed, at[0], 1e-9)
	v := s.State().Bodies[0].Velocity
	left := v.Norm()
	side := func(v float64) float64 { return v/chi - math.Log(1+chi*v)/(chi*chi) }
	require.InDelta(t, side(speed), -left/chi-math.Log(1-chi*left)/(chi*chi), 1e-8)
}

// TestLapsAreCounted: a trolley that goes around a closed track has gone on by as many lengths.
func TestLapsAreCounted(t *testing.T) {
	check.Long(t)
	const radius, speed = 0.5, 2.0
	b := rung.NewBuilder("laps").Gravity(0, 0, 0)
	body := b.Body("trolley", wheelOf(t, trolleyMass, 0.01, 0.01), rung.At(radius, 0, 0))
	b.Move(body, spatial.Vec3{0, speed, 0}, spatial.Vec3{})
	b.PointOnCurve("track", rung.World, body, rung.At(0, 0, 0), spatial.Vec3{radius, 0, 0},
		&curves.Curve{Kind: curves.Function, X: "0.5*cos(u)", Y: "0.5*sin(u)", Range: [2]float64{0, 2 * math.Pi}, Closed: true})
	p := planOf(t, b)
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: 10, Tolerance: 1e-11})
	require.NoError(t, err)
	require.NoError(t, s.Run(10))
	q, rate := p.Mechanism().Coordinate(mechanism.Freedom{Joint: 0, Freedom: 3}, s.State())
	require.InDelta(t, speed*10, q, 1e-8)
	require.InDelta(t, speed, rate, 1e-9)
}
