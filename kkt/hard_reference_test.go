package kkt_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// hardTol is the relative error of accelerations that counts as right in reference/hard, and hardUlps the factor
	// on what one unit in the last place of the data moves.
	hardTol, hardUlps = 1e-6, 100
	// hardShare is the least share of the cases that are right; the rest is flagged or refused.
	hardShare = 0.98
)

// hardCase is an expected file of reference/hard.
type hardCase struct {
	Name       string
	Rank, Rows int
	Ulp        [2]float64 `json:"one_ulp_of_the_data_moves"` // linear, angular
	Bodies     []struct {
		Linear  spatial.Vec3 `json:"com_acceleration"`
		Angular spatial.Vec3 `json:"angular_acceleration"`
	}
}

func hardCases(t *testing.T) []hardCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(check.Reference(t, "hard"), "*.expected.json"))
	require.NoError(t, err)
	var out []hardCase
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		var c hardCase
		require.NoError(t, json.Unmarshal(data, &c))
		c.Name = strings.TrimSuffix(filepath.Base(f), ".expected.json")
		out = append(out, c)
	}
	require.GreaterOrEqual(t, len(out), 70)
	return out
}

// right reports whether accelerations and rank are those of c.
func (c *hardCase) right(r *rung.Result) bool {
	var off, size [2]float64
	for i, b := range c.Bodies {
		got := &r.Bodies[i]
		for k, v := range [2][2]spatial.Vec3{{got.ComAcceleration, b.Linear}, {got.AngularAcceleration, b.Angular}} {
			d := v[0].Sub(v[1])
			off[k], size[k] = math.Max(off[k], check.MaxAbs(d[:])), math.Max(size[k], check.MaxAbs(v[1][:]))
		}
	}
	for k := range off {
		if !(off[k] <= math.Max(hardTol, hardUlps*c.Ulp[k])*size[k]) {
			return false
		}
	}
	return r.Constraints.Rank == c.Rank
}

// TestHard solves mechanisms with masses, lengths or inertias in extreme ratios, or a hair from singular poses, in every
// order: nothing is wrong in silence.
func TestHard(t *testing.T) {
	right, all := 0, 0
	for _, c := range hardCases(t) {
		m, err := rung.Open(check.Reference(t, "hard", c.Name+".model.json"))
		require.NoError(t, err)
		for _, o := range check.Some(orderings, 3) {
			all++
			r, err := rung.Accelerate(m, kkt.Options{Ordering: o})
			if err != nil {
				continue // refused
			}
			if c.right(r) {
				right++
			} else {
				require.True(t, r.Constraints.NearSingular || r.IllScaled != nil, "%s in order %v is wrong in silence", c.Name, o)
			}
		}
	}
	t.Logf("%d of %d right", right, all)
	require.GreaterOrEqual(t, float64(right), hardShare*float64(all))
}

// TestIllScaledSolve: a Solve alone is right, too, where inertias tell that doubles do not do, and allocates only the
// first time.
func TestIllScaledSolve(t *testing.T) {
	for _, c := range hardCases(t) {
		if !strings.HasPrefix(c.Name, "alt-") {
			continue
		}
		m, err := rung.Open(check.Reference(t, "hard", c.Name+".model.json"))
		require.NoError(t, err)
		p := newPlan(t, m, order.Auto)
		s, st := p.NewSolver(), p.Initial()
		require.NoError(t, s.Solve(st), c.Name)
		r, err := results.New(s)
		require.NoError(t, err, c.Name)
		require.True(t, c.right(r), c.Name)
		require.NotNil(t, r.IllScaled, c.Name)
		require.NotEqual(t, r.IllScaled.Body == "", r.IllScaled.Joint == "", c.Name)
		require.Zero(t, testing.AllocsPerRun(3, func() { require.NoError(t, s.Solve(st)) }), c.Name)
	}
}

// TestOrdinaryScaleIsNotFlagged: nothing is said of scale on golden models, the families, and random mechanisms.
func TestOrdinaryScaleIsNotFlagged(t *testing.T) {
	check.Long(t)
	requireQuiet := func(name string, m *model.Model, near bool) {
		t.Helper()
		r, err := rung.Accelerate(m, kkt.Options{})
		require.NoError(t, err, name)
		require.Nil(t, r.IllScaled, name)
		if !near {
			require.False(t, r.Constraints.NearSingular, name)
		}
	}
	for _, name := range check.GoldenModels(t) {
		requireQuiet(name, golden(t, name), false)
	}
	for _, family := range []string{"ladder", "chain", "tree", "grid", "ball-net", "revolute-net", "stewart", "nfourbar", "random"} {
		for _, n := range []int{5, 20} {
			requireQuiet(fmt.Sprint(family, n), generate(t, family, n, 1), false)
		}
	}
	for seed := range check.Random(64, 0) {
		// Some of them are close to a singular pose indeed.
		requireQuiet(fmt.Sprint("random ", seed), generate(t, "random", 3+seed%30, uint64(seed)), true)
	}
}

// TestSingularPose: a pose in which redundant rows cease to be so along a motion is singular, and its neighbours are.
func TestSingularPose(t *testing.T) {
	for _, n := range check.Some([]int{1, 2, 5, 30}, 2) {
		for _, d := range []float64{0, 1e-14, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4} {
			m, err := bench.NFourBar(n, math.Pi/2-d, 1)
			require.NoError(t, err)
			r := report(t, solve(t, m, order.Auto))
			require.True(t, r.NearSingular, "%d windows, %g rad", n, d)
			require.GreaterOrEqual(t, r.WeakestJoint, 0)
			if d >= 1e-10 {
				require.Equal(t, 1, r.Mobility, "%d windows, %g rad", n, d)
				require.InEpsilon(t, d, r.Distance, 4, "%d windows, %g rad", n, d)
			}
			if d == 0 {
				require.Zero(t, r.Distance)
				require.Equal(t, n+1, r.Mobility)
			}
		}
	}
}
