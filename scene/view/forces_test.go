package view_test

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/tree"
)

func shown(t *testing.T, m *model.Model) (*view.Viewer, *mechanism.Mechanism) {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	v, err := view.NewViewer(scene.New(mech, scene.Options{}), mech.Initial(), secret, view.Options{})
	require.NoError(t, err)
	return v, mech
}

// arrows are the forces that the page gets, and how many the head tells.
func arrows(t *testing.T, v *view.Viewer) (list [][]float64) {
	t.Helper()
	var head struct{ Arrows int }
	require.NoError(t, json.Unmarshal(ask(v, host, "/"+secret+"/scene.json").Body.Bytes(), &head))
	all := floats(ask(v, host, "/"+secret+"/forces").Body.Bytes())
	require.Len(t, all, 7*head.Arrows)
	for ; len(all) > 0; all = all[7:] {
		list = append(list, all[:7])
	}
	return list
}

// A spring of 200 N/m that is 0.5 m too long pulls its ends to each
// other with 100 N; a drive of 3 N m is a moment about its axis.
func TestForces(t *testing.T) {
	m := model.New("spring")
	one := model.Inertia{XX: 1, YY: 1, ZZ: 1}
	m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: one, Pose: model.Pose{Position: [3]float64{2, 0, 0}}}}
	m.Joints = []model.Joint{{Name: "j", Type: model.Revolute, Predecessor: model.World, Successor: "b", PredecessorFrame: model.Pose{Position: [3]float64{2, 0, 0}}, Force: []float64{3}}}
	m.Forces = []model.ForceElement{{Name: "s", Type: model.SpringDamper, A: model.Attachment{Body: model.World}, B: model.Attachment{Body: "b"}, Stiffness: 200, RestLength: 1.5}}
	m.Canonicalize()
	v, _ := shown(t, m)
	list := arrows(t, v)
	require.Len(t, list, 4)
	assert.InDeltaSlice(t, []float64{100, 0, 0, 0}, list[0][3:], 1e-4, "on the world, towards the body")
	assert.InDeltaSlice(t, []float64{-100, 0, 0, 0}, list[1][3:], 1e-4, "on the body")
	assert.InDelta(t, 2, list[1][0]-list[0][0], 1e-6, "apart")
	assert.InDeltaSlice(t, []float64{0, 0, 0, 0}, list[2][3:], 1e-6, "no force of the drive")
	assert.InDeltaSlice(t, []float64{0, 0, 3, 1}, list[3][3:], 1e-6, "the moment of the drive")
}

// The wheels of a rover that stands on the ground are pushed up, each where it touches.
func TestContacts(t *testing.T) {
	m, err := bench.Generate("rover", 1, 1)
	require.NoError(t, err)
	v, mech := shown(t, m)
	up := 0
	for _, a := range arrows(t, v)[:mech.NumContacts()] {
		if a[5] > 0 {
			up++
		}
	}
	assert.Positive(t, up)
}

// The clusters that the page gets are those of the tree methods, and joints in no loop have none.
func TestClusters(t *testing.T) {
	m, err := bench.Generate("stewart", 1, 1)
	require.NoError(t, err)
	v, mech := shown(t, m)
	b := ask(v, host, "/"+secret+"/clusters").Body.Bytes()
	require.Len(t, b, 4*mech.NumJoints())
	got := map[int32]int{}
	for j := range mech.NumJoints() {
		got[int32(binary.LittleEndian.Uint32(b[4*j:]))]++
	}
	want := map[int32]int{}
	in := 0
	for k, c := range tree.ClustersOf(mech) {
		want[int32(k)] = len(c.Joints)
		in += len(c.Joints)
	}
	if out := mech.NumJoints() - in; out > 0 {
		want[-1] = out
	}
	assert.Equal(t, want, got)
}
