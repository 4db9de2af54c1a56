package springs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// pose is two frames.
type pose struct {
	qA, qB spatial.Quat
	line   spatial.Vec3
}

func randomVec(rng *rand.Rand) spatial.Vec3 {
	return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
}

// randomPose returns frames that are the angle apart.
func randomPose(rng *rand.Rand, angle float64) pose {
	q := spatial.Exp(randomVec(rng).Scale(2))
	axis := randomVec(rng)
	return pose{q, q.Mul(spatial.Exp(axis.Scale(angle / axis.Norm()))), randomVec(rng)}
}

// moved is the pose after a displacement by h times w.
func (p pose) moved(w *springs.Twist, h float64) pose {
	return pose{spatial.Exp(w.A.Scale(h)).Mul(p.qA), spatial.Exp(w.B.Scale(h)).Mul(p.qB), p.line.Add(w.Line.Scale(h))}
}

func (p pose) relative(t testing.TB) springs.Relative {
	var r springs.Relative
	require.NoError(t, r.SetTo(&p.qA, &p.qB, &p.line))
	return r
}

func randomTwist(rng *rand.Rand) *springs.Twist {
	return &springs.Twist{A: randomVec(rng), B: randomVec(rng), Line: randomVec(rng)}
}

// slope returns the derivative of f at 0, by a central difference of order six.
func slope(f func(h float64) []float64) []float64 {
	const h = 3e-3
	var out []float64
	for i, c := range [...]float64{45.0 / 60, -9.0 / 60, 1.0 / 60} {
		step := h * float64(i+1)
		a, b := f(step), f(-step)
		if out == nil {
			out = make([]float64, len(a))
		}
		for k := range out {
			out[k] += c * (a[k] - b[k]) / h
		}
	}
	return out
}

func requireNear(t *testing.T, want, got []float64, tol float64, msg ...any) {
	t.Helper()
	size := 1.0
	for _, x := range want {
		size = max(size, math.Abs(x))
	}
	for i := range want {
		require.InDelta(t, want[i], got[i], tol*size, msg...)
	}
}

// differences is the error of central differences with steps of 3e-3
// on functions of size one, next to the singular pose larger ones.
const differences = 1e-9

// angles go from none, over both sides of where series end, to near half a turn.
var angles = []float64{0, 1e-9, 1e-5, 0.3, 0.999, 1.001, 2, 3, 3.1}

// TestRates: rates of the coordinates are their differences, and those of the rates likewise, at random poses.
func TestRates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, angle := range angles {
		for range 20 {
			p, w, along := randomPose(rng, angle), randomTwist(rng), randomTwist(rng)
			r := p.relative(t)
			var rate [6]float64
			r.RateTo(&rate, w)
			want := slope(func(h float64) []float64 {
				q := p.moved(w, h).relative(t)
				x := q.X()
				return x[:]
			})
			requireNear(t, want, rate[:], differences, fmt.Sprint("angle ", angle))

			b := r.Variation(along)
			x := b.X()
			r.RateTo(&rate, along)
			require.Equal(t, rate, x)
			change := randomVec(rng) // of the velocity of the origins
			var bent [6]float64
			b.RateTo(&bent, w, &change)
			want = slope(func(h float64) []float64 {
				q := p.moved(along, h).relative(t)
				var rate [6]float64
				v := *w
				v.Line = v.Line.Add(change.Scale(h))
				q.RateTo(&rate, &v)
				return rate[:]
			})
			requireNear(t, want, bent[:], 10*differences, fmt.Sprint("angle ", angle))
		}
	}
}

// TestWrenches: wrenches are the negative gradient of a potential with
// a full matrix, balance each other, and bend as their differences.
func TestWrenches(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var K springs.Matrix
	for i := range 6 {
		for j := range i + 1 {
			K[6*i+j] = rng.NormFloat64()
			K[6*j+i] = K[6*i+j]
		}
	}
	wrench := func(p pose) (out []float64) {
		r := p.relative(t)
		x := r.X()
		var s [6]float64
		K.MulTo(&s, &x)
		var onA, onB spatial.Force
		r.WrenchTo(&onA, &onB, &s)
		return append(append(out, onA[:]...), onB[:]...)
	}
	for _, angle := range angles {
		for range 20 {
			p, w := randomPose(rng, angle), randomTwist(rng)
			power := slope(func(h float64) []float64 {
				q := p.moved(w, h).relative(t)
				x := q.X()
				var s [6]float64
				K.MulTo(&s, &x)
				u := 0.0
				for i := range x {
					u += s[i] * x[i] / 2
				}
				return []float64{u}
			})
			f := wrench(p)
			nA, nB, F := spatial.Vec3(f[0:3]), spatial.Vec3(f[6:9]), spatial.Vec3(f[9:12])
			requireNear(t, power, []float64{nA.Dot(w.A) + nB.Dot(w.B) + F.Dot(w.Line)}, differences, "angle ", angle)
			requireNear(t, make([]float64, 2), []float64{F.Add(spatial.Vec3(f[3:6])).Norm(), nA.Add(nB).Add(p.line.Cross(F)).Norm()}, 1e-13)

			r := p.relative(t)
			x := r.X()
			b := r.Variation(w)
			dx := b.X()
			var s, ds [6]float64
			K.MulTo(&s, &x)
			K.MulTo(&ds, &dx)
			var onA, onB spatial.Force
			b.WrenchTo(&onA, &onB, &s, &ds)
			want := slope(func(h float64) []float64 { return wrench(p.moved(w, h)) })
			requireNear(t, want, append(append([]float64(nil), onA[:]...), onB[:]...), 10*differences, "angle ", angle)
		}
	}
}

// TestExchanged: exchanging the frames turns the sign of the coordinates; turning the world changes nothing.
func TestExchanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, angle := range angles {
		p := randomPose(rng, angle)
		r := p.relative(t)
		x := r.X()
		back := pose{p.qB, p.qA, p.line.Neg()}
		q := back.relative(t)
		y := q.X()
		turn := spatial.Exp(randomVec(rng))
		turned := pose{turn.Mul(p.qA), turn.Mul(p.qB), turn.Rotate(p.line)}
		z := turned.relative(t)
		w := z.X()
		for i := range x {
			require.InDelta(t, -x[i], y[i], 2e-14)
			require.InDelta(t, x[i], w[i], 2e-14)
		}
	}
}

// TestHalfTurn: half a turn is refused, on either side of it the rotation vector turns round.
func TestHalfTurn(t *testing.T) {
	var r springs.Relative
	qA, line := spatial.IdentityQuat(), spatial.Vec3{1, 2, 3}
	at := func(angle float64) error {
		q := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, angle)
		return r.SetTo(&qA, &q, &line)
	}
	require.ErrorIs(t, at(math.Pi), springs.ErrHalfTurn)
	require.NoError(t, at(math.Pi-1e-6))
	require.InDelta(t, math.Pi, r.Theta[2], 2e-6)
	require.NoError(t, at(math.Pi+1e-6))
	require.InDelta(t, -math.Pi, r.Theta[2], 2e-6)
	nan := spatial.Quat{math.NaN(), 0, 0, 0}
	require.ErrorIs(t, r.SetTo(&qA, &nan, &line), springs.ErrHalfTurn)
}
