package fik_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/check"
)

const (
	designTol   = 1e-9  // of reference/ik
	closedTol   = 1e-10 // closed form against the solution by the subspace
	equationTol = 1e-9  // residual of the equation, relative to its terms
)

// design is a design of reference/ik.
type design struct {
	J0    [][]float64
	W     float64
	M, V  numbers
	S     float64
	Pa, P [][]float64
	Tried []struct {
		S, Gap float64
		Exists bool
	}
}

// hold compares the design of fik.Riccati with d.
func (d *design) hold(t *testing.T) {
	t.Helper()
	m, n := len(d.J0), len(d.J0[0])
	P, info, err := fik.Riccati(fik.NewDense(m, n, flat(d.J0)), fik.RiccatiOptions{W: d.W, M: d.M, V: d.V})
	require.NoError(t, err)
	require.Equal(t, d.S, info.S)
	require.Len(t, info.Tried, len(d.Tried))
	for i, want := range d.Tried {
		require.Equal(t, want.S, info.Tried[i].S)
		require.Equal(t, want.Exists, info.Tried[i].Exists, "s = %v", want.S)
		check.Close(t, info.Tried[i].Gap, want.Gap, 1e-6, 1, "gap at s = %v", want.S)
	}
	check.CloseVec(t, info.Pa, flat(d.Pa), designTol, check.MaxAbs(flat(d.Pa)), "Pa")
	check.CloseVec(t, P, flat(d.P), designTol, check.MaxAbs(flat(d.P)), "P")
	require.Less(t, info.Residual, equationTol)
}

func TestRiccatiReference(t *testing.T) {
	var file struct{ Cases []design }
	readJSON(t, "riccati.json", &file)
	require.Len(t, file.Cases, 10)
	for i := range file.Cases {
		t.Run(fmt.Sprint(i), func(t *testing.T) { file.Cases[i].hold(t) })
	}
	for _, run := range []string{"fik-3r-null", "fik-3r-reach", "fik-3r-straight-full", "fik-3r-stretch", "fik-3r-track", "fik-6r-line", "fik-6r-wrist"} {
		t.Run(run, func(t *testing.T) {
			var setup struct{ Design design }
			readJSON(t, run+".setup.json", &setup)
			setup.Design.hold(t)
		})
	}
}

func random(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// TestRiccatiClosedForm: with M = −μ1 and V = v1 the solution has the directions of J's singular vectors.
func TestRiccatiClosedForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for m := 1; m <= 12; m++ {
		for _, n := range []int{m, m + 1, 2*m + 3} {
			data := random(rng, m*n)
			unit := math.Pow(10, float64(rng.IntN(7)-3)) // lengths may be in any
			for i := range data {
				data[i] *= unit
			}
			mu, v, w := 0.05+5*rng.Float64(), 0.2+4*rng.Float64(), 1+20*rng.Float64()
			P, info, err := fik.Riccati(fik.NewDense(m, n, data), fik.RiccatiOptions{W: w, M: []float64{mu}, V: []float64{v}})
			require.NoError(t, err)
			var svd mat.SVD
			require.True(t, svd.Factorize(mat.NewDense(m, n, data), mat.SVDThin))
			var U mat.Dense
			svd.UTo(&U)
			sigma := svd.Values(nil)
			want := make([]float64, m*m)
			for i, x := range sigma {
				g := x*x/v - 1/(info.S*info.S)
				p := w * w / (mu + math.Sqrt(mu*mu+w*w*g))
				for a := range m {
					for b := range m {
						want[a*m+b] += p * U.At(a, i) * U.At(b, i)
					}
				}
			}
			// It exists for s and not for s/2.
			least := sigma[m-1] * sigma[m-1] / v
			require.GreaterOrEqual(t, least-1/(info.S*info.S), -mu*mu/(w*w))
			require.Less(t, least-4/(info.S*info.S), -mu*mu/(w*w)*(1-1e-6))
			check.CloseVec(t, info.Pa, want, closedTol, check.MaxAbs(want), "m = %d, n = %d", m, n)
			for i := range want {
				want[i] *= v
			}
			check.CloseVec(t, P, want, closedTol, check.MaxAbs(want), "P, m = %d, n = %d", m, n)
		}
	}
}

// TestRiccatiEquation: solutions for random weights satisfy the equation.
func TestRiccatiEquation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for m := 1; m <= 12; m++ {
		for range 4 {
			n := m + rng.IntN(2*m)
			J, M, V := random(rng, m*n), make([]float64, m), make([]float64, n)
			for i := range M {
				M[i] = 0.05 + 5*rng.Float64()
			}
			for i := range V {
				V[i] = 0.3 + 3*rng.Float64()
			}
			w := 1 + 15*rng.Float64()
			_, info, err := fik.Riccati(fik.NewDense(m, n, J), fik.RiccatiOptions{W: w, M: M, V: V})
			require.NoError(t, err)
			X, g := mat.NewDense(m, m, info.Pa), mat.NewDense(m, m, nil)
			for i := range m {
				for k := range m {
					for j, v := range V {
						g.Set(i, k, g.At(i, k)+J[i*n+j]*J[k*n+j]/v)
					}
				}
				g.Set(i, i, g.At(i, i)-1/(info.S*info.S))
			}
			var RX, XRX mat.Dense
			RX.Mul(g, X)
			XRX.Mul(X, &RX)
			left, scale := 0.0, w*w
			for i := range m {
				for k := range m {
					x := -(M[i]+M[k])*X.At(i, k) - XRX.At(i, k)
					if i == k {
						x += w * w
					}
					left, scale = max(left, math.Abs(x)), max(scale, math.Abs(XRX.At(i, k)))
				}
			}
			require.Less(t, left, equationTol*scale, "m = %d, n = %d", m, n)
			// It stabilizes: all eigenvalues of M − R X are in the left half.
			A := mat.NewDense(m, m, nil)
			A.Scale(-1, &RX)
			for i, x := range M {
				A.Set(i, i, A.At(i, i)-x)
			}
			var e mat.Eigen
			require.True(t, e.Factorize(A, mat.EigenNone))
			for _, x := range e.Values(nil) {
				require.Negative(t, real(x))
			}
		}
	}
}

func TestRiccatiErrors(t *testing.T) {
	cause := errors.New("the cause")
	ended, end := context.WithCancelCause(context.Background())
	end(cause)
	_, _, err := fik.RiccatiContext(ended, fik.NewDense(1, 1, []float64{1}), fik.RiccatiOptions{})
	require.ErrorIs(t, err, cause)
	j := fik.NewDense(2, 3, []float64{1, 0, 0, 2, 0, 0})
	_, _, err = fik.Riccati(j, fik.RiccatiOptions{})
	require.ErrorIs(t, err, fik.ErrRank)
	require.ErrorContains(t, err, "2.24 down to 0")
	_, _, err = fik.Riccati(fik.NewDense(3, 2, nil), fik.RiccatiOptions{})
	require.ErrorIs(t, err, fik.ErrRank)
	j.Data[4] = 1
	_, _, err = fik.Riccati(j, fik.RiccatiOptions{W: -1, M: []float64{1, 0}, V: []float64{1, 2}})
	var bad *fik.OptionError
	require.ErrorAs(t, err, &bad)
	require.EqualError(t, err, "ik/fik: option W: -1 is not positive\nik/fik: option M[1]: 0 is not positive\nik/fik: option V: 2 numbers, not 1 or 3")
	j.Data[0] = math.NaN()
	_, _, err = fik.Riccati(j, fik.RiccatiOptions{})
	require.ErrorContains(t, err, "ik/fik: Jacobian of the design: numbers overflow")
	// σ is so small that no s of the search has a solution.
	_, _, err = fik.Riccati(fik.NewDense(1, 1, []float64{1e-3}), fik.RiccatiOptions{W: 1000, M: []float64{1e-3}})
	require.ErrorIs(t, err, fik.ErrNoDesign)
}
