package contact_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
)

// soilTol is the tolerance of Gauss–Legendre sums over smooth arcs.
const soilTol = 1e-12

// onSoil returns the force of a wheel of radius 0.3 with the sinkage h
// that rolls at speed 1 with the rim speed u and the sideways speed y.
func onSoil(l contact.SoilLaw, h, u, y float64) (f contact.Force) {
	law := contact.Law{Friction: contact.Friction{Type: contact.Soil, Soil: l}}
	law.ForceTo(&f, nil, &contact.PointMotion{Depth: h, Roll: 1, X: 1 - u, Y: y, Scale: 1}, 0.3, 1, nil)
	return f
}

// plain is soil without shear.
func plain(n float64) contact.SoilLaw {
	return contact.SoilLaw{Cohesive: 1e3, Friction: 1e6, Exponent: n, Shear: 1, C0: 0.5, Width: 0.1, LowSpeed: 1e-3}
}

// TestSoilEven: of a pressure that is the same everywhere, docs/ground.md (G36) has closed forms.
func TestSoilEven(t *testing.T) {
	const b, r, h = 0.1, 0.3, 0.05
	l := plain(0)
	k := l.Cohesive/b + l.Friction
	front := math.Acos(1 - h/r)
	f := onSoil(l, h, 1, 0)
	check.Close(t, f.N, b*k*r*math.Sin(front), soilTol, f.N, "N")
	check.Close(t, f.X, -b*k*r*(1-math.Cos(front)), soilTol, f.N, "F_x")
	check.Close(t, f.Axle, 0, soilTol, f.N, "moment")
	require.True(t, f.AtCenter)

	require.Greater(t, f.N, 1e4)

	// Cohesion alone, which a locked wheel has mobilised all over, pulls backwards along the rim.
	l = plain(0)
	l.Cohesive, l.Friction, l.Cohesion, l.Shear = 0, 1e-300, 1e4, 1e-6
	f = onSoil(l, h, 1e-9, 0)
	// The shear rises with K/r; what is not there yet is near the entry.
	check.Close(t, f.Axle, r*r*b*l.Cohesion*front, 1e-3, math.Abs(f.Axle), "moment")
	check.Close(t, f.X, -r*b*l.Cohesion*math.Sin(front), 1e-3, math.Abs(f.X), "F_x")
}

// TestSoilLinear: of a pressure that grows with the depth the integrals are sums of sines.
func TestSoilLinear(t *testing.T) {
	const b, r, h = 0.1, 0.3, 0.05
	l := plain(1)
	k := (l.Cohesive/b + l.Friction) * r
	front := math.Acos(1 - h/r)
	s, c := math.Sincos(front)
	// With θ_m = θ_f/2 = m and θ_r = 0 the angle behind is θ_e = 2m − θ.
	f := onSoil(l, h, 1, 0)
	m := front / 2
	behind := (m*math.Cos(2*m)+math.Sin(2*m)/2)/2 - c*math.Sin(m)
	ahead := m/2 + (math.Sin(4*m)-math.Sin(2*m))/4 - c*(math.Sin(2*m)-math.Sin(m))
	check.Close(t, f.N, r*b*k*(behind+ahead), soilTol, f.N, "N")
	behind = (m*math.Sin(2*m)-(1-math.Cos(2*m))/2)/2 - c*(1-math.Cos(m))
	ahead = (math.Sin(2*m)*math.Sin(2*m)-math.Sin(m)*math.Sin(m))/2 - c*(math.Cos(m)-math.Cos(2*m))
	check.Close(t, f.X, -r*b*k*(behind+ahead), soilTol, f.N, "F_x")

	// With θ_m = 0 it is ahead: ∫ (cos θ − c) cos θ, ∫ (cos θ − c) sin θ.
	l.C0 = 0
	f = onSoil(l, h, 1, 0)
	check.Close(t, f.N, r*b*k*((front+s*c)/2-c*s), soilTol, f.N, "N")
	check.Close(t, f.X, -r*b*k*((1-c)*(1-c)/2), soilTol, f.N, "F_x")

	// With θ_m = θ_f the mirror image has all pressure at the entry, where it is zero.
	l.C0 = 1
	require.Zero(t, onSoil(l, h, 1, 0).N)
	l.C0 = 0

	// Full recovery, θ_m = 0: symmetrical, no resistance.
	l.Recovery = 1
	f = onSoil(l, h, 1, 0)
	check.Close(t, f.N, 2*r*b*k*((front+s*c)/2-c*s), soilTol, f.N, "N")
	check.Close(t, f.X, 0, soilTol, f.N, "F_x")
}

// TestSoilQuadrature compares all presets with fine sums of their equations, docs/ground.md (G30) to (G36).
func TestSoilQuadrature(t *testing.T) {
	const b, r = 0.12, 0.3
	for _, name := range []string{"dry sand", "sandy loam", "clay", "snow", "lunar"} {
		l, err := contact.SoilPreset(name)
		require.NoError(t, err)
		l.Width, l.LowSpeed, l.Recovery, l.Nodes = b, 1e-6, 0.1, 32
		for _, h := range []float64{0.004, 0.03, 0.1} {
			for _, u := range []float64{0.8, 1.05, 1.5, 4} {
				const y = 0.2
				f := onSoil(l, h, u, y)
				want := fine(&l, r, h, (u-1)/u, y/u)
				scale := math.Hypot(want[0], want[1])
				got := [4]float64{f.N, f.X, f.Y, f.Axle}
				check.CloseVec(t, got[:], want[:], 1e-9, scale, "%s, sinkage %v, rim speed %v", name, h, u)
				l := l
				l.Nodes = 0
				f = onSoil(l, h, u, y)
				got = [4]float64{f.N, f.X, f.Y, f.Axle}
				check.CloseVec(t, got[:], want[:], 1e-6, scale, "%s, sinkage %v, rim speed %v, default", name, h, u)
			}
		}
	}
}

// TestSoilConverges: with 32 places each side the sums of all presets are those of their equations to 10⁻¹²; those of
// sandy loam, whose exponent 0.7 leaves a weak singularity at the entry, to 10⁻¹⁰.
func TestSoilConverges(t *testing.T) {
	const b, r = 0.12, 0.3
	for name, tol := range map[string]float64{"dry sand": 1e-12, "sandy loam": 1e-10, "clay": 1e-12, "snow": 1e-12, "lunar": 1e-12} {
		l, err := contact.SoilPreset(name)
		require.NoError(t, err)
		l.Width, l.LowSpeed, l.Recovery, l.Nodes = b, 1e-9, 0.1, 32
		worst := 0.0
		for _, h := range []float64{0.004, 0.03, 0.1} {
			for _, u := range []float64{0.8, 1.05, 1.5, 4} {
				f, want := onSoil(l, h, u, 0.2), fine(&l, r, h, (u-1)/u, 0.2/u)
				for i, got := range [4]float64{f.N, f.X, f.Y, f.Axle} {
					worst = max(worst, math.Abs(got-want[i])/math.Hypot(want[0], want[1]))
				}
			}
		}
		t.Logf("%s: off by %.2g", name, worst)
		assert.Less(t, worst, tol, name)
	}
}

// fine sums (G36) by the trapezoidal rule in variables that make it exact to all digits: θ by tanh(sinh).
func fine(l *contact.SoilLaw, r, h, s, t float64) (f [4]float64) {
	front, back := math.Acos(1-h/r), -math.Acos(1-l.Recovery*h/r)
	peak := min(max(l.C0+l.C1*s, 0), 1) * front
	k := (l.Cohesive/l.Width + l.Friction) * math.Pow(r, l.Exponent)
	at := func(theta, pressed, weight float64) {
		sigma := k * math.Pow(max(math.Cos(pressed)-math.Cos(front), 0), l.Exponent)
		jx := r * (front - theta - (1-s)*(math.Sin(front)-math.Sin(theta)))
		jy := r * (front - theta) * t
		j := math.Hypot(jx, jy)
		tau := (l.Cohesion + sigma*math.Tan(l.Angle)) * -math.Expm1(-j/l.Shear)
		tx, ty := 0.0, 0.0
		if j > 0 {
			tx, ty = tau*jx/j, tau*jy/j
		}
		sin, cos := math.Sincos(theta)
		for i, v := range []float64{sigma*cos + tx*sin, tx*cos - sigma*sin, -ty, -r * tx} {
			f[i] += r * l.Width * weight * v
		}
	}
	const step = 1.0 / 32
	for i := -128; i <= 128; i++ {
		x := step * float64(i)
		q := math.Pi / 2 * math.Sinh(x)
		xi := 1 / (1 + math.Exp(-2*q)) // 0 to 1
		w := step * math.Pi / 4 * math.Cosh(x) / (math.Cosh(q) * math.Cosh(q))
		at(front-xi*(front-peak), front-xi*(front-peak), w*(front-peak))
		at(back+xi*(peak-back), front-xi*(front-peak), w*(peak-back))
	}
	return f
}

// TestSoilPull: the drawbar pull rises with the slip; a towed wheel
// resists, a driven one at the slip of no pull goes by itself.
func TestSoilPull(t *testing.T) {
	check.Long(t)
	for _, name := range []string{"dry sand", "sandy loam", "lunar"} {
		l, err := contact.SoilPreset(name)
		require.NoError(t, err)
		l.Width = 0.15
		pull := func(slip float64) (x, moment float64) {
			const load = 300
			lo, hi := 0.0, 0.3
			var f contact.Force
			for range 60 {
				h := (lo + hi) / 2
				if f = onSoil(l, h, 1/(1-slip), 0); f.N < load {
					lo = h
				} else {
					hi = h
				}
			}
			return f.X, f.Axle
		}
		last, first := math.Inf(-1), true
		for _, slip := range []float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6} {
			x, moment := pull(slip)
			require.Greater(t, x, last, "%s at %v", name, slip)
			require.Negative(t, moment, "the soil resists the drive")
			if first {
				require.Negative(t, x, "%s: a wheel that hardly slips resists", name)
			}
			last, first = x, false
		}
		require.Positive(t, last, "%s: a wheel that slips much pulls", name)

		// A towed wheel has no moment and drags, a self-propelled one no pull and needs a moment, and slips more.
		zero := func(of func(slip float64) float64) float64 {
			lo, hi := -0.6, 0.6
			require.Negative(t, of(lo)*of(hi), name)
			for range 50 {
				if mid := (lo + hi) / 2; of(mid)*of(hi) > 0 {
					hi = mid
				} else {
					lo = mid
				}
			}
			return (lo + hi) / 2
		}
		towed := zero(func(slip float64) float64 { _, m := pull(slip); return m })
		propelled := zero(func(slip float64) float64 { x, _ := pull(slip); return x })
		drag, _ := pull(towed)
		_, moment := pull(propelled)
		t.Logf("%s: towed, slips by %.4f and drags with %.1f N; self-propelled, slips by %.4f with %.1f N m", name, towed, drag, propelled, moment)
		require.Negative(t, towed)
		require.Negative(t, drag)
		require.Negative(t, moment)
		require.Greater(t, propelled, towed)
	}
}

// TestSoilMirror: a wheel that rolls backwards has the mirror image of the forces, and one at rest is pushed neither way.
func TestSoilMirror(t *testing.T) {
	l, err := contact.SoilPreset("lunar")
	require.NoError(t, err)
	l.Width = 0.1
	law := contact.Law{Friction: contact.Friction{Type: contact.Soil, Soil: l}}
	for _, v := range []float64{0.05, 0.3, 2} {
		var a, b contact.Force
		law.ForceTo(&a, nil, &contact.PointMotion{Depth: 0.03, Roll: v, X: -0.1 * v, Y: 0.1, Scale: 1}, 0.3, 1, nil)
		law.ForceTo(&b, nil, &contact.PointMotion{Depth: 0.03, Roll: -v, X: 0.1 * v, Y: 0.1, Scale: 1}, 0.3, 1, nil)
		want := [4]float64{a.N, -a.X, a.Y, -a.Axle}
		check.CloseVec(t, []float64{b.N, b.X, b.Y, b.Axle}, want[:], 1e-13, a.N, "speed %v", v)
	}
	var f contact.Force
	law.ForceTo(&f, nil, &contact.PointMotion{Depth: 0.03, Scale: 1}, 0.3, 1, nil)
	check.Close(t, f.X, 0, 1e-14, f.N, "F_x at rest")
	check.Close(t, f.Axle, 0, 1e-14, f.N, "moment at rest")
}
