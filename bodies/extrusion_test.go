package bodies_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/spatial"
)

type corners = [][2]float64

// rectangle returns the corners of a rectangle, counterclockwise.
func rectangle(x0, y0, x1, y1 float64) corners {
	return corners{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
}

// regular returns a regular polygon of n corners on the circle of radius r about the origin.
func regular(n int, r float64) corners {
	out := make(corners, n)
	for i := range out {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		out[i] = [2]float64{r * c, r * s}
	}
	return out
}

func sameBody(t *testing.T, want, got bodies.Body, tol float64) {
	t.Helper()
	require.InEpsilon(t, want.Mass, got.Mass, tol)
	near(t, want.Com[:], got.Com[:], tol)
	near(t, want.Inertia[:], got.Inertia[:], tol*max(want.Inertia[0], want.Inertia[1], want.Inertia[2]))
}

func TestExtrudedRectangle(t *testing.T) {
	box, err := bodies.Box(7*2*3*0.5, spatial.Vec3{2, 3, 0.5})
	require.NoError(t, err)
	for _, ring := range []corners{rectangle(4, -1, 6, 2), {{4, 2}, {6, 2}, {6, -1}, {4, -1}}} {
		for range ring { // from each corner
			ring = append(ring[1:], ring[0])
			b, err := bodies.Extrude(7, 0.5, ring)
			require.NoError(t, err)
			sameBody(t, box.WithCom(spatial.Vec3{5, 0.5}), b, roundTol)
		}
	}
}

// TestExtrudedTriangle: a right triangle with legs b and h has the centroidal moments
// b·h³/36, h·b³/36 and the product −b²h²/72.
func TestExtrudedTriangle(t *testing.T) {
	const b, h, height = 2.0, 3.0, 0.1
	area := b * h / 2
	got, err := bodies.Extrude(5, height, corners{{1, 1}, {1 + b, 1}, {1, 1 + h}})
	require.NoError(t, err)
	z := area * height * height / 12
	want, err := bodies.New(5*height*area, spatial.Vec3{1 + b/3, 1 + h/3}, spatial.Sym3{
		b*h*h*h/36 + z, h*b*b*b/36 + z, (b*h*h*h + h*b*b*b) / 36, b * b * h * h / 72,
	}.Scale(5*height))
	require.NoError(t, err)
	sameBody(t, want, got, roundTol)
}

// TestExtrudedRegular: a regular polygon with sides s on a circle of radius r has the area
// n·r²·sin(2π/n)/2 and the moment area·(6r² − s²)/24 about any diameter; with many sides it is
// a cylinder.
func TestExtrudedRegular(t *testing.T) {
	const r, height = 0.7, 0.2
	for _, n := range []int{3, 4, 5, 6, 17, 1000} {
		got, err := bodies.Extrude(3, height, regular(n, r))
		require.NoError(t, err)
		side := 2 * r * math.Sin(math.Pi/float64(n))
		mass := 3 * height * float64(n) * r * r * math.Sin(2*math.Pi/float64(n)) / 2
		i := mass * (6*r*r - side*side) / 24
		want, err := bodies.New(mass, spatial.Vec3{}, spatial.Diag3(i+mass*height*height/12, i+mass*height*height/12, 2*i))
		require.NoError(t, err)
		sameBody(t, want, got, 1e-13)
	}
	got, err := bodies.Extrude(3, height, regular(100_000, r))
	require.NoError(t, err)
	want, err := bodies.SolidCylinder(3*height*math.Pi*r*r, height, r)
	require.NoError(t, err)
	sameBody(t, want, got, 1e-8) // (2π/n)²/6 of the circle are missing
}

// TestExtrudedHoles: a plate with two holes and the holes' own bodies make the whole plate.
func TestExtrudedHoles(t *testing.T) {
	plate, left, right := rectangle(0, 0, 5, 2), rectangle(0.5, 0.5, 2, 1), corners{{3, 0.5}, {4, 1.5}, {4.5, 0.6}}
	whole, err := bodies.Extrude(2, 0.3, plate)
	require.NoError(t, err)
	slices.Reverse(right)
	drilled, err := bodies.Extrude(2, 0.3, plate, left, right)
	require.NoError(t, err)
	a, err := bodies.Extrude(2, 0.3, left)
	require.NoError(t, err)
	b, err := bodies.Extrude(2, 0.3, right)
	require.NoError(t, err)
	again, err := bodies.Composite(bodies.Part{Body: drilled}, bodies.Part{Body: a}, bodies.Part{Body: b})
	require.NoError(t, err)
	sameBody(t, whole, again, roundTol)
}

// TestExtrudedFarAway: a drawing far from its origin keeps the digits that its corners have.
func TestExtrudedFarAway(t *testing.T) {
	const far = 1 << 20
	near, err := bodies.Extrude(2, 0.25, corners{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}})
	require.NoError(t, err)
	away, err := bodies.Extrude(2, 0.25, corners{{far, far}, {far + 2, far}, {far + 2, far + 1}, {far + 1, far + 1}, {far + 1, far + 3}, {far, far + 3}})
	require.NoError(t, err)
	for k := range near.Inertia {
		require.InDelta(t, near.Inertia[k], away.Inertia[k], 1e-9*near.Inertia[2])
	}
	require.InDelta(t, near.Com[0]+far, away.Com[0], 1e-9)
}

func TestExtrudeRefuses(t *testing.T) {
	square := rectangle(0, 0, 4, 4)
	for text, c := range map[string]struct {
		outline corners
		holes   []corners
	}{
		"outline: not a simple polygon: it has 2 corners":                  {square[:2], nil},
		"outline: not a simple polygon: it has 0 corners":                  {nil, nil},
		"hole 0: not a simple polygon: it has 0 corners":                   {square, []corners{nil}},
		"outline: not a simple polygon: corner 1 is [NaN 0]":               {corners{{0, 0}, {math.NaN(), 0}, {0, 1}}, nil},
		"outline: not a simple polygon: corner 2 is [0 +Inf]":              {corners{{0, 0}, {1, 0}, {0, math.Inf(1)}}, nil},
		"outline: not a simple polygon: corners 3 and 0 are one point":     {corners{{0, 0}, {1, 0}, {0, 1}, {0, 0}}, nil},
		"outline: not a simple polygon: it turns back at corner 2":         {corners{{0, 0}, {1, 0}, {2, 0}, {1, 0}, {0, 1}}, nil},
		"outline: not a simple polygon: its edge 1 meets edge 3 (outline)": {corners{{0, 0}, {2, 0}, {0, 2}, {2, 2}}, nil},
		"hole 0: not a simple polygon: its edge 0 meets edge 0 (hole 1)":   {square, []corners{rectangle(1, 1, 2, 2), rectangle(2, 1, 3, 3)}},
		"hole 0: not a simple polygon: it is not inside the outline":       {square, []corners{rectangle(5, 1, 6, 2)}},
		"hole 1: not a simple polygon: it is inside hole 0":                {square, []corners{rectangle(1, 1, 3, 3), rectangle(1.5, 1.5, 2, 2)}},
		"outline: not a simple polygon: its edge 0 meets edge 0 (hole 0)":  {square, []corners{rectangle(1, 0, 2, 1)}},
		"hole 0: not a simple polygon: its edge 0 meets edge 1 (outline)":  {square, []corners{rectangle(3, 1, 5, 2)}},
	} {
		_, err := bodies.Extrude(1, 1, c.outline, c.holes...)
		require.ErrorIs(t, err, bodies.ErrPolygon, text)
		require.ErrorContains(t, err, text)
	}
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := bodies.Extrude(x, 1, square)
		require.ErrorIs(t, err, bodies.ErrDimensions)
		_, err = bodies.Extrude(1, x, square)
		require.ErrorIs(t, err, bodies.ErrDimensions)
	}
	_, err := bodies.Extrude(1, 1, rectangle(0, 0, 1e-200, 1e-200))
	require.ErrorIs(t, err, bodies.ErrPolygon)
}

func TestComposite(t *testing.T) {
	// A dumbbell: two balls on a rod.
	ball, err := bodies.SolidSphere(2, 0.1)
	require.NoError(t, err)
	rod, err := bodies.SolidCylinder(1, 1, 0.02)
	require.NoError(t, err)
	quarter := spatial.FromAxisAngle(spatial.Vec3{0, 1}, math.Pi/2)
	got, err := bodies.Composite(
		bodies.Part{Body: ball, Position: spatial.Vec3{1}},
		bodies.Part{Body: rod, Position: spatial.Vec3{1.5}, Orientation: quarter}, // z along x
		bodies.Part{Body: ball, Position: spatial.Vec3{2}},
	)
	require.NoError(t, err)
	i, across := 2*0.4*2*0.01, 1*(3*0.0004+1)/12+2*2*0.25
	want, err := bodies.New(5, spatial.Vec3{1.5}, spatial.Diag3(i+0.5*0.0004, i+across, i+across))
	require.NoError(t, err)
	sameBody(t, want, got, roundTol)

	// The order of the parts and a turn of the whole change only the frame.
	E := rotation(8)
	q := spatial.FromMat(E)
	turned, err := bodies.Composite(bodies.Part{Body: got, Position: spatial.Vec3{1, 2, 3}, Orientation: q})
	require.NoError(t, err)
	com, I := E.MulVec(got.Com).Add(spatial.Vec3{1, 2, 3}), got.Inertia.Rotate(E)
	near(t, com[:], turned.Com[:], 10*roundTol)
	near(t, I[:], turned.Inertia[:], 10*roundTol)

	for want, parts := range map[error][]bodies.Part{
		bodies.ErrMass:    {},
		bodies.ErrInertia: {{Body: ball}, {Body: bodies.Body{Mass: 1, Inertia: spatial.Diag3(0, 0, 1)}}},
		bodies.ErrPlace:   {{Body: ball}, {Body: ball, Orientation: spatial.Quat{2}}},
	} {
		_, err := bodies.Composite(parts...)
		require.ErrorIs(t, err, want)
		if len(parts) > 0 {
			require.ErrorContains(t, err, "bodies: part 1: ")
		}
	}
	_, err = bodies.Composite(bodies.Part{Body: ball, Position: spatial.Vec3{math.NaN()}})
	require.ErrorIs(t, err, bodies.ErrPlace)
}

func ExampleExtrude() {
	plate := [][2]float64{{0, 0}, {0.2, 0}, {0.2, 0.1}, {0, 0.1}}
	window := [][2]float64{{0.05, 0.03}, {0.15, 0.03}, {0.15, 0.07}, {0.05, 0.07}}
	b, err := bodies.Extrude(7850, 0.01, plate, window)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4g kg at %.4g\n", b.Mass, b.Com)
	// Output: 1.256 kg at [0.1 0.05 0]
}

func ExampleComposite() {
	ball, err := bodies.SolidSphere(1, 0.1)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := bodies.Composite(
		bodies.Part{Body: ball, Position: spatial.Vec3{-0.5, 0, 0}},
		bodies.Part{Body: ball, Position: spatial.Vec3{0.5, 0, 0}},
	)
	fmt.Printf("%.4g %.4g %v\n", b.Mass, b.Inertia[:3], err)
	// Output: 2 [0.008 0.508 0.508] <nil>
}
