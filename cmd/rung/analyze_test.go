package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/clitest"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/cmd/rung/internal/state"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func analyzeJSON(t *testing.T, args ...string) (a answers.Analysis) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(ok(t, append([]string{"analyze", "--json"}, args...)...)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&a))
	return a
}

// TestAnalyzeTreeFlops: with a tree method its flops stand below those of the orderings, as accel has them, and those that form H and K by
// hand: three links in a row, and a loop of five rows over all.
func TestAnalyzeTreeFlops(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "four-bar.model.json")
	const forms = 3*(42+11) + 2*47 + (1+2)*(12+11) + 5*3*(11+12)
	for _, method := range []string{"tree-direct", "tree-lambda", "tree-projection"} {
		a := analyzeJSON(t, "--method", method, path)
		require.NotNil(t, a.Tree)
		require.Equal(t, method, a.Tree.Name)
		var r rung.Result
		require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", "--json", "--method", method, path)), &r))
		require.Equal(t, [3]int64{r.Solve.FactorNonzeros, r.Solve.FactorFlops, r.Solve.FormationFlops}, [3]int64{a.Tree.FactorNonzeros, a.Tree.FactorFlops, a.Tree.FormationFlops})
		require.Equal(t, int64(forms), a.Tree.FormationFlops)
		text := ok(t, "analyze", "--method", method, path)
		clitest.RequireColumns(t, text)
		require.Contains(t, text, method+", H and K")
	}
	require.Nil(t, analyzeJSON(t, path).Tree)
}

// sampled returns every n-th of the names in a short run, and all of them in a whole one.
func sampled(names []string, n int) (some []string) {
	if !testing.Short() {
		n = 1
	}
	for i := 0; i < len(names); i += n {
		some = append(some, names[i])
	}
	return some
}

func goldenNames(t *testing.T) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(golden("*"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, p := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(p), ".model.json"))
	}
	return names
}

// TestAnalyzeGolden compares the counts with the reference.
func TestAnalyzeGolden(t *testing.T) {
	for _, name := range goldenNames(t) {
		e := check.ReadExpected(t, name)
		a := analyzeJSON(t, golden(name))
		assert.Equal(t, "rung-analysis/1", a.Format)
		assert.Equal(t, name, a.Name)
		assert.Equal(t, len(e.Bodies), a.Bodies, name)
		assert.Equal(t, len(e.Joints), a.Joints, name)
		assert.Equal(t, e.Constraints.Rank, a.Constraints.Rank, name)
		assert.Equal(t, e.Constraints.Mobility, a.Constraints.Mobility, name)
		v := a.VariableMobility
		assert.Equal(t, answers.VariableMobility{RankHere: v.RankHere, RankNearby: v.RankHere, NearSingular: a.Constraints.NearSingular, Joints: []string{}}, v, name)
		assert.Equal(t, e.Constraints.Rank, v.RankHere, name)
		assert.Equal(t, e.Constraints.Redundant > 0, len(a.Release) > 0, name)
		require.Len(t, a.Orderings, len(shell.OrderingNames())-1)
		chosen := 0
		for i, o := range a.Orderings {
			assert.Equal(t, shell.OrderingNames()[i+1], o.Name)
			if o.Chosen {
				chosen++
			}
		}
		assert.Equal(t, 1, chosen, name)
	}
}

// TestAnalyzeDocument holds the document of one mechanism in full.
func TestAnalyzeDocument(t *testing.T) {
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(ok(t, "analyze", "--json", golden("four-bar"))), &fields))
	var names []string
	for n := range fields {
		names = append(names, n)
	}
	assert.ElementsMatch(t, []string{
		"format", "name", "bodies", "joints", "loops", "components", "clusters", "constraints", "variable_mobility", "release",
		"released", "orderings",
	}, names)
	a := analyzeJSON(t, golden("four-bar"), "--ordering", "natural")
	assert.Equal(t, [2]int{1, 1}, [2]int{a.Loops, a.Components})
	assert.Equal(t, []mobility.Cluster{{
		Joints: []string{"p1", "p2", "p3", "p4"}, Bodies: []string{"crank", "coupler", "rocker"},
		Loops: 1, Mobility: 1, Redundant: 3,
	}}, a.Clusters)
	assert.Equal(t, []mobility.Release{{Joint: a.Constraints.RedundantJoints[0].Name, Type: "revolute", Suggest: "sphere_in_cylinder"}}, a.Release)
	assert.Equal(t, mobility.Counts{Rows: 17, Rank: 17, Redundant: 0, Mobility: 1}, a.Released)
	assert.True(t, a.Orderings[0].Chosen)
	for _, method := range shell.MethodNames() {
		c := analyzeJSON(t, golden("four-bar"), "--method", method).Constraints
		assert.Equal(t, [4]int{20, 17, 3, 1}, [4]int{c.Rows, c.Rank, c.Redundant, c.Mobility}, method)
	}
}

// TestAnalyzeClusters adds up the clusters: all redundant rows are in them, and
// what they and the joints in no loop take away is the rank. The methods agree.
func TestAnalyzeClusters(t *testing.T) {
	check.Long(t)
	for _, name := range sampled(goldenNames(t), 3) {
		a := analyzeJSON(t, golden(name))
		m, err := rung.Open(golden(name))
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		loops, redundant, rank := 0, 0, 0
		in := map[string]bool{}
		for _, c := range a.Clusters {
			loops += c.Loops
			redundant += c.Redundant
			nodes := map[int32]bool{}
			for _, j := range c.Joints {
				require.False(t, in[j], "%s: %s in two clusters", name, j)
				in[j] = true
				i, err := mech.JointIndex(j)
				require.NoError(t, err)
				nodes[mech.Joints[i].Pred], nodes[mech.Joints[i].Succ] = true, true
			}
			grounded := 0
			if nodes[mechanism.World] {
				grounded = 1
			}
			require.Len(t, c.Bodies, len(nodes)-grounded)
			rank += 6*(len(nodes)-1) - c.Mobility
			assert.Positive(t, c.Loops, name)
			assert.GreaterOrEqual(t, c.Mobility, 0, name)
		}
		for j := range mech.Joints {
			if !in[mech.JointName(j)] {
				rank += int(mech.Joints[j].Rows)
			}
		}
		assert.Equal(t, a.Loops, loops, name)
		assert.Equal(t, a.Constraints.Redundant, redundant, name)
		assert.Equal(t, a.Constraints.Rank, rank, name)
		for _, method := range shell.MethodNames()[1:] {
			assert.Equal(t, a.Clusters, analyzeJSON(t, golden(name), "--method", method).Clusters, "%s %s", name, method)
		}
	}
}

// TestAnalyzeFigure81 describes a mechanism in the situation of RBDA Figure 8.1,
// four loops in three clusters: a loop at the base, one beyond it on a body of the
// first, and two that share a joint, with two joints in no loop. All hinges are
// on one line, so every body turns by itself and every loop has five redundant
// rows.
func TestAnalyzeFigure81(t *testing.T) {
	m := model.New("figure-8.1")
	name := func(i int) string {
		if i < 0 {
			return model.World
		}
		return fmt.Sprintf("b%d", i)
	}
	for i := range 11 {
		m.Bodies = append(m.Bodies, model.Body{Name: name(i), Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	}
	for k, p := range [][2]int{
		{-1, 0}, {0, 1}, {1, 2}, {2, -1}, {1, 3}, {3, 4}, {4, 1}, {4, 5},
		{5, 6}, {6, 7}, {7, 5}, {6, 8}, {8, 9}, {9, 7}, {9, 10},
	} {
		m.Joints = append(m.Joints, model.Joint{Name: fmt.Sprintf("j%d", k), Type: model.Revolute, Predecessor: name(p[0]), Successor: name(p[1])})
	}
	var doc bytes.Buffer
	require.NoError(t, model.Write(&doc, m))
	r := rungWith(doc.String(), "analyze", "-", "--json")
	require.Equal(t, shell.ExitDone, r.Status, r.Err)
	var a answers.Analysis
	require.NoError(t, json.Unmarshal([]byte(r.Out), &a))
	assert.Equal(t, 4, a.Loops)
	assert.Equal(t, []mobility.Cluster{
		{Joints: []string{"j0", "j1", "j2", "j3"}, Bodies: []string{"b0", "b1", "b2"}, Loops: 1, Mobility: 3, Redundant: 5},
		{Joints: []string{"j4", "j5", "j6"}, Bodies: []string{"b1", "b3", "b4"}, Loops: 1, Mobility: 2, Redundant: 5},
		{Joints: []string{"j8", "j9", "j10", "j11", "j12", "j13"}, Bodies: []string{"b5", "b6", "b7", "b8", "b9"}, Loops: 2, Mobility: 4, Redundant: 10},
	}, a.Clusters)
	assert.Equal(t, [2]int{11, 20}, [2]int{a.Constraints.Mobility, a.Constraints.Redundant})

	r = rungWith(doc.String(), "analyze", "-")
	clitest.RequireColumns(t, r.Out)
	assert.Contains(t, r.Out, "clusters      3, with 4 loops\n")
	assert.Contains(t, r.Out, `
cluster   loops  joints  bodies  mobility  redundant  joints
1             1       4       3         3          5  j0, j1, j2, j3
2             1       3       3         2          5  j4, j5, j6
3             2       6       5         4         10  j8, j9, j10, j11, j12, j13

`)
}

// TestClusterTable lists the first clusters, and as many names as there is room
// for.
func TestClusterTable(t *testing.T) {
	m, err := bench.Generate("stewart", state.ClustersShown+2, 1)
	require.NoError(t, err)
	var doc bytes.Buffer
	require.NoError(t, model.Write(&doc, m))
	out := rungWith(doc.String(), "analyze", "-").Out
	clitest.RequireColumns(t, out)
	assert.Contains(t, out, "clusters      12, with 60 loops\n")
	assert.Contains(t, out, "\n10            5      18      14         6          0  U9_0, P9_0, S9_0, U9_1, …\n… and 2 more\n")

	for _, c := range []struct {
		names []string
		width int
		want  string
	}{
		{nil, 9, ""},
		{[]string{"a"}, 9, "a"},
		{[]string{"abc", "defg"}, 9, "abc, defg"},
		{[]string{"abc", "defgh"}, 9, "abc, …"},
		{[]string{"abc", "def", "g"}, 9, "abc, …"},
		{[]string{"abcdefghijkl"}, 9, "abcd…ijkl"},
		{[]string{"abcdefghijkl", "mn"}, 9, "ab…jkl, …"},
		{[]string{"a\nb", "c"}, 9, `"a\nb", c`},
	} {
		assert.Equal(t, c.want, state.SomeNames(c.names, c.width))
	}
}

// flat is one window of rods laid flat, with the rates of its two rods.
func flat(t *testing.T, rate0, rate1 float64) string {
	t.Helper()
	m, err := bench.NFourBar(1, math.Pi/2, 1)
	require.NoError(t, err)
	rates := map[string]float64{"rod0": rate0, "rod1": rate1, "bar0": rate0 - rate1}
	for i := range m.Bodies {
		b := &m.Bodies[i]
		b.Velocity = model.Velocity{Angular: [3]float64{0, 0, rates[b.Name]}}
		if b.Name == "bar0" {
			b.Velocity.Linear = [3]float64{0, -rate0, 0}
		}
	}
	var doc bytes.Buffer
	require.NoError(t, model.Write(&doc, m))
	return doc.String()
}

// TestAnalyzeSingular explains a pose where two motions meet, also while it
// moves as a mixture of both, which no acceleration continues.
func TestAnalyzeSingular(t *testing.T) {
	assert.Equal(t, shell.ExitDone, rungWith(flat(t, 1, 1), "accel", "-").Status)
	assert.Equal(t, shell.ExitFailed, rungWith(flat(t, 1, -0.5), "accel", "-").Status)
	for _, rate1 := range []float64{1, -0.5} {
		r := rungWith(flat(t, 1, rate1), "analyze", "-", "--json")
		require.Equal(t, shell.ExitDone, r.Status, r.Err)
		var a answers.Analysis
		require.NoError(t, json.Unmarshal([]byte(r.Out), &a))
		assert.Equal(t, 16, a.Constraints.Rank)
		v := a.VariableMobility
		assert.True(t, v.Varies)
		assert.Equal(t, [2]int{16, 17}, [2]int{v.RankHere, v.RankNearby})
		assert.NotEmpty(t, v.Joints)
		// The fourth redundant row is of this pose only, and must not be released.
		require.Len(t, a.Release, 1)
		assert.Equal(t, "sphere_in_cylinder", a.Release[0].Suggest)
	}
}

func TestAnalyzeTable(t *testing.T) {
	for name, says := range map[string][]string{
		"four-bar":      {"four-bar: 3 bodies, 4 joints, 1 loop, 1 component\n", "clusters      1, with 1 loop\n", "nothing is redundant then", "\nordering "},
		"pendulum":      {"none: no loops", "nothing to release"},
		"single-body":   {"no joint constrains anything"},
		"n-four-bar-40": {"and 28 more"},
	} {
		out := ok(t, "analyze", golden(name))
		clitest.RequireColumns(t, out)
		for _, s := range append(says, "no: the same rank", "  chosen\n") {
			assert.Contains(t, out, s)
		}
	}
	r := rungWith(flat(t, 1, 1), "analyze", "-")
	clitest.RequireColumns(t, r.Out)
	assert.Contains(t, r.Out, "YES: rank 16 here, 17 at poses nearby")
	assert.Contains(t, r.Out, "at poses nearby\n\ncluster ")
	clitest.RequireColumns(t, ok(t, "analyze", "--help"))

	var stderr bytes.Buffer
	assert.Equal(t, shell.ExitFailed, command.RunTo(&failingWriter{10}, &stderr, "", []string{"analyze", golden("four-bar")}...))
	assert.Equal(t, shell.ExitUse, rungRun("analyze").Status)
	assert.Equal(t, shell.ExitUse, rungRun("analyze", golden("four-bar"), "--method", "tree-aba").Status)
	assert.Equal(t, shell.ExitDone, rungWith(`{"format": "rung-model/1", "bodies": []}`, "analyze", "-").Status)
}
