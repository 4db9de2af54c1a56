package tree_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/tree"
)

// planOf returns the plan of a model of a family.
func planOf(t *testing.T, family string, n int, seed uint64) *tree.Plan {
	t.Helper()
	return newRig(t, generate(t, family, n, seed), tree.Options{}).plan
}

// solved returns a solver of p at the model's state.
func solved(t *testing.T, p *tree.Plan, m tree.Method) *tree.ClosedSolver {
	t.Helper()
	s := p.NewSolver(m, tree.SolverOptions{})
	require.NoError(t, s.Solve(p.Mechanism().Initial()))
	return s
}

// triangle returns the number of entries of a triangle with n rows.
func triangle(n int64) int64 { return n * (n + 1) / 2 }

// pivots returns W(n, r) of Counts: the flops of r pivots of a dense symmetric matrix with n rows.
func pivots(n, r int64) (flops int64) {
	for below := n - 1; below >= n-r; below-- {
		flops += below * (below + 2)
	}
	return flops
}

// TestCountsOfChain: without loops every method factors H, which is full.
func TestCountsOfChain(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 10, 50} {
		p := planOf(t, "chain", int(n), 1)
		want := tree.Counts{NonZeros: triangle(n), Flops: pivots(n, n)}
		for _, m := range []tree.Method{tree.Direct, tree.Lambda, tree.Projection} {
			assert.Equal(t, want, solved(t, p, m).Counts(), "%v, n = %d", m, n)
		}
		assert.Equal(t, want.Flops, p.BranchCounts().Flops)
		assert.Equal(t, tree.Counts{NonZeros: 7 * n, Flops: 126*n + 105*(n-1)}, p.ArticulatedCounts())
	}
}

// TestCountsOfNFourBar: the window of one four-bar linkage leaves one freedom of
// three and has five rows, three of them redundant, which are zero.
func TestCountsOfNFourBar(t *testing.T) {
	p := planOf(t, "nfourbar", 1, 1)
	require.Equal(t, []int{3, 5}, []int{p.NumDof(), p.NumRows()})
	// The tree has a branch of two links and one of a single link. Of Y two rows
	// are not zero, but for the entry of the coupler, which is level, in one of them.
	// A is full in these rows.
	require.Equal(t, []int32{0, 0, 1}, slices.Sorted(slices.Values(p.DofDepth)))
	assert.Equal(t, int64(1*3), p.BranchCounts().Flops)
	assert.Equal(t, tree.Counts{NonZeros: 4 + 5*3 + 3, Flops: 3 + (2*(1+1+3) - 3) + 15*2*3 + 3}, solved(t, p, tree.Lambda).Counts())
	assert.Equal(t, int64(5*6/2), solved(t, p, tree.Direct).Counts().NonZeros)
	// One row below the first pivot; G is 2×1.
	assert.Equal(t, tree.Counts{NonZeros: 2*3 + 1, Flops: (2*2 + 1) + 4*1 + 2*(2*3) + 2*2*1}, solved(t, p, tree.Projection).Counts())
}

// TestFormationFlops: H and K of a pendulum, of two links in a row, of a link with three freedoms and of the window of a four-bar, by hand.
func TestFormationFlops(t *testing.T) {
	// F, its product with S; the second link adds its composite, shifts F once and has two entries.
	require.Equal(t, int64(42+11), planOf(t, "chain", 1, 1).FormationFlops())
	require.Equal(t, int64(2*(42+11)+47+12+11), planOf(t, "chain", 2, 1).FormationFlops())
	ball := graphModel(1, model.Spherical, [2]int{-1, 0})
	require.Equal(t, int64(3*42+(1+2+3)*11), newRig(t, ball, tree.Options{}).plan.FormationFlops())
	// Two links in a row and one alone; five rows over all three freedoms and links.
	require.Equal(t, int64(3*(42+11)+47+12+11+5*3*(11+12)), planOf(t, "nfourbar", 1, 1).FormationFlops())
}

// TestFormationGrows: H of a chain has all its entries, and the flops grow with the square of its length.
func TestFormationGrows(t *testing.T) {
	a, b := planOf(t, "chain", 400, 1).FormationFlops(), planOf(t, "chain", 800, 1).FormationFlops()
	require.InEpsilon(t, 4, float64(b)/float64(a), 0.03)
}

// TestCountsBounds: the counts are within what Counts says of them in n freedoms, nᶜ rows of rank r, and the
// depths of the freedoms. Pivots are chosen at each state, and rows of zeros are passed over.
func TestCountsBounds(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
		seeds  uint64
	}{{"ladder", 24, 2}, {"tree", 20, 2}, {"grid", 4, 1}, {"ball-net", 3, 1}, {"random", 6, 4}, {"random", 15, 6}, {"random", 40, 4}} {
		for seed := range c.seeds {
			t.Run(fmt.Sprintf("%s/n=%d/seed=%d", c.family, c.n, seed), func(t *testing.T) {
				p := planOf(t, c.family, c.n, seed)
				n, rows := int64(p.NumDof()), int64(p.NumRows())
				r := int64(solved(t, p, tree.Direct).Report().Rank)
				within := func(lo, hi, got int64, what string) {
					t.Helper()
					assert.True(t, lo <= got && got <= hi, "%s: %d flops, not in [%d, %d]", what, got, lo, hi)
				}

				got := solved(t, p, tree.Direct).Counts()
				assert.Equal(t, triangle(n+r), got.NonZeros, "direct")
				within(p.BranchCounts().Flops, pivots(n+rows, n+r)+2*(n+r)*(n+rows), got.Flops, "direct")

				branches, paths, longest := p.BranchCounts().Flops, int64(0), int64(0)
				for _, a := range p.DofDepth {
					paths, longest = paths+2*int64(a)+1, max(longest, int64(a)+1)
				}
				got = solved(t, p, tree.Lambda).Counts()
				assert.Equal(t, p.BranchCounts().NonZeros+rows*n+triangle(r), got.NonZeros, "lambda")
				within(branches+rows, branches+rows*paths+2*triangle(rows)*n+pivots(rows, r), got.Flops, "lambda")
				if rows > 0 {
					assert.Greater(t, got.Flops, branches+2*triangle(rows), "products of Y")
				}

				free := n - r
				elimination := int64(0)
				for k := range r {
					elimination += (rows - 1 - k) * (2*(n-1-k) + 1)
				}
				got = solved(t, p, tree.Projection).Counts()
				within(r+triangle(free), r*n+triangle(free), got.NonZeros, "projection, entries")
				within(pivots(free, free), elimination+r*r*free+2*n*r*free+2*r*free*free+pivots(free, free), got.Flops, "projection")
			})
		}
	}
}

// TestCountsOfArticulated: a link on another takes a shift, and its freedoms, one to six, between the work of links with
// one freedom each and with six.
func TestCountsOfArticulated(t *testing.T) {
	const (
		shift        = 105
		one, six     = 126, 66*6 + 11*21 + 5*21 + 12*30 + 7*6 + 42*6
		inOne, inSix = 7, 6*6 + 21
	)
	for _, c := range []struct {
		family string
		n      int
	}{{"chain", 7}, {"tree", 60}, {"random", 12}, {"random", 60}, {"stewart", 2}} {
		p := planOf(t, c.family, c.n, 1)
		inner := int64(0) // links on others
		for i := range p.Links {
			if p.Links[i].Parent != tree.World {
				inner++
			}
		}
		links, n, got := int64(len(p.Links)), int64(p.NumDof()), p.ArticulatedCounts()
		name := fmt.Sprintf("%s, n = %d", c.family, c.n)
		assert.GreaterOrEqual(t, got.NonZeros, inOne*n, name)
		assert.LessOrEqual(t, got.NonZeros, inSix*links, name)
		assert.GreaterOrEqual(t, got.Flops, shift*inner+one*n, name)
		assert.LessOrEqual(t, got.Flops, shift*inner+six*links, name)
	}
}

// TestPhases: the parts of a Solve give what it gives, in any order that is
// allowed.
func TestPhases(t *testing.T) {
	p := planOf(t, "random", 30, 1)
	st := p.Mechanism().Initial()
	for _, m := range []tree.Method{tree.Direct, tree.Lambda, tree.Projection} {
		want := solved(t, p, m)
		s := p.NewSolver(m, tree.SolverOptions{})
		require.PanicsWithValue(t, "tree: not assembled", func() { _ = s.Factorize() })
		require.PanicsWithValue(t, "tree: no factor", func() { _ = s.Refine() })
		require.PanicsWithValue(t, "tree: no factor", func() { s.Counts() })
		for range 2 {
			require.NoError(t, s.Assemble(st))
			require.PanicsWithValue(t, "tree: no factor", func() { _ = s.Refine() })
			require.NoError(t, s.Factorize())
			require.PanicsWithValue(t, "tree: no solution", func() { s.Report() })
			require.NoError(t, s.Refine())
			require.Equal(t, want.JointAccelerations(), s.JointAccelerations())
			require.Equal(t, want.Multipliers(), s.Multipliers())
			require.Equal(t, want.Report(), s.Report())
			require.Equal(t, want.Counts(), s.Counts(), "counts of one factorization")
		}
		var err error
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			if err = s.Assemble(st); err == nil {
				if err = s.Factorize(); err == nil {
					err = s.Refine()
				}
			}
			_ = s.Counts()
		}), m)
		require.NoError(t, err)

		bad := st.Clone()
		bad.Bodies[0].Position[0] = math.NaN()
		require.ErrorIs(t, s.Assemble(bad), mechanism.ErrNotFinite)
		require.PanicsWithValue(t, "tree: not assembled", func() { _ = s.Factorize() })
		require.NoError(t, s.Solve(st))
		require.NoError(t, s.Factorize(), "once more")
		require.NoError(t, s.Refine())
		require.ErrorIs(t, s.Solve(bad), mechanism.ErrNotFinite)
		require.PanicsWithValue(t, "tree: no factor", func() { _ = s.Refine() })
	}
}
