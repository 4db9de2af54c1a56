package kkt_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
)

// TestDoubleCardan: shafts turn with the angular acceleration of a moment over their inertias, through one branch and through two equal
// ones. Halves of the shaft between them have no linear acceleration, for reasons of symmetry, and nothing is flagged.
func TestDoubleCardan(t *testing.T) {
	for name, want := range map[string]float64{"one": 304.05405405405406, "two": 0} {
		m, err := model.ReadFile("testdata/double-cardan-" + name + ".model.json")
		require.NoError(t, err)
		s := solve(t, m, order.Auto)
		r := report(t, s)
		require.Nil(t, r.IllScaled, name)
		require.False(t, r.NearSingular, name)
		in, out := s.AngularAcceleration(0), s.AngularAcceleration(1)
		if want == 0 {
			want = in[0]
		}
		require.InEpsilon(t, want, in[0], 1e-12, name)
		require.InEpsilon(t, want, out[0], 1e-12, name)
	}
}

// verdicts counts what a Report says, against a dense singular value decomposition.
type verdicts struct {
	mechanisms, judged int
	falseAlarms        []string // IllScaled, where the dense solution is known and has the same accelerations
	silent             []string // nothing flagged, and the accelerations or the rank are others
}

const (
	// clearGap is the least ratio of the smallest singular value that counts to the largest, with rows of length 1, where
	// the dense solution is a judge: it is then known to some 1e-16 over its square root.
	clearGap = 1e-5
	// judgedTol is the difference from the dense accelerations, relative to the largest, above which something is wrong.
	judgedTol = 1e-6
)

// judge adds m to v.
func (v *verdicts) judge(t *testing.T, name string, m *model.Model) {
	t.Helper()
	v.mechanisms++
	p := newPlan(t, m, order.Auto)
	s := p.NewSolver()
	if s.Solve(p.Initial()) != nil {
		return // which is an answer
	}
	r := report(t, s)
	o := newOracle(t, s)
	if o.rank == 0 || o.sigma[o.rank-1] < clearGap*o.sigma[0] {
		return
	}
	v.judged++
	got := make([]float64, len(o.a))
	s.AccelerationsTo(got)
	diff := make([]float64, len(o.a))
	for i := range diff {
		diff[i] = got[i] - o.a[i]
	}
	off := check.MaxAbs(diff) / max(check.MaxAbs(o.a), 1e-8*freely(p))
	if r.IllScaled != nil && off < judgedTol && kkt.IllScaledIn(p.Layout()) == nil {
		v.falseAlarms = append(v.falseAlarms, name+": "+r.IllScaled.Text)
	}
	if r.IllScaled == nil && !r.NearSingular && (off > judgedTol || r.Rank != o.rank) {
		v.silent = append(v.silent, name)
	}
}

// freely is the size of the accelerations that the loads of a plan alone would make.
func freely(p *kkt.Plan) (most float64) {
	sys, n := p.Layout(), 6*p.Mechanism().NumBodies()
	y := sys.NewWeighted()
	if y.FillTo(p.Initial()) != nil {
		return math.NaN()
	}
	free := make([]float64, n)
	y.AccelerationsTo(free, y.Right)
	return check.MaxAbs(free)
}

// atRest makes m rest without gravity, with a moment or a force at the first hinge or slider from place k on.
func atRest(m *model.Model, k int) {
	m.Gravity = [3]float64{}
	for i := range m.Bodies {
		m.Bodies[i].Velocity = model.Velocity{}
	}
	for i := range m.Joints {
		if j := &m.Joints[(i+k)%len(m.Joints)]; j.Type == model.Revolute || j.Type == model.Prismatic {
			if j.Motion == nil {
				j.Force = []float64{9}
				return
			}
		}
	}
}

// TestVerdicts: no family of package bench, and no random mechanism, is said to be badly scaled where a dense singular value decomposition
// determines its accelerations, and none is wrong without a flag: as generated, and at rest with a single load, where parts have no
// acceleration for reasons of symmetry or distance.
func TestVerdicts(t *testing.T) {
	var v verdicts
	for _, c := range []struct {
		family string
		sizes  []int
	}{
		{"hoberman", []int{3, 5, 8, 12}}, {"scissor", []int{2, 4, 7, 12}}, {"miura", []int{2, 3, 4}}, {"delta", []int{1, 3, 6}}, {"jansen", []int{1, 2, 3}},
		{"excavator", []int{1, 3}}, {"revolute-net", []int{2, 4}}, {"ladder", []int{1, 3, 8, 20}}, {"ball-net", []int{2, 4}}, {"nfourbar", []int{1, 2, 5, 12}},
		{"grid", []int{2, 4}}, {"chain", []int{1, 5, 25}}, {"tree", []int{3, 12, 30}}, {"stewart", []int{1, 2}},
	} {
		for _, n := range check.Some(c.sizes, 4) {
			name := c.family + " " + strconv.Itoa(n)
			v.judge(t, name, generate(t, c.family, n, 1))
			m := generate(t, c.family, n, 1)
			atRest(m, n)
			v.judge(t, name+" at rest", m)
		}
	}
	// Loads that hold each other: a mechanism that cannot move, and bodies without a load of their own.
	m := generate(t, "random", 9, 1039)
	atRest(m, 1039)
	v.judge(t, "random 9 seed 1039", m)
	for seed := range check.Random(15, 12) {
		n := 2 + seed%12
		name := "random " + strconv.Itoa(n) + " seed " + strconv.Itoa(seed)
		m := generate(t, "random", n, uint64(seed))
		if seed%3 > 0 {
			atRest(m, seed)
		}
		v.judge(t, name, m)
	}
	t.Logf("%d mechanisms, %d judged", v.mechanisms, v.judged)
	require.Greater(t, 10*v.judged, 8*v.mechanisms)
	require.Empty(t, v.falseAlarms)
	require.Empty(t, v.silent)
}
