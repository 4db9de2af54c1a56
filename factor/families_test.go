package factor_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
)

// layoutOf returns the layout of a model of package bench.
func layoutOf(t testing.TB, family string, n int) *assemble.Layout {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return assemble.NewLayout(mech)
}

// systemOf returns the KKT system of a model of package bench.
func systemOf(t testing.TB, family string, n int) *assemble.System {
	t.Helper()
	l := layoutOf(t, family, n)
	y := l.NewSystem()
	require.NoError(t, y.FillTo(l.Mech.Initial()))
	return y
}

// All orders agree on the accelerations of mechanisms, and on the number of
// redundant rows where a closed form is known.
func TestOrdersAgreeOnMechanisms(t *testing.T) {
	const tol = 1e-9 // relative; a few units of rounding over the square of the poses' distance from singular ones
	for _, c := range []struct {
		family    string
		n         int
		redundant int // −1 if not known here
	}{
		{"ladder", 60, 0},
		{"nfourbar", 30, 3 * 30},
		{"chain", 60, 0},
		{"tree", 60, 0},
		{"grid", 7, 0},
		{"ball-net", 7, 0},
		{"revolute-net", 4, 3 * 4 * 4},
		{"stewart", 4, 0},
		{"random", 60, -1},
	} {
		y := systemOf(t, c.family, c.n)
		np := positiveRows(y.Matrix.Pattern)
		n := len(y.Right)
		var want []float64
		weak := c.redundant
		for _, o := range order.All() {
			t.Run(fmt.Sprintf("%s/%v", c.family, o), func(t *testing.T) {
				f := factored(t, y.Matrix, order.Of(y.Matrix.Pattern, o), y.Scale, epsilon, factor.WhereWeak)
				assert.Zero(t, f.Corrected)
				requireInertia(t, y.Matrix.Pattern, pivotsOf(f))
				if weak < 0 {
					weak = f.Weak
				}
				assert.Equal(t, weak, f.Weak)
				x, r := make([]float64, n), make([]float64, n)
				ref := f.SolveRefinedTo(x, r, y.Right, y.Matrix, 0)
				assert.LessOrEqual(t, ref.Error, 1e-12)
				requireResidual(t, y.Matrix, prox(y.Matrix, y.Scale, 0), x, y.Right, growthOf(f))
				if want == nil {
					want = x
				}
				check.CloseVec(t, x[:np], want[:np], tol, check.MaxAbs(want[:np]), "accelerations")
			})
		}
	}
}
