package tree_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/tree"
)

// graphModel is a model with bodies "b0" … and joints written as pairs of bodies,
// −1 the world, all of one type and placed anywhere: for questions of topology.
func graphModel(bodies int, kind model.JointType, pairs ...[2]int) *model.Model {
	m := model.New("graph")
	name := func(i int) string {
		if i < 0 {
			return model.World
		}
		return fmt.Sprintf("b%d", i)
	}
	for i := range bodies {
		m.Bodies = append(m.Bodies, model.Body{Name: name(i), Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	}
	for k, p := range pairs {
		m.Joints = append(m.Joints, model.Joint{
			Name: fmt.Sprintf("j%d", k), Type: kind, Predecessor: name(p[0]), Successor: name(p[1]),
		})
	}
	return m
}

// figure81 is in the situation of RBDA Figure 8.1, four loops in three clusters: one
// loop at the base, one beyond it on the same body, and two that share a joint,
// with joints in no loop between them. Joints:
//
//	0–3   world b0 b1 b2 world: a four-bar
//	4–6   b1 b3 b4 b1: a triangle on b1, which shares a body but no joint
//	7     b4–b5: a bridge
//	8–13  b5 b6 b7 b5 and b6 b8 b9 b7: two loops that share the joint b6–b7
//	14    b9–b10: a bridge
func figure81() *model.Model {
	return graphModel(11, model.Revolute,
		[2]int{-1, 0}, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, -1},
		[2]int{1, 3}, [2]int{3, 4}, [2]int{4, 1},
		[2]int{4, 5},
		[2]int{5, 6}, [2]int{6, 7}, [2]int{7, 5}, [2]int{6, 8}, [2]int{8, 9}, [2]int{9, 7},
		[2]int{9, 10},
	)
}

func TestClustersOfFigure81(t *testing.T) {
	want := map[string][]int32{
		"[0 1 2 3]":         {0, 1, 2},
		"[4 5 6]":           {1, 3, 4},
		"[8 9 10 11 12 13]": {5, 6, 7, 8, 9},
	}
	// Any spanning tree gives the same clusters.
	for _, first := range [][]int{nil, {3, 6, 10, 13}, {2, 3, 5, 6, 9}, {10, 12, 13}} {
		r := newRig(t, figure81(), tree.Options{TreeJoints: first})
		require.Len(t, r.plan.Loops, 4)
		list := tree.ClustersOf(r.mech)
		require.Len(t, list, 3)
		loops := 0
		for i, c := range list {
			bodies, ok := want[fmt.Sprint(c.Joints)]
			require.True(t, ok, "joints %v", c.Joints)
			require.Equal(t, bodies, c.Bodies)
			require.Equal(t, i == 0, c.Ground)
			loops += c.Loops
		}
		require.Equal(t, 4, loops)
		requireOverlaps(t, r, list)
	}
}

func TestClustersOfFamilies(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
		want   int
	}{{"chain", 5, 0}, {"tree", 20, 0}, {"nfourbar", 4, 1}, {"stewart", 2, 2}, {"ladder", 6, 1}, {"grid", 3, 1}, {"ball-net", 3, 1}, {"revolute-net", 3, 1}} {
		require.Len(t, tree.ClustersOf(newRig(t, generate(t, c.family, c.n, 1), tree.Options{}).mech), c.want, c.family)
	}
}

// loopJoints returns the joints of each fundamental loop of a mechanism, found
// without a plan: a spanning forest in the order of the joints, and the path in it
// between the two bodies of each joint that is left out.
func loopJoints(m *mechanism.Mechanism) (loops [][]int32) {
	type step struct{ to, joint int32 }
	next := map[int32][]step{}
	var path func(from, to, by int32) ([]int32, bool)
	path = func(from, to, by int32) ([]int32, bool) {
		if from == to {
			return nil, true
		}
		for _, s := range next[from] {
			if s.joint != by {
				if rest, ok := path(s.to, to, s.joint); ok {
					return append(rest, s.joint), true
				}
			}
		}
		return nil, false
	}
	for j := range m.Joints {
		jt := &m.Joints[j]
		if jt.Rows == 0 {
			continue
		}
		if list, closes := path(jt.Pred, jt.Succ, -1); closes {
			loops = append(loops, append(list, int32(j)))
			continue
		}
		next[jt.Pred] = append(next[jt.Pred], step{jt.Succ, int32(j)})
		next[jt.Succ] = append(next[jt.Succ], step{jt.Pred, int32(j)})
	}
	return loops
}

// requireOverlaps compares clusters with their definition: two loops are in the same cluster if
// and only if they are connected by loops with common joints.
func requireOverlaps(t *testing.T, r *rig, list []tree.Cluster) {
	t.Helper()
	loops := loopJoints(r.mech)
	require.Equal(t, r.mech.Graph().Loops, len(loops))
	cluster := make([]int, len(loops)) // a number that connected loops share
	for i := range cluster {
		cluster[i] = i
	}
	for a := range loops {
		for b := range a {
			if cluster[a] != cluster[b] && slices.ContainsFunc(loops[a], func(j int32) bool { return slices.Contains(loops[b], j) }) {
				old := cluster[a]
				for i := range cluster {
					if cluster[i] == old {
						cluster[i] = cluster[b]
					}
				}
			}
		}
	}
	joints, count := map[int][]int32{}, map[int]int{}
	for i, k := range cluster {
		joints[k] = append(joints[k], loops[i]...)
		count[k]++
	}
	var want, got []string
	for k, list := range joints {
		slices.Sort(list)
		want = append(want, fmt.Sprint(slices.Compact(list), count[k]))
	}
	first := int32(-1)
	for _, c := range list {
		require.Greater(t, c.Joints[0], first, "clusters by their first joint")
		first = c.Joints[0]
		got = append(got, fmt.Sprint(c.Joints, c.Loops))
		bodies, ground := []int32{}, false
		for _, j := range c.Joints {
			for _, b := range []int32{r.mech.Joints[j].Pred, r.mech.Joints[j].Succ} {
				ground = ground || b == mechanism.World
				if b != mechanism.World && !slices.Contains(bodies, b) {
					bodies = append(bodies, b)
				}
			}
		}
		slices.Sort(bodies)
		require.Equal(t, bodies, c.Bodies)
		require.Equal(t, ground, c.Ground)
	}
	require.ElementsMatch(t, want, got)
}

// TestClustersOverlap holds the clusters of all reference models and families, and
// of random graphs of all densities, against the definition.
func TestClustersOverlap(t *testing.T) {
	allModels(t, func(t *testing.T, m *model.Model) {
		if len(m.Couplings) > 0 {
			return // TestCoupledClusters
		}
		r := newRig(t, m, tree.Options{})
		requireOverlaps(t, r, tree.ClustersOf(r.mech))
	})
	several := 0
	for seed := range check.Few(uint64(600), 200) {
		rng := check.Rand(seed)
		n := 1 + rng.IntN(14)
		var pairs [][2]int
		for range rng.IntN(2 * n) {
			if a, b := rng.IntN(n+1)-1, rng.IntN(n+1)-1; a != b {
				pairs = append(pairs, [2]int{a, b})
			}
		}
		m := graphModel(n, model.Revolute, pairs...)
		for j := range m.Joints {
			switch rng.IntN(6) {
			case 0:
				m.Joints[j].Type, m.Joints[j].Length = model.Distance, 1
			case 1:
				m.Joints[j].Type = model.Free
			}
		}
		r := newRig(t, m, tree.Options{})
		list := tree.ClustersOf(r.mech)
		requireOverlaps(t, r, list)
		if len(list) > 1 {
			several++
		}
	}
	require.Greater(t, several, check.Few(50, 15))
}

// TestClusterAtFloatingBase: a rod to the world makes no loop, two of them do,
// whichever body carries the floating base, and so do parallel joints.
func TestClusterAtFloatingBase(t *testing.T) {
	m := graphModel(2, model.Distance, [2]int{-1, 0}, [2]int{-1, 0})
	for i := range m.Joints {
		m.Joints[i].Length = 1
	}
	m.Joints = append(m.Joints,
		model.Joint{Name: "a", Type: model.Revolute, Predecessor: "b0", Successor: "b1"},
		model.Joint{Name: "b", Type: model.Revolute, Predecessor: "b0", Successor: "b1"},
		model.Joint{Name: "c", Type: model.Free, Predecessor: model.World, Successor: "b1"},
	)
	for _, base := range []int{0, 1} {
		list := tree.ClustersOf(newRig(t, m, tree.Options{Floating: []int{base}}).mech)
		require.Equal(t, []tree.Cluster{
			{Joints: []int32{0, 1}, Bodies: []int32{0}, Ground: true, Loops: 1},
			{Joints: []int32{2, 3}, Bodies: []int32{0, 1}, Loops: 1},
		}, list, "a joint without rows makes no loop")
	}
	m.Joints = m.Joints[1:]
	require.Len(t, tree.ClustersOf(newRig(t, m, tree.Options{}).mech), 1)
}
