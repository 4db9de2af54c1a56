package mechanism_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
)

func TestGraph(t *testing.T) {
	cases := []struct {
		name   string
		bodies int
		joints []string
		want   mechanism.Graph
	}{
		{"empty", 0, nil, mechanism.Graph{Component: []int32{}}},
		{"one body", 1, nil, mechanism.Graph{Components: 1, Component: []int32{0}}},
		{"two apart", 2, nil, mechanism.Graph{Components: 2, Component: []int32{0, 1}}},
		{"chain", 3, []string{"revolute w 0", "revolute 0 1", "revolute 1 2"},
			mechanism.Graph{Components: 1, Grounded: 1, Component: []int32{0, 0, 0}}},
		{"four-bar", 3, []string{"revolute w 0", "revolute 0 1", "revolute 1 2", "revolute 2 w"},
			mechanism.Graph{Components: 1, Grounded: 1, Loops: 1, Component: []int32{0, 0, 0}}},
		{"world is no link", 2, []string{"revolute w 0", "revolute 1 w"},
			mechanism.Graph{Components: 2, Grounded: 2, Component: []int32{0, 1}}},
		{"parallel joints", 2, []string{"distance 0 1", "distance 1 0", "distance 0 1"},
			mechanism.Graph{Components: 1, Loops: 2, Component: []int32{0, 0}}},
		{"twice to the world", 1, []string{"distance w 0", "point_on_plane 0 w"},
			mechanism.Graph{Components: 1, Grounded: 1, Loops: 1, Component: []int32{0}}},
		{"free joints are no edges", 3, []string{"free w 0", "spherical 0 1", "free 1 0", "free 2 1"},
			mechanism.Graph{Components: 2, Component: []int32{0, 0, 1}}},
		{"floating loop and leg", 5, []string{"spherical 3 1", "spherical 4 3", "spherical 1 4", "fixed 0 w"},
			mechanism.Graph{Components: 3, Grounded: 1, Loops: 1, Component: []int32{0, 1, 2, 1, 1}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := cubes(c.bodies)
			join(t, m, c.joints...)
			require.Equal(t, &c.want, compiled(t, m).Graph())
		})
	}
}

// TestGraphOfFamilies compares the loops with the table of package bench.
func TestGraphOfFamilies(t *testing.T) {
	cases := []struct {
		family string
		n      int
		loops  int
	}{
		{"ladder", 12, 6}, {"ladder", 13, 6}, {"nfourbar", 9, 9}, {"chain", 20, 0}, {"tree", 20, 0},
		{"grid", 5, 20}, {"ball-net", 5, 20}, {"revolute-net", 4, 16}, {"stewart", 2, 10},
	}
	for _, c := range cases {
		t.Run(c.family, func(t *testing.T) {
			m, err := bench.Generate(c.family, c.n, 1)
			require.NoError(t, err)
			g := compiled(t, m).Graph()
			require.Equal(t, c.loops, g.Loops)
			require.LessOrEqual(t, g.Grounded, g.Components)
		})
	}
}

// TestIncidence lists joints with rows, in order, at both of their bodies.
func TestIncidence(t *testing.T) {
	m := cubes(4)
	join(t, m, "revolute w 0", "free 0 1", "spherical 1 0", "distance 1 w", "fixed 2 1", "spherical 0 1")
	mech := compiled(t, m)
	in := mech.Incidence()
	for body, want := range map[int32][]int32{mechanism.World: {0, 3}, 0: {0, 2, 5}, 1: {2, 3, 4, 5}, 2: {4}, 3: {}} {
		require.Equal(t, want, in.Joints(body), "body %d", body)
		for _, j := range want {
			jt := &mech.Joints[j]
			require.Equal(t, body, jt.Other(jt.Other(body)))
		}
	}
}
