package lanes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachKind runs a test with the assembly, if there is one, and with Go.
func eachKind(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	before := fast
	defer func() { fast = before }()
	for _, fast = range kinds(before) {
		t.Run(map[bool]string{false: "plain", true: "avx2"}[fast], f)
	}
}

// kinds lists what fast may be.
func kinds(have bool) []bool {
	if have {
		return []bool{false, true}
	}
	return []bool{false}
}

// rotation returns a matrix of three random orthonormal columns.
func rotation(r *rand.Rand) (E [9]float64) {
	unit := func(v [3]float64) [3]float64 {
		s := 1 / math.Sqrt(v[0]*v[0]+v[1]*v[1]+v[2]*v[2])
		return [3]float64{s * v[0], s * v[1], s * v[2]}
	}
	a := unit(vector(r))
	b := unit(cross(a, vector(r)))
	c := cross(a, b)
	for i := range 3 {
		E[3*i], E[3*i+1], E[3*i+2] = a[i], b[i], c[i]
	}
	return E
}

func vector(r *rand.Rand) [3]float64 {
	return [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
}

// column returns column k of a matrix.
func column(E *[9]float64, k int) [3]float64 { return [3]float64{E[k], E[3+k], E[6+k]} }

// times returns E·v.
func times(E *[9]float64, v [3]float64) (u [3]float64) {
	for i := range 3 {
		u[i] = E[3*i]*v[0] + E[3*i+1]*v[1] + E[3*i+2]*v[2]
	}
	return u
}

func inner(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func minus(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// TestPinRows compares PinRows with its definition in world axes.
func TestPinRows(t *testing.T) {
	const tol = 1e-13 // some dozens of operations on numbers up to about ten
	eachKind(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for range 200 {
			EP, ES, axes := rotation(r), rotation(r), rotation(r)
			wp, ws, op, os, cp, cs := vector(r), vector(r), vector(r), vector(r), vector(r), vector(r)
			L := [6]float64{1 + r.Float64(), 1 + r.Float64(), 1 + r.Float64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			for _, kind := range []Pins{Ball, Hinge, {Force: 3, Moments: 3}, {Moment: 3, Moments: 1}} {
				n := kind.Rows()
				base, block := make([]float64, n), make([]float64, 6*n)
				scale, b := make([]float64, n), make([]float64, n)
				for i := range base {
					base[i] = r.NormFloat64()
				}
				p := Pin{
					EP: &EP, ES: &ES, OmegaP: &wp, OmegaS: &ws, Axes: &axes, OriginP: &op, OriginS: &os,
					ComP: &cp, ComS: &cs, Weight: &L, Root: 0.5 + r.Float64(), Base: base,
				}
				PinRows(block, scale, b, &p, kind)

				rP, rS := times(&EP, minus(op, cp)), times(&ES, minus(os, cs))
				bias := minus(cross(ws, cross(ws, rS)), cross(wp, cross(wp, rP)))
				row := func(at int, moment [3]float64, force [3]float64, right float64) {
					q, mS := [6]float64{}, [3]float64{}
					for i := range 3 { // to the axes of S
						mS[i] = inner(column(&ES, i), moment)
						q[3+i] = p.Root * inner(column(&ES, i), force)
					}
					q[0] = L[0] * mS[0]
					q[1] = L[3]*mS[0] + L[1]*mS[1]
					q[2] = L[4]*mS[0] + L[5]*mS[1] + L[2]*mS[2]
					norm := base[at]
					for c := range 6 {
						require.InDelta(t, q[c], block[6*at+c], tol*(1+math.Abs(q[c])), "%v row %d column %d", kind, at, c)
						norm += q[c] * q[c]
					}
					require.InDelta(t, norm, scale[at], tol*(1+math.Abs(norm)), "%v row %d", kind, at)
					require.InDelta(t, right, b[at], tol*100, "%v row %d", kind, at)
				}
				for k := range 3 {
					a := times(&EP, column(&axes, k))
					row(kind.Force+k, cross(rS, a), a, -inner(a, bias))
					if k < kind.Moments {
						row(kind.Moment+k, a, [3]float64{}, -inner(a, cross(ws, wp)))
					}
				}
			}
		}
	})
}

// BenchmarkPinRows measures the rows of one hinge.
func BenchmarkPinRows(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	EP, ES, axes := rotation(r), rotation(r), rotation(r)
	zero, L := vector(r), [6]float64{1, 1, 1}
	p := Pin{
		EP: &EP, ES: &ES, OmegaP: &zero, OmegaS: &zero, Axes: &axes, OriginP: &zero, OriginS: &zero,
		ComP: &zero, ComS: &zero, Weight: &L, Root: 1, Base: make([]float64, 5),
	}
	v, scale, right := make([]float64, 30), make([]float64, 5), make([]float64, 5)
	defer func(before bool) { fast = before }(fast)
	for _, fast = range kinds(fast) {
		name := map[bool]string{false: "plain", true: "avx2"}[fast]
		b.Run("hinges=1/"+name, func(b *testing.B) {
			for b.Loop() {
				PinRows(v, scale, right, &p, Hinge)
			}
		})
	}
}
