package dist_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// alone is what one process finds.
type alone struct {
	a         []float64
	size      float64
	redundant int
}

func solveAlone(t testing.TB, m *model.Model) alone {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	p := kkt.NewPlan(mech, kkt.Options{})
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	out := alone{a: make([]float64, 6*mech.NumBodies())}
	s.AccelerationsTo(out.a)
	for _, x := range out.a {
		out.size = max(out.size, math.Abs(x))
	}
	r, err := s.Report()
	require.NoError(t, err)
	out.redundant = r.Redundant
	return out
}

// inPieces solves m on n ranks.
func inPieces(t testing.TB, m *model.Model, n int, o dist.Options) (a []float64, weak, rows int) {
	t.Helper()
	a = make([]float64, 6*len(m.Bodies))
	named := make([]int, n)
	err := dist.Run(n, func(c dist.Comm) error {
		p, err := dist.NewPlan(c, m, o)
		if err != nil {
			return err
		}
		s, err := p.NewSolver()
		if err != nil {
			return err
		}
		defer s.Close()
		if err := s.Solve(p.Mechanism().Initial()); err != nil {
			return err
		}
		own := make([]float64, 6*p.Piece().Own)
		s.AccelerationsTo(own)
		for i := range p.Piece().Own {
			copy(a[6*p.Piece().Body[i]:], own[6*i:6*i+6])
		}
		list, err := s.RedundantRows()
		if err != nil {
			return err
		}
		named[c.Rank()] = len(list)
		if c.Rank() == 0 {
			weak = s.Redundant()
		}
		return nil
	})
	require.NoError(t, err)
	for _, k := range named {
		rows += k
	}
	return a, weak, rows
}

// Accelerations are those of one process, and so are redundant rows, for every family and number of ranks.
func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
		tol    float64
	}{
		{"chain", 60, 1e-12}, {"ladder", 200, 1e-13}, {"grid", 8, 1e-13}, {"nfourbar", 40, 1e-13}, {"ball-net", 8, 1e-11}, {"revolute-net", 5, 1e-13},
		{"tree", 50, 1e-13}, {"random", 40, 1e-11}, {"stewart", 1, 1e-13}, {"scissor", 12, 1e-11}, {"gear-train", 20, 1e-13}, {"belt", 12, 1e-13},
	} {
		m, err := bench.Generate(c.family, c.n, 1)
		require.NoError(t, err, c.family)
		want := solveAlone(t, m)
		for _, n := range []int{1, 2, 3, 4, 7} {
			t.Run(fmt.Sprintf("%s/%d", c.family, n), func(t *testing.T) {
				a, weak, rows := inPieces(t, m, n, dist.Options{})
				off := 0.0
				for i, x := range a {
					off = max(off, math.Abs(x-want.a[i]))
				}
				t.Logf("off by %.1e, %d redundant", off/want.size, weak)
				assert.LessOrEqual(t, off, c.tol*want.size)
				assert.Equal(t, want.redundant, weak)
				assert.Equal(t, weak, rows)
				again, _, _ := inPieces(t, m, n, dist.Options{Threads: 2})
				assert.Equal(t, a, again, "bits")
			})
		}
	}
}
