package contact_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
)

// numbers are the numbers of a motion, in the order of the columns of contact.Derivatives.
func numbers(m *contact.PointMotion) []*float64 {
	return []*float64{&m.Depth, &m.N, &m.X, &m.Y, &m.Roll, &m.Spin, &m.Turn, &m.Scale}
}

// TestLawDerivatives compares the derivatives of all laws and of the
// rates of their states with differences of fourth order.
func TestLawDerivatives(t *testing.T) {
	const h, tol, r, share = 1e-4, 1e-6, 0.3, 0.5
	for name, l := range laws() {
		rng := check.Rand(7)
		for range 50 {
			m := contact.PointMotion{
				Depth: 0.01 + 0.03*rng.Float64(), N: 0.1 * rng.NormFloat64(), X: rng.NormFloat64(), Y: rng.NormFloat64(),
				Roll: 2 * rng.NormFloat64(), Spin: rng.NormFloat64(), Turn: rng.NormFloat64(), Scale: 0.2 + rng.Float64(),
			}
			z := make([]float64, l.NumStates())
			for i := range z {
				z[i] = 1e-2 * rng.NormFloat64()
			}
			if name == "hold" && math.Hypot(m.X, m.Y) < 0.01 {
				continue // the kink of ‖v‖
			}
			var f contact.Force
			var d contact.Derivatives
			var dr contact.RateDerivatives
			l.ForceTo(&f, &d, &m, r, share, z)
			rate := make([]float64, len(z))
			l.RateTo(rate, &dr, &m, z)
			values := func() (v [7]float64) {
				l.ForceTo(&f, nil, &m, r, share, z)
				l.RateTo(rate, nil, &m, z)
				copy(v[5:], rate)
				v[0], v[1], v[2], v[3], v[4] = f.N, f.X, f.Y, f.Axle, f.Turn
				return v
			}
			inputs := numbers(&m)
			for i := range z {
				inputs = append(inputs, &z[i])
			}
			for k, x := range inputs {
				was := *x
				at := func(s float64) [7]float64 {
					*x = was + s
					defer func() { *x = was }()
					return values()
				}
				p, n, pp, nn := at(h), at(-h), at(2*h), at(-2*h)
				for i := range p {
					want := (8*(p[i]-n[i]) - (pp[i] - nn[i])) / (12 * h)
					var got, scale float64
					if i < 5 {
						got, scale = d[i][k], 1e5
					} else {
						got, scale = dr[i-5][k], 1e3
					}
					check.Close(t, got, want, tol, scale, "%s: row %d, column %d", name, i, k)
				}
			}
		}
	}
}

// TestPrincipal: the rows of a Newton matrix have what Coulomb friction has in the axes of the sliding.
func TestPrincipal(t *testing.T) {
	const mu, vs = 0.7, 0.5
	l := contact.Law{
		Normal:   contact.Normal{Stiffness: 1e4, Exponent: 1, Dissipation: 0.3},
		Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{mu, mu}, SlipSpeed: vs},
	}
	m := contact.PointMotion{Depth: 0.02, N: -0.1, X: 0.3, Y: 0.4, Scale: 1}
	var f contact.Force
	var d contact.Derivatives
	l.ForceTo(&f, &d, &m, 0.3, 1, nil)
	check.Close(t, d.Stiffness(), 1e4*(1+0.3*0.1), 1e-14, 1e4, "stiffness")
	check.Close(t, d.Damping(), 200*0.3, 1e-14, 60, "damping")
	var value, axis [2]float64
	d.SlidingTo(&value, &axis)
	rho := math.Hypot(0.5, vs)
	check.Close(t, value[0], mu*f.N/rho, 1e-14, mu*f.N, "across the sliding")
	check.Close(t, value[1], mu*f.N*vs*vs/(rho*rho*rho), 1e-14, mu*f.N, "along the sliding")
	check.Close(t, axis[0]*0.3+axis[1]*0.4, 0, 1e-14, 1, "axis")
	m.N = 100 // apart so fast that nothing pushes
	l.ForceTo(&f, &d, &m, 0.3, 1, nil)
	require.Zero(t, f.N)
	require.Zero(t, d.Stiffness())
	require.Zero(t, d.Damping())
}

// TestTyre: pure slips give the magic formula, docs/ground.md (G28), and combined slip one of no more force.
func TestTyre(t *testing.T) {
	tyre, mu, err := contact.TyrePreset("road")
	require.NoError(t, err)
	tyre.LowSpeed = 1e-9
	l := contact.Law{Normal: contact.Normal{Stiffness: 1e5, Exponent: 1}, Friction: contact.Friction{Type: contact.Tyre, Coefficient: mu, Tyre: tyre}}
	at := func(kappa, tan float64) (f contact.Force) {
		l.ForceTo(&f, nil, &contact.PointMotion{Depth: 0.02, Roll: 20, X: -20 * kappa, Y: 20 * tan, Scale: 1}, 0.3, 1, nil)
		return f
	}
	formula := func(x float64) float64 { return math.Sin(1.9 * math.Atan(x-0.97*(x-math.Atan(x)))) }
	for _, s := range []float64{-1, -0.2, -0.03, 0, 1e-10, 0.01, 0.1, 0.5, 3} {
		f := at(s, 0)
		check.Close(t, f.X, f.N*formula(10*s), 1e-14, f.N, "F_x at %v", s)
		check.Close(t, f.Slip, s, 1e-14, 1, "slip")
		require.Zero(t, f.Y)
		f = at(0, s)
		check.Close(t, f.Y, -f.N*formula(10*s), 1e-14, f.N, "F_y at %v", s)
		check.Close(t, f.SlipAngle, math.Atan(s), 1e-14, 1, "slip angle")
	}
	// The peak of dry tarmac is at a slip of 0.18.
	require.Greater(t, at(0.18, 0).X, at(0.17, 0).X)
	require.Greater(t, at(0.185, 0).X, at(0.2, 0).X)
	for _, s := range []float64{0.05, 0.18, 1} {
		f := at(s, s)
		check.Close(t, math.Hypot(f.X, f.Y), f.N*math.Abs(formula(10*s*math.Sqrt2)), 1e-13, f.N, "combined slip")
	}
}

// step is a step of the classical method of Runge and Kutta.
func step(y []float64, h float64, f func(dy, y []float64)) {
	n := len(y)
	var k [4][]float64
	x := make([]float64, n)
	for i, c := range []float64{0, 0.5, 0.5, 1} {
		k[i] = make([]float64, n)
		copy(x, y)
		if i > 0 {
			for j := range x {
				x[j] += c * h * k[i-1][j]
			}
		}
		f(k[i], x)
	}
	for j := range y {
		y[j] += h / 6 * (k[0][j] + 2*k[1][j] + 2*k[2][j] + k[3][j])
	}
}

// TestRestitution: a ball without gravity bounces as the law of Hunt and
// Crossley says in closed form, and without losses as a spring does.
func TestRestitution(t *testing.T) {
	const mass, k, in = 2.0, 1e4, 1.5
	for _, chi := range []float64{0, 0.1, 0.4, 1} {
		l := contact.Law{Normal: contact.Normal{Stiffness: k, Exponent: 1, Dissipation: chi}}
		y := []float64{0, in} // depth and its rate
		const h = 1e-5
		at := 0.0
		for ; ; at += h {
			before := [2]float64{y[0], y[1]}
			move := func(h float64) {
				copy(y, before[:])
				step(y, h, func(dy, y []float64) {
					var f contact.Force
					l.ForceTo(&f, nil, &contact.PointMotion{Depth: y[0], N: -y[1]}, 0.1, 1, nil)
					dy[0], dy[1] = y[1], -f.N/mass
				})
			}
			if move(h); y[0] > 0 {
				continue
			}
			// Out: the last step ends where the depth is 0.
			part := h
			for range 20 {
				part -= y[0] / y[1]
				move(part)
			}
			at += part
			break
		}
		out := -y[1]
		if chi == 0 {
			check.Close(t, out, in, 1e-9, in, "speed")
			check.Close(t, at, math.Pi*math.Sqrt(mass/k), 1e-6, at, "time")
			continue
		}
		left := in/chi - math.Log(1+chi*in)/(chi*chi)
		right := -out/chi - math.Log(1-chi*out)/(chi*chi)
		check.Close(t, right, left, 1e-8, left, "dissipation %v", chi)
	}
}

// TestHold: bristles hold a body exactly below the angle of friction, and above it let it slide as Coulomb friction does.
func TestHold(t *testing.T) {
	const mass, g, mu = 2.0, 9.81, 0.5
	law := func(hold contact.Hold) contact.Law {
		return contact.Law{
			Normal:   contact.Normal{Stiffness: 1e5, Exponent: 1},
			Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{mu, mu}, SlipSpeed: 1e-3, Hold: hold},
		}
	}
	l := law(contact.Hold{Travel: 1e-3, Damping: 20})
	for _, tan := range []float64{0.1, 0.49, 0.51, 0.8} {
		c := 1 / math.Sqrt(1+tan*tan)
		depth := mass * g * c / 1e5
		y := []float64{0, 0} // speed down the slope, bend
		const h = 5e-5
		slide := func(until float64) {
			for range int(until / h) {
				step(y, h, func(dy, y []float64) {
					m := contact.PointMotion{Depth: depth, X: y[0], Scale: 1}
					var f contact.Force
					l.ForceTo(&f, nil, &m, 0.1, 1, []float64{y[1], 0})
					var rate [2]float64
					l.RateTo(rate[:], nil, &m, []float64{y[1], 0})
					dy[0], dy[1] = g*tan*c+f.X/mass, rate[0]
				})
			}
		}
		slide(1)
		if tan < mu {
			slide(3)
			require.Less(t, math.Abs(y[0]), 1e-12, "it holds at %v", tan)
			check.Close(t, y[1]/1e-3, tan/mu, 1e-12, 1, "bend at %v", tan)
			continue
		}
		before := y[0]
		slide(1)
		check.Close(t, y[0]-before, g*c*(tan-mu), 1e-9, g, "it slides at %v", tan)
	}
	// Off the ground the bristles straighten.
	var rate [2]float64
	l.RateTo(rate[:], nil, &contact.PointMotion{Depth: -1, X: 3}, []float64{1e-3, -2e-3})
	require.Equal(t, [2]float64{-1e-3, 2e-3}, rate)
}

// TestCreep: without bristles a body at rest on a slope creeps with v_s tan α/√(μ² − tan² α), docs/ground.md (G22).
func TestCreep(t *testing.T) {
	const mu, vs = 0.7, 1e-3
	l := contact.Law{
		Normal:   contact.Normal{Stiffness: 1e5, Exponent: 1.5},
		Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{mu, mu}, SlipSpeed: vs},
	}
	for _, tan := range []float64{0.01, 0.3, 0.69} {
		v := vs * tan / math.Sqrt(mu*mu-tan*tan)
		var f contact.Force
		l.ForceTo(&f, nil, &contact.PointMotion{Depth: 0.01, X: 0.6 * v, Y: -0.8 * v, Scale: 1}, 0.1, 1, nil)
		check.Close(t, math.Hypot(f.X, f.Y), f.N*tan, 1e-13, f.N, "creep on %v", tan)
	}
}
