package linear_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// rods is a chain of n rods of mass and length 1 from the origin, each at an angle from
// hanging.
func rods(t testing.TB, n int, angle func(i int) float64) *kkt.Plan {
	b := rung.NewBuilder("rods").Gravity(0, 0, -g)
	up, at := rung.World, vec{}
	for i := range n {
		a := angle(i)
		next := at.Add(vec{math.Sin(a), 0, -math.Cos(a)})
		body := b.Rod(fmt.Sprint("b", i), 1, 1e-3, at, next)
		b.Revolute(fmt.Sprint("j", i), up, body, at, axisY)
		up, at = body, next
	}
	return built(t, b)
}

// TestRodsFall lets long chains of rods fall from far: to a straight line, whose potential
// is −n²/2·g, with the lowest frequency z/2·√(g/n) of a rope.
func TestRodsFall(t *testing.T) {
	check.Long(t)
	rng := check.Rand(1)
	for _, c := range []struct {
		name  string
		n     int
		steps int // not more
		angle func(i int) float64
	}{
		{"horizontal", 1000, 15, func(int) float64 { return math.Pi / 2 }},
		{"all but upright", 300, 80, func(int) float64 { return math.Pi + 1e-3*rng.NormFloat64() }},
		{"tangled", 300, 80, func(int) float64 { return 2 * math.Pi * rng.Float64() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := rods(t, c.n, c.angle)
			e, st := balanced(t, p, linear.EquilibriumOptions{})
			n := float64(c.n)
			assert.LessOrEqual(t, e.Steps, c.steps)
			assert.InEpsilon(t, -n*n/2*g, e.After.Potential(), 1e-12)
			last := &st.Bodies[c.n-1]
			assert.InDelta(t, -n, last.Position.Add(last.Rotation.Rotate(vec{1}))[2], 1e-9*n)
			assert.Equal(t, linear.Stable, e.Stability)
			assert.InEpsilon(t, besselZeros[0]*besselZeros[0]/4*g/n, e.Lowest, 1e-3)
		})
	}
}

// columnExact returns the squares of the frequencies of column, lowest first: with the
// angles from upright as coordinates M is that of chainExact and K that of the springs, less the
// diagonal that gravity adds there.
func columnExact(t *testing.T, n int, factor float64) []float64 {
	k := factor * g * float64(n) * float64(n) * float64(n) / 7.837
	M, K := mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			m := float64(n-j) - 0.5
			if i == j {
				m = float64(n-i) - 2./3
			}
			M.SetSym(i, j, m)
		}
		K.Set(i, i, 2*k-(float64(n-i)-0.5)*g)
		if i == n-1 {
			K.Set(i, i, k-0.5*g)
		} else {
			K.Set(i, i+1, -k)
			K.Set(i+1, i, -k)
		}
	}
	var chol mat.Cholesky
	require.True(t, chol.Factorize(M))
	var L mat.TriDense
	chol.LTo(&L)
	var Li mat.Dense
	require.NoError(t, Li.Inverse(&L))
	var A mat.Dense
	A.Product(&Li, K, Li.T())
	S := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			S.SetSym(i, j, (A.At(i, j)+A.At(j, i))/2)
		}
	}
	var e mat.EigenSym
	require.True(t, e.Factorize(S, false))
	return e.Values(nil)
}

// columnTol is the relative error of the square of a frequency of a column: the squares of the highest
// modes are 1e8 times larger.
const columnTol = 1e-7

// TestStandingColumn has negative blocks of K throughout, held by springs that are stiffer by
// the cube of the number of bodies.
func TestStandingColumn(t *testing.T) {
	check.Long(t)
	const n = 60
	for _, factor := range []float64{1.1, 1.5} {
		want := columnExact(t, n, factor)
		m := modes(t, column(t, n, factor), linear.ModeOptions{Count: 6, Method: linear.Sparse})
		require.Len(t, m.List, 6)
		for i := range m.List {
			assert.InEpsilon(t, want[i], m.List[i].Stiffness, columnTol, "factor %v, mode %d", factor, i)
		}
	}
}

// TestTallColumn stands, and leans to one side where its springs are too weak.
func TestTallColumn(t *testing.T) {
	check.Long(t)
	n := 1000
	p := column(t, n, 1.5)
	e, _ := balanced(t, p, linear.EquilibriumOptions{})
	assert.Zero(t, e.Steps)
	assert.Equal(t, linear.Stable, e.Stability)
	// The frequencies of a heavy elastic column are in proportion to √(g/length). A column of bodies has an error
	// in proportion to 1/bodies.
	assert.InEpsilon(t, 200*columnExact(t, 200, 1.5)[0]/float64(n), e.Lowest, 0.03)

	const shorter = 200
	e, _ = balanced(t, column(t, shorter, 0.7), linear.EquilibriumOptions{})
	assert.Positive(t, e.Kicks)
	assert.Equal(t, linear.Stable, e.Stability)
	assert.Less(t, e.After.Potential(), 0.95*e.Before.Potential())
}

// TestVeryTallColumn has the frequencies of an elastic column: n times their squares tend to a
// limit, with an error in proportion to 1/n, which is extrapolated from two short columns.
func TestVeryTallColumn(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const short, second = 200, 1e-3 // second order in 1/short, for the third mode
	n := 2000
	if check.More() > 1 {
		n = 5000
	}
	m := modes(t, column(t, n, 1.5), linear.ModeOptions{Count: 3})
	require.Len(t, m.List, 3)
	a, b := columnExact(t, short, 1.5), columnExact(t, 2*short, 1.5)
	for i := range m.List {
		x, y := short*a[i], 2*short*b[i]
		want := 2*y - x
		want += (x - want) * short / float64(n)
		assert.InEpsilon(t, want, float64(n)*m.List[i].Stiffness, second, "mode %d", i)
	}
}

// TestLightlyDampedColumn finds modes with nearly real shapes, the lowest one included.
func TestLightlyDampedColumn(t *testing.T) {
	check.Long(t)
	const n = 60
	m, err := chain(t, n, -1).Model()
	require.NoError(t, err)
	for j := range m.Joints {
		m.Joints[j].Stiffness = []float64{1.5 * g * n * n * n / 7.837}
		m.Joints[j].Damping = []float64{1e-3}
	}
	got := modes(t, planned(t, m), linear.ModeOptions{Count: 6, Method: linear.Sparse})
	require.True(t, got.Damped)
	for i, want := range columnExact(t, n, 1.5)[:6] {
		assert.InEpsilon(t, math.Sqrt(want), imag(got.List[i].Lambda), columnTol, "mode %d", i)
		assert.Less(t, real(got.List[i].Lambda), 1e-9)
	}
}

// TestLeaningColumn has at its foot a row with a pivot as small as the pivot of a redundant row: the
// body below is light, all above are heavy. Without the row the column could swing sideways.
func TestLeaningColumn(t *testing.T) {
	check.Long(t)
	n := 700
	b := rung.NewBuilder("leaning").Gravity(0, 0, -g)
	up, at := rung.World, vec{}
	for i := range n {
		a := math.Pi + 0.1*float64(i)/float64(n)
		next := at.Add(vec{math.Sin(a), 0, -math.Cos(a)})
		body := b.Rod(fmt.Sprint("b", i), 1, 1e-3, at, next)
		b.Revolute(fmt.Sprint("j", i), up, body, at, axisY).Stiffness = []float64{1.5 * g * float64(n*n*n) / 7.837}
		up, at = body, next
	}
	p := built(t, b)
	st := p.Initial()
	e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
	require.NoError(t, err)
	assert.LessOrEqual(t, e.Relative, 1e-10) // of moments of springs of 1e8 N m
	assert.Equal(t, linear.Stable, e.Stability)
	s := linearized(t, p, st)
	J := make([]float64, s.Rows())
	s.JacobianTo(J, e.Mode)
	assert.LessOrEqual(t, check.MaxAbs(J), 1e-9*check.MaxAbs(e.Mode))
	assert.InEpsilon(t, 200*columnExact(t, 200, 1.5)[0]/float64(n), e.Lowest, 0.06)
}

// TestNothingHolds: nothing holds a slider, and the error says so. The slider has a stop that it never meets, as forces that may begin to act
// prevent the earlier end of the search.
func TestNothingHolds(t *testing.T) {
	b := rung.NewBuilder("lift").Gravity(0, 0, -g)
	body := b.Body("cage", brick(t, 3, 1), rung.At(0, 0, 0))
	limit := model.NoLimit()
	limit.Upper = 1
	limit.Stop.Stiffness, limit.Stop.Exponent = 1e3, 1
	b.Joint("shaft", model.Prismatic, rung.World, body, rung.At(0, 0, 0)).Limits = []*model.Limit{&limit}
	p := built(t, b)
	st := p.Initial()
	_, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
	e := new(linear.UnbalancedError)
	require.ErrorAs(t, err, &e)
	assert.ErrorIs(t, err, linear.ErrNoEquilibrium)
	at := new(mechanism.Error)
	require.ErrorAs(t, err, &at)
	assert.Equal(t, e.Body, at.Body)
	assert.Equal(t, body.Index(), at.BodyIndex)
	assert.Equal(t, "cage", e.Gone)
	assert.Equal(t, body.Index(), e.GoneIndex)
	assert.Greater(t, e.Away, 1e3)
	assert.ErrorContains(t, err, `nothing holds body "cage"`)
	assert.Equal(t, p.Initial(), st)
}

// TestTurnedFrames hangs thin rods on hinges whose frames are rotated about their axes. Each row of
// a hinge then has components along both the axis of the rod's largest compliance and an axis of its
// least one, which must not affect the search for modes.
func TestTurnedFrames(t *testing.T) {
	n := check.Few(1000, 300)
	rng := check.Rand(1)
	var modes [2]*linear.Modes
	for k := range modes {
		b := rung.NewBuilder("rods").Gravity(0, 0, -g)
		up, at := rung.World, vec{}
		for i := range n {
			body := b.Rod(fmt.Sprint("b", i), 1, 1e-3, at, at.Add(vec{0, 0, -1}))
			frame := rung.Place{Origin: at}.WithZ(axisY)
			if k == 1 {
				s, c := math.Sincos(math.Pi * rng.Float64())
				frame.Orientation = frame.Orientation.Mul(spatial.Quat{c, 0, 0, s})
			}
			b.Joint(fmt.Sprint("j", i), model.Revolute, up, body, frame)
			up, at = body, at.Add(vec{0, 0, -1})
		}
		p := built(t, b)
		var err error
		modes[k], err = linearized(t, p, resting(p)).Modes(linear.ModeOptions{Count: 1, Undamped: true, Method: linear.Sparse})
		require.NoError(t, err)
	}
	assert.Equal(t, modes[0].Factors, modes[1].Factors)
	assert.Equal(t, modes[0].Products, modes[1].Products)
	assert.InEpsilon(t, modes[0].List[0].Stiffness, modes[1].List[0].Stiffness, 1e-10)
}
