package bodies_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/spatial"
)

// roundTol bounds rounding of a few products of numbers of order one.
const roundTol = 1e-14

func rotation(seed uint64) spatial.Mat3 {
	r := rand.New(rand.NewPCG(1, seed))
	return spatial.Exp(spatial.Vec3{3 * r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}).Mat()
}

func near(t *testing.T, want, got []float64, tol float64) {
	t.Helper()
	for i := range want {
		require.InDelta(t, want[i], got[i], tol)
	}
}

func TestNewRefuses(t *testing.T) {
	ok := spatial.Diag3(1, 1, 1)
	inf, nan := math.Inf(1), math.NaN()
	for name, c := range map[string]struct {
		mass float64
		com  spatial.Vec3
		I    spatial.Sym3
		want error
	}{
		"good":            {1, spatial.Vec3{1, 2, 3}, ok, nil},
		"zero mass":       {0, spatial.Vec3{}, ok, bodies.ErrMass},
		"negative mass":   {-1, spatial.Vec3{}, ok, bodies.ErrMass},
		"infinite mass":   {inf, spatial.Vec3{}, ok, bodies.ErrMass},
		"nan mass":        {nan, spatial.Vec3{}, ok, bodies.ErrMass},
		"com":             {1, spatial.Vec3{0, nan}, ok, bodies.ErrCom},
		"point mass":      {1, spatial.Vec3{}, spatial.Sym3{}, nil},
		"slender to zero": {1, spatial.Vec3{}, spatial.Diag3(0, 1, 1), nil},
		"one moment":      {1, spatial.Vec3{}, spatial.Diag3(0, 0, 1), bodies.ErrInertia},
		"rod of two":      {1, spatial.Vec3{}, spatial.Diag3(0, 1, 1.1), bodies.ErrTriangle},
		"below zero":      {1, spatial.Vec3{}, spatial.Diag3(-1e-8, 1, 1), bodies.ErrInertia},
		"indefinite":      {1, spatial.Vec3{}, spatial.Sym3{1, 1, 1, 2}, bodies.ErrInertia},
		"nan":             {1, spatial.Vec3{}, spatial.Sym3{1, nan, 1}, bodies.ErrInertia},
		"infinite":        {1, spatial.Vec3{}, spatial.Diag3(1, 1, inf), bodies.ErrInertia},
		"no inverse":      {1, spatial.Vec3{}, spatial.Diag3(1e-310, 1e-310, 1e-310), bodies.ErrInertia},
		"triangle":        {1, spatial.Vec3{}, spatial.Diag3(1, 1, 2.1), bodies.ErrTriangle},
		"triangle, rot":   {1, spatial.Vec3{}, spatial.Diag3(1, 1, 2.1).Rotate(rotation(1)), bodies.ErrTriangle},
		"flat plate":      {1, spatial.Vec3{}, spatial.Diag3(1, 2, 3).Rotate(rotation(2)), nil},
		"within rounding": {1, spatial.Vec3{}, spatial.Diag3(1, 1, 2+1.8e-9), nil},
		"beyond rounding": {1, spatial.Vec3{}, spatial.Diag3(1, 1, 2+2.2e-9), bodies.ErrTriangle},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := bodies.New(c.mass, c.com, c.I)
			require.ErrorIs(t, err, c.want)
			if c.want != nil {
				require.Zero(t, b)
				return
			}
			require.Equal(t, c.mass, b.Mass)
			require.Equal(t, c.com, b.Com)
			require.Equal(t, c.I, b.Inertia)
		})
	}
	_, err := bodies.New(0, spatial.Vec3{nan}, spatial.Sym3{})
	require.ErrorIs(t, err, bodies.ErrMass)
	require.ErrorIs(t, err, bodies.ErrCom)
}

// lattice returns the inertia of a homogeneous solid of the given mass, by a
// lattice of points over the cube of edge 2·r.
func lattice(mass, r float64, inside func(p spatial.Vec3) bool) (I spatial.Sym3) {
	const n = 60
	count := 0.0
	for i := range n * n * n {
		p := spatial.Vec3{float64(i % n), float64(i / n % n), float64(i / n / n)}
		for k := range p {
			p[k] = r * ((2*p[k]+1)/n - 1)
		}
		if inside(p) {
			count++
			point := spatial.Inertia{Mass: 1, Com: p}
			I = I.Add(point.AboutOrigin())
		}
	}
	return I.Scale(mass / count)
}

func TestSolidsAgainstIntegration(t *testing.T) {
	const latticeTol = 0.02 // of the largest moment: error of the lattice's boundary
	box, err := bodies.Box(3, spatial.Vec3{0.5, 1, 2})
	require.NoError(t, err)
	ball, err := bodies.SolidSphere(2, 0.7)
	require.NoError(t, err)
	cyl, err := bodies.SolidCylinder(4, 1.6, 0.6)
	require.NoError(t, err)
	for _, c := range []struct {
		body   bodies.Body
		r      float64
		inside func(p spatial.Vec3) bool
	}{
		{box, 1, func(p spatial.Vec3) bool { return math.Abs(p[0]) < 0.25 && math.Abs(p[1]) < 0.5 }},
		{ball, 0.7, func(p spatial.Vec3) bool { return p.Norm() < 0.7 }},
		{cyl, 0.8, func(p spatial.Vec3) bool { return math.Hypot(p[0], p[1]) < 0.6 }},
	} {
		want := lattice(c.body.Mass, c.r, c.inside)
		near(t, want[:], c.body.Inertia[:], latticeTol*max(want[0], want[1], want[2]))
		require.Zero(t, c.body.Com)
	}
}

func TestRod(t *testing.T) {
	b, err := bodies.Rod(6, 2, 0.1)
	require.NoError(t, err)
	near(t, []float64{0.03, 2, 2, 0, 0, 0}, b.Inertia[:], roundTol)
	// A thin cylinder has the same moments up to r².
	c, err := bodies.SolidCylinder(6, 2, 0.1)
	require.NoError(t, err)
	near(t, []float64{b.Inertia[1], b.Inertia[1], b.Inertia[0]}, c.Inertia[:3], 6*0.1*0.1/4+roundTol)
	_, err = bodies.Rod(1, 1, 0.6)
	require.ErrorIs(t, err, bodies.ErrTriangle)
}

func TestSolidsRefuse(t *testing.T) {
	bad := []float64{0, -1, math.NaN(), math.Inf(1)}
	for _, x := range bad {
		for want, makers := range map[error][]func() (bodies.Body, error){
			bodies.ErrMass: {
				func() (bodies.Body, error) { return bodies.Rod(x, 1, 0.1) },
				func() (bodies.Body, error) { return bodies.Box(x, spatial.Vec3{1, 1, 1}) },
				func() (bodies.Body, error) { return bodies.SolidSphere(x, 1) },
				func() (bodies.Body, error) { return bodies.SolidCylinder(x, 1, 1) },
			},
			bodies.ErrDimensions: {
				func() (bodies.Body, error) { return bodies.Rod(1, x, 0.1) },
				func() (bodies.Body, error) { return bodies.Rod(1, 1, x) },
				func() (bodies.Body, error) { return bodies.Box(1, spatial.Vec3{1, x, 1}) },
				func() (bodies.Body, error) { return bodies.SolidSphere(1, x) },
				func() (bodies.Body, error) { return bodies.SolidCylinder(1, 1, x) },
			},
		} {
			for i, make := range makers {
				_, err := make()
				require.ErrorIs(t, err, want, "%d %v", i, x)
			}
		}
	}
}

func testBody(t *testing.T) bodies.Body {
	b, err := bodies.New(2.5, spatial.Vec3{0.1, -0.2, 0.3}, spatial.Diag3(0.7, 1.1, 1.6).Rotate(rotation(3)))
	require.NoError(t, err)
	return b
}

func TestWorldInertia(t *testing.T) {
	b, E := testBody(t), rotation(4)
	var I, inv spatial.Sym3
	b.WorldInertiaTo(&I, &E)
	b.InvWorldInertiaTo(&inv, &E)
	want := E.Mul(b.Inertia.Mat()).MulT(E)
	got := I.Mat()
	near(t, want[:], got[:], roundTol)
	one, id := I.Mat().Mul(inv.Mat()), spatial.Identity3()
	near(t, id[:], one[:], roundTol)

	// C⁻¹·M·C⁻ᵀ = 1.
	c := b.Weight()
	require.InDelta(t, 1, c.Mass*c.Mass*b.Mass, roundTol)
	var G spatial.Mat3
	c.Inertia.MulTTo(&G, &id)
	one = G.Mul(b.Inertia.Mat()).MulT(G)
	near(t, id[:], one[:], roundTol)

	raw := bodies.Body{Mass: 1, Inertia: spatial.Diag3(1, 1, 1)}
	require.PanicsWithValue(t, "bodies: body not made by New", func() { raw.Weight() })
	require.PanicsWithValue(t, "bodies: body not made by New", func() { raw.InvWorldInertiaTo(&inv, &E) })
}

func TestEnergyAndGyroscopicMoment(t *testing.T) {
	b, E := testBody(t), rotation(5)
	w, v := spatial.Vec3{1, -2, 0.5}, spatial.Vec3{0.3, 0.4, -1}
	var I spatial.Sym3
	b.WorldInertiaTo(&I, &E)
	// The spatial inertia in the body frame has the same energy.
	wB, vB := E.TMulVec(w), E.TMulVec(v)
	origin := spatial.NewMotion(wB, vB).Shift(b.Com.Neg())
	require.InDelta(t, b.Spatial().Energy(origin), b.KineticEnergy(&I, &w, &v), 10*roundTol)

	var g spatial.Vec3
	bodies.GyroscopicMomentTo(&g, &I, &w)
	want := w.Cross(I.Mat().MulVec(w))
	near(t, want[:], g[:], roundTol)
	// It is the angular part of v×*Iv at the centre of mass.
	c := b.WithCom(spatial.Vec3{})
	bias := spatial.NewMotion(wB, vB).CrossForce(c.Spatial().Mul(spatial.NewMotion(wB, vB)))
	m := E.MulVec(bias.Moment())
	near(t, m[:], g[:], 10*roundTol)
	bodies.GyroscopicMomentTo(&w, &I, &w)
	require.Equal(t, g, w)
}

func TestNoAllocations(t *testing.T) {
	b, E := testBody(t), rotation(6)
	var I, inv spatial.Sym3
	w, v := spatial.Vec3{1, 2, 3}, spatial.Vec3{4, 5, 6}
	require.Zero(t, testing.AllocsPerRun(10, func() {
		b.WorldInertiaTo(&I, &E)
		b.InvWorldInertiaTo(&inv, &E)
		_ = b.KineticEnergy(&I, &w, &v)
		bodies.GyroscopicMomentTo(&v, &I, &w)
	}))
}

func ExampleBox() {
	b, err := bodies.Box(12, spatial.Vec3{1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4g\n", b.Inertia[:3])
	// Output: [13 10 5]
}

func ExampleNew() {
	_, err := bodies.New(1, spatial.Vec3{}, spatial.Diag3(1, 1, 3))
	fmt.Println(err)
	rod, err := bodies.New(1, spatial.Vec3{}, spatial.Diag3(0, 1, 1))
	axes, n := rod.Null()
	fmt.Println(axes[:n], err)
	// Output:
	// bodies: inertia [1 1 3 0 0 0]: inertia breaks the triangle inequality
	// [[1 0 0]] <nil>
}

func BenchmarkInvWorldInertiaTo(b *testing.B) {
	body, err := bodies.SolidCylinder(1, 2, 0.3)
	if err != nil {
		b.Fatal(err)
	}
	E := rotation(7)
	var I spatial.Sym3
	b.ReportAllocs()
	for b.Loop() {
		body.InvWorldInertiaTo(&I, &E)
	}
}
