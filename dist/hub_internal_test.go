package dist

import (
	"fmt"
	"math"
	"testing"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/kkt"
	"github.com/stretchr/testify/require"
)

// fresh is a hub after the first solve of pieces whose largest body part has size 1.
func fresh() *hub {
	u := &hub{conv: factor.NewConvergence(factor.WhereWeak, 0, 1, 0)}
	u.conv.Worst = factor.Worst{Node: -1, Row: -1}
	return u
}

// With pivots that are not small the first solution is taken as in one process. The estimate is over the root of the least
// pivot, so that a small one asks for more.
func TestFirstInPieces(t *testing.T) {
	for _, c := range []struct {
		error, least, ratio float64
		refine              bool
		want                int
	}{
		{error: 1e-15, least: 1, want: holds},
		{error: 1e-15, least: 1, refine: true, want: condense},
		{error: 1e-12, least: 1, want: condense},               // too large for one process too
		{error: 4e-16, least: 1e-4, want: holds},               // piecesError·√least is 5e-16
		{error: 1e-15, least: 1e-4, want: condense},            // which one process would take
		{error: 1e-16, least: 1e-5, want: condense},            // a small pivot
		{error: 1e-15, least: 1, ratio: 1e-3, want: condense},  // a row that does not hold
		{error: 1e-15, least: 1, ratio: 1e-13, want: holds},    // up to rounding
		{error: math.Inf(1), least: 1, want: condense},         // nothing known
		{error: math.NaN(), least: math.NaN(), want: condense}, // nor here
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			u := fresh()
			u.largest, u.least, u.refine, u.conv.Worst.Ratio = c.error*c.error, c.least, c.refine, c.ratio
			require.Equal(t, c.want, u.first(kkt.DropWeak))
		})
	}
}

// Where the error has been computed with the factor, the limit is narrower than that of one process, too.
func TestEstimateInPieces(t *testing.T) {
	for _, c := range []struct {
		energy float64 // of the error, the norm of the solution being 1
		refine bool
		begun  bool
		ratio  float64
		want   bool // the solution is taken
	}{
		{energy: 5e-15, want: true},
		{energy: 5e-15, refine: true},
		{energy: 5e-15, begun: true},
		{energy: 5e-15, ratio: 1e-3},
		{energy: 3e-14}, // taken in one process
		{energy: 1e-12},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			u := fresh()
			u.conv.Worst.Ratio = c.ratio
			u.conv.First(1, 0)
			u.from, u.refine, u.begun = [][]float64{{c.energy * c.energy, 1}}, c.refine, c.begun
			require.Equal(t, c.want, u.estimate(kkt.DropWeak) == holds)
			require.Equal(t, !c.want || c.begun, u.begun, "a correction has begun")
		})
	}
}

// A solution is a result up to an error of kkt.AccurateTol, and if its rows hold.
func TestAcceptInPieces(t *testing.T) {
	_, _, tol := kkt.DropWeak.Settings()
	for _, c := range []struct {
		error, ratio float64
		want         int
	}{
		{error: kkt.AccurateTol / 2, want: holds},
		{error: 2 * kkt.AccurateTol, want: fails},
		{error: math.NaN(), want: fails},
		{ratio: tol / 2, want: holds},
		{ratio: 2 * tol, want: fails},
	} {
		u := fresh()
		u.conv.Error, u.conv.Worst.Ratio = c.error, c.ratio
		require.Equal(t, c.want, u.accept(kkt.DropWeak), "%+v", c)
	}
}

// An option out of range is a panic with a constant text, before anything is sent.
func TestOptionsOfPieces(t *testing.T) {
	for _, o := range []Options{
		{Epsilon: -1}, {Epsilon: math.NaN()}, {Epsilon: 1e-2}, {Epsilon: 1}, {Threads: -1}, {Threads: kkt.MaxThreads + 1},
	} {
		require.PanicsWithValue(t, "dist: option out of range", func() { _, _ = NewPlanOf(nil, nil, o) }, "%+v", o)
	}
}
