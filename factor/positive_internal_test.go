package factor

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
)

// TestPositivePivotInFront: panels take pivots of sign +1 as they are. One that rounding has made negative ends the factorization all
// the same, and none counts as weak.
func TestPositivePivotInFront(t *testing.T) {
	p := narrowPattern([]int8{6}, 8, 0, rand.New(rand.NewPCG(1, 1)))
	perm := order.Of(p, order.Natural)
	f := Analyze(p, perm).NewFactor()
	w := f.workers[0]
	fr := &f.Symbolic.fronts[0]
	n := int(fr.width)
	pan, dinv, limit := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i := range dinv {
		dinv[i], limit[i], pan[i*n+i] = 1, positiveLimit, 1
	}
	w.Tally = Tally{bad: -1}
	w.note(fr, pan, n, dinv, limit)
	require.Negative(t, w.bad)
	require.Zero(t, w.Weak)
	dinv[n-1], pan[n*n-1] = -0.5, -2
	w.note(fr, pan, n, dinv, limit)
	require.Equal(t, w.original(fr, n-1), w.bad)
	require.Equal(t, -2.0, w.lost)
}
