package linear_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
)

// TestEqualDecays: n bodies with equal springs and dampers have two decay rates, each n times. Rounding turns some of these real eigenvalues
// into complex pairs; such a pair once counted as one decay instead of two.
func TestEqualDecays(t *testing.T) {
	const damping = 5
	slow := 2 / (damping + math.Sqrt(damping*damping-4)) // of λ² + damping·λ + 1 = 0
	for _, n := range []int{4, 5, 8} {
		b := rung.NewBuilder("equal decays").Gravity(0, 0, 0)
		for i := range n {
			at := vec{float64(i)}
			body := b.Body(fmt.Sprint("b", i), brick(t, 1, 1), rung.At(at[0], 0, 0))
			j := b.Prismatic(fmt.Sprint("j", i), rung.World, body, at, vec{3, 5, 7})
			j.Stiffness, j.Damping = []float64{1}, []float64{damping}
		}
		p := built(t, b)
		for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
			m := modes(t, p, linear.ModeOptions{Method: method, Count: 50})
			require.Len(t, m.List, 2*n, "%v", method)
			for i := range m.List {
				rate := slow
				if i >= n {
					rate = 1 / slow
				}
				assert.Equal(t, linear.Decay, m.List[i].Kind)
				assert.InDelta(t, -rate, real(m.List[i].Lambda), 1e-9)
				requireEigen(t, p, &m.List[i])
			}
			requireIndependent(t, p, m.List[:n])
			requireIndependent(t, p, m.List[n:])
			assert.True(t, m.All, "%v", method)
		}
	}
}

// requireIndependent requires that the real shapes of a list are linearly independent: after orthogonalization against the shapes before it,
// at least a part of 1e-3 of each remains.
func requireIndependent(t *testing.T, p *kkt.Plan, list []linear.Mode) {
	t.Helper()
	s := linearized(t, p, resting(p))
	g := make([]float64, s.Dim())
	var basis [][]float64
	for i := range list {
		x := slices.Clone(list[i].Shape)
		for _, v := range basis {
			s.MassTo(g, v)
			floats.AddScaled(x, -floats.Dot(x, g), v)
		}
		s.MassTo(g, x)
		left := math.Sqrt(floats.Dot(x, g))
		require.Greater(t, left, 1e-3, "mode %d", i)
		floats.Scale(1/left, x)
		basis = append(basis, x)
	}
}

// TestSoftBesideStiff: beside springs of 10⁵ and 10⁷ rad/s, modes of soft springs and rigid modes are not mixed. With the shift for
// the stiff springs, the inverse has nearly the same eigenvalue for all of them.
func TestSoftBesideStiff(t *testing.T) {
	want := []float64{0, 0, 0.01, 0.02, 1, 1e5, 1e7}
	b := rung.NewBuilder("soft beside stiff").Gravity(0, 0, 0)
	for i, omega := range want {
		at := vec{float64(i)}
		body := b.Body(fmt.Sprint("b", i), brick(t, 1, 1), rung.At(at[0], 0, 0))
		b.Prismatic(fmt.Sprint("j", i), rung.World, body, at, vec{3, 5, 7}).Stiffness = []float64{omega * omega}
	}
	for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
		for _, count := range []int{1, 2, 3, 4, 10} {
			m := modes(t, built(t, b), linear.ModeOptions{Method: method, Count: count})
			require.Len(t, m.List, min(count, len(want)), "%v", method)
			for i := range m.List {
				assert.InDelta(t, want[i], imag(m.List[i].Lambda), 1e-9*want[i], "%v, %d modes, mode %d", method, count, i)
				assert.Equal(t, want[i] == 0, m.List[i].Kind == linear.Rigid)
			}
			assert.Equal(t, count >= len(want), m.All, "%v", method)
		}
	}
}

// TestCloseAtAnEdge: frequencies that differ by less than 1e-3 are separate modes, also at the edge of a band, some 1e4 times the lowest
// frequency. The next shift finds some of the modes of the first one again.
func TestCloseAtAnEdge(t *testing.T) {
	const ratio = 1.0004
	for _, zeta := range []float64{1e-3, 0.1, 0.5} {
		for _, far := range []float64{0, 1.2e7} { // the second is beyond the reach of the first shift
			want := []float64{1}
			for i := range 6 {
				want = append(want, 1.02e4*math.Pow(ratio, float64(i-3)))
			}
			if far > 0 {
				want = append(want, far)
			}
			b := rung.NewBuilder("close at an edge").Gravity(0, 0, 0)
			for i, omega := range want {
				at := vec{float64(i)}
				body := b.Body(fmt.Sprint("b", i), brick(t, 1, 1), rung.At(at[0], 0, 0))
				j := b.Prismatic(fmt.Sprint("j", i), rung.World, body, at, vec{0, 0, 1})
				j.Stiffness, j.Damping = []float64{omega * omega}, []float64{2 * zeta * omega}
			}
			m := modes(t, built(t, b), linear.ModeOptions{Method: linear.Sparse, Count: len(want) + 3})
			require.Len(t, m.List, len(want), "%g, %g", zeta, far)
			for i := range m.List {
				assert.InEpsilon(t, want[i], m.List[i].AngularFrequency(), 1e-6, "%g, %g, mode %d", zeta, far, i)
			}
		}
	}
}
