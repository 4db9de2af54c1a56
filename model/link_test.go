package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/model"
)

// TestLink compares with a map: references near the one before, far from it, at
// both ends of the list, and to the world.
func TestLink(t *testing.T) {
	const n = 300
	r := rand.New(rand.NewPCG(1, 7))
	m := model.New("links")
	index := map[string]int32{model.World: -1}
	for i := range n {
		name := fmt.Sprintf("body-%d", (i*37)%n)
		index[name] = int32(i)
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}})
	}
	name := func(i int) string {
		if i < 0 {
			return model.World
		}
		return m.Bodies[i].Name
	}
	at := 0
	for k := range 3 * n {
		if at += r.IntN(7) - 3; r.IntN(10) == 0 || at < 0 || at >= n {
			at = r.IntN(n)
		}
		other := (at + 1 + r.IntN(3)) % n
		if r.IntN(10) == 0 {
			other = -1
		}
		m.Joints = append(m.Joints, model.Joint{
			Name: fmt.Sprint(k), Type: model.Spherical, Predecessor: name(at), Successor: name(other),
		})
	}
	m.Forces = []model.ForceElement{
		{Name: "w", Type: model.Wrench, A: model.Attachment{Body: name(n - 1)}},
		{Name: "s", Type: model.SpringDamper, A: model.Attachment{Body: model.World}, B: model.Attachment{Body: name(0)}},
	}
	links, err := model.Link(m)
	require.NoError(t, err)
	require.Len(t, links.Joints, len(m.Joints))
	for k, j := range m.Joints {
		require.Equal(t, [2]int32{index[j.Predecessor], index[j.Successor]}, links.Joints[k])
	}
	require.Equal(t, [][2]int32{{n - 1, -1}, {-1, 0}}, links.Forces)

	m.Joints[n].Successor = "body-300"
	links, err = model.Link(m)
	require.EqualError(t, err, model.Check(m).Error())
	require.ErrorContains(t, err, "unknown body")
	require.Nil(t, links)

	// A body without a name is not what an empty reference means.
	m.Joints[n].Successor = ""
	m.Bodies[index[m.Joints[n].Predecessor]+1].Name = ""
	require.ErrorContains(t, model.Check(m), fmt.Sprintf(`$.joints[%d].successor`, n))
}

// TestHugeQuaternion: the length of an orientation may overflow or vanish.
func TestHugeQuaternion(t *testing.T) {
	for _, x := range []float64{math.MaxFloat64, 1e200, 1e-200, 5e-324} {
		m := model.New("q")
		m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
		m.Bodies[0].Pose.Orientation = [4]float64{x, x, 0, 0}
		require.ErrorContains(t, model.Check(m), "is not a unit quaternion", "%g", x)
	}
}
