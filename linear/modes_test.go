package linear_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	g = 9.81
	// closedTol is the largest relative error of an eigenvalue against a closed form;
	// rods have a radius of 1e-3 of their length.
	closedTol = 1e-9
)

type vec = spatial.Vec3

var (
	axisX = vec{1, 0, 0}
	axisY = vec{0, 1, 0}
)

// brick returns a body of the mass with the same inertia about all axes.
func brick(t testing.TB, mass, inertia float64) bodies.Body {
	t.Helper()
	b, err := bodies.New(mass, vec{}, spatial.Diag3(inertia, inertia, inertia))
	require.NoError(t, err)
	return b
}

// bar returns a body of the mass and of the inertia about y through its centre, which is
// at half its length along −z.
func bar(t testing.TB, mass, length float64) bodies.Body {
	t.Helper()
	I := mass * length * length / 12
	b, err := bodies.New(mass, vec{0, 0, -length / 2}, spatial.Diag3(I, I, I/100))
	require.NoError(t, err)
	return b
}

// chain hangs n bars of mass and length 1 from the world, hinged about y; a negative
// length stands them on the world.
func chain(t testing.TB, n int, length float64) *rung.Builder {
	b, _ := chainOf(t, n, length)
	return b
}

// chainOf is chain, with the handles of the bars.
func chainOf(t testing.TB, n int, length float64) (*rung.Builder, []rung.Body) {
	var bars []rung.Body
	b := rung.NewBuilder("chain").Gravity(0, 0, -g)
	up := rung.World
	for i := range n {
		z := -float64(i) * length
		body := b.Body(fmt.Sprint("b", i), bar(t, 1, length), rung.At(0, 0, z))
		b.Revolute(fmt.Sprint("j", i), up, body, vec{0, 0, z}, axisY)
		up, bars = body, append(bars, body)
	}
	return b, bars
}

// chainExact returns the squares of the frequencies of chain: with the angles from
// the vertical as coordinates
//
//	K = diag(n−i−½)·m·g·l,  M_ij = (n − max(i,j) − ½)·m·l², M_ii = (n−i−⅔)·m·l².
func chainExact(t *testing.T, n int) []float64 {
	A := mat.NewSymDense(n, nil)
	k := func(i int) float64 { return (float64(n-i) - 0.5) * g }
	for i := range n {
		for j := i; j < n; j++ {
			m := float64(n-j) - 0.5
			if i == j {
				m = float64(n-i) - 2./3
			}
			A.SetSym(i, j, m/math.Sqrt(k(i)*k(j)))
		}
	}
	var e mat.EigenSym
	require.True(t, e.Factorize(A, false))
	v := e.Values(nil) // 1/ω², increasing
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 / v[n-1-i]
	}
	return out
}

// slider adds a body that slides along an axis of the world.
func slider(t testing.TB, b *rung.Builder, name string, mass float64, at, axis vec) rung.Body {
	body := b.Body(name, brick(t, mass, 1), rung.Place{Origin: at})
	b.Prismatic("guide "+name, rung.World, body, at, axis)
	return body
}

// row lines up n sliders of mass m a distance a apart, moving along axis, with springs
// of tension T between them and to the world on both sides.
func row(t testing.TB, n int, axis vec, m, a, k, T float64) *rung.Builder {
	b := rung.NewBuilder("row").Gravity(0, 0, 0)
	last, at := rung.World, vec{}
	for i := range n + 1 {
		here := vec{float64(i+1) * a}
		body := rung.World
		if i < n {
			body = slider(t, b, fmt.Sprint("m", i), m, here, axis)
		}
		b.SpringDamper(fmt.Sprint("s", i), last, body, at, here, rung.Spring{Stiffness: k, RestLength: a - T/k})
		last, at = body, here
	}
	return b
}

// rowExact returns the squares (4·k/m)·sin²(jπ/2(n+1)).
func rowExact(n, count int, kOverM float64) []float64 {
	out := make([]float64, count)
	for j := range out {
		s := math.Sin(float64(j+1) * math.Pi / float64(2*(n+1)))
		out[j] = 4 * kOverM * s * s
	}
	return out
}

// parallelogram hangs a coupler from two cranks, all axes parallel, so that the joints
// of the loop are redundant three times; k is the stiffness of one hinge.
func parallelogram(t testing.TB, k float64) *rung.Builder {
	b := rung.NewBuilder("parallelogram").Gravity(0, 0, -g)
	left := b.Body("left", bar(t, 2, 0.5), rung.At(0, 0, 0))
	right := b.Body("right", bar(t, 2, 0.5), rung.At(1, 0, 0))
	coupler := b.Body("coupler", brick(t, 3, 0.4), rung.At(0.5, 0, -0.5))
	b.Revolute("a", rung.World, left, vec{}, axisY).Stiffness = []float64{k}
	b.Revolute("b", rung.World, right, vec{1}, axisY)
	b.Revolute("c", left, coupler, vec{0, 0, -0.5}, axisY)
	b.Revolute("d", right, coupler, vec{1, 0, -0.5}, axisY)
	return b
}

// doublePendulum returns the squares of the frequencies of chain(2), from the
// quadratic (2.5−½, …): det(K − ω²M) = 0.
func doublePendulum() []float64 {
	// M = [4/3 1/2; 1/2 1/3], K = g·diag(3/2, 1/2)
	a := 4./9 - 1./4
	b := -g * (4./3*0.5 + 1./3*1.5)
	c := g * g * 0.75
	d := math.Sqrt(b*b - 4*a*c)
	return []float64{(-b - d) / (2 * a), (-b + d) / (2 * a)}
}

// TestClosedForms compares squares of frequencies, negative for unstable modes, with
// closed forms by both methods.
func TestClosedForms(t *testing.T) {
	pendulum := func(length float64) *rung.Builder { return chain(t, 1, length) }
	cases := []struct {
		name  string
		build func() *rung.Builder
		want  []float64
	}{
		{"pendulum", func() *rung.Builder { return pendulum(2) }, []float64{1.5 * g / 2}},
		{"inverted pendulum", func() *rung.Builder { return pendulum(-2) }, []float64{-1.5 * g / 2}},
		{"double pendulum", func() *rung.Builder { return chain(t, 2, 1) }, doublePendulum()},
		{"torsion spring", func() *rung.Builder {
			b := rung.NewBuilder("torsion").Gravity(0, 0, 0)
			body := b.Body("wheel", brick(t, 1, 0.3), rung.At(0, 0, 0))
			b.Revolute("axle", rung.World, body, vec{}, axisY).Stiffness = []float64{12}
			return b
		}, []float64{12 / 0.3}},
		{"inverted pendulum on a torsion spring", func() *rung.Builder {
			b := rung.NewBuilder("metronome").Gravity(0, 0, -g)
			body := b.Body("bar", bar(t, 1, -1), rung.At(0, 0, 0))
			b.Revolute("hinge", rung.World, body, vec{}, axisY).Stiffness = []float64{7}
			return b
		}, []float64{(7 - g/2) * 3}},
		{"redundant four-bar", func() *rung.Builder { return parallelogram(t, 0) },
			[]float64{(2 + 3) * g * 0.5 / (2*2*0.25/3 + 3*0.25)}},
		{"redundant four-bar with a spring", func() *rung.Builder { return parallelogram(t, 40) },
			[]float64{((2+3)*g*0.5 + 40) / (2*2*0.25/3 + 3*0.25)}},
		{"spring-mass row", func() *rung.Builder { return row(t, 12, axisX, 2, 0.3, 50, 0) }, rowExact(12, 12, 25)},
		{"taut string", func() *rung.Builder { return row(t, 12, axisY, 2, 0.3, 50, 6) }, rowExact(12, 12, 6/(2*0.3))},
		{"string in compression", func() *rung.Builder { return row(t, 3, axisY, 2, 0.3, 50, -6) }, []float64{
			-rowExact(3, 3, 10)[2], -rowExact(3, 3, 10)[1], -rowExact(3, 3, 10)[0],
		}},
		{"spherical pendulum", func() *rung.Builder {
			b := rung.NewBuilder("ball").Gravity(0, 0, -g)
			body := b.Body("bar", bar(t, 1, 2), rung.At(0, 0, 0))
			b.Spherical("ball", rung.World, body, vec{})
			return b
		}, []float64{0, 1.5 * g / 2, 1.5 * g / 2}},
		{"pendulum on a rod", func() *rung.Builder { // a point mass on a massless rod, and the ball's own rotations
			b := rung.NewBuilder("rod").Gravity(0, 0, -g)
			body := b.Body("bob", brick(t, 2, 0.1), rung.At(0, 0, -3))
			b.Distance("rod", rung.World, body, vec{}, vec{0, 0, -3})
			return b
		}, []float64{0, 0, 0, g / 3, g / 3}},
		{"two floating bodies", func() *rung.Builder {
			b := rung.NewBuilder("floating").Gravity(0, 0, 0)
			one := b.Body("one", brick(t, 2, 0.4), rung.At(1e3, 0, 0))
			two := b.Body("two", brick(t, 3, 0.7), rung.At(1e3+1, 2, 2))
			b.Prismatic("guide", one, two, vec{1e3}, vec{1, 2, 2}).Stiffness = []float64{100}
			return b
		}, []float64{0, 0, 0, 0, 0, 0, 100 * (1./2 + 1./3)}},
		{"universal joint", func() *rung.Builder { // axes x and y, two pendulums at once
			b := rung.NewBuilder("universal").Gravity(0, 0, -g)
			body := b.Body("bar", bar(t, 1, 2), rung.At(0, 0, 0))
			b.Joint("cross", model.Universal, rung.World, body, rung.At(0, 0, 0)).Stiffness = []float64{5, 0}
			return b
		}, []float64{1.5 * g / 2, (g + 5) * 3 / 4}},
		{"screw", func() *rung.Builder { // turns by θ, rises by pitch·θ, against a torsion spring and gravity
			b := rung.NewBuilder("screw").Gravity(0, 0, 0)
			body := b.Body("nut", brick(t, 2, 0.3), rung.At(0, 0, 0))
			j := b.Joint("screw", model.Helical, rung.World, body, rung.At(0, 0, 0))
			j.Pitch, j.Stiffness = 0.2, []float64{4}
			return b
		}, []float64{4 / (0.3 + 2*0.04)}},
	}
	for _, c := range cases {
		for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
			t.Run(c.name+"/"+method.String(), func(t *testing.T) {
				m := modes(t, built(t, c.build()), linear.ModeOptions{Count: 20, Method: method})
				require.Equal(t, len(c.want), len(m.List))
				assert.True(t, m.All)
				got := make([]float64, len(m.List))
				for i := range got {
					got[i] = m.List[i].Stiffness
					requireKind(t, &m.List[i], c.want[i])
				}
				check.CloseVec(t, got, c.want, closedTol, check.MaxAbs(c.want), "λ²")
				requireShapes(t, built(t, c.build()), m)
			})
		}
	}
}

// requireKind checks kind, eigenvalue and frequencies of a mode with the stiffness want.
func requireKind(t *testing.T, m *linear.Mode, want float64) {
	t.Helper()
	switch {
	case want == 0:
		assert.Equal(t, linear.Rigid, m.Kind)
		assert.Zero(t, m.Lambda)
		assert.Zero(t, m.Frequency())
		assert.Zero(t, m.DampingRatio())
	case want > 0:
		assert.Equal(t, linear.Vibration, m.Kind)
		assert.InEpsilon(t, math.Sqrt(want), imag(m.Lambda), closedTol)
		assert.Zero(t, real(m.Lambda))
		assert.InEpsilon(t, math.Sqrt(want)/(2*math.Pi), m.Frequency(), closedTol)
		assert.Zero(t, m.DampingRatio())
	default:
		assert.Equal(t, linear.Divergence, m.Kind)
		assert.True(t, m.Kind.Unstable())
		assert.InEpsilon(t, math.Sqrt(-want), real(m.Lambda), closedTol)
		assert.Zero(t, imag(m.Lambda))
		assert.Equal(t, -1., m.DampingRatio())
	}
}

// requireShapes checks that undamped shapes are allowed by the joints, M-orthonormal,
// and solve (K − Stiffness·M)·φ = 0 on what the joints allow.
func requireShapes(t *testing.T, p *kkt.Plan, m *linear.Modes) {
	t.Helper()
	const tol = 1e-7
	s := linearized(t, p, resting(p))
	n := s.Dim()
	J, y, Kx := make([]float64, s.Rows()), make([]float64, n), make([]float64, n)
	most := 0.0
	for i := range m.List {
		most = max(most, math.Abs(m.List[i].Stiffness))
	}
	for i := range m.List {
		x := m.List[i].Shape
		s.JacobianTo(J, x)
		check.CloseVec(t, J, make([]float64, len(J)), tol, check.MaxAbs(x), "J·φ of mode %d", i)
		s.StiffnessTo(Kx, x)
		for k := range m.List {
			s.MassTo(y, m.List[k].Shape)
			want := 0.0
			if k == i {
				want = 1
			}
			check.Close(t, dotOf(x, y), want, tol, 1, "φ%dᵀMφ%d", i, k)
			check.Close(t, dotOf(m.List[k].Shape, Kx), want*m.List[i].Stiffness, tol, max(most, 1), "φ%dᵀKφ%d", k, i)
		}
	}
}

func dotOf(a, b []float64) (s float64) {
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// TestHangingChain compares with the eigenvalues of the chain's own mass matrix.
func TestHangingChain(t *testing.T) {
	const n = 60
	want := chainExact(t, n)
	for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
		m := modes(t, built(t, chain(t, n, 1)), linear.ModeOptions{Count: 20, Method: method})
		require.Equal(t, 20, len(m.List))
		assert.False(t, m.All)
		for i := range m.List {
			assert.InEpsilon(t, want[i], m.List[i].Stiffness, closedTol, "%v, mode %d", method, i)
		}
	}
}

// besselZeros are the first zeros of J₀.
var besselZeros = [...]float64{2.404825557695773, 5.520078110286311, 8.653727912911013, 11.791534439014281}

// TestHangingChainLimit compares a long chain with a hanging rope, ω = z/2·√(g/L): the
// hinges of rods make a difference of the order of (mode/bodies)².
func TestHangingChainLimit(t *testing.T) {
	check.Long(t)
	const n = 2000
	m := modes(t, built(t, chain(t, n, 1)), linear.ModeOptions{Count: len(besselZeros)})
	require.Equal(t, linear.Sparse, m.Method)
	for i, z := range besselZeros {
		want := z / 2 * math.Sqrt(g/n)
		assert.InEpsilon(t, want, m.List[i].AngularFrequency(), 1e-5, "mode %d", i)
	}
}

// TestLongRow compares a row of 1600 masses, every night of 5000, with its closed form: the squares of the
// lowest frequencies are 1e-6 or 1e-7 of the highest.
func TestLongRow(t *testing.T) {
	check.Long(t)
	n := 1600
	if check.More() > 1 {
		n = 5000
	}
	m := modes(t, built(t, row(t, n, axisY, 2, 0.3, 50, 6)), linear.ModeOptions{Count: 10})
	for i, want := range rowExact(n, 10, 10) {
		assert.Equal(t, linear.Vibration, m.List[i].Kind)
		assert.InEpsilon(t, want, m.List[i].Stiffness, closedTol, "mode %d", i)
	}
}

// TestMultipleModes finds all of 30 equal pendulums.
func TestMultipleModes(t *testing.T) {
	b := rung.NewBuilder("pendulums").Gravity(0, 0, -g)
	const n = 60
	for i := range n {
		length := 1.0
		if i >= n/2 {
			length = 0.5
		}
		at := vec{float64(i)}
		body := b.Body(fmt.Sprint("b", i), bar(t, 1, length), rung.Place{Origin: at})
		b.Revolute(fmt.Sprint("j", i), rung.World, body, at, axisX)
	}
	p := built(t, b)
	m := modes(t, p, linear.ModeOptions{Count: 40, Method: linear.Sparse})
	require.Equal(t, 40, len(m.List))
	for i := range m.List {
		want := 1.5 * g
		if i >= n/2 {
			want = 3 * g
		}
		assert.InEpsilon(t, want, m.List[i].Stiffness, closedTol, "mode %d", i)
	}
	requireShapes(t, p, m)
}

// TestRandomMechanisms compares both methods on mechanisms with all joint types, loops
// and springs, away from equilibrium, by the symmetric part of K.
func TestRandomMechanisms(t *testing.T) {
	for seed := range uint64(12) {
		m, err := bench.Generate("random", 14, seed)
		require.NoError(t, err)
		p := planned(t, m)
		dense := modes(t, p, linear.ModeOptions{Count: 8, Method: linear.Dense, Undamped: true})
		sparse := modes(t, p, linear.ModeOptions{Count: 8, Method: linear.Sparse, Undamped: true})
		require.Equal(t, len(dense.List), len(sparse.List), "seed %d", seed)
		scale := 1.0
		for i := range dense.List {
			scale = max(scale, math.Abs(dense.List[i].Stiffness))
		}
		for i := range dense.List {
			check.Close(t, sparse.List[i].Stiffness, dense.List[i].Stiffness, 1e-8, scale, "seed %d, mode %d", seed, i)
		}
	}
}

// TestLadder has blocks of K that consist of rounding alone, down to denormal numbers.
func TestLadder(t *testing.T) {
	m, err := bench.Generate("ladder", 60, 1)
	require.NoError(t, err)
	p := planned(t, m)
	sparse := modes(t, p, linear.ModeOptions{Count: 5, Method: linear.Sparse, Undamped: true})
	dense := modes(t, p, linear.ModeOptions{Count: 5, Method: linear.Dense, Undamped: true})
	require.Equal(t, 5, len(sparse.List))
	for i := range dense.List {
		assert.InEpsilon(t, dense.List[i].Stiffness, sparse.List[i].Stiffness, 1e-8, "mode %d", i)
	}
}
