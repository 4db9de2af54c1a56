package main

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// looserTol is the residual of a released joint at a state of the reference,
// which closes its joints to 1e-13, m, rad or per second.
const looserTol = 1e-12

func analyzeJSON(t *testing.T, args ...string) (a analysis) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(ok(t, append([]string{"analyze", "--json"}, args...)...)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&a))
	return a
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
		assert.Equal(t, variableMobility{v.RankHere, v.RankHere, false, a.Constraints.NearSingular, []string{}}, v, name)
		assert.Equal(t, e.Constraints.Rank, v.RankHere, name)
		assert.Equal(t, e.Constraints.Redundant > 0, len(a.Release) > 0, name)
		require.Len(t, a.Orderings, len(orderingNames())-1)
		chosen := 0
		for i, o := range a.Orderings {
			assert.Equal(t, orderingNames()[i+1], o.Name)
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
		"format", "name", "bodies", "joints", "loops", "components", "clusters", "constraints", "variable_mobility", "release", "orderings",
	}, names)
	a := analyzeJSON(t, golden("four-bar"), "--ordering", "natural")
	assert.Equal(t, [2]int{1, 1}, [2]int{a.Loops, a.Components})
	assert.Equal(t, []cluster{{[]string{"p1", "p2", "p3", "p4"}, []string{"crank", "coupler", "rocker"}}}, a.Clusters)
	assert.Equal(t, []release{{a.Constraints.RedundantJoints[0].Name, "revolute", "sphere_in_cylinder"}}, a.Release)
	assert.True(t, a.Orderings[0].Chosen)
	for _, method := range methodNames() {
		c := analyzeJSON(t, golden("four-bar"), "--method", method).Constraints
		assert.Equal(t, [4]int{20, 17, 3, 1}, [4]int{c.Rows, c.Rank, c.Redundant, c.Mobility}, method)
	}
}

// TestAnalyzeReleases solves every released mechanism of the reference and of
// the families: it has the mobility of the original, and the redundant rows that
// are said to be left.
func TestAnalyzeReleases(t *testing.T) {
	var models []*model.Model
	for _, name := range goldenNames(t) {
		m, err := rung.Open(golden(name))
		require.NoError(t, err)
		models = append(models, m)
	}
	for _, family := range []string{"nfourbar", "revolute-net", "random"} {
		m, err := bench.Generate(family, 9, 1)
		require.NoError(t, err)
		models = append(models, m)
	}
	released := 0
	for _, m := range models {
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		before, err := json.Marshal(m)
		require.NoError(t, err)
		out, err := findReleases(m, mech.Initial())
		require.NoError(t, err)
		after, err := json.Marshal(m)
		require.NoError(t, err)
		require.JSONEq(t, string(before), string(after), "the model given is as it was")
		rank, _, err := rankOf(m, mech.Initial())
		require.NoError(t, err)
		r, err := rung.Accelerate(out.m, rung.Options{})
		require.NoError(t, err, m.Name)
		assert.Equal(t, 6*len(m.Bodies)-rank, r.Constraints.Mobility, m.Name)
		assert.Equal(t, out.left, r.Constraints.Redundant, m.Name)
		assert.Zero(t, out.left, m.Name)
		released += len(out.list)
	}
	assert.Greater(t, released, 100)
}

// TestLooserTypes releases the joints of the reference one by one to all types
// offered: each still holds at position and velocity level, so it allows what
// the joint did, and has fewer rows.
func TestLooserTypes(t *testing.T) {
	seen := map[model.JointType]bool{}
	for _, name := range goldenNames(t) {
		m, err := rung.Open(golden(name))
		require.NoError(t, err)
		for j := range m.Joints {
			joint := m.Joints[j]
			if joint.Motion != nil {
				continue
			}
			seen[joint.Type] = true
			for _, l := range looserTypes(joint.Type) {
				m.Joints[j] = joint
				(&change{j, l}).apply(&m.Joints[j])
				assert.Less(t, l.to.Constraints(), joint.Type.Constraints())
				mech, err := mechanism.New(m)
				require.NoError(t, err)
				k, st := mech.NewKinematics(), mech.Initial()
				require.NoError(t, mech.KinematicsTo(k, st))
				pos, vel := mech.Residuals(j, k, st)
				assert.Less(t, pos, looserTol, "%s, %s to %s", name, joint.Name, l.to)
				assert.Less(t, vel, looserTol, "%s, %s to %s", name, joint.Name, l.to)
			}
			m.Joints[j] = joint
		}
	}
	assert.Len(t, seen, model.JointTypes)
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
	assert.Equal(t, exitDone, rungWith(flat(t, 1, 1), "accel", "-").status)
	assert.Equal(t, exitFailed, rungWith(flat(t, 1, -0.5), "accel", "-").status)
	for _, rate1 := range []float64{1, -0.5} {
		r := rungWith(flat(t, 1, rate1), "analyze", "-", "--json")
		require.Equal(t, exitDone, r.status, r.err)
		var a analysis
		require.NoError(t, json.Unmarshal([]byte(r.out), &a))
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
		"four-bar":      {"four-bar: 3 bodies, 4 joints, 1 loop, 1 component\n", "1: 4 joints with 3 bodies", "nothing is redundant then", "\nordering "},
		"pendulum":      {"none: no loops", "nothing to release"},
		"single-body":   {"no joint constrains anything"},
		"n-four-bar-40": {"and 28 more"},
	} {
		out := ok(t, "analyze", golden(name))
		requireColumns(t, out)
		for _, s := range append(says, "no: the same rank", "  chosen\n") {
			assert.Contains(t, out, s)
		}
	}
	r := rungWith(flat(t, 1, 1), "analyze", "-")
	requireColumns(t, r.out)
	assert.Contains(t, r.out, "YES: rank 16 here, 17 at poses nearby")
	assert.Contains(t, r.out, "at poses nearby\n\nordering")
	requireColumns(t, ok(t, "analyze", "--help"))

	var stderr bytes.Buffer
	assert.Equal(t, exitFailed, run([]string{"analyze", golden("four-bar")}, strings.NewReader(""), &failingWriter{10}, &stderr))
	assert.Equal(t, exitUse, rungRun("analyze").status)
	assert.Equal(t, exitUse, rungRun("analyze", golden("four-bar"), "--method", "tree-aba").status)
	assert.Equal(t, exitDone, rungWith(`{"format": "rung-model/1", "bodies": []}`, "analyze", "-").status)
}
