package derive_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestComsBetweenHeavyBodies: derivatives by centres of mass are those of changed models and not in doubt, with masses that differ by 1e11
// to 1e16. The moments of the joints' forces about the centre of mass of a light body were once added up one by one, where they cancel, and
// left 4e-4 of the derivative without ErrDoubt.
func TestComsBetweenHeavyBodies(t *testing.T) {
	const (
		step = 4e-3 // m, of the first differences; bodies have radii of gyration of 0.2 m
		tol  = 1e-9 // relative to the largest change of an acceleration: rounding of differences, and their error of order 6
	)
	files, err := filepath.Glob("../reference/hard/alt-*.model.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range check.Some(files, 5) {
		m, err := model.ReadFile(file)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
		d := derive.New(plan, m)
		require.NoError(t, d.At(plan.Initial()))
		in, out := d.NewDirections(1), d.NewChanges(1)
		r := check.Rand(44)
		for i := range m.Bodies {
			com := [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			*in.Body(0, i) = derive.BodyDirection{Com: com}
			in.SetFollow(0, true)
			require.NoError(t, d.ForwardTo(out, in, derive.Options{}), "%s body %d", file, i)
			*in.Body(0, i) = derive.BodyDirection{}
			got := make([]float64, 6*len(m.Bodies))
			out.AccelerationsTo(got, 0)
			want := differences(t, m, i, com, step)
			size := algebra.MaxAbs(want)
			for k := range want {
				require.InDelta(t, want[k], got[k], tol*size, "%s body %d number %d", file, i, k)
			}
		}
	}
}

// differences returns the derivatives of all accelerations by a travel of the centre of mass of body i along com: central differences with
// the steps h, h/2 and h/4, extrapolated to zero.
func differences(t *testing.T, m *model.Model, i int, com [3]float64, h float64) []float64 {
	at := func(by float64) []float64 {
		changed := *m
		changed.Bodies = slices.Clone(m.Bodies)
		for k := range com {
			changed.Bodies[i].Com[k] += by * com[k]
		}
		mech, err := mechanism.New(&changed)
		require.NoError(t, err)
		plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
		s := plan.NewSolver()
		require.NoError(t, s.Solve(plan.Initial()))
		a := make([]float64, 6*len(m.Bodies))
		s.AccelerationsTo(a)
		return a
	}
	var rows [3][]float64
	for n := range rows {
		up, down := at(h), at(-h)
		for k := range up {
			up[k] = (up[k] - down[k]) / (2 * h)
		}
		rows[n], h = up, h/2
	}
	for order, by := 1, 4.0; order < len(rows); order, by = order+1, 4*by {
		for n := len(rows) - 1; n >= order; n-- {
			for k, x := range rows[n] {
				rows[n][k] = x + (x-rows[n-1][k])/(by-1)
			}
		}
	}
	return rows[2]
}
