package linear_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/spatial"
)

// benchModels are the models of the benchmarks by name.
var benchModels = []struct {
	name  string
	most  int
	build func(t testing.TB, n int) *kkt.Plan
}{
	{"hanging-chain", 10000, func(t testing.TB, n int) *kkt.Plan { return built(t, chain(t, n, 1)) }},
	{"taut-string", 10000, func(t testing.TB, n int) *kkt.Plan { return built(t, row(t, n, axisY, 2, 0.3, 50, 6)) }},
	{"damped-chain", 10000, func(t testing.TB, n int) *kkt.Plan {
		m, err := chain(t, n, 1).Model()
		require.NoError(t, err)
		for j := range m.Joints {
			m.Joints[j].Damping = []float64{0.5}
		}
		return planned(t, m)
	}},
	{"column", 10000, func(t testing.TB, n int) *kkt.Plan { return column(t, n, 1.5) }},
}

// column is a chain of n bars that stands on the world, with torsion springs that are stiffer than
// necessary by a factor.
func column(t testing.TB, n int, factor float64) *kkt.Plan {
	m, err := chain(t, n, -1).Model()
	require.NoError(t, err)
	// A heavy column of bending stiffness B buckles at a length (7.837·B/q)^⅓, q its weight
	// per length: B = k·l for hinges of stiffness k.
	k := factor * g * float64(n) * float64(n) * float64(n) / 7.837
	for j := range m.Joints {
		m.Joints[j].Stiffness = []float64{k}
	}
	return planned(t, m)
}

func BenchmarkModes(b *testing.B) {
	for _, c := range benchModels {
		for _, n := range []int{100, 1000, 10000} {
			if n > c.most {
				continue
			}
			b.Run(fmt.Sprintf("model=%s/n=%d", c.name, n), func(b *testing.B) {
				p := c.build(b, n)
				st := resting(p)
				b.ReportAllocs()
				for b.Loop() {
					s := linear.NewSystem(p)
					require.NoError(b, s.Linearize(st))
					m, err := s.Modes(linear.ModeOptions{Count: 10, Method: linear.Sparse})
					require.NoError(b, err)
					b.ReportMetric(float64(m.Products), "products")
					b.ReportMetric(float64(m.Factors), "factors")
				}
			})
		}
	}
}

// BenchmarkEquilibrium lets a chain fall from a gentle slope.
func BenchmarkEquilibrium(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("model=chain/n=%d", n), func(b *testing.B) {
			r := rung.NewBuilder("chain").Gravity(0, 0, -g)
			up, at := rung.World, spatial.Vec3{}
			for i := range n {
				next := at.Add(vec{0.98, 0, -0.199})
				body := r.Rod(fmt.Sprint("b", i), 1, 1e-3, at, next)
				r.Revolute(fmt.Sprint("j", i), up, body, at, axisY)
				up, at = body, next
			}
			p := built(b, r)
			for b.Loop() {
				e, err := linear.Equilibrate(p, p.Initial(), linear.EquilibriumOptions{})
				require.NoError(b, err)
				b.ReportMetric(float64(e.Steps), "steps")
			}
		})
	}
}
