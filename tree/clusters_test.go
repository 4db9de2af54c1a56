package tree_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

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
		list := r.plan.Clusters()
		require.Len(t, list, 3)
		loops := 0
		for _, c := range list {
			bodies, ok := want[fmt.Sprint(c.Joints)]
			require.True(t, ok, "joints %v", c.Joints)
			require.Equal(t, bodies, c.Bodies)
			require.True(t, slices.IsSorted(c.Links))
			require.Len(t, c.Joints, len(c.Links)+len(c.Loops))
			loops += len(c.Loops)
		}
		require.Equal(t, 4, loops)
	}
}

func TestClustersOfFamilies(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
		want   int
	}{{"chain", 5, 0}, {"tree", 20, 0}, {"nfourbar", 4, 1}, {"stewart", 2, 2}, {"ladder", 6, 1}} {
		r := newRig(t, generate(t, c.family, c.n, 1), tree.Options{})
		list := r.plan.Clusters()
		loops := 0
		for _, k := range list {
			loops += len(k.Loops)
		}
		require.Equal(t, len(r.plan.Loops), loops, "%s: every loop in one cluster", c.family)
		require.Len(t, list, c.want, c.family)
	}
}

// TestClusterAtFloatingBase: a base that only rods hold is in a loop with the
// world by its six freedoms, and parallel joints make a loop of two.
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
	list := newRig(t, m, tree.Options{}).plan.Clusters()
	require.Len(t, list, 2)
	require.Equal(t, []int32{0, 1}, list[0].Joints)
	require.Equal(t, []int32{0}, list[0].Bodies)
	require.Equal(t, []int32{2, 3}, list[1].Joints, "a joint without rows makes no loop")
}
