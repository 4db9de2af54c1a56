package ground_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// polyTol is rounding of heights of size 1 over spacings near 1.
const polyTol = 1e-12

// sampled is f at the nodes of a grid over [0, 3] × [0, 2] or so.
func sampled(nx, ny int, f func(x, y float64) float64) *ground.Field {
	g := &ground.Field{Origin: [2]float64{-1, 0.5}, Spacing: [2]float64{3 / float64(nx-1), 2 / float64(ny-1)}, Size: [2]int{nx, ny}}
	for j := range ny {
		for i := range nx {
			g.Heights = append(g.Heights, f(g.Place(i, j)))
		}
	}
	return g
}

func at(t testing.TB, s *ground.Surface, x, y float64) ground.Patch {
	t.Helper()
	p, err := s.At(x, y)
	require.NoError(t, err)
	return p
}

// closePatch compares all numbers of two patches.
func closePatch(t testing.TB, got, want ground.Patch, tol float64, msg string, args ...any) {
	t.Helper()
	a, b := numbers(got), numbers(want)
	check.CloseVec(t, a[:], b[:], tol, 1+check.MaxAbs(b[:]), msg, args...)
}

func numbers(p ground.Patch) [6]float64 { return [6]float64{p.Z, p.X, p.Y, p.XX, p.XY, p.YY} }

// TestCubics: the spline reproduces x^i y^j for i, j ≤ 3 with all derivatives, Hermite patches up to 2, also beyond the
// border as far as rounding goes.
func TestCubics(t *testing.T) {
	power := func(x float64, i int) (v, d, dd float64) {
		f := float64(i)
		return math.Pow(x, f), f * math.Pow(x, max(f-1, 0)), f * (f - 1) * math.Pow(x, max(f-2, 0))
	}
	for _, c := range []struct {
		o      ground.Options
		degree int
		size   [][2]int
	}{
		{ground.Options{}, 3, [][2]int{{4, 4}, {5, 4}, {6, 5}, {7, 9}, {20, 33}}},
		{ground.Options{Interpolation: ground.Hermite}, 2, [][2]int{{3, 3}, {4, 3}, {5, 6}, {20, 33}}},
		{ground.Options{Interpolation: ground.Linear}, 1, [][2]int{{2, 2}, {3, 5}}},
	} {
		for _, size := range c.size {
			for i := range c.degree + 1 {
				for j := range c.degree + 1 {
					s := newGrid(t, sampled(size[0], size[1], func(x, y float64) float64 {
						return math.Pow(x, float64(i)) * math.Pow(y, float64(j))
					}), c.o)
					r := check.Rand(3)
					for range 20 {
						x, y := -1+3*r.Float64(), 0.5+2*r.Float64()
						u, ux, uxx := power(x, i)
						v, vy, vyy := power(y, j)
						want := ground.Patch{Z: u * v, X: ux * v, Y: u * vy, XX: uxx * v, XY: ux * vy, YY: u * vyy}
						tol := polyTol * math.Pow(float64(max(size[0], size[1]))/3, 2) // second derivatives are differences over spacing²
						closePatch(t, at(t, s, x, y), want, math.Max(tol, polyTol), "%v of x^%d y^%d on %v nodes", c.o.Interpolation, i, j, size)
					}
				}
			}
		}
	}
}

// TestOrders: errors on sin x cos y fall with the spacing as they should: heights, slopes, second derivatives.
func TestOrders(t *testing.T) {
	f := func(x, y float64) float64 { return math.Sin(x) * math.Cos(y) }
	worst := func(n int, o ground.Options) (e [3]float64) {
		s := newGrid(t, sampled(n, n, f), o)
		for k := range (n - 1) * (n - 1) { // the same places of all cells
			x, y := -1+3*(float64(k%(n-1))+0.23)/float64(n-1), 0.5+2*(float64(k/(n-1))+0.61)/float64(n-1)
			p := at(t, s, x, y)
			e[0] = math.Max(e[0], math.Abs(p.Z-f(x, y)))
			e[1] = math.Max(e[1], math.Max(math.Abs(p.X-math.Cos(x)*math.Cos(y)), math.Abs(p.Y+math.Sin(x)*math.Sin(y))))
			e[2] = math.Max(e[2], math.Max(math.Abs(p.XX+f(x, y)), math.Max(math.Abs(p.YY+f(x, y)), math.Abs(p.XY+math.Cos(x)*math.Sin(y)))))
		}
		return e
	}
	for _, c := range []struct {
		o     ground.Options
		order [3]float64
	}{
		{ground.Options{}, [3]float64{4, 3, 2}},
		{ground.Options{Interpolation: ground.Hermite}, [3]float64{3, 2, 1}},
		{ground.Options{Interpolation: ground.Linear}, [3]float64{2, 1, 0}},
	} {
		coarse, fine := worst(41, c.o), worst(81, c.o)
		for k, want := range c.order {
			assert.InDelta(t, want, math.Log2(coarse[k]/fine[k]), 0.35, "%v, derivative %d: %g, then %g", c.o.Interpolation, k, coarse[k], fine[k])
		}
	}
}

// TestSmooth: across the borders of cells the spline has no jump up to its second derivatives, Hermite patches none up
// to the first, bilinear ones none in height.
func TestSmooth(t *testing.T) {
	f := referenceField(t)
	const d = 1e-12
	for _, c := range []struct {
		o      ground.Options
		smooth int // numbers of a patch
	}{{ground.Options{}, 6}, {ground.Options{Interpolation: ground.Hermite}, 3}, {ground.Options{Interpolation: ground.Linear}, 1}} {
		s := newGrid(t, f, c.o)
		jumps := 0.0
		for i := 1; i < f.Size[0]-1; i++ {
			for j := 1; j < f.Size[1]-1; j++ {
				x, y := f.Place(i, j)
				a, b := numbers(at(t, s, x-d, y-d)), numbers(at(t, s, x+d, y+d))
				check.CloseVec(t, a[:c.smooth], b[:c.smooth], 1e-9, 1, "%v at node %d, %d", c.o.Interpolation, i, j)
				for k := range a {
					jumps = math.Max(jumps, math.Abs(a[k]-b[k]))
				}
			}
		}
		assert.Equal(t, c.smooth < 6, jumps > 1e-3, "%v", c.o.Interpolation)
	}
}

// TestDerivatives compares slopes with differences of heights, and
// second derivatives with differences of slopes, inside and outside.
func TestDerivatives(t *testing.T) {
	const d, tol = 1e-5, 2e-7
	f := referenceField(t)
	for _, o := range []ground.Options{
		{Outside: ground.Tangent}, {Outside: ground.Level}, {Interpolation: ground.Hermite, Outside: ground.Tangent},
		{Interpolation: ground.Linear, Outside: ground.Tangent},
	} {
		s := newGrid(t, f, o)
		r := check.Rand(7)
		for range 200 {
			x, y := -4+9*r.Float64(), -2+8*r.Float64()
			if u, v := math.Mod((x-f.Origin[0])/f.Spacing[0], 1), math.Mod((y-f.Origin[1])/f.Spacing[1], 1); min(math.Abs(u), math.Abs(v)) < 1e-3 ||
				max(math.Abs(u), math.Abs(v)) > 0.999 {
				continue // a difference over a border
			}
			p := at(t, s, x, y)
			a, b, c, e := at(t, s, x-d, y), at(t, s, x+d, y), at(t, s, x, y-d), at(t, s, x, y+d)
			want := ground.Patch{
				Z: p.Z, X: (b.Z - a.Z) / (2 * d), Y: (e.Z - c.Z) / (2 * d),
				XX: (b.X - a.X) / (2 * d), XY: (b.Y - a.Y) / (2 * d), YY: (e.Y - c.Y) / (2 * d),
			}
			closePatch(t, p, want, tol, "%v, %v at %v, %v", o.Interpolation, o.Outside, x, y)
		}
	}
}

// TestOutside: the border continues level or straight, corners included, or nothing does.
func TestOutside(t *testing.T) {
	f := sampled(6, 5, func(x, y float64) float64 { return 1 + 2*x + 3*y + 4*x*y + x*x*x })
	stop, level, tangent := newGrid(t, f, ground.Options{}), newGrid(t, f, ground.Options{Outside: ground.Level}), newGrid(t, f, ground.Options{Outside: ground.Tangent})
	for _, c := range [][4]float64{{-3, 1, -1, 1}, {4, 1, 2, 1}, {0, 0, 0, 0.5}, {0, 9, 0, 2.5}, {-2, -2, -1, 0.5}, {5, 6, 2, 2.5}} {
		x, y, bx, by := c[0], c[1], c[2], c[3]
		_, err := stop.At(x, y)
		require.ErrorIs(t, err, ground.ErrOff)
		b := at(t, stop, bx, by)
		p := at(t, level, x, y)
		check.Close(t, p.Z, b.Z, 1e-13, 1+math.Abs(b.Z), "level at %v", c)
		if x != bx {
			assert.Zero(t, p.X)
		}
		if y != by {
			assert.Zero(t, p.Y)
		}
		q := at(t, tangent, x, y)
		want := b.Z + b.X*(x-bx) + b.Y*(y-by) + b.XY*(x-bx)*(y-by)
		check.Close(t, q.Z, want, 1e-12, 1+math.Abs(want), "tangent at %v", c)
	}
	e := stop.Extent()
	require.Equal(t, ground.Extent{Min: [2]float64{-1, 0.5}, Max: [2]float64{2, 2.5}}, e)
	for _, x := range []float64{e.Min[0], e.Max[0]} { // the border belongs to the grid
		at(t, stop, x, e.Max[1])
	}
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		_, err := stop.At(x, 1)
		require.ErrorIs(t, err, ground.ErrOff)
		_, err = tangent.At(x, 1)
		require.Error(t, err)
	}
}

// TestFar: a grid that is flat is flat to the last bit, at any height, and one that is moved 10⁶ m has the same shape.
func TestFar(t *testing.T) {
	for _, o := range []ground.Options{{}, {Interpolation: ground.Hermite}, {Interpolation: ground.Linear}} {
		s := newGrid(t, sampled(9, 8, func(x, y float64) float64 { return 1e6 / 3.0 }), o)
		require.Equal(t, ground.Patch{Z: 1e6 / 3.0}, at(t, s, 0.123, 1.1))
		f := referenceField(t)
		near := newGrid(t, f, o)
		g := *f
		g.Origin = [2]float64{1e6, -1e6}
		far := newGrid(t, &g, o)
		for _, x := range []float64{0.1, 0.77, 1.9} {
			closePatch(t, at(t, far, 1e6+x, -1e6+x), at(t, near, f.Origin[0]+x, f.Origin[1]+x), 1e-7, "%v", o.Interpolation)
		}
	}
}

// TestPlaneAndSum: planes are exact, and sums add everything.
func TestPlaneAndSum(t *testing.T) {
	plane, err := ground.NewPlane(spatial.Vec3{1, 2, 3}, spatial.Vec3{-0.4, 0.2, 2})
	require.NoError(t, err)
	closePatch(t, at(t, plane, 2, 0), ground.Patch{Z: 3.4, X: 0.2, Y: -0.1}, 1e-15, "plane")
	p := at(t, plane, 2, 0)
	n := p.Normal()
	w := 1 / math.Sqrt(0.16+0.04+4)
	check.CloseVec(t, n[:], []float64{-0.4 * w, 0.2 * w, 2 * w}, 1e-15, 1, "normal")

	f, err := ground.Function("x^2*y")
	require.NoError(t, err)
	g := newGrid(t, referenceField(t), ground.Options{})
	sum, err := ground.Sum(plane, f, g)
	require.NoError(t, err)
	x, y := 0.3, 1.7
	a, b, c, s := numbers(at(t, plane, x, y)), numbers(at(t, f, x, y)), numbers(at(t, g, x, y)), numbers(at(t, sum, x, y))
	for k := range s {
		check.Close(t, s[k], a[k]+b[k]+c[k], 1e-15, 100, "number %d of a sum", k)
	}
	require.Equal(t, g.Extent(), sum.Extent())
	_, err = sum.At(100, 0)
	require.ErrorIs(t, err, ground.ErrOff)

	h := *referenceField(t)
	h.Origin[0] = 50
	_, err = ground.Sum(g, newGrid(t, &h, ground.Options{}))
	require.ErrorContains(t, err, "no place belongs to all parts")
	_, err = ground.Sum()
	require.Error(t, err)
	for _, normal := range []spatial.Vec3{{0, 0, -1}, {1, 0, 0}, {0, 0, math.NaN()}, {1e300, 0, 1e-300}} {
		_, err = ground.NewPlane(spatial.Vec3{}, normal)
		require.Error(t, err)
	}
}

// TestBadFields names what is wrong, all at once.
func TestBadFields(t *testing.T) {
	good := sampled(4, 4, func(x, y float64) float64 { return x })
	for says, change := range map[string]func(f *ground.Field){
		"ground: the spacing along x is not above 0 and finite (value 0)\nground: 15 heights for 4 × 4 nodes": func(f *ground.Field) { f.Spacing[0], f.Heights = 0, f.Heights[:15] },
		"ground: the height of node (1, 2) is not finite (value NaN)":                                         func(f *ground.Field) { f.Heights[9] = math.NaN() },
		"ground: 1 × 4 nodes; a grid has 2 × 2 at least":                                                      func(f *ground.Field) { f.Size[0] = 1 },
		"ground: 65536 × 65536 nodes; a grid has 2³¹ at most":                                                 func(f *ground.Field) { f.Size = [2]int{65536, 65536} },
		"ground: 3 × 5 nodes; interpolation spline needs 4 × 4 at least":                                      func(f *ground.Field) { f.Size, f.Heights = [2]int{3, 5}, f.Heights[:15] },
		"ground: the origin along y is not finite (value +Inf)":                                               func(f *ground.Field) { f.Origin[1] = math.Inf(1) },
		"ground: the spacing along x is lost beside the distance from the origin (value 1)":                   func(f *ground.Field) { f.Origin[0], f.Spacing[0] = 1e15, 1 },
	} {
		f := *good
		f.Heights = append([]float64(nil), good.Heights...)
		change(&f)
		_, err := ground.NewGrid(context.Background(), &f, ground.Options{})
		require.EqualError(t, err, says)
	}
}

// TestNoAllocation: evaluation allocates nothing, whatever the surface.
func TestNoAllocation(t *testing.T) {
	f := referenceField(t)
	expression, err := ground.Function("0.3*sin(x)*cos(y) + atan2(y, 2+x^2) - max(x^3, abs(y))^2 + (1+(2+(3+(4+(5+(6+(7+(8+(9+(1+(1+(1+x))))))))))))")
	require.NoError(t, err)
	plane, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	require.NoError(t, err)
	list := []*ground.Surface{expression, plane}
	for _, i := range []ground.Interpolation{ground.Spline, ground.Hermite, ground.Linear} {
		list = append(list, newGrid(t, f, ground.Options{Interpolation: i, Outside: ground.Tangent}))
	}
	sum, err := ground.Sum(list...)
	require.NoError(t, err)
	x := 0.0
	for i, s := range append(list, sum) {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			x += 0.01
			if _, err := s.At(x, 1-x); err != nil {
				panic(err)
			}
		}), "surface %d", i)
	}
	g := make([]float64, 2*len(f.Heights))
	require.Zero(t, testing.AllocsPerRun(10, func() { f.GradientTo(g[:len(f.Heights)], g[len(f.Heights):]) }))
}

// TestEnds: what is long ends with its context.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := referenceField(t)
	_, err := ground.NewGrid(ctx, f, ground.Options{})
	require.ErrorIs(t, err, context.Canceled)
	s := newGrid(t, f, ground.Options{})
	_, err = ground.Sample(ctx, s, f.Origin, f.Spacing, f.Size)
	require.ErrorIs(t, err, context.Canceled)
	_, err = ground.Random(ctx, ground.RandomGround{Spacing: [2]float64{1, 1}, Size: [2]int{9, 9}, Length: 1})
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkAt(b *testing.B) {
	f := sampled(1000, 1000, func(x, y float64) float64 { return math.Sin(x * y) })
	for _, i := range []ground.Interpolation{ground.Spline, ground.Hermite, ground.Linear} {
		b.Run("interpolation="+i.String(), func(b *testing.B) {
			b.ReportAllocs()
			s := newGrid(b, f, ground.Options{Interpolation: i})
			x := 0.0
			for b.Loop() {
				if x += 0.001; x > 1.9 {
					x = 0
				}
				if _, err := s.At(x, 1.2); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
