package closing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
)

// redundantPlan returns the plan of a model whose plan has spare rows.
func redundantPlan(t *testing.T, family string, n int) *kkt.Plan {
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	p, err := newPlan(m, kkt.Options{})
	require.NoError(t, err)
	require.NotNil(t, p.Lean())
	return p
}

// judged are the factors of a closer that count the factorizations with all rows. If lame is set, solves without redundant rows give zero.
type judged struct {
	Factors
	lame        bool
	all         bool // the factor at hand is of all rows
	lean, whole int
}

func (j *judged) Factorize(w kkt.Way) error {
	if j.all {
		j.whole++
	} else {
		j.lean++
	}
	return j.Factors.Factorize(w)
}

func (j *judged) FactorizeDamped(scale []float64, mu float64) error {
	j.all = true
	return j.Factors.FactorizeDamped(scale, mu)
}

func (j *judged) Changed() {
	j.all = false
	j.Factors.Changed()
}

func (j *judged) NextWay() kkt.Way {
	j.all = true
	return j.Factors.NextWay()
}

func (j *judged) SolveTo(x, b []float64) {
	if j.Factors.SolveTo(x, b); j.lame && !j.all {
		clear(x)
	}
}

// spread moves the bodies of st by random parts of size.
func spread(c *Closer, size float64, seed uint64) {
	x, rng := make([]float64, 6*c.mech.NumBodies()), check.Rand(seed)
	for i := range x {
		x[i] = size * (rng.Float64() - 0.5)
	}
	c.displace(c.try, c.from, 1, x)
}

// TestClosesWithoutSpareRows: redundant mechanisms, with poses and velocities of order one, are closed by the independent rows alone, and all
// rows hold to rounding. If a solution without redundant rows does not suffice, the same way to factor is tried with all rows.
func TestClosesWithoutSpareRows(t *testing.T) {
	for _, k := range []struct {
		family string
		n      int
	}{{"hoberman", 20}, {"scissor", 10}, {"delta", 10}, {"miura", 3}} {
		p := redundantPlan(t, k.family, k.n)
		for _, lame := range []bool{false, true} {
			for seed := range uint64(8) {
				c := NewCloser(p, Options{})
				j := &judged{Factors: c.fac, lame: lame}
				c.fac = j
				spread(c, 1e-6, seed)
				st := c.try.Clone()
				require.NoError(t, c.ClosePositions(st))
				require.Equal(t, lame, j.whole > 0, "%s, lame %v", k.family, lame)
				require.Positive(t, j.lean)
				rng := check.Rand(seed)
				for i := range st.Bodies {
					for a := range 3 {
						st.Bodies[i].Velocity[a], st.Bodies[i].Omega[a] = rng.Float64()-0.5, rng.Float64()-0.5
					}
				}
				j.whole, j.lean, c.chord = 0, 0, false
				require.NoError(t, c.ProjectVelocities(st))
				require.Equal(t, lame, j.whole > 0, "%s, lame %v", k.family, lame)
				require.Positive(t, j.lean)
				if !lame {
					require.LessOrEqual(t, c.Closing().After, RateTol, k.family)
				}
			}
		}
	}
}

// TestHeldBodyWithoutSpareRows: a held body stays bit by bit, and the others close around it.
func TestHeldBodyWithoutSpareRows(t *testing.T) {
	for _, family := range []string{"hoberman", "scissor", "delta"} {
		p := redundantPlan(t, family, 10)
		c := NewCloser(p, Options{Hold: []int{1}})
		spread(c, 1e-6, 2)
		st := c.try.Clone()
		held := p.Initial().Bodies[1] // as no other place may be closed
		st.Bodies[1] = held
		require.NoError(t, c.ClosePositions(st), family)
		require.Equal(t, held, st.Bodies[1], family)
		fit, err := c.misfitAt(st)
		require.NoError(t, err)
		require.LessOrEqual(t, fit.loose, 1., family)
	}
}

// TestTangentAsksSpareRows: allowed motions are computed with all rows if the independent rows alone would allow more.
func TestTangentAsksSpareRows(t *testing.T) {
	const tol = 1e-9 // of one solve with a row that nearly depends on others
	p := redundantPlan(t, "scissor", 4)
	kept := make([]bool, p.Layout().Pattern.Dim())
	for _, row := range p.Lean().Rows.Row {
		kept[row] = true
	}
	for _, torn := range []bool{false, true} {
		c, rng := NewCloser(p, Options{Nearest: true}), check.Rand(3)
		require.NoError(t, c.linearize(c.at))
		if torn { // spare rows no longer depend on the others
			pattern := p.Layout().Pattern
			for node := c.mech.NumBodies(); node < pattern.Len(); node++ {
				for k := pattern.Ptr[node]; k < pattern.Ptr[node+1]; k++ {
					for i, o := 0, int(pattern.Off[node]); i < int(pattern.Size[node]); i++ {
						if row := c.sys.Matrix.Val[pattern.Pos[k]:pattern.Pos[k+1]][6*i:][:6]; !kept[o+i] {
							for a := range row {
								row[a] += 0.1 * rng.NormFloat64()
							}
						}
					}
				}
			}
		}
		clear(c.sys.Right)
		for i := range 6 * c.mech.NumBodies() {
			c.sys.Right[i] = rng.NormFloat64()
		}
		require.True(t, c.solveTangent())
		b, r := make([]float64, len(c.x)), make([]float64, len(c.x))
		c.sys.Matrix.ResidualTo(r, b, c.x)
		first := 6 * c.mech.NumBodies()
		require.LessOrEqual(t, algebra.MaxAbs(r[first:]), tol, "torn %v", torn)
	}
}
