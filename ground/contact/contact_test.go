package contact_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// gridOf samples a function on a grid with a spline.
func gridOf(t testing.TB, origin [2]float64, f func(x, y float64) float64) *ground.Surface {
	t.Helper()
	const n, d = 41, 0.25
	field := &ground.Field{Origin: origin, Spacing: [2]float64{d, d}, Size: [2]int{n, n}, Heights: make([]float64, n*n)}
	for j := range n {
		for i := range n {
			x, y := field.Place(i, j)
			field.Heights[j*n+i] = f(x, y)
		}
	}
	s, err := ground.NewGrid(context.Background(), field, ground.Options{})
	require.NoError(t, err)
	return s
}

// TestFlatGrid: on a grid of the heights of a plane all shapes have the forces of the plane.
func TestFlatGrid(t *testing.T) {
	for _, slope := range [][2]float64{{0, 0}, {0.3, -0.2}} {
		plane, err := ground.NewPlane(spatial.Vec3{0, 0, 0.4}, spatial.Vec3{-slope[0], -slope[1], 1})
		require.NoError(t, err)
		grid := gridOf(t, [2]float64{-5, -5}, func(x, y float64) float64 { return 0.4 + slope[0]*x + slope[1]*y })
		for law, l := range laws() {
			for i, shape := range shapes {
				a := contact.Contact{Shape: shape, Law: l, Ground: plane}
				if len(flaws(&a)) > 0 {
					continue
				}
				g := a
				g.Ground = grid
				ra, rg := contact.NewResult(&a), contact.NewResult(&g)
				rng := check.Rand(uint64(i))
				internal := make([]float64, a.NumStates())
				for range check.Few(20, 5) {
					b := randomBody(t, &a, rng, 0.02)
					require.NoError(t, a.EvalTo(ra, &b, internal))
					require.NoError(t, g.EvalTo(rg, &b, internal))
					what := fmt.Sprintf("%s, %s, %s", shape.Type, shape.Where, law)
					require.Len(t, rg.Touches, len(ra.Touches), what)
					check.Close(t, rg.Depth, ra.Depth, 1e-13, 1, "%s: depth", what)
					check.CloseVec(t, rg.Wrench[:], ra.Wrench[:], 1e-12, 1e5, "%s", what)
				}
			}
		}
	}
}

// TestMovedFar: ground and body moved by 1e6 m and turned by a quarter about the vertical have the same forces, turned.
func TestMovedFar(t *testing.T) {
	// The place of a body at 1e6 m is rounded to 1e-10 m, which the stiffness makes a force.
	const far, placeTol = 1 << 20, 4e-10
	near := func(x, y float64) float64 { return 0.2*math.Sin(x) + 0.1*math.Cos(1.3*y) }
	here := gridOf(t, [2]float64{-5, -5}, near)
	there := gridOf(t, [2]float64{far - 5, -far - 5}, func(x, y float64) float64 { return near(y+far, -(x - far)) })
	quarter := spatial.Mat3{0, -1, 0, 1, 0, 0, 0, 0, 1}
	l := laws()["linear"]
	for i, shape := range shapes[1:] {
		a := contact.Contact{Shape: shape, Law: l, Ground: here}
		g := a
		g.Ground = there
		ra, rg := contact.NewResult(&a), contact.NewResult(&g)
		rng := check.Rand(uint64(i))
		for range 20 {
			b := randomBody(t, &a, rng, 0.02)
			b.Position[0] = math.Round(b.Position[0]*(1<<20)) / (1 << 20)
			b.Position[1] = math.Round(b.Position[1]*(1<<20)) / (1 << 20)
			m := b
			m.E, m.Com, m.Omega, m.Velocity = quarter.Mul(b.E), quarter.MulVec(b.Com), quarter.MulVec(b.Omega), quarter.MulVec(b.Velocity)
			m.Position = quarter.MulVec(b.Position).Add(spatial.Vec3{far, -far, 0})
			require.NoError(t, a.EvalTo(ra, &b, nil))
			require.NoError(t, g.EvalTo(rg, &m, nil))
			require.Len(t, rg.Touches, len(ra.Touches))
			stiff := 0.0
			for _, touch := range ra.Touches {
				stiff += l.Normal.Stiffness * touch.Share
			}
			for _, w := range [][2]spatial.Vec3{{ra.Wrench.Linear(), rg.Wrench.Linear()}, {ra.Wrench.Moment(), rg.Wrench.Moment()}} {
				want := quarter.MulVec(w[0])
				check.CloseVec(t, w[1][:], want[:], placeTol, 3*stiff, "%s, %s", shape.Type, shape.Where)
			}
		}
	}
}

// TestConservative: without friction and losses the wrench is the derivative of the stored energy, on any ground.
func TestConservative(t *testing.T) {
	const h, tol = 1e-4, 1e-7
	for name, s := range surfaces(t) {
		for i, shape := range shapes {
			if shape.Where == contact.Distributed {
				continue // its points turn with the lowest one
			}
			c := contact.Contact{Shape: shape, Law: laws()["frictionless"], Ground: s}
			rng := check.Rand(uint64(i))
			for range 5 {
				b := randomBody(t, &c, rng, 0.02)
				for !smooth(t, &c, &b, h) {
					b = randomBody(t, &c, rng, 0.02)
				}
				b.Velocity, b.Omega = spatial.Vec3{}, spatial.Vec3{}
				r := contact.NewResult(&c)
				energy := func(turn, shift spatial.Vec3) float64 {
					m := moved(b, turn, shift, spatial.Vec3{}, spatial.Vec3{})
					require.NoError(t, c.EvalTo(r, &m, nil))
					return r.Energy
				}
				var want [6]float64
				for k := range want {
					var d [2]spatial.Vec3
					at := func(s float64) float64 {
						d[k/3][k%3] = s
						return energy(d[0], d[1])
					}
					want[k] = -(8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
				}
				energy(spatial.Vec3{}, spatial.Vec3{})
				require.Positive(t, r.Energy)
				check.CloseVec(t, r.Wrench[:], want[:], tol, check.MaxAbs(r.Wrench[:]), "%s, %s on %s", shape.Type, shape.Where, name)
			}
		}
	}
}

// TestPower: what goes in and is not stored is the power, also where points do not turn with the wheel.
func TestPower(t *testing.T) {
	check.Long(t)
	const h, tol = 1e-5, 1e-6
	for name, s := range surfaces(t) {
		for i, shape := range shapes {
			c := contact.Contact{Shape: shape, Law: laws()["frictionless"], Ground: s}
			rng := check.Rand(uint64(i))
			for range 5 {
				b := randomBody(t, &c, rng, 0.02)
				for !smooth(t, &c, &b, 10*h) {
					b = randomBody(t, &c, rng, 0.02)
				}
				r := contact.NewResult(&c)
				energy := func(time float64) float64 {
					m := moved(b, b.Omega.Scale(time), b.Velocity.Scale(time), spatial.Vec3{}, spatial.Vec3{})
					require.NoError(t, c.EvalTo(r, &m, nil))
					return r.Energy
				}
				stored := (8*(energy(h)-energy(-h)) - (energy(2*h) - energy(-2*h))) / (12 * h)
				energy(0)
				in := -r.Wrench.Linear().Dot(b.Velocity) - r.Wrench.Moment().Dot(b.Omega)
				size := r.Wrench.Linear().Norm() * (b.Velocity.Norm() + b.Omega.Norm())
				assert.InDelta(t, in-stored, r.Power, tol*size, "%s, %s on %s", shape.Type, shape.Where, name)
			}
		}
	}
}

// TestDissipates: laws without states never give energy, if their points turn with the wheel (TestPower has the others).
func TestDissipates(t *testing.T) {
	check.Long(t)
	for name, s := range surfaces(t) {
		for law, l := range laws() {
			for i, shape := range shapes {
				c := contact.Contact{Shape: shape, Law: l, Ground: s}
				if len(flaws(&c)) > 0 || c.NumStates() > 0 || shape.Where == contact.Distributed || l.Friction.Type == contact.Soil || l.Friction.Type == contact.Tyre {
					continue // a driven tyre and soil get their power from the axle
				}
				r := contact.NewResult(&c)
				rng := check.Rand(uint64(i))
				for range 20 {
					b := randomBody(t, &c, rng, 0.02)
					require.NoError(t, c.EvalTo(r, &b, nil))
					assert.GreaterOrEqual(t, r.Power, -1e-9, "%s, %s on %s", shape.Type, law, name)
				}
			}
		}
	}
}

// TestStatic: at the depth m g cos α/k the normal force carries a body
// on a slope; a block on four feet creeps as one body.
func TestStatic(t *testing.T) {
	const mass, g, k, mu, vs = 20.0, 9.81, 1e5, 0.7, 1e-3
	l := contact.Law{
		Normal:   contact.Normal{Stiffness: k / 4, Exponent: 1, Dissipation: 0.5},
		Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{mu, mu}, SlipSpeed: vs},
	}
	for _, alpha := range []float64{0, 0.2, 0.55} {
		sin, cos := math.Sincos(alpha)
		plane, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{sin, 0, cos})
		require.NoError(t, err)
		tan := sin / cos
		v := vs * tan / math.Sqrt(mu*mu-tan*tan)
		down := spatial.Vec3{cos, 0, -sin}
		b := contact.Body{E: spatial.Mat3{cos, 0, sin, 0, 1, 0, -sin, 0, cos}, Velocity: down.Scale(v)}
		depth := mass * g * cos / k
		b.Position = down.Scale(3).Add(spatial.Vec3{sin, 0, cos}.Scale(0.3 - depth))
		var sum spatial.Vec3
		for _, foot := range [][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
			c := contact.Contact{
				Shape: contact.Shape{Type: contact.Sphere, Radius: 0.05, Center: spatial.Vec3{0.3 * foot[0], 0.2 * foot[1], -0.25}}, Law: l, Ground: plane,
			}
			r := contact.NewResult(&c)
			require.NoError(t, c.EvalTo(r, &b, nil))
			check.Close(t, r.Depth, depth, 1e-14, 1, "depth")
			sum = sum.Add(r.Wrench.Linear())
		}
		want := spatial.Vec3{0, 0, mass * g}
		check.CloseVec(t, sum[:], want[:], 1e-11, mass*g, "the feet carry the block at %v", alpha)
	}
}

// TestContactAxes: a wheel that rolls along x with positive spin about
// y has x forwards, and a wheel that only rolls does not slip.
func TestContactAxes(t *testing.T) {
	plane, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	require.NoError(t, err)
	c := contact.Contact{Shape: contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: spatial.Vec3{0, 2, 0}}, Law: laws()["linear"], Ground: plane}
	b := contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{1, 2, 0.29}, Omega: spatial.Vec3{0, 10, 0}, Velocity: spatial.Vec3{3, 0, 0}}
	r := contact.NewResult(&c)
	require.NoError(t, c.EvalTo(r, &b, nil))
	require.Len(t, r.Touches, 1)
	p := r.Touches[0]
	require.Equal(t, spatial.Vec3{1, 0, 0}, p.X)
	require.Equal(t, spatial.Vec3{0, 1, 0}, p.Y)
	check.Close(t, p.Depth, 0.01, 1e-15, 1, "depth")
	check.Close(t, p.Motion.X, 0, 1e-15, 1, "sliding")
	check.Close(t, p.Motion.Roll, 3, 1e-15, 1, "rolling")
	check.Close(t, p.Motion.Spin, 10, 1e-15, 1, "spin")
	b.Omega[1] = 12 // it drives
	require.NoError(t, c.EvalTo(r, &b, nil))
	require.Positive(t, r.Touches[0].Force.Slip)
	require.Positive(t, r.Wrench.Linear()[0])
	// Sideways to the left the slip angle is positive and the force to the right.
	b.Velocity[1] = 0.5
	require.NoError(t, c.EvalTo(r, &b, nil))
	require.Positive(t, r.Touches[0].Force.SlipAngle)
	require.Negative(t, r.Wrench.Linear()[1])
}

// TestKerb: at a step the local rule feels the face in front and the road below, and the deepest rule one of them.
func TestKerb(t *testing.T) {
	check.Long(t)
	kerb, err := ground.Function("0.06*(1 + tanh((x - 0.2)/0.004))")
	require.NoError(t, err)
	c := contact.Contact{
		Shape: contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: spatial.Vec3{0, 1, 0}, Where: contact.Local}, Law: laws()["frictionless"], Ground: kerb,
	}
	require.Empty(t, flaws(&c))
	at := func(c *contact.Contact, x float64) *contact.Result {
		r := contact.NewResult(c)
		b := contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{x, 0, 0.298}}
		require.NoError(t, c.EvalTo(r, &b, nil))
		return r
	}
	require.Len(t, at(&c, -0.3).Touches, 1, "away from the kerb")
	r := at(&c, -0.028)
	require.Len(t, r.Touches, 2, "at the kerb")
	low, face := r.Touches[0], r.Touches[1]
	if low.P[0] > face.P[0] {
		low, face = face, low
	}
	check.Close(t, low.Depth, 0.002, 1e-12, 1, "depth in the road")
	require.Greater(t, face.P[2], 0.05, "the edge of the kerb")
	require.Negative(t, face.World[0], "it pushes back")
	one := c
	one.Shape.Where = contact.Deepest
	require.Len(t, at(&one, -0.028).Touches, 1)
	// The face comes with a force that grows from zero.
	last, step := 0.0, 2e-6
	for x := -0.06; x < -0.028; x += step {
		r := at(&c, x)
		force := -r.Wrench.Linear()[0]
		require.Less(t, force-last, 60*step*1e5, "at %v", x)
		last = force
	}
	require.Positive(t, last)
}

// TestDistributed: on level ground the sum over the points that are
// below it, docs/ground.md (G38); it does not jump at a kerb.
func TestDistributed(t *testing.T) {
	plane, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	require.NoError(t, err)
	const k, r, depth, m = 1e5, 0.3, 0.01, 200
	c := contact.Contact{
		Shape:  contact.Shape{Type: contact.Disc, Radius: r, Axis: spatial.Vec3{0, 1, 0}, Where: contact.Distributed, Samples: m},
		Law:    contact.Law{Normal: contact.Normal{Stiffness: k, Exponent: 1}},
		Ground: plane,
	}
	require.Empty(t, flaws(&c))
	res := contact.NewResult(&c)
	b := contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{0, 0, r - depth}}
	require.NoError(t, c.EvalTo(res, &b, nil))
	want := 0.0
	for i := range m {
		phi := (float64(i)+0.5)*math.Pi/m - math.Pi/2
		want += 2.0 / m * k * max(0, depth-r*(1-math.Cos(phi)))
	}
	got := res.Wrench.Linear()
	check.Close(t, got[2], want, 1e-12, want, "force")
	check.Close(t, got[2], 1.2*k*depth*math.Sqrt(depth/r), 0.02, got[2], "force as the page says it")
}

// TestSideSlope: a tyre that stands upright on ground that is steep across touches with its side, by all rules.
func TestSideSlope(t *testing.T) {
	for _, tan := range []float64{0.5, 1, 2, 3.5} {
		slope := func(x, y float64) float64 { return tan * y }
		plane, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, -tan, 1})
		require.NoError(t, err)
		n := spatial.Vec3{0, -tan, 1}.Scale(1 / math.Hypot(1, tan))
		for _, s := range []*ground.Surface{plane, gridOf(t, [2]float64{-5, -5}, slope)} {
			for _, where := range []contact.Where{contact.Deepest, contact.Local, contact.Distributed} {
				shape := contact.Shape{Type: contact.Torus, Radius: 0.3, TyreRadius: 0.08, Axis: spatial.Vec3{0, 1, 0}, Where: where}
				dst := make([]contact.Point, shape.MaxPoints())
				// Along n the tyre reaches 0.22 n_z + 0.08 from its centre.
				c := n.Scale(0.22*n[2] + 0.08 - 0.01)
				many, err := shape.PointsTo(dst, s, c, spatial.Vec3{0, 1, 0})
				require.NoError(t, err)
				require.Positive(t, many, "slope %v, %s", tan, where)
				if where != contact.Distributed {
					check.Close(t, dst[0].Depth, 0.01, 1e-13, 1, "slope %v, %s", tan, where)
				}
			}
		}
	}
}

// TestErrors: places and poses that are not fit.
func TestErrors(t *testing.T) {
	grid := gridOf(t, [2]float64{-5, -5}, func(x, y float64) float64 { return 0 })
	cliff, err := ground.Function("1e4*x")
	require.NoError(t, err)
	for _, shape := range shapes {
		c := contact.Contact{Shape: shape, Law: laws()["frictionless"], Ground: grid}
		r := contact.NewResult(&c)
		at := func(x, y, z float64) error {
			b := contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{x, y, z}}
			return c.EvalTo(r, &b, nil)
		}
		require.NoError(t, at(0, 0, 0.25))
		require.NotEmpty(t, r.Touches)
		require.NoError(t, at(0, 0, 9), "in the air")
		require.Empty(t, r.Touches)
		require.Negative(t, r.Depth)
		require.NoError(t, at(0, 0, 0.4))
		require.Negative(t, r.Depth)
		require.ErrorIs(t, at(5.2, 0, 0.25), contact.ErrOffTerrain)
		require.ErrorIs(t, at(0, -1e300, 0.25), contact.ErrOffTerrain)
		require.ErrorIs(t, at(0, 0, -0.4), contact.ErrBuried)
		require.ErrorIs(t, at(math.NaN(), 0, 0), contact.ErrNotFinite)
		require.ErrorIs(t, at(0, math.Inf(1), 0), contact.ErrNotFinite)
		b := contact.Body{E: spatial.Identity3(), Position: spatial.Vec3{0, 0, 0.25}, Velocity: spatial.Vec3{math.NaN(), 0, 0}}
		if err := c.EvalTo(r, &b, nil); len(r.Touches) > 0 {
			require.ErrorIs(t, err, contact.ErrNotFinite)
		}
		b = contact.Body{Position: spatial.Vec3{0, 0, 0.25}, E: spatial.Mat3{0: math.Inf(1)}}
		require.ErrorIs(t, c.EvalTo(r, &b, nil), contact.ErrNotFinite)
		c.Ground = cliff
		if shape.Type == contact.Sphere {
			require.ErrorIs(t, at(0, 0, 0), contact.ErrSteep)
		}
		require.Panics(t, func() { _ = c.EvalTo(r, &b, []float64{1}) })
	}
}

// TestCheck: all that is wrong is reported at once, with paths and values.
func TestCheck(t *testing.T) {
	c := contact.Contact{
		Shape: contact.Shape{Type: contact.Torus, Radius: -1, TyreRadius: 2, Width: 1, Center: spatial.Vec3{math.NaN()}, Where: contact.Local, Samples: 3},
		Law: contact.Law{
			Normal:   contact.Normal{Exponent: 0.5, Damping: 3, Dissipation: -1},
			Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{-1, math.Inf(1)}, Hold: contact.Hold{Travel: 1}},
			Rolling:  contact.Resistance{Coefficient: 1},
		},
	}
	list := strings.Join(flaws(&c), "\n")
	for _, path := range []string{
		".shape.radius: -1", ".shape.tyre_radius: 2", ".shape.width: 1", ".shape.center", ".shape.axis", ".samples", ".normal.stiffness: 0",
		".normal.exponent: 0.5", ".normal.damping: 3", ".normal.dissipation: -1", ".friction.coefficient: -1", ".friction.coefficient: +Inf",
		".friction.slip_speed: 0", ".rolling.speed: 0", ".rolling.coefficient: 1 needs an axis", ".contacts", ".terrain",
	} {
		assert.Contains(t, list, path)
	}
	for _, name := range []string{"dry sand", "sandy loam", "clay", "snow", "lunar"} {
		l, err := contact.SoilPreset(name)
		require.NoError(t, err)
		l.Width = 0.1
		c := contact.Contact{
			Shape: contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: spatial.Vec3{0, 1, 0}}, Law: contact.Law{Friction: contact.Friction{Type: contact.Soil, Soil: l}}, Ground: rough(t),
		}
		require.Empty(t, flaws(&c), name)
	}
	_, err := contact.SoilPreset("mud\x1b")
	require.ErrorContains(t, err, `ground/contact: no soil "mud\x1b"; there are dry sand,`)
	_, _, err = contact.TyrePreset("")
	require.Error(t, err)
}

// TestSameBits: the same pose has the same bits whatever was computed before, and nothing is allocated.
func TestSameBits(t *testing.T) {
	names, contacts, bodies := cases(t)
	for i := range contacts {
		c, b := &contacts[i], &bodies[i]
		internal, rate := make([]float64, c.NumStates()), make([]float64, c.NumStates())
		r, again := contact.NewResult(c), contact.NewResult(c)
		require.NoError(t, c.EvalTo(r, b, internal))
		other := *b
		other.Position[2] += 0.01
		other.E = spatial.Exp(spatial.Vec3{0.1, 0.2, 0.3}).Mat().Mul(other.E)
		_ = c.EvalTo(again, &other, internal)
		require.NoError(t, c.EvalTo(again, b, internal))
		require.Equal(t, r.Wrench, again.Wrench, names[i])
		require.Equal(t, r.Touches, again.Touches, names[i])
		var pose, velocity contact.Jacobian
		require.Zero(t, testing.AllocsPerRun(5, func() {
			_ = c.EvalTo(r, b, internal)
			_ = c.DerivativesTo(&pose, &velocity, r, b, internal)
			c.RateTo(rate, r, internal)
		}), names[i])
	}
}

// FuzzEval: any pose and velocity give finite forces or an error.
func FuzzEval(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add(uint8(0), 0.0, 0.0, 0.3, 0.1, 0.2, 0.3, 1.0, 2.0, 3.0)
	f.Add(uint8(3), 1e9, -1e300, 0.3, 1e9, 0.2, math.Inf(1), 1.0, 2.0, math.NaN())
	f.Add(uint8(9), 5.0, 5.0, -0.1, 1.5708, 0.0, 0.0, 1e200, 1e-320, 3.0)
	_, contacts, _ := cases(f)
	f.Fuzz(func(t *testing.T, which uint8, x, y, z, a, b, c, v, w, u float64) {
		con := &contacts[int(which)%len(contacts)]
		body := contact.Body{E: spatial.Exp(spatial.Vec3{a, b, c}).Mat(), Position: spatial.Vec3{x, y, z}, Velocity: spatial.Vec3{v, w, u}, Omega: spatial.Vec3{u, v, w}}
		r, internal := contact.NewResult(con), make([]float64, con.NumStates())
		if con.EvalTo(r, &body, internal) != nil {
			return
		}
		for _, x := range r.Wrench {
			require.False(t, math.IsNaN(x) || math.IsInf(x, 0))
		}
		var pose, velocity contact.Jacobian
		_ = con.DerivativesTo(&pose, &velocity, r, &body, internal)
	})
}

// TestUnknownTypes: a type that there is not is reported, and does not pass for another one.
func TestUnknownTypes(t *testing.T) {
	surface, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{2: 1})
	require.NoError(t, err)
	for path, change := range map[string]func(c *contact.Contact){
		".shape.type":    func(c *contact.Contact) { c.Shape.Type = 9 },
		".contacts":      func(c *contact.Contact) { c.Shape.Where = 9 },
		".normal.type":   func(c *contact.Contact) { c.Law.Normal.Type = 9 },
		".friction.type": func(c *contact.Contact) { c.Law.Friction.Type = 9 },
	} {
		c := contact.Contact{
			Shape: contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: spatial.Vec3{0, 1, 0}}, Ground: surface,
			Law: contact.Law{Normal: contact.Normal{Stiffness: 2e5}},
		}
		c.Check(func(path, value, rule string) { t.Errorf("%s %s %s", path, value, rule) })
		change(&c)
		var told []string
		c.Check(func(path, _, _ string) { told = append(told, path) })
		require.Contains(t, told, path)
	}
}
